"""The catalogue of damage: each pattern by its code, the formats it occurs in, and its function."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from random import Random
from types import MappingProxyType
from typing import NamedTuple

from tests.conversion.trips import Files

Apply = Callable[[Files, str, Random], "Case | None"]


class Case(NamedTuple):
    """Damaged files, and the expected result."""

    files: Files
    codes: Sequence[str]
    """Any of these must be found, by code or its beginning; none means no finding."""
    touched: frozenset[int] = frozenset()
    """Messages that the damage itself may have destroyed."""
    limits: Mapping[str, int] = MappingProxyType({})
    """Limits of rules that are lowered, so that the damage need not be gigabytes."""
    under: str = ""
    """Folders around the files."""
    days_old: int = 0


class Pattern(NamedTuple):
    """One kind of damage."""

    code: str
    name: str
    formats: Sequence[str]
    apply: Apply


PATTERNS: list[Pattern] = []


def pattern(code: str, name: str, formats: Sequence[str]) -> Callable[[Apply], Apply]:
    """Register a function as a pattern; some codes have several."""

    def decorate(apply: Apply) -> Apply:
        PATTERNS.append(Pattern(code, name, formats, apply))
        return apply

    return decorate
