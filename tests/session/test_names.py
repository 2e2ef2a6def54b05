"""Session ids cannot lead to other paths, and short ones are resolved to full ones."""

from __future__ import annotations

from pathlib import PurePosixPath, PureWindowsPath
from uuid import UUID

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from talktree.errors import NotFound, UsageError
from talktree.session.names import check_id, is_id, new_id, resolve_short_id

HOSTILE = [
    "", ".", "..", "../x", "a/b", "a\\b", "/etc", ".hidden", "end.", "a b", "a\0b", "nul", "CON",
    "com1.txt", "ä", "a\n", "x" * 129, " a", "a ", "~", "c:", "-\n",
]  # fmt: skip


@pytest.mark.parametrize("id", HOSTILE)
def test_a_hostile_id_is_refused(id: str) -> None:
    with pytest.raises(UsageError) as error:
        check_id(id)
    assert error.value.hint


@given(st.text(alphabet="aZ09._-/\\ :\0~", max_size=140) | st.text(max_size=10))
@example("a.b")
def test_an_id_is_one_harmless_file_name(id: str) -> None:
    if is_id(id):
        assert PurePosixPath(id).name == id == PureWindowsPath(id).name
        assert id not in (".", "..")
        assert not PureWindowsPath(id).is_reserved()
        assert 1 <= len(id.encode()) <= 128


def test_new_ids_are_random_uuids() -> None:
    made = {new_id() for _ in range(1000)}
    assert len(made) == 1000
    for id in made:
        assert str(UUID(id)) == id
        assert UUID(id).version == 4
        assert is_id(id)
        assert UUID(id).variant == "specified in RFC 4122"


def test_a_beginning_is_enough_if_it_is_the_only_one() -> None:
    assert resolve_short_id("ab", ["abc", "b"]) == "abc"
    assert resolve_short_id("ab", ["abc", "ab"]) == "ab"
    with pytest.raises(UsageError, match="2 sessions"):
        resolve_short_id("a", ["ab", "ac"])
    for nothing in ("x", ""):
        with pytest.raises(NotFound):
            resolve_short_id(nothing, ["ab"])
