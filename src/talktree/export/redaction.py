"""Words in the place of secrets: equal ones for equal secrets, and none that tells anything.

The words hold a short hash under a key that is drawn for each export and thrown away, so nobody can
try whether some secret is the one that stood there.
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
"""What a text may be cut off behind, and still tell too much of a secret,"""
LONGEST_HEAD = 64
"""and of those kinds that all begin alike."""


MANY = 400
"""Ways to write secrets from which on those that are not there are passed over first,"""
GRAM = 5
"""by their first characters; no way is shorter."""
SHORTEST_DRAWN = 10
"""A shorter password is only taken for one where it stands as one."""


class Redactor:
    """Finds secrets and puts words in their place; knows each one it has seen."""

    def __init__(self, key: bytes | None = None, targets: RedactionTargets | None = None) -> None:
        self.key = key or token_bytes(32)
        self.targets = targets or RedactionTargets()
        self._words: dict[str, str] = {}
        """By a secret as it was first seen."""
        self._put: dict[str, str] = {}
        """All ways to write each of them, with what is put there."""
        self._sorted: list[tuple[str, str]] = []
        self._cuts: dict[str, tuple[str, str]] = {}
        """How long ones begin, with all of it and the words."""
        self.counts: Counter[str] = Counter()
        """How many different secrets of which kind there are, in words."""

    @property
    def is_needed(self) -> bool:
        """Whether it knows any secret, or looks for what the user named."""
        return bool(self._words or self.targets)

    @property
    def known(self) -> Sequence[tuple[str, str]]:
        """Every way to write a known secret and its words; longer ones first."""
        if len(self._sorted) != len(self._put):
            self._sorted = sorted(self._put.items(), key=lambda each: -len(each[0]))
        return self._sorted

    def placeholder_kinds(self) -> dict[str, str]:
        """What each placeholder is for."""
        return {
            placed: placed[len("[redacted: ") :].rpartition(" ")[0]
            for placed in self._words.values()
        }

    def make_placeholder(self, secret: Secret, held: str) -> str:
        """What is put in the place of a secret."""
        placed = self._format_placeholder(normalize_secret(held), _ARTICLE.sub("", secret.what))
        self._add_known(secret.kind, held, placed)
        return placed

    def make_number(self, digits: str) -> str:
        """What is put in the place of a number that is a password."""
        return self.make_placeholder(Secret(NAMED_PASSWORD, 0, len(digits), "a password"), digits)

    def _format_placeholder(self, held: str, what: str) -> str:
        found = self._words.get(held)
        if found is None:
            sign = blake2b(held.encode("utf-8", "surrogatepass"), key=self.key, digest_size=4)
            found = self._words[held] = f"[redacted: {what} {sign.hexdigest()}]"
            self.counts[what] += 1
        return found

    def _add_known(self, kind: str, held: str, words: str) -> None:
        # What is short or a word may be anywhere; then only its place says that it is secret.
        anywhere = kind not in (PASSWORD, NAMED_PASSWORD, TOKEN) or _is_random(held)
        bounded = kind == PASSWORD and not anywhere
        if not anywhere and not bounded:
            return
        behind = "@" if bounded else ""
        # A login of a database has a slash between name and password.
        for before in (":", "/") if bounded else ("",):
            if before + held + behind in self._put:
                continue
            for form in _list_forms(held):
                self._put[before + form + behind] = before + words + behind
        size = LONGEST_HEAD if kind in (PRIVATE_KEY, TOKEN) else SHORTEST_CUT
        if kind not in (PASSWORD, NAMED_PASSWORD) and len(held) > size + 8:
            self._cuts.setdefault(held[:size], (held, words))

    def learn_secrets(self, text: str, name: str | None = None) -> bool:
        """Get to know the secrets in a text; whether there are any."""
        found = False
        for secret in find_secrets(text, name=name):
            self.make_placeholder(secret, text[secret.start : secret.stop])
            found = True
        return found

    def redact_text(self, text: str, name: str | None = None) -> str:
        """The text without secrets, be they known or new, and without what the user named."""
        return self.without_targets(self.without_secrets(text, name))

    def without_secrets(self, text: str, name: str | None = None) -> str:
        """The text without secrets, be they known or new."""
        return self.without_known(without_secrets(text, self.make_placeholder, name=name))

    def make_target_placeholder(self, held: str, what: str) -> str:
        """What is put in the place of a word, a match of a pattern or personal data."""
        return self._format_placeholder(
            normalize_word(held) if what == WORD else held.casefold(), what
        )

    def without_targets(self, text: str) -> str:
        """The text without words, patterns and personal data that are looked for."""
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
        """A title as a file may be named: with nothing where secrets stood."""
        texts = self.redact_text(title)
        for words in self._words.values():
            texts = texts.replace(words, "")
        return " ".join(texts.split())

    def without_known(self, text: str) -> str:
        """The text without secrets that are known, also where nothing says that they are some."""
        known: Iterable[tuple[str, str]] = self.known
        cuts: Iterable[tuple[str, tuple[str, str]]] = self._cuts.items()
        if len(self.known) > MANY:
            # Looking for each of very many takes too long, so only for those that may be there.
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
    """What tells a secret from others; how its lines are broken and what is escaped does not."""
    return _SPACING.sub("", held) if "\n" in held or "\\" in held else held


def _is_random(held: str) -> bool:
    """Whether a password is no word that may stand anywhere."""
    kinds = (str.isdigit, str.isalpha)
    return len(held) >= SHORTEST_DRAWN and all(any(map(kind, held)) for kind in kinds)


def _list_forms(held: str) -> set[str]:
    """The ways in which a secret stands in files: as it is, and in JSON."""
    escaped = json.dumps(held)[1:-1]
    return {held, escaped, escaped.replace("/", "\\/"), json.dumps(escaped)[1:-1]}


def _replace_cut_secrets(text: str, head: str, held: str, words: str) -> str:
    """The text with words for every beginning of a secret that was cut off somewhere."""
    first, *others = text.split(head)
    rest = held[len(head) :]
    out = [first]
    for behind in others:
        pairs = enumerate(zip(behind, rest, strict=False))
        same = next((at for at, (one, two) in pairs if one != two), min(len(behind), len(rest)))
        out += (words, behind[same:])
    return "".join(out)


class RedactionPlace(NamedTuple):
    """A secret in a message, told without telling it."""

    message: str
    position: int
    kind: str
    what: str
    shown: str
    words: str


def find_replacements(
    conversation: Conversation, positions: Sequence[int], redactor: Redactor | None = None
) -> Iterator[RedactionPlace]:
    """What would be replaced in some messages, each once a message."""
    redactor = redactor or Redactor()
    for position, entry in zip(positions, conversation.entries_at(positions), strict=True):
        seen: set[str] = set()
        for kind, what, held, words in _find_replacements_in(entry, redactor):
            if words not in seen:
                seen.add(words)
                id = conversation.skeleton.ids[position]
                yield RedactionPlace(id, position, kind, what, abbreviate_secret(held), words)


def _find_replacements_in(entry: Entry, redactor: Redactor) -> Iterator[tuple[str, str, str, str]]:
    """The kinds of what is replaced in an entry, what that is, and what is put in its place."""
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
    """All texts of an entry, with the names they stand under; nothing recurses into it."""
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
