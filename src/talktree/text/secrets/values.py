"""Whether a value with the name of a secret is one, or a placeholder, a label, a type or code."""

from __future__ import annotations

import re
from typing import NamedTuple

from talktree.text.secrets.entropy import compute_entropy, is_random
from talktree.text.secrets.placeholders import WEAK, is_placeholder

SHORTEST_PASSWORD = 2
SHORTEST_WORD = 3
"""Shorter words are never passwords."""
SHORTEST_UNSURE = 4
"""Minimum length of a password where other text than values may be."""
SHORTEST_TOKEN = 3
SHORTEST_UNSURE_TOKEN = 6
SHORTEST_TOKEN_WORD = 4
LONGEST_PASSWORD = 256
PIN_LENGTHS = range(4, 13)
_STEM = re.compile(
    rb"passw|passphr|secret|token|credential|apikey|api[_ -]key|kennwort|contrase|wachtwo|l\?senord"
    rb"|\bhas\?o|adgangskode|kodeord|jelsz"
)
_PATH = re.compile(
    rb"(?:~|\.{1,2})?/[\w.@/~-]*\Z|[A-Za-z]:[\\/]|\w+://|\.{0,2}/\w+/|[\w-]+/[\w-]+\.[a-z]{2,4}\Z"
)
_CODE = re.compile(
    rb"[A-Za-z_][\w.:>-]*[\[(]|[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)+\Z|[A-Za-z_]\w*\[|\$\w+-\Z|.*(?:=>|&&|\|\||::|->|\?\.)"
    rb"|(?:await|new|return|not|lambda|function|async|typeof|if|else)\b|[A-Z]\w*<|[A-Z]\w*(?:Text|Str|String|Field|Type|Input|Bytes|Hash)\Z|[\[({]|.*\(\)"
)
_DOTTED = re.compile(rb"[\w-]+(?:\.[\w-]+)+")
_SIGNING = re.compile(rb"django-insecure-[^\s\"'`]{50}")
"""What Django generates for a new project; it may contain any signs."""
_NUMBER = re.compile(
    rb"-?[0-9][0-9_,]*(?:\.[0-9]+)?(?:[kKMGT]?[iB]?[bB]|ms|[smhdwykKMGTx]|px|em|pt|v[hw]|%)?"
)
_LABEL = re.compile(
    rb"\b(?:is|are|was|be|must|should|please|enter|forgot|reset|confirm|invalid|required|wrong"
    rb"|the|your|a|an|to|of|for|and|or|not|no|with|in|on|at|by|it|this|that|if|when|can|cannot"
    rb"|will|has|have|do|does|used|using|use|set|from|as|de|mot|neues|passe|characters?|least)\b"
)
_SENTENCE = re.compile(
    _LABEL.pattern
    + rb"|\b(?:min|max|chars?|long|length|digits?|letters?|symbols?|minimum|maximum|only"
    rb"|more|less|than|up|bits?|bytes?|days?|hours?|minutes?|times?|step|version|v[0-9]|error|per|each"
    rb"|every|least|most|one|two|passwords?|secrets?|tokens?|keys?|type|form|field)\b"
    rb"|[a-z][.?!:,;](?: |$)|=|\(|[<>{}|]"
)
"""The same, and texts in requirements and sentences with a digit."""
_ASKING = re.compile(
    rb"\b(?:enter|your|please|forgot|reset|confirm|invalid|required|wrong|incorrect|missing|must"
    rb"|should|cannot|characters?|least|error|not|no|the|empty)\b|[<>{}]|\$\("
)
"""Words that occur in the values of settings only if they are messages."""
_NAMED = re.compile(rb"[_-]{0,2}[A-Za-z]+(?:[_.?-][A-Za-z]+)*[_-]?[0-9]?")
"""Words like those in names of code, with at most one digit."""
_COUNTED = re.compile(rb"[0-9]{2,4}\Z")
_CASE = re.compile(rb"(?<=[a-z])(?=[A-Z])|(?<=[A-Z])(?=[a-z])")
_SPELLED = re.compile(rb"[A-Za-z]+(?:[ _.-][A-Za-z]+)*")
_SYMBOLS = re.compile(rb"[^\w\s./:,;?-]")


