"""Secrets that are known by their context: options of programs, password files, signed
addresses."""

from __future__ import annotations

import re
from collections.abc import Iterator

from talktree.text.secrets.entropy import is_random, is_varied
from talktree.text.secrets.headers import find_cookies
from talktree.text.secrets.patterns import CLOUD_KEY, NAMED_PASSWORD, SERVICE_TOKEN, Found
from talktree.text.secrets.pipes import find_sudo_password
from talktree.text.secrets.placeholders import is_placeholder
from talktree.text.secrets.quoting import WrittenValue, read_value
from talktree.text.secrets.setting_lines import is_strong
from talktree.text.secrets.values import Value, is_password

_FAR = 240
"""How far before an option the name of its program is searched for."""
_WHAT = "a password"
_JOINED = re.compile(rb"\s-p(?=[^\s-])")
_APART = re.compile(rb"\s-{1,2}(?:p|P|a|w|k|pw|W)[ \t]+(?=[^\s-])")
_TIGHT = re.compile(rb"\s-(?:p|P)[ \t]?(?=[^\s-])")
_PORT = re.compile(rb"\s-[pP][ \t]+[0-9]{2,5}(?![\w!-/:-@])")
_LOGIN = re.compile(rb"\s(?:--(?:proxy-)?user(?:[ \t]+|=)|-[uUa](?:[ \t]+|(?=[\w\"'])))")
_HTPASSWD = re.compile(
    rb"\s-[bnBmsdicDv25]*b[bnBmsdicDv25]*(?:[ \t]+[^\s-]\S{0,200}){1,2}[ \t]+(?=[^\s-])"
)
_PASS_IN = re.compile(rb"\s-{1,2}pass(?:in|out)?[ \t]+pass:(?=\S)")
_LITERAL = re.compile(
    rb"\s--from-literal(?:=|[ \t]+)\\{0,7}[\"']?(?!user(?:name)?=)[\w.-]{1,64}=(?=[^\s$])"
)
_SENT = re.compile(rb"\s-{1,2}(?:b|cookie)[ \t]+[\"']?")
_PROGRAMS: tuple[tuple[re.Pattern[bytes], re.Pattern[bytes]], ...] = (
    (re.compile(rb"\b(?:mysql\w*|mariadb[\w-]*|mycli|7z[ar]?|rar|unrar)\b[^\n|;]*\Z"), _JOINED),
    (re.compile(rb"\b(?:sshpass|unzip|zip)\b[^\n|;]*\Z"), _TIGHT),
    (re.compile(rb"\bssh-keygen\b[^\n|;]*\Z"), re.compile(rb"\s-N[ \t]+(?=[^\s-])")),
    (re.compile(rb"\boathtool\b[^\n|;]*\Z"), re.compile(rb"\s-b[ \t]+(?=[^\s-])")),
    (re.compile(rb"\bhtpasswd\b[^\n|;]*\Z"), _HTPASSWD),
    (
        re.compile(
            rb"\b(?:redis-cli|docker login|podman login|buildah login|skopeo login|helm "
            rb"registry login|"
            rb"oras login|crane auth login|az login|oc login|cf login|mongo\w*|ldap\w+"
            rb"|openssl enc|plink|"
            rb"pscp|psftp|keydb-cli|valkey-cli|xfreerdp|rdesktop|impacket-\w+|net rpc|influx\w*|"
            rb"clickhouse-client|sqlcmd|bcp|isql|tsql|cqlsh|vncviewer|ansible-vault|mosquitto_\w+|"
            rb"kinit|twine upload|nuget|mqtt|sqlplus|snowsql|psexec\w*|wpscan|hydra|smbmap"
            rb"|crackmapexec|netexec|nxc|altool|notarytool)"
            rb"\b[^\n|;]*\Z",
            re.IGNORECASE,
        ),
        _APART,
    ),
)
_CLIENTS = re.compile(
    rb"\b(?:curl|wget|https?|httpie|xh|lftp|hurl|aria2c|smbclient|rpcclient)\b[^\n|;]*\Z"
)
_CREDENTIALS = re.compile(rb"([\w.@+-]{1,80})[:,%](?=\S)")
_HOST = b"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.*-"
_PGPASS = re.compile(rb":(?:5432|5433|6432):[\w*.-]{1,64}:[\w*.@-]{1,64}:")
_IDENTIFIED = re.compile(
    rb"(?i:d by)[ \t]+(?:(?i:password|values)[ \t]+)?(?=\\{0,7}['\"]|[\w$#!-]{6})"
)

