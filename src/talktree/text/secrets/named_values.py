"""Secrets that are known by their names: `DB_PASSWORD=…`, `"token": "…"`, `password is …`."""

from __future__ import annotations

import re

from talktree.text.secrets.arguments import argument_behind, unwrapped
from talktree.text.secrets.assignments import (
    SecretName,
    assigned,
    cut_off,
    found_as,
    is_secret,
    judged,
    option,
)
from talktree.text.secrets.headers import authorization, cookies, dialog
from talktree.text.secrets.manifests import cookie_pairs
from talktree.text.secrets.patterns import (
    COOKIES,
    HEADERS,
    PASSWORDS,
    PINS,
    TOKENS,
    Found,
    is_sure,
    kind_of,
    meaning,
)
from talktree.text.secrets.pipes import CHPASSWD, piped_to
from talktree.text.secrets.placeholders import is_placeholder
from talktree.text.secrets.quoting import Written, line_from, value_from
from talktree.text.secrets.setting_lines import is_strong, spaced
from talktree.text.secrets.tables import cell_behind, column, inserted
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
"""`bearer_auth("…")`."""
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


def named_at(data: bytes, hit: int) -> tuple[int, list[Found]]:
    """The secrets that have the name around a place, and where that name ends."""
    name = _name(data, hit)
    if isinstance(name, int):
        listed = data[name - 1 : name] in (b"s", b"S") and _listed(data, hit, name)
        return name, listed or []
    if name.means == HEADERS:
        partial = not name.text.lower().endswith(b"authorization")
        found = (
            list(authorization(data, name.end, partial=partial))
            or _pair(data, name)
            or _header(data, name)
        )
        if not found and name.text == b"AUTH":
            found = list(dialog(data, name.start, name.end))
    elif name.means == COOKIES:
        found = [*cookies(data, name.end), *cookie_pairs(data, name.end), *_header(data, name)]
    else:
        found = _values(data, name)
    return name.end, found


def _name(data: bytes, hit: int) -> SecretName | int:
    near = data[max(0, hit - LONGEST_NAME) : hit]
    start = hit - (len(near) - len(near.rstrip(_IDENTIFIER)))
    rest = _REST.match(data, hit)
    assert rest is not None
    end = rest.end()
    text = data[start:end]
    # A name at the end of a sentence has a dot behind it.
    end -= len(text) - len(text.rstrip(b".-"))
    text = data[start:end]
    word = b""
    if text.lower() == b"key" and start:
        word = data[max(0, start - 20) : start - 1].rpartition(b" ")[2].strip(b"\"'`(*_\n")
    means = meaning(text, word)
    return (
        rest.end()
        if means is None
        else SecretName(text, start, end, means, data[start - 1 : start])
    )


def is_name(data: bytes, hit: int) -> tuple[int, bool]:
    """Where the name around a place ends, and whether a value may be secret because of it."""
    name = _name(data, hit)
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
    return name, meaning(text) is not None and _has_value(data, text, end)


def _has_value(data: bytes, name: bytes, end: int) -> bool:
    """Whether a value may follow a name, in any of the ways that are looked for."""
    if name.startswith(b"-") or name.lower() in (b"password", b"passwd", b"auth", CHPASSWD):
        return True
    return _FOLLOWED.match(data, end) is not None


def _values(data: bytes, name: SecretName) -> list[Found]:
    if name.text.endswith(b"password-stdin"):
        piped = _piped(data, name)
        return [piped] if piped is not None else []
    changed = _CHANGED.match(data, name.end)
    if changed is not None:
        both = (judged(name, value_from(data, at)) for at in (changed.end(1), changed.end()))
        return [each for each in both if each is not None]
    for look in (option, assigned, _beside, _element, _said, _argument, _written_into, _piped):
        found = look(data, name)
        if found is not None:
            return [found]
    below = _below(data, name)
    if below is not None:
        return [below]
    if name.text.lower().endswith((b"credential", b"credentials")) and (pair := _pair(data, name)):
        return pair
    written = spaced(data, name.text, name.start, name.end)
    if written is not None:
        return [found_as(name, written)]
    return column(data, name.start, name.end) or inserted(data, name.start, name.end)


def _below(data: bytes, name: SecretName) -> Found | None:
    """`password:` with the value alone on the next line, or fenced as code."""
    sign = _NEXT_LINE.match(data, name.end) if name.means in (PASSWORDS, TOKENS) else None
    if sign is None or (name.means == TOKENS and not is_drawn(sign["value"])):
        return None
    fenced = sign["fence"] is not None
    written = Written(*sign.span("value"), sign["value"], False, sign.end("value"))
    if not fenced and (sign["value"][-1:] == b":" or not is_strong(sign["value"])):
        return None
    return judged(name, written, setting=True, sure=fenced)


def _listed(data: bytes, hit: int, end: int) -> list[Found]:
    """The items of a list that is called `passwords`."""
    begin = _LIST.match(data, end)
    if begin is None or data[max(0, hit - 60) : end].lower().rstrip(b"s")[-8:] not in _LISTED:
        return []
    name = SecretName(b"password", hit, end, PASSWORDS, b"")
    found: list[Found] = []
    pattern, at = (_IN_BRACKETS if begin["bracket"] else _BELOW_DASH), begin.end()
    while len(found) < _MOST_LISTED and (item := pattern.match(data, at)) is not None:
        written = cut_off(data, value_from(data, item.end()), b",]")
        if written is None or (not written.quoted and _MORE_WORDS.match(data, written.stop)):
            break
        one = judged(name, written, setting=True, sure=True)
        if one is None:
            break
        found.append(one)
        at = written.end
    return found


