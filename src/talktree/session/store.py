"""The store: a folder of sessions. It creates, finds and lists them."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterable, Iterator
from contextlib import ExitStack, suppress
from datetime import datetime
from pathlib import Path
from typing import Any, NamedTuple

from talktree.errors import NotFound, UsageError
from talktree.files.private import refuse_writable
from talktree.files.sandbox import Anchor
from talktree.session import metadata
from talktree.session.capture.blobs import Contents
from talktree.session.capture.budget import Budget
from talktree.session.capture.limits import LIMITS, Limits
from talktree.session.capture.step import FilePath
from talktree.session.config import Settings, read_settings, update_settings
from talktree.session.erasure.forget import ForgetTarget, finish_interrupted, is_interrupted
from talktree.session.erasure.report import SessionErasure
from talktree.session.erasure.whole_sessions import WholeErasure, finish_whole_erasures
from talktree.session.errors import raise_plain_errors
from talktree.session.handle import SessionHandle
from talktree.session.index.index import SessionIndex
from talktree.session.journal.journal import Durability, Journal
from talktree.session.legacy import SUFFIX, open_legacy_file
from talktree.session.names import check_id, is_id, new_id, resolve_short_id
from talktree.session.session import Session
from talktree.session.workspace import (
    Parent,
    describe_unmapped,
    find_recorded_place,
    format_begin_line,
    identify_folder,
    open_recorded_folder,
)
from talktree.text.json.value import Json
from talktree.text.times import from_iso, to_datetime

ROOT = ".sage"
SESSIONS = b"sessions"


class SessionSummary(NamedTuple):
    """The entry of a session in a list."""

    id: str
    title: str | None
    created_ns: int | None
    updated_ns: int | None
    messages: int | None
    """The number of messages, if known."""
    state: str | None
    parent: str | None
    older: bool
    """Whether it is (also) an older file."""

    @property
    def created(self) -> datetime | None:
        """When it was begun, in UTC."""
        return to_datetime(self.created_ns)

    @property
    def updated(self) -> datetime | None:
        """When it was last written to, in UTC."""
        return to_datetime(self.updated_ns)


@raise_plain_errors
class Store:
    """Sessions below one root, `.sage` in the current directory by default.

    The folder may have any name. `agent` is the assistant's name where sessions are printed; the
    first session that is created saves it in the settings of the store. Without `cache` the index
    of a session is held in memory, so that reading writes nothing at all.
    """

    def __init__(
        self,
        root: Path | str = ROOT,
        *,
        agent: str | None = None,
        limits: Limits = LIMITS,
        cache: bool = True,
    ) -> None:
        self.root = Path(root).absolute()
        self._agent = agent
        self._limits = limits
        self._cache = cache

    @property
    def agent(self) -> str | None:
        """The assistant's name, or None."""
        return self._agent or self.settings().agent

    # creating and opening

    def create(
        self,
        *,
        title: str | None = None,
        workspace: Path | str | None = None,
        durability: Durability | None = None,
        parent: Parent | None = None,
        id: str | None = None,
    ) -> Session:
        """Create a session; its workspace is the current directory by default.

        Its `id` is a new UUID unless you give one: 1 to 128 letters, digits, `.`, `_` and `-`.
        """
        id = new_id() if id is None else check_id(id)
        place = _open_workspace(workspace)
        if self._agent is not None and self.settings().agent != self._agent:
            self.change_settings(agent=self._agent)
        with ExitStack() as undone:
            undone.callback(place.close)
            with self._open_sessions(create=True) as sessions:
                folder = _make_session_folder(sessions, id)
            undone.callback(folder.close)
            opened = self._open_parts(id, folder, self._choose_durability(durability), write=True)
            opened.workspace = place
            line = format_begin_line(id, place, folder, title=title, parent=parent)
            opened.journal.append("operations", line)
            undone.pop_all()
        session = Session(self, lambda: opened, id=id, settings=self.settings())
        session.begin()
        return session

    def open(
        self,
        id: str | None = None,
        *,
        workspace: Path | str | None = None,
        durability: Durability | None = None,
        write: bool = True,
    ) -> Session:
        """Open a session by its id or the beginning of it, or the newest one without an id.

        Its workspace is the one it was begun in; naming one maps the session to that folder.
        Without `write` nothing is written, and unfinished work is not finished.
        """
        if write:
            self._refuse_untrusted()
            self._finish_whole_erasures()
        id = self._resolve_id(id)
        name = id.encode()
        mode = self._choose_durability(durability)
        found = open_legacy_file(self._open_sessions, id)
        with self._open_sessions() as sessions:
            begun = sessions.lstat(name) is not None

        def opened() -> SessionHandle:
            """Return the folder of the session, which an older file may not have yet."""
            with self._open_sessions() as sessions:
                if sessions.lstat(name) is None:
                    _make_folder(sessions, name)
                made = self._open_parts(id, sessions.open_anchor(name), mode, write=write)
            if found is not None and write:
                found.copy_into(made.folder)
            _attach_workspace(made, workspace, write=write, continues=found.name if found else None)
            return made

        session = Session(self, opened, id=id, settings=self.settings(), older=found, write=write)
        if found is None or begun:
            session.begin()
        return session

    def _resolve_id(self, id: str | None) -> str:
        found = self.find_newest() if id is None else resolve_short_id(id, self.list_ids())
        if found is None:
            raise NotFound(
                f"{self.root}: there are no sessions",
                hint="`talktree session new` or Store.create() makes one",
            )
        return found

    def _open_parts(
        self, id: str, folder: Anchor, durability: Durability, *, write: bool
    ) -> SessionHandle:
        journal = Journal(folder, durability)
        if write:
            self._finish_erasure(id, folder, journal)
        index = SessionIndex(journal, self.root / "cache" / f"{id}.sqlite" if self._cache else None)
        last = index.newest()
        return SessionHandle(
            id=id,
            root=self.root,
            folder=folder,
            journal=journal,
            contents=Contents(folder),
            index=index,
            limits=self._limits,
            budget=Budget(self.settings().budget),
            notices=list(journal.problems),
            session=(None if last is None else index.message(last).session) or id,
        )

    # erasing

    def forget(
        self,
        id: str,
        *,
        messages: Iterable[str] = (),
        paths: Iterable[FilePath] = (),
        dry_run: bool = True,
    ) -> SessionErasure:
        """Erase a whole session, or only some of its messages and the history of some files.

        With `dry_run` nothing is changed. `LockHeld` if another handle, also of this process, has
        the session open for writing.
        """
        id = self._resolve_id(id)
        asked = list(messages), list(paths)
        with self._open_sessions() as sessions:
            has_folder = sessions.lstat(id.encode()) is not None
        if not any(asked):
            with Anchor(self.root) as root:
                whole = WholeErasure(root, self._open_sessions, id)
                return whole.build_report(dry_run=True) if dry_run else whole.apply()
        work = ForgetTarget(self._open_sessions, id, *asked)
        if not has_folder:
            return work.forget_from_file(dry_run=dry_run)
        with self._open_sessions() as sessions:
            folder = sessions.open_anchor(id.encode())
        opened = self._open_parts(id, folder, self._choose_durability(None), write=not dry_run)
        try:
            known = find_recorded_place(id, folder, opened.index.operations())
            opened.workspace = None if known is None else open_recorded_folder(known)
            report = work.plan(opened) if dry_run else work.apply(opened)
        finally:
            opened.close()
        if not dry_run:
            # What lists of sessions show is counted again.
            self.open(id).close()
        return report

    def _finish_whole_erasures(self) -> None:
        with suppress(NotFound), Anchor(self.root) as root, self._open_sessions() as sessions:
            finish_whole_erasures(root, sessions)

    def _finish_erasure(self, id: str, folder: Anchor, journal: Journal) -> None:
        """Finish what was interrupted, and hold the shared lock of writers."""
        if is_interrupted(folder):
            with (
                journal.exclude_other_writers(wait=True),
                self._open_sessions() as sessions,
                Anchor(self.root) as root,
            ):
                finish_interrupted(sessions, id, folder, root)
        journal.join_writers()

    # finding and listing

    def list_ids(self) -> list[str]:
        """Return the ids of all sessions, older files included, in alphabetical order."""
        return sorted({id for id, _, _ in self._list_entries()})

    def find_newest(self) -> str | None:
        """Return the session that was written to last; None if there is none."""
        return max(((time, id) for id, time, _ in self._list_entries()), default=(0, None))[1]

    def list_sessions(self) -> list[SessionSummary]:
        """Return all sessions, newest first."""
        times: dict[str, int] = {}
        old: set[str] = set()
        for id, time, is_older in self._list_entries():
            times[id] = max(time, times.get(id, 0))
            old |= {id} if is_older else set()
        order = sorted(times, key=lambda id: -times[id])
        if not order:
            return []
        with self._open_sessions() as sessions:
            return [_describe_session(sessions, id, older=id in old) for id in order]

    def _list_entries(self) -> Iterator[tuple[str, int, bool]]:
        """Yield each session's id, when it was written to, and whether this is its older file."""
        try:
            sessions = self._open_sessions()
        except NotFound:
            return
        with sessions:
            for entry in sessions.entries():
                older_file = entry.name.endswith(SUFFIX) and entry.is_file(follow_symlinks=False)
                id = entry.name.removesuffix(SUFFIX) if older_file else entry.name
                if is_id(id) and (older_file or entry.is_dir(follow_symlinks=False)):
                    yield id, _find_write_time(sessions, entry, older_file=older_file), older_file

    # settings

    def settings(self) -> Settings:
        """Return Talktree's own settings in this store."""
        try:
            with Anchor(self.root) as root:
                return read_settings(root)
        except NotFound:
            return Settings({})

    def change_settings(self, **changes: Json) -> None:
        """Change settings: agent, budget, durability, thinking, userType, version.

        None removes one.
        """
        with Anchor(self.root, create=True) as root:
            update_settings(root, **changes)

    def _choose_durability(self, asked: Durability | None) -> Durability:
        return self.settings().durability if asked is None else asked

    def _refuse_untrusted(self) -> None:
        """Raise an error before anything is written to a place that every user can write to."""
        with Anchor(self.root) as root:
            refuse_writable(self.root, os.fstat(root.fd))

    def _open_sessions(self, *, create: bool = False) -> Anchor:
        with Anchor(self.root, create=create) as root:
            if create:
                refuse_writable(self.root, os.fstat(root.fd))
            if create and root.lstat(SESSIONS) is None:
                _make_folder(root, SESSIONS)
            try:
                sessions = root.open_anchor(SESSIONS)
            except FileNotFoundError:
                raise NotFound(
                    f"{self.root}: has no sessions",
                    hint="`talktree session new` or Store.create() makes one",
                ) from None
            if create:
                finish_whole_erasures(root, sessions)
            return sessions


