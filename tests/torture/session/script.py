"""A short life of a session, always the same, for faults injected in each of its calls in turn.

`python -m tests.torture.session.script PLACE` prints what was acknowledged to its standard output.
"""

from __future__ import annotations

import sys
import traceback
from collections.abc import Callable
from pathlib import Path

from talktree.errors import TalktreeError
from talktree.session import Session, Store
from tests.torture.session.acks import Reporter
from tests.torture.session.words import text_of, token
from tests.torture.session.writer import SESSION, ToolFailed, make

SEED = 7
MESSAGES = 6


class Script:
    """Its actions, in order; one that fails is tried once more, as a user would."""

    def __init__(self, place: Path, teller: Reporter) -> None:
        self._place, self._teller = place, teller
        self._work = place / "work"
        self._said = 0
        self._session: Session

    def run(self) -> None:
        """Run the actions."""
        for edit in (
            self._open,
            self._talk,
            lambda: self._step("a.txt", "deep/er/b.txt"),
            lambda: self._step("a.txt", "c.bin"),
            self._undo,
            self._redo,
            self._fork,
            self._collect,
            self._close,
        ):
            self._twice(edit)

    def _twice(self, edit: Callable[[], object]) -> None:
        for _ in range(2):
            try:
                edit()
            except (TalktreeError, ToolFailed):
                continue
            except Exception:
                self._teller.wrong(traceback.format_exc(limit=-6))
            return

    def _open(self) -> None:
        store = Store(self._place / "store")
        if SESSION in store.list_ids():
            self._session = store.open(SESSION, workspace=self._work)
        else:
            self._session = store.create(id=SESSION, workspace=self._work)

    def _say(self) -> str:
        self._said += 1
        name = token("script", self._said)
        self._teller.tried(name)
        id = self._session.user(text_of(name, SEED))
        self._teller.acked(name, id)
        return id

    def _talk(self) -> None:
        for _ in range(MESSAGES):
            self._say()

    def _step(self, *paths: str) -> None:
        with self._session.step(self._say(), paths=paths):
            for path in paths:
                self._write(self._work / path)

    def _write(self, path: Path) -> None:
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(f"{path.name} after {self._said}".encode() * 100)
        except OSError as error:
            raise ToolFailed from error

    def _undo(self) -> None:
        make(self._session.undo())

    def _redo(self) -> None:
        make(self._session.redo())

    def _fork(self) -> None:
        self._session.name("kept")
        self._session.user("another way", parent=self._first())

    def _first(self) -> str:
        return self._session.full_messages()[0].id

    def _collect(self) -> None:
        self._session.gc(dry_run=False)

    def _close(self) -> None:
        self._session.close()


if __name__ == "__main__":
    Script(Path(sys.argv[1]), Reporter(1)).run()
