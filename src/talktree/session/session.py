"""One session, with all its verbs. Each only calls the module that does the work.

A message is acknowledged when the call returns. Every move of a session first returns a plan;
nothing here deletes anything.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from talktree.errors import NotFound, UsageError
from talktree.formats.sage.detect_kinds import CONTINUES
from talktree.model.message import Context, Message, ThinkingSetting, Todo
from talktree.model.parts import Text, ToolCall
from talktree.session import branches as _branches
from talktree.session.branches import SessionBranch
from talktree.session.capture.step import FilePath, SessionStep, Unprotected
from talktree.session.config import Settings
from talktree.session.errors import raise_plain_errors
from talktree.session.handle import SessionHandle
from talktree.session.legacy import LegacyFile
from talktree.session.metadata import STATES, Metadata
from talktree.session.navigation import NavigationVerbs
from talktree.session.recording import children as _children
from talktree.session.recording import compaction as _compaction
from talktree.session.recording import todos as _todos
from talktree.session.recording.api import RecordingVerbs
from talktree.session.recording.children import Child, Sidechain
from talktree.session.recording.compaction import CompactionStatistics
from talktree.session.recording.context import ContextCapture, Difference, find_differences
from talktree.session.recording.recorder import At, Recorder, TreePlace, find_call, find_unanswered
from talktree.session.recording.thinking import Asked, choose_setting, find_effective_setting
from talktree.session.recording.todos import TodoProgress
from talktree.session.undo.recover import recover_session
from talktree.session.workspace import Parent, initial_metadata
from talktree.text.times import to_iso

if TYPE_CHECKING:
    from talktree.session.store import Store


@raise_plain_errors
class Session(RecordingVerbs, NavigationVerbs):
    """A handle on a session; close it, or use it as a context manager."""

    def __init__(
        self,
        store: Store,
        opening: Callable[[], SessionHandle],
        *,
        id: str,
        settings: Settings,
        older: LegacyFile | None = None,
        write: bool = True,
    ) -> None:
        self.id = id
        self.store = store
        self._opening = opening
        self._settings = settings
        self._older = older
        self._write = write
        self._surroundings = ContextCapture(version=settings.version, user_type=settings.user_type)
        self._phrases = settings.phrases
        self._opened: SessionHandle | None = None
        self._recorder: Recorder | None = None
        self._closed = False

    def __repr__(self) -> str:
        return f"<Session {self.id} in {self.store.root}{' (closed)' if self._closed else ''}>"

    @property
    def opened(self) -> SessionHandle:
        """The parts of the session; for an older file the folder beside it is created."""
        return self._get_recorder().opened

    @property
    def notices(self) -> list[str]:
        """Messages for the user: what was found while opening, and since."""
        return [] if self._opened is None else self._opened.notices

    def begin(self) -> None:
        """Open the session's folder, finish what was interrupted, and find the current position."""
        self._get_recorder()

    def _get_recorder(self) -> Recorder:
        if self._recorder is not None:
            return self._recorder
        if self._closed:
            raise UsageError("the session is closed", hint="open it again")
        opened = self._opened = self._opening()
        if self._write:
            opened.notices += recover_session(opened)
        details = initial_metadata(opened.index.operations())
        if self._older is not None and self._older.title is not None:
            details = {"customTitle": self._older.title, **details}
        if self._older is not None and self._older.created is not None:
            details = {"createdAt": to_iso(self._older.created), **details}
        metadata = Metadata(opened.folder, opened.journal, opened.session, details)
        last = None if self._older is None else self._older.leaf
        older = None if self._older is None or last is None else (self._older.name, last)
        self._recorder = Recorder(opened, self._surroundings, metadata, older=older)
        if self._write:
            self._recorder.update_metadata()
        return self._recorder

    # recording

    def _write_messages(self, *drafts: Message, at: At = TreePlace.LEAF) -> list[str]:
        self._require_writable()
        return self._get_recorder().write(*drafts, at=at)

    def _choose_thinking(self, asked: Asked, text: str) -> ThinkingSetting | None:
        return choose_setting(asked, text, self._phrases)

    def _find_tool_name(self, call: str, parent: str | None) -> str | None:
        known = self._get_recorder().tools
        if call in known:
            return known[call]
        # Usually an earlier process of the same agent made the call.
        end = self._resolve_end(parent)
        own = None if end is None or self._is_older(end) else end
        found = find_call(self.opened.index, own, call)
        if found is None and self._older is not None:
            parts = (part for message in self._older.messages() for part in message.parts)
            calls = (part for part in parts if isinstance(part, ToolCall))
            found = next((each for each in calls if each.id == call), None)
        if found is not None:
            known[call] = found.name
        return None if found is None else found.name

    def _require_writable(self) -> None:
        if not self._write:
            raise UsageError("the session is open for reading only", hint="open it with write=True")

    def step(
        self,
        message: str | None = None,
        *,
        paths: Iterable[FilePath] = (),
        watch: Iterable[FilePath] = (),
        unprotected: Unprotected = "refuse",
    ) -> SessionStep:
        """Return a step for a tool that works for a message (the last one by default).

        The files at `paths` are stored before the tool runs; changes below the `watch`ed folders
        (`.` for the whole workspace) are found when it ends. Paths are relative to the workspace,
        wherever the process was started. Inside, `track` adds paths.
        """
        self._require_writable()
        recorder = self._get_recorder()
        owner = recorder.leaf if message is None else self._resolve_message(message)
        if owner is None:
            raise UsageError("there is no message to work for yet", hint="record one first")
        if owner == recorder.leaf and recorder.point is not None:
            # Files went back to that message: later work is separate from its steps.
            owner = recorder.point
        return SessionStep(self.opened, owner, paths, watch, unprotected)

    # current position

    @property
    def leaf(self) -> str | None:
        """The message that this handle continues from."""
        if self._recorder is None and self._older is not None:
            return self._older.leaf
        return self._get_recorder().leaf

    def refresh(self) -> None:
        """Go to the current position of the session, after another handle moved it."""
        self._get_recorder().refresh()

    def find_unanswered(self) -> tuple[ToolCall, ...]:
        """Return the calls of the last reply without a result, which an agent must answer first."""
        return find_unanswered(self.opened.index, self.leaf)

    def thinking(self) -> ThinkingSetting:
        """Return the thinking to request from the model next.

        The last prompt decides: the level that was given or that its words ask for, with what
        triggered it, or that it is disabled (then the level is `none`). A prompt that says nothing
        gets the level of the store's settings, `none` unless set.
        """
        leaf = self.leaf
        own = None if leaf is None or self._is_older(leaf) else leaf
        return find_effective_setting(self.opened.index, own, self._settings.thinking)

    def current_todos(self) -> tuple[Todo, ...]:
        """Return the tasks at this handle's current message."""
        return () if self._recorder is None else self._recorder.todos

    def todos_at(self, message: str) -> tuple[Todo, ...]:
        """Return the tasks at a message."""
        return _todos.find_todos_at(self.opened.index, self._resolve_message(message))

    def todo_progress(self, message: str | None = None) -> list[TodoProgress]:
        """Return the history of the tasks, up to a message or to the current position."""
        end = self.leaf if message is None else self._resolve_message(message)
        return [] if end is None else list(_todos.read_progress(self.opened.index, end))

    def context_now(self) -> Context:
        """Return the context of this process."""
        return self._surroundings.capture()

    def differences(self, message: str | None = None) -> tuple[Difference, ...]:
        """Return how a message's context differs from this process's context."""
        end = self.leaf if message is None else self._resolve_message(message)
        if end is None:
            return ()
        return find_differences(self.message(end).context, self.context_now())

    # reading

    def message(self, id: str) -> Message:
        """Return a message by its id, the beginning of it, or the name of a branch."""
        if self._older is not None and id.startswith("@"):
            for message in self._older.messages():
                if message.id == id:
                    return message
            raise NotFound(f"there is no message {id!r}", hint="name a message of this session")
        index = self.opened.index
        return index.message(index.find_by_prefix(self._resolve_message(id)))

    def full_messages(self, message: str | None = None) -> list[Message]:
        """Return all messages on the way to a message, even if they were compacted since."""
        end = self._resolve_end(message)
        if end is None or self._is_older(end):
            return list(self._read_older_messages(end))
        found = _compaction.read_full_messages(self.opened.index, end)
        return [*self._read_older_messages(self._find_continued_message(found)), *found]

    def context_messages(self, message: str | None = None) -> list[Message]:
        """Return what a model is sent at a message: after a compaction, summary and the rest."""
        end = self._resolve_end(message)
        if end is None or self._is_older(end):
            return list(self._read_older_messages(end))
        found = _compaction.read_context_messages(self.opened.index, end)
        return [*self._read_older_messages(self._find_continued_message(found)), *found]

    def _resolve_end(self, message: str | None) -> str | None:
        return self.leaf if message is None else self._resolve_message(message)

    def _resolve_message(self, message: str) -> str:
        return message if self._is_older(message) else _branches.find_message(self.opened, message)

    def _is_older(self, id: str) -> bool:
        return self._older is not None and id.startswith("@")

    def _read_older_messages(self, id: str | None) -> tuple[Message, ...]:
        """Return the messages of the older file up to one of them."""
        return () if self._older is None or id is None else self._older.list_messages_until(id)

    def _find_continued_message(self, found: list[Message]) -> str | None:
        """Return the message of the older file that the first of these follows."""
        details: Any = found[0].extra.get(CONTINUES) if found else None
        alias = details.get("message") if isinstance(details, dict) else None
        if isinstance(alias, str):
            return alias
        # A move to before everything in the folder leads back to the end of the older file.
        back = self._older is not None and found and found[0].parent is None
        return self._older.leaf if back and self._older and "operation" in found[0].extra else None

    # branches

    def branches(self) -> list[SessionBranch]:
        """Return all branches, with their names."""
        return _branches.list_branches(self.opened)

    def name(self, name: str, message: str | None = None) -> str:
        """Name the line that ends at a message, and return the message's id."""
        self._require_writable()
        end = self._resolve_end(message)
        if end is None:
            raise UsageError("there is nothing to name yet", hint="record a message first")
        return _branches.name_branch(self.opened, name, end)

    def unname(self, name: str) -> None:
        """Remove a name, and nothing else."""
        self._require_writable()
        _branches.unname_branch(self.opened, name)

    def edit(self, message: str, text: str, *, thinking: Asked = None) -> str:
        """Replace a prompt with a sibling of it, and continue from that."""
        found = self.message(message)
        if found.role != "user":
            raise UsageError(
                "only what the user said can be said otherwise", hint="name a user message"
            )
        above = found.parent or self._find_continued_message([found])
        parts = (Text(text),)
        draft = Message(role="user", parts=parts, thinking=self._choose_thinking(thinking, text))
        return self._write_messages(draft, at=TreePlace.ROOT if above is None else above)[0]

    # sub-agents

    def sidechain(self, at: str | None = None) -> Sidechain:
        """Return a line beside the main one, from a message on, which never becomes current."""
        start = self._resolve_end(at)
        if start is None:
            raise UsageError("there is no message to branch off yet", hint="record one first")
        return Sidechain(self, start)

    def child(
        self,
        message: str | None = None,
        *,
        title: str | None = None,
        agent: str | None = None,
        workspace: Path | str | None = None,
    ) -> Session:
        """Create a session for a sub-agent; both sessions name each other."""
        self._require_writable()
        at = self._resolve_end(message)
        place = self.opened.workspace
        if workspace is None and place is None:
            raise UsageError("the session has no workspace", hint="name one with workspace=")
        made = self.store.create(
            title=title,
            workspace=workspace or (None if place is None else place.path),
            durability=self.opened.journal.durability,
            parent=Parent(self.id, at),
        )
        _children.record_child(self.opened, Child(made.id, at, agent))
        return made

    def children(self) -> list[Child]:
        """Return the sessions that were begun from this one."""
        return _children.list_children(self.opened)

    # compaction

    def record_compaction_start(self, *, trigger: str = "manual", tokens: int | None = None) -> str:
        """Record that the conversation is about to be compacted."""
        before = {"messages": len(self.context_messages()), "trigger": trigger}
        details = before if tokens is None else {**before, "tokens": tokens}
        return self._write_messages(
            _compaction.make_mark(_compaction.COMPACTING, "Compacting the conversation", details)
        )[0]

    def record_compaction(
        self, summary: str, *, tokens_before: int | None = None, tokens_after: int | None = None
    ) -> str:
        """Replace the context so far with a summary, and return its id; all messages stay."""
        before = len(self.context_messages())
        counted = CompactionStatistics(before, 1, tokens_before, tokens_after)
        return self._write_messages(*_compaction.make_compaction_messages(summary, counted))[1]

    def record_restoration_start(self) -> str:
        """Record that all messages are about to return to the context."""
        details = {"messages": len(self.context_messages())}
        text = "Restoring the conversation"
        return self._write_messages(_compaction.make_mark(_compaction.RESTORING, text, details))[0]

    def record_restoration(self) -> str:
        """Let the context be all messages again."""
        before, after = len(self.context_messages()), len(self.full_messages())
        details = CompactionStatistics(before, after).to_json()
        text = f"Conversation restored: {after} messages"
        return self._write_messages(_compaction.make_mark(_compaction.RESTORED, text, details))[0]

    # closing

    def close(self, *, state: str | None = None) -> None:
        """Update metadata.json and close everything; `state` is shown in lists."""
        if state is not None and state not in STATES:
            raise UsageError(f"{state!r} is no state", hint=f"one of {', '.join(STATES)}")
        recorder, self._recorder, self._closed = self._recorder, None, True
        if recorder is None:
            return
        if self._write:
            recorder.metadata.state = state
            recorder.update_metadata()
        recorder.opened.close()

    def __enter__(self) -> Session:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()
