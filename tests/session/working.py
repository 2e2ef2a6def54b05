"""A session at work in a folder, for tests of moves."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from talktree.session.session import Session
from talktree.session.store import Store
from talktree.session.undo.commands import UndoMove
from talktree.session.undo.execute import UndoResult
from talktree.session.undo.plan import UndoPlan
from tests.session.trees import Thing, walked


class Place:
    """A store, a workspace, and a session that works there."""

    def __init__(self, top: Path) -> None:
        self.top = top
        self.work = top / "work"
        self.work.mkdir(exist_ok=True)
        self.store = Store(top / "store")
        self.session: Session = self.store.create(workspace=self.work, durability="fast")

    @property
    def tree(self) -> dict[bytes, Thing]:
        """Everything in the workspace."""
        return walked(self.work)

    def step(self, text: str = "work", **files: str | bytes | None) -> str:
        """Add a message whose step writes files (None removes); names as in `put`."""
        message = self.session.assistant(text)
        with self.session.step(message, watch=["."]):
            for name, content in files.items():
                self.put(name, content)
        return message

    def put(self, name: str, content: str | bytes | None) -> None:
        """Write a file as the user does, or remove it; `__` in a name is a slash, `_` a dot."""
        path = self.work / name.replace("__", "/").replace("_", ".")
        if content is None:
            path.unlink()
            return
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content.encode() if isinstance(content, str) else content)

    def read(self, name: str) -> str | None:
        """Return the content of a file; None if it does not exist."""
        path = self.work / name
        return path.read_text() if path.exists() else None

    def apply(self, move: UndoMove) -> UndoResult:
        """Make a move as it is planned."""
        outcome = move.apply(move.plan().digest)
        self.session.refresh()
        return outcome

    def again(self) -> None:
        """Close the session and open it again."""
        self.session.close()
        self.session = self.store.open(self.session.id, durability="fast")


@contextmanager
def working(top: Path) -> Iterator[Place]:
    """Open a place, and close it at the end."""
    place = Place(top)
    try:
        yield place
    finally:
        place.session.close()


def kinds(plan: UndoPlan) -> dict[str, str]:
    """Return what a plan does to which path."""
    return {action.path.decode(): action.action for action in plan.actions}


def in_conflict(at: Place) -> None:
    """Record a conflict: the session wrote a file, then the user changed it."""
    at.session.user("please")
    at.step(a_txt="1\n2\n3\n4\n5\n")
    at.step(a_txt="1\n2\n3\n4\nfive\n")
    at.put("a_txt", "one\n2\n3\n4\nfive\n")
