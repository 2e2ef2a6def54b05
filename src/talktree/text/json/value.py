"""Decoded JSON values, and comparing them.

Reading and writing are in `json.decode` and `json.encode`.
"""

from __future__ import annotations

from typing import TypeAlias

from msgspec import DecodeError, Raw, Struct

REFUSALS = (DecodeError, UnicodeDecodeError, RecursionError)
"""What the fast decoder raises on text that is not plain JSON."""


class Token:
    """A piece of source text kept verbatim because no Python value holds it exactly.

    NaN, 1e999, integers of thousands of digits, and placeholders such as `...` or `<number>`.
    """

    __slots__ = ("text",)

    def __init__(self, text: str) -> None:
        self.text = text

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Token) and other.text == self.text

    def __hash__(self) -> int:
        return hash((Token, self.text))

    def __repr__(self) -> str:
        return f"Token({self.text!r})"


class EncodedValue(Token):
    """A pre-encoded value: its JSON text, to be copied as it is."""

    __slots__ = ("raw",)

    def __init__(self, text: bytes) -> None:
        self.raw = Raw(text)

    @property
    def text(self) -> str:  # type: ignore[override]
        """The same as characters."""
        return bytes(self.raw).decode()


Json: TypeAlias = "dict[str, Json] | list[Json] | str | int | float | bool | Token | None"


def is_same(a: Json, b: Json) -> bool:
    """Whether values are equal in value *and* type, at any depth: 1, 1.0 and true all differ."""
    pending: list[tuple[Json, Json]] = [(a, b)]
    while pending:
        a, b = pending.pop()
        if a is b:
            continue
        if type(a) is not type(b):
            return False
        if isinstance(a, dict) and isinstance(b, dict):
            if list(a) != list(b):
                return False
            pending.extend(zip(a.values(), b.values(), strict=True))
        elif isinstance(a, list) and isinstance(b, list):
            if len(a) != len(b):
                return False
            pending.extend(zip(a, b, strict=True))
        elif isinstance(a, float):
            # repr distinguishes -0.0 from 0.0, as the bytes do.
            if repr(a) != repr(b):
                return False
        elif a != b:
            return False
    return True


def is_equal(a: object, b: object) -> bool:
    """Whether values, or structs of values, are equal by `==`, at any depth."""
    try:
        return bool(a == b)
    except RecursionError:
        return _is_equal_deep(a, b)


def _is_equal_deep(a: object, b: object) -> bool:
    pending: list[tuple[object, object]] = [(a, b)]
    while pending:
        a, b = pending.pop()
        if a is b:
            continue
        if isinstance(a, dict) and isinstance(b, dict):
            if a.keys() != b.keys():
                return False
            pending.extend((item, b[name]) for name, item in a.items())
        elif isinstance(a, (list, tuple)) and type(a) is type(b):
            others = b if isinstance(b, (list, tuple)) else ()
            if len(a) != len(others):
                return False
            pending.extend(zip(a, others, strict=True))
        elif isinstance(a, Struct) and type(a) is type(b):
            pending.extend((getattr(a, name), getattr(b, name)) for name in a.__struct_fields__)
        elif a != b:
            return False
    return True
