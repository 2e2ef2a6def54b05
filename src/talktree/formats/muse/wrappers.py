"""Ids and times in the dress a database export gives them: read through it, keep it on writing.

`{"$oid": ...}`, `{"$numberLong": ...}`, `{"$date": ...}` (Extended JSON, both generations) and
`ObjectId('...')` printed into a string. A new value wears what the old one wore.
"""

from __future__ import annotations

import re

from talktree.text.json.value import Json
from talktree.text.times import (
    MILLI,
    SECOND,
    SECONDS_END,
    SECONDS_START,
    from_iso,
    from_number,
    to_iso,
    to_millis,
)

ID_WRAPPERS = ("$oid", "$uuid")
NUMBER_WRAPPERS = ("$numberLong", "$numberInt", "$numberDouble")
DATE = "$date"
MOST_INT = 2**31 - 1
_PRINTED = re.compile(r"(\w+\()(['\"])(.+)\2\)", re.DOTALL)
_NUMBER = re.compile(r"-?[0-9]{1,18}(?:\.[0-9]{1,18})?(?:[eE][-+]?[0-9]{1,2})?")


def _wrapper(value: Json) -> str:
    """The name of the wrapper, if the value is one."""
    if isinstance(value, dict) and len(value) == 1:
        return next(iter(value))
    return ""


def text_of(value: Json) -> str | None:
    """The id inside, or None if the value is no text."""
    if isinstance(value, str):
        printed = _PRINTED.fullmatch(value) if value.startswith("ObjectId(") else None
        return printed.group(3) if printed else value
    name = _wrapper(value)
    inner = value[name] if name in ID_WRAPPERS and isinstance(value, dict) else None
    return inner if isinstance(inner, str) else None


def text_like(text: str, old: Json) -> Json:
    """A new id in the dress of the old one."""
    if isinstance(old, str) and old != text_of(old):
        found = _PRINTED.fullmatch(old)
        assert found is not None
        return f"{found.group(1)}{found.group(2)}{text}{found.group(2)})"
    name = _wrapper(old)
    return {name: text} if name in ID_WRAPPERS else text


def time_of(value: Json) -> int | None:
    """The time inside, or None if the value names none."""
    if _wrapper(value) == DATE and isinstance(value, dict):
        value = value[DATE]
    if isinstance(value, str):
        return from_iso(value)
    number = _number_of(value)
    return None if number is None else from_number(number)


def _number_of(value: Json) -> int | float | None:
    name = _wrapper(value)
    if name in NUMBER_WRAPPERS and isinstance(value, dict):
        digits = value[name]
        if not isinstance(digits, str) or not _NUMBER.fullmatch(digits):
            return None
        return float(digits) if name == "$numberDouble" or not digits.isdigit() else int(digits)
    if isinstance(value, (int, float)) and not isinstance(value, bool):
        return value
    return None


def time_like(time: int, old: Json) -> Json:
    """A new time in the dress of the old one; plain milliseconds if that cannot hold it."""
    dressed: Json
    if _wrapper(old) == DATE and isinstance(old, dict):
        dressed = {DATE: _inner_like(time, old[DATE])}
    else:
        dressed = _inner_like(time, old)
    return dressed if time_of(dressed) == time else to_millis(time)


def _inner_like(time: int, old: Json) -> Json:
    if isinstance(old, str):
        return to_iso(time)
    before = _number_of(old)
    if before is None:
        return to_millis(time)
    number = _number_like(time, before)
    match _wrapper(old):
        case "":
            return number
        case "$numberDouble":
            return {"$numberDouble": repr(float(number))}
        case "$numberInt" if number <= MOST_INT:
            return {"$numberInt": str(number)}
        case _:
            return {"$numberLong": str(number)}


def _number_like(time: int, old: int | float) -> int | float:
    """Seconds or milliseconds, whole or not, as the old number was."""
    if not SECONDS_START <= old < SECONDS_END:
        return float(time // MILLI) if isinstance(old, float) else time // MILLI
    if isinstance(old, float):
        return time / SECOND
    return time // SECOND if time % SECOND == 0 else time // MILLI
