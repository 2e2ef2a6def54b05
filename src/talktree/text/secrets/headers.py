"""Secrets in headers of requests: `Authorization`, `Cookie` and `Set-Cookie`."""

from __future__ import annotations

import re
from collections.abc import Iterator

from talktree.text.secrets.patterns import TOKEN, Found
from talktree.text.secrets.placeholders import is_placeholder
from talktree.text.secrets.quoting import read_value
from talktree.text.secrets.setting_lines import is_strong
from talktree.text.secrets.values import Value, is_cased, is_drawn, is_token

_SCHEME = re.compile(
    rb"\\{0,7}[\"'`]?\]?[ \t]{0,4}[:=,]?[ \t]{0,4}\\{0,7}[\"'`]?"
    rb"(?:(?:basic|bearer|token|apikey|api-key|bot|ssws|splunk|oauth|zoho-oauthtoken|negotiate"
    rb"|ntlm|key|genie[kK]ey|sso-key)[ \t]+)"
    rb"([A-Za-z0-9+/=._~:@!#%^*-]{3,4096})",
    re.IGNORECASE,
)
_ALONE = re.compile(
    rb"\\{0,7}[\"'`]?\]?[ \t]{0,4}[:=][ \t]{0,4}\\{0,7}[\"'`]?([A-Za-z0-9+/=._~-]{8,4096})"
)
_COOKIES = re.compile(
    rb"\\{0,7}[\"'`]?\]?[ \t]{0,4}[:=,]?[ \t]{0,4}\\{0,7}[\"'`]?(?=[\w.%-]{1,80}=)"
)
_COOKIE = re.compile(rb"([\w.%-]{1,80})=([^\s;,\"'`\\<>]{1,4096})(?:;[ \t]*)?")
_ATTRIBUTE = re.compile(rb"[ \t]*(?:HttpOnly|Secure|Partitioned)(?:;[ \t]*)?", re.IGNORECASE)
_SECRET_COOKIE = re.compile(
    rb"sess|sid\b|sid$|auth|token|jwt|login|remember|csrf|xsrf|ticket|user|secret|key|pass|identity|acc",
    re.IGNORECASE,
)
_LOGIN_COOKIE = re.compile(rb"sess|sid$|auth|token|jwt", re.IGNORECASE)
SHORTEST_COOKIE = 5
_PLAIN = frozenset(
    b"path domain expires max-age samesite theme lang locale version priority".split()
)
_ENDING = re.compile(rb"[ \t]*(?:[\"'`\r\n]|\\|\Z)")
_ABOUT = frozenset(
    b"header headers authentication authorization prefix format realm error challenge flow grant "
    b"schema schemes credentials tokens support check handling parsing refresh validation auth "
    b"is are "
    b"was must should and or with in on for not works jwt value values string type missing "
    b"required "
    b"invalid expired".split()
)
"""Words after the name of a scheme in texts about headers."""
_BASE64 = re.compile(rb"[A-Za-z0-9+/]{8,}={0,2}")


def find_authorization(data: bytes, at: int, *, partial: bool = False) -> Iterator[Found]:
    """Return the credentials after the name of a header, which may also be part of another name."""
    start = max(at, 0)
    found = _SCHEME.match(data, start)
    if found is not None:
        text = found.group(1).rstrip(b".,;:")
        # A sentence about headers continues after a word.
        sure = not partial and (
            _ENDING.match(data, found.end(1)) is not None or _is_line_start(data, start)
        )
        if not is_placeholder(text) and _is_credential(text, sure=sure):
            yield (
                TOKEN,
                found.start(1) + min(at, 0),
                found.start(1) + len(text) + min(at, 0),
                "a token",
            )
        return
    found = _ALONE.match(data, start) if at >= 0 else re.match(rb'"([\w+/=.~-]{8,4096})"', data)
    if found is not None and not is_placeholder(found.group(1)):
        text = found.group(1)
        closed = not partial and at >= 0 and data[found.end(1) : found.end(1) + 1] in (b"'", b'"')
        if (
            (_BASE64.fullmatch(text) and _has_login(text))
            or (is_drawn(text) and b"." not in text)
            or (closed and is_strong(text))
        ):
            yield TOKEN, found.start(1) + min(at, 0), found.end(1) + min(at, 0), "a token"


