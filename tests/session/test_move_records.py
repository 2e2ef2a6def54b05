"""Lines of operations: what is written is read again, and invalid foreign lines are no reason to
stop."""

from __future__ import annotations

import json
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from talktree.session.capture.file_state import ABSENT, AbsentState, Folder, UnknownState
from talktree.session.undo.move_records import (
    ALL,
    Boundary,
    LoggedMove,
    PathMove,
    ScopeLeaves,
    format_move_end_line,
    format_move_start_line,
    parse_moves,
)

AT = ScopeLeaves(None, "m", "m")
MOVE = LoggedMove(
    id="o",
    verb="undo",
    point="n",
    parent=None,
    scopes=ALL,
    origin=AT,
    goal=AT,
    at=AT,
    leaf="m",
    paths=(PathMove(b"a%\xff", ABSENT, Folder(mode=0o755)), PathMove(b"b", Folder(mode=0), ABSENT)),
    text="words",
)
values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=3),
    lambda inner: (
        st.lists(inner, max_size=2) | st.dictionaries(st.text(max_size=3), inner, max_size=2)
    ),
    max_leaves=4,
)


def details() -> dict[str, Any]:
    value: dict[str, Any] = json.loads(format_move_start_line("s", MOVE))
    return value


def test_a_move_is_read_as_it_was_reported() -> None:
    fates = {b"a%\xff": "done", b"b": "kept"}
    [found] = parse_moves(
        [details(), json.loads(format_move_end_line("s", "o", fates, Boundary("m", 7)))]
    )
    assert (found.state, found.after, found.is_point) == ("moved", Boundary("m", 7), True)
    assert found.fates == {b"a%\xff": "done", b"b": "kept"}
    assert (*found.paths,) == MOVE.paths
    assert (len(found.paths), found.paths[1], found.paths[:1]) == (2, MOVE.paths[1], MOVE.paths[:1])
    assert (found.origin, found.scopes, found.text) == (AT, ALL, "words")


@given(st.sampled_from(sorted(details())), values, st.booleans())
def test_a_member_that_is_something_else_stops_no_one(name: str, value: Any, deep: bool) -> None:
    line = details()
    if deep and isinstance(line[name], dict):
        line[name] = dict.fromkeys(line[name], value)
    else:
        line[name] = value
    for move in parse_moves([line, {"kind": "moved", "move": "o", "paths": value}]):
        for path, before, after in move.paths:
            assert isinstance(path, bytes)
            assert isinstance(before, AbsentState | Folder | UnknownState)
            assert isinstance(after, AbsentState | Folder | UnknownState)
