"""Secrets without a name: arguments of calls and commands, dialogs, and JSON objects that are
marked as sensitive."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from functools import cache
from typing import NamedTuple

from talktree.text.secrets.arguments import account, keyed, made_of_key, salted
from talktree.text.secrets.entropy import is_made_up, is_random, is_varied
from talktree.text.secrets.json_objects import find_values_around
from talktree.text.secrets.patterns import (
    CLOUD_KEY,
    DOCUMENTED,
    NAMED_PASSWORD,
    PRIVATE_KEY,
    SERVICE_TOKEN,
    TOKEN,
    Found,
    SecretKind,
    iterate_rows,
)
from talktree.text.secrets.placeholders import is_placeholder
from talktree.text.secrets.prompts import (
    find_generated_password,
    find_paired_password,
    find_quoted_password,
    find_recovery_codes,
    find_sent_password,
)
from talktree.text.secrets.quoting import read_value
from talktree.text.secrets.values import Value, is_cased, is_drawn, is_mixed, is_password

_QUOTE = rb"\\{0,7}[\"']"
_GAP = rb"(?:\s|\\n){0,20}"
_ARGUMENT = _GAP + rb"(?:%b[^\"'\n]{0,200}%b|[\w$.>\[\]-]{1,80})" % (_QUOTE, _QUOTE) + _GAP + rb","
_THIRD = re.compile(rb"\(" + _ARGUMENT * 2 + _GAP + rb"(?=%b)" % _QUOTE)
_SECOND = re.compile(
    rb"\([ \t]{0,8}%b[^\"'\n]{1,80}%b[ \t]{0,8},[ \t]{0,8}(?=%b)" % ((_QUOTE,) * 3)
)
_NET = re.compile(
    rb"net(?:\.exe)?[ \t]+(?:user[ \t]+[\w.@\\-]{1,64}"
    rb"|use\b[^\n|;]{1,160}?[ \t]/user:[\w.@\\-]{1,64})[ \t]+(?=[^\s/*-])",
    re.IGNORECASE,
)
_NET_SHARE = re.compile(
    rb"net(?:\.exe)?[ \t]+use\b[^\n|;]{1,120}?\\\\\S{1,80}[ \t]+(?=[^\s/*-]\S{3,64}[ \t]+/user:)",
    re.IGNORECASE,
)
_VAULT = re.compile(
    rb"vault[ \t]+login[ \t]+(?:-\S{1,60}[ \t]+){0,4}(?:token=)?(?!\w{1,40}=)(?=[^\s-])"
)
_COMMUNITY = re.compile(rb"(?:(?<=snmp-server )community|(?<=\b[rR][oOwW])community6?)[ \t]+(?=\S)")
_BOUND = re.compile(rb"bindpw[ \t]+(?=\S)")
_PW = re.compile(rb"_?[pP][wW](?P<space>[ \t]{0,2})(?::?=)[ \t]{0,2}(?P<quote>\\{0,7}[\"'`]?)")
_DIRECTORY = re.compile(rb"(?:authtok[ \t]*[=:]|rootpw(?:[ \t]+--plaintext)?)[ \t]*(?=[^\s-])")
_UNSEAL = re.compile(rb"Unseal Key [0-9]{1,2}:[ \t]+(?=\S)")
_BY = re.compile(
    rb"identified with[ \t]+\S{1,80}[ \t]+(?:by|as)[ \t]+(?=\\{0,7}['\"])", re.IGNORECASE
)
_WALLET = re.compile(rb"Wallet\([ \t]{0,8}\\{0,7}[\"']((?:0x)?[0-9a-f]{64})(?![0-9a-f])")
_SAVED = re.compile(rb"<Pass(?:[ \t][^<>\n]{0,60})?>([^<>\n]{4,200})<")
_DESKTOP = re.compile(rb"freerdp\d?\b[^\n|;]*\Z", re.IGNORECASE)
_PUTTY = re.compile(
    rb"Private-Lines:[ \t]*[0-9]{1,3}(?:\r?\n|\\n)"
    rb"((?:(?:[ \t]*[0-9]{1,6}\t|[+>|] ?)?[A-Za-z0-9+/]{16,64}={0,2}(?:\r?\n|\\n|\Z)){1,99})"
)
_NETWORK = re.compile(
    rb"WIFI:(?:[A-OQ-Z]:(?:\\.|[^;\\\n]){0,80};){0,5}P:((?:\\.|[^;\\\n]){4,128});"
)
_MASKED = re.compile(rb"::add-mask::(?=[^\s$])")
_LARAVEL = re.compile(rb"base64:([A-Za-z0-9+/]{43}=|[A-Za-z0-9+/]{22}==)(?![A-Za-z0-9+/=])")
_CONNECTION = re.compile(rb"racle:thin:[\w.$-]{1,64}/(?=[^\s@/]{3,128}@)")
_BRACED = re.compile(rb"PWD=\{([^{}$\n]{4,128})\}(?=;|[\"'\s]|\Z)")
_UNLOCK = re.compile(rb"bw unlock[ \t]+(?=[^\s-])")
_PAYMENT = re.compile(rb"\$production\$([a-z0-9]{16}\$[a-f0-9]{32})(?![\w$])")
_PHRASE = re.compile(
    rb"(?:nemonic|NEMONIC|phrase|PHRASE)[\w-]{0,20}(?:\\{0,7}[\"'`])?[ \t]{0,4}"
    rb"(?::=|[:=]|(?:is|are):?)"
    rb"[ \t]{0,4}(?:\r?\n|\\n)?[ \t]{0,8}\\{0,7}[\"'`]?"
    rb"((?:[a-z]{3,8}(?:,?[ \t]|\r?\n)){11,24}[a-z]{3,8})(?![\w-])"
)
_TEAMS = re.compile(rb"/IncomingWebhook/([0-9a-f]{32})(?:/[0-9a-fA-F-]{36})?")
_STATED = re.compile(
    _QUOTE + rb"[ \t]*:[ \t]*(?:true\b|" + _QUOTE + rb"true" + _QUOTE + rb")", re.IGNORECASE
)
_ACCESS = re.compile(rb"(?:AKIA|ASIA)[A-Z2-7]{16}(?![A-Za-z0-9])")
_WORD_BYTES = b"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"


def _find_value(data: bytes, at: int, *, mixed: bool, sure: bool = False) -> Iterator[Found]:
    """Return the password at this place."""
    written = read_value(data, at)
    if written is None:
        return
    text = written.text if written.quoted else written.text.rstrip(b",;)")
    if written.quoted and text[:1] in (b",", b")", b"'", b'"'):
        # The quote closes the string that the name is in.
        return
    if (is_mixed(text) or is_cased(text) or not mixed) and is_password(
        Value(text, written.quoted, True, sure)
    ):
        yield NAMED_PASSWORD, written.start, written.start + len(text), "a password"


def _find_connection(data: bytes, at: int) -> Iterator[Found]:
    """Return the password in `connect("host", "user", "password")` in all languages, and `new
    PDO(…)`."""
    sign = _THIRD.match(data, data.find(b"(", at))
    if sign is not None:
        yield from _find_value(data, sign.end(), mixed=True)


def _find_login(data: bytes, at: int) -> Iterator[Found]:
    """Return the password in `login("user", "password")`."""
    sign = _SECOND.match(data, at + len(b"login"))
    if sign is not None:
        yield from _find_value(data, sign.end(), mixed=True)


def _find_net_password(data: bytes, at: int) -> Iterator[Found]:
    """Return the password in `net user NAME PASSWORD` and `net use … /user:NAME PASSWORD`."""
    sign = _NET_SHARE.match(data, at) or _NET.match(data, at)
    if sign is not None and data[at - 1 : at] not in (b".", b"-", b"_", b"/"):
        # After the name of a share there can only be a password.
        yield from _find_value(data, sign.end(), mixed=data[at + 4 : at + 7] != b"use", sure=True)


def _find_vault_password(data: bytes, at: int) -> Iterator[Found]:
    sign = _VAULT.match(data, at)
    if sign is not None:
        yield from _find_value(data, sign.end(), mixed=True)


def _find_community(data: bytes, at: int) -> Iterator[Found]:
    sign = _COMMUNITY.match(data, at)
    if sign is not None:
        yield from _find_value(data, sign.end(), mixed=True)


def _find_bind_password(data: bytes, at: int) -> Iterator[Found]:
    """Return the password with which programs log in to a directory (LDAP)."""
    sign = _BOUND.match(data, at)
    if sign is not None:
        yield from _find_value(data, sign.end(), mixed=True)


def _find_short_named(data: bytes, at: int) -> Iterator[Found]:
    """Return the value in `pw = "…"` and `BIND_PW=…`, whose names are too short for a stem."""
    sign = _PW.match(data, at)
    if sign is None or (data[at : at + 1] in b"pP" and data[at - 1 : at].isalnum()):
        return
    quoted = sign.group("quote") != b""
    if quoted or not sign.group("space"):
        yield from _find_value(data, sign.end() - len(sign.group("quote")), mixed=False, sure=True)


def _find_directory_password(data: bytes, at: int) -> Iterator[Found]:
    """Return the value in `ldap_default_authtok = …` and `rootpw …`."""
    sign = _DIRECTORY.match(data, at)
    if sign is not None:
        yield from _find_value(data, sign.end(), mixed=True)


def _find_unseal_key(data: bytes, at: int) -> Iterator[Found]:
    sign = _UNSEAL.match(data, at)
    if sign is not None:
        yield from _find_value(data, sign.end(), mixed=True)


def _find_identified_by(data: bytes, at: int) -> Iterator[Found]:
    """Return the password in `IDENTIFIED WITH mysql_native_password BY '…'`."""
    sign = _BY.match(data, at)
    if sign is not None:
        yield from _find_value(data, sign.end(), mixed=False)


def _find_wallet_key(data: bytes, at: int) -> Iterator[Found]:
    found = _WALLET.match(data, at)
    if found is not None and not is_placeholder(found.group(1)):
        yield TOKEN, *found.span(1), "a key of a wallet"


def _find_saved_password(data: bytes, at: int) -> Iterator[Found]:
    """Return the password in `<Pass encoding="base64">…</Pass>`, as FileZilla saves it."""
    found = _SAVED.match(data, at)
    if found is not None and is_password(Value(found.group(1), True, True)):
        yield NAMED_PASSWORD, *found.span(1), "a password"


def _find_desktop_password(data: bytes, at: int) -> Iterator[Found]:
    """Return the password in `xfreerdp /p:…`."""
    if _DESKTOP.search(data, max(0, at - 200), at) is not None:
        yield from _find_value(data, at + len(b" /p:"), mixed=False)


def _find_putty_key(data: bytes, at: int) -> Iterator[Found]:
    found = _PUTTY.match(data, at)
    if found is not None and not is_made_up(found.group(1)):
        yield PRIVATE_KEY, *found.span(1), "a private key"


def _find_masked_value(data: bytes, at: int) -> Iterator[Found]:
    """Return the value that GitHub is asked to mask in its logs."""
    sign = _MASKED.match(data, at)
    if sign is not None:
        yield from _find_value(data, sign.end(), mixed=False)


def _find_network_password(data: bytes, at: int) -> Iterator[Found]:
    """Return the password in a QR code text of a wireless network."""
    found = _NETWORK.match(data, at)
    if found is not None and is_password(Value(found.group(1), True, True)):
        yield NAMED_PASSWORD, *found.span(1), "a password"


def _find_encoded_key(data: bytes, at: int) -> Iterator[Found]:
    found = _LARAVEL.match(data, at)
    if found is not None and is_random(found.group(1)) and not is_made_up(found.group(1)):
        yield TOKEN, *found.span(1), "a key of an application"


def _find_seed_words(data: bytes, at: int) -> Iterator[Found]:
    """Return the seed words of a wallet."""
    found = _PHRASE.match(data, at)
    if found is None:
        return
    words = re.findall(rb"[a-z]+", found.group(1))
    if len(words) % 3 == 0 and len(set(words)) > len(words) // 2:
        yield NAMED_PASSWORD, *found.span(1), "a seed phrase"


def _find_teams_hook(data: bytes, at: int) -> Iterator[Found]:
    found = _TEAMS.match(data, at)
    if found is not None and not is_placeholder(found.group(1)):
        yield SERVICE_TOKEN, *found.span(1), "a Teams webhook"


def _find_vault_value(data: bytes, at: int) -> Iterator[Found]:
    """Return the value in the output of `az keyvault secret show`, next to the address of its
    secret."""
    if data[at : at + 19] == b".azure.net/secrets/":
        yield from find_values_around(data, at)


def _find_terraform_values(data: bytes, at: int) -> Iterator[Found]:
    """Return the value in `"value": "…"` next to `"sensitive": true`, as in Terraform."""
    end = at + len(b"sensitive") if data[at : at + 1] in b"sS" else at + len(b"masked")
    if _STATED.match(data, end) is not None:
        yield from find_values_around(data, at)


def _cookie(data: bytes, at: int) -> Iterator[Found]:
    """Return the value of a cookie next to `"httpOnly": true`, as browsers export it."""
    if _STATED.match(data, at + len(b"httpOnly")) is not None:
        found = (each for each in find_values_around(data, at) if is_drawn(data[each[1] : each[2]]))
        yield from ((TOKEN, start, stop, "a cookie") for _, start, stop, _ in found)


def _find_access_key(data: bytes, at: int) -> Iterator[Found]:
    """Return AWS access keys that are glued to the text before them."""
    found = _ACCESS.match(data, at)
    # The form is so strict that a key with few digits is accepted as well.
    if found is not None and is_varied(found.group()) and not is_made_up(found.group()):
        yield CLOUD_KEY, *found.span(), "an AWS access key"


def _find_dashed_key(data: bytes, at: int) -> Iterator[Found]:
    """Return keys that are not a separate word: after a dash, or with a slash after a few bytes."""
    at += data[at : at + 1] in (b"_", b"-")
    if data[at - 1 : at] and data[at - 1] in _WORD_BYTES:
        return
    for begin, known in _HEADS:
        found = _loosen_pattern(known).match(data, at) if data.startswith(begin, at) else None
        if found is None or found.group() in DOCUMENTED:
            continue
        if is_random(found.group(1)) and not is_made_up(found.group(1)):
            yield known.kind, *found.span(), known.what
            return


_HEADS: tuple[tuple[bytes, SecretKind], ...] = tuple(
    (start.encode(), known)
    for start, known in iterate_rows()
    if start in ("AIza", "LTAI", "ABSK", "AKCp", "cio", "fm2_", "eyJ")
)
_END = rb"(?![A-Za-z0-9_-])"


@cache
def _loosen_pattern(known: SecretKind) -> re.Pattern[bytes]:
    return re.compile(known.pattern.removesuffix(_END) + rb"(?![A-Za-z0-9])")


def _oracle(data: bytes, at: int) -> Iterator[Found]:
    """Return the password in `jdbc:oracle:thin:USER/PASSWORD@…`."""
    sign = _CONNECTION.match(data, at)
    if sign is not None:
        stop = data.index(b"@", sign.end())
        if is_password(Value(data[sign.end() : stop], False, True)):
            yield NAMED_PASSWORD, sign.end(), stop, "a password"


def _braced(data: bytes, at: int) -> Iterator[Found]:
    """Return the password in `PWD={…}` of a connection string."""
    found = _BRACED.match(data, at)
    if found is not None and is_password(Value(found.group(1), True, True)):
        yield NAMED_PASSWORD, *found.span(1), "a password"


def _unlocked(data: bytes, at: int) -> Iterator[Found]:
    sign = _UNLOCK.match(data, at)
    if sign is not None:
        yield from _find_value(data, sign.end(), mixed=True)


def _payment(data: bytes, at: int) -> Iterator[Found]:
    """Return a PayPal token, which contains dollar signs."""
    found = _PAYMENT.match(data, at)
    if found is not None and not is_made_up(found.group(1)):
        yield SERVICE_TOKEN, *found.span(1), "a PayPal or Braintree token"


class _Sign(NamedTuple):
    """A text to search for, and the function that then finds a secret."""

    word: bytes
    rare: int
    """Offset of its four bytes that are rare in other texts."""
    find: Callable[[bytes, int], Iterator[Found]]


_SIGNS: tuple[_Sign, ...] = (
    _Sign(b"connect(", 4, _find_connection),
    _Sign(b"getConnection(", 2, _find_connection),
    _Sign(b"PDO(", 0, _find_connection),
    _Sign(b"mysqli(", 0, _find_connection),
    _Sign(b"login(", 1, _find_login),
    _Sign(b"net use", 0, _find_net_password),
    _Sign(b"vault login", 0, _find_vault_password),
    _Sign(b"community", 2, _find_community),
    _Sign(b"bindpw ", 3, _find_bind_password),
    _Sign(b"bindpw\t", 3, _find_bind_password),
    *(_Sign(word, 0, _find_short_named) for word in (b"_pw=", b"_PW=", b"pw = ", b"pw='", b'pw="')),
    _Sign(b"authtok", 3, _find_directory_password),
    _Sign(b"rootpw ", 3, _find_directory_password),
    _Sign(b"Unseal Key", 2, _find_unseal_key),
    _Sign(b"IDENTIFIED WITH", 6, _find_identified_by),
    _Sign(b"Wallet(", 0, _find_wallet_key),
    _Sign(b"<Pass", 0, _find_saved_password),
    _Sign(b" /p:", 0, _find_desktop_password),
    _Sign(b"Private-Lines:", 7, _find_putty_key),
    _Sign(b"WIFI:", 0, _find_network_password),
    _Sign(b"::add-mask::", 0, _find_masked_value),
    _Sign(b"base64:", 3, _find_encoded_key),
    _Sign(b"nemonic", 1, _find_seed_words),
    _Sign(b"NEMONIC", 0, _find_seed_words),
    _Sign(b"phrase", 0, _find_seed_words),
    _Sign(b"PHRASE", 0, _find_seed_words),
    _Sign(b"/IncomingWebhook/", 0, _find_teams_hook),
    _Sign(b".azure.net/", 1, _find_vault_value),
    _Sign(b'sensitive"', 6, _find_terraform_values),
    _Sign(b"sensitive'", 6, _find_terraform_values),
    _Sign(b"sensitive\\", 6, _find_terraform_values),
    _Sign(b"masked", 0, _find_terraform_values),
    _Sign(b"httpOnly", 3, _cookie),
    _Sign(b'send "', 0, find_sent_password),
    _Sign(b"send -- ", 0, find_sent_password),
    _Sign(b'random_password"', 2, find_generated_password),
    _Sign(b"random_password\\", 2, find_generated_password),
    _Sign(b"creds ", 1, find_paired_password),
    _Sign(b"credentials are", 9, find_paired_password),
    *(_Sign(b" as %bpassw" % word, 0, find_quoted_password) for word in (b"", b"the ", b"your ")),
    *(
        _Sign(word, 2, find_recovery_codes)
        for word in (b"ackup code", b"covery code", b"ackup Code", b"covery Code")
    ),
    _Sign(b"ogin with", 3, find_paired_password),
    _Sign(b"og in with", 3, find_paired_password),
    _Sign(b"ign in with", 2, find_paired_password),
    _Sign(b"og in as", 0, find_paired_password),
    _Sign(b"redentials: ", 6, find_paired_password),
    _Sign(b"jwt.sign(", 1, keyed),
    _Sign(b"jwt.encode(", 1, keyed),
    _Sign(b"jwt.verify(", 1, keyed),
    _Sign(b"createHmac(", 6, keyed),
    _Sign(b"WiFi.begin(", 0, keyed),
    _Sign(b"algoliasearch(", 0, keyed),
    _Sign(b"Fernet(", 0, made_of_key),
    _Sign(b"Client(", 3, account),
    _Sign(b"crypt('", 3, salted),
    _Sign(b"racle:thin:", 2, _oracle),
    _Sign(b"PWD={", 1, _braced),
    _Sign(b"bw unlock", 0, _unlocked),
    _Sign(b"$production$", 0, _payment),
    _Sign(b"AKIA", 0, _find_access_key),
    _Sign(b"ASIA", 0, _find_access_key),
    _Sign(b"AIza", 0, _find_dashed_key),
    _Sign(b"LTAI", 0, _find_dashed_key),
    _Sign(b"ABSK", 0, _find_dashed_key),
    _Sign(b"AKCp", 0, _find_dashed_key),
    _Sign(b"_cio", 0, _find_dashed_key),
    _Sign(b"-cio", 0, _find_dashed_key),
    _Sign(b"fm2_", 0, _find_dashed_key),
    _Sign(b"_eyJ", 0, _find_dashed_key),
)
_BY_STEM: dict[bytes, list[_Sign]] = {}
for _sign in _SIGNS:
    _BY_STEM.setdefault(_sign.word[_sign.rare : _sign.rare + 4], []).append(_sign)
STEMS = tuple(_BY_STEM)
"""Four bytes of each sign."""
_SHARED = (
    *(b"pw", b"passw", b"ackup ", b"covery ", b"send ", b"cred", b"sensitive", b"cio", b"onnect"),
    *(b"in with", b"jwt.", b"redentials: "),
)
"""Substrings of several signs; a text without one cannot contain any of these signs."""


def _group_by_shared() -> dict[bytes, list[tuple[bytes, int]]]:
    found: dict[bytes, list[tuple[bytes, int]]] = {}
    for sign in _SIGNS:
        shared = next((each for each in _SHARED if each in sign.word), sign.word)
        found.setdefault(shared, []).append((sign.word, sign.rare))
    return found


WORDS_BY_SHARED = tuple(_group_by_shared().items())
"""The signs by their common substring."""
WORDS = tuple((sign.word, sign.rare) for sign in _SIGNS)
"""The signs, and the offset of their rare bytes."""


def find_call_secrets(data: bytes, hit: int) -> Iterator[Found]:
    """Return the secrets around a place with the four bytes of a sign."""
    for sign in _BY_STEM.get(data[hit : hit + 4], ()):
        at = hit - sign.rare
        if at >= 0 and data.startswith(sign.word, at):
            yield from sign.find(data, at)