def _is_line_start(data: bytes, end: int) -> bool:
    """Whether a line starts with the name of a header that ends here."""
    return _HEADER_START.search(data, max(0, end - 40), end) is not None


_HEADER_START = re.compile(rb"(?:\A|[\r\n])[>< \t]{0,8}(?:Proxy-)?Authorization\Z")
_DIALOG = re.compile(
    rb"(?:^|[\n>$#:\"'|+]|\\n|[0-9]\t)[ \t]{0,40}(?:[\w.:@-]{1,40}[>:\]]?[ \t]+){0,3}\Z"
)
_AUTH = re.compile(rb"[ \t]+(?:[\w.@-]{1,40}[ \t]+)?(?=[^\s-])")
_MECHANISM = re.compile(
    rb"[ \t]+(?:LOGIN|PLAIN|XOAUTH2|CRAM-MD5)\b[ \t]*([A-Za-z0-9+/]{8,4096}={0,2})?"
)
_ASKED = re.compile(
    rb"334 [^\n]{0,80}\n(?:[ \t]*[0-9]+\t|[^\s\w]{1,4}[ \t]?|C:[ \t]){0,3}"
    rb"([A-Za-z0-9+/]{4,4096}={0,2})(?=\r?\n|\Z)"
)
_ANSWERS = 400


def find_dialog_password(data: bytes, start: int, end: int) -> Iterator[Found]:
    """Return the password in `AUTH PASSWORD` (Redis), or after `AUTH LOGIN` (mail servers)."""
    if _DIALOG.search(data, max(0, start - 100), start) is None:
        return
    found = _MECHANISM.match(data, end)
    if found is not None:
        if found.group(1) is not None and not is_placeholder(found.group(1)):
            yield TOKEN, *found.span(1), "a login of a mail server"
        for answer in _ASKED.finditer(data, found.end(), found.end() + _ANSWERS):
            yield TOKEN, *answer.span(1), "a login of a mail server"
        return
    sign = _AUTH.match(data, end)
    written = None if sign is None else read_value(data, sign.end())
    if written is None or not (is_strong(written.text) or is_cased(written.text)):
        return
    if data[written.end : written.end + 1] in (b"", b"\n", b"\r", b"\\", b'"', b"'", b"`"):
        yield TOKEN, written.start, written.stop, "a password"


def _is_credential(text: bytes, *, sure: bool) -> bool:
    return _has_login(text) or (
        text.lower() not in _ABOUT and is_token(Value(text, True, True, sure=sure))
    )


def _has_login(text: bytes) -> bool:
    """Whether base64 text contains a name and a password."""
    import base64
    import binascii

    try:
        held = base64.b64decode(text + b"=" * (-len(text) % 4), validate=True)
    except binascii.Error:
        return False
    user, colon, password = held.partition(b":")
    return bool(colon and password) and held.isascii() and user.isascii()


def find_cookies(data: bytes, at: int) -> Iterator[Found]:
    """Return the values of login cookies after the name of their header."""
    if at >= 0:
        begin = _COOKIES.match(data, at)
        if begin is None:
            return
        at = begin.end()
    else:
        at = 0
    while (found := _COOKIE.match(data, at)) is not None:
        name, value = found.groups()
        if name.lower() not in _PLAIN and _is_session(name, value):
            yield TOKEN, found.start(2), found.end(2), "a cookie"
        at = found.end()
        while (plain := _ATTRIBUTE.match(data, at)) is not None and plain.end() > at:
            at = plain.end()


def _is_session(name: bytes, value: bytes) -> bool:
    if is_placeholder(value):
        return False
    if _SECRET_COOKIE.search(name):
        return is_token(Value(value, True, True)) or (
            len(value) >= (8 if _LOGIN_COOKIE.search(name) is None else SHORTEST_COOKIE)
            and value.isalnum()
            and (not value.isalpha() or _LOGIN_COOKIE.search(name) is not None)
        )
    return is_drawn(value)
