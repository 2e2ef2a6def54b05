"""Secrets that are no single run: private keys over many lines, passwords inside of URLs."""

from __future__ import annotations

import re
from collections.abc import Iterator
from string import ascii_letters, digits

from talktree.text.secret_kinds import PASSWORD, PRIVATE_KEY, SERVICE_TOKEN, Found
from talktree.text.secrets.entropy import entropy, is_made_up, is_random, is_varied
from talktree.text.secrets.placeholders import is_placeholder
from talktree.text.secrets.values import is_mixed

LONGEST_KEY = 1 << 15
SHORTEST_KEY = 64
DRAWN = 4.8
"""Bits a letter from which on a key was not written by hand."""
_BEGIN = re.compile(rb"-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----")
_END = re.compile(rb"-----END [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----")
_REST = re.compile(rb"(?:[A-Za-z0-9+/=\s]|\\[nr/]){0,32768}")
_BETWEEN = re.compile(rb"\\[nrt]|[^A-Za-z0-9+/=]")
_STOP = rb"\s@/\"'<>\\`|"
_LOGIN = re.compile(
    rb"://([^:%b]{0,100}):([^%b]{3,200})@([A-Za-z0-9.-]{1,253}|\[)" % (_STOP, _STOP)
)
_WITH_AT = re.compile(
    rb"://([^:%b]{0,100}):([^\s/\"'<>\\`|@]{1,80}(?:@[^\s/\"'<>\\`|@,?&=]{1,80}){1,3})"
    rb"@(?=[A-Za-z0-9.-]{1,253}|\[)" % _STOP
)
_SLASHED = re.compile(
    rb"://([\w.+-]{0,64}):(?![0-9]{1,5}/)([^\s@\"'<>\\`|?,]{3,64})@(?=[A-Za-z0-9.-]{1,253}|\[)"
)
"""Passwords with the signs that end them in other addresses."""
_GO_LOGIN = re.compile(rb"(?<![\w.-])([\w.-]{1,64}):([^\s:\"'`<>]{2,64})\Z")
_NETWORKS = (b"tcp(", b"unix(", b"tcp6(")
_SHORT_TOKEN = re.compile(rb"://(?=[a-zA-Z_-]{0,40}[0-9])([A-Za-z0-9_-]{10,128})")
_FORGES = (b"github.com/", b"gitlab.com/")
_TOKEN_LOGIN = re.compile(rb"://([A-Za-z0-9_-]{20,128})")
_DATABASE_PROGRAM = re.compile(
    rb"\b(?:sqlplus|sqlldr|sqlcl|expdp|impdp|exp|imp|rman|connect|conn|target|proxy)\b"
    rb"|userid=|oracle:(?:thin|oci8?):",
    re.IGNORECASE,
)
_DATABASE_LOGIN = re.compile(
    rb"(?<![\w/$#.-])([\w$#.-]{1,60})/\\{0,7}[\"']?([^\s@/\"'\\]{4,64})\\{0,7}[\"']?(?=@|\Z)"
)
_LONGEST_USER = 62
_FAR = 200
_AT = re.compile(rb"@(?=[\w.\[-])")
_NO_PASSWORD = b" \n\t/"
_SLASH = ord("/")
_WORD = frozenset((ascii_letters + digits).encode())
_LONGEST_PASSWORD = 70
_LONGEST_LOGIN = 304
"""How far before the host of a URL its login starts at most."""


def private_keys(data: bytes) -> Iterator[Found]:
    """Private keys between their two lines, or as far as they go."""
    at = 0
    while (begin := _BEGIN.search(data, at)) is not None:
        # A key ends before the next one begins, so no byte is looked at for more than one.
        further = data.find(b"-----BEGIN", begin.end(), begin.end() + LONGEST_KEY)
        limit = further if further >= 0 else begin.end() + LONGEST_KEY
        end = _END.search(data, begin.end(), limit)
        if end is not None:
            body, at = data[begin.end() : end.start()], end.end()
        else:
            rest = _REST.match(data, begin.end(), limit)
            body = b"" if rest is None else rest.group().rstrip()
            at = begin.end() + len(body)
        bare = _BETWEEN.sub(b"", body)
        if len(bare) >= SHORTEST_KEY and _is_key(bare):
            yield PRIVATE_KEY, begin.start(), at, "a private key"


