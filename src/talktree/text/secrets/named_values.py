"""Secrets that are known by their names: `DB_PASSWORD=…`, `"token": "…"`, `password is …`."""

from __future__ import annotations

import re

from talktree.text.secrets.arguments import argument_behind, unwrapped
from talktree.text.secrets.assignments import (
    SecretName,
    cut_off,
    find_assigned_value,
    find_option_value,
    is_secret,
    judge_value,
    make_named_secret,
)
from talktree.text.secrets.headers import find_authorization, find_cookies, find_dialog_password
from talktree.text.secrets.manifests import find_cookie_pairs
from talktree.text.secrets.patterns import (
    COOKIES,
    HEADERS,
    PASSWORDS,
    PINS,
    TOKENS,
    Found,
    find_kind,
    find_meaning,
    is_sure,
)
from talktree.text.secrets.pipes import CHPASSWD, find_piped_password
from talktree.text.secrets.placeholders import is_placeholder
from talktree.text.secrets.quoting import WrittenValue, read_line, read_value
from talktree.text.secrets.setting_lines import find_spaced_value, is_strong
from talktree.text.secrets.tables import cell_behind, find_column_secrets, find_inserted_passwords
from talktree.text.secrets.values import (
    LONGEST_PASSWORD,
    Value,
    is_drawn,
    is_mixed,
    is_password,
    is_token,
)

LONGEST_NAME = 60
_IDENTIFIER = b"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.-"
_REST = re.compile(rb"[\w.-]{0,40}")
_VALUE_NEXT = re.compile(
    rb"\\{0,7}[\"']?\s{0,4},?(?:\r?\n|\\n)?(?:[ \t]*[0-9]{1,6}(?:\t|\?)|[+>|])?"
    rb"\s{0,20}(?:-[ \t])?\\{0,7}[\"']?"
    rb"(?:value|Value)\\{0,7}[\"']?[ \t]{0,4}[:=][ \t]{0,4}"
)
_ELEMENT = re.compile(rb"[^<>]{0,40}>")
_LINKS = (
    rb"is|was|(?:should|must) be(?=[ \t]\\{0,7}[`\"'])|it'?s"
    rb"|be|to|ist|lautet|war|est|es|are|becomes?|now|currently|still|set|changed|just|reads?"
    rb"|called"
)
_FOR = rb"for|of|on|in|to|f\?r|zum|vom|der|de|du|del|della|di|da|do|pour|par|para|voor|van|per"
_PROSE = re.compile(
    rb"(?:\\?[\"'`*_)?]){0,3}[ \t]{1,3}(?:(?:is|was) (?:generated|set|created|stored) )?"
    rb"(?:(?:%b) (?:[\w.@'?-]{1,40}[ \t]){0,3}"
    rb"(?:[\w.@'?-]{1,40}(?:[ \t]|(?=:))|'[\w.@:/?-]{1,80}'(?=:)))?"
    rb"(?:(?:%b|e'|\?|=|:)(?:[ \t]{1,2}|:[ \t]?)){1,4}[*_]{0,2}" % (_FOR, _LINKS)
)
_CHANGED = re.compile(
    rb"([ \t]{0,40}=[ \t]{1,4})\\{0,7}\"[^\"\n]{0,400}\"[ \t]+->[ \t]+(?=\\{0,7}\")"
)
"""`password = "old" -> "new"`, as Terraform plans it."""
_NEXT_QUOTED = re.compile(rb"[ \t](?=[\"'`])")
_NETRC = re.compile(rb"\b(?:login|user|account)[ \t]+\S{1,80}\s+\Z")
_ARGUMENT = re.compile(rb"\\{0,7}[\"'],[ \t]{0,4}(?=\\{0,7}[\"'])")
_PAIR = re.compile(
    rb"[ \t]*[=(:][ \t]*\(?[ \t]*[\"'][^\"'\n]{1,80}[\"'][ \t]*,[ \t]*(?:Some\()?(?=[\"'])"
)
_LONE = re.compile(rb"\([ \t]*(?=\\{0,7}[\"'][^\"'\n]{8,400}[\"'][ \t]*\))")
"""`bearer_auth("…")`, a call with only this argument."""
_FOLLOWED = re.compile(
    rb"(?:\\{0,9}[\"'`*_)\]]|&quot;){0,4}(?:\s|\\n){0,24}"
    rb"(?:[:=,>(|?;\x80-\xff]|\\u00|\\[nrt]|\\{0,9}[\"'`]|[^<>]{0,40}>"
    rb"|(?:%b|%b|by|as|value|Value|-|bearer|basic|token)\b"
    rb"|f(?:\xc3|\\u00fc)|[^\s\"]{0,60}[0-9]|set\b|should\b|must\b|it'?s\b|was\b|\{|\[[0-9]{0,5}\]|\.[a-zA-Z_]{2,20}\()"
    % (_LINKS, _FOR),
    re.IGNORECASE,
)
_NEXT_LINE = re.compile(
    rb"[\"'`*]{0,2}(?:[ \t]+(?:is|ist|lautet|est|es))?[ \t]{0,4}:[*]{0,2}[ \t]*"
    rb"(?:(?:\r?\n|\\n)[ \t]*){1,2}"
    rb"(?:[0-9]{1,6}\t[ \t]*)?(?P<fence>(?:```\w{0,10}[ \t]*(?:\r?\n|\\n)|`))?[ \t]*"
    rb"(?P<value>(?![-\[{|>#])[^\s`\\\"']{4,64})(?=`?[ \t]*(?:\r?\n|\\n|\Z))"
)
_LIST = re.compile(rb"\\{0,7}[\"']?[ \t]{0,4}[:=][ \t]{0,4}(?:(?P<bracket>[\[(])|(?=\r?\n|\\n))")
_IN_BRACKETS = re.compile(rb"[ \t\r\n]{0,40},?[ \t\r\n]{0,40}(?=\\{0,7}[\"'])")
_BELOW_DASH = re.compile(rb"[ \t]*(?:\r?\n|\\n)(?:[ \t]*[0-9]{1,6}\t)?[ \t]*-[ \t]+(?=\S)")
_MORE_WORDS = re.compile(rb"[ \t]+[^\s#]")
_LISTED = (b"password", b"assphras")
_MOST_LISTED = 64
_PIN_FOLLOWED = re.compile(rb"[^0-9\n]{1,40}[0-9]{4,12}(?![0-9A-Za-z_])")


