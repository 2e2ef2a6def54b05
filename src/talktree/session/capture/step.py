"""A step: the time in which a tool works on files for a message.

Before the tool may write, the current states are stored and recorded in a line; when it is done,
the new states are stored and recorded in another line. An interrupted step has only the first line.

`SessionStep` accepts the paths that callers have. Paths are relative to the workspace, independent
of the current directory; an absolute path must lead into the workspace.
"""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path
from types import TracebackType
from typing import Literal, TypeAlias
from uuid import uuid4

from talktree.errors import NotUndoable, PathEscapes
from talktree.files.locking import folder_lock
from talktree.files.sandbox import Anchor, check_path
from talktree.session.capture.file_state import (
    ABSENT,
    Folder,
    State,
    UnknownState,
    is_same,
    name_to_json,
)
from talktree.session.capture.interrupted_steps import end_cut_off_steps
from talktree.session.capture.path_probe import read_state
from talktree.session.capture.scan import HERE as CURRENT
from talktree.session.capture.scan import FolderScan, Walker, list_folders_above
from talktree.session.capture.snapshots import FileChange
from talktree.session.capture.step_records import StepReport, format_step_lines
from talktree.session.errors import raise_plain_errors
from talktree.session.handle import SessionHandle


@raise_plain_errors
class CaptureStep:
    """Use it as a context manager around the tool's work; paths are relative to the workspace.

    `paths` are those the tool is going to change; a folder means everything in it. `watch` are
    folders in which it may change anything (`b"."`: everywhere). A path whose earlier state cannot
    be stored is refused, or only listed in `uncovered` if `unprotected` is "mark".
    """

    def __init__(
        self,
        opened: SessionHandle,
        message: str,
        paths: Iterable[bytes] = (),
        watch: Iterable[bytes] = (),
        unprotected: Unprotected = "refuse",
    ) -> None:
        self.id = str(uuid4())
        self.message = message
        self.changed: tuple[FileChange, ...] = ()
        """The changes of the tool, once the step is over."""
        self._opened = opened
        self._paths = [check_path(path) for path in paths]
        self._roots = [root if root == CURRENT else check_path(root) for root in watch]
        self._unprotected = unprotected
        self._scans: list[FolderScan] = []
        self._before: dict[bytes, State] = {}
        self._above: dict[bytes, Folder] = {}
        self._alone: dict[bytes, UnknownState] = {}
        self._firsts: dict[bytes, State] = {}
        self._seen: list[tuple[bytes, State]] = []
        self._marked: list[tuple[str, str]] = []
        self._held = contextlib.ExitStack()

    @property
    def uncovered(self) -> tuple[tuple[str, str], ...]:
        """The paths that cannot be restored, and why."""
        scanned = (each for scan in self._scans for each in scan.list_uncovered())
        return tuple(dict.fromkeys((*self._marked, *scanned)))

    # before

    def __enter__(self) -> CaptureStep:
        self._workspace = _require_workspace(self._opened)
        self._recover_known()
        self._held.enter_context(folder_lock(self._workspace.fd, exclusive=False))
        try:
            self._begin()
        except BaseException:
            self._held.close()
            raise
        return self

    def _recover_known(self) -> None:
        """Load the file cache of earlier processes, and end their interrupted steps."""
        opened = self._opened
        place = opened.root / "cache" / f"{opened.id}.files"
        if opened.known.load(place, opened.contents.list_hashes()):
            opened.notices += end_cut_off_steps(opened)

    def _begin(self) -> None:
        opened = self._opened
        store = Anchor(opened.root)
        store.close()
        self._walker = Walker(self._workspace, opened.limits, (store.identity,))
        for taken in opened.index.snapshots([self.message]):
            for change in taken.changes:
                if change.before is not None:
                    self._firsts.setdefault(change.path, change.before)
        # Named paths first: they are always read, even if the limits of the scan are exhausted.
        self._note_paths(self._paths)
        self._watch(self._roots)
        self._write_report(self._prepare_report(list(self._before), watched=tuple(self._roots)))

    def _watch(self, roots: Iterable[bytes]) -> None:
        scan = FolderScan(self._opened, self._walker, filter(self._can_watch, roots))
        if scan.roots:
            scan.begin()
            self._scans.append(scan)

    def _can_watch(self, root: bytes) -> bool:
        try:
            why = self._walker.explain_untouched(root)
            if why is None:
                self._note_missing_above(root)
                return True
        except PathEscapes as error:
            if self._unprotected == "refuse":
                raise
            why = error.message
        self._marked.append((name_to_json(root), why))
        return False

    def track(self, *paths: bytes) -> None:
        """Add paths that the tool is going to change; they may be changed when this returns."""
        had = set(self._before)
        self._note_paths([check_path(path) for path in paths])
        new = [path for path in self._before if path not in had]
        if new or any(scan.untold for scan in self._scans):
            self._write_report(self._prepare_report(new))

    def _note_paths(self, paths: Iterable[bytes]) -> None:
        for path in paths:
            if path in self._before:
                continue
            try:
                self._note_missing_above(path)
                state = self._keep_state(path)
            except PathEscapes as error:
                if self._unprotected == "refuse":
                    raise
                self._marked.append((name_to_json(path), error.message))
                continue
            if isinstance(state, Folder):
                self._watch([path])

    def _note_missing_above(self, path: bytes) -> None:
        """Add the missing folders above a path, which the tool must create first."""
        for folder in list_folders_above(path):
            if folder == CURRENT or folder in self._before:
                continue
            state = read_state(self._workspace, folder, None, self._opened.limits)
            if isinstance(state, Folder):
                self._above.setdefault(folder, state)
            else:
                self._keep_state(folder)

    def _keep_state(self, path: bytes) -> State:
        """Store the state of a path; the first state of a message stays its earlier state."""
        why = self._walker.explain_untouched(path)
        if why is not None:
            state: State = self._alone.setdefault(path, UnknownState(why))
        else:
            state = self._find_scanned_state(path) or read_state(
                self._workspace, path, self._opened.contents, self._opened.limits
            )
        if isinstance(state, UnknownState):
            self._unprotect(path, state.why)
        first = self._firsts.setdefault(path, state)
        self._before[path] = first
        if first is not state and not is_same(first, state):
            self._seen.append((path, state))
        return state

    def _find_scanned_state(self, path: bytes) -> State | None:
        found = (scan.state_before(path) for scan in self._scans)
        return next((state for state in found if state is not None), None)

    def _unprotect(self, path: bytes, why: str) -> None:
        name = name_to_json(path)
        if self._unprotected == "refuse":
            raise NotUndoable(
                f"{name}: what is there cannot be kept: {why}",
                hint='allow the change without a way back with unprotected="mark"',
            )
        self._marked.append((name, why))

    # after

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        with self._held:
            self._end()

    def _end(self) -> None:
        changes = {change.path: change for change in self._find_removed_folders()}
        for scan in self._scans:
            for change in scan.end():
                changes[change.path] = self._with_first_state(change)
        for path, first in self._before.items():
            changes[path] = FileChange(path, first, self._read_state_after(path))
        every = list(changes.values())
        self._write_report(
            StepReport(changes=every, seen=self._seen, uncovered=self.uncovered, ended=True)
        )
        self._opened.known.mark_logged(changes)
        self._opened.known.save()
        self._opened.notices += self._opened.budget.warn_once(self._opened.contents)
        self.changed = tuple(
            change
            for change in every
            if change.before and change.after and not is_same(change.before, change.after)
        )

    def _with_first_state(self, change: FileChange) -> FileChange:
        """Return the change with the state that the message first found at the path."""
        before = change.before
        first = self._firsts.get(change.path)
        if first is None or before is None:
            return change
        if not is_same(first, before):
            self._seen.append((change.path, before))
        return change._replace(before=first)

    def _find_removed_folders(self) -> Iterable[FileChange]:
        """Yield folders above named paths that the tool removed or replaced."""
        for folder, before in self._above.items():
            now = self._read_state_after(folder)
            if not isinstance(now, Folder):
                yield FileChange(folder, self._firsts.get(folder, before), now)

    def _read_state_after(self, path: bytes) -> State:
        if path in self._alone:
            return self._alone[path]
        try:
            return read_state(self._workspace, path, self._opened.contents, self._opened.limits)
        except PathEscapes:
            # A folder above it is a link now, so its target is not at this path.
            return ABSENT

    # the log

    def _prepare_report(
        self, paths: Iterable[bytes], watched: tuple[bytes, ...] | None = None
    ) -> StepReport:
        """Return the report to write before the tool works on these paths."""
        seen = [*self._seen, *(each for scan in self._scans for each in scan.untold)]
        changes = [FileChange(path, self._before[path], None) for path in paths]
        return StepReport(changes=changes, seen=seen, uncovered=self.uncovered, watched=watched)

    def _write_report(self, said: StepReport) -> None:
        """Sync everything stored, then write the lines; they only count after that."""
        opened = self._opened
        opened.contents.flush()
        with opened.journal.append_lock():
            # The first snapshot of a message is not an update; another process may have written
            # one.
            message, point = opened.index.find_owner(self.message)
            update = said.watched is None or opened.index.has_snapshots(message)
            lines = format_step_lines(message, self.id, said, update=update, point=point)
            opened.journal.append("snapshots", *lines)
        opened.known.mark_logged(path for path, _ in said.seen)
        self._seen = []
        for scan in self._scans:
            scan.untold = []