_SIGNATURE = re.compile(
    rb"(?:sig|SIG|Sig)(?:=|%3[dD])([A-Za-z0-9+/=_-]{0,4}(?:[A-Za-z0-9+/=_-]|%[0-9A-Fa-f]{2}){24,200})"
)
_SIGNED = re.compile(
    rb"[Ss]ignature(?:=|%(?:25)?3[dD]|\\{0,7}\"?[ \t]*:[ \t]*\\{0,7}\"?)"
    rb"([\w%+/=-]{40,1024})"
)
_HASHED = re.compile(
    rb"\$(?:1|5|6|7|y|gy|2[abxy]|apr1|sha1|scrypt|argon2(?:id|i|d)|pbkdf2[\w-]{0,12})\$[A-Za-z0-9./$=,+_-]{20,300}"
)


_REFRESH = re.compile(rb"(?<![\w/:])1//0[\w-]{30,200}")
_MAILCHIMP = re.compile(rb"(?<![\w-])[0-9a-f]{32}-us[0-9]{1,2}(?![\w-])")
_AZURE = re.compile(rb"(?<![\w~.])[\w~.]{3}[0-9]Q~[\w~.-]{31,34}(?![\w~-])")


def find_azure_secrets(data: bytes) -> Iterator[Found]:
    """Return Azure client secrets, whose fifth and sixth characters are `Q~`."""
    at = data.find(b"~")
    while at >= 0:
        if data[at - 1 : at] == b"Q" and (found := _AZURE.match(data, max(0, at - 5))) is not None:
            yield CLOUD_KEY, *found.span(), "an Azure client secret"
        at = data.find(b"~", at + 1)


_SOME_PROGRAM = re.compile(
    rb"mysql|mariadb|mycli|7z|rar|sshpass|zip|-cli|login|mongo|ldap|openssl|plink|pscp|psftp|freerdp|"
    rb"rdesktop|impacket|net rpc|influx|clickhouse|sql|bcp|cqlsh|vnc|vault|htpasswd"
    rb"|mosquitto|kinit|"
    rb"twine|mqtt|psexec|wpscan|hydra|smb|crackmap|kubectl|oc create|ssh-keygen|oathtool|"
    rb"netexec|nxc|sudo|altool|notarytool|nuget|curl|wget|http|xh|lftp|hurl|aria2c|rpcclient"
)
"""In lower case: a search that ignores case is several times slower."""


def can_take_password(data: bytes, hit: int) -> bool:
    """Whether an option with a password may begin here; a fast check before the others."""
    if data[hit + 2 : hit + 3] == b"-" and data[hit + 3 : hit + 4] not in (b"u", b"p", b"c", b"f"):
        return False
    near = data[max(0, hit - _FAR) : hit]
    return b"pass:" in data[hit : hit + 24] or _SOME_PROGRAM.search(near.lower()) is not None


def find_option_passwords(data: bytes, hit: int) -> Iterator[Found]:
    """Return passwords after short options, where the program accepts one there."""
    literal = _LITERAL.match(data, hit)
    if literal is not None:
        yield from _find_password(data, literal.end())
        return
    line = data.rfind(b"\n", max(0, hit - _FAR), hit) + 1
    begin = max(line, hit - _FAR, 0)
    near = data[begin:hit] if data[hit : hit + 1] != b"\n" else b""
    if data[hit + 2 : hit + 3] == b"S":
        piped = find_sudo_password(near, begin)
        yield from () if piped is None else _judge_password(piped)
        return
    for program, pattern in _PROGRAMS:
        if program.search(near) is not None:
            sign = pattern.match(data, hit)
            if sign is not None and _PORT.match(data, hit) is None:
                yield from _find_password(data, sign.end())
                return
    sign = _PASS_IN.match(data, hit)
    if sign is not None:
        yield from _find_password(data, sign.end())
    elif _CLIENTS.search(near) is not None:
        yield from _find_client_login(data, hit)


