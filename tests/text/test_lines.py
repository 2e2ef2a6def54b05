"""Broken lines: whole records on them are found, every byte stays in exactly one span."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from talktree.files import MemoryContent
from talktree.text.json.value import Json
from talktree.text.lines import is_blank, split_line


def is_record(value: Json) -> bool:
    return isinstance(value, dict) and "type" in value


def test_fused_records_are_two() -> None:
    line = b'{"type":1}{"type":2}\n'
    assert [line[span.start : span.stop] for span in split_line(line, is_record)] == [
        b'{"type":1}',
        b'{"type":2}\n',
    ]


def test_record_written_over_another_is_found() -> None:
    line = b'{"type":"a","text":"cut{"type":"b","x":{"y":1}}\n'
    spans = split_line(line, is_record)
    assert [line[span.start : span.stop] for span in spans] == [
        b'{"type":"a","text":"cut',
        b'{"type":"b","x":{"y":1}}\n',
    ]


def test_inner_object_of_a_truncated_record_is_not_a_record() -> None:
    line = b'{"type":"a","message":{"role":"user","content":"x"}\n'
    assert len(split_line(line, is_record)) == 1


@given(st.binary(max_size=80))
def test_spans_cover_the_line(line: bytes) -> None:
    spans = split_line(line, is_record)
    assert b"".join(line[span.start : span.stop] for span in spans) == line


@given(st.lists(st.sampled_from([b"a", b"\n", b"\r\n", "\u2028".encode(), b"\x85"]), max_size=20))
def test_only_newline_bytes_end_lines(pieces: list[bytes]) -> None:
    text = b"".join(pieces)
    lines = list(MemoryContent(text).lines())
    assert b"".join(lines) == text
    assert b"".join(bytes(block[:end]) for block, end in MemoryContent(text).line_blocks()) == text
    assert all(line.find(b"\n") in (-1, len(line) - 1) for line in lines)


def test_blank_lines_hold_nothing() -> None:
    assert is_blank(b" \t\r\n")
    assert not is_blank(b"\0\n")
