"""Regular expressions of users, so that none of them takes forever.

A pattern with a repetition inside of a repetition is refused, and so is one that is slow on short
probes. Texts are given to a pattern line by line, and long lines in pieces.
"""

from __future__ import annotations

import re
import time
from collections.abc import Iterable, Iterator
from re import _constants, _parser  # type: ignore[attr-defined]
from typing import Any, TypeAlias

LONGEST_LINE = 2000
OVERLAP = 200
LONGEST_PATTERN = 500
MOST_ENDLESS = 2
SLOW = 0.02
"""Seconds that a pattern may take for one probe."""
_PROBE = 160
_PROBES = ("a", "0", " ", "-", "aA0 ", "a@", "x.", "/a", "((", '"')
Argument: TypeAlias = Any
Tree: TypeAlias = "Iterable[tuple[object, Argument]]"
"""A parsed pattern, as the standard library has it."""
_REPEATS = frozenset({_constants.MAX_REPEAT, _constants.MIN_REPEAT})


class UnsafePattern(ValueError):
    """A pattern that is not a regular expression, or may take too long."""


def compile_pattern(text: str) -> re.Pattern[str]:
    """The pattern, if it is a regular expression that ends soon on every line."""
    if not text or len(text) > LONGEST_PATTERN:
        raise UnsafePattern(f"not between 1 and {LONGEST_PATTERN} characters")
    try:
        pattern = re.compile(text)
        tree = _parser.parse(text)
    except (re.error, RecursionError, OverflowError) as error:
        raise UnsafePattern(f"not a regular expression: {error}") from None
    if pattern.match("") is not None and pattern.fullmatch("") is not None:
        raise UnsafePattern("it matches the empty text")
    if _is_nested(tree):
        raise UnsafePattern("a repetition inside of a repetition may take forever")
    if _count_endless(tree) > MOST_ENDLESS:
        raise UnsafePattern(f"more than {MOST_ENDLESS} repetitions without an end are too slow")
    if _is_slow(pattern):
        raise UnsafePattern("it takes too long on ordinary lines")
    return pattern


def matches(pattern: re.Pattern[str], text: str) -> Iterator[tuple[int, int]]:
    """Where a pattern matches, within lines and within pieces of long lines."""
    at = 0
    for line in text.splitlines(keepends=True):
        done = 0
        for start in range(0, max(len(line), 1), LONGEST_LINE - OVERLAP):
            for found in pattern.finditer(line[start : start + LONGEST_LINE]):
                if found.end() > found.start() and start + found.start() >= done:
                    done = start + found.end()
                    yield at + start + found.start(), at + done
        at += len(line)


def _is_nested(tree: Tree) -> bool:
    """Whether something repeated without an end holds something repeated without an end."""
    pending: list[tuple[Tree, bool]] = [(tree, False)]
    while pending:
        items, inside = pending.pop()
        for operation, argument in items:
            endless = operation in _REPEATS and argument[1] == _constants.MAXREPEAT
            if endless and inside:
                return True
            pending += [(each, inside or endless) for each in _children(operation, argument)]
    return False


def _count_endless(tree: Tree) -> int:
    """How many parts are repeated without an end."""
    count = 0
    pending = [tree]
    while pending:
        for operation, argument in pending.pop():
            count += operation in _REPEATS and argument[1] == _constants.MAXREPEAT
            pending += _children(operation, argument)
    return count


def _children(operation: object, argument: Argument) -> Iterator[Tree]:
    if operation in _REPEATS or operation is getattr(_constants, "POSSESSIVE_REPEAT", None):
        yield argument[2]
    elif operation is _constants.SUBPATTERN:
        yield argument[-1]
    elif operation is _constants.BRANCH:
        yield from argument[1]
    elif operation in (_constants.ASSERT, _constants.ASSERT_NOT):
        yield argument[1]
    elif operation is getattr(_constants, "ATOMIC_GROUP", None):
        yield argument


def _is_slow(pattern: re.Pattern[str]) -> bool:
    for size in (20, 40, 80, _PROBE):
        for probe in _PROBES:
            text = probe * (size // len(probe)) + "\x01"
            start = time.thread_time()
            for _ in pattern.finditer(text):
                pass
            if time.thread_time() - start > SLOW:
                return True
    return False