def _find_client_login(data: bytes, hit: int) -> Iterator[Found]:
    sign = _LOGIN.match(data, hit)
    if sign is not None:
        written = read_value(data, sign.end())
        login = None if written is None else _CREDENTIALS.match(data, written.start, written.stop)
        if written is not None and login is not None:
            # Only the password may be in quotes.
            inner = read_value(data, login.end()) if not written.quoted else None
            quoted = inner is not None and inner.quoted
            yield from _judge_password(
                inner if quoted and inner else _start_later(data, written, login.end())
            )
        return
    sent = _SENT.match(data, hit)
    if sent is not None:
        yield from find_cookies(data[: sent.end() + 4096], sent.end())


def _start_later(data: bytes, written: WrittenValue, start: int) -> WrittenValue:
    return written._replace(start=start, text=data[start : written.stop])


def _find_password(data: bytes, at: int) -> Iterator[Found]:
    written = read_value(data, at)
    if written is not None:
        yield from _judge_password(written)


def _judge_password(written: WrittenValue) -> Iterator[Found]:
    text = written.text if written.quoted else written.text.rstrip(b",;)")
    sure = written.quoted and text[:1] not in b", "
    if is_password(Value(text, written.quoted, True, sure)):
        yield NAMED_PASSWORD, written.start, written.start + len(text), _WHAT


def find_signatures(data: bytes, hit: int) -> Iterator[Found]:
    """Return signatures in addresses of Azure, the lines of .pgpass, and keys with an unusual
    form."""
    first = data[hit : hit + 1]
    if first == b"1":
        found = _REFRESH.match(data, hit)
        if found is not None and is_random(found.group()):
            yield CLOUD_KEY, *found.span(), "a Google refresh token"
        return
    if first == b"-":
        found = _MAILCHIMP.match(data, max(0, hit - 32))
        if found is not None and is_varied(found.group()):
            yield SERVICE_TOKEN, *found.span(), "a Mailchimp key"
        return
    if first == b":":
        line = _PGPASS.match(data, hit) if data[hit - 1] in _HOST else None
        if line is not None:
            yield from _find_password(data, line.end())
        return
    if first in (b"d", b"D"):
        sign = _IDENTIFIED.match(data, hit)
        if sign is not None and data[max(0, hit - 9) : hit].lower() == b"identifie":
            yield from _identified(data, sign.end())
        return
    if data[hit + 3 : hit + 4] in b"nN":
        yield from _find_url_signature(data, hit)
        return
    found = _SIGNATURE.match(data, hit)
    if found is None or data[hit - 1 : hit] not in (b"?", b"&", b";", b'"', b"'", b" ", b""):
        return
    if is_varied(found.group(1)) and not is_placeholder(found.group(1)):
        yield CLOUD_KEY, found.start(1), found.end(1), "an Azure signature"


def _identified(data: bytes, at: int) -> Iterator[Found]:
    """Return the password of `IDENTIFIED BY`, which Oracle accepts without quotes."""
    written = read_value(data, at)
    if written is not None and not written.quoted:
        text = written.text.rstrip(b";,)")
        if is_strong(text):
            yield NAMED_PASSWORD, written.start, written.start + len(text), _WHAT
    elif written is not None:
        yield from _judge_password(written)


def _find_url_signature(data: bytes, hit: int) -> Iterator[Found]:
    """Return the signature in `X-Amz-Signature=…` and `X-Goog-Signature=…`."""
    found = _SIGNED.match(data, hit) if data[hit - 1 : hit] == b"-" else None
    if found is not None and is_varied(found.group(1)):
        yield CLOUD_KEY, *found.span(1), "a signature of an address"


def hash_at(data: bytes, hit: int) -> Iterator[Found]:
    """Return password hashes, as in /etc/shadow and .htpasswd."""
    found = _HASHED.match(data, hit)
    if found is not None and is_random(found.group().rpartition(b"$")[2]):
        yield NAMED_PASSWORD, found.start(), found.end(), "a password hash"
