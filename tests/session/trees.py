"""Random trees of files, random changes as a shell makes them, and an independent walk."""

from __future__ import annotations

import contextlib
import os
import shutil
import stat
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import TypeAlias
from uuid import uuid4

from hypothesis import strategies as st

from talktree.files.sandbox import Anchor
from talktree.session.capture.blobs import Contents
from talktree.session.capture.file_state import (
    AbsentState,
    FileContentState,
    Folder,
    LinkState,
    State,
    UnknownState,
)
from talktree.session.capture.limits import Limits
from talktree.session.capture.snapshots import FileChange
from talktree.session.handle import SessionHandle
from talktree.session.index.index import SessionIndex
from talktree.session.journal.journal import Journal

Thing: TypeAlias = tuple[str, object, int]
"""Its kind, content and mode."""
NAMES = [b"a", b"b", b"d", b"caf\xc3\xa9", b"odd\xff\xfename", b"100%41", b"A", b"e e\n"]
CASES = 25
"""Number of random cases of each law that works on files."""
EMPTY: Thing = ("nothing", b"", 0)


def walked(top: Path, without: tuple[bytes, ...] = ()) -> dict[bytes, Thing]:
    """Read everything below a folder, with the standard library only."""
    found: dict[bytes, Thing] = {}
    root = os.fsencode(top)
    for folder, folders, files in os.walk(root):
        folders[:] = [name for name in folders if name not in without]
        for name in [*folders, *files]:
            path = os.path.join(folder, name)
            if name not in without:
                found[os.path.relpath(path, root)] = thing_at(path)
    return found


def thing_at(path: bytes) -> Thing:
    """Return the state of a path."""
    try:
        there = os.lstat(path)
    except OSError:
        return EMPTY
    mode = stat.S_IMODE(there.st_mode)
    if stat.S_ISLNK(there.st_mode):
        return ("link", os.readlink(path), 0)
    if stat.S_ISDIR(there.st_mode):
        return ("folder", b"", mode)
    if stat.S_ISREG(there.st_mode):
        with open(path, "rb") as file:
            return ("file", file.read(), mode)
    return ("odd", b"", mode)


def thing_of(state: State | None, contents: Contents) -> Thing:
    """Return the same from a recorded state, with its content from the stored blobs."""
    match state:
        case FileContentState():
            return ("file", b"".join(contents.pieces(state)), state.mode)
        case LinkState():
            return ("link", state.target, 0)
        case Folder():
            return ("folder", b"", state.mode)
        case AbsentState():
            return EMPTY
        case UnknownState():
            return ("odd", b"", 0)
        case None:
            raise AssertionError("no state")


def differences(
    before: dict[bytes, Thing], after: dict[bytes, Thing]
) -> dict[bytes, tuple[Thing, Thing]]:
    """Return the differences."""
    pairs = {path: (before.get(path, EMPTY), after.get(path, EMPTY)) for path in before | after}
    return {path: pair for path, pair in pairs.items() if pair[0] != pair[1]}


def details(
    changes: tuple[FileChange, ...], contents: Contents
) -> dict[bytes, tuple[Thing, Thing]]:
    """Return recorded changes in the same form."""
    return {
        change.path: (thing_of(change.before, contents), thing_of(change.after, contents))
        for change in changes
    }


# changes

paths = st.lists(st.sampled_from(NAMES), min_size=1, max_size=3).map(b"/".join)
bodies = st.one_of(
    st.just(b""),
    st.binary(max_size=40),
    st.sampled_from([b"one\r\ntwo", b"\0\xff\xfe", "Ümläut\n".encode("latin-1"), b"x" * 70_000]),
)
modes = st.sampled_from([0o644, 0o755, 0o600, 0o444])
edits = st.one_of(
    st.tuples(st.just("write"), paths, bodies),
    st.tuples(st.just("append"), paths, bodies),
    st.tuples(st.just("mkdir"), paths, st.just(b"")),
    st.tuples(st.just("remove"), paths, st.just(b"")),
    st.tuples(st.just("rename"), paths, paths),
    st.tuples(st.just("link"), paths, st.sampled_from([b"a", b"../x", b"/etc/passwd", b"\xff"])),
    st.tuples(st.just("hard link"), paths, paths),
    st.tuples(st.just("chmod"), paths, modes),
    st.tuples(st.just("touch"), paths, st.just(b"")),
    st.tuples(st.just("same size"), paths, st.just(b"")),
)
EditAction: TypeAlias = tuple[str, bytes, bytes | int]


