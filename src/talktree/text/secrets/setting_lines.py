"""Values after their names on lines of settings and commands, separated only by spaces."""

from __future__ import annotations

import re

from talktree.text.secrets.quoting import WrittenValue, read_value
from talktree.text.secrets.values import Value, is_cased, is_mixed, is_password

_SPACED = re.compile(
    rb"(?:[ \t]+-[\w-]{1,12})?[ \t]{1,40}(?:[0-9][ \t]{1,4})?(?=\\{0,7}[\"']?[^\s\"'\\-])"
)
_LINE_END = re.compile(
    rb"\\{0,7}[\"')]{0,3}[ \t]*(?:\r?\n|\\[nr]|\Z)|\\{0,7}\"[ \t]*[,}\]]|[ \t]+(?:RO|RW|\|)"
)
_FEW_WORDS = re.compile(
    rb"(?:^|[\n|;&$#>+]|\\n|[0-9]\t|[:,\[][ \t]?\\{0,7}\")[ \t]{0,40}"
    rb"(?:[\w./:@=-]{1,40}[ \t]+){0,7}[\w./:@=-]{0,40}\Z"
)
_SENTENCE = re.compile(
    rb"\b(?:the|a|an|is|are|was|and|or|of|for|with|to|in|your|my|this|that)\b", re.I
)
_WITH = re.compile(
    rb"(?i)\b(?:with|using|use|via|mit|avec|con|com|met)[ \t]+(?:\w{1,5}[ \t]+){0,2}\Z"
)
_LOGIN = re.compile(
    rb"(?i)\b(?:login|user(?:name)?|account)[ \t:=]+\S{1,80}?[ \t]*(?:[,;/]|\\?n|\n)?"
    rb"(?:[ \t]*[0-9]+\t|[+>|])?"
    rb"\s*(?:and|with|und)?[ \t]*\Z"
)
_USER = re.compile(
    rb"\bUSER[ \t]+\S{1,80}\s[^<>{}]{0,80}(?:\n|\\n)[^\w\n]{0,8}(?:[\w:]{1,3}>? )?\Z"
)
"""The text before `PASS` to servers of mail and files."""
_DECLARED = re.compile(rb"\\{0,7}[\"'][ \t]*\{[^{}]{0,300}?\bdefault[ \t]*=[ \t]*(?=\\{0,7}[\"'])")
_SET = re.compile(
    rb"[ \t]+set\b[^\n|;]{1,160}?[ \t](?:--value|--body|-b|--secret)(?:[ \t]+|=|(?=[\"']))"
)
_CALL = re.compile(rb"\([ \t]*(?=\\{0,7}[\"'][^\"'\n]{3,80}[\"'][ \t]*\))")
_FIELD = re.compile(rb"\\{0,7}[\"'][^<>]{0,120}?\bvalue[ \t]*=[ \t]*(?=\\{0,7}[\"'])")
_TYPE = re.compile(rb"\btype[ \t]*=[ \t]*\\{0,7}[\"']\Z")
_CONTENT = re.compile(rb"\\{0,7}[\"'][^<>\n]{0,60}>(?=[^<>\s])")
_SETTER = re.compile(rb"(?:[\w.]*[._])?(?:set|with|use|change|update)_?[A-Z]?[a-z_]", re.IGNORECASE)
_VARIABLE = re.compile(rb"[ \t]+(?=[^\s$=-][^\n=]{2,80}(?:\r?\n|\\n|\Z))")
_ENVIRONMENT = re.compile(
    rb"(?:^|[\n;]|\\n|[0-9]\t)[ \t]{0,20}(?:ENV|SetEnv|setx|set[ \t]+-[a-zA-Z]{1,4})[ \t]+\Z"
)
"""`ENV NAME value` in a Dockerfile, `set -x NAME value` in fish."""
_PART = re.compile(rb"\\{0,7}\"(?:\r?\n|(?:\\r)?\\n){2}(?=\S)")
_FORM = re.compile(rb"form-data;[ \t]{0,4}name=\\{0,7}\"\Z")
"""A field of a multipart form."""
_KEY_FILE = re.compile(rb"[ \t]*\r?\n(?:[ \t]*[0-9]+\t|[+>|] ?)?(?=[0-9a-f]{32}(?:\s|\Z))")
_HASHING = re.compile(rb"(?:[ \t]+-(?:salt[ \t]+\S{1,40}|\w{1,12})){0,3}[ \t]+(?=[^\s-])")
"""`openssl passwd -6 '…'`."""
_BY = re.compile(rb"(?i)[ \t]+(?:by|as)[ \t]+(?=\\{0,7}['\"])")
"""`identified with caching_sha2_password by '…'`."""
_FOR = re.compile(rb"(?i)[ \t]+for[ \t]+\S{1,80}[ \t]*=[ \t]*(?=\\{0,7}[\"'])")


