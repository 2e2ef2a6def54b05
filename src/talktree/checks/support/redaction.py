"""Secrets in records: found once for all rules, and redacted with the same words everywhere."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise
from typing import NamedTuple

from talktree.formats.engine.origin import Origin
from talktree.formats.fixes import Change, Revalue
from talktree.formats.rule import Diagnostic, Mend
from talktree.formats.rule_batch import Stretch
from talktree.formats.rule_context import Seen, Talk
from talktree.text.json.strings import texts_in, with_texts
from talktree.text.json.value import Json
from talktree.text.secrets import (
    Secret,
    brief,
    may_be_among,
    may_hold_secrets,
    secrets_in,
    without_secrets,
)

NOTES = "redacted"
CUT = 16
"""How much of a secret tells that what follows is cut off from it."""
_SPACING = re.compile(r"\\+[nrt]|\s")
_PLACEHOLDER = re.compile(rb"\[redacted:([a-z-]{3,30}):([0-9]{1,9})\]")
_LONGEST_PLACEHOLDER = 64


class Kept(NamedTuple):
    """A secret in a record, told once however often it stands there."""

    kind: str
    what: str
    way: str
    text: str


def may_keep(stretch: Stretch) -> Sequence[Seen]:
    """All records of a stretch if there may be a secret in any; nearly always there is none."""
    return stretch.seen if may_be_among(stretch.data, stretch.marks.starts) else ()


def kept_in(seen: Seen) -> list[Kept]:
    """The secrets in a record."""
    return list(_kept(seen.value)) if may_hold_secrets(seen.record.raw) else []


def _kept(value: Json) -> Iterator[Kept]:
    known: dict[tuple[str, str], Kept] = {}
    for placed in texts_in(value):
        text = placed.text
        for secret in secrets_in(text, name=placed.name):
            held = _bare(text[secret.start : secret.stop])
            key = secret.kind, held
            if key not in known:
                known[key] = Kept(secret.kind, secret.what, placed.way, held)
    # Titles and descriptions repeat how a text starts, and cut a secret off in the middle. Sorted,
    # what was cut off stands right before what it was cut off from.
    found = sorted(known)
    cut = {one for one, two in pairwise(found) if one[0] == two[0] and _is_cut(one[1], two[1])}
    yield from (each for key, each in known.items() if key not in cut)


def _is_cut(text: str, secret: str) -> bool:
    """Whether a text is the beginning of a secret, and not all of it."""
    return CUT <= len(text) < len(secret) and secret.startswith(text)


def _bare(text: str) -> str:
    """What tells a secret from others; how its lines are broken does not."""
    return _SPACING.sub("", text) if "\n" in text or "\\" in text else text


def told_of(kind: str, seen: Seen) -> Iterable[Diagnostic]:
    """The secrets of one kind in a record, told without telling them."""
    found: list[Kept] = seen.gated
    return [
        Diagnostic(f"{each.what} ({brief(each.text)})", way=each.way, about=each.text)
        for each in found
        if each.kind == kind
    ]


def redacted(kind: str) -> Mend:
    """The secret makes way for words that are the same wherever it stands."""

    def _mend(talk: Talk, told: Diagnostic) -> Iterator[Change]:
        secret = str(told.about)
        words = f"[redacted:{kind}:{_numbers(talk.origin).number(kind, secret)}]"
        yield Revalue(
            talk,
            told.position,
            lambda seen: with_texts(
                seen.value, lambda name, text: _without(text, name, kind, secret, words)
            ),
        )

    return _mend


def _without(text: str, name: str | None, kind: str, secret: str, words: str) -> str:
    """A text with words in place of a secret, and of what was cut off from it."""

    def _put(found: Secret, held: str) -> str:
        bare = _bare(held)
        same = found.kind == kind and (bare == secret or _is_cut(bare, secret))
        return words if same else held

    left = without_secrets(text, _put, name=name)
    start = secret[:CUT]
    if len(secret) <= CUT or start not in left:
        return left
    first, *others = left.split(start)
    return "".join((first, *(_uncut(start, each, secret[CUT:], words) for each in others)))


def _uncut(start: str, behind: str, rest: str, words: str) -> str:
    """What follows the start of a secret, with words for both if it was cut off there."""
    pairs = enumerate(zip(behind, rest, strict=False))
    same = next((at for at, (one, two) in pairs if one != two), min(len(behind), len(rest)))
    left = behind[same:]
    return words + left if not left or left.startswith(("…", "...")) else start + behind


class _Numbers:
    """What secrets are called instead, counted from those that were called so before."""

    def __init__(self, origin: Origin) -> None:
        self._known: dict[tuple[str, str], int] = {}
        self._highest: dict[str, int] = {}
        for content in origin.source.files.values():
            tail = b""
            for block in content.blocks():
                self._note(tail + block)
                tail = block[-_LONGEST_PLACEHOLDER:]

    def _note(self, data: bytes) -> None:
        for found in _PLACEHOLDER.finditer(data):
            kind, number = found.group(1).decode(), int(found.group(2))
            self._highest[kind] = max(number, self._highest.get(kind, 0))

    def number(self, kind: str, secret: str) -> int:
        """The number of a secret, the same each time."""
        known = self._known.get((kind, secret))
        if known is None:
            known = self._highest.get(kind, 0) + 1
            self._highest[kind] = self._known[kind, secret] = known
        return known


def _numbers(origin: Origin) -> _Numbers:
    found = origin.notes.get(NOTES)
    if not isinstance(found, _Numbers):
        found = origin.notes[NOTES] = _Numbers(origin)
    return found