class Value(NamedTuple):
    """A value and its notation."""

    text: bytes
    quoted: bool
    """Whether it is quoted."""
    setting: bool
    """Whether it is in a place for values only: a line of settings, an option, a connection
    string."""
    sure: bool = False
    """Whether its name and notation make it a secret, however short, unless it is a placeholder."""


def is_password(value: Value) -> bool:
    """Whether a value that is named a password is one."""
    text = value.text
    certain = value.quoted or value.setting or value.sure
    if text.isdigit():
        # Initial passwords are often digits only, and placeholders never are.
        return certain and SHORTEST_UNSURE <= len(text) <= LONGEST_PASSWORD
    if not _shortest_password(value) <= len(text) <= LONGEST_PASSWORD or is_placeholder(text):
        return False
    if _PATH.match(text) or _is_code(value):
        return False
    if _SPELLED.fullmatch(text):
        return _is_words_password(value)
    if _NUMBER.fullmatch(text):
        return False
    if b" " in text:
        return _is_phrase(text) or (value.quoted and _is_quoted_phrase(value))
    if _STEM.search(text.lower()) and not _has_digit_and_symbol(text):
        numbered = value.setting and value.sure and text[-1:].isdigit()
        return certain and len(text) >= 8 and (numbered or _NAMED.fullmatch(text) is None)
    if certain:
        return True
    return len(text) >= 5 and is_mixed(text)


def is_token(value: Value) -> bool:
    """Whether a value that is named a key, a token or a secret is one."""
    text = value.text
    shortest = SHORTEST_UNSURE_TOKEN
    if value.sure:
        shortest = SHORTEST_PASSWORD if value.setting else SHORTEST_TOKEN
    if b" " in text:
        return value.quoted and value.sure and value.setting and is_password(value)
    if not shortest <= len(text) <= 4096:
        return False
    # Words are checked first, since searching for all placeholders is slow in a long text.
    if _STEM.search(text.lower()) and not is_random(text) and not _is_numbered(value):
        return False
    if is_placeholder(text) or _is_code(value):
        return False
    if _PATH.match(text) and not is_random(text):
        return False
    if _SPELLED.fullmatch(text):
        if is_random(text) or _is_drawn_letters(text) or _is_spelled_setting(value):
            return True
        if value.sure and text.isalpha() and len(text) >= SHORTEST_TOKEN_WORD:
            return True
        return value.setting and is_cased(text)
    if _NUMBER.fullmatch(text):
        return text.isdigit() and len(text) >= 16
    if is_random(text):
        return True
    if not is_mixed(text) or not any(48 <= byte <= 57 for byte in text):
        return False
    return value.sure or value.setting or (value.quoted and len(text) >= 8)


def _is_numbered(value: Value) -> bool:
    """Whether it is like `my-app-secret-2024`: a setting that names a secret has no counting
    number."""
    return value.sure and value.setting and _COUNTED.search(value.text) is not None


def is_pin(value: Value) -> bool:
    """Whether a value that is named a PIN is one: digits that are not the number of a hardware
    pin."""
    return value.text.isdigit() and len(value.text) in PIN_LENGTHS


def _shortest_password(value: Value) -> int:
    if value.sure:
        return SHORTEST_PASSWORD
    # Few words and abbreviations mix letters and digits.
    return SHORTEST_WORD if value.setting and is_mixed(value.text) else SHORTEST_UNSURE


def is_drawn(text: bytes) -> bool:
    """Whether a value is so random that it is a secret wherever it is."""
    return len(text) >= 16 and is_random(text)


