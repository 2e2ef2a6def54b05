"""CHB2: the forms that headers have had over time."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from talktree.formats.chatbuilder.parse_header import PROPER, ROLE
from talktree.formats.chatbuilder.rules.header_fields import FORMATS, get_layout
from talktree.formats.chatbuilder.write import (
    Restyle,
    find_role_line,
    restyle_header,
    with_marks,
    with_named_id,
    with_proper_keys,
    with_role_apart,
    without_comment,
)
from talktree.formats.fixes import BytePatch, repair_value
from talktree.formats.record_file import Sheet
from talktree.formats.rule import Diagnostic, RepairFunction, make_safe_fix, rule, to_diagnostics
from talktree.formats.rule_context import RuleRecord
from talktree.model.findings import Finding
from talktree.text import utf8
from talktree.text.json.value import Json

LONGEST_SHOWN = 40


def _make_restyle_repair(make: Restyle) -> RepairFunction:
    def _repair(sheet: Sheet | None, diagnostic: Diagnostic) -> Iterator[BytePatch]:
        if sheet is not None:
            raw = sheet.content.read()
            made = utf8.encode(restyle_header(utf8.decode(raw), make))
            if made != raw:
                yield BytePatch(sheet.path, 0, len(raw), made)

    return _repair


def _make_respell_repair(make: Restyle) -> RepairFunction:
    def _made(seen: RuleRecord, diagnostic: Diagnostic) -> Json:
        return restyle_header(seen.value, make) if isinstance(seen.value, str) else seen.value

    return repair_value(_made)


@rule("CHB201", "no-header", "error", on="reading", formats=FORMATS)
def no_header(noticed: Finding) -> Sequence[Diagnostic]:
    """A message file has no header: nothing in it says whose message it is, and all fields that
    the document requires are missing.

    Why: the document finds the role by the line `; role:`, and there is none. Some loaders give
    such files a role by themselves; all others have to guess.

    Bad:
        Can you explain how closures work?

    Fix: none, because the role of the message is not known.
    """
    return to_diagnostics(noticed)


@rule(
    "CHB202",
    "comment-header",
    "note",
    on="reading",
    formats=FORMATS,
    fix=make_safe_fix(_make_restyle_repair(without_comment)),
)
def comment_header(noticed: Finding) -> Sequence[Diagnostic]:
    """The header is an HTML comment instead of lines that start with a semicolon.

    Why: it is the form of documentation files, also that of the document itself. Programs that go
    by the document look for lines with a semicolon, find none, and take the comment for text.

    Bad:
        <!--
        Block-UUID: 32d9afc7-aeac-4a67-ba94-0c92678604a1
        role: user
        -->

    Fix (safe): each line of the comment becomes a header line with a semicolon, in the same order;
    words without a key become a remark. Three newlines end it, as every header.
    """
    return to_diagnostics(noticed)


@rule(
    "CHB203",
    "bare-id-line",
    "warning",
    on="reading",
    formats=FORMATS,
    fix=make_safe_fix(_make_restyle_repair(with_named_id)),
)
def bare_id_line(noticed: Finding) -> Sequence[Diagnostic]:
    """The header begins with a bare UUID where `; Block-UUID:` should stand before it.

    Why: the document's own example has lost the name of the field. Readers of headers see a line
    that is no header line, and the message has no id.

    Bad:
        32d9afc7-aeac-4a67-ba94-0c92678604a1
        ; Component: UserMessage

    Fix (safe): the line becomes `; Block-UUID: ` and the same UUID.
    """
    return to_diagnostics(noticed)


@rule(
    "CHB204",
    "unmarked-header-line",
    "warning",
    on="reading",
    formats=FORMATS,
    fix=make_safe_fix(_make_restyle_repair(with_marks)),
)
def unmarked_header_line(noticed: Finding) -> Sequence[Diagnostic]:
    """A header line does not start with a semicolon.

    Why: the document finds the role by a line that starts with `; role:`. Without the semicolon
    there is no role, and what was meant as a header may be sent to the model as text.

    Bad:
        role: assistant

    Fix (safe): the line gets its semicolon.
    """
    return to_diagnostics(noticed)


@rule(
    "CHB205",
    "role-not-apart",
    "note",
    on="message",
    formats=FORMATS,
    fix=make_safe_fix(_make_respell_repair(with_role_apart)),
)
def role_not_apart(seen: RuleRecord) -> Iterator[Diagnostic]:
    """There is no empty comment line between the role and the fields before it.

    Why: the document wants the role set apart by a line with nothing but a semicolon. Readers that
    look for a line find it anyway; people find it more easily.

    Bad:
        ; Authors: Ines Okafor (v1.0.0)
        ; role: user

    Fix (safe): a line with a semicolon is put before the role.
    """
    found = get_layout(seen)
    place = find_role_line(found.lines)
    if place > found.comment and found.lines[place].has_semicolon and found.lines[place - 1].key:
        yield Diagnostic("the role follows the other fields without an empty comment line")


@rule(
    "CHB206",
    "header-spelling",
    "warning",
    on="message",
    formats=FORMATS,
    fix=make_safe_fix(_make_respell_repair(with_proper_keys)),
)
def header_spelling(seen: RuleRecord) -> Iterator[Diagnostic]:
    """A field of the header is not spelt as the document spells it: other capitals, or a role line
    that does not start with `; role:`.

    Why: the document finds the role by how its line starts, letter by letter, and other programs
    look for the other fields in the same way.

    Bad:
        ;Role: user

    Fix (safe): the name of the field, and what is before and after that of the role, are written as
    the document does; the values stay.
    """
    found = get_layout(seen)
    for line in found.lines[found.comment :]:
        if not line.key or not line.has_semicolon:
            continue
        proper = PROPER.get(line.key.lower(), line.key)
        start = "; role:" if line.name == ROLE else proper
        there = line.text if line.name == ROLE else line.key
        if not there.startswith(start):
            yield Diagnostic(f"{line.text.strip()[:LONGEST_SHOWN]!r} should start with {start!r}")
