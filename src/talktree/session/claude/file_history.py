"""Claude Code's own file history: the files that its checkpoints can restore, and where to.

A session of Claude Code records before each prompt which files it has edited, and stores a copy of
each in `file-history/<session>/`. Only its own edit tools are recorded, so a checkpoint does not
include files that commands have changed. If a file first appears in a later checkpoint, its first
copy has the content before any edit, and so the content at this checkpoint.

Neither the paths nor the names of copies are trusted: copies are opened inside the history folder,
and files are written inside a chosen folder, wherever the session says they were.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO, NamedTuple

from talktree.errors import NotFound, PathEscapes, UsageError
from talktree.files.sandbox import Anchor
from talktree.formats.claude_code.checkpoints import (
    Checkpoint,
    CheckpointFile,
    find_start_folder,
    list_checkpoints,
)
from talktree.model.conversation import Conversation
from talktree.model.document import Document
from talktree.model.message import Message
from talktree.session.capture.file_state import ABSENT, FileContentState, State, UnknownState
from talktree.session.capture.limits import Limits
from talktree.session.capture.path_probe import read_state
from talktree.session.claude.places import find_history_folder, relocate_path

_PLAIN = re.compile(r"[A-Za-z0-9@_-][A-Za-z0-9@._-]{0,199}")
FIRST_LINES = 50
"""How many messages are searched for the session's id."""


class CheckpointState(NamedTuple):
    """The state of a file at a checkpoint."""

    name: str
    """Its path as the session has it."""
    path: bytes
    """Where it is written, relative to the chosen folder; empty if it cannot be written
    anywhere."""
    state: State
    copy: str | None
    """The name of the copy with its content."""
    note: str
    """A note for the user on how it was found."""


class ClaudeHistory:
    """The checkpoints of one session, and its existing copies."""

    def __init__(self, conversation: Conversation, folder: Path | None) -> None:
        self.conversation = conversation
        self.points = list_checkpoints(conversation)
        self.folder = folder
        """The folder of the copies; None if no such folder was found."""
        self._started = find_start_folder(conversation)
        self._copies = None if folder is None else Anchor(folder)
        self._looked: dict[str, State] = {}

    def close(self) -> None:
        """Close the folder."""
        if self._copies is not None:
            self._copies.close()

    def find_checkpoint(self, message: str) -> Checkpoint:
        """Return the checkpoint of a message, by a prefix of its id, or of the prompt above."""
        exact = [each for each in self.points if each.message == message]
        near = exact or [each for each in self.points if each.message.startswith(message)]
        if len(near) == 1:
            return near[0]
        if len(near) > 1:
            raise NotFound(f"{len(near)} checkpoints start with {message}", hint="say more of it")
        by_message = {each.message: each for each in self.points}
        conversation = self.conversation
        ids = conversation.skeleton.ids
        for place in reversed(conversation.tree.path(conversation.find_position(message))):
            if ids[place] in by_message:
                return by_message[ids[place]]
        raise NotFound(
            f"no checkpoint at {message} or above", hint="`talktree session log FILE` lists them"
        )

    def list_files(self, point: Checkpoint) -> list[CheckpointState]:
        """Return every file the session ever recorded, as it was at a checkpoint."""
        found = [self._build_state(kept, note) for kept, note in self._find_file_states(point)]
        taken: dict[bytes, str] = {}
        for number, was in enumerate(found):
            if was.path and taken.setdefault(was.path, was.name) != was.name:
                why = f"{taken[was.path][:200]} goes to the same place"
                found[number] = was._replace(state=UnknownState(why))
        return found

    def _find_file_states(self, point: Checkpoint) -> Iterator[tuple[CheckpointFile, str]]:
        """Yield the files of a checkpoint, and those that only later checkpoints have."""
        yield from ((kept, "") for kept in point.files.values())
        known = set(point.files)
        for other in self.points:
            for name, kept in other.files.items():
                if name in known:
                    continue
                known.add(name)
                if other.place > point.place:
                    yield kept, "as before its first edit, which came later"
                else:
                    lost = kept._replace(copy=None, absent=False)
                    yield lost, "noted before, but not at this point"

    def _build_state(self, kept: CheckpointFile, note: str) -> CheckpointState:
        try:
            path = relocate_path(kept.name, self._started)
        except PathEscapes as error:
            return CheckpointState(kept.name, b"", UnknownState(error.message), None, note)
        state = ABSENT if kept.absent else self.read_copy_state(kept.copy)
        if isinstance(state, UnknownState) and note and kept.copy is None:
            state = UnknownState(note)
        return CheckpointState(kept.name, path, state, kept.copy, note)

    # copies

    def read_copy_state(self, name: str | None) -> State:
        """Return the state of a copy, or why it is not available."""
        if name is None:
            return UnknownState("no copy is named")
        if name not in self._looked:
            self._looked[name] = self._read_copy(name)
        return self._looked[name]

    def _read_copy(self, name: str) -> State:
        if self._copies is None:
            return UnknownState("the folder with the copies was not found")
        if not _PLAIN.fullmatch(name):
            return UnknownState("the name of its copy is no plain file name")
        state = read_state(self._copies, name.encode(), None, Limits())
        if state == ABSENT:
            return UnknownState("its copy is gone")
        if not isinstance(state, FileContentState):
            why = state.why if isinstance(state, UnknownState) else "it is no file"
            return UnknownState(f"its copy cannot be read: {why}")
        return (
            UnknownState("its copy holds nothing but NULs")
            if self._is_blank(name, state)
            else state
        )

    def _is_blank(self, name: str, state: FileContentState) -> bool:
        """Whether a crash left a copy with its length but without its bytes."""
        if not state.size:
            return False
        with self.open_copy(name) as stream:
            return not any(piece.strip(b"\0") for piece in iter(lambda: stream.read(1 << 16), b""))

    def open_copy(self, name: str) -> BinaryIO:
        """Open a copy for reading."""
        assert self._copies is not None
        return os.fdopen(self._copies.open(name.encode(), os.O_RDONLY), "rb")


def load_history(document: Document, file: Path, folder: Path | None = None) -> ClaudeHistory:
    """Return the history of a session in a file; its copies are searched for without `folder`."""
    conversation = _find_session(document)
    found = folder or find_history_folder(file, _find_session_ids(conversation, file))
    return ClaudeHistory(conversation, found)


def _find_session(document: Document) -> Conversation:
    if document.format != "claude-code":
        raise UsageError(
            f"{document.name} is no session of Claude Code", hint=f"it is {document.format}"
        )
    return document.conversation


def _find_session_ids(conversation: Conversation, file: Path) -> Iterator[str]:
    """Yield the possible names of the folder of copies; a resumed session has several."""
    yield file.name.partition(".")[0]
    yield conversation.id.rpartition("/")[2]
    traits = conversation.skeleton.traits
    spoken = [place for place, trait in enumerate(traits) if trait][:FIRST_LINES]
    for entry in conversation.entries_at(spoken):
        if isinstance(entry, Message) and entry.session:
            yield entry.session