def _is_spelled_setting(value: Value) -> bool:
    """Whether it is like `JWT_SECRET=<three-small-words>`: several words as the value of a
    setting."""
    text = value.text
    return value.setting and len(text) >= 12 and len(re.split(rb"[_.-]", text)) >= 3


def _is_drawn_letters(text: bytes) -> bool:
    """Whether it is letters only, and not a word: it has too few vowels."""
    return (
        len(text) >= 16
        and text.isalpha()
        and compute_entropy(text) >= 3.4
        and _count_vowels(text) * 5 < len(text)
    )


def is_cased(text: bytes) -> bool:
    """Whether it is letters only, with the case changing as in no name."""
    changes = len(_CASE.findall(text))
    return len(text) >= 12 and text.isalpha() and changes * 5 >= len(text) * 2


def _count_vowels(text: bytes) -> int:
    return len(text) - len(text.translate(None, b"aeiouAEIOU"))


def _is_words_password(value: Value) -> bool:
    text = value.text
    low = text.lower()
    words = re.split(rb"[ _.-]", low)
    weak = sum(word in WEAK for word in words)
    if _STEM.search(low) or weak * (1 if value.sure else 2) >= len(words):
        return False
    if b" " in text:
        return _is_phrase(text) or (value.quoted and _is_quoted_phrase(value))
    if not value.quoted and not value.setting and b"_" in text:
        return False
    if len(words) >= 3:
        if value.sure and value.setting and not value.quoted:
            return True
        return not _LABEL.search(low.replace(b"_", b" ").replace(b"-", b" "))
    if value.sure:
        return len(text) >= SHORTEST_WORD
    if not (value.quoted or value.setting) or len(text) < 6:
        return False
    if value.quoted:
        # A single capitalised word is a label, as in translations.
        return text.islower() or (not text.istitle() and len(words) == 1)
    return True


def _is_phrase(text: bytes) -> bool:
    """Whether it is several lower-case words, none of which makes it a sentence."""
    words = text.split(b" ")
    # Titles have lower-case words between capitalised ones, or fewer words.
    cased = text.islower() or (len(words) >= 4 and all(word.istitle() for word in words))
    if not 3 <= len(words) <= 12 or not cased or _STEM.search(text.lower()):
        return False
    return not _LABEL.search(text.lower()) and all(
        len(word) >= 3 and word.isalpha() for word in words
    )


def _is_quoted_phrase(value: Value) -> bool:
    """Whether it is a few words with a digit, which labels do not have, or outside of labels."""
    low = value.text.lower()
    if low.count(b" ") > 7:
        return False
    if value.sure and value.setting:
        return not _STEM.search(low) and not _ASKING.search(low)
    digits = any(48 <= byte <= 57 for byte in low)
    return (digits or (value.sure and not _STEM.search(low))) and not _SENTENCE.search(low)


def _is_code(value: Value) -> bool:
    if value.quoted or _CODE.match(value.text) is None:
        return False
    # Parts of a name in code are words; those of a token are random.
    dotted = value.setting and _DOTTED.fullmatch(value.text) is not None
    drawn = dotted and any(map(_is_drawn_part, value.text.split(b".")))
    return not drawn and _SIGNING.fullmatch(value.text) is None


def _is_drawn_part(part: bytes) -> bool:
    digits = sum(48 <= byte <= 57 for byte in part)
    return len(part) >= 16 and (is_random(part) or (part.isalnum() and digits > 1))


def is_mixed(text: bytes) -> bool:
    """Whether letters, digits and symbols are mixed."""
    letters = any(65 <= byte <= 90 or 97 <= byte <= 122 for byte in text)
    digits = any(48 <= byte <= 57 for byte in text)
    return letters and (digits or _SYMBOLS.search(text) is not None)


def _has_digit_and_symbol(text: bytes) -> bool:
    return any(48 <= byte <= 57 for byte in text) and _SYMBOLS.search(text) is not None
