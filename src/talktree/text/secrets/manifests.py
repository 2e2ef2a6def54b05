"""Secrets by their document: manifests of Kubernetes, parameters of AWS, HAR files."""

from __future__ import annotations

import re
from collections.abc import Iterator

from talktree.text.secrets.patterns import NAMED_PASSWORD, TOKEN, Found
from talktree.text.secrets.placeholders import is_placeholder
from talktree.text.secrets.quoting import read_value
from talktree.text.secrets.values import Value, is_password, is_token

_FAR = 1 << 14
"""Maximum distance of a manifest's values from its kind."""
_AGAIN = 1 << 12
"""Within this distance of another kind, the values belong to it as well."""
_KIND = re.compile(rb"kind\\{0,7}[\"']?[ \t]{0,4}:[ \t]{0,4}\\{0,7}[\"']?\Z")
_BORDER = re.compile(rb"(?:^|\n|\\n)[^\w\n]{0,12}---[ \t]*(?=\r?\n|\\n|\Z)")
_BLOCK = re.compile(
    rb"(?P<lead>(?:^|\n|\\n)(?:[ \t]*[0-9]{1,6}(?:\t|\?|\\t|[|:] ?))?[+> -]{0,2}(?P<indent>[ ]*))"
    rb"(?:data|stringData):[ \t]*(?:#[^\n]*)?(?=\r?\n|\\n)"
)
_LINE = re.compile(
    rb"(?:\r?\n|\\n)(?:[ \t]*[0-9]{1,6}(?:\t|\?|\\t|[|:] ?))?[+> -]{0,2}?(?P<indent>[ ]*)"
    rb"(?P<name>[\w.\"'/-]{1,253}):(?P<after>[ \t]+|(?=\r?\n|\\n|\Z))"
)
_INLINE = re.compile(rb"\\{0,7}\"(?:data|stringData)\\{0,7}\"\s{0,4}:\s{0,4}\{([^{}]{0,16000})\}")
_PAIR = re.compile(rb"\\{0,7}\"[\w.-]{1,253}\\{0,7}\"(?:\s|\\n){0,8}:(?:\s|\\n){0,8}(?=\\{0,7}\")")
SECRET_VALUE = "a value of a Kubernetes Secret"


def is_kind(data: bytes, hit: int) -> bool:
    """Whether `kind: Secret` is written around the end of its last word."""
    begin = hit - 3
    if data[begin : hit + 3] != b"Secret":
        return False
    return _KIND.search(data, max(0, begin - 24), begin) is not None


def find_manifest_values(data: bytes, hit: int) -> tuple[int, list[Found]]:
    """Return the values of a Kubernetes Secret whose kind is here, and where the searched range
    ends."""
    start, stop = max(0, hit - _FAR), min(len(data), hit + _FAR)
    for border in _BORDER.finditer(data, start, stop):
        if border.end() <= hit:
            start = border.end()
        else:
            stop = border.start()
            break
    found: list[Found] = []
    for block in _INLINE.finditer(data, start, stop):
        found += _find_pair_values(data, block.start(1), block.end(1))
    for lines in _BLOCK.finditer(data, start, stop):
        found += _find_indented_values(data, lines.end(), len(lines["indent"]), stop)
    return max(hit, stop - _AGAIN), found


def _find_pair_values(data: bytes, start: int, stop: int) -> Iterator[Found]:
    for pair in _PAIR.finditer(data, start, stop):
        written = read_value(data, pair.end())
        if written is not None and _is_value(written.text):
            yield NAMED_PASSWORD, written.start, written.stop, SECRET_VALUE


def _find_indented_values(data: bytes, at: int, indent: int, stop: int) -> Iterator[Found]:
    """Return the values of lines that are indented more than the name of their block."""
    while (line := _LINE.match(data, at, stop)) is not None:
        if len(line["indent"]) <= indent:
            return
        written = read_value(data, line.end())
        at = line.end()
        if written is None:
            continue
        if _is_value(written.text):
            yield NAMED_PASSWORD, written.start, written.stop, SECRET_VALUE
        at = max(at, written.end)


def _is_value(text: bytes) -> bool:
    return len(text) >= 4 and not is_placeholder(text)


_SECURE = b"securestring"
_VALUES = re.compile(
    rb"(?:--value(?:[ \t]+|=)|\\{0,7}\"[vV]alue\\{0,7}\"(?:\s|\\n){0,8}:(?:\s|\\n){0,8})(?=\S)"
)
_NEAR = 600
_CONVERTED = re.compile(rb"(?i:curestring)[ \t]+(?:-String[ \t]+)?(?=\\{0,7}[\"'])")


def is_secure(data: bytes, hit: int) -> bool:
    """Whether `SecureString` is written around here."""
    return data[hit - 2 : hit + 10].lower() == _SECURE


def find_parameter_value(data: bytes, hit: int) -> Iterator[Found]:
    """Return the value of an AWS parameter that is marked as a secure string here."""
    typed = _CONVERTED.match(data, hit)
    if typed is not None:
        written = read_value(data, typed.end())
        if written is not None and is_password(Value(written.text, True, True)):
            yield NAMED_PASSWORD, written.start, written.stop, "a password"
        return
    near = max(0, hit - _NEAR)
    start = max(data.rfind(b"{", near, hit), data.rfind(b";", near, hit), near)
    ends = [at for at in (data.find(b"}", hit, hit + _NEAR),) if at >= 0]
    stop = min((*ends, hit + _NEAR, len(data)))
    for place in _VALUES.finditer(data, start, stop):
        written = read_value(data, place.end())
        if written is not None and is_password(Value(written.text, True, True)):
            yield NAMED_PASSWORD, written.start, written.stop, "a secure parameter"


_COOKIE = re.compile(
    rb"\\{0,7}\"name\\{0,7}\"(?:\s|\\n){0,24}:(?:\s|\\n){0,24}\\{0,7}\"([\w.%-]{1,80})\\{0,7}\"(?:\s|\\n){0,24},"
    rb"(?:\s|\\n){0,24}\\{0,7}\"value\\{0,7}\"(?:\s|\\n){0,24}:(?:\s|\\n){0,24}(?=\\{0,7}\")"
)
_LIST = re.compile(rb"\\{0,7}\"(?:\s|\\n){0,8}:(?:\s|\\n){0,8}\[")
_LISTED = 1 << 13
_PLAIN = frozenset(b"theme lang locale language consent tz timezone currency".split())


def find_cookie_pairs(data: bytes, end: int) -> Iterator[Found]:
    """Return the cookies in a list of names and values, as HAR files have it after `"cookies"`."""
    begin = _LIST.match(data, end)
    if begin is None:
        return
    ends = [data.find(sign, begin.end(), begin.end() + _LISTED) for sign in (b"]", b"ookies")]
    close = min((at for at in ends if at >= 0), default=-1)
    for pair in _COOKIE.finditer(data, begin.end(), close if close >= 0 else begin.end() + _LISTED):
        written = read_value(data, pair.end())
        if written is None or pair.group(1).lower() in _PLAIN:
            continue
        if is_token(Value(written.text, True, True)):
            yield TOKEN, written.start, written.stop, "a cookie"
