"""Invalid texts are cached; changing a value that was read from one changes nothing else."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from talktree.text.json.decode import SHORT, decode, inspect

BROKEN = b'{"said":["a",{"deep":[1,2]}],"said":"b","open":[{"x":1'


def _pieces() -> st.SearchStrategy[bytes]:
    signs = st.sampled_from([b"{", b"}", b"[", b"]", b",", b":", b'"a"', b"1", b"nul", b"\xff"])
    return st.lists(signs, max_size=30).map(b"".join)


@given(_pieces())
def test_a_text_is_read_alike_each_time(raw: bytes) -> None:
    assert decode(raw) == decode(raw)
    assert inspect(raw) == inspect(raw)


@pytest.mark.parametrize("blanks", [0, SHORT])
def test_read_documents_can_be_changed(blanks: int) -> None:
    raw = BROKEN + b" " * blanks
    first, again = decode(raw), decode(raw)
    assert isinstance(first.value, dict)
    opened = first.value["open"]
    assert isinstance(opened, list)
    assert isinstance(opened[0], dict)
    opened[0]["x"] = "changed"
    opened.append("more")
    first.value["said"] = None
    first.problems.clear()
    assert again == decode(raw) != first
    assert again.problems == inspect(raw)


def test_a_deep_text_is_copied_without_recursion() -> None:
    raw = b"[" * 20_000
    first, again = decode(raw), decode(raw)
    assert first.value is not again.value
