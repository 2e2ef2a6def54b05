"""Sizes of data URLs."""

from __future__ import annotations

from base64 import b64encode

from hypothesis import given
from hypothesis import strategies as st

from talktree.text.media import data_size, data_url


@given(st.binary(max_size=40))
def test_the_size_is_that_of_the_bytes_with_and_without_padding(data: bytes) -> None:
    text = b64encode(data).decode()
    for written in (text, text.rstrip("=")):
        url = f"data:image/png;base64,{written}"
        head = data_url(url)
        assert head is not None
        assert data_size(url, head) == len(data)
