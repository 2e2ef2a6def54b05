"""Messages and conversations of other formats, with all core fields of the specification.

No clock and no random numbers are used. Texts lose surrogates, which strict readers of JSON refuse;
times are cut to milliseconds.
"""

from __future__ import annotations

from hashlib import blake2b

from msgspec.structs import replace

from talktree.formats.format import ConversationInfo
from talktree.formats.muse.lens import read_text
from talktree.model.conversation import Conversation
from talktree.model.entries import Head
from talktree.model.message import Author, Message
from talktree.model.parts import Text
from talktree.text.times import MILLI, to_millis

SCHEMA = 2
"""The version in the specification's example."""


def adopt_message(message: Message, about: ConversationInfo, *, moment: int) -> Message:
    """Return a message with id, request, time, role, content, author and tags."""
    said = [part.text for part in message.parts if isinstance(part, Text)]
    named = ", ".join(author.name for author in message.authors if author.name)
    time = moment if message.time_ns is None else message.time_ns
    return replace(
        message,
        id=_readable_id(message.id),
        parts=(Text(replace_surrogates("\n\n".join(said))),),
        time_ns=to_millis(time) * MILLI,
        authors=(Author(replace_surrogates(named) or message.role),),
        tags=tuple(map(replace_surrogates, message.tags)),
        extra={**message.extra, "request_id": _request_id(message)},
    )


def _request_id(message: Message) -> str:
    """Return the request id that question and answer share: it is named after the question."""
    asked = message.parent if message.role == "assistant" else None
    return _readable_id(asked or message.id)


def with_request(message: Message, conversation: Conversation) -> Message:
    """Return a new message with an author, and the request of the question that it answers."""
    authors = message.authors or (Author(message.role),)
    if "request_id" in message.extra:
        return replace(message, authors=authors)
    asked = message.parent if message.role == "assistant" else None
    diagnostic = None if asked is None else conversation[asked].extra.get("request_id")
    request = diagnostic if isinstance(diagnostic, str) else _request_id(message)
    return replace(message, authors=authors, extra={**message.extra, "request_id": request})


def _readable_id(id: str) -> str:
    """Return an id that reads back unchanged: no surrogates, no printed `ObjectId(...)`."""
    if replace_surrogates(id) == id == read_text(id):
        return id
    return blake2b(id.encode("utf-8", "surrogatepass"), digest_size=12).hexdigest()


def make_history_head(about: ConversationInfo) -> Head:
    """Return the root object of a conversation of another format."""
    updated = about.started or 0 if about.updated is None else about.updated
    return Head(
        id=about.session,
        title=None if about.title is None else replace_surrogates(about.title),
        updated_ns=to_millis(updated) * MILLI,
        extra={"_id": about.session, "schema_version": SCHEMA},
    )


def replace_surrogates(text: str) -> str:
    """Return a text with surrogates replaced; a surrogate pair becomes one character."""
    if text.isascii():
        return text
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