def _beside(data: bytes, name: SecretName) -> Found | None:
    """`name: DB_PASSWORD` with `value: …` on the next line, as Kubernetes and XML have it."""
    sign = _VALUE_NEXT.match(data, name.end)
    return (
        None
        if sign is None
        else judged(name, value_from(data, sign.end()), setting=True, sure=True)
    )


def _header(data: bytes, name: SecretName) -> list[Found]:
    """`"name": "Authorization"` with `"value": "…"` next to it, as HAR files have it."""
    sign = _VALUE_NEXT.match(data, name.end)
    if sign is None:
        return []
    look = authorization if name.means == HEADERS else cookies
    found = list(look(data, sign.end() - 1))
    if found or name.means == COOKIES:
        return found
    written = value_from(data, sign.end())
    if written is None or not is_drawn(written.text.rpartition(b" ")[2]):
        return []
    return [found_as(name, written)]


def _element(data: bytes, name: SecretName) -> Found | None:
    """`<password>…</password>`."""
    if name.before != b"<":
        return None
    sign = _ELEMENT.match(data, name.end)
    if sign is None:
        return None
    end = data.find(b"<", sign.end(), sign.end() + 4096)
    if end < 0:
        return None
    text = data[sign.end() : end]
    return judged(name, Written(sign.end(), end, text, True, end), sure=True)


def _said(data: bytes, name: SecretName) -> Found | None:
    """`the password is …`, `password "…"`, and the lines of .netrc."""
    sign = _PROSE.match(data, name.end)
    verb = name.text.lower() == b"pass"
    if sign is not None:
        written = cut_off(data, value_from(data, sign.end()), b",;)")
        # The verb is far more frequent than the noun.
        if verb and (written is None or not written.quoted or not is_mixed(written.text)):
            return None
        return _spoken(data, name, written)
    if verb:
        return None
    if _NEXT_QUOTED.match(data, name.end) is not None:
        return judged(name, value_from(data, name.end + 1))
    blank = data[name.end : name.end + 1] in (b" ", b"\t")
    if blank and _NETRC.search(data, max(0, name.start - 200), name.start):
        return judged(name, value_from(data, name.end + 1), setting=True, sure=True)
    return None


def _spoken(data: bytes, name: SecretName, written: Written | None) -> Found | None:
    if written is None:
        return None
    if not written.quoted and name.means == PASSWORDS:
        line = line_from(data, written.start)
        words = b"" if line is None else line.text
        if line is not None and words.count(b" ") >= 3 and is_password(Value(words, False, False)):
            return found_as(name, line)
    if (
        name.means == TOKENS
        and not is_drawn(written.text)
        and (not written.quoted or is_placeholder(written.text))
    ):
        value = Value(written.text, False, False)
        return found_as(name, written) if is_token(value) and len(written.text) >= 12 else None
    return judged(name, written)


def _pair(data: bytes, name: SecretName) -> list[Found]:
    """`auth=("user", "password")` and `HTTPBasicAuth("user", "password")`."""
    sign = _PAIR.match(data, name.end) or _LONE.match(data, name.end)
    if sign is None:
        return []
    secret = name._replace(text=b"password", means=PASSWORDS)
    opened = b"(" in sign.group()
    written = value_from(data, unwrapped(data, sign.end()))
    if sign.re is _LONE and not (written and is_strong(written.text)):
        return []
    found = judged(secret, written, setting=opened, sure=opened)
    return [] if found is None else [found]


def _argument(data: bytes, name: SecretName) -> Found | None:
    """`setHeader("X-Api-Key", "…")`."""
    sign = _ARGUMENT.match(data, name.end)
    if sign is None:
        return None
    written = value_from(data, sign.end())
    named = b"-" in name.text or name.text.isupper()
    if written is None or not (named or is_drawn(written.text)):
        return None
    return judged(name, written, sure=name.means == PASSWORDS and name.text.isupper())


def _written_into(data: bytes, name: SecretName) -> Found | None:
    """`put("password", "…")`, `fill("#password", "…")`, and what is in the next cell of a page."""
    written = argument_behind(data, name.start, name.end) or cell_behind(data, name.text, name.end)
    return None if written is None else judged(name, written, setting=True)


def _piped(data: bytes, name: SecretName) -> Found | None:
    """`echo 'user:password' | chpasswd`."""
    written = piped_to(data, name.start, name.text)
    return None if written is None else judged(name, written, setting=True, sure=True)


def is_number_secret(name: str, digits: str) -> bool:
    """Whether a number of JSON is a password or a PIN because of its name."""
    if not digits.isdecimal() or len(digits) > LONGEST_PASSWORD:
        return False
    means = meaning(name.encode("ascii", "replace"))
    value = Value(digits.encode("ascii", "replace"), quoted=False, setting=True)
    return means in (PASSWORDS, PINS) and is_secret(means, value)


def value_named(data: bytes, name: bytes) -> list[Found]:
    """The secrets in a text that is as a whole the value of a name."""
    means = meaning(name)
    if means == HEADERS:
        return list(authorization(b'"' + data + b'"', -1))
    if means == COOKIES:
        return list(cookies(data, -1))
    if means is None:
        return []
    # A title is a label where a text is the whole value, so words alone need not be a setting.
    sure = means == PASSWORDS or is_sure(name)
    value = Value(data.strip(), True, not data[:1].isupper(), sure)
    if b" " in value.text:
        value = value._replace(setting=False)
    real = is_secret(means, value)
    if not real and not (name.lower().endswith(b"-data") and len(data) > 100):
        return []
    kind, what = kind_of(name)
    return [(kind, 0, len(data), what)]
