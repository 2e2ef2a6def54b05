"""Restoring files from Claude Code's file history into a chosen folder.

It uses the same plan and the same rules as for sessions of our own. An existing file is only
replaced if the history has a copy of it; any other file stays, or is put beside.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from hashlib import sha256
from pathlib import Path

from talktree.errors import NotFound, WorldMoved
from talktree.formats.claude_code.checkpoints import Checkpoint
from talktree.session.capture.file_state import ABSENT, FileContentState, State, UnknownState
from talktree.session.capture.limits import LIMITS
from talktree.session.claude.file_history import CheckpointState, ClaudeHistory
from talktree.session.undo.history import WantedPath
from talktree.session.undo.plan import Choice, UndoAction
from talktree.session.undo.restore_into import NO_CHOICES, FolderRestore, to_plain_state
from talktree.session.undo.target_folder import MoveFolder

NOT_SEEN = ("files that were changed by commands", "Claude Code notes only its own edits")
PIECE = 1 << 20


class CopySupply:
    """The copies of a history as a supply of contents, by hash."""

    def __init__(self, history: ClaudeHistory) -> None:
        self._history = history
        self._by_hash: dict[str, str] = {}

    def add(self, was: CheckpointState) -> None:
        """Register the copy of a content."""
        if isinstance(was.state, FileContentState) and was.copy is not None:
            self._by_hash[was.state.hash] = was.copy

    def find_problem(self, file: FileContentState) -> str | None:
        """Return why the content of a file is not available."""
        return None if file.hash in self._by_hash else "its copy is gone"

    def pieces(self, file: FileContentState) -> Iterator[bytes]:
        """Yield the content of a file, verified while it is read."""
        copy = self._by_hash.get(file.hash)
        if copy is None:
            raise NotFound("no copy of this content is there")
        seen = sha256()
        with self._history.open_copy(copy) as stream:
            for piece in iter(lambda: stream.read(PIECE), b""):
                seen.update(piece)
                yield piece
        if seen.hexdigest() != file.hash:
            raise WorldMoved("a file changed while it was read", hint="make the plan again")


class ClaudeRestore(FolderRestore):
    """Restores the files of a checkpoint into a folder, which is created if it is missing."""

    def __init__(
        self,
        history: ClaudeHistory,
        point: Checkpoint,
        into: Path,
        *,
        only: Sequence[str] = (),
        resolutions: Mapping[bytes, Choice] = NO_CHOICES,
        force: bool = False,
    ) -> None:
        self._history = history
        self._only = frozenset(only)
        self._files = [was for was in history.list_files(point) if self._is_wanted(was)]
        self._copies = CopySupply(history)
        for was in self._files:
            self._copies.add(was)
        super().__init__(
            into,
            (),
            self._copies,
            LIMITS,
            goal=point.message,
            uncovered=(NOT_SEEN,),
            resolutions=resolutions,
            force=force,
        )

    def _is_wanted(self, was: CheckpointState) -> bool:
        return not self._only or was.name in self._only or os.fsdecode(was.path) in self._only

    def _list_wanted(self, ground: MoveFolder) -> list[WantedPath]:
        return [self._to_wanted(was, ground) for was in self._files if was.path]

    def _list_placeless(self) -> Iterable[UndoAction]:
        return [_make_nowhere_action(was) for was in self._files if not was.path]

    def _to_wanted(self, was: CheckpointState, ground: MoveFolder) -> WantedPath:
        """Return the wanted state; only a file that the history has a copy of may be replaced."""
        current = ground.read_state(was.path)
        kept = isinstance(current, FileContentState) and current.hash in self._find_hashes(was.name)
        return WantedPath(
            was.path, current if kept else ABSENT, to_plain_state(was.path, was.state)
        )

    def _find_hashes(self, name: str) -> set[str]:
        """Return the hashes of all versions of a file in the history."""
        copies = {point.files[name].copy for point in self._history.points if name in point.files}
        states = (self._history.read_copy_state(copy) for copy in copies if copy is not None)
        return {state.hash for state in states if isinstance(state, FileContentState)}

    def _list_notes(self) -> Iterator[str]:
        if self._history.folder is None:
            yield "the folder with the copies was not found"
        known = (was for was in self._files if not isinstance(was.state, UnknownState))
        later = sum(1 for was in known if was.note)
        if later:
            yield f"files that were first edited later: {later}; they come as before that edit"


def _make_nowhere_action(was: CheckpointState) -> UndoAction:
    """Return the action for a file that cannot be written, with its name in the session."""
    state: State = was.state
    why = state.why if isinstance(state, UnknownState) else "it has no place"
    name = was.name.encode("utf-8", "surrogatepass")
    return UndoAction(
        action="cannot", path=name, reason=why, before=ABSENT, expected=ABSENT, after=ABSENT,
        target=state,
    )  # fmt: skip
