"""Lines of operations: what is told is read again, and whatever strangers wrote is no reason to
stop."""

from __future__ import annotations

import json
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from talktree.session.capture.file_state import ABSENT, Absent, Folder, Unknown
from talktree.session.undo.move_records import (
    ALL,
    Boundary,
    Moved,
    Moving,
    Standing,
    move_line,
    moved_line,
    moves,
)

AT = Standing(None, "m", "m")
MOVE = Moved(
    id="o",
    verb="undo",
    point="n",
    parent=None,
    scopes=ALL,
    origin=AT,
    goal=AT,
    at=AT,
    leaf="m",
    paths=(Moving(b"a%\xff", ABSENT, Folder(mode=0o755)), Moving(b"b", Folder(mode=0), ABSENT)),
    text="words",
)
values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=3),
    lambda inner: (
        st.lists(inner, max_size=2) | st.dictionaries(st.text(max_size=3), inner, max_size=2)
    ),
    max_leaves=4,
)


def told() -> dict[str, Any]:
    value: dict[str, Any] = json.loads(move_line("s", MOVE))
    return value


def test_a_move_is_read_as_it_was_told() -> None:
    fates = {b"a%\xff": "done", b"b": "kept"}
    [found] = moves([told(), json.loads(moved_line("s", "o", fates, Boundary("m", 7)))])
    assert (found.state, found.after, found.is_point) == ("moved", Boundary("m", 7), True)
    assert found.fates == {b"a%\xff": "done", b"b": "kept"}
    assert (*found.paths,) == MOVE.paths
    assert (len(found.paths), found.paths[1], found.paths[:1]) == (2, MOVE.paths[1], MOVE.paths[:1])
    assert (found.origin, found.scopes, found.text) == (AT, ALL, "words")


@given(st.sampled_from(sorted(told())), values, st.booleans())
def test_a_member_that_is_something_else_stops_nobody(name: str, value: Any, deep: bool) -> None:
    line = told()
    if deep and isinstance(line[name], dict):
        line[name] = dict.fromkeys(line[name], value)
    else:
        line[name] = value
    for move in moves([line, {"kind": "moved", "move": "o", "paths": value}]):
        for path, before, after in move.paths:
            assert isinstance(path, bytes)
            assert isinstance(before, Absent | Folder | Unknown)
            assert isinstance(after, Absent | Folder | Unknown)
