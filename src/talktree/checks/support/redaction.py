"""Secrets in records: found once for all rules, and redacted with the same words everywhere."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise
from typing import NamedTuple

from talktree.formats.engine.origin import DocumentOrigin
from talktree.formats.fixes import Change, ReplaceValue
from talktree.formats.rule import Diagnostic, RepairFunction
from talktree.formats.rule_batch import RecordBatch
from talktree.formats.rule_context import CheckedConversation, RuleRecord
from talktree.text.json.strings import iterate_texts, with_texts
from talktree.text.json.value import Json
from talktree.text.secrets import (
    Secret,
    abbreviate_secret,
    can_be_among,
    can_hold_secrets,
    find_secrets,
    without_secrets,
)

NOTES = "redacted"
CUT = 16
"""Minimum length of a secret's beginning by which a truncated copy of it is recognized."""
_SPACING = re.compile(r"\\+[nrt]|\s")
_PLACEHOLDER = re.compile(rb"\[redacted:([a-z-]{3,30}):([0-9]{1,9})\]")
_LONGEST_PLACEHOLDER = 64


class RecordSecret(NamedTuple):
    """A secret in a record, reported once no matter how often it occurs there."""

    kind: str
    what: str
    way: str
    text: str


def select_possible_secrets(batch: RecordBatch) -> Sequence[RuleRecord]:
    """Return all records of a batch if any may have a secret; nearly always none has."""
    return batch.seen if can_be_among(batch.data, batch.marks.starts) else ()


def find_record_secrets(seen: RuleRecord) -> list[RecordSecret]:
    """Return the secrets in a record."""
    return list(_find_secrets(seen.value)) if can_hold_secrets(seen.record.raw) else []


def _find_secrets(value: Json) -> Iterator[RecordSecret]:
    known: dict[tuple[str, str], RecordSecret] = {}
    for placed in iterate_texts(value):
        text = placed.text
        for secret in find_secrets(text, name=placed.name):
            held = _normalize_secret(text[secret.start : secret.stop])
            key = secret.kind, held
            if key not in known:
                known[key] = RecordSecret(secret.kind, secret.what, placed.way, held)
    # Titles and descriptions repeat how a text starts, and truncate a secret. After sorting, a
    # truncated secret is directly before the whole one.
    found = sorted(known)
    cut = {one for one, two in pairwise(found) if one[0] == two[0] and _is_cut(one[1], two[1])}
    yield from (each for key, each in known.items() if key not in cut)


def _is_cut(text: str, secret: str) -> bool:
    """Whether a text is the beginning of a secret, and not all of it."""
    return CUT <= len(text) < len(secret) and secret.startswith(text)


def _normalize_secret(text: str) -> str:
    """Return the text that identifies a secret; its line breaks do not count."""
    return _SPACING.sub("", text) if "\n" in text or "\\" in text else text


def report_secrets(kind: str, seen: RuleRecord) -> Iterable[Diagnostic]:
    """Report the secrets of one kind in a record, without showing them."""
    found: list[RecordSecret] = seen.gated
    return [
        Diagnostic(f"{each.what} ({abbreviate_secret(each.text)})", way=each.way, about=each.text)
        for each in found
        if each.kind == kind
    ]


def make_redaction(kind: str) -> RepairFunction:
    """Create a fix that replaces each secret with a placeholder, the same one for each copy."""

    def _repair(talk: CheckedConversation, diagnostic: Diagnostic) -> Iterator[Change]:
        secret = str(diagnostic.about)
        words = f"[redacted:{kind}:{_get_numbers(talk.origin).number(kind, secret)}]"
        yield ReplaceValue(
            talk,
            diagnostic.position,
            lambda seen: with_texts(
                seen.value, lambda name, text: _replace_secret(text, name, kind, secret, words)
            ),
        )

    return _repair


def _replace_secret(text: str, name: str | None, kind: str, secret: str, words: str) -> str:
    """Return a text with a secret and its truncated copies replaced."""

    def _put(found: Secret, held: str) -> str:
        bare = _normalize_secret(held)
        same = found.kind == kind and (bare == secret or _is_cut(bare, secret))
        return words if same else held

    left = without_secrets(text, _put, name=name)
    start = secret[:CUT]
    if len(secret) <= CUT or start not in left:
        return left
    first, *others = left.split(start)
    return "".join(
        (first, *(_replace_cut_secret(start, each, secret[CUT:], words) for each in others))
    )


def _replace_cut_secret(start: str, behind: str, rest: str, words: str) -> str:
    """Return what follows the start of a secret, with both replaced if it was truncated there."""
    pairs = enumerate(zip(behind, rest, strict=False))
    same = next((at for at, (one, two) in pairs if one != two), min(len(behind), len(rest)))
    left = behind[same:]
    return words + left if not left or left.startswith(("…", "...")) else start + behind


class _Numbers:
    """Numbers secrets for their placeholders, counting on from those already used."""

    def __init__(self, origin: DocumentOrigin) -> None:
        self._known: dict[tuple[str, str], int] = {}
        self._highest: dict[str, int] = {}
        for content in origin.source.files.values():
            tail = b""
            for block in content.blocks():
                self._note_numbers(tail + block)
                tail = block[-_LONGEST_PLACEHOLDER:]

    def _note_numbers(self, data: bytes) -> None:
        for found in _PLACEHOLDER.finditer(data):
            kind, number = found.group(1).decode(), int(found.group(2))
            self._highest[kind] = max(number, self._highest.get(kind, 0))

    def number(self, kind: str, secret: str) -> int:
        """Return the number of a secret, the same each time."""
        known = self._known.get((kind, secret))
        if known is None:
            known = self._highest.get(kind, 0) + 1
            self._highest[kind] = self._known[kind, secret] = known
        return known


def _get_numbers(origin: DocumentOrigin) -> _Numbers:
    found = origin.notes.get(NOTES)
    if not isinstance(found, _Numbers):
        found = origin.notes[NOTES] = _Numbers(origin)
    return found
