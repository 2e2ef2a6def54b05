"""Replacing secrets with placeholders: equal ones for equal secrets, without any information.

A placeholder contains a short hash under a key that is random for each export and discarded, so
guessed secrets cannot be verified.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from hashlib import blake2b
from secrets import token_bytes
from typing import NamedTuple

from msgspec import Struct

from talktree.export.targets import PROTECTED, WORD, RedactionTargets
from talktree.model.conversation import Conversation
from talktree.model.entries import Entry
from talktree.text.secrets import Secret, abbreviate_secret, find_secrets, without_secrets
from talktree.text.secrets.named_values import is_number_secret
from talktree.text.secrets.patterns import NAMED_PASSWORD, PASSWORD, PRIVATE_KEY, TOKEN
from talktree.text.word_pattern import normalize_word

_SPACING = re.compile(r"\\+[nrt]|\\(?=/)|\s")
_ARTICLE = re.compile(r"^an? ")
SHORTEST_CUT = 24
"""The length after which a truncated secret still reveals too much,"""
LONGEST_HEAD = 64
"""and that for kinds that all begin alike."""


MANY = 400
"""Number of written forms from which on absent ones are skipped first,"""
GRAM = 5
"""by their first characters; no form is shorter."""
SHORTEST_DRAWN = 10
"""A shorter password is replaced only where its context identifies it."""


class Redactor:
    """Finds secrets and replaces them with placeholders; remembers all it has seen."""

    def __init__(self, key: bytes | None = None, targets: RedactionTargets | None = None) -> None:
        self.key = key or token_bytes(32)
        self.targets = targets or RedactionTargets()
        self._words: dict[str, str] = {}
        """Placeholders by a secret as it was first seen."""
        self._put: dict[str, str] = {}
        """All written forms of each secret, with their replacements."""
        self._sorted: list[tuple[str, str]] = []
        self._cuts: dict[str, tuple[str, str]] = {}
        """The beginnings of long secrets, with the whole secret and its placeholder."""
        self.counts: Counter[str] = Counter()
        """How many different secrets of each kind there are."""

    @property
    def is_needed(self) -> bool:
        """Whether it knows any secret, or searches for words that the user named."""
        return bool(self._words or self.targets)

    @property
    def known(self) -> Sequence[tuple[str, str]]:
        """Every written form of a known secret and its replacement, longest first."""
        if len(self._sorted) != len(self._put):
            self._sorted = sorted(self._put.items(), key=lambda each: -len(each[0]))
        return self._sorted

    def placeholder_kinds(self) -> dict[str, str]:
        """Return the kind of each placeholder."""
        return {
            placed: placed[len("[redacted: ") :].rpartition(" ")[0]
            for placed in self._words.values()
        }

    def make_placeholder(self, secret: Secret, held: str) -> str:
        """Return the placeholder of a secret."""
        placed = self._format_placeholder(normalize_secret(held), _ARTICLE.sub("", secret.what))
        self._add_known(secret.kind, held, placed)
        return placed

    def make_number(self, digits: str) -> str:
        """Return the replacement of a number that is a password."""
        return self.make_placeholder(Secret(NAMED_PASSWORD, 0, len(digits), "a password"), digits)

    def _format_placeholder(self, held: str, what: str) -> str:
        found = self._words.get(held)
        if found is None:
            sign = blake2b(held.encode("utf-8", "surrogatepass"), key=self.key, digest_size=4)
            found = self._words[held] = f"[redacted: {what} {sign.hexdigest()}]"
            self.counts[what] += 1
        return found

    def _add_known(self, kind: str, held: str, words: str) -> None:
        # Short secrets and words may occur anywhere; only their context shows that they are secret.
        anywhere = kind not in (PASSWORD, NAMED_PASSWORD, TOKEN) or _is_random(held)
        bounded = kind == PASSWORD and not anywhere
        if not anywhere and not bounded:
            return
        behind = "@" if bounded else ""
        # A database login has a slash between name and password.
        for before in (":", "/") if bounded else ("",):
            if before + held + behind in self._put:
                continue
            for form in _list_forms(held):
                self._put[before + form + behind] = before + words + behind
        size = LONGEST_HEAD if kind in (PRIVATE_KEY, TOKEN) else SHORTEST_CUT
        if kind not in (PASSWORD, NAMED_PASSWORD) and len(held) > size + 8:
            self._cuts.setdefault(held[:size], (held, words))

    def learn_secrets(self, text: str, name: str | None = None) -> bool:
        """Learn the secrets in a text; return whether there are any."""
        found = False
        for secret in find_secrets(text, name=name):
            self.make_placeholder(secret, text[secret.start : secret.stop])
            found = True
        return found

    def redact_text(self, text: str, name: str | None = None) -> str:
        """Return the text without secrets, known or new, and without what the user named."""
        return self.without_targets(self.without_secrets(text, name))

    def without_secrets(self, text: str, name: str | None = None) -> str:
        """Return the text without secrets, known or new."""
        return self.without_known(without_secrets(text, self.make_placeholder, name=name))

    def make_target_placeholder(self, held: str, what: str) -> str:
        """Return the placeholder of a word, a match of a pattern or personal data."""
        return self._format_placeholder(
            normalize_word(held) if what == WORD else held.casefold(), what
        )

    def without_targets(self, text: str) -> str:
        """Return the text without the words, patterns and personal data that are searched."""
        if not self.targets:
            return text
        out: list[str] = []
        at = 0
        for target in self.targets.find(text):
            held = text[target.start : target.stop]
            out += (text[at : target.start], self.make_target_placeholder(held, target.what))
            at = target.stop
        return "".join((*out, text[at:])) if out else text

    def redact_title(self, title: str) -> str:
        """Return a title for a file name: secrets are removed without a placeholder."""
        texts = self.redact_text(title)
        for words in self._words.values():
            texts = texts.replace(words, "")
        return " ".join(texts.split())

    def without_known(self, text: str) -> str:
        """Return the text without known secrets, also where no context identifies them."""
        known: Iterable[tuple[str, str]] = self.known
        cuts: Iterable[tuple[str, tuple[str, str]]] = self._cuts.items()
        if len(self.known) > MANY:
            # Searching for very many takes too long, so only those that may occur are searched.
            there = {text[at : at + GRAM] for at in range(len(text))}
            known = [each for each in known if each[0][:GRAM] in there]
            cuts = [each for each in cuts if each[0][:GRAM] in there]
        for held, words in known:
            if held in text:
                text = text.replace(held, words)
        for head, (held, words) in cuts:
            if head in text:
                text = _replace_cut_secrets(text, head, held, words)
        return text


def normalize_secret(held: str) -> str:
    """Return the normal form of a secret, without line breaks and escapes."""
    return _SPACING.sub("", held) if "\n" in held or "\\" in held else held


def _is_random(held: str) -> bool:
    """Whether a password is not an ordinary word that may occur anywhere."""
    kinds = (str.isdigit, str.isalpha)
    return len(held) >= SHORTEST_DRAWN and all(any(map(kind, held)) for kind in kinds)


def _list_forms(held: str) -> set[str]:
    """Return the forms of a secret in files: literal, and in JSON."""
    escaped = json.dumps(held)[1:-1]
    return {held, escaped, escaped.replace("/", "\\/"), json.dumps(escaped)[1:-1]}


def _replace_cut_secrets(text: str, head: str, held: str, words: str) -> str:
    """Return the text with every truncated beginning of a secret replaced."""
    first, *others = text.split(head)
    rest = held[len(head) :]
    out = [first]
    for behind in others:
        pairs = enumerate(zip(behind, rest, strict=False))
        same = next((at for at, (one, two) in pairs if one != two), min(len(behind), len(rest)))
        out += (words, behind[same:])
    return "".join(out)


class RedactionPlace(NamedTuple):
    """A secret in a message, without its text."""

    message: str
    position: int
    kind: str
    what: str
    shown: str
    words: str


def find_replacements(
    conversation: Conversation, positions: Sequence[int], redactor: Redactor | None = None
) -> Iterator[RedactionPlace]:
    """Yield what would be replaced in some messages, once for each message."""
    redactor = redactor or Redactor()
    for position, entry in zip(positions, conversation.entries_at(positions), strict=True):
        seen: set[str] = set()
        for kind, what, held, words in _find_replacements_in(entry, redactor):
            if words not in seen:
                seen.add(words)
                id = conversation.skeleton.ids[position]
                yield RedactionPlace(id, position, kind, what, abbreviate_secret(held), words)


def _find_replacements_in(entry: Entry, redactor: Redactor) -> Iterator[tuple[str, str, str, str]]:
    """Yield the replacements in an entry: kind, text and placeholder."""
    for name, text in _iter_texts(entry):
        for secret in find_secrets(text, name=name):
            held = text[secret.start : secret.stop]
            yield secret.kind, secret.what, held, redactor.make_placeholder(secret, held)
        for target in redactor.targets.find(text) if name not in PROTECTED else ():
            held = text[target.start : target.stop]
            yield (
                target.what,
                target.what,
                held,
                redactor.make_target_placeholder(held, target.what),
            )


def _iter_texts(entry: Entry) -> Iterator[tuple[str | None, str]]:
    """Yield all texts of an entry with their names, without recursion."""
    pending: list[tuple[str | None, object]] = [(None, entry)]
    while pending:
        name, value = pending.pop()
        match value:
            case str():
                yield name, value
            case int() if name is not None and is_number_secret(name, str(value)):
                yield name, str(value)
            case Struct():
                pending += [(each, getattr(value, each)) for each in value.__struct_fields__]
            case Mapping():
                pending += [(str(each), held) for each, held in value.items()]
            case list() | tuple() | frozenset():
                pending += [(None, each) for each in value]
