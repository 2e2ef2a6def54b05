"""When a message was written and by whom, guessed from what lies around it.

A guess is an invention: it is made only if it was asked for, and always says what it comes from.
The file's own time comes last, since copying a file changes it.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from msgspec.structs import replace

from talktree.formats.chatbuilder.adopt import NOBODY
from talktree.formats.chatbuilder.lens_authors import write
from talktree.formats.chatbuilder.parse_header import AUTHORS, CREATED, known
from talktree.formats.rule_context import Talk
from talktree.model.message import Author, Message
from talktree.model.skeleton import NO_TIME
from talktree.text.times import to_iso

NOTES = "provenance"
MILLISECOND = 1_000_000


class Guess(NamedTuple):
    """What a message may have been written at or by, and how that is known."""

    time: int | None = None
    authors: tuple[Author, ...] = ()
    told: str = ""


def has_time(talk: Talk, position: int) -> bool:
    """Whether anything tells when a message may have been written."""
    return bool(_known(talk).timed) or _file_time(talk, position) is not None


def guess(talk: Talk, position: int, missing: Sequence[str]) -> Guess:
    """What is missing of a message, as far as anything tells."""
    time, authors, told = None, tuple[Author, ...](), list[str]()
    if CREATED in missing:
        time, source = _time(talk, position)
        if time is not None:
            told.append(f"Created-at {to_iso(time)} ({source})")
    if AUTHORS in missing:
        authors, source = _authors(talk, position)
        told.append(f"Authors {write(authors)} ({source})")
    return Guess(time, authors, ", ".join(told))


def completed(message: Message, guess: Guess) -> Message:
    """The message with what was guessed, in the place of header lines that say nothing."""
    filled = {CREATED} if guess.time is not None else set[str]()
    filled |= {AUTHORS} if guess.authors else set()
    return replace(
        message,
        time_ns=message.time_ns if guess.time is None else guess.time,
        authors=guess.authors or message.authors,
        extra={key: item for key, item in message.extra.items() if known(key) not in filled},
    )


def _time(talk: Talk, position: int) -> tuple[int | None, str]:
    near = _nearest(_known(talk).timed, position)
    if near is None:
        found = _file_time(talk, position)
        return found, "when the file was last changed, which copying changes too"
    where = _side(near, position)
    return talk.bones.times[near], f"the time of {talk.path(near)}, the nearest message {where} it"


def _file_time(talk: Talk, position: int) -> int | None:
    found = talk.sheet(position)[0].content.modified
    return None if found is None else found // MILLISECOND * MILLISECOND


def _authors(talk: Talk, position: int) -> tuple[tuple[Author, ...], str]:
    role, known_authors = talk.bones.roles[position], _known(talk)
    near = _nearest(known_authors.signed.get(role, ()), position)
    if near is None:
        return (NOBODY,), f"no other message of the {role} names any"
    entry = talk.seen(near).entry
    assert isinstance(entry, Message)
    where = f"the nearest message of the {role} {_side(near, position)} it"
    return entry.authors, f"those of {talk.path(near)}, {where}"


def _nearest(positions: Sequence[int], position: int) -> int | None:
    """The last of some positions before one, or else the first behind it."""
    if not positions:
        return None
    return positions[max(0, bisect_left(positions, position) - 1)]


def _side(near: int, position: int) -> str:
    return "before" if near < position else "behind"


class _Known(NamedTuple):
    """The messages of a conversation that say when or by whom they were written."""

    timed: Sequence[int]
    signed: Mapping[str, Sequence[int]]
    """By role."""


def _known(talk: Talk) -> _Known:
    found: _Known | None = talk.notes.get(NOTES)
    if found is None:
        signed: dict[str, list[int]] = {}
        for position, entry in enumerate(talk.conversation.entries):
            if isinstance(entry, Message) and entry.authors:
                signed.setdefault(entry.role, []).append(position)
        times = talk.bones.times
        timed = [position for position, time in enumerate(times) if time != NO_TIME]
        found = talk.notes[NOTES] = _Known(timed, signed)
    return found
