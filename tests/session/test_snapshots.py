"""Snapshot lines: written ones are read again, and foreign ones are trusted only to a degree."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from talktree.session.capture.file_state import (
    ABSENT,
    AbsentState,
    FileContentState,
    Folder,
    LinkState,
    UnknownState,
)
from talktree.session.capture.snapshots import (
    FileChange,
    find_named_contents,
    format_snapshot_line,
    parse_snapshot,
)
from tests.session.trees import paths

NOW = 1_767_600_000_000_000_000
hashes = st.integers(0, 2**256 - 1).map(lambda number: f"{number:064x}")
modes = st.integers(0, 0o7777)
files = st.builds(
    FileContentState,
    hash=hashes,
    size=st.integers(0, 2**40),
    mode=modes,
    chunks=st.lists(hashes, max_size=3).map(tuple),
    links=st.integers(1, 3),
)
states = st.one_of(
    files,
    st.builds(LinkState, target=st.binary(min_size=1, max_size=10)),
    st.builds(Folder, mode=modes),
    st.just(ABSENT),
    st.text(st.characters(codec="utf-8"), min_size=1, max_size=10).map(UnknownState),
)
changes = st.lists(
    st.builds(FileChange, path=paths, before=st.none() | states, after=st.none() | states),
    max_size=5,
    unique_by=lambda change: change.path,
)


@given(
    changes,
    st.lists(st.tuples(paths, states), max_size=4, unique_by=lambda each: each[0]),
    st.none() | st.lists(st.just(b".") | paths, max_size=2),
    st.booleans(),
    st.booleans(),
)
def test_written_values_are_read_again(
    made: list[FileChange], seen: list[Any], watched: list[bytes] | None, update: bool, ended: bool
) -> None:
    uncovered = [("big.iso", "larger than 2 GiB")]
    line = format_snapshot_line(
        "m", "s", update, made, uncovered, NOW, seen=seen, watched=watched, ended=ended
    )
    assert b"\n" not in line
    one = parse_snapshot(json.loads(line))
    assert one.changes == tuple(made)
    assert one.seen == tuple(seen)
    assert one.watched == (None if watched is None else tuple(watched))
    assert (one.message, one.step, one.update, one.ended) == ("m", "s", update, ended)
    assert one.uncovered == (("big.iso", "larger than 2 GiB"),)
    assert not one.foreign
    every = [state for change in made for state in change[1:]] + [state for _, state in seen]
    kept = {
        name
        for file in every
        if isinstance(file, FileContentState)
        for name in file.chunks or [file.hash]
    }
    assert set(find_named_contents(json.loads(line))) == kept


@given(changes)
def test_the_words_of_the_document_never_lead_to_harm(made: list[FileChange]) -> None:
    held = json.loads(format_snapshot_line("m", None, False, made, (), NOW))["snapshot"]
    by_name = {}
    for change in made:
        try:
            by_name[change.path.decode()] = change
        except UnicodeDecodeError:
            continue
    for name, now in held["trackedFiles"].items():
        change = by_name[name]
        assert isinstance(change.before, FileContentState | AbsentState)
        # Deleting what was created must not delete what was there.
        assert (now["state"] == "created") == (change.before == ABSENT)
        assert isinstance(change.after, FileContentState | AbsentState | None)
    for name, backup in held["fileBackups"].items():
        before = by_name[name].before
        assert isinstance(before, FileContentState)
        assert backup["originalHash"] == before.hash


HASH = "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08"


def foreign(tracked: Any, backups: Any = None) -> Any:
    return {
        "type": "file_history_snapshot",
        "messageId": "m",
        "snapshot": {"trackedFiles": tracked, "fileBackups": backups or {}},
    }


def test_created_by_another_program_does_not_prove_that_nothing_was_there() -> None:
    one = parse_snapshot(foreign({"a": {"contentHash": HASH, "size": 4, "state": "created"}}))
    (change,) = one.changes
    assert one.foreign
    assert isinstance(change.before, UnknownState)
    assert change.after == FileContentState(hash=HASH, size=4, mode=0o644)


def test_snapshots_of_another_program_are_read_as_far_as_certain() -> None:
    one = parse_snapshot(
        foreign(
            {"a": {"originalContent": "test", "state": "deleted"}, "b": {"state": "modified"}},
            {"b": {"backupPath": "../../x", "originalHash": HASH.upper()}, "c": {}},
        )
    )
    a, b, c = one.changes
    assert a == FileChange(b"a", FileContentState(hash=HASH, size=4, mode=0o644), ABSENT)
    assert isinstance(b.before, UnknownState)
    assert isinstance(b.after, UnknownState)
    assert isinstance(c.before, UnknownState)
    assert one.backups == ((b"b", "../../x", HASH),)


@pytest.mark.parametrize("path", ["../x", "/etc/passwd", "", ".", "a/../b", "a\0b", "%2e%2e/x"])
def test_hostile_paths_are_left_out_and_reported(path: str) -> None:
    own = {"messageId": "m", "snapshot": {"paths": {path: {"before": {"kind": "absent"}}}}}
    for value in (own, foreign({path: {"state": "deleted"}})):
        one = parse_snapshot(value)
        if path == "%2e%2e/x" and one.foreign:
            assert one.changes[0].path == b"%2e%2e/x"
            continue
        assert one.changes == ()
        assert one.uncovered[0][0] == path


anything = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(st.characters()) | st.floats(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=10,
)


@given(
    anything
    | st.fixed_dictionaries(
        {
            "snapshot": st.dictionaries(
                st.sampled_from(
                    ["trackedFiles", "fileBackups", "paths", "seen", "watched", "uncovered"]
                ),
                anything | st.dictionaries(st.text(st.characters()), anything),
            )
        }
    )
)
def test_any_line_can_be_read(value: object) -> None:
    one = parse_snapshot(value)
    assert isinstance(one.message, str)
    list(find_named_contents(value))
