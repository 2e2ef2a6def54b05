"""SYN205 to SYN209: names and values that JSON readers treat differently."""

from __future__ import annotations

from talktree.formats.fixes import repair_bytes
from talktree.formats.rule import Diagnostic, make_safe_fix, make_unsafe_fix, rule, to_diagnostics
from talktree.model.findings import Finding


@rule(
    "SYN205",
    "duplicate-key",
    "warning",
    on="reading",
    fix=make_unsafe_fix(repair_bytes("duplicate-key")),
)
def duplicate_key(noticed: Finding) -> list[Diagnostic]:
    """The same name occurs twice in one object or header.

    Why: some readers take the first, most the last, and some refuse it; none tells.

    Bad:
        {"role":"user","content":"one","content":"two"}

    Fix (unsafe): the one that is read stays, which is the last, or in the header of a message file
    the first; the others go to quarantine.
    """
    return to_diagnostics(noticed)


@rule("SYN206", "not-a-number", "warning", on="reading", fix=make_unsafe_fix(repair_bytes("nan")))
def not_a_number(noticed: Finding) -> list[Diagnostic]:
    """A value is `NaN` or `Infinity`, which JSON does not have.

    Why: strict readers refuse the record. Python writes it by default.

    Bad:
        {"score":NaN}

    Fix (unsafe): the value becomes null.
    """
    return to_diagnostics(noticed)


@rule("SYN207", "number-out-of-range", "warning", on="reading")
def number_out_of_range(noticed: Finding) -> list[Diagnostic]:
    """A number is larger than readers that keep numbers as doubles can hold.

    Why: they change its last digits without a word, so an id or a counter comes out as another.

    Bad:
        {"request":12345678901234567890}

    Fix: none, because the digits are kept here as they are and no other way to write it is right.
    """
    return to_diagnostics(noticed)


@rule("SYN208", "deep-nesting", "warning", on="reading", fix=make_unsafe_fix(repair_bytes("deep")))
def deep_nesting(noticed: Finding) -> list[Diagnostic]:
    """Values are nested hundreds deep.

    Why: readers that recurse give up or crash; such a value is hardly intended. Where it is replies
    that are nested so deep, all of them are meant, and nothing is changed.

    Bad:
        {"input":[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[ … ]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]}

    Fix (unsafe): the record goes to quarantine.
    """
    return to_diagnostics(noticed)


@rule(
    "SYN209", "comment-in-json", "warning", on="reading", fix=make_safe_fix(repair_bytes("comment"))
)
def comment_in_json(noticed: Finding) -> list[Diagnostic]:
    """A comment is in JSON, which does not allow any.

    Why: the file was written by hand; strict readers refuse the record.

    Bad:
        {"type":"user", /* edited */ "uuid":"1"}

    Fix (safe): the comment goes to quarantine.
    """
    return to_diagnostics(noticed)
