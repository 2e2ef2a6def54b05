"""Messages and conversations from elsewhere, with every field the document lists as a core one.

Nothing is taken from the clock or made up at random. Texts lose the halves of characters that
strict readers of JSON refuse; times lose what is finer than a millisecond.
"""

from __future__ import annotations

from hashlib import blake2b

from msgspec.structs import replace

from talktree.formats.format import About
from talktree.formats.muse.lens import text_of
from talktree.model.conversation import Conversation
from talktree.model.entries import Head
from talktree.model.message import Author, Message
from talktree.model.parts import Text
from talktree.text.times import MILLI, to_millis

SCHEMA = 2
"""The version the document's example names."""


def adopted_message(message: Message, about: About, *, moment: int) -> Message:
    """A message with id, request, time, role, content, author and tags."""
    said = [part.text for part in message.parts if isinstance(part, Text)]
    named = ", ".join(author.name for author in message.authors if author.name)
    time = moment if message.time_ns is None else message.time_ns
    return replace(
        message,
        id=_name(message.id),
        parts=(Text(whole("\n\n".join(said))),),
        time_ns=to_millis(time) * MILLI,
        authors=(Author(whole(named) or message.role),),
        tags=tuple(map(whole, message.tags)),
        extra={**message.extra, "request_id": _request(message)},
    )


def _request(message: Message) -> str:
    """Question and answer share a request: it is called like the question."""
    asked = message.parent if message.role == "assistant" else None
    return _name(asked or message.id)


def with_request(message: Message, conversation: Conversation) -> Message:
    """A new message with an author, and the request of the question that it answers."""
    authors = message.authors or (Author(message.role),)
    if "request_id" in message.extra:
        return replace(message, authors=authors)
    asked = message.parent if message.role == "assistant" else None
    told = None if asked is None else conversation[asked].extra.get("request_id")
    request = told if isinstance(told, str) else _request(message)
    return replace(message, authors=authors, extra={**message.extra, "request_id": request})


def _name(id: str) -> str:
    """An id as it is read again: nothing strict readers refuse, no printed `ObjectId(...)`."""
    if whole(id) == id == text_of(id):
        return id
    return blake2b(id.encode("utf-8", "surrogatepass"), digest_size=12).hexdigest()


def history_head(about: About) -> Head:
    """The root object of a conversation from elsewhere."""
    updated = about.started or 0 if about.updated is None else about.updated
    return Head(
        id=about.session,
        title=None if about.title is None else whole(about.title),
        updated_ns=to_millis(updated) * MILLI,
        extra={"_id": about.session, "schema_version": SCHEMA},
    )


def whole(text: str) -> str:
    """A text with halves of characters replaced, two of them side by side made one."""
    if text.isascii():
        return text
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
