"""SAG7: what Talktree's own store wrote, and whether all of it is still there."""

from __future__ import annotations

from collections.abc import Iterator

from talktree.formats.rule import Diagnostic, rule
from talktree.formats.rule_context import CheckedConversation, RuleRecord
from talktree.formats.sage.checksum import LONGEST, Verdict, verify_seal
from talktree.formats.sage.places import OPERATIONS_LOG, folder_of, sibling_path
from talktree.formats.sage.rules.message_line import SAGE
from talktree.formats.sage.sessions import iterate_operations

SHIFTS = "sage: how far the numbers of lines are ahead"
LIKE_A_SEAL = b'"}'
MOVES = "move"
ENDS = ("moved", "withdrawn")


def _get_verdict(seen: RuleRecord) -> Verdict | None:
    """Return the verdict on a line's seal; None if it has none. Both rules for lines share it."""
    raw = seen.record.raw
    tail = raw[-LONGEST:]
    found = verify_seal(raw) if b"seal" in tail or LIKE_A_SEAL in tail else None
    return None if found is None or found.state == "none" else found


@rule("SAG701", "broken-seal", "warning", on="record", formats=SAGE, gate=_get_verdict)
def broken_seal(seen: RuleRecord) -> Iterator[Diagnostic]:
    """The seal of a line does not fit: the line is not the one that was written.

    Why: something has changed it since, be it a disk, a copy or a hand. Undo relies on what these
    lines say of files.

    Bad:
        {"type":"user","uuid":"u1", ... "isSidechain":false,"seal":"1-0000000000000000"}

    Fix: none, because what was there before is nowhere else, and a new seal would hide it.
    """
    if seen.gated.state == "broken":
        yield Diagnostic("its seal does not fit: it is not as it was written", "seal")


@rule("SAG702", "gap-in-seals", "warning", on="record", formats=SAGE, gate=_get_verdict)
def gap_in_seals(seen: RuleRecord) -> Iterator[Diagnostic]:
    """The numbers in the seals of a file leave out lines, or come in another order.

    Why: lines that were written are gone, or are where they were not written. What followed them is
    cut off, and files that they speak of cannot be brought back.

    Bad:
        {"type":"user", ... "seal":"1-4c1c9f6d0a1b2c3d"}
        {"type":"user", ... "seal":"4-97f20be1d2c3b4a5"}

    Fix: none, because the missing lines are nowhere else.
    """
    found: Verdict = seen.gated
    if found.state != "good" or found.number is None:
        return
    _, index = seen.talk.sheet(seen.position)
    shifts: dict[str, int] = seen.talk.notes.setdefault(SHIFTS, {})
    shift = found.number - index - 1
    diagnostic = shift - shifts.get(seen.record.path, 0)
    shifts[seen.record.path] = shift
    if diagnostic > 0:
        lines = "1 line is" if diagnostic == 1 else f"{diagnostic} lines are"
        yield Diagnostic(
            f"{lines} missing before this one, which was number {found.number}", "seal"
        )
    elif diagnostic < 0:
        yield Diagnostic(f"it was line number {found.number} and stands further behind", "seal")


@rule("SAG703", "damaged-operations", "warning", on="talk", formats=SAGE)
def damaged_operations(talk: CheckedConversation) -> Iterator[Diagnostic]:
    """A line of operations.jsonl cannot be read, or its seal does not fit.

    Why: what was undone, redone and named is recorded there. A move whose line is damaged cannot be
    finished or taken back, and a name may be gone.

    Bad:
        {"type":"operation","kind":"name","name":"try-2","message":"u7","seal":"3-0000000000000000"}

    Fix: none, because what was there before is nowhere else.
    """
    path = sibling_path(talk.conversation.main_file, OPERATIONS_LOG)
    content = talk.origin.source.files.get(path)
    if content is None:
        return
    sound = {number for number, _ in iterate_operations(talk.origin.source, folder_of(path))}
    for number, raw in enumerate(content.lines(), 1):
        if raw.strip() and number not in sound:
            yield Diagnostic("this is no operation", path=path, line=number)
        elif verify_seal(raw).state == "broken":
            what = "its seal does not fit: it is not as it was written"
            yield Diagnostic(what, path=path, line=number)


@rule("SAG704", "unfinished-move", "note", on="talk", formats=SAGE)
def unfinished_move(talk: CheckedConversation) -> Iterator[Diagnostic]:
    """An undo, redo or another move was begun and neither finished nor withdrawn.

    Why: the program that made it was stopped, so some files may be as they were before and some
    as after. Opening the session for writing finishes it.

    Bad:
        {"type":"operation","id":"o1","kind":"move","verb":"undo", ...}
        (and no line with "kind":"moved" or "withdrawn" and "move":"o1")

    Fix: none, because files outside of the session have to be looked at.
    """
    path = sibling_path(talk.conversation.main_file, OPERATIONS_LOG)
    begun: dict[str, tuple[int, str]] = {}
    for number, value in iterate_operations(talk.origin.source, folder_of(path)):
        if value.get("kind") == MOVES:
            begun[str(value.get("id"))] = number, str(value.get("verb"))
        elif value.get("kind") in ENDS:
            begun.pop(str(value.get("move")), None)
    for number, verb in begun.values():
        yield Diagnostic(f"this {verb[:20]} was never finished", path=path, line=number)
