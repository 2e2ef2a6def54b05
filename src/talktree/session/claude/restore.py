"""Bringing back files from Claude Code's file history, into a folder of one's choice.

The same plan and the same rules as for sessions of our own. What is in the folder already is
written over only if it is a copy that the history keeps; anything else is somebody's work, and
stays, or is put beside.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from hashlib import sha256
from pathlib import Path

from talktree.errors import NotFound, WorldMoved
from talktree.formats.claude_code.checkpoints import Checkpoint
from talktree.session.capture.file_state import ABSENT, File, State, Unknown
from talktree.session.capture.limits import LIMITS
from talktree.session.claude.file_history import ClaudeHistory, Was
from talktree.session.undo.history import Wanted
from talktree.session.undo.plan import Action, Choice
from talktree.session.undo.restore_into import NO_CHOICES, Filling, plain
from talktree.session.undo.target_folder import Ground

NOT_SEEN = ("files that were changed by commands", "Claude Code notes only its own edits")
PIECE = 1 << 20


class Copies:
    """The copies of a history as a supply of contents, by what they hold."""

    def __init__(self, history: ClaudeHistory) -> None:
        self._history = history
        self._by_hash: dict[str, str] = {}

    def add(self, was: Was) -> None:
        """Say which copy holds a content."""
        if isinstance(was.state, File) and was.copy is not None:
            self._by_hash[was.state.hash] = was.copy

    def trouble(self, file: File) -> str | None:
        """Why the content of a file cannot be had."""
        return None if file.hash in self._by_hash else "its copy is gone"

    def pieces(self, file: File) -> Iterator[bytes]:
        """The content of a file, verified while it is read."""
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


class ClaudeRestore(Filling):
    """Bringing the files of a checkpoint into a folder, which is made if it is not there."""

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
        self._files = [was for was in history.files(point) if self._is_wanted(was)]
        self._copies = Copies(history)
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

    def _is_wanted(self, was: Was) -> bool:
        return not self._only or was.name in self._only or os.fsdecode(was.path) in self._only

    def _wanted_in(self, ground: Ground) -> list[Wanted]:
        return [self._wanted_of(was, ground) for was in self._files if was.path]

    def _placeless(self) -> Iterable[Action]:
        return [_nowhere(was) for was in self._files if not was.path]

    def _wanted_of(self, was: Was, ground: Ground) -> Wanted:
        """What is there may go if the history keeps it; else nothing was expected there."""
        current = ground.state(was.path)
        kept = isinstance(current, File) and current.hash in self._hashes(was.name)
        return Wanted(was.path, current if kept else ABSENT, plain(was.path, was.state))

    def _hashes(self, name: str) -> set[str]:
        """What the history keeps of a file, whenever it was."""
        copies = {point.files[name].copy for point in self._history.points if name in point.files}
        states = (self._history.copy_state(copy) for copy in copies if copy is not None)
        return {state.hash for state in states if isinstance(state, File)}

    def _notes(self) -> Iterator[str]:
        if self._history.folder is None:
            yield "the folder with the copies was not found"
        known = (was for was in self._files if not isinstance(was.state, Unknown))
        later = sum(1 for was in known if was.note)
        if later:
            yield f"files that were first edited later: {later}; they come as before that edit"


def _nowhere(was: Was) -> Action:
    """A file that cannot go anywhere, under the name it has in the session."""
    state: State = was.state
    why = state.why if isinstance(state, Unknown) else "it has no place"
    name = was.name.encode("utf-8", "surrogatepass")
    return Action(
        action="cannot", path=name, reason=why, before=ABSENT, expected=ABSENT, after=ABSENT,
        target=state,
    )  # fmt: skip
