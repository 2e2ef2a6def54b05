"""Whether a value with the name of a secret is one, or a placeholder, a label, a type or code."""

from __future__ import annotations

import re
from typing import NamedTuple

from talktree.text.randomness import entropy, is_random

SHORTEST_PASSWORD = 4
SHORTEST_TOKEN = 6
_PLACEHOLDER = re.compile(
    rb"\x00|\(\?|\\[wdsb][*+)\]{]|\[\^|\[a-z|^abc[-_]?123|^\{[^{}]{0,80}\}$|<[^<>]{0,80}>|\$\{|\{\{|\}\}|\$\(|%\(|\{%|#\{|\*{3}|x{4}|\.\.\.|\?{3,}|_{4,}|-{4,}"
    rb"|\[redacted|redacted|masked|censored|hidden[_-]|changeme|change[_-](?:me|this|it)"
    rb"|placeholder|(?:^|[^a-z0-9])(?:your|my|the|some|any|new)[_ -]|^your|yourpass|yourkey"
    rb"|yoursecret|yourtoken|exampl|dummy|sample|insert|replace[_-]?|fill[_-]?in"
    rb"|not[_-]?(?:set|real|a[_-]|used)|todo|fixme|goes[_ -]?here|[_ -]here$|^enter[_ -]"
    rb"|^secrets?\.|^env\.|^vault:|^arn:|^op://|^ref\+|^aws:|^ssm:|^file:|^keyring"
    rb"|^process\.|^os\.|^import\.meta|^self\.|^this\.|^config\.|^settings\.|^req(?:uest)?\.|^env\["
    rb"|^(?:required|nullable|optional|string|min|max)[|:]"
    rb"|^(?:base-?(?:32|58|64)|sha-?[0-9]+|md5|utf-?8|aes-?[0-9]+|rs256|hs256|bcrypt"
    rb"|argon2\w*)(?:[_ -]|$)"
    rb"|abcdefg|1234567|deadbeef|0{7}|fake|mock|test[_-]?(?:key|token|secret|pass)"
)
"""What people and programs write instead of a secret, in small letters."""
_VARIABLE = re.compile(rb"\$\{?[A-Za-z_]\w*\}?|%\w+%|%[sdvq]|@\w+@|\$[0-9@*]|:\w+|\{\w*\}|&\w+")
_WEAK = frozenset(
    b"password passwd passw0rd password1 password12 password123 pass123 pass1234 secret mysecret "
    b"supersecret topsecret secret123 postgres mysql mongodb redis rabbitmq minio minioadmin admin "
    b"administrator admin123 root rootpassword guest default testing test test123 test1234 tester "
    b"testpass testpassword username user user123 12345 123456 12345678 123456789 qwerty letmein "
    b"developer development yourpassword foobar foo bar baz token pwd123 userpassword dbpassword "
    b"db_password p4ssw0rd none null nil true false undefined empty optional required string str "
    b"text bytes int integer number bool boolean any object unknown void never auto yes no on off "
    b"disabled enabled hidden input hash hashed plain plaintext plain_text bcrypt argon2 "
    b"md5 sha256 "
    b"sha512 scram-sha-256 encrypted invalid valid expired missing wrong correct incorrect basic "
    b"bearer digest oauth oauth2 ldap saml jwt local inherit include same-origin omit prompt env "
    b"environment file vault keychain keyring store stdin value values key keys name data type "
    b"field label title content access refresh session public private identifier expression "
    b"accepted default_value username_password user_pass userpass api_key apikey access_token "
    b"refresh_token id_token client_secret client_credentials authorization_code "
    b"options option flag flags argument arguments arg args parameter "
    b" reserved unreserved keyword".split()
)
"""What is no secret however it is called: examples, types, kinds of authentication."""
_STEM = re.compile(rb"passw|passphr|secret|token|credential|apikey|api[_ -]key|kennwort|contrase")
_PATH = re.compile(
    rb"(?:~|\.{1,2})?/[\w.@/~-]*\Z|[A-Za-z]:[\\/]|\w+://|\.{0,2}/\w+/|[\w-]+/[\w-]+\.[a-z]{2,4}\Z"
)
_CODE = re.compile(
    rb"[A-Za-z_][\w.:>-]*[\[(]|[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)+\Z|[A-Za-z_]\w*\[|.*(?:=>|&&|\|\||::|->|\?\.)"
    rb"|(?:await|new|return|not|lambda|function|async|typeof|if|else)\b|[A-Z]\w*<|[\[({]|.*\(\)"
)
_NUMBER = re.compile(rb"-?[0-9][0-9_,]*(?:\.[0-9]+)?(?:[a-zA-Z]{1,2}|%)?")
_LABEL = re.compile(
    rb"\b(?:is|are|was|be|must|should|please|enter|forgot|reset|confirm|invalid|required|wrong"
    rb"|the|your|a|an|to|of|for|and|or|not|no|with|in|on|at|by|it|this|that|if|when|can|cannot"
    rb"|will|has|have|do|does|used|using|use|set|from|as|de|mot|neues|passe|characters?|least)\b"
)
_SPELLED = re.compile(rb"[A-Za-z]+(?:[ _.-][A-Za-z]+)*")
_SYMBOLS = re.compile(rb"[^\w\s./:,;-]")


