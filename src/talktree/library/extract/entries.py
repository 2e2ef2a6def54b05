"""The telling of entries: what a message, a title or a snapshot gives to find and to count.

This is what pieces and facts are, for every format.
"""

from __future__ import annotations

from talktree.formats import by_slug
from talktree.library.extract.collector import Telling
from talktree.library.extract.format_metrics import parent_session
from talktree.library.extract.keys import moment, seconds
from talktree.library.extract.parts import Parts
from talktree.library.extract.tags import tags_of
from talktree.library.extract.texts import short_title, whole
from talktree.library.extract.told import COMPACT, ERROR, MESSAGE, SIDECHAIN, Piece, Reply, key_of
from talktree.model import message as flags
from talktree.model.entries import Entry, Head, Snapshot
from talktree.model.measures import NO_MEASURES, searched_words
from talktree.model.message import Message
from talktree.model.replies import ReplyUsage
from talktree.model.titles import rank


def tell_entry(
    telling: Telling, entry: Entry, at: int, own: str = "", *, counts: bool = True
) -> int:
    """Tell of an entry with an id of its own; what comes back are the bits of its link.

    What is recorded about a message is not counted again for a copy of it.
    """
    match entry:
        case Message():
            return _message(telling, entry, at, own, counts=counts)
        case Head():
            _head(telling, entry, at)
        case Snapshot():
            names = "\n".join(whole(name) for name in entry.files)
            if names:
                tags = tags_of(telling.format, "other", "")
                time = seconds(entry.time_ns)
                telling.pieces.append(Piece(at, "other", "", "", time, tags, names))
        case _:
            pass
    return 0


def _message(telling: Telling, message: Message, at: int, own: str, *, counts: bool) -> int:
    context, time = message.context, moment(message.time_ns)
    telling.roles[message.role] = telling.roles.get(message.role, 0) + 1
    side = flags.SIDECHAIN in message.flags
    telling.place(
        message.session,
        message.agent,
        context.cwd if context else None,
        context.git_branch if context else None,
        time,
        parent_session(telling.format, message),
        side=side,
    )
    format = by_slug(telling.format)
    replies = format.replies(message, own)
    keys = [_reply(telling, each, at) for each in replies]
    reply = keys[0] if keys and message.usage is not None else None
    measures = format.measures(message)
    if counts and measures is not NO_MEASURES:
        telling.measured(measures, time)
    if counts:
        telling.compacted(message, time)
    teller = Parts(telling, message, at, time, reply, searched_words(measures))
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


def _reply(telling: Telling, found: ReplyUsage, at: int) -> int:
    used, key = found.usage, key_of(found.name)
    counts = (used.input, used.output, used.cache_read, used.cache_write, found.hour)
    model = None if found.model is None else whole(found.model)
    telling.replies.append(Reply(key, at, moment(found.time), model, *counts, found.sidechain))
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
    telling.pieces.append(Piece(at, "summary", "", title, seconds(head.time_ns), tags, ""))