def find_named_secrets(data: bytes, hit: int) -> tuple[int, list[Found]]:
    """Return the secrets that have the name around a place, and where that name ends."""
    name = _parse_name(data, hit)
    if isinstance(name, int):
        listed = data[name - 1 : name] in (b"s", b"S") and _find_list_items(data, hit, name)
        return name, listed or []
    if name.means == HEADERS:
        partial = not name.text.lower().endswith(b"authorization")
        found = (
            list(find_authorization(data, name.end, partial=partial))
            or _find_login_pair(data, name)
            or _find_header_value(data, name)
        )
        if not found and name.text == b"AUTH":
            found = list(find_dialog_password(data, name.start, name.end))
    elif name.means == COOKIES:
        found = [
            *find_cookies(data, name.end),
            *find_cookie_pairs(data, name.end),
            *_find_header_value(data, name),
        ]
    else:
        found = _find_values(data, name)
    return name.end, found


def _parse_name(data: bytes, hit: int) -> SecretName | int:
    near = data[max(0, hit - LONGEST_NAME) : hit]
    start = hit - (len(near) - len(near.rstrip(_IDENTIFIER)))
    rest = _REST.match(data, hit)
    assert rest is not None
    end = rest.end()
    text = data[start:end]
    # A name at the end of a sentence is followed by a dot.
    end -= len(text) - len(text.rstrip(b".-"))
    text = data[start:end]
    word = b""
    if text.lower() == b"key" and start:
        word = data[max(0, start - 20) : start - 1].rpartition(b" ")[2].strip(b"\"'`(*_\n")
    means = find_meaning(text, word)
    return (
        rest.end()
        if means is None
        else SecretName(text, start, end, means, data[start - 1 : start])
    )


def is_name(data: bytes, hit: int) -> tuple[int, bool]:
    """Return where the name around a place ends, and whether it may make a value secret."""
    name = _parse_name(data, hit)
    if isinstance(name, SecretName):
        if name.means == PINS:
            return name.end, _PIN_FOLLOWED.match(data, name.end) is not None
        return name.end, _has_value(data, name.text, name.end)
    if data[name - 1 : name] in (b"s", b"S") and _LIST.match(data, name) is not None:
        return name, True
    near = data[max(0, hit - LONGEST_NAME) : hit]
    start = hit - (len(near) - len(near.rstrip(_IDENTIFIER)))
    if data[start - 1 : start] != b"\\":
        return name, False
    text = data[start + 1 : name].rstrip(b".-")
    end = start + 1 + len(text)
    return name, find_meaning(text) is not None and _has_value(data, text, end)