def _require_workspace(opened: SessionHandle) -> Anchor:
    if opened.workspace is None:
        raise NotUndoable(
            "this session has no workspace here, so nothing could be undone",
            hint="open it with the folder it is to work in",
        )
    return opened.workspace


FilePath: TypeAlias = str | bytes | os.PathLike[str]
Unprotected: TypeAlias = Literal["refuse", "mark"]
HERE = b"."


def resolve_session_path(workspace: Anchor | None, path: FilePath) -> bytes:
    """Return a path as the session stores it; raise an error if it leads elsewhere."""
    raw = os.fsencode(path)
    if workspace is not None and raw.startswith(b"/"):
        with suppress(ValueError):
            raw = os.fsencode(Path(os.fsdecode(raw)).relative_to(workspace.path))
    raw = raw.removeprefix(b"./").rstrip(b"/") or raw
    return raw if raw == HERE else check_path(raw)


@raise_plain_errors
class SessionStep(CaptureStep):
    """A step, created by `Session.step`."""

    def __init__(
        self,
        opened: SessionHandle,
        message: str,
        paths: Iterable[FilePath],
        watch: Iterable[FilePath],
        unprotected: Unprotected,
    ) -> None:
        self._place = opened.workspace
        super().__init__(
            opened,
            message,
            [resolve_session_path(self._place, path) for path in paths],
            [resolve_session_path(self._place, path) for path in watch],
            unprotected,
        )

    def __enter__(self) -> SessionStep:
        super().__enter__()
        return self

    def track(self, *paths: FilePath) -> None:
        """Add paths that the tool is going to change; they may be changed when this returns."""
        super().track(*(resolve_session_path(self._place, path) for path in paths))
