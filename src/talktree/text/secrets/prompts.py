"""Secrets that are known by the text before them: answers to prompts, pairs, lists of codes."""

from __future__ import annotations

import re
from collections.abc import Iterator

from talktree.text.secrets.patterns import NAMED_PASSWORD, Found
from talktree.text.secrets.values import Value, is_mixed, is_password

_WHAT = "a password"
_ASKED = re.compile(
    rb"(?i:assw|passphrase|passcode|kennwort)[^\n]{0,40}(?:\r?\n|\\n|[;{]|[ \t])[ \t]{0,20}\Z"
)
_SENT = re.compile(
    rb"send(?:line)?(?:[ \t]+--)?[ \t]*\(?[ \t]*\\{0,7}\"([^\"\\\n$]{3,80})(?=[\"\\])"
)
_STATE = re.compile(rb"\\{0,7}\"result\\{0,7}\"[ \t]{0,4}:[ \t]{0,4}\\{0,7}\"([^\"\\\n]{4,256})")
_STATE_SIZE = 1500
_LOGIN = re.compile(
    rb"(?:[Cc]?red(?:ential)?s(?:[ \t]+(?:are|is|were)|[ \t]*[:=])"
    rb"|(?:og|ign)[ -]?in (?:with|as|using))"
    rb"[ \t]{1,4}(?:the )?[`'\"]?([\w.@+-]{1,64})[`'\"]?"
    rb"[ \t]{0,2}[/:][ \t]{0,2}(?P<quote>[`'\"]?)([^\s`'\"/]{4,64})"
)
_QUOTED_BEFORE = re.compile(rb"[ \t]\\{0,7}([\"'`])([^\"'`\\\n]{3,64})\\{0,7}\1\Z")
_CALLED = re.compile(
    rb"[ \t]as[ \t]+(?:(?:the|your|my|a|its|our)[ \t]+)?"
    rb"(?:\w{1,12}[ \t]+)?pass(?:word|phrase)\b"
)
_CODES = re.compile(
    rb"(?:ackup|covery) [cC]odes?(?:[ \t]+(?:are|is)|[^\n:]{0,40}(?=:))?:?[ \t]{0,4}"
    rb"(?:(?:\r?\n|\\n)[ \t]*(?:```[ \t]*(?:\r?\n|\\n))?){0,3}"
)
_CODE = re.compile(
    rb"[ \t]*(?:[-*+][ \t]+|[0-9]{1,2}[.)][ \t]+|\d{1,5}\t)?[`'\"]?"
    rb"([0-9A-Za-z]{4,6}(?:-[0-9A-Za-z]{4,6}){1,4}|[0-9]{4} [0-9]{4}|[0-9A-Za-z]{6,12})[`'\"]?"
    rb"(?:[ \t]*(?:,|;|\r?\n|\\n|\Z)|[ \t]+)"
)
_MOST_CODES = 32


def find_sent_password(data: bytes, at: int) -> Iterator[Found]:
    """Return the password in `expect "Password:"` and `send "…"`."""
    found = _SENT.match(data, at)
    if found is None or _ASKED.search(data, max(0, at - 120), at) is None:
        return
    if is_password(Value(found.group(1), True, True, sure=True)):
        yield NAMED_PASSWORD, *found.span(1), _WHAT


def find_generated_password(data: bytes, at: int) -> Iterator[Found]:
    """Return the result of a `random_password` in the state of Terraform."""
    for found in _STATE.finditer(data, at, at + _STATE_SIZE):
        if is_password(Value(found.group(1), True, True, sure=True)):
            yield NAMED_PASSWORD, *found.span(1), _WHAT


def find_paired_password(data: bytes, at: int) -> Iterator[Found]:
    """Return the password in `the credentials are bob / …`."""
    found = _LOGIN.match(data, at)
    if found is None:
        return
    text = found.group(3).rstrip(b".,;:)")
    value = Value(text, bool(found["quote"]), True, sure=bool(found["quote"]))
    if (found["quote"] or is_mixed(text)) and is_password(value):
        yield NAMED_PASSWORD, found.start(3), found.start(3) + len(text), _WHAT


def find_quoted_password(data: bytes, at: int) -> Iterator[Found]:
    """Return the password in `use "…" as the password`."""
    if _CALLED.match(data, at) is None:
        return
    found = _QUOTED_BEFORE.search(data, max(0, at - 80), at)
    if found is not None and is_password(Value(found.group(2), True, True, sure=True)):
        yield NAMED_PASSWORD, *found.span(2), _WHAT


def find_recovery_codes(data: bytes, at: int) -> Iterator[Found]:
    """Return recovery codes for two-factor login; a single one may be anything."""
    begin = _CODES.match(data, at)
    if begin is None:
        return
    places: list[tuple[int, int]] = []
    end = begin.end()
    while len(places) < _MOST_CODES and (code := _CODE.match(data, end)) is not None:
        if not any(48 <= byte <= 57 for byte in code.group(1)):
            break
        places.append(code.span(1))
        end = code.end()
    if len(places) > 1:
        yield from ((NAMED_PASSWORD, *place, "a backup code") for place in places)
