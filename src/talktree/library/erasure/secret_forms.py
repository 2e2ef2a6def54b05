"""The forms in which a secret may be written in a file: plain, escaped in JSON or XML, in UTF-16.

Letters and digits are the same in all of them. Everything else has an alternative for each way of
writing it, so one pattern finds all mixtures.
"""

from __future__ import annotations

import json
import re

_SHORT = {"\n": "n", "\r": "r", "\t": "t", "\b": "b", "\f": "f"}
_ENTITIES = {"&": "amp", "<": "lt", ">": "gt", '"': "quot", "'": "apos"}
_BACKSLASHES = r"\\+"
"""JSON inside a string of JSON is escaped once more each time."""


def find_forms(secret: str, *, is_json: bool) -> re.Pattern[bytes]:
    """The pattern that finds all forms of a secret in a file.

    In JSON a quotation mark without a backslash ends a string, so it is not part of a secret there.
    """
    text = "".join(_char(char, is_json=is_json) for char in secret)
    forms = [_encoded(text, "utf-8"), _encoded(text, "utf-16-le"), _encoded(text, "utf-16-be")]
    return re.compile(b"|".join(forms))


def usual_forms(secret: str) -> set[bytes]:
    """The forms that programs write most often."""
    forms = {secret, json.dumps(secret)[1:-1], json.dumps(secret, ensure_ascii=False)[1:-1]}
    forms.add(json.dumps(json.dumps(secret)[1:-1])[1:-1])
    return {form.encode("utf-8", "surrogatepass") for form in forms}


def _char(char: str, *, is_json: bool) -> str:
    """A pattern, as text, for one character."""
    if char.isascii() and char.isalnum():
        return char
    ways = [re.escape(char)]
    if char == "\\":
        ways = [_BACKSLASHES]
    elif char in '"/':
        ways = [_BACKSLASHES + re.escape(char)]
        if char == "/" or not is_json:
            ways.append(re.escape(char))
    elif char in _SHORT:
        ways.append(_BACKSLASHES + _SHORT[char])
    units = char.encode("utf-16-be", "surrogatepass").hex()
    hexes = [units[at : at + 4] for at in range(0, len(units), 4)]
    ways.append("".join(f"{_BACKSLASHES}u{_any_case(each)}" for each in hexes))
    if char in _ENTITIES:
        ways.append(f"&{_ENTITIES[char]};")
    ways.append(f"&#0*{ord(char)};")
    ways.append(f"&#[xX]0*{_any_case(f'{ord(char):x}')};")
    return f"(?:{'|'.join(ways)})"


def _any_case(digits: str) -> str:
    return "".join(f"[{each}{each.upper()}]" if each.isalpha() else each for each in digits)


_TOKEN = re.compile(r"\(\?:|\[[^\]]+\]|\\.|.", re.DOTALL)


def _encoded(pattern: str, encoding: str) -> bytes:
    """The pattern for the same text in an encoding."""
    if encoding == "utf-8":
        return pattern.encode("utf-8", "surrogatepass")
    return b"".join(_token(each, encoding) for each in _TOKEN.findall(pattern))


def _token(token: str, encoding: str) -> bytes:
    """One character of a pattern, a class of characters, or a sign of the pattern itself."""
    if token.startswith("[") and len(token) > 1:
        return b"(?:" + b"|".join(_literal(each, encoding) for each in token[1:-1]) + b")"
    if token.startswith("\\"):
        return b"(?:" + _literal(token[1], encoding) + b")"
    if token == "(?:" or token in ")|+*":
        return token.encode()
    return b"(?:" + _literal(token, encoding) + b")"


def _literal(char: str, encoding: str) -> bytes:
    return re.escape(char.encode(encoding, "surrogatepass"))
