"""A document: everything that one source holds, as values, in one format."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cached_property

from talktree.errors import NotFound, UsageError
from talktree.model.conversation import Conversation
from talktree.model.findings import Finding


class Document:
    """The conversations of one source."""

    def __init__(
        self,
        *,
        format: str,
        name: str,
        conversations: Sequence[Conversation],
        origin: object,
        inspect: Callable[[], list[Finding]],
        glance: Callable[[], list[Finding]] | None = None,
        shown: str | None = None,
    ) -> None:
        self._format = format
        self.name = name
        self.shown = shown or name
        """Its name in messages: the path as the user gave it."""
        self._conversations = tuple(conversations)
        self._origin = origin
        self._inspect = inspect
        self._glance = inspect if glance is None else glance

    def __repr__(self) -> str:
        count = len(self.conversations)
        what = f"{count} conversation{'s' if count != 1 else ''}"
        return f"<{type(self).__name__} {self.shown} ({self.format}, {what})>"

    @property
    def format(self) -> str:
        """The slug of the format it was read as."""
        return self._format

    @property
    def conversations(self) -> tuple[Conversation, ...]:
        """All conversations in it."""
        return self._conversations

    @property
    def origin(self) -> object:
        """What the engine needs to write it again; opaque to all other code."""
        return self._origin

    @cached_property
    def findings(self) -> list[Finding]:
        """All findings from reading; the first access reads all bytes."""
        return [
            *self._inspect(),
            *(found for each in self.conversations for found in each.skeleton.findings),
        ]

    @cached_property
    def quick_findings(self) -> list[Finding]:
        """The same, but of large files only the findings from splitting them into records."""
        return [
            *self._glance(),
            *(found for each in self.conversations for found in each.skeleton.findings),
        ]

    @property
    def conversation(self) -> Conversation:
        """The only conversation in it."""
        if len(self.conversations) != 1:
            raise UsageError(
                f"{self.shown} holds {len(self.conversations)} conversations, not one",
                hint="choose one of `document.conversations`",
            )
        return self.conversations[0]

    def find(self, id: str) -> Conversation:
        """Return the conversation with an id or a key."""
        for each in self.conversations:
            if each.id == id:
                return each
        for each in self.conversations:
            if each.native_id == id:
                return each
        raise NotFound(f"no conversation {id} in {self.shown}")

    def with_conversation(self, changed: Conversation) -> Document:
        """Return the same document with one conversation replaced by its edited version."""
        if all(each.id != changed.id for each in self.conversations):
            raise NotFound(f"no conversation {changed.id} in {self.shown}")
        return self._with_conversations(
            [changed if each.id == changed.id else each for each in self.conversations]
        )

    def with_only(self, conversation: Conversation) -> Document:
        """Return the document with only one conversation, for a conversion."""
        return self._with_conversations([conversation])

    def with_these(self, conversations: Sequence[Conversation]) -> Document:
        """Return the document with only some conversations, for a conversion."""
        return self._with_conversations(conversations)

    def _with_conversations(self, conversations: Sequence[Conversation]) -> Document:
        return Document(
            format=self.format,
            name=self.name,
            conversations=conversations,
            origin=self.origin,
            inspect=self._inspect,
            glance=self._glance,
            shown=self.shown,
        )
