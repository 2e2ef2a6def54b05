"""A session recorded with every feature of the recorder, including moves."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from talktree.model.message import Todo, Usage
from talktree.model.parts import Text, ToolCall, ToolResult
from talktree.session.session import Session
from talktree.session.store import Store
from talktree.session.undo import commands
from talktree.session.undo.commands import UndoMove

BIG = 9 << 20


def recorded(root: Path, *, big: bool = False) -> Path:
    """Record a session below a root, with its workspace beside it; return the session's folder."""
    work = root / "work"
    work.mkdir(parents=True)
    (work / "notes.txt").write_text("one\n")
    (work / "data.bin").write_bytes(bytes(range(256)) * 20)
    (work / "100%.txt").write_text("percent\n")
    store = Store(root / ".sage")
    with store.create(workspace=work, title="Tides") as session:
        _talk(session, work, big=big)
        _move(session, work)
        _record_rest(session)
        return root / ".sage" / "sessions" / session.id


def _talk(session: Session, work: Path, *, big: bool) -> None:
    session.user(
        "Please think hard and change the notes", todos=[Todo("Notes", "pending", "Noting")]
    )
    _call(session, "c1", lambda: (work / "notes.txt").write_text("two\n"), "notes.txt")

    def rework() -> None:
        (work / "data.bin").unlink()
        (work / "link").symlink_to("notes.txt")
        (work / "new").mkdir()
        (work / "new" / "empty").touch()
        (work / "100%.txt").write_bytes(b"\xff\xfe\0")
        if big:
            (work / "big").write_bytes(b"z" * BIG)

    _call(session, "c2", rework, watch=True)
    session.assistant("Done.", usage=Usage(10, 20, 0, 0))


def _call(
    session: Session, id: str, work: Callable[[], object], *paths: str, watch: bool = False
) -> None:
    session.assistant("I do it.", calls=[ToolCall("bash", {"command": "x"}, id)])
    with session.step(paths=list(paths), watch=["."] if watch else []):
        work()
    session.results(ToolResult((Text("done"),), id, "bash"))


def _move(session: Session, work: Path) -> None:
    opened = session.opened
    first = session.leaf
    assert first is not None
    _apply(session, commands.undo(opened))
    _apply(session, commands.undo(opened))
    _apply(session, commands.redo(opened))
    session.name("first-try", first)
    session.user("Another way, please")
    _call(session, "c3", lambda: (work / "notes.txt").write_text("three\n"), "notes.txt")
    session.assistant("Another way it is.")
    _apply(session, commands.undo(opened, turn=True))
    _apply(session, commands.switch(opened, "first-try"))
    session.user("And on")
    session.assistant("On it goes.")


def _apply(session: Session, move: UndoMove) -> None:
    move.apply(move.plan().digest)
    session.refresh()


def _record_rest(session: Session) -> None:
    aside = session.sidechain()
    aside.user("Look into it")
    aside.assistant("Looked into it.")
    session.system("A system message")
    session.error("api", "overloaded")
    session.title("Tides and moons")
    session.record_compaction_start()
    session.record_compaction("All that was said, in short")
    session.user("And now?")
    session.assistant("Now this.")
    session.record_restoration_start()
    session.record_restoration()
    with session.child(title="The moon") as child:
        child.user("Look at the moon")
        child.assistant("It is there.")
