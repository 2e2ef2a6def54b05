"""NAT1 and NAT2: lines that are not entries: the version, the start of a conversation."""

from __future__ import annotations

from collections.abc import Iterator

from talktree.formats.fixes import BytePatch, Change
from talktree.formats.lens import Object
from talktree.formats.native.lens_fields import encode_line
from talktree.formats.native.parse import VERSION, ConversationSection, NativeSheet
from talktree.formats.record_file import Sheet
from talktree.formats.rule import Diagnostic, make_safe_fix, make_unsafe_fix, rule, to_diagnostics
from talktree.model.findings import Finding
from talktree.text.json.decode import decode
from talktree.text.json.patch import patch_json
from talktree.text.utf8 import BOM

NATIVE = ("native",)


def _add_version(sheet: Sheet | None, diagnostic: Diagnostic) -> Iterator[Change]:
    if isinstance(sheet, NativeSheet):
        at = len(BOM) if sheet.content.read(0, len(BOM)) == BOM else 0
        line = encode_line({"talktree": {"version": VERSION}}) + sheet.newline
        yield BytePatch(sheet.path, at, at, line)


@rule(
    "NAT101",
    "no-version-line",
    "warning",
    on="reading",
    formats=NATIVE,
    fix=make_safe_fix(_add_version),
)
def no_version_line(noticed: Finding) -> list[Diagnostic]:
    """No line of the file names the version of the format.

    Why: the first line names it, so that a reader of an older version knows that it may
    misunderstand something. Without it the file is read as version 1.

    Bad:
        {"conversation":{"id":"garden"}}
        {"message":{"id":"g1","role":"user","parts":[{"part":"text","text":"Which beds?"}]}}

    Fix (safe): the line `{"talktree":{"version":1}}` is put first, as which it was read.
    """
    return to_diagnostics(noticed)


@rule("NAT102", "odd-version-line", "error", on="reading", formats=NATIVE)
def odd_version_line(noticed: Finding) -> list[Diagnostic]:
    """A line names a version that is no whole number.

    Why: no reader can tell whether it understands the file.

    Bad:
        {"talktree":{"version":"one"}}

    Fix: none, because which version was meant is not known.
    """
    return to_diagnostics(noticed)


def _name_conversations(sheet: NativeSheet, *, nameless: bool) -> Iterator[Change]:
    """Yield lines that begin conversations, with the names under which these were read."""
    for section in sheet.sections:
        at, raw, value = _read_beginning(sheet, section)
        diagnostic = value.get("conversation")
        if not isinstance(diagnostic, dict):
            continue
        id = diagnostic.get("id")
        if id != section.group and isinstance(id, str) != nameless:
            new = patch_json(raw, {**value, "conversation": {**diagnostic, "id": section.group}})
            yield BytePatch(sheet.path, at, at + len(raw), new)


def _read_beginning(sheet: NativeSheet, section: ConversationSection) -> tuple[int, bytes, Object]:
    """Return the offset of the line that begins a conversation, its bytes and its value."""
    at = section.start
    end = sheet.starts[section.first] if section.first < len(sheet) else sheet.content.size
    for raw in sheet.content.lines(at):
        value = decode(raw).value
        if isinstance(value, dict) and "conversation" in value:
            return at, raw, value
        at += len(raw)
        if at >= end:
            break
    return at, b"", {}


def _give_distinct_names(sheet: Sheet | None, diagnostic: Diagnostic) -> Iterator[Change]:
    if isinstance(sheet, NativeSheet):
        yield from _name_conversations(sheet, nameless=False)


@rule(
    "NAT201", "conversation-begins-twice", "warning", on="reading", formats=NATIVE,
    fix=make_unsafe_fix(_give_distinct_names),
)  # fmt: skip
def conversation_begins_twice(noticed: Finding) -> list[Diagnostic]:
    """Two conversations of a file have the same id.

    Why: the second is read as another conversation (`garden#2`), though it may be meant to go on
    with the first; a search for the id gives only one of them.

    Bad:
        {"conversation":{"id":"garden"}}
        {"message":{"id":"g1", ...}}
        {"conversation":{"id":"garden"}}
        {"message":{"id":"g2", ...}}

    Fix (unsafe): the later one gets the id under which it is known, `garden#2`.
    """
    return to_diagnostics(noticed)


def _assign_names(sheet: Sheet | None, diagnostic: Diagnostic) -> Iterator[Change]:
    if isinstance(sheet, NativeSheet):
        yield from _name_conversations(sheet, nameless=True)


@rule(
    "NAT202", "nameless-conversation", "warning", on="reading", formats=NATIVE,
    fix=make_unsafe_fix(_assign_names),
)  # fmt: skip
def nameless_conversation(noticed: Finding) -> list[Diagnostic]:
    """A line begins a conversation without an id that is a text.

    Why: the id is how a conversation is found; this one is called after the file, and has another
    name when the file is renamed.

    Bad:
        {"conversation":{"title":"Water the garden"}}

    Fix (unsafe): it gets the name of the file as its id.
    """
    return to_diagnostics(noticed)
