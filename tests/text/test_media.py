"""Sizes of data URLs, and media types."""

from __future__ import annotations

from base64 import b64encode, urlsafe_b64encode
from collections.abc import Callable
from urllib.parse import quote_from_bytes

import pytest
from hypothesis import given
from hypothesis import strategies as st

from talktree.text.media import data_size, decode_data_url, parse_data_url
from talktree.text.media_types import find_contradicting_type, find_media_type, is_well_formed


@given(st.binary(max_size=40))
def test_the_size_is_that_of_the_bytes_with_and_without_padding(data: bytes) -> None:
    text = b64encode(data).decode()
    for written in (text, text.rstrip("=")):
        url = f"data:image/png;base64,{written}"
        head = parse_data_url(url)
        assert head is not None
        assert data_size(url, head) == len(data)


@given(st.binary(max_size=200), st.sampled_from([b64encode, urlsafe_b64encode]), st.booleans())
def test_the_size_of_a_data_url_is_that_of_its_content(
    data: bytes,
    encode: Callable[[bytes], bytes],
    padded: bool,
) -> None:
    written = encode(data).decode()
    written = written if padded else written.rstrip("=")
    for text in (written, "\n".join(written[at : at + 7] for at in range(0, len(written), 7))):
        url = f"data:image/png;base64,{text}"
        head = parse_data_url(url)
        assert head is not None
        assert data_size(url, head) == len(data)
        assert decode_data_url(url, head, most=1000) == data
        assert decode_data_url(url, head, most=10) == data[:10]


@given(st.binary(max_size=100))
def test_escapes_are_not_content(data: bytes) -> None:
    for url, size in (
        (f"data:text/plain,{quote_from_bytes(data)}", len(data)),
        (f"data:text/plain;base64,{quote_from_bytes(b64encode(data), safe='')}", len(data)),
        ("data:text/plain,naïve", 6),
    ):
        head = parse_data_url(url)
        assert head is not None
        assert data_size(url, head) == size


@pytest.mark.parametrize(
    ("claimed", "data", "real"),
    [
        ("text/plain", b"\x89PNG\r\n\x1a\n", "image/png"),
        ("application/json", b"%PDF-1.7", "application/pdf"),
        ("text/csv", b"PK\x03\x04", "application/zip"),
        ("image/jpg", b"\xff\xd8\xff", None),
        ("image/svg+xml", b"<?xml version='1.0'?><svg/>", None),
        ("application/xml", b"<svg/>", None),
        ("text/plain", b"<html>", None),
        ("text/x-shellscript", b"#!/bin/sh", None),
        ("application/vnd.oasis.opendocument.text", b"PK\x03\x04", None),
        ("application/octet-stream", b"%PDF-1.7", None),
        ("text/plain", b"MZ is how programs begin" * 9, None),
    ],
)
def test_only_what_no_one_can_mistake_contradicts(
    claimed: str, data: bytes, real: str | None
) -> None:
    assert find_contradicting_type(claimed, data) == real


@pytest.mark.parametrize(
    ("name", "data", "media_type"),
    [
        ("a.odt", b"PK\x03\x04", "application/vnd.oasis.opendocument.text"),
        ("a.zip", b"PK\x03\x04", "application/zip"),
        ("a.png", b"words", "text/plain"),
        ("a.csv", b"a,b", "text/csv"),
        ("a.csv", b"\0\1", "application/octet-stream"),
        ("a.svg", b"<svg/>", "image/svg+xml"),
        ("a.txt", b"GIF89a", "image/gif"),
    ],
)  # fmt: skip
def test_a_name_decides_only_what_bytes_leave_open(name: str, data: bytes, media_type: str) -> None:
    assert find_media_type(data, name) == media_type


def test_media_types_are_well_formed_or_not() -> None:
    assert all(map(is_well_formed, ("image/png", "text/plain; charset=utf-8", "a/b+c.d")))
    assert not any(map(is_well_formed, ("", "image", "image/", "/png", "image png", "a/b/c")))
