"""A conversation that is being written: methods change it, but the values it returns never change.

Every method is one of the operations of `talktree edit` and the studio. What the format cannot hold
is refused immediately, without any change.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import overload

from talktree import api
from talktree.authoring.reply_queue import ReplyQueue
from talktree.authoring.values import (
    Moment,
    choose_new_id,
    parse_author,
    parse_thinking_level,
    parse_time,
    read_attachment_file,
    require_text,
    resolve_message_id,
)
from talktree.errors import UsageError, WouldLose
from talktree.formats import get_format
from talktree.formats.attachment_review import review_attachment
from talktree.formats.blocks import make_attach_file_operation
from talktree.formats.engine.new_document import with_conversation
from talktree.formats.engine.write import apply_edit, refuse_role, refuse_unwritable
from talktree.model import operations
from talktree.model.conversation import Conversation
from talktree.model.counts import ConversationCounts
from talktree.model.document import Document
from talktree.model.findings import Finding
from talktree.model.message import DELETED, Author, Context, Message, ThinkingLevel
from talktree.model.operations import DeleteMessage, Operation, RemoveMessage
from talktree.model.tree import Branch, Tree
from talktree.text.times import MILLI

ROOT = "root"
"""Means no message: what follows it is a beginning."""


class _Work:
    """The state that all forks of a draft share."""

    def __init__(self, document: Document, id: str) -> None:
        self.queue = ReplyQueue(document, id)
        self.newest: int | None = None
        """The time of the newest message that was written."""

    @property
    def document(self) -> Document:
        """The document with everything that was written."""
        return self.queue.flush()

    @document.setter
    def document(self, document: Document) -> None:
        """Continue from another document."""
        self.queue = ReplyQueue(document, self.queue.id)


class Draft(Document):
    """A document whose one conversation can be written.

    It reads like the conversation: `for message in draft`, `len(draft)`, `draft[0]`.
    """

    def __init__(
        self,
        document: Document,
        *,
        conversation: str | None = None,
        context: Context | None = None,
        place: Path | None = None,
    ) -> None:
        super().__init__(
            format=document.format,
            name=document.name,
            conversations=(),
            origin=document.origin,
            inspect=list,
            shown=document.shown,
        )
        chosen = document.conversation if conversation is None else document.find(conversation)
        self._work = _Work(document, chosen.id)
        self._id = chosen.id
        self._context = context
        self._place = place
        self._tip: str | None = None
        self._kind = get_format(document.format)

    # contents

    @property
    def document(self) -> Document:
        """The document as it is now; later changes do not change it."""
        return self._work.document

    @property
    def conversations(self) -> tuple[Conversation, ...]:
        """All conversations in it."""
        return self.document.conversations

    @property
    def conversation(self) -> Conversation:
        """The conversation as it is now; later changes do not change it."""
        return self.document.find(self._id)

    @property
    def findings(self) -> list[Finding]:
        """What reading reported."""
        return self.document.findings

    @property
    def quick_findings(self) -> list[Finding]:
        """What reading reported, only in part for large files."""
        return self.document.quick_findings

    def with_conversation(self, changed: Conversation) -> Document:
        """Return a document with one conversation replaced; the draft does not change."""
        return self.document.with_conversation(changed)

    def with_only(self, conversation: Conversation) -> Document:
        """Return a document with one of its conversations."""
        return self.document.with_only(conversation)

    def with_these(self, conversations: Sequence[Conversation]) -> Document:
        """Return a document with some of its conversations."""
        return self.document.with_these(conversations)

    @property
    def id(self) -> str:
        """The key of the conversation."""
        return self._id

    @property
    def title(self) -> str | None:
        """The title of the conversation."""
        return self.conversation.title

    @property
    def tree(self) -> Tree:
        """The tree of the conversation."""
        return self.conversation.tree

    @property
    def counts(self) -> ConversationCounts:
        """The counts of the conversation."""
        return self.conversation.counts

    def messages(self) -> Iterator[Message]:
        """Yield all messages of all branches in source order."""
        return self.conversation.messages()

    def branches(self) -> list[Branch]:
        """Return every branch, the active one first."""
        return self.conversation.branches()

    def path(self, leaf: str | None = None) -> list[Message]:
        """Return the messages from the start to a leaf, by default to the last message."""
        last = self.last
        return self.conversation.path(last.id if leaf is None and last else leaf)

    @property
    def last(self) -> Message | None:
        """The message that the next reply follows; None if there is none."""
        queue = self._work.queue
        if queue.can_follow(self._tip):
            return queue.last
        conversation = self.conversation
        if self._tip is not None and self._tip in conversation:
            return conversation[self._tip]
        path = conversation.path()
        return path[-1] if path else None

    def __len__(self) -> int:
        """Return the number of messages."""
        return len(self._work.queue)

    def __bool__(self) -> bool:
        return True

    def __iter__(self) -> Iterator[Message]:
        return self.messages()

    def __contains__(self, item: object) -> bool:
        return item in self.conversation

    @overload
    def __getitem__(self, id: str | int) -> Message: ...

    @overload
    def __getitem__(self, id: slice) -> list[Message]: ...

    def __getitem__(self, id: str | int | slice) -> Message | list[Message]:
        return self.conversation[id]

    def __repr__(self) -> str:
        count = f"{len(self)} message{'' if len(self) == 1 else 's'}"
        title = f" {self.title!r}" if self.title else ""
        return f"<Draft {self._id}{title} ({self.format}, {count})>"

    # methods

    def reply(
        self,
        text: str,
        *,
        role: str = "user",
        to: str | Message | None = None,
        id: str | None = None,
        time: Moment | None = None,
        author: str | Author | None = None,
        thinking: ThinkingLevel | None = None,
    ) -> Message:
        """Add a message below the last one, or below another one; `root` makes it a beginning.

        Its id, its time and everything that the format requires are filled in.
        """
        kind, queue = self._kind, self._work.queue
        require_text(text, "a text")
        refuse_role(kind, require_text(role, "a role"))
        queued = to is None and id is None and queue.can_follow(self._tip)
        conversation = queue.end() if queued else self.conversation
        above = self._tip if queued else self._find_parent_id(conversation, to)
        own = None if id is None else choose_new_id(kind, conversation, id)
        near = None if above is None else conversation[above]
        operation = operations.reply(
            conversation,
            above,
            text,
            role,
            new_id=kind.new_id if own is None else lambda _: own,
            time=self._choose_time(time),
            author=None if author is None else parse_author(author),
            thinking=None if thinking is None else parse_thinking_level(thinking),
            context=self._context if near is None or near.context is None else None,
        )
        if queued:
            message = queue.add(operation)
        else:
            self.do(operation)
            message = self.conversation[operation.id]
        self._tip, self._work.newest = operation.id, operation.time
        return message

    def attach(
        self,
        path: str | Path,
        *,
        to: str | Message | None = None,
        name: str | None = None,
        media_type: str | None = None,
        accept_suspicious: bool = False,
    ) -> Message:
        """Attach a file to the last message, or to another one.

        A dangerous file is refused, and a suspicious one unless it is accepted.
        """
        about = self._resolve_message_id(to)
        file, data = read_attachment_file(path)
        kind = None if media_type is None else require_text(media_type, "a media type")
        shown = file.name if name is None else require_text(name, "a name")
        review = review_attachment(data, shown, claimed=kind or "")
        review.require(str(file), accept=accept_suspicious)
        self.do(make_attach_file_operation(self._kind, about, shown, data, kind))
        return self.conversation[about]

    def add_artifact(
        self,
        title: str,
        content: str,
        *,
        media_type: str | None = None,
        to: str | Message | None = None,
    ) -> Message:
        """Add an artifact to the last message, or to another one: code, a page, a diagram.

        Without a media type, the format derives it from the title and the content.
        """
        about = self._resolve_message_id(to)
        require_text(title, "a title")
        require_text(content, "a content")
        if media_type is not None:
            require_text(media_type, "a media type")
        make = operations.artifact
        new = self._kind.new_id
        self.do(make(self.conversation, about, title, content, media_type, new_id=new))
        return self.conversation[about]

    def fork(self, at: str | Message | None = None) -> Draft:
        """Return another draft of the same conversation, whose next reply follows another message.

        What is written in one of them is in all of them.
        """
        if not self._kind.can.branches:
            raise WouldLose(
                f"{self.format} holds one line of messages, no branches",
                hint="write it to a format that has branches",
            )
        other = Draft(
            self.document, conversation=self._id, context=self._context, place=self._place
        )
        other._work = self._work
        if len(self):
            other._tip = self._resolve_message_id(at)
        elif at is not None:
            resolve_message_id(self.conversation, at)
        return other

    def edit(self, id: str | Message, text: str, *, branch: bool = False) -> Message:
        """Change the text of a message: in the message itself, or as a new branch next to it."""
        about = resolve_message_id(self.conversation, id)
        require_text(text, "a text")
        if not branch:
            self.do(operations.replace(self.conversation, about, text))
            return self.conversation[about]
        operation = operations.revise(self.conversation, about, text, new_id=self._kind.new_id)
        self.do(operation)
        self._tip = operation.id
        return self.conversation[operation.id]

    def delete(self, id: str | Message) -> None:
        """Mark a message as deleted; it is removed if the format has no such mark."""
        about = resolve_message_id(self.conversation, id)
        if DELETED not in self._kind.can.flags:
            self.remove(about)
            return
        self._do_and_step_back(operations.delete(self.conversation, about))

    def undelete(self, id: str | Message) -> Message:
        """Remove the mark of a deleted message."""
        about = resolve_message_id(self.conversation, id)
        self.do(operations.undelete(self.conversation, about))
        return self.conversation[about]

    def remove(self, id: str | Message) -> None:
        """Remove a message; what followed it follows the message before it."""
        about = resolve_message_id(self.conversation, id)
        self._do_and_step_back(operations.remove(self.conversation, about))

    def move(self, id: str | Message, to: str | Message) -> Message:
        """Move a message and all below it to another parent; `root` makes it a beginning."""
        conversation = self.conversation
        about = resolve_message_id(conversation, id)
        self.do(operations.move(conversation, about, self._find_parent_id(conversation, to)))
        return self.conversation[about]

    def retype(self, id: str | Message, role: str) -> Message:
        """Give a message another role."""
        about = resolve_message_id(self.conversation, id)
        self.do(operations.retype(self.conversation, about, require_text(role, "a role")))
        return self.conversation[about]

    def do(self, operation: Operation) -> None:
        """Execute an operation; refused without any change if the format cannot hold the result."""
        before = self.conversation
        after = apply_edit(self.document, self._id, operation)
        refuse_unwritable(before, after)
        self._work.document = after

    def save(self, path: str | Path | None = None, *, force: bool = False) -> list[Path]:
        """Write it in its format, and return what was written.

        An existing output is replaced only with `force`. Without a path, it replaces the file that
        it was read from, after a verified backup.
        """
        if path is not None:
            return api.write(self.document, path, force=force)
        place = self._place or api.source_of(self.document).place
        if place is None:
            raise UsageError("say where it goes", hint="save('path')")
        changed = api.save_edited(self.document, place).changed
        # It continues from what is there now.
        again = api.read(place, format=self.format, alone=True)
        self._work.document = with_conversation(again)
        return list(changed)

    # details

    def _find_parent_id(self, conversation: Conversation, to: object) -> str | None:
        """Return the message that a new one follows; None for a beginning."""
        if to is None:
            last = self.last
            return None if last is None else last.id
        return (
            None
            if to == ROOT and ROOT not in conversation
            else resolve_message_id(conversation, to)
        )

    def _resolve_message_id(self, to: object) -> str:
        """Return the id of the given message: the last one unless another is named."""
        if to is not None:
            return resolve_message_id(self.conversation, to)
        last = self.last
        if last is None:
            raise UsageError("there is no message yet", hint="reply() writes one")
        return last.id

    def _do_and_step_back(self, operation: DeleteMessage | RemoveMessage) -> None:
        """Execute an operation after which the next reply no longer follows the message."""
        parent = self.conversation[operation.about].parent
        self.do(operation)
        if self._tip == operation.about:
            self._tip = parent

    def _choose_time(self, given: Moment | None) -> int:
        """Return the time of a new message, later than that of the message written before it."""
        if given is not None:
            return parse_time(given, self._kind)
        newest = self._work.newest
        return operations.now() if newest is None else max(operations.now(), newest + MILLI)
