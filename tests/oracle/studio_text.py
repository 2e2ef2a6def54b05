"""Conversation Studio as text: comments as the parts of a MIME message, in several dialects."""

from __future__ import annotations

import email
import re
from collections.abc import Iterator
from email.message import Message
from pathlib import Path
from typing import Any

from tests.oracle.shown import Shown, decode_values, find_files
from tests.oracle.studio import show_comment

_BOUNDARY = re.compile(r"^-{4,}\S+$", re.M)
_ATTACHED = re.compile(r"\n\nAttachments:\n(?:- .*\n  URL: .*\s*)+\Z")


def read(path: Path) -> dict[str, list[Shown]]:
    """Return the comments of each file."""
    found: dict[str, list[Shown]] = {}
    for name, text in find_files(path, ".text", ".txt", ".eml", "").items():
        own = re.search(r"^Studio-Text:", text, re.M)
        comments = list(_own(text) if own else _exported(text))
        if comments:
            found[name] = [show_comment(each) for each in comments]
    return found


def _own(text: str) -> list[dict[str, Any]]:
    """Return the comments of the dialect that Talktree writes."""
    comments: list[dict[str, Any]] = []
    for part in email.message_from_bytes(text.encode()).walk():
        if part.get("Content-Description") == "details" and comments:
            details = _body(part)
            comments[-1].update(details if isinstance(details, dict) else {})
        elif "Depth" in part and part.get("Content-Description") != "value":
            comments.append({"id": part["Id"], "type": part["Type"], "content": _body(part)})
    return comments


def _body(part: Message) -> Any:
    payload = part.get_payload(decode=True)
    # A damaged header may claim that a part has parts of its own; such a part has no text.
    text = payload.decode("utf-8", "replace") if isinstance(payload, bytes) else ""
    if part.get_content_type() != "application/json":
        return text
    return next(decode_values(text), None)


def _exported(text: str) -> Iterator[dict[str, Any]]:
    """Yield the comments of an export of the program itself."""
    for part in _BOUNDARY.split(text):
        head, _, body = part.strip("\n").partition("\n\n")
        fields = dict(re.findall(r"^([\w-]+): (.*)$", head, re.M))
        if "User-Id" in fields:
            id = fields.get("Id", fields.get("E-Tag"))
            yield {"id": id, "type": fields.get("Type"), "content": _ATTACHED.sub("", body)}
