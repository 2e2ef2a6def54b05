"""The store: a folder of sessions. It makes them, finds them and tells of them."""

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
from talktree.session.config import Settings, set_settings, settings
from talktree.session.erasure.forget import Forgetting, finish_interrupted, is_interrupted
from talktree.session.erasure.report import Erasure
from talktree.session.erasure.whole_sessions import WholeErasure, finish_whole_erasures
from talktree.session.errors import plainly
from talktree.session.handle import Opened
from talktree.session.index.index import Index
from talktree.session.journal.journal import Durability, Journal
from talktree.session.legacy import SUFFIX, older
from talktree.session.names import checked_id, is_id, new_id, whole
from talktree.session.session import Session
from talktree.session.workspace import Parent, begin_line, held, place_of, recorded, unmapped
from talktree.text.json.value import Json
from talktree.text.times import from_iso, to_datetime

ROOT = ".sage"
SESSIONS = b"sessions"


class Described(NamedTuple):
    """What a list of sessions shows of one."""

    id: str
    title: str | None
    created_ns: int | None
    updated_ns: int | None
    messages: int | None
    """How many there are, if somebody counted."""
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


@plainly
class Store:
    """Sessions below one root, `.sage` in the current directory unless another is named.

    The folder may have any name. `agent` is what the assistant is called where sessions are
    printed; the first session that is created keeps it in the settings of the store. Without
    `cache` the index of a session is held in memory, so that reading writes nothing at all.
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
        """What the assistant is called; None if it has no name."""
        return self._agent or self.settings().agent

    # making and opening

    def create(
        self,
        *,
        title: str | None = None,
        workspace: Path | str | None = None,
        durability: Durability | None = None,
        parent: Parent | None = None,
        id: str | None = None,
    ) -> Session:
        """A new session; its workspace is the current directory unless another is named.

        Its `id` is a new UUID unless you give one: 1 to 128 letters, digits, `.`, `_` and `-`.
        """
        id = new_id() if id is None else checked_id(id)
        place = _workspace(workspace)
        if self._agent is not None and self.settings().agent != self._agent:
            self.set(agent=self._agent)
        with ExitStack() as undone:
            undone.callback(place.close)
            with self._sessions(create=True) as sessions:
                folder = _new_folder(sessions, id)
            undone.callback(folder.close)
            opened = self._opened(id, folder, self._durability(durability), write=True)
            opened.workspace = place
            line = begin_line(id, place, folder, title=title, parent=parent)
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
        """A session by its id or the beginning of it; without one, the newest.

        Its workspace is the one it was begun in; naming one maps the session to that folder.
        Without `write` nothing is written, not even what was left unfinished is finished.
        """
        if write:
            self._refuse_untrusted()
            self._finish_whole_erasures()
        id = self._meant(id)
        name = id.encode()
        mode = self._durability(durability)
        found = older(self._sessions, id)
        with self._sessions() as sessions:
            begun = sessions.lstat(name) is not None

        def opened() -> Opened:
            """The folder of the session, which an older file may not have yet."""
            with self._sessions() as sessions:
                if sessions.lstat(name) is None:
                    _made(sessions, name)
                made = self._opened(id, sessions.beneath(name), mode, write=write)
            if found is not None and write:
                found.copy_into(made.folder)
            _placed(made, workspace, write=write, continues=found.name if found else None)
            return made

        session = Session(self, opened, id=id, settings=self.settings(), older=found, write=write)
        if found is None or begun:
            session.begin()
        return session

    def _meant(self, id: str | None) -> str:
        found = self.newest() if id is None else whole(id, self.ids())
        if found is None:
            raise NotFound(
                f"{self.root}: there are no sessions",
                hint="`talktree session new` or Store.create() makes one",
            )
        return found

    def _opened(self, id: str, folder: Anchor, durability: Durability, *, write: bool) -> Opened:
        journal = Journal(folder, durability)
        if write:
            self._finish_erasure(id, folder, journal)
        index = Index(journal, self.root / "cache" / f"{id}.sqlite" if self._cache else None)
        last = index.newest()
        return Opened(
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
    ) -> Erasure:
        """Erase a whole session, or only some of its messages and the history of some files.

        With `dry_run` nothing is changed. `Busy` if another handle, also one of this process, has
        the session open for writing.
        """
        id = self._meant(id)
        asked = list(messages), list(paths)
        with self._sessions() as sessions:
            has_folder = sessions.lstat(id.encode()) is not None
        if not any(asked):
            with Anchor(self.root) as root:
                whole = WholeErasure(root, self._sessions, id)
                return whole.report(dry_run=True) if dry_run else whole.apply()
        work = Forgetting(self._sessions, id, *asked)
        if not has_folder:
            return work.from_file(dry_run=dry_run)
        with self._sessions() as sessions:
            folder = sessions.beneath(id.encode())
        opened = self._opened(id, folder, self._durability(None), write=not dry_run)
        try:
            known = recorded(id, folder, opened.index.operations())
            opened.workspace = None if known is None else held(known)
            report = work.plan(opened) if dry_run else work.apply(opened)
        finally:
            opened.close()
        if not dry_run:
            # What lists of sessions show is counted anew.
            self.open(id).close()
        return report

    def _finish_whole_erasures(self) -> None:
        with suppress(NotFound), Anchor(self.root) as root, self._sessions() as sessions:
            finish_whole_erasures(root, sessions)

    def _finish_erasure(self, id: str, folder: Anchor, journal: Journal) -> None:
        """Finish what was interrupted, and be counted among those that write."""
        if is_interrupted(folder):
            with (
                journal.only_writer(wait=True),
                self._sessions() as sessions,
                Anchor(self.root) as root,
            ):
                finish_interrupted(sessions, id, folder, root)
        journal.join_writers()

    # finding and telling

    def ids(self) -> list[str]:
        """The ids of all sessions, older files among them, in the order of the alphabet."""
        return sorted({id for id, _, _ in self._entries()})

    def newest(self) -> str | None:
        """The session that was written to last; None if there is none."""
        return max(((time, id) for id, time, _ in self._entries()), default=(0, None))[1]

    def describe(self) -> list[Described]:
        """All sessions, the newest first."""
        times: dict[str, int] = {}
        old: set[str] = set()
        for id, time, is_older in self._entries():
            times[id] = max(time, times.get(id, 0))
            old |= {id} if is_older else set()
        order = sorted(times, key=lambda id: -times[id])
        if not order:
            return []
        with self._sessions() as sessions:
            return [_described(sessions, id, older=id in old) for id in order]

    def _entries(self) -> Iterator[tuple[str, int, bool]]:
        """Each session's id, when it was written to, and whether this is its older file."""
        try:
            sessions = self._sessions()
        except NotFound:
            return
        with sessions:
            for entry in sessions.entries():
                older_file = entry.name.endswith(SUFFIX) and entry.is_file(follow_symlinks=False)
                id = entry.name.removesuffix(SUFFIX) if older_file else entry.name
                if is_id(id) and (older_file or entry.is_dir(follow_symlinks=False)):
                    yield id, _written(sessions, entry, older_file=older_file), older_file

    # settings

    def settings(self) -> Settings:
        """Talktree's own settings in this store."""
        try:
            with Anchor(self.root) as root:
                return settings(root)
        except NotFound:
            return Settings({})

    def set(self, **changes: Json) -> None:
        """Change settings: agent, budget, durability, thinking, userType, version.

        None takes one away.
        """
        with Anchor(self.root, create=True) as root:
            set_settings(root, **changes)

    def _durability(self, asked: Durability | None) -> Durability:
        return self.settings().durability if asked is None else asked

    def _refuse_untrusted(self) -> None:
        """Raise an error before anything is written where every user could have written."""
        with Anchor(self.root) as root:
            refuse_writable(self.root, os.fstat(root.fd))

    def _sessions(self, *, create: bool = False) -> Anchor:
        with Anchor(self.root, create=create) as root:
            if create:
                refuse_writable(self.root, os.fstat(root.fd))
            if create and root.lstat(SESSIONS) is None:
                _made(root, SESSIONS)
            try:
                sessions = root.beneath(SESSIONS)
            except FileNotFoundError:
                raise NotFound(
                    f"{self.root}: has no sessions",
                    hint="`talktree session new` or Store.create() makes one",
                ) from None
            if create:
                finish_whole_erasures(root, sessions)
            return sessions


