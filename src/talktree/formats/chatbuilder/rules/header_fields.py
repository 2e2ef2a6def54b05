"""CHB1: the fields that every header must have."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from hashlib import blake2b
from uuid import UUID as Uuid

from msgspec.structs import replace

from talktree.formats.chatbuilder.adopt import component_for_role, describe_text
from talktree.formats.chatbuilder.parse import MOST_KNOWN, SHORT, MessageLayout, parse_layout
from talktree.formats.chatbuilder.parse_header import ROLE, HeaderLine, normalize_key
from talktree.formats.chatbuilder.provenance import complete_message, guess_provenance, has_time
from talktree.formats.fixes import Change, ReplaceValue, to_entry
from talktree.formats.rule import Diagnostic, make_safe_fix, make_unsafe_fix, rule
from talktree.formats.rule_context import CheckedConversation, RuleRecord
from talktree.model.entries import Entry
from talktree.model.message import Message
from talktree.text.json.value import Json

FORMATS = ("chatbuilder",)
DETECTED_BY_TEXT = ("Component", "Version", "Description", "Language")
"""Required fields that can be derived from the message itself."""
NOT_DETECTED = ("Created-at", "Authors")
"""Required fields that only the author knows."""


def get_layout(seen: RuleRecord) -> MessageLayout:
    """Return the layout of a message's file."""
    text = seen.value
    return parse_layout(text) if isinstance(text, str) else MessageLayout()


def get_fields(seen: RuleRecord) -> Mapping[str, HeaderLine]:
    """Return the header lines of a message by normalized keys; the first of duplicates counts."""
    text = seen.value
    if isinstance(text, str) and len(text) <= SHORT:
        return _parse_fields(text)
    return _index_by_name(get_layout(seen))


@lru_cache(maxsize=MOST_KNOWN)
def _parse_fields(text: str) -> Mapping[str, HeaderLine]:
    # Many rules look at the same header, each at a different field.
    return _index_by_name(parse_layout(text))


def _index_by_name(layout: MessageLayout) -> Mapping[str, HeaderLine]:
    found: dict[str, HeaderLine] = {}
    for line in layout.lines:
        if line.name is not None:
            found.setdefault(line.name, line)
    return found


def _find_missing(seen: RuleRecord, names: Sequence[str]) -> list[str]:
    there = get_fields(seen)
    if not there:
        return []
    return [name for name in names if not (line := there.get(name.lower())) or not line.value]


# required fields


def _complete_entry(seen: RuleRecord, diagnostic: Diagnostic) -> Entry:
    message = seen.entry
    assert isinstance(message, Message)
    usual = {
        "Component": component_for_role(message.role),
        "Version": "1.0.0",
        "Description": describe_text(message.text),
        "Language": "markdown",
    }
    missing = _find_missing(seen, DETECTED_BY_TEXT)
    spelling = {normalize_key(key): key for key in message.extra}
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
    fix=make_safe_fix(to_entry(_complete_entry)),
)
def missing_description(seen: RuleRecord) -> Iterator[Diagnostic]:
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
    missing = _find_missing(seen, DETECTED_BY_TEXT)
    if missing:
        yield Diagnostic(f"no {', '.join(missing)} in the header")


def _find_missing_provenance(seen: RuleRecord) -> list[str]:
    return [name.lower() for name in _find_missing(seen, NOT_DETECTED)]


def _fill_guesses(talk: CheckedConversation, diagnostic: Diagnostic) -> Iterator[Change]:
    position = diagnostic.position
    found = guess_provenance(talk, position, _find_missing_provenance(talk.read_record(position)))

    def _make(seen: RuleRecord) -> Json:
        assert isinstance(seen.entry, Message)
        return seen.replace_entry(complete_message(seen.entry, found))

    if found.details:
        yield ReplaceValue(talk, position, _make, invented=found.details)


@rule(
    "CHB102",
    "missing-provenance",
    "error",
    on="message",
    formats=FORMATS,
    fix=make_unsafe_fix(_fill_guesses),
)
def missing_provenance(seen: RuleRecord) -> Iterator[Diagnostic]:
    """A header does not say when the message was made (`Created-at`), or by whom (`Authors`).

    Why: the document requires both of every message. Without them it is unknown which of two
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
    missing = _find_missing(seen, NOT_DETECTED)
    if missing:
        can = "Authors" in missing or has_time(seen.talk, seen.position)
        yield Diagnostic(f"no {', '.join(missing)} in the header", fixable=can)


def _with_id(talk: CheckedConversation, diagnostic: Diagnostic) -> Iterator[Change]:
    path = talk.path(diagnostic.position)
    seed = f"{talk.id}\0{path}".encode("utf-8", "surrogatepass")
    made = str(Uuid(bytes=blake2b(seed, digest_size=16).digest(), version=4))

    def _make(seen: RuleRecord) -> Json:
        return seen.replace_entry(replace(seen.entry, id=made))

    source = "made from the names of the conversation and the file"
    yield ReplaceValue(talk, diagnostic.position, _make, invented=f"Block-UUID {made} ({source})")


@rule(
    "CHB103",
    "no-block-uuid",
    "error",
    on="message",
    formats=FORMATS,
    fix=make_unsafe_fix(_with_id),
)
def no_block_uuid(seen: RuleRecord) -> Iterator[Diagnostic]:
    """A header has no `Block-UUID`.

    Why: the document requires one of every message. Without it a message can only be identified by
    its place, and a copy of it cannot be recognised as one.

    Bad:
        ; Component: UserMessage
        ; Version: 1.0.0
        ;
        ; role: user

    Fix (unsafe): the message gets a UUID, made from its conversation and its file so that it is the
    same each time. Files that are meant as templates do well without.
    """
    if _find_missing(seen, ("Block-UUID",)):
        yield Diagnostic("no Block-UUID in the header")


@rule("CHB104", "header-without-role", "warning", on="message", formats=FORMATS)
def header_without_role(seen: RuleRecord) -> Iterator[Diagnostic]:
    """A header does not name the role of the message.

    Why: the role says whether the user, the assistant or the system is speaking. Without it a
    program has to learn it from elsewhere, and all others leave the message out or refuse it.

    Bad:
        ; Block-UUID: 32d9afc7-aeac-4a67-ba94-0c92678604a1
        ; Component: UserMessage

    Fix: none, because the speaker is not known.
    """
    there = get_fields(seen)
    if there and (ROLE not in there or not there[ROLE].value):
        yield Diagnostic("no role in the header")