def _is_key(bare: bytes) -> bool:
    """Whether it is more than an example; real keys may have a row of equal letters in them."""
    return is_varied(bare) and (entropy(bare) >= DRAWN or not is_made_up(bare))


def passwords(data: bytes) -> Iterator[Found]:
    """Passwords that stand in front of the host of a URL or the name of a database."""
    for sign in _AT.finditer(data):
        at = sign.start()
        if data[at - 1] not in _NO_PASSWORD:
            # Neither a name nor a password has a slash, so the nearest one is before both.
            slash = data.rfind(b"/", max(0, at - _LONGEST_LOGIN), at)
            if data.startswith(_NETWORKS, at + 1):
                yield from _go_login(data, at)
            elif slash <= 0:
                pass
            elif data[slash - 1] == _SLASH:
                yield from _in_url(data, slash - 2, at)
            elif slash >= at - _LONGEST_PASSWORD:
                yield from _with_slash(data, slash, at)
                if data[slash - 1] in _WORD:
                    yield from _oracle(data, slash, at)


def _in_url(data: bytes, start: int, at: int) -> Iterator[Found]:
    """`://user:password@host`, and `://TOKEN@host` where the token is all there is."""
    if start < 0:
        return
    token = _TOKEN_LOGIN.fullmatch(data, start, at)
    if token is not None:
        if is_random(token.group(1)):
            yield SERVICE_TOKEN, *token.span(1), "a token in a URL"
        return
    short = _SHORT_TOKEN.fullmatch(data, start, at)
    if short is not None and data.startswith(_FORGES, at + 1) and is_mixed(short.group(1)):
        yield SERVICE_TOKEN, *short.span(1), "a token in a URL"
        return
    found = _LOGIN.match(data, start) or _WITH_AT.match(data, start)
    if found is not None and found.end(2) < at:
        found = _WITH_AT.match(data, start)
    if found is None or found.end(2) != at:
        return
    if _is_real(found.group(1), found.group(2)):
        yield PASSWORD, *found.span(2), "a password in a URL"


def _with_slash(data: bytes, slash: int, at: int) -> Iterator[Found]:
    """`://user:pass/word@host`, which is no address of a file on a port."""
    start = data.rfind(b"://", max(0, at - _LONGEST_LOGIN), slash)
    found = _SLASHED.match(data, start) if start >= 0 else None
    if found is not None and found.end(2) == at and _is_real(*found.groups()):
        yield PASSWORD, *found.span(2), "a password in a URL"


def _go_login(data: bytes, at: int) -> Iterator[Found]:
    """`user:password@tcp(host)`."""
    found = _GO_LOGIN.search(data, max(0, at - _LONGEST_PASSWORD * 2), at)
    if found is not None and _is_real(*found.groups()):
        yield PASSWORD, *found.span(2), "a password of a database"


def _oracle(data: bytes, slash: int, at: int) -> Iterator[Found]:
    """`sqlplus user/password@host` and the like."""
    if b" " in data[slash:at]:
        return
    near = data[max(0, slash - _FAR) : slash].rpartition(b"\n")[2]
    if _DATABASE_PROGRAM.search(near) is None:
        return
    login = _DATABASE_LOGIN.search(data, max(0, slash - _LONGEST_USER), at)
    if login is None or login.end() != at:
        return
    user, password = login.groups()
    if _is_real(user, password):
        yield PASSWORD, *login.span(2), "a password of a database"


def _is_real(user: bytes, password: bytes) -> bool:
    """Whether a password may open something."""
    low = password.lower()
    # A short word is what examples have; digits among letters or alone are what passwords have.
    least = 3 if any(48 <= byte <= 57 for byte in password) else 4
    if low == user.lower() or len(set(low)) < least or is_placeholder(password):
        return False
    return not low.startswith((b"%s", b"env.", b"$", b"{"))
