"""When a message was written and by whom, guessed from what lies around it.

A guess is an invention: it is made only if it was asked for, and always says what it comes from.
The file's own time comes last, since copying a file changes it.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from msgspec.structs import replace

from talktree.formats.chatbuilder.authors import write
from talktree.formats.chatbuilder.complete import NOBODY
from talktree.formats.chatbuilder.keys import AUTHORS, CREATED, known
from talktree.formats.talk import Talk
from talktree.model.message import Author, Message
from talktree.model.skeleton import NO_TIME
from talktree.text.times import to_iso

NOTES = "chatbuilder-authors"
MILLISECOND = 1_000_000


class Guess(NamedTuple):
    """What a message may have been written at or by, and how that is known."""

    time: int | None = None
    authors: tuple[Author, ...] = ()
    told: str = ""


def has_time(talk: Talk, position: int) -> bool:
    """Whether anything tells when a message may have been written."""
    times = talk.bones.times
    return any(time != NO_TIME for time in times) or _file_time(talk, position) is not None


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
        time=message.time if guess.time is None else guess.time,
        authors=guess.authors or message.authors,
        extra={key: item for key, item in message.extra.items() if known(key) not in filled},
    )


def _time(talk: Talk, position: int) -> tuple[int | None, str]:
    times = talk.bones.times
    for at in (*range(position - 1, -1, -1), *range(position + 1, len(times))):
        if times[at] != NO_TIME:
            where = "before" if at < position else "behind"
            return times[at], f"the time of {talk.path(at)}, the nearest message {where} it"
    found = _file_time(talk, position)
    return found, "when the file was last changed, which copying changes too"


def _file_time(talk: Talk, position: int) -> int | None:
    found = talk.sheet(position)[0].content.modified
    return None if found is None else found // MILLISECOND * MILLISECOND


def _authors(talk: Talk, position: int) -> tuple[tuple[Author, ...], str]:
    known_authors = _known_authors(talk)
    role = talk.bones.roles[position]
    same = [at for at in known_authors if talk.bones.roles[at] == role]
    if not same:
        return (NOBODY,), f"no other message of the {role} names any"
    before = [at for at in same if at < position]
    at = before[-1] if before else same[0]
    where = "before" if before else "behind"
    return known_authors[
        at
    ], f"those of {talk.path(at)}, the nearest message of the {role} {where} it"


def _known_authors(talk: Talk) -> dict[int, tuple[Author, ...]]:
    """The authors of all messages that name some, read once."""
    found: dict[int, tuple[Author, ...]] | None = talk.notes.get(NOTES)
    if found is None:
        entries = talk.conversation.entries_at(range(len(talk.bones)))
        found = {
            position: entry.authors
            for position, entry in enumerate(entries)
            if isinstance(entry, Message) and entry.authors
        }
        talk.notes[NOTES] = found
    return found