def _make_session_folder(sessions: Anchor, id: str) -> Anchor:
    """Create the folder of a new session; raise an error if the id exists in any form."""
    name = id.encode()
    if sessions.lstat(name + SUFFIX.encode()) is not None or not _make_folder(sessions, name):
        raise UsageError(f"there is a session {id} already", hint="open it instead")
    return sessions.open_anchor(name)


def _make_folder(anchor: Anchor, name: bytes) -> bool:
    """Create a folder durably; False if there is one already."""
    try:
        anchor.mkdir(name, 0o700)
    except FileExistsError:
        return False
    os.fsync(anchor.fd)
    return True


def _open_workspace(path: Path | str | None) -> Anchor:
    # Links on the way are resolved once, now: later the folder is known by its identity.
    return Anchor(Path.cwd() if path is None else Path(path).resolve())


def _attach_workspace(
    opened: SessionHandle, path: Path | str | None, *, write: bool, continues: str | None
) -> None:
    """Set the workspace of an open session: the recorded one, or the one that is named."""
    operations = opened.index.operations()
    known = find_recorded_place(opened.id, opened.folder, operations)
    if path is None:
        opened.workspace = None if known is None else open_recorded_folder(known)
        if opened.workspace is None:
            opened.notices.append(describe_unmapped(known))
        return
    opened.workspace = _open_workspace(path)
    if write and identify_folder(opened.workspace) != known:
        line = format_begin_line(opened.id, opened.workspace, opened.folder, continues=continues)
        opened.journal.append("operations", line)


