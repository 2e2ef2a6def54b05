"""Findings: what is wrong with the data, each with its place and a permanent code.

A finding never stops the work; a `TalktreeError` does. Codes and names are listed once, here and in
the rules, and never change their meaning.
"""

from __future__ import annotations

from typing import Literal

from msgspec import Struct

Severity = Literal["error", "warning", "note"]
Safety = Literal["safe", "unsafe"]
"""A safe fix loses and invents nothing; an unsafe one must be requested."""


class Finding(Struct, frozen=True, kw_only=True):
    """One problem and its place."""

    code: str
    name: str
    severity: Severity
    message: str
    path: str | None = None
    """The file inside the source."""
    line: int | None = None
    entry: str | None = None
    """The id of the entry it concerns."""
    fix: Safety | None = None
    """How safe its fix is, if there is one."""
    way: str = ""
    """The path of the value in the record."""
    at: int = -1
    """Its offset in the bytes of the record, if known."""
    sought: str = ""
    """The text in the record that is meant, if neither path nor offset is known."""
    number: int = -1
    """The number of the record in the source; -1 if it is not about a record."""
    fixable: bool = True
    """False if the fix of its rule does not apply."""


class Code(Struct, frozen=True):
    """A kind of finding that reading itself can report."""

    code: str
    name: str
    severity: Severity


READING: dict[str, Code] = {
    key: Code(code, name, severity)  # type: ignore[arg-type]
    for key, code, name, severity in (
        ("torn", "SYN101", "torn-record", "error"),
        ("syntax", "SYN102", "malformed", "error"),
        ("fused", "SYN103", "fused-records", "error"),
        ("spliced", "SYN104", "spliced-record", "error"),
        ("nul", "SYN105", "nul-bytes", "error"),
        ("not-lines", "SYN106", "not-line-based", "warning"),
        ("empty", "SYN107", "empty-file", "warning"),
        ("crlf", "SYN108", "carriage-returns", "note"),
        ("too-long", "SYN109", "record-too-long", "error"),
        ("interleaved", "SYN110", "interleaved-records", "error"),
        ("nul-file", "SYN111", "nul-file", "error"),
        ("blank", "SYN113", "blank-line", "note"),
        ("damaged-file", "SYN114", "damaged-file", "error"),
        ("bom", "SYN201", "byte-order-mark", "warning"),
        ("utf8", "SYN202", "invalid-utf8", "error"),
        ("surrogate", "SYN203", "lone-surrogate", "error"),
        ("control", "SYN204", "control-character", "warning"),
        ("duplicate-key", "SYN205", "duplicate-key", "warning"),
        ("nan", "SYN206", "not-a-number", "warning"),
        ("number", "SYN207", "number-out-of-range", "warning"),
        ("deep", "SYN208", "deep-nesting", "warning"),
        ("comment", "SYN209", "comment-in-json", "warning"),
        ("header", "SYN301", "odd-header", "warning"),
        ("separator", "SYN302", "odd-separator", "warning"),
        ("foreign", "SYN401", "unrelated-file", "note"),
        ("skipped", "SYN402", "link-or-special-file", "note"),
        ("unknown-record", "SYN403", "unknown-record", "note"),
        ("newer-version", "SYN404", "newer-version", "warning"),
        ("missing-file", "SYN405", "missing-file", "warning"),
        ("withheld", "SYN406", "secrets-left-out", "note"),
        ("missing-id", "IDS101", "missing-id", "warning"),
        ("duplicate-id", "IDS102", "duplicate-id", "error"),
        ("conflict", "IDS103", "conflicting-copies", "warning"),
        ("copies", "IDS104", "differing-copies", "note"),
        ("exact-copy", "IDS105", "exact-copy", "warning"),
        ("rewritten-copy", "IDS109", "rewritten-copy", "warning"),
        ("dangling-parent", "TRE101", "dangling-parent", "error"),
        ("cycle", "TRE102", "parent-cycle", "error"),
        ("lost-origin", "TRE110", "lost-origin", "note"),
        ("lost", "STT101", "lost-replies", "error"),
        ("no-header", "CHB201", "no-header", "error"),
        ("comment-header", "CHB202", "comment-header", "note"),
        ("bare-id", "CHB203", "bare-id-line", "warning"),
        ("unmarked", "CHB204", "unmarked-header-line", "warning"),
        ("ruined-metadata", "SAG601", "ruined-metadata", "error"),
        ("no-version", "NAT101", "no-version-line", "warning"),
        ("odd-version", "NAT102", "odd-version-line", "error"),
        ("begins-twice", "NAT201", "conversation-begins-twice", "warning"),
        ("nameless", "NAT202", "nameless-conversation", "warning"),
    )
}


def make_finding(
    key: str,
    message: str,
    *,
    path: str | None = None,
    line: int | None = None,
    entry: str | None = None,
    fixable: bool = True,
) -> Finding:
    """Return a reading finding by its short key."""
    kind = READING[key]
    return Finding(
        code=kind.code,
        name=kind.name,
        severity=kind.severity,
        message=message,
        path=path,
        line=line,
        entry=entry,
        fixable=fixable,
    )
