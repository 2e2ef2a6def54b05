"""Content hashes, ids and artifact types: all forms agree with the document."""

from __future__ import annotations

import sys

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from talktree.formats.studio import hashing
from talktree.formats.studio.artifact_types import detect_type
from talktree.formats.studio.hashing import (
    detect_algorithm,
    format_hash,
    hash_by_folding,
    hash_by_numpy,
    hash_text,
)
from talktree.formats.studio.ids import new_id
from talktree.testing.strategies import wild_text
from talktree.text import numpy_scan


def document_hash(text: str) -> str:
    """Run the document's loop step by step, with JavaScript's 32-bit integers."""
    hash = 0
    for unit in memoryview(text.encode("utf-16-le", "surrogatepass")).cast("H"):
        hash = (hash << 5) - hash + unit
        hash = (hash + 2**31) % 2**32 - 2**31
    return f"{abs(hash):x}"[:10]


KNOWN = {
    "": "0",
    "What is in the file": "50dcdf2c",
    "Here's an image": "16224df4",
    "External file reference": "496afa7c",
    "Here's an interactive chart": "31c61051",
    "\U0001f600": "1b0d63",
    "\ud83d": "d83d",
}


@pytest.mark.parametrize(("text", "hash"), KNOWN.items(), ids=ascii)
def test_known_hashes(text: str, hash: str) -> None:
    assert hash_text(text) == hash == document_hash(text)


@given(wild_text, st.integers(1, 2000))
@example("\uffff", 8192)
@example("\U0001f600", 8192)
@example("ab", 1024)
@example("\udfff\ud800", 513)
def test_all_forms_agree(text: str, times: int) -> None:
    text = text * times
    units = text.encode("utf-16-le", "surrogatepass")
    expected = document_hash(text)
    assert hash_text(text) == expected
    assert format_hash(hash_by_folding(units)) == expected
    assert format_hash(hash_by_numpy(units)) == expected


@pytest.mark.parametrize("length", [1, 2, 3, 1023, 1024, 1025, 8191, 8192, 8193, 200_000])
def test_all_forms_agree_at_the_edges_of_blocks(length: int) -> None:
    text = "".join(chr(0x40 + place * place % 0xA000) for place in range(length))
    units = text.encode("utf-16-le", "surrogatepass")
    assert (
        format_hash(hash_by_folding(units))
        == format_hash(hash_by_numpy(units))
        == document_hash(text)
    )
    assert hash_text(text) == document_hash(text)


def test_the_smallest_number_has_an_absolute_value() -> None:
    assert format_hash(1 << 31) == "80000000"
    assert format_hash((1 << 32) - 1) == "1"


def test_large_texts_need_no_numpy(monkeypatch: pytest.MonkeyPatch) -> None:
    text = "a tree of talk " * 20_000
    monkeypatch.setitem(sys.modules, "numpy", None)
    numpy_scan.is_here.cache_clear()
    try:
        assert hash_text(text) == document_hash(text)
    finally:
        numpy_scan.is_here.cache_clear()


@pytest.mark.parametrize(
    ("hash", "text", "algorithm"),
    [
        ("50dcdf2c", "What is in the file", "utf16-32"),
        ("50dcdf2c", "Here's an image", None),
        ("6b86b273ff", "1", "sha256-10"),
        ("6b86b27", "1", "sha256-7"),
        ("6b86b273ff3", "1", None),
        ("0", "", "utf16-32"),
        ("e3b0c44298", "", "sha256-10"),
        ("", "", None),
    ],
)
def test_the_algorithm_is_recognised(hash: str, text: str, algorithm: str | None) -> None:
    assert detect_algorithm(hash, text) == algorithm


@given(wild_text)
def test_every_text_has_all_hashes(text: str) -> None:
    for algorithm in (hashing.UTF16_32, hashing.SHA256_10, hashing.SHA256_7):
        assert detect_algorithm(hashing.compute_digest(text, algorithm), text) is not None


def test_ids_are_milliseconds_and_sixteen_random_bytes() -> None:
    assert new_id(1733794702200, bytes(range(16))) == (
        "1733794702200-000102030405060708090a0b0c0d0e0f"
    )
    with pytest.raises(ValueError):
        new_id(0, b"short")


CODE, REACT = "application/vnd.ant.code", "application/vnd.ant.react"
MERMAID, MARKDOWN = "application/vnd.ant.mermaid", "text/markdown"


@pytest.mark.parametrize(
    ("title", "content", "type"),
    [
        ("Python script", "<html>", CODE),
        ("HTML React page", "", "text/html"),
        ("logo.SVG in React", "", "image/svg+xml"),
        ("React mermaid viewer", "", REACT),
        ("A MERMAID diagram", "", MERMAID),
        ("Notes", "", MARKDOWN),
        ("", '<?xml version="1.0"?>\n<!-- a -->\n<svg xmlns="x"/>', "image/svg+xml"),
        ("", "<!DOCTYPE html>\n<title>x</title>", "text/html"),
        ("", "  <html lang='en'>", "text/html"),
        ("", "graph TD\n  A --> B", MERMAID),
        ("", "%% note\nsequenceDiagram\n", MERMAID),
        ("", "pie title Pets", MERMAID),
        ("", "pie is a dish", MARKDOWN),
        ("", "import React, { useState } from 'react';\n", REACT),
        ("", "import { memo } from 'react'\n", REACT),
        ("", "export default function App() {\n  return <main>hi</main>;\n}", REACT),
        ("", "export default function less(a, b) {\n  return a < b;\n}", MARKDOWN),
        ("", "import os\n\nprint(os.name)\n", CODE),
        ("", "class Tree:\n    pass\n", CODE),
        ("", "async def main():\n    pass\n", CODE),
        ("", "#!/usr/bin/env python3\n", CODE),
        ("", "# Import\n\nimport things carefully\n", MARKDOWN),
    ],
)
def test_artifact_types_by_title_then_by_content(title: str, content: str, type: str) -> None:
    assert detect_type(title, content) == type


@pytest.mark.parametrize(
    "evil", ["<!---->", "<!--", "\n", "#!", "class a(", "export default function\n<a", "%%\n"]
)
def test_no_content_makes_the_search_slow(evil: str) -> None:
    assert detect_type("", evil * (65_536 // len(evil)))
