"""One session, with all its verbs. Each is thin: the module that knows how does the work.

What is said is acknowledged when the call returns. Everything that moves a session comes as a plan
first; nothing here deletes anything.
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
from talktree.session.branches import Branch
from talktree.session.capture.step import FilePath, Unprotected, Work
from talktree.session.config import Settings
from talktree.session.errors import plainly
from talktree.session.handle import Opened
from talktree.session.legacy import Older
from talktree.session.metadata import STATES, Metadata
from talktree.session.navigation import Travels
from talktree.session.recording import children as _children
from talktree.session.recording import compaction as _compaction
from talktree.session.recording import todos as _todos
from talktree.session.recording.api import Verbs
from talktree.session.recording.children import Child, Sidechain
from talktree.session.recording.compaction import Statistics
from talktree.session.recording.context import Difference, Surroundings, differences
from talktree.session.recording.recorder import At, Recorder, Where, find_call, unanswered
from talktree.session.recording.thinking import Asked, effective, setting
from talktree.session.recording.todos import Progress
from talktree.session.undo.recover import recover
from talktree.session.workspace import Parent, told_at_begin
from talktree.text.times import to_iso

if TYPE_CHECKING:
    from talktree.session.store import Store


@plainly
class Session(Verbs, Travels):
    """A handle on a session; close it, or use it as a context manager."""

    def __init__(
        self,
        store: Store,
        opening: Callable[[], Opened],
        *,
        id: str,
        settings: Settings,
        older: Older | None = None,
        write: bool = True,
    ) -> None:
        self.id = id
        self.store = store
        self._opening = opening
        self._settings = settings
        self._older = older
        self._write = write
        self._surroundings = Surroundings(version=settings.version, user_type=settings.user_type)
        self._phrases = settings.phrases
        self._opened: Opened | None = None
        self._recorder: Recorder | None = None
        self._closed = False

    def __repr__(self) -> str:
        return f"<Session {self.id} in {self.store.root}{' (closed)' if self._closed else ''}>"

    @property
    def opened(self) -> Opened:
        """The parts of the session; of an older file it makes the folder beside it."""
        return self._begun().opened

    @property
    def notices(self) -> list[str]:
        """What people should know: what was found while opening and what came up since."""
        return [] if self._opened is None else self._opened.notices

    def begin(self) -> None:
        """Open the session's folder, finish what was interrupted, look where it stands."""
        self._begun()

    def _begun(self) -> Recorder:
        if self._recorder is not None:
            return self._recorder
        if self._closed:
            raise UsageError("the session is closed", hint="open it again")
        opened = self._opened = self._opening()
        if self._write:
            opened.notices += recover(opened)
        told = told_at_begin(opened.index.operations())
        if self._older is not None and self._older.title is not None:
            told = {"customTitle": self._older.title, **told}
        if self._older is not None and self._older.created is not None:
            told = {"createdAt": to_iso(self._older.created), **told}
        metadata = Metadata(opened.folder, opened.journal, opened.session, told)
        last = None if self._older is None else self._older.leaf
        older = None if self._older is None or last is None else (self._older.name, last)
        self._recorder = Recorder(opened, self._surroundings, metadata, older=older)
        if self._write:
            self._recorder.describe()
        return self._recorder

    # saying

    def _say(self, *drafts: Message, at: At = Where.LEAF) -> list[str]:
        self._may_write()
        return self._begun().write(*drafts, at=at)

    def _ask(self, asked: Asked, text: str) -> ThinkingSetting | None:
        return setting(asked, text, self._phrases)

    def _tool(self, call: str, parent: str | None) -> str | None:
        known = self._begun().tools
        if call in known:
            return known[call]
        # Called by an earlier process of the same agent, as a rule.
        end = self._end(parent)
        own = None if end is None or self._is_older(end) else end
        found = find_call(self.opened.index, own, call)
        if found is None and self._older is not None:
            parts = (part for message in self._older.messages() for part in message.parts)
            calls = (part for part in parts if isinstance(part, ToolCall))
            found = next((each for each in calls if each.id == call), None)
        if found is not None:
            known[call] = found.name
        return None if found is None else found.name

    def _may_write(self) -> None:
        if not self._write:
            raise UsageError("the session is open for reading only", hint="open it with write=True")

    def step(
        self,
        message: str | None = None,
        *,
        paths: Iterable[FilePath] = (),
        watch: Iterable[FilePath] = (),
        unprotected: Unprotected = "refuse",
    ) -> Work:
        """The time in which a tool works for a message (the last one unless another is named).

        What is at `paths` is kept before the tool runs; whatever changes below the `watch`ed
        folders (`.` for all of the workspace) is found when it ends. Paths are relative to the
        workspace, wherever the process was started. Inside, `track` adds paths.
        """
        self._may_write()
        recorder = self._begun()
        owner = recorder.leaf if message is None else self._meant(message)
        if owner is None:
            raise UsageError("there is no message to work for yet", hint="record one first")
        if owner == recorder.leaf and recorder.point is not None:
            # Files went back to that message: what is done from there is not what it did then.
            owner = recorder.point
        return Work(self.opened, owner, paths, watch, unprotected)

    # where it stands

    @property
    def leaf(self) -> str | None:
        """The message this handle continues from."""
        if self._recorder is None and self._older is not None:
            return self._older.leaf
        return self._begun().leaf

    def refresh(self) -> None:
        """Go to where the session stands now, after somebody else moved it."""
        self._begun().look()

    def unanswered(self) -> tuple[ToolCall, ...]:
        """The calls of the last reply that have no result: an agent that goes on answers them."""
        return unanswered(self.opened.index, self.leaf)

    def thinking(self) -> ThinkingSetting:
        """The thinking to ask the model for with the next request.

        The last prompt decides: the level that was given or that its words ask for, with what
        triggered it, or that it is disabled (then the level is `none`). A prompt that says nothing
        gets the level of the store's settings, `none` unless set.
        """
        leaf = self.leaf
        own = None if leaf is None or self._is_older(leaf) else leaf
        return effective(self.opened.index, own, self._settings.thinking)

    def current_todos(self) -> tuple[Todo, ...]:
        """The tasks as they stand where this handle is."""
        return () if self._recorder is None else self._recorder.todos

    def todos_at(self, message: str) -> tuple[Todo, ...]:
        """The tasks as they stood at a message."""
        return _todos.todos_at(self.opened.index, self._meant(message))

    def todo_progress(self, message: str | None = None) -> list[Progress]:
        """How the tasks went, up to a message or to where the session stands."""
        end = self.leaf if message is None else self._meant(message)
        return [] if end is None else list(_todos.progress(self.opened.index, end))

    def context_now(self) -> Context:
        """Where this process is."""
        return self._surroundings.now()

    def differences(self, message: str | None = None) -> tuple[Difference, ...]:
        """How the place a message was written in differs from where this process is now."""
        end = self.leaf if message is None else self._meant(message)
        if end is None:
            return ()
        return differences(self.message(end).context, self.context_now())

    # reading

    def message(self, id: str) -> Message:
        """A message by its id, the beginning of it, or the name of a branch."""
        if self._older is not None and id.startswith("@"):
            for message in self._older.messages():
                if message.id == id:
                    return message
            raise NotFound(f"there is no message {id!r}", hint="name a message of this session")
        index = self.opened.index
        return index.message(index.find(self._meant(id)))

    def full_messages(self, message: str | None = None) -> list[Message]:
        """Everything said on the way to a message, whatever was compacted since."""
        end = self._end(message)
        if end is None or self._is_older(end):
            return list(self._before(end))
        found = _compaction.full(self.opened.index, end)
        return [*self._before(self._continued(found)), *found]

    def context_messages(self, message: str | None = None) -> list[Message]:
        """What a model is sent at a message: since a compaction, its summary and what follows."""
        end = self._end(message)
        if end is None or self._is_older(end):
            return list(self._before(end))
        found = _compaction.context(self.opened.index, end)
        return [*self._before(self._continued(found)), *found]

    def _end(self, message: str | None) -> str | None:
        return self.leaf if message is None else self._meant(message)

    def _meant(self, message: str) -> str:
        return message if self._is_older(message) else _branches.meant(self.opened, message)

    def _is_older(self, id: str) -> bool:
        return self._older is not None and id.startswith("@")

    def _before(self, id: str | None) -> tuple[Message, ...]:
        """What the older file says up to a message of it."""
        return () if self._older is None or id is None else self._older.until(id)

    def _continued(self, found: list[Message]) -> str | None:
        """The message of the older file that the first of these follows."""
        told: Any = found[0].extra.get(CONTINUES) if found else None
        alias = told.get("message") if isinstance(told, dict) else None
        if isinstance(alias, str):
            return alias
        # A move to before everything in the folder leads back to the end of the older file.
        back = self._older is not None and found and found[0].parent is None
        return self._older.leaf if back and self._older and "operation" in found[0].extra else None

    # branches

    def branches(self) -> list[Branch]:
        """All branches, with their names."""
        return _branches.branches(self.opened)

    def name(self, name: str, message: str | None = None) -> str:
        """Give the line that ends at a message a name; gives back the message's id."""
        self._may_write()
        end = self._end(message)
        if end is None:
            raise UsageError("there is nothing to name yet", hint="record a message first")
        return _branches.name(self.opened, name, end)

    def unname(self, name: str) -> None:
        """Take a name away, and nothing else."""
        self._may_write()
        _branches.unname(self.opened, name)

    def edit(self, message: str, text: str, *, thinking: Asked = None) -> str:
        """Say something else in place of a prompt: a sibling of it, from which it goes on."""
        found = self.message(message)
        if found.role != "user":
            raise UsageError(
                "only what the user said can be said otherwise", hint="name a user message"
            )
        above = found.parent or self._continued([found])
        parts = (Text(text),)
        draft = Message(role="user", parts=parts, thinking=self._ask(thinking, text))
        return self._say(draft, at=Where.ROOT if above is None else above)[0]

    # sub-agents

    def sidechain(self, at: str | None = None) -> Sidechain:
        """A line beside the main one, from a message on; it never becomes the current one."""
        start = self._end(at)
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
        """A session of its own for a sub-agent, linked with this one both ways."""
        self._may_write()
        at = self._end(message)
        place = self.opened.workspace
        if workspace is None and place is None:
            raise UsageError("the session has no workspace", hint="name one with workspace=")
        made = self.store.create(
            title=title,
            workspace=workspace or (None if place is None else place.path),
            durability=self.opened.journal.durability,
            parent=Parent(self.id, at),
        )
        _children.tell(self.opened, Child(made.id, at, agent))
        return made

    def children(self) -> list[Child]:
        """The sessions that were begun from this one."""
        return _children.children(self.opened)

    # compaction

    def compacting(self, *, trigger: str = "manual", tokens: int | None = None) -> str:
        """Tell that the conversation is about to be compacted."""
        before = {"messages": len(self.context_messages()), "trigger": trigger}
        told = before if tokens is None else {**before, "tokens": tokens}
        return self._say(
            _compaction.mark(_compaction.COMPACTING, "Compacting the conversation", told)
        )[0]

    def compacted(
        self, summary: str, *, tokens_before: int | None = None, tokens_after: int | None = None
    ) -> str:
        """Let a summary stand for what was said so far, which stays; gives the summary's id."""
        before = len(self.context_messages())
        counted = Statistics(before, 1, tokens_before, tokens_after)
        return self._say(*_compaction.compacted(summary, counted))[1]

    def restoring(self) -> str:
        """Tell that everything said is about to come back into the context."""
        told = {"messages": len(self.context_messages())}
        text = "Restoring the conversation"
        return self._say(_compaction.mark(_compaction.RESTORING, text, told))[0]

    def restored(self) -> str:
        """Let the context be everything that was said again."""
        before, after = len(self.context_messages()), len(self.full_messages())
        told = Statistics(before, after).to_json()
        text = f"Conversation restored: {after} messages"
        return self._say(_compaction.mark(_compaction.RESTORED, text, told))[0]

    # the end

    def close(self, *, state: str | None = None) -> None:
        """Bring metadata.json up to date and let go of everything; `state` as lists show it."""
        if state is not None and state not in STATES:
            raise UsageError(f"{state!r} is no state", hint=f"one of {', '.join(STATES)}")
        recorder, self._recorder, self._closed = self._recorder, None, True
        if recorder is None:
            return
        if self._write:
            recorder.metadata.state = state
            recorder.describe()
        recorder.opened.close()

    def __enter__(self) -> Session:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()
