"""Strings at any depth: the size of embedded data and the memory follow the record."""

from __future__ import annotations

import json
import tracemalloc

import pytest

from talktree import api
from talktree.conversion.embed_template import LONGEST_WAY, MOST, Strings, collect_strings
from talktree.files import Source
from talktree.formats import slugs
from talktree.model.entries import Opaque
from talktree.text.json.strings import iterate_texts
from talktree.text.json.value import Json
from tests.session_lines import ask, call

DEPTH = 1_500


def _nested(depth: int) -> Json:
    value: Json = "in the middle, and long enough to be worth a place of its own"
    for number in range(depth):
        value = {"text": f"{number} ".ljust(80, "x"), "a": [value]}
    return value


def _session(depth: int) -> bytes:
    question, tool = ask(1, None, "hello"), call(2, 1, 1, "msg_1")
    tool["message"]["content"][0]["input"] = "@"
    nested = '{"text":"' + "x" * 80 + '","a":['
    text = nested * depth + "1" + "]}" * depth
    lines = json.dumps(question), json.dumps(tool).replace('"@"', text)
    return "\n".join(lines).encode() + b"\n"


def test_ways_lead_to_their_strings() -> None:
    entry = Opaque(id="1", kind="x", value=_nested(8))
    found = collect_strings(entry)
    assert len(found) == 9
    there = Strings(entry)
    assert all(there[way] == text for way, text in found.items())


def test_the_longest_strings_have_ways_of_limited_length() -> None:
    found = collect_strings(Opaque(id="1", kind="x", value=_nested(DEPTH)))
    assert len(found) == MOST
    assert max(map(len, found)) < LONGEST_WAY + 100
    assert len(set(found.values())) == MOST


def test_texts_know_their_ways_at_any_depth() -> None:
    found = list(iterate_texts({"a/b": [{"c~": "one"}, "two"], "d": "three"}))
    assert [(each.way, each.name, each.text) for each in found] == [
        ("a~1b/0/c~0", "c~", "one"),
        ("a~1b/1", None, "two"),
        ("d", "d", "three"),
    ]
    assert [each.way for each in iterate_texts("alone")] == [""]
    deep = list(iterate_texts(_nested(DEPTH)))
    assert deep[-1].way.count("/") == 2 * DEPTH - 1


@pytest.mark.parametrize("target", [slug for slug in slugs() if slug != "claude-code"])
def test_deep_input_makes_the_round_trip(target: str) -> None:
    data = _session(DEPTH)
    assert _convert(_convert({"s.jsonl": data}, target), "claude-code") == {"s.jsonl": data}


def test_memory_follows_the_record() -> None:
    small, large = _peak(_session(DEPTH)), _peak(_session(2 * DEPTH))
    assert large < 2.2 * small


def _convert(files: dict[str, bytes], target: str) -> dict[str, bytes]:
    single = len(files) == 1
    ((path, data), *_) = files.items()
    source = Source.of_bytes(data, name=path) if single else Source.of_files(files)
    made = api.convert_document(api.read(source), to=target)
    return {path: b"".join(pieces) for path, pieces in made.files.items()}


def _peak(data: bytes) -> int:
    """Return the peak memory of a conversion in bytes."""
    tracemalloc.start()
    try:
        _convert({"s.jsonl": data}, "native")
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
