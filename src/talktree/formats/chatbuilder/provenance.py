"""When a message was written and by whom, guessed from the messages and files around it.

A guess invents data: it is only made on request, and always names its source. The file's
modification time is used last, since copying a file changes it.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from msgspec.structs import replace

from talktree.formats.chatbuilder.adopt import UNKNOWN_AUTHOR
from talktree.formats.chatbuilder.lens_authors import format_authors
from talktree.formats.chatbuilder.parse_header import AUTHORS, CREATED, normalize_key
from talktree.formats.rule_context import CheckedConversation
from talktree.model.message import Author, Message
from talktree.model.skeleton import NO_TIME
from talktree.text.times import to_iso

NOTES = "provenance"
MILLISECOND = 1_000_000


class ProvenanceGuess(NamedTuple):
    """The guessed time or author of a message, and the reason for the guess."""

    time: int | None = None
    authors: tuple[Author, ...] = ()
    details: str = ""


def has_time(talk: CheckedConversation, position: int) -> bool:
    """Whether there is any evidence of when a message may have been written."""
    return bool(_collect_known(talk).timed) or _get_file_time(talk, position) is not None


def guess_provenance(
    talk: CheckedConversation, position: int, missing: Sequence[str]
) -> ProvenanceGuess:
    """Return guesses for the missing fields of a message, as far as there is evidence."""
    time, authors, diagnostic = None, tuple[Author, ...](), list[str]()
    if CREATED in missing:
        time, source = _guess_time(talk, position)
        if time is not None:
            diagnostic.append(f"Created-at {to_iso(time)} ({source})")
    if AUTHORS in missing:
        authors, source = _guess_authors(talk, position)
        diagnostic.append(f"Authors {format_authors(authors)} ({source})")
    return ProvenanceGuess(time, authors, ", ".join(diagnostic))


def complete_message(message: Message, guess: ProvenanceGuess) -> Message:
    """Return the message with the guesses, in place of empty header lines."""
    filled = {CREATED} if guess.time is not None else set[str]()
    filled |= {AUTHORS} if guess.authors else set()
    return replace(
        message,
        time_ns=message.time_ns if guess.time is None else guess.time,
        authors=guess.authors or message.authors,
        extra={
            key: item for key, item in message.extra.items() if normalize_key(key) not in filled
        },
    )


def _guess_time(talk: CheckedConversation, position: int) -> tuple[int | None, str]:
    near = _find_nearest(_collect_known(talk).timed, position)
    if near is None:
        found = _get_file_time(talk, position)
        return found, "when the file was last changed, which copying changes too"
    where = _describe_side(near, position)
    return talk.skeleton.times[
        near
    ], f"the time of {talk.path(near)}, the nearest message {where} it"


def _get_file_time(talk: CheckedConversation, position: int) -> int | None:
    found = talk.sheet(position)[0].content.modified
    return None if found is None else found // MILLISECOND * MILLISECOND


def _guess_authors(talk: CheckedConversation, position: int) -> tuple[tuple[Author, ...], str]:
    role, known_authors = talk.skeleton.roles[position], _collect_known(talk)
    near = _find_nearest(known_authors.signed.get(role, ()), position)
    if near is None:
        return (UNKNOWN_AUTHOR,), f"no other message of the {role} names any"
    entry = talk.read_record(near).entry
    assert isinstance(entry, Message)
    where = f"the nearest message of the {role} {_describe_side(near, position)} it"
    return entry.authors, f"those of {talk.path(near)}, {where}"


def _find_nearest(positions: Sequence[int], position: int) -> int | None:
    """Return the last of some positions before a position, or else the first after it."""
    if not positions:
        return None
    return positions[max(0, bisect_left(positions, position) - 1)]


def _describe_side(near: int, position: int) -> str:
    return "before" if near < position else "behind"


class _Known(NamedTuple):
    """The messages of a conversation that name their time or author."""

    timed: Sequence[int]
    signed: Mapping[str, Sequence[int]]
    """By role."""


def _collect_known(talk: CheckedConversation) -> _Known:
    found: _Known | None = talk.notes.get(NOTES)
    if found is None:
        signed: dict[str, list[int]] = {}
        for position, entry in enumerate(talk.conversation.entries):
            if isinstance(entry, Message) and entry.authors:
                signed.setdefault(entry.role, []).append(position)
        times = talk.skeleton.times
        timed = [position for position, time in enumerate(times) if time != NO_TIME]
        found = talk.notes[NOTES] = _Known(timed, signed)
    return found
