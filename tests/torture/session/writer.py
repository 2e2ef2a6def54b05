"""A writer that uses every feature of a session, at random, until it is stopped."""

from __future__ import annotations

import random
import traceback
from pathlib import Path

from talktree.errors import TalktreeError
from talktree.session import Session, Store
from talktree.session.navigation import Navigation
from tests.torture.session.acks import Reporter
from tests.torture.session.words import text_of, token

EDITS = ("say", "step", "undo", "redo", "fork", "label", "collect")
WEIGHTS = (60, 18, 7, 5, 4, 3, 3)
SESSION = "tortured"


class ToolFailed(Exception):
    """The tool's own writes failed, as they may: its files are on the same disk."""


def make(journey: Navigation) -> None:
    """Read the plan and agree to it."""
    journey.apply(journey.plan().digest)


class Writer:
    """One of several writers, each in a separate process."""

    def __init__(self, place: Path, teller: Reporter, name: str, seed: int) -> None:
        self._root, self._workspace = place / "store", place / "work"
        self._teller, self._name, self._seed = teller, name, seed
        self._chance = random.Random(f"{seed}/{name}")
        self._said = 0
        self._session: Session

    def run(self, edits: int) -> None:
        """Work; a failure that the store reports is not a bug, any other exception is one."""
        try:
            self._work(edits)
        except Exception:
            self._teller.wrong(traceback.format_exc(limit=-6))

    def _work(self, edits: int) -> None:
        try:
            self._session = Store(self._root).open(SESSION, workspace=self._workspace)
        except TalktreeError:
            return
        for _ in range(edits):
            try:
                getattr(self, f"_{self._chance.choices(EDITS, WEIGHTS)[0]}")()
            except (TalktreeError, ToolFailed):
                self._refresh()

    def _refresh(self) -> None:
        try:
            self._session.refresh()
        except TalktreeError:
            pass

    def _say(self) -> str:
        self._said += 1
        name = token(self._name, self._said)
        text = text_of(name, self._seed)
        self._teller.tried(name)
        speak = self._chance.choice((self._session.user, self._session.assistant))
        id = speak(text)
        self._teller.acked(name, id)
        return id

    def _step(self) -> None:
        message = self._say()
        paths = [f"{self._name}-{self._chance.randrange(4)}.txt" for _ in range(2)]
        with self._session.step(message, paths=paths):
            for path in paths:
                self._touch(self._workspace / path)

    def _touch(self, path: Path) -> None:
        try:
            if path.exists() and self._chance.random() < 0.3:
                path.unlink()
            else:
                path.write_bytes(self._chance.randbytes(self._chance.choice((0, 10, 5_000))))
        except OSError as error:
            raise ToolFailed from error

    def _undo(self) -> None:
        make(self._session.undo())

    def _redo(self) -> None:
        make(self._session.redo())

    def _fork(self) -> None:
        message = self._say()
        self._session.fork(message)

    def _label(self) -> None:
        self._session.name(f"{self._name}-{self._chance.randrange(3)}")

    def _collect(self) -> None:
        self._session.gc(dry_run=False)
