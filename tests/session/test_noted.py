"""Stores in which moves are messages, as earlier versions wrote them, open and show the same.

`data/noted` was written by such a version: each undo and redo ends with a `system` message that has
a member `operation`. `shown.json` is the output of that version for each session.
"""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from talktree.errors import NotUndoable
from talktree.session import Session, Store
from talktree.session.capture.file_state import name_to_json, to_json
from talktree.session.navigation import Navigation
from talktree.session.undo.backups import ForeignSupply
from talktree.session.undo.history import find_all_states_at, find_position

DATA = Path(__file__).parent / "data" / "noted"
SHOWN: dict[str, Any] = json.loads((DATA / "shown.json").read_text())
SESSIONS = sorted(SHOWN)


@contextmanager
def copied(top: Path, id: str) -> Iterator[tuple[Session, Path]]:
    """Copy a session of the fixture, and a workspace with its files as they were left."""
    store, work = top / "store", top / "work"
    shutil.copytree(DATA / "store", store, copy_function=shutil.copyfile)
    work.mkdir()
    for name, text in SHOWN[id]["files"].items():
        (work / name).write_text(text)
        (work / name).chmod(0o644)
    with Store(store).open(id, workspace=work) as session:
        yield session, work


def planned(journey: Callable[[], Navigation]) -> object:
    """Return what a move would do, or why it is not possible."""
    try:
        plan = journey().plan()
    except NotUndoable as refused:
        return refused.message
    actions = {name_to_json(each.path): each.action for each in plan.actions}
    return {"to": plan.to._asdict(), "actions": actions}


def seen(session: Session) -> dict[str, Any]:
    """Return everything that `shown.json` has of a session, except its files."""
    opened = session.opened
    chains = (opened.index.chain(leaf.id) for leaf in opened.index.leaves())
    ids = [node.id for chain in chains for node in chain]
    return {
        "leaf": session.leaf,
        "position": find_position(opened)._asdict(),
        "context": [message.text for message in session.context_messages()],
        "todos": [todo.content for todo in session.current_todos()],
        "branches": [branch._asdict() for branch in session.branches()],
        "log": [
            [
                *(each.kind, each.id, each.message, each.text, each.state),
                [[name_to_json(path), word] for path, word in each.touched],
            ]
            for each in session.log()
            if each.kind != "begin"
        ],
        "states": {id: _states(session, id) for id in ids},
        "moves": {
            "undo": planned(session.undo),
            "redo": planned(session.redo),
            "turn": planned(lambda: session.undo(turn=True)),
            "last": planned(lambda: session.undo(operation="last")),
        },
    }


def _states(session: Session, id: str) -> dict[str, Any]:
    found, _ = find_all_states_at(session.opened, id, ForeignSupply(session.opened))
    return {name_to_json(path): to_json(state) for path, state in found.items()}


@pytest.mark.parametrize("id", SESSIONS)
def test_a_store_of_an_earlier_version_shows_the_same(tmp_path: Path, id: str) -> None:
    with copied(tmp_path, id) as (session, _):
        shown = {name: value for name, value in SHOWN[id].items() if name != "files"}
        shown["log"] = [entry for entry in shown["log"] if entry[0] != "begin"]
        assert json.loads(json.dumps(seen(session))) == shown


@pytest.mark.parametrize("id", SESSIONS)
def test_going_back_and_forth_in_it_ends_with_the_files_it_had(tmp_path: Path, id: str) -> None:
    with copied(tmp_path, id) as (session, work):
        before = _files(work)
        undo = session.undo(turn=True)
        assert undo.apply(undo.plan().digest).exit_code == 0
        redo = session.redo()
        assert redo.apply(redo.plan().digest).exit_code == 0
        assert _files(work) == before


def _files(work: Path) -> dict[str, str]:
    return {path.name: path.read_text() for path in work.iterdir()}