def _has_value(data: bytes, name: bytes, end: int) -> bool:
    """Whether a value may follow a name, in any supported syntax."""
    if name.startswith(b"-") or name.lower() in (b"password", b"passwd", b"auth", CHPASSWD):
        return True
    return _FOLLOWED.match(data, end) is not None


def _find_values(data: bytes, name: SecretName) -> list[Found]:
    if name.text.endswith(b"password-stdin"):
        piped = _find_piped_password(data, name)
        return [piped] if piped is not None else []
    changed = _CHANGED.match(data, name.end)
    if changed is not None:
        both = (judge_value(name, read_value(data, at)) for at in (changed.end(1), changed.end()))
        return [each for each in both if each is not None]
    for look in (
        find_option_value,
        find_assigned_value,
        _find_value_beside,
        _find_element_value,
        _find_spoken_password,
        _find_argument,
        _written_into,
        _find_piped_password,
    ):
        found = look(data, name)
        if found is not None:
            return [found]
    below = _find_value_below(data, name)
    if below is not None:
        return [below]
    if name.text.lower().endswith((b"credential", b"credentials")) and (
        pair := _find_login_pair(data, name)
    ):
        return pair
    written = find_spaced_value(data, name.text, name.start, name.end)
    if written is not None:
        return [make_named_secret(name, written)]
    return find_column_secrets(data, name.start, name.end) or find_inserted_passwords(
        data, name.start, name.end
    )


def _find_value_below(data: bytes, name: SecretName) -> Found | None:
    """Return the value of `password:` alone on the next line, or in a code fence."""
    sign = _NEXT_LINE.match(data, name.end) if name.means in (PASSWORDS, TOKENS) else None
    if sign is None or (name.means == TOKENS and not is_drawn(sign["value"])):
        return None
    fenced = sign["fence"] is not None
    written = WrittenValue(*sign.span("value"), sign["value"], False, sign.end("value"))
    if not fenced and (sign["value"][-1:] == b":" or not is_strong(sign["value"])):
        return None
    return judge_value(name, written, setting=True, sure=fenced)


def _find_list_items(data: bytes, hit: int, end: int) -> list[Found]:
    """Return the items of a list named `passwords`."""
    begin = _LIST.match(data, end)
    if begin is None or data[max(0, hit - 60) : end].lower().rstrip(b"s")[-8:] not in _LISTED:
        return []
    name = SecretName(b"password", hit, end, PASSWORDS, b"")
    found: list[Found] = []
    pattern, at = (_IN_BRACKETS if begin["bracket"] else _BELOW_DASH), begin.end()
    while len(found) < _MOST_LISTED and (item := pattern.match(data, at)) is not None:
        written = cut_off(data, read_value(data, item.end()), b",]")
        if written is None or (not written.quoted and _MORE_WORDS.match(data, written.stop)):
            break
        one = judge_value(name, written, setting=True, sure=True)
        if one is None:
            break
        found.append(one)
        at = written.end
    return found


def _find_value_beside(data: bytes, name: SecretName) -> Found | None:
    """Return the value of `name: DB_PASSWORD` with `value: …` on the next line, as in Kubernetes
    and XML."""
    sign = _VALUE_NEXT.match(data, name.end)
    return (
        None
        if sign is None
        else judge_value(name, read_value(data, sign.end()), setting=True, sure=True)
    )


def _find_header_value(data: bytes, name: SecretName) -> list[Found]:
    """Return the value of `"name": "Authorization"` with `"value": "…"` next to it, as in HAR
    files."""
    sign = _VALUE_NEXT.match(data, name.end)
    if sign is None:
        return []
    look = find_authorization if name.means == HEADERS else find_cookies
    found = list(look(data, sign.end() - 1))
    if found or name.means == COOKIES:
        return found
    written = read_value(data, sign.end())
    if written is None or not is_drawn(written.text.rpartition(b" ")[2]):
        return []
    return [make_named_secret(name, written)]


def _find_element_value(data: bytes, name: SecretName) -> Found | None:
    """Return the value in `<password>…</password>`."""
    if name.before != b"<":
        return None
    sign = _ELEMENT.match(data, name.end)
    if sign is None:
        return None
    end = data.find(b"<", sign.end(), sign.end() + 4096)
    if end < 0:
        return None
    text = data[sign.end() : end]
    return judge_value(name, WrittenValue(sign.end(), end, text, True, end), sure=True)


