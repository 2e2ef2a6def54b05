"""Conversation Studio as XML: comments as elements, the replies nested in `<children>`."""

from __future__ import annotations

import html
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

from tests.oracle.shown import Shown, decode_objects, decode_values, find_files
from tests.oracle.studio import show_comment

FIELDS = ("id", "type", "content")
_SECTION = re.compile(r"<!\[CDATA\[(.*?)(?:\]\]>|\]{0,2}\Z)", re.S)


def read(path: Path) -> dict[str, list[Shown]]:
    """Return the comments of each file, parents before replies."""
    found: dict[str, list[Shown]] = {}
    for name, text in find_files(path, ".xml").items():
        try:
            root = ElementTree.fromstring(re.sub(r"^<\?xml.*?\?>", "", text))
            comments = [_comment(each) for each in root.iter("comment")]
        except ElementTree.ParseError:
            comments = list(_pieces(text))
        found[name] = [show_comment(each) for each in comments]
    return {name: shown for name, shown in found.items() if shown}


def _comment(element: ElementTree.Element) -> dict[str, Any]:
    made: dict[str, Any] = {name: element.get(name) for name in FIELDS}
    for inner in element:
        if inner.tag in FIELDS:
            text = "".join(inner.itertext())
            coded = inner.get("encoding") == "json"
            made[inner.tag] = next(decode_values(text), None) if coded else text
    extra = next(decode_objects(element.findtext("extra") or ""), {})
    made |= {name: value for name, value in extra.items() if name in FIELDS}
    listed = element.findall("artifacts/artifact")
    return made | {"artifacts": [{"content": each.findtext("content")} for each in listed]}


def _pieces(text: str) -> Iterator[dict[str, Any]]:
    """Yield the comments of a text that is not well-formed; truncated ones are left out."""
    for piece in re.split(r"<comment>", text)[1:]:
        head = piece.partition("<attachments")[0].partition("<children")[0]
        fields = dict(re.findall(r"<(id|type|content)>(.*?)</\1>", head, re.S))
        if "content" in fields:
            yield {name: _plain(value) for name, value in fields.items()}


def _plain(text: str) -> str:
    """Return text without sections and entities."""
    pieces = _SECTION.split(text)
    outside, inside = map(html.unescape, pieces[::2]), [*pieces[1::2], ""]
    return "".join(one + two for one, two in zip(outside, inside, strict=True))