def do(top: Path, edit: EditAction) -> None:
    """Make one change below a folder, if possible; never through a link."""
    verb, path, more = edit
    full = os.path.join(os.fsencode(top), path)
    above = os.path.dirname(full)
    if (
        os.path.realpath(above)
        != os.path.join(os.path.realpath(os.fsencode(top)), b"").rstrip(b"/")
        + above[len(os.fsencode(top)) :]
    ):
        return
    with contextlib.suppress(OSError):
        _do(os.fsencode(top), verb, full, more)


def _do(top: bytes, verb: str, full: bytes, more: bytes | int) -> None:
    if verb in ("write", "append", "mkdir", "link"):
        os.makedirs(os.path.dirname(full), exist_ok=True)
    if os.path.islink(full) and verb in ("append", "chmod", "same size", "write"):
        return
    match verb, more:
        case "write", bytes():
            with open(full, "wb") as file:
                file.write(more)
        case "append", bytes():
            with open(full, "ab") as file:
                file.write(more)
        case "mkdir", _:
            os.mkdir(full)
        case "remove", _:
            if os.path.isdir(full) and not os.path.islink(full):
                shutil.rmtree(full)
            else:
                os.unlink(full)
        case "rename", bytes():
            os.rename(full, os.path.join(top, more))
        case "link", bytes():
            os.symlink(more, full)
        case "hard link", bytes():
            os.link(full, os.path.join(top, more), follow_symlinks=False)
        case "chmod", int():
            os.chmod(full, more if os.path.isfile(full) else more | 0o700)
        case "touch", _:
            os.utime(full, (1_000_000_000, 1_000_000_000), follow_symlinks=False)
        case "same size", _:
            # Another content of the same size, with the old times restored.
            there = os.stat(full)
            with open(full, "rb+") as file:
                first = file.read(1)
                file.seek(0)
                file.write(bytes(255 - byte for byte in first))
            os.utime(full, ns=(there.st_atime_ns, there.st_mtime_ns))


# a session for tests


@contextlib.contextmanager
def place(limits: Limits | None = None) -> Iterator[SessionHandle]:
    """Open a session in a fresh place: the workspace `work`, beside it the store."""
    with tempfile.TemporaryDirectory() as top, session(Path(top), limits) as opened:
        yield opened


@contextlib.contextmanager
def session(top: Path, limits: Limits | None = None, id: str = "s") -> Iterator[SessionHandle]:
    """Return a session in a place, created or reopened."""
    root = top / "work" / ".sage"
    folder = Anchor(root / "sessions" / id, create=True)
    journal = Journal(folder, durability="fast")
    opened = SessionHandle(
        id=id,
        root=root,
        folder=folder,
        journal=journal,
        contents=Contents(folder),
        index=SessionIndex(journal, None),
        workspace=Anchor(top / "work"),
        limits=limits or Limits(),
    )
    try:
        yield opened
    finally:
        opened.close()


def work_of(opened: SessionHandle) -> Path:
    """Return the workspace of a session."""
    assert opened.workspace is not None
    return opened.workspace.path


def message_of(opened: SessionHandle) -> str:
    """Return a message for steps."""
    id = str(uuid4())
    line = b'{"type":"user","uuid":"%s","parentUuid":null}' % id.encode()
    opened.journal.append("messages", line)
    return id