def _find_spoken_password(data: bytes, name: SecretName) -> Found | None:
    """Return the value in `the password is …`, `password "…"`, and lines of .netrc."""
    sign = _PROSE.match(data, name.end)
    verb = name.text.lower() == b"pass"
    if sign is not None:
        written = cut_off(data, read_value(data, sign.end()), b",;)")
        # The verb is far more frequent than the noun.
        if verb and (written is None or not written.quoted or not is_mixed(written.text)):
            return None
        return _check_spoken(data, name, written)
    if verb:
        return None
    if _NEXT_QUOTED.match(data, name.end) is not None:
        return judge_value(name, read_value(data, name.end + 1))
    blank = data[name.end : name.end + 1] in (b" ", b"\t")
    if blank and _NETRC.search(data, max(0, name.start - 200), name.start):
        return judge_value(name, read_value(data, name.end + 1), setting=True, sure=True)
    return None


def _check_spoken(data: bytes, name: SecretName, written: WrittenValue | None) -> Found | None:
    if written is None:
        return None
    if not written.quoted and name.means == PASSWORDS:
        line = read_line(data, written.start)
        words = b"" if line is None else line.text
        if line is not None and words.count(b" ") >= 3 and is_password(Value(words, False, False)):
            return make_named_secret(name, line)
    if (
        name.means == TOKENS
        and not is_drawn(written.text)
        and (not written.quoted or is_placeholder(written.text))
    ):
        value = Value(written.text, False, False)
        return (
            make_named_secret(name, written)
            if is_token(value) and len(written.text) >= 12
            else None
        )
    return judge_value(name, written)


def _find_login_pair(data: bytes, name: SecretName) -> list[Found]:
    """Return the password in `auth=("user", "password")` and `HTTPBasicAuth("user",
    "password")`."""
    sign = _PAIR.match(data, name.end) or _LONE.match(data, name.end)
    if sign is None:
        return []
    secret = name._replace(text=b"password", means=PASSWORDS)
    opened = b"(" in sign.group()
    written = read_value(data, unwrapped(data, sign.end()))
    if sign.re is _LONE and not (written and is_strong(written.text)):
        return []
    found = judge_value(secret, written, setting=opened, sure=opened)
    return [] if found is None else [found]


def _find_argument(data: bytes, name: SecretName) -> Found | None:
    """Return the value in `setHeader("X-Api-Key", "…")`."""
    sign = _ARGUMENT.match(data, name.end)
    if sign is None:
        return None
    written = read_value(data, sign.end())
    named = b"-" in name.text or name.text.isupper()
    if written is None or not (named or is_drawn(written.text)):
        return None
    return judge_value(name, written, sure=name.means == PASSWORDS and name.text.isupper())


def _written_into(data: bytes, name: SecretName) -> Found | None:
    """Return the value in `put("password", "…")`, `fill("#password", "…")`, and the next cell of a
    table."""
    written = argument_behind(data, name.start, name.end) or cell_behind(data, name.text, name.end)
    return None if written is None else judge_value(name, written, setting=True)


def _find_piped_password(data: bytes, name: SecretName) -> Found | None:
    """Return the password in `echo 'user:password'

    chpasswd`.
    """
    written = find_piped_password(data, name.start, name.text)
    return None if written is None else judge_value(name, written, setting=True, sure=True)


def is_number_secret(name: str, digits: str) -> bool:
    """Whether a JSON number is a password or a PIN because of its name."""
    if not digits.isdecimal() or len(digits) > LONGEST_PASSWORD:
        return False
    means = find_meaning(name.encode("ascii", "replace"))
    value = Value(digits.encode("ascii", "replace"), quoted=False, setting=True)
    return means in (PASSWORDS, PINS) and is_secret(means, value)


def find_in_named_value(data: bytes, name: bytes) -> list[Found]:
    """Return the secrets in a text that is, as a whole, the value of a name."""
    means = find_meaning(name)
    if means == HEADERS:
        return list(find_authorization(b'"' + data + b'"', -1))
    if means == COOKIES:
        return list(find_cookies(data, -1))
    if means is None:
        return []
    # Where a text is the whole value, a title is a label, so words alone need not be a setting.
    sure = means == PASSWORDS or is_sure(name)
    value = Value(data.strip(), True, not data[:1].isupper(), sure)
    if b" " in value.text:
        value = value._replace(setting=False)
    real = is_secret(means, value)
    if not real and not (name.lower().endswith(b"-data") and len(data) > 100):
        return []
    kind, what = find_kind(name)
    return [(kind, 0, len(data), what)]
