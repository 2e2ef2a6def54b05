"""New messages, filled in by a format's own `adopt` with facts of their conversation."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice

from msgspec.structs import replace

from talktree.formats.format import ConversationInfo, Format
from talktree.model.conversation import Conversation
from talktree.model.entries import Head
from talktree.model.message import Message
from talktree.text.uuids import make_uuid

LOOKED_AT = 20
"""Maximum number of entries that are searched for a conversation's session and context."""


def fill_by_adopting(format: Format, message: Message, conversation: Conversation) -> Message:
    """Return a message with the fields that `adopt` gives it, and its own content.

    If `adopt` would change the content, only the session and the context are used.
    """
    about = infer_about(message, conversation)
    adopted = format.adopt(message, about, moment=message.time_ns or 0)
    same = replace(
        adopted, id=message.id, parent=message.parent, session=message.session or adopted.session
    )
    if _content_key(same) == _content_key(message):
        return same
    return replace(message, session=same.session, context=same.context)


def _content_key(message: Message) -> object:
    return message.role, message.parts, message.time_ns, message.flags, message.follows


def infer_about(message: Message, conversation: Conversation) -> ConversationInfo:
    """Return what is known about the conversation that a new message belongs to."""
    session, context = message.session, message.context
    named: str | None = None
    for entry in _iterate_other_entries(conversation, message):
        if isinstance(entry, Message):
            session = session or entry.session
            context = context or entry.context
        elif isinstance(entry, Head):
            diagnostic = entry.extra.get("sessionId")
            named = named or (diagnostic if isinstance(diagnostic, str) else entry.id) or None
    stem = conversation.id.rpartition("/")[2]
    return ConversationInfo(
        id=conversation.id,
        format=conversation.format,
        session=session or make_uuid(named or stem, ""),
        title=None,
        started=message.time_ns,
        updated=message.time_ns,
        count=1,
        context=context,
        habits=conversation.skeleton.habits,
    )


def _iterate_other_entries(
    conversation: Conversation, message: Message
) -> Iterator[Message | Head]:
    """Yield the first entries of a conversation other than the message itself."""
    positions = range(min(LOOKED_AT, conversation.record_count))
    for entry in islice(conversation.entries_at(positions), LOOKED_AT):
        if isinstance(entry, Message | Head) and entry.id != message.id:
            yield entry
