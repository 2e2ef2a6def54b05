"""CHB1: the fields that every header must have."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from hashlib import blake2b
from uuid import UUID as Uuid

from msgspec.structs import replace

from talktree.formats.chatbuilder.adopt import component, description
from talktree.formats.chatbuilder.parse import MOST_KNOWN, SHORT, Layout, take_apart
from talktree.formats.chatbuilder.parse_header import ROLE, Line, known
from talktree.formats.chatbuilder.provenance import completed, guess, has_time
from talktree.formats.fixes import Change, Revalue, to_entry
from talktree.formats.rule import Diagnostic, rule, safe, unsafe
from talktree.formats.rule_context import Seen, Talk
from talktree.model.entries import Entry
from talktree.model.message import Message
from talktree.text.json.value import Json

FORMATS = ("chatbuilder",)
TOLD_BY_TEXT = ("Component", "Version", "Description", "Language")
"""Required fields that follow from the message itself."""
TOLD_BY_NOBODY = ("Created-at", "Authors")
"""Required fields that only the author knows."""


def layout(seen: Seen) -> Layout:
    """The layout of a message's file."""
    text = seen.value
    return take_apart(text) if isinstance(text, str) else Layout()


def fields(seen: Seen) -> Mapping[str, Line]:
    """The header lines of a message by the names of their keys; the first of each counts."""
    text = seen.value
    if isinstance(text, str) and len(text) <= SHORT:
        return _known(text)
    return _by_name(layout(seen))


@lru_cache(maxsize=MOST_KNOWN)
def _known(text: str) -> Mapping[str, Line]:
    # Many rules look at the same header, each at another field of it.
    return _by_name(take_apart(text))


def _by_name(layout: Layout) -> Mapping[str, Line]:
    found: dict[str, Line] = {}
    for line in layout.lines:
        if line.name is not None:
            found.setdefault(line.name, line)
    return found


def _missing(seen: Seen, names: Sequence[str]) -> list[str]:
    there = fields(seen)
    if not there:
        return []
    return [name for name in names if not (line := there.get(name.lower())) or not line.value]


# required fields


def _completed(seen: Seen, told: Diagnostic) -> Entry:
    message = seen.entry
    assert isinstance(message, Message)
    usual = {
        "Component": component(message.role),
        "Version": "1.0.0",
        "Description": description(message.text),
        "Language": "markdown",
    }
    missing = _missing(seen, TOLD_BY_TEXT)
    spelling = {known(key): key for key in message.extra}
    extra = dict(message.extra)
    for name in missing:
        extra[spelling.get(name.lower(), name)] = usual[name]
    return replace(message, extra=extra)


@rule(
    "CHB101",
    "missing-description",
    "error",
    on="message",
    formats=FORMATS,
    fix=safe(to_entry(_completed)),
)
def missing_description(seen: Seen) -> Iterator[Diagnostic]:
    """A header lacks fields that say what the message is: `Component`, `Version`, `Description` or
    `Language`.

    Why: the document requires them of every message, for traceability and version control. Many
    shipped files have nothing but a role; they load, but nothing can be traced.

    Bad:
        ; Block-UUID: 32d9afc7-aeac-4a67-ba94-0c92678604a1
        ; Created-at: 2025-04-21T18:15:00.000Z
        ; Authors: Ines Okafor (v1.0.0)
        ;
        ; role: user

    Fix (safe): the fields are filled in from the message: the component from the role
    (`UserMessage`), version 1.0.0, the first words as description, Markdown as language.
    """
    missing = _missing(seen, TOLD_BY_TEXT)
    if missing:
        yield Diagnostic(f"no {', '.join(missing)} in the header")


def _unprovided(seen: Seen) -> list[str]:
    return [name.lower() for name in _missing(seen, TOLD_BY_NOBODY)]


def _guessed(talk: Talk, told: Diagnostic) -> Iterator[Change]:
    position = told.position
    found = guess(talk, position, _unprovided(talk.seen(position)))

    def _make(seen: Seen) -> Json:
        assert isinstance(seen.entry, Message)
        return seen.put(completed(seen.entry, found))

    if found.told:
        yield Revalue(talk, position, _make, invented=found.told)


@rule(
    "CHB102",
    "missing-provenance",
    "error",
    on="message",
    formats=FORMATS,
    fix=unsafe(_guessed),
)
def missing_provenance(seen: Seen) -> Iterator[Diagnostic]:
    """A header does not say when the message was made (`Created-at`), or by whom (`Authors`).

    Why: the document requires both of every message. Without them nobody can tell which of two
    versions is the newer one, or which model wrote it.

    Bad:
        ; Block-UUID: 32d9afc7-aeac-4a67-ba94-0c92678604a1
        ; Component: UserMessage
        ; Version: 1.0.0
        ; Description: A question
        ; Language: markdown
        ;
        ; role: user

    Fix (unsafe): both are invented, and the repair says from what. The time is that of the nearest
    message before it, else behind it, else that of the file. The authors are those of the nearest
    message with the same role, else `Unknown`.
    """
    missing = _missing(seen, TOLD_BY_NOBODY)
    if missing:
        can = "Authors" in missing or has_time(seen.talk, seen.position)
        yield Diagnostic(f"no {', '.join(missing)} in the header", fixable=can)


def _with_id(talk: Talk, told: Diagnostic) -> Iterator[Change]:
    path = talk.path(told.position)
    seed = f"{talk.id}\0{path}".encode("utf-8", "surrogatepass")
    made = str(Uuid(bytes=blake2b(seed, digest_size=16).digest(), version=4))

    def _make(seen: Seen) -> Json:
        return seen.put(replace(seen.entry, id=made))

    source = "made from the names of the conversation and the file"
    yield Revalue(talk, told.position, _make, invented=f"Block-UUID {made} ({source})")


@rule(
    "CHB103",
    "no-block-uuid",
    "error",
    on="message",
    formats=FORMATS,
    fix=unsafe(_with_id),
)
def no_block_uuid(seen: Seen) -> Iterator[Diagnostic]:
    """A header has no `Block-UUID`.

    Why: the document requires one of every message. Without it a message can only be told apart by
    its place, and a copy of it cannot be recognised as one.

    Bad:
        ; Component: UserMessage
        ; Version: 1.0.0
        ;
        ; role: user

    Fix (unsafe): the message gets a UUID, made from its conversation and its file so that it is the
    same each time. Files that are meant as templates do well without.
    """
    if _missing(seen, ("Block-UUID",)):
        yield Diagnostic("no Block-UUID in the header")


@rule("CHB104", "header-without-role", "warning", on="message", formats=FORMATS)
def header_without_role(seen: Seen) -> Iterator[Diagnostic]:
    """A header does not name the role of the message.

    Why: the role says whether the user, the assistant or the system is speaking. Without it a
    program has to be told from elsewhere, and all others leave the message out or refuse it.

    Bad:
        ; Block-UUID: 32d9afc7-aeac-4a67-ba94-0c92678604a1
        ; Component: UserMessage

    Fix: none, because nobody knows who said it.
    """
    there = fields(seen)
    if there and (ROLE not in there or not there[ROLE].value):
        yield Diagnostic("no role in the header")