def _new_folder(sessions: Anchor, id: str) -> Anchor:
    """The folder of a new session; a refusal if there is one of that id, in whatever form."""
    name = id.encode()
    if sessions.lstat(name + SUFFIX.encode()) is not None or not _made(sessions, name):
        raise UsageError(f"there is a session {id} already", hint="open it instead")
    return sessions.beneath(name)


def _made(anchor: Anchor, name: bytes) -> bool:
    """Make a folder that survives; False if there is one already."""
    try:
        anchor.mkdir(name, 0o700)
    except FileExistsError:
        return False
    os.fsync(anchor.fd)
    return True


def _workspace(path: Path | str | None) -> Anchor:
    # Links on the way are resolved once, now: later the folder is known by what it is.
    return Anchor(Path.cwd() if path is None else Path(path).resolve())


def _placed(opened: Opened, path: Path | str | None, *, write: bool, continues: str | None) -> None:
    """Give an open session its workspace: the one it was begun in, or the one that is named."""
    operations = opened.index.operations()
    known = recorded(opened.id, opened.folder, operations)
    if path is None:
        opened.workspace = None if known is None else held(known)
        if opened.workspace is None:
            opened.notices.append(unmapped(known))
        return
    opened.workspace = _workspace(path)
    if write and place_of(opened.workspace) != known:
        line = begin_line(opened.id, opened.workspace, opened.folder, continues=continues)
        opened.journal.append("operations", line)


def _written(sessions: Anchor, entry: os.DirEntry[str], *, older_file: bool) -> int:
    name = os.fsencode(entry.name)
    if older_file:
        found = [sessions.lstat(name)]
    else:
        logs = (name + b"/messages.jsonl", name + b"/operations.jsonl")
        found = [sessions.lstat(log) for log in logs]
        if not any(each is not None and stat.S_ISREG(each.st_mode) for each in found):
            found = [sessions.lstat(name)]
    return max((each.st_mtime_ns for each in found if each is not None), default=0)


def _described(sessions: Anchor, id: str, *, older: bool) -> Described:
    value: dict[str, Any] = {}
    if sessions.lstat(id.encode()) is not None:
        with sessions.beneath(id.encode()) as folder:
            value = metadata.value_in(folder)

    def text(*names: str) -> str | None:
        """The first of these members that is a text."""
        found = (value.get(name) for name in names)
        return next((each for each in found if isinstance(each, str) and each), None)

    count = value.get("messageCount")
    return Described(
        id=id,
        title=text("customTitle", "summary", "firstPrompt", "name"),
        created_ns=from_iso(text("createdAt") or ""),
        updated_ns=from_iso(text("updatedAt") or ""),
        messages=count if type(count) is int else None,
        state=text("state"),
        parent=text("parentSessionId"),
        older=older,
    )
