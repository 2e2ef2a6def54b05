"""Secrets in arguments: of setters, of form fields after a name, of calls that take only keys."""

from __future__ import annotations

import re
from collections.abc import Iterator

from talktree.text.secrets.patterns import NAMED_PASSWORD, TOKEN, Found
from talktree.text.secrets.quoting import WrittenValue, read_value
from talktree.text.secrets.setting_lines import is_strong
from talktree.text.secrets.values import Value, is_drawn, is_mixed, is_password

_QUOTE = rb"\\{0,7}[\"'`]"
_OPENED = rb"[brfuBRFU@]?(?=%b)" % _QUOTE
_WRAPPER = re.compile(
    rb"(?:&?\[\]byte|(?:[Ss]td::)?string(?:_view)?|String(?:::(?:from|new))?|new String"
    rb"|(?:pydantic\.)?SecretStr|Secret(?:String|Box|Bytes)?(?:::(?:new|from))?|NewSecret|Some|Just"
    rb"|Ok|bytes|bytearray|str|Buffer\.from|aws\.String|pulumi\.String|text\.encode)"
    rb"\([ \t]{0,8}(?=[brfu]?%b)" % _QUOTE
)
"""What makes a string of a literal without changing it: `String::from("…")`."""
_SETTER = re.compile(
    rb"(?:\b(?:put|fill|type|append|add|env|header|property|setenv|putenv|input_text)"
    rb"|\b(?:set|with|add)_?[A-Z]?\w{0,24})\([^()\n]{0,40}\Z",
    re.IGNORECASE,
)
"""A call that writes its second argument into what its first one names."""
_SECOND = re.compile(rb"%b,[ \t]{0,4}%b" % (_QUOTE, _OPENED))
_TYPED_INTO = re.compile(
    rb"(?:%b|[\])]){1,6}[ \t]*\.(?:type|fill|send_keys|sendKeys|set_?[vV]alue|set|val"
    rb"|press_?[sS]equentially|clear_and_type)\([ \t]{0,4}%b" % (_QUOTE, _OPENED)
)
_HELD = re.compile(
    rb"(?:%b)?[ \t]*[:=][ \t]*\{[^{}]{0,400}?[\"'](?:value|data)\\{0,7}[\"'][ \t]*:[ \t]*%b"
    % (_QUOTE, _OPENED)
)
_ITEM = rb"(?:\{[^{}\n]{0,200}\}|%b[^\"'`\n]{0,200}%b|[\w$.>\[\]-]{1,80})" % (_QUOTE, _QUOTE)
_FIRST_ITEM = re.compile(rb"[\w.]{0,16}\(\s{0,8}%b" % _OPENED)
_SECOND_ITEM = re.compile(rb"[\w.]{0,16}\(\s{0,8}%b\s{0,8},\s{0,8}%b" % (_ITEM, _OPENED))
_ACCOUNT = re.compile(
    rb"\w{0,8}\(\s{0,8}%bAC[0-9a-f]{32}%b\s{0,8},\s{0,8}%b" % (*(_QUOTE,) * 2, _OPENED)
)
_SALTED = re.compile(rb"crypt\([ \t]{0,4}(?='[^'\n]{4,80}'[ \t]*,[ \t]*gen_salt)")
_WHAT = "a password"


def unwrapped(data: bytes, at: int) -> int:
    """Return where the literal begins that is the only argument of a string conversion."""
    found = _WRAPPER.match(data, at)
    return at if found is None else found.end()


def argument_behind(data: bytes, start: int, end: int) -> WrittenValue | None:
    """Return the value that is written into a name: `put("password", "…")`, `.fill("…")`."""
    sign = _SECOND.match(data, end)
    if sign is not None and _SETTER.search(data, max(0, start - 80), start) is None:
        return None
    sign = sign or _TYPED_INTO.match(data, end) or _HELD.match(data, end)
    written = None if sign is None else read_value(data, sign.end())
    if written is None or not written.quoted or not is_mixed(written.text):
        return None
    return written if is_password(Value(written.text, True, True)) else None


def keyed(data: bytes, at: int) -> Iterator[Found]:
    """Return the key in `jwt.sign(payload, "…")` or `createHmac("sha256", "…")`: the second
    argument."""
    yield from _literal(data, _SECOND_ITEM.match(data, at), drawn=False)


def made_of_key(data: bytes, at: int) -> Iterator[Found]:
    """Return the key in `Fernet("…")`: the first argument."""
    yield from _literal(data, _FIRST_ITEM.match(data, at), drawn=True)


def account(data: bytes, at: int) -> Iterator[Found]:
    """Return the token in `Client("AC…", "…")`: the id of an account, then its token."""
    yield from _literal(data, _ACCOUNT.match(data, at), drawn=True)


def salted(data: bytes, at: int) -> Iterator[Found]:
    """Return the password in `crypt('…', gen_salt('bf'))`, as PostgreSQL hashes one."""
    yield from _literal(data, _SALTED.match(data, at), drawn=False)


def _literal(data: bytes, sign: re.Match[bytes] | None, *, drawn: bool) -> Iterator[Found]:
    written = None if sign is None else read_value(data, sign.end())
    if written is None or not written.quoted:
        return
    if is_drawn(written.text) or (not drawn and is_strong(written.text)):
        kind = TOKEN if drawn else NAMED_PASSWORD
        yield kind, written.start, written.stop, "a token" if drawn else _WHAT
