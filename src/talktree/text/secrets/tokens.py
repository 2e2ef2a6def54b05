"""Secrets that are one run of letters, digits, `-` and `_`: keys and tokens.

Character classes (`char_classes`) make it possible to find long runs with one search at memory
speed. Only the first bytes of a run, or the text before it, decide whether a pattern is tried. So a
text without secrets costs two passes, however many kinds of keys are known.

Also secrets that are not a single run: private keys over many lines, passwords inside URLs.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from string import ascii_letters, digits

from talktree.text.char_classes import LONG, find_marks
from talktree.text.secrets.entropy import compute_entropy, is_made_up, is_random, is_varied
from talktree.text.secrets.patterns import (
    AWS,
    BY_END,
    BY_START,
    CLOUD_KEY,
    DOCUMENTED,
    DOCUMENTED_PIECES,
    LONGEST_BEGINNING,
    PASSWORD,
    PRIVATE_KEY,
    SERVICE_TOKEN,
    Found,
    PrefixedKind,
    SecretKind,
    find_kind,
    find_name_before,
    find_value_end,
)
from talktree.text.secrets.placeholders import is_placeholder
from talktree.text.secrets.prefilter import (
    BASE64,
    BY_NUMBER,
    DOT,
    ESCAPE,
    SLASH,
    can_be_secret_at,
    forget_rare_hints,
    is_doppler_end,
)
from talktree.text.secrets.values import is_mixed

SHORTEST = LONG
"""Minimum length of the run of a key."""
FAR = 1 << 12
"""How far back the start of base64 is searched for at a time."""
BLOB = 200
"""Longer base64 is a file or a signature, and contains keys only by chance."""
_BREAKS = b"\" \\',=:>\n"
_AWS_SECRET = re.compile(
    rb"(?:secret|SECRET|Secret)[A-Za-z_ \"'\\:=>-]{0,40}?([A-Za-z0-9/+]{40})(?![A-Za-z0-9/+=])"
)
_DOPPLER = re.compile(rb"dp\.st\.[a-z0-9_-]{1,35}\.[A-Za-z0-9]{40,44}(?![\w-])")
"""With the name of its environment inside, it has no prefix of its own."""
_AWS_NAMES = ((b"_access_key", b"ecret_access_key"), (b"AccessKey", b"ecretAccessKey"))
"""The end of each, and the whole name."""
_AWS_SETTING = b"ECRET_ACCESS_KEY"


_WRAPPED = re.compile(
    rb"[\w.=-]{12,200}(?:\\{0,7}[\"']?[ \t]{0,4}[+\\]?(?:\r?\n|\\n)[ \t]{0,40}\\{0,7}[\"']?"
    rb"(?![a-z]{1,12}[ \t]+\w)[\w.=-]{4,200}(?![\w.=-])){1,24}"
)
_SPELLED = re.compile(rb"[a-z]+(?:[_-]+[a-z]+)+|[A-Z]+(?:[_-]+[A-Z]+)+")
"""Names of functions and files are not keys, whatever their prefix."""
_LINE_END = re.compile(rb"\\{0,7}[\"']?[ \t]{0,4}[+\\]?(?:\r?\n|\\n)[ \t]{0,40}\\{0,7}[\"']?")


def find_tokens(data: bytes, runs: list[int] | None = None) -> list[Found]:
    """Return the keys and tokens in a text, last first; the starts of long runs may be given."""
    out: list[Found] = []
    last = len(data) + 1
    doppler = False
    forget_rare_hints()
    for start in reversed(find_marks(data).starts if runs is None else runs):
        # Most runs in base64 are discarded before any other check.
        if start + SHORTEST >= last or not can_be_secret_at(data, start):
            continue
        doppler = doppler or (data[start - 1] == DOT and is_doppler_end(data, start))
        found = _find_token(data, start)
        if found is not None:
            out.append(found)
        elif data[start - 1] in b"/+":
            last = _token_end(data, start, out)
    if any(found[3] == AWS for found in out) or _has_aws_name(data):
        out += _find_aws_secrets(data)
    if doppler:
        out += ((CLOUD_KEY, *each.span(), "a Doppler token") for each in _DOPPLER.finditer(data))
    return out


def _has_aws_name(data: bytes) -> bool:
    """Whether the secret half of an AWS key is named somewhere."""
    # Searched from the end by its first letter, which is rare only as a capital.
    if data.rfind(_AWS_SETTING) >= 0:
        return True
    return any(data.rfind(end) >= 0 and name in data for end, name in _AWS_NAMES)


def _find_aws_secrets(data: bytes) -> Iterator[Found]:
    """Return the secrets of access keys: they are base64, so they may contain no long run at
    all."""
    for each in _AWS_SECRET.finditer(data):
        start, stop = each.span(1)
        if is_random(each.group(1)) and not is_made_up(each.group(1)):
            yield CLOUD_KEY, start, stop, "an AWS secret key"


def _find_token(data: bytes, start: int) -> Found | None:
    """Return the secret that a run is on its own."""
    before = data[start - 1] if start else 0
    if before == ESCAPE:
        # An escape belongs to the text before: `\n`, `\t`, a character by number.
        start += 5 if data[start] == BY_NUMBER else 1
    first = start
    if before != ESCAPE and data[start] in b"-_" and before not in BY_END:
        lead = data[start : start + LONGEST_BEGINNING]
        start += len(lead) - len(lead.lstrip(b"-_"))
    kinds = BY_START.get(data[start : start + 3], ())
    for known in kinds:
        found = _match_kind(data, start, known)
        if found is not None:
            return _join_continued_token(data, found, known)
    wrapped = _join_wrapped(data, start) if kinds else None
    for known in kinds if wrapped else ():
        assert wrapped is not None
        joined, stop = wrapped
        if (found := _match_kind(joined, 0, known)) is not None and found[2] == len(joined):
            return known.kind, start, stop, known.what
    if before in b"/+":
        return None
    behind = BY_END.get(before)
    return (behind and _find_token_after(data, start, behind)) or _find_named_value(data, first)


def _join_wrapped(data: bytes, start: int) -> tuple[bytes, int] | None:
    """Join a run that continues on the next lines, and return it with its end."""
    found = _WRAPPED.match(data, start)
    if found is None:
        return None
    return _LINE_END.sub(b"", found.group()), found.end()


def _join_continued_token(data: bytes, found: Found, known: SecretKind) -> Found:
    """Join a token that already matches its pattern on its first line with what follows on the
    next."""
    kind, start, stop, what = found
    if data[stop : stop + 1] not in (b"\n", b"\r", b"\\"):
        return found
    wrapped = _join_wrapped(data, start)
    if wrapped is None or not is_random(wrapped[0][stop - start :]):
        return found
    longer = known.match(wrapped[0], 0)
    whole = longer is not None and longer.end() == len(wrapped[0])
    return (kind, start, wrapped[1], what) if whole else found


def _token_end(data: bytes, start: int, out: list[Found]) -> int:
    """Skip a run that is a piece of a path or of base64; return where to continue."""
    if data[start : start + SHORTEST].islower():
        return start
    begin = _find_begin(data, start, BLOB + 1)
    if start - begin > BLOB:
        return _find_begin(data, start, FAR)
    found = _find_token_after(data, start, BY_END[SLASH])
    if found is None and (not begin or data[begin - 1] in _BREAKS):
        found = _find_named_value(data, begin)
    if found is not None:
        out.append(found)
    return start


def _find_begin(data: bytes, start: int, far: int) -> int:
    """Return where the base64 text around here begins, if that is not too far away."""
    near = data[max(0, start - far) : start]
    return start - (len(near) - len(near.rstrip(BASE64)))


def _find_named_value(data: bytes, start: int) -> Found | None:
    """Return a value that is secret because of its name."""
    name = find_name_before(data, start)
    stop = -1 if name is None else find_value_end(data, start)
    if name is None or stop < 0 or data[start:stop] in DOCUMENTED:
        return None
    kind, what = find_kind(name)
    return kind, start, stop, what


def _find_token_after(data: bytes, start: int, kinds: Iterable[PrefixedKind]) -> Found | None:
    """Return a token that is known by the text before it."""
    beginning = data[max(0, start - LONGEST_BEGINNING) : start]
    for sign, before, known in kinds:
        if sign in beginning and before.search(beginning) is not None:
            found = _match_kind(data, start, known)
            if found is not None:
                return found
    return None


def _match_kind(data: bytes, start: int, known: SecretKind) -> Found | None:
    found = known.match(data, start)
    if found is None or found.group() in DOCUMENTED:
        return None
    body = found.group(1)
    if is_made_up(body) or not is_varied(body) or _SPELLED.fullmatch(body):
        return None
    if any(piece in body for piece in DOCUMENTED_PIECES):
        return None
    return known.kind, start, found.end(), known.what


LONGEST_KEY = 1 << 15
SHORTEST_KEY = 64
DRAWN = 4.8
"""Bits for each letter from which on a key was not written by hand."""
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
"""Passwords with signs that end them in other addresses."""
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
"""Maximum distance of a login's start from the host of a URL."""