class Value(NamedTuple):
    """A value and how it was written."""

    text: bytes
    quoted: bool
    """Between quotes."""
    setting: bool
    """In a place that only values are in: a line of settings, an option, a connection string."""


def is_placeholder(text: bytes) -> bool:
    """Whether a value only says where a secret would be."""
    low = text.lower().strip()
    return (
        not low
        or low.rstrip(b"?") in _WEAK
        or len(set(low)) < 3
        or _PLACEHOLDER.search(low) is not None
        or _VARIABLE.fullmatch(text) is not None
    )


def is_password(value: Value) -> bool:
    """Whether a value that is called a password is one."""
    text = value.text
    if not SHORTEST_PASSWORD <= len(text) <= 256 or is_placeholder(text):
        return False
    if _PATH.match(text) or _looks_like_code(value):
        return False
    if _SPELLED.fullmatch(text):
        return _is_words_password(value)
    if _NUMBER.fullmatch(text):
        return text.isdigit() and (value.quoted or value.setting) and len(text) >= 4
    if b" " in text:
        return _is_phrase(text) or (value.quoted and _is_short_phrase(text))
    if _STEM.search(text.lower()) and not _has_digit_and_symbol(text):
        return False
    if value.quoted or value.setting:
        return True
    return len(text) >= 5 and is_mixed(text)


def is_token(value: Value) -> bool:
    """Whether a value that is called a key, a token or a secret is one."""
    text = value.text
    if not SHORTEST_TOKEN <= len(text) <= 4096 or is_placeholder(text) or b" " in text:
        return False
    if _looks_like_code(value) or (_PATH.match(text) and not is_random(text)):
        return False
    low = text.lower()
    if _STEM.search(low) and not is_random(text):
        return False
    if _SPELLED.fullmatch(text):
        return is_random(text) or _is_drawn_letters(text) or _is_spelled_setting(value)
    if _NUMBER.fullmatch(text):
        return text.isdigit() and len(text) >= 16
    if is_random(text):
        return True
    if not is_mixed(text) or not any(48 <= byte <= 57 for byte in text):
        return False
    return (value.quoted or value.setting) and (len(text) >= 8 or value.setting)


def is_drawn(text: bytes) -> bool:
    """Whether a value is so random that it is a secret wherever it is."""
    return len(text) >= 16 and is_random(text)


def _is_spelled_setting(value: Value) -> bool:
    """`JWT_SECRET=amber-falcon-tulip`: several words as the value of a setting."""
    text = value.text
    return value.setting and len(text) >= 12 and len(re.split(rb"[_.-]", text)) >= 3


def _is_drawn_letters(text: bytes) -> bool:
    """Letters only, and no word: it has too few vowels."""
    return (
        len(text) >= 16
        and text.isalpha()
        and entropy(text) >= 3.4
        and _vowels(text) * 5 < len(text)
    )


def _vowels(text: bytes) -> int:
    return len(text) - len(text.translate(None, b"aeiouAEIOU"))


def _is_words_password(value: Value) -> bool:
    text = value.text
    low = text.lower()
    words = re.split(rb"[ _.-]", low)
    if _STEM.search(low) or any(word in _WEAK for word in words):
        return False
    if b" " in text:
        return _is_phrase(text)
    if not value.quoted and not value.setting and b"_" in text:
        return False
    if len(words) >= 3:
        return not _LABEL.search(low.replace(b"_", b" ").replace(b"-", b" "))
    if not (value.quoted or value.setting) or len(text) < 6:
        return False
    if value.quoted:
        # One capitalised word is a label, as translations have them.
        return text.islower() or (not text.istitle() and len(words) == 1)
    return True


def _is_phrase(text: bytes) -> bool:
    """Several small words none of which makes it a sentence."""
    words = text.split(b" ")
    if (
        not 3 <= len(words) <= 12
        or not text.replace(b" ", b"").islower()
        or _STEM.search(text.lower())
    ):
        return False
    return not _LABEL.search(text.lower()) and all(
        len(word) >= 3 and word.isalpha() for word in words
    )


def _is_short_phrase(text: bytes) -> bool:
    """A few words with a digit and a symbol among them, which no label has."""
    return text.count(b" ") <= 3 and _has_digit_and_symbol(text) and not _LABEL.search(text.lower())


def _looks_like_code(value: Value) -> bool:
    return not value.quoted and _CODE.match(value.text) is not None


def is_mixed(text: bytes) -> bool:
    """Whether letters, digits and symbols are mixed."""
    letters = any(65 <= byte <= 90 or 97 <= byte <= 122 for byte in text)
    digits = any(48 <= byte <= 57 for byte in text)
    return letters and (digits or _SYMBOLS.search(text) is not None)


def _has_digit_and_symbol(text: bytes) -> bool:
    return any(48 <= byte <= 57 for byte in text) and _SYMBOLS.search(text) is not None
