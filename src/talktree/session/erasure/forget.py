"""Forgetting parts of a session: from the caller's arguments to rewritten files."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable
from contextlib import ExitStack

from talktree.errors import NotFound
from talktree.files.durable import replace
from talktree.files.locking import folder_lock
from talktree.files.sandbox import Anchor
from talktree.session.branches import find_message
from talktree.session.capture.step import HERE, FilePath, resolve_session_path
from talktree.session.erasure.erase import ErasureContext, plan_erasure, stage_erasure
from talktree.session.erasure.legacy_file import OlderFile
from talktree.session.erasure.log_rewrite import find_recorded_names
from talktree.session.erasure.report import SessionErasure
from talktree.session.erasure.staging import (
    discard_staged,
    finish_erasure,
    is_decided,
    is_staged,
)
from talktree.session.erasure.targets import find_targets
from talktree.session.handle import SessionHandle
from talktree.session.legacy import SUFFIX
from talktree.session.undo.recover import open_ground, recover_session


class ForgetTarget:
    """What is to be forgotten of one session."""

    def __init__(
        self,
        sessions: Callable[[], Anchor],
        id: str,
        messages: Iterable[str],
        paths: Iterable[FilePath],
    ) -> None:
        self._sessions = sessions
        self._id = id
        messages = list(messages)
        self._aliases = [each for each in messages if each.startswith("@")]
        self._messages = [each for each in messages if not each.startswith("@")]
        self._paths = list(paths)

    def plan(self, opened: SessionHandle) -> SessionErasure:
        """Return what would be erased."""
        with Anchor(opened.root) as root:
            return plan_erasure(self._make_context(opened, root))

    def apply(self, opened: SessionHandle) -> SessionErasure:
        """Finish interrupted moves, then erase; no other handle may write meanwhile."""
        opened.notices += recover_session(opened)
        with ExitStack() as held:
            held.enter_context(opened.journal.exclude_other_writers())
            held.enter_context(folder_lock(opened.folder.fd, exclusive=True))
            ground = open_ground(opened)
            if ground is not None:
                held.enter_context(folder_lock(ground.folder.fd, exclusive=True))
            held.enter_context(opened.journal.append_lock())
            root = held.enter_context(Anchor(opened.root))
            report = stage_erasure(self._make_context(opened, root))
            opened.index.close()
            with self._sessions() as sessions:
                finish_erasure(sessions, self._id, opened.folder, root)
        return report

    def _make_context(self, opened: SessionHandle, root: Anchor) -> ErasureContext:
        place = opened.workspace
        targets = find_targets(
            opened.folder,
            opened.id,
            [find_message(opened, each) for each in self._messages],
            self._resolve_paths(opened),
            None if place is None else os.fsencode(place.path),
        )
        if not self._aliases:
            return ErasureContext(opened.folder, root, targets)
        older, name = self._open_older_file()
        return ErasureContext(opened.folder, root, targets, older, name)

    def _resolve_paths(self, opened: SessionHandle) -> list[bytes]:
        """Return the paths as the session stores them; the workspace means everything in it."""
        paths = [resolve_session_path(opened.workspace, path) for path in self._paths]
        if HERE not in paths:
            return paths
        return [
            *(path for path in paths if path != HERE),
            *sorted(find_recorded_names(opened.folder)),
        ]

    def _open_older_file(self) -> tuple[OlderFile, str]:
        name = f"{self._id}{SUFFIX}"
        with self._sessions() as sessions:
            if sessions.lstat(name.encode()) is None:
                raise NotFound(
                    f"there is no message {self._aliases[0]!r}",
                    hint="name a message of this session",
                )
            with os.fdopen(sessions.open(name.encode(), os.O_RDONLY), "rb") as file:
                return OlderFile(file.read(), self._aliases), name

    def forget_from_file(self, *, dry_run: bool) -> SessionErasure:
        """Forget messages of a session that is only an older file."""
        if self._messages or self._paths:
            named = (*self._messages, *map(str, self._paths))[0]
            raise NotFound(
                f"there is no {named!r} in this session",
                hint="its messages are called @2, @3 and so on, and it has no file history",
            )
        older, name = self._open_older_file()
        if not dry_run:
            with self._sessions() as sessions:
                replace(sessions, name.encode(), older.data)
        return SessionErasure(
            session=self._id, dry_run=dry_run, messages=older.removed, emptied=older.emptied
        )


def is_interrupted(folder: Anchor) -> bool:
    """Whether an erasure of this session was interrupted."""
    return is_staged(folder) or is_decided(folder)


def finish_interrupted(sessions: Anchor, id: str, folder: Anchor, root: Anchor) -> None:
    """Finish an erasure that was committed, or discard one that was not."""
    discard_staged(folder)
    if is_decided(folder):
        finish_erasure(sessions, id, folder, root)