def find_private_keys(data: bytes) -> Iterator[Found]:
    """Yield private keys between their two marker lines, or as far as they go."""
    at = 0
    while (begin := _BEGIN.search(data, at)) is not None:
        # A key ends before the next one begins, so every byte is searched only once.
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
    """Whether it is more than an example; real keys may contain a run of equal letters."""
    return is_varied(bare) and (compute_entropy(bare) >= DRAWN or not is_made_up(bare))


def find_passwords(data: bytes) -> Iterator[Found]:
    """Yield passwords before the host of a URL or the name of a database."""
    for sign in _AT.finditer(data):
        at = sign.start()
        if data[at - 1] not in _NO_PASSWORD:
            # Names and passwords contain no slash, so the nearest one comes before both.
            slash = data.rfind(b"/", max(0, at - _LONGEST_LOGIN), at)
            if data.startswith(_NETWORKS, at + 1):
                yield from _find_go_login(data, at)
            elif slash <= 0:
                pass
            elif data[slash - 1] == _SLASH:
                yield from _find_in_url(data, slash - 2, at)
            elif slash >= at - _LONGEST_PASSWORD:
                yield from _with_slash(data, slash, at)
                if data[slash - 1] in _WORD:
                    yield from _find_oracle_login(data, slash, at)


def _find_in_url(data: bytes, start: int, at: int) -> Iterator[Found]:
    """Return the password in `://user:password@host`, or the token in `://TOKEN@host`."""
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
    """Return the password in `://user:pass/word@host`, if that is not the address of a file on a
    port."""
    start = data.rfind(b"://", max(0, at - _LONGEST_LOGIN), slash)
    found = _SLASHED.match(data, start) if start >= 0 else None
    if found is not None and found.end(2) == at and _is_real(*found.groups()):
        yield PASSWORD, *found.span(2), "a password in a URL"


def _find_go_login(data: bytes, at: int) -> Iterator[Found]:
    """Return the password in `user:password@tcp(host)`."""
    found = _GO_LOGIN.search(data, max(0, at - _LONGEST_PASSWORD * 2), at)
    if found is not None and _is_real(*found.groups()):
        yield PASSWORD, *found.span(2), "a password of a database"


def _find_oracle_login(data: bytes, slash: int, at: int) -> Iterator[Found]:
    """Return the password in `sqlplus user/password@host` and similar commands."""
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
    """Whether a password may be real."""
    low = password.lower()
    # Examples use short words; passwords contain digits among letters or only digits.
    least = 3 if any(48 <= byte <= 57 for byte in password) else 4
    if low == user.lower() or len(set(low)) < least or is_placeholder(password):
        return False
    return not low.startswith((b"%s", b"env.", b"$", b"{"))
