"""Finding secrets in bytes of files, in any of their written forms.

A secret is searched for literally and in the unescaped text, in which all ways of escaping it are
the same. Both are needed: in `C:\\\\name` the unescaped text has a line end before `ame`.
"""

from __future__ import annotations

import json as json_module
import re
from collections.abc import Iterable, Iterator
from typing import Protocol

from talktree.errors import UsageError
from talktree.library.erasure.masking import Span, clip_to_string, merge_spans
from talktree.library.erasure.readings import (
    BIG,
    LITTLE,
    iter_plain_readings,
    iter_unescaped_readings,
)

REACH = 24
"""Maximum bytes that a file may use to write one byte of a secret, in nested escapes."""
LEAST_REACH = 256
LONGEST_MATCH = 4096


class SecretFinder(Protocol):
    """Secrets that can be found in bytes."""

    only_in_strings: bool
    """Whether only the content of JSON strings can be a secret."""

    @property
    def longest(self) -> int:
        """The length of the longest one in bytes."""

    def may_be_escaped(self, data: bytes) -> bool:
        """Whether some bytes may contain a secret in an escaped form."""

    def find_spans(self, data: bytes) -> Iterable[Span]:
        """Yield the spans of secrets that are written literally."""


def reach_of(secrets: SecretFinder) -> int:
    """Return how many bytes around a span decide whether it is part of a secret: an even number."""
    return LEAST_REACH + REACH * secrets.longest


def find_secrets(
    secrets: SecretFinder, data: bytes, encoding: str | None, *, json: bool
) -> list[Span]:
    """Return the spans of secrets in bytes of a file, in order, without overlaps."""
    found: list[Span] = []
    for reading in iter_plain_readings(data, encoding):
        text = reading.data
        for span in secrets.find_spans(text):
            inside = clip_to_string(text, span) if json and secrets.only_in_strings else span
            if inside is not None:
                found.append(reading.source_span(*inside))
        if secrets.may_be_escaped(text):
            for each in iter_unescaped_readings(reading, secrets.longest, json=json):
                found += [each.source_span(*span) for span in secrets.find_spans(each.data)]
    return merge_spans(found)


class KnownSecrets:
    """Secrets whose text is known, while a scrub searches for them."""

    def __init__(self, texts: Iterable[bytes], *, only_in_strings: bool = True) -> None:
        self.only_in_strings = only_in_strings
        self.texts = {text for text in texts if text}
        self.forms = self.texts | {
            wide for text in self.texts for wide in _encode_utf16_forms(text)
        }
        special = any(_SPECIAL.search(text) for text in self.texts)
        self._escapes = _ANY_ESCAPE if special else _LETTERS_ESCAPED

    @property
    def longest(self) -> int:
        """The length of the longest one in bytes."""
        return max(map(len, self.forms), default=0)

    def may_be_escaped(self, data: bytes) -> bool:
        """Whether some bytes have escapes that may represent a part of a secret."""
        return self._escapes.search(data) is not None

    def find_spans(self, data: bytes) -> Iterator[Span]:
        """Yield the spans of the bytes of secrets."""
        return (span for form in self.forms for span in _find_form(data, form))


class SecretPattern:
    """Secrets that match a regular expression; records what it matched."""

    only_in_strings = False

    def __init__(self, pattern: re.Pattern[bytes]) -> None:
        self._pattern = pattern
        self.texts: set[bytes] = set()

    @property
    def longest(self) -> int:
        """How many bytes of a match are certainly found across block boundaries."""
        return LONGEST_MATCH

    def may_be_escaped(self, data: bytes) -> bool:
        """Whether some bytes have escapes."""
        return _ANY_ESCAPE.search(data) is not None

    def find_spans(self, data: bytes) -> Iterator[Span]:
        """Yield the spans of matches."""
        for found in self._pattern.finditer(data):
            if found[0]:
                self.texts.add(found[0])
                yield found.span()


def compile_pattern(pattern: str) -> re.Pattern[bytes]:
    """Compile a pattern given by a user, for bytes; an error says what is wrong with it."""
    try:
        made = re.compile(pattern.encode("utf-8", "surrogateescape"))
    except re.error as error:
        raise UsageError(f"invalid pattern: {error}", hint="write a regular expression") from None
    if made.match(b""):
        raise UsageError("the pattern matches the empty text", hint="make it more specific")
    return made


_SPECIAL = re.compile(rb"[^ !#$%()*+,\-.0-9:;=?@A-Z\[\]^_`a-z{|}~]")
_ANY_ESCAPE = re.compile(rb"[\\&]")
_LETTERS_ESCAPED = re.compile(rb"\\u00|&#|&(?:amp;)+#")


def encode_usual_forms(secret: str) -> set[bytes]:
    """Return the forms that programs write most often."""
    forms = {
        secret,
        json_module.dumps(secret)[1:-1],
        json_module.dumps(secret, ensure_ascii=False)[1:-1],
    }
    forms.add(json_module.dumps(json_module.dumps(secret)[1:-1])[1:-1])
    return {form.encode("utf-8", "surrogatepass") for form in forms}


def _encode_utf16_forms(text: bytes) -> Iterator[bytes]:
    try:
        plain = text.decode("utf-8", "surrogatepass")
    except UnicodeDecodeError:
        return
    for encoding in (LITTLE, BIG):
        yield plain.encode(encoding, "surrogatepass")


def _find_form(data: bytes, form: bytes) -> Iterator[Span]:
    at = data.find(form)
    while at >= 0:
        yield at, at + len(form)
        at = data.find(form, at + 1)
