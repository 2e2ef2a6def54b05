"""The telling of entries: what a message, a title or a snapshot gives to find and to count.

This is what pieces and facts are, for every format.
"""

from __future__ import annotations

from talktree.library.reading.keys import count, lone_key, moment, reply_key, seconds
from talktree.library.reading.natives import Extras, carried, extras_of, measures_of
from talktree.library.reading.parts import Parts
from talktree.library.reading.tags import tags_of
from talktree.library.reading.telling import SYNTHETIC, Telling
from talktree.library.reading.texts import short_title, whole
from talktree.library.reading.told import COMPACT, ERROR, MESSAGE, SIDECHAIN, Piece, Reply
from talktree.model import message as flags
from talktree.model.entries import Entry, Head, Snapshot
from talktree.model.message import Message
from talktree.model.titles import rank


def tell_entry(telling: Telling, entry: Entry, at: int, own: str = "") -> int:
    """Tell of an entry with an id of its own; what comes back are the bits of its link."""
    match entry:
        case Message():
            return _message(telling, entry, at, own)
        case Head():
            _head(telling, entry, at)
        case Snapshot():
            names = "\n".join(whole(name) for name in entry.files)
            if names:
                tags = tags_of(telling.format, "other", "")
                time = seconds(entry.time)
                telling.pieces.append(Piece(at, "other", "", "", time, tags, names))
        case _:
            pass
    return 0


def _message(telling: Telling, message: Message, at: int, own: str) -> int:
    context, time = message.context, moment(message.time)
    telling.roles[message.role] = telling.roles.get(message.role, 0) + 1
    extras = extras_of(telling.format, message)
    side = flags.SIDECHAIN in message.flags
    telling.place(
        message.session,
        message.agent,
        context.cwd if context else None,
        context.git_branch if context else None,
        time,
        extras.parent,
        side=side,
    )
    reply = None
    if message.usage is not None and message.model != SYNTHETIC:
        reply = _reply(telling, message, at, own, extras)
    inner = carried(telling.format, message)
    if inner is not None and inner.usage is not None and inner.model != SYNTHETIC:
        _reply(telling, inner, at, inner.id, extras_of(telling.format, inner))
    if telling.format == "muse":
        telling.measures += measures_of(message, time)
    teller = Parts(telling, message, at, time, reply)
    for part in message.parts:
        teller.take(part)
    if message.todos:
        teller.todos(message.todos, told_before=True)
    failed = flags.ERROR in message.flags or teller.failed
    return (
        bool(message.parts) * MESSAGE
        | teller.compacts * COMPACT
        | failed * ERROR
        | side * SIDECHAIN
    )


def _reply(telling: Telling, message: Message, at: int, own: str, extras: Extras) -> int:
    assert message.usage is not None
    used, time, request = message.usage, moment(message.time), extras.request
    counts = (
        count(used.input),
        count(used.output),
        count(used.cache_read),
        count(used.cache_write if extras.written is None else extras.written),
        extras.hour,
    )
    if message.api_message or request:
        key = reply_key(message.api_message, request)
    else:
        key = lone_key(own, message.session, time, message.model, counts)
    side = flags.SIDECHAIN in message.flags
    model = None if message.model is None else whole(message.model)
    telling.replies.append(Reply(key, at, time, model, *counts, side))
    if model:
        telling.models[model] = None
    return key


def _head(telling: Telling, head: Head, at: int) -> None:
    if not head.title or head.title.isspace():
        return
    title = whole(head.title)
    good = rank(head)
    if good >= telling.rank:
        telling.title, telling.rank = short_title(title) or title[:100], good
    tags = tags_of(telling.format, "summary", "")
    telling.pieces.append(Piece(at, "summary", "", title, seconds(head.time), tags, ""))