def _find_write_time(sessions: Anchor, entry: os.DirEntry[str], *, older_file: bool) -> int:
    name = os.fsencode(entry.name)
    if older_file:
        found = [sessions.lstat(name)]
    else:
        logs = (name + b"/messages.jsonl", name + b"/operations.jsonl")
        found = [sessions.lstat(log) for log in logs]
        if not any(each is not None and stat.S_ISREG(each.st_mode) for each in found):
            found = [sessions.lstat(name)]
    return max((each.st_mtime_ns for each in found if each is not None), default=0)


def _describe_session(sessions: Anchor, id: str, *, older: bool) -> SessionSummary:
    value: dict[str, Any] = {}
    if sessions.lstat(id.encode()) is not None:
        with sessions.open_anchor(id.encode()) as folder:
            value = metadata.read_value(folder)

    def text(*names: str) -> str | None:
        """Return the first of these members that is a text."""
        found = (value.get(name) for name in names)
        return next((each for each in found if isinstance(each, str) and each), None)

    count = value.get("messageCount")
    return SessionSummary(
        id=id,
        title=text("customTitle", "summary", "firstPrompt", "name"),
        created_ns=from_iso(text("createdAt") or ""),
        updated_ns=from_iso(text("updatedAt") or ""),
        messages=count if type(count) is int else None,
        state=text("state"),
        parent=text("parentSessionId"),
        older=older,
    )