def find_spaced_value(data: bytes, name: bytes, start: int, end: int) -> WrittenValue | None:
    """Return the value after a name in syntax that only settings and commands have."""
    before = data[max(0, start - 160) : start]
    lower = name.lower()
    stated = _read_only_value(data, name, before, end)
    if stated is not None:
        return stated
    for pattern, fits in (
        (_DECLARED, True),
        (_FOR, lower == b"password"),
        (_BY, lower.endswith(b"_password")),
        (_SET, lower == b"secret"),
        (_FIELD, lower == b"password" and _TYPE.search(before) is not None),
        (_CONTENT, before[-1:] in (b'"', b"'", b".")),
        (_HASHING, lower == b"passwd" and before.endswith(b"openssl ")),
        (_KEY_FILE, lower.endswith(b"master.key")),
        (_CALL, has_password_ending(name)),
    ):
        sign = pattern.match(data, end) if fits else None
        if sign is not None:
            written = (
                _read_element_content(data, sign.end())
                if pattern is _CONTENT
                else read_value(data, sign.end())
            )
            sure = pattern in (_SET, _BY) and written is not None and is_mixed(written.text)
            strong = written is not None and (sure or is_strong(written.text))
            return written if strong else None
    return _find_value_after(data, name, before, end)


def _read_only_value(data: bytes, name: bytes, before: bytes, end: int) -> WrittenValue | None:
    """Return the value after a name in a place that only contains values; it may be a word."""
    for pattern, fits in (
        (_CALL, has_password_ending(name) and _SETTER.match(name) is not None),
        (_VARIABLE, name.isupper() and _ENVIRONMENT.search(before) is not None),
        (_PART, _FORM.search(before) is not None),
    ):
        sign = pattern.match(data, end) if fits else None
        written = None if sign is None else read_value(data, sign.end())
        if written is not None and is_password(
            Value(written.text, written.quoted, True, sure=True)
        ):
            return written
    return None


def has_password_ending(name: bytes) -> bool:
    """Whether a name ends like that of a password."""
    return name.lower().endswith((b"password", b"passwd", b"passphrase"))


def _is_line_end(data: bytes, written: WrittenValue) -> bool:
    return _LINE_END.match(data, written.end) is not None


def _read_element_content(data: bytes, at: int) -> WrittenValue | None:
    end = data.find(b"<", at, at + 400)
    return None if end < 0 else WrittenValue(at, end, data[at:end], True, end)


def _find_value_after(data: bytes, name: bytes, before: bytes, end: int) -> WrittenValue | None:
    sign = _SPACED.match(data, end)
    written = None if sign is None else read_value(data, sign.end())
    if written is None or b" " in written.text:
        return None
    if not is_strong(written.text) and not is_cased(written.text):
        return None
    if _WITH.search(before) is not None or _LOGIN.search(before) is not None:
        return written
    if name == b"PASS" and _USER.search(before) is not None and _is_line_end(data, written):
        return written
    if before.endswith(b"(") and written.text.endswith(b")"):
        stop = written.stop - 1
        return WrittenValue(written.start, stop, data[written.start : stop], False, stop)
    if name.lower() == b"pass" or _LINE_END.match(data, written.end) is None:
        return None
    line = before.rpartition(b"\n")[2]
    if _FEW_WORDS.search(before) is None or _SENTENCE.search(line) is not None:
        return None
    return written


def is_strong(text: bytes) -> bool:
    """Whether letters and digits are mixed as in no word of a sentence."""
    digits = sum(48 <= byte <= 57 for byte in text)
    if len(text) < 6 or not digits or not is_mixed(text) or (text[:1].isdigit() and text.isdigit()):
        return False
    return is_password(Value(text, False, True))
