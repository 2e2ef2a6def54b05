"""CHB3: the values of header fields: ids, versions, times, authors."""

from __future__ import annotations

import re
from collections.abc import Iterator

from msgspec.structs import replace

from talktree.formats.chatbuilder.parse_header import (
    AUTHORS,
    CREATED,
    UUID,
    HeaderLine,
    is_uuid,
    normalize_key,
)
from talktree.formats.chatbuilder.rules.header_fields import FORMATS, get_fields
from talktree.formats.fixes import to_entry
from talktree.formats.rule import Diagnostic, make_safe_fix, rule
from talktree.formats.rule_context import RuleRecord
from talktree.model.entries import Entry
from talktree.model.message import Message
from talktree.text.times import from_iso

LONGEST_SHOWN = 40
_SEMANTIC = re.compile(
    r"(?:0|[1-9][0-9]{0,9})(?:\.(?:0|[1-9][0-9]{0,9})){2}(?:-[0-9A-Za-z.-]{1,100})?"
    r"(?:\+[0-9A-Za-z.-]{1,100})?",
    re.ASCII,
)
_NEARLY = re.compile(r"[vV]?\s?((?:0|[1-9][0-9]{0,9})(?:\.(?:0|[1-9][0-9]{0,9})){0,2})", re.ASCII)
_ZONE = re.compile(r"(?:Z|[+-]\d\d:?\d\d)\Z", re.ASCII | re.IGNORECASE)
NO_PARENT = ("N/A", "")
VISIBILITIES = ("public", "private", "human-public", "human-private")


def _format_line(line: HeaderLine) -> str:
    return repr(line.value[:LONGEST_SHOWN])


def _find_field(seen: RuleRecord, name: str) -> HeaderLine | None:
    """Return a header line with a value, or None."""
    line = get_fields(seen).get(name)
    return line if line is not None and line.value else None


@rule("CHB301", "block-uuid-form", "warning", on="message", formats=FORMATS)
def block_uuid_form(seen: RuleRecord) -> Iterator[Diagnostic]:
    """The `Block-UUID` of a message is no UUID.

    Why: it identifies messages across files and versions. What is no UUID may well be used twice,
    and programs that store it as one refuse the file.

    Bad:
        ; Block-UUID: message-1

    Fix: none, because others may know the message by this id.
    """
    line = _find_field(seen, UUID)
    if line is not None and not is_uuid(line.value):
        yield Diagnostic(f"{_format_line(line)} is no UUID")


def _to_semantic_version(text: str) -> str | None:
    """Return the same version as three numbers, or None."""
    found = _NEARLY.fullmatch(text)
    if found is None:
        return None
    numbers = found.group(1).split(".")
    return ".".join([*numbers, "0", "0"][:3])


def _with_version(seen: RuleRecord, diagnostic: Diagnostic) -> Entry:
    message = seen.entry
    assert isinstance(message, Message)
    extra = {
        key: (_to_semantic_version(item) or item)
        if normalize_key(key) == "version" and isinstance(item, str)
        else item
        for key, item in message.extra.items()
    }
    return replace(message, extra=extra)


@rule(
    "CHB302",
    "version-form",
    "warning",
    on="message",
    formats=FORMATS,
    fix=make_safe_fix(to_entry(_with_version)),
)
def version_form(seen: RuleRecord) -> Iterator[Diagnostic]:
    """The `Version` of a message is no semantic version: three numbers with dots between them.

    Why: versions are compared to find the newest one, and `1.10` sorts before `1.9` for programs
    that take it for a number.

    Bad:
        ; Version: v1.2

    Fix (safe): a `v` in front goes and missing numbers become zero: `1.2.0`. What is not of that
    form stays as it is.
    """
    line = _find_field(seen, "version")
    if line is not None and not _SEMANTIC.fullmatch(line.value):
        helps = _to_semantic_version(line.value) is not None
        yield Diagnostic(f"{_format_line(line)} is no semantic version", fixable=helps)


@rule("CHB303", "created-at-form", "warning", on="message", formats=FORMATS)
def created_at_form(seen: RuleRecord) -> Iterator[Diagnostic]:
    """`Created-at` is no date and time in the form of ISO 8601.

    Why: the document asks for that form, and other programs silently drop what they cannot read:
    the message then has no time.

    Bad:
        ; Created-at: April 21st, 2025

    Fix: none, because the same words mean different times in different places.
    """
    line = _find_field(seen, CREATED)
    if line is not None and from_iso(line.value) is None:
        yield Diagnostic(f"{_format_line(line)} is no time in the form 2025-04-21T18:15:00.000Z")


@rule("CHB304", "created-at-zone", "note", on="message", formats=FORMATS)
def created_at_zone(seen: RuleRecord) -> Iterator[Diagnostic]:
    """`Created-at` does not say in which time zone it is.

    Why: it is taken for UTC here, and for the reader's own time elsewhere, so the order of messages
    from two places may be wrong by hours.

    Bad:
        ; Created-at: 2025-04-21T18:15:00

    Fix: none, because the zone of the writer is not known.
    """
    line = _find_field(seen, CREATED)
    if line is not None and not _ZONE.search(line.value) and from_iso(line.value) is not None:
        yield Diagnostic(f"{_format_line(line)} names no time zone")


@rule("CHB305", "authors-form", "warning", on="message", formats=FORMATS)
def authors_form(seen: RuleRecord) -> Iterator[Diagnostic]:
    """The list of `Authors` has a gap between two commas, or a bracket that is not closed.

    Why: authors are names with a version in brackets, set apart by commas. Where a bracket is open,
    all further names are taken for a part of the version.

    Bad:
        ; Authors: Gemini 2.5 Flash (v1.0.0, Ines Okafor (v1.0.0)

    Fix: none, because it is not known where the bracket should be closed.
    """
    line = _find_field(seen, AUTHORS)
    what = _describe_odd_list(line.value) if line is not None else None
    if what:
        yield Diagnostic(f"the list of authors has {what}")


def _describe_odd_list(text: str) -> str | None:
    depth = 0
    for found in re.finditer(r"[()]", text):
        depth += 1 if found.group() == "(" else -1
        if depth not in (0, 1):
            break
    if depth:
        return "a bracket that is not closed" if depth > 0 else "a bracket that is not opened"
    if any(not item.strip() for item in text.split(",")):
        return "a gap between two commas"
    return None


@rule("CHB306", "parent-uuid-form", "note", on="message", formats=FORMATS)
def parent_uuid_form(seen: RuleRecord) -> Iterator[Diagnostic]:
    """`Parent-UUID` is neither a UUID nor `N/A`.

    Why: it names the block that a message was made from. What is no UUID leads nowhere.

    Bad:
        ; Parent-UUID: see 1.md

    Fix: none, because it is not known which block is meant.
    """
    line = _find_field(seen, "parent-uuid")
    if line is not None and line.value not in NO_PARENT and not is_uuid(line.value):
        yield Diagnostic(f"{_format_line(line)} is neither a UUID nor N/A")


@rule("CHB307", "unknown-visibility", "warning", on="message", formats=FORMATS)
def unknown_visibility(seen: RuleRecord) -> Iterator[Diagnostic]:
    """The `visibility` of a message is none of public, private, human-public and human-private.

    Why: messages for humans only are not sent to the model. A word that is not known hides
    nothing.

    Bad:
        ; visibility: humans only

    Fix: none, because it is not known who should see the message.
    """
    line = _find_field(seen, "visibility")
    if line is not None and line.value not in VISIBILITIES:
        yield Diagnostic(f"{_format_line(line)} is none of {', '.join(VISIBILITIES)}")
