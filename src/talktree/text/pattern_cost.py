"""The maximum cost of a regular expression, computed from its syntax.

Python's engine backtracks, so the cost is the number of ways to match. A repetition has only one
way if what follows it cannot be a part of it: `[a-z]+@`. Otherwise every length of it is a way, and
the ways of consecutive parts multiply.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from re import _constants, _parser  # type: ignore[attr-defined]
from typing import Any, NamedTuple, TypeAlias

LONG_REPEAT = 64
"""A longer repetition counts as unbounded."""
MOST_WAYS = 20_000
MOST_WAYS_REPEATED = 200
"""The same beside an open repetition."""
MOST_OPEN = 1
"""Maximum number of open repetitions: those whose end is not determined by what follows."""
MOST_ENDLESS = 8
_BEYOND = 256
"""Represents any character that is not in Latin 1."""
_ALL = frozenset(range(_BEYOND + 1))
Argument: TypeAlias = Any
Item: TypeAlias = "tuple[object, Argument]"
_REPEATS = frozenset({_constants.MAX_REPEAT, _constants.MIN_REPEAT, _constants.POSSESSIVE_REPEAT})
_ASSERTIONS = frozenset({_constants.ASSERT, _constants.ASSERT_NOT})


class CostlyPattern(ValueError):
    """The pattern may take too long."""


class Cost(NamedTuple):
    """The maximum cost of a pattern."""

    ways: int
    """Number of ways to match at one place, without open repetitions."""
    open: int
    """Number of repetitions without a clear end."""
    endless: int
    """Number of repetitions that may be long."""
    shortest: int = 0
    """Minimum number of characters it matches."""


_FREE = Cost(1, 0, 0)


def compute_cost(text: str) -> Cost:
    """Return the cost of a pattern; raise CostlyPattern if it is too high."""
    parsed = _parser.parse(text)
    ignores_case = bool(parsed.state.flags & re.IGNORECASE)
    cost = _Costs(ignores_case=ignores_case).sequence_cost(list(parsed), frozenset())
    most = MOST_WAYS_REPEATED if cost.open else MOST_WAYS
    if cost.open > MOST_OPEN or cost.endless > MOST_ENDLESS or cost.ways > most:
        raise CostlyPattern("it has too many ways to match the same text")
    return cost._replace(shortest=parsed.getwidth()[0])


class _Costs:
    """Sums up the costs of the parts of a parsed pattern."""

    def __init__(self, *, ignores_case: bool) -> None:
        self._ignores_case = ignores_case

    def sequence_cost(self, items: Sequence[Item], follow: frozenset[int]) -> Cost:
        """Return the cost of consecutive parts; `follow` is what may come next."""
        ways, open, endless = 1, 0, 0
        for item in reversed(items):
            cost = self._item_cost(item, follow)
            ways = min(ways * cost.ways, MOST_WAYS + 1)
            open, endless = open + cost.open, endless + cost.endless
            first = self._first_of_item(item)
            follow = first | follow if self._can_be_empty(item) else first
        return Cost(ways, open, endless)

    def _item_cost(self, item: Item, follow: frozenset[int]) -> Cost:
        operation, argument = item
        if operation in _REPEATS:
            return self._repeat_cost(argument, follow)
        if operation is _constants.BRANCH:
            return self._branch_cost([list(each) for each in argument[1]], follow)
        if operation is _constants.SUBPATTERN:
            return self.sequence_cost(list(argument[-1]), follow)
        if operation is _constants.ATOMIC_GROUP:
            return self.sequence_cost(list(argument), follow)
        if operation in _ASSERTIONS:
            return self.sequence_cost(list(argument[1]), frozenset())
        if operation is _constants.GROUPREF:
            # It takes as long as what it repeats.
            return Cost(1, 1, 1)
        if operation is _constants.GROUPREF_EXISTS:
            raise CostlyPattern("a condition on a group is not supported")
        return _FREE

    def _repeat_cost(self, argument: Argument, follow: frozenset[int]) -> Cost:
        least, most, body = argument[0], argument[1], list(argument[2])
        first = self._first_characters(body)
        inner = self.sequence_cost(body, first | follow if most > 1 else follow)
        if most <= 1:
            return inner._replace(ways=inner.ways + (least < most))
        if self._is_empty(body):
            raise CostlyPattern("a repetition of what may be empty may take forever")
        if least == most:
            return Cost(
                min(inner.ways ** min(most, 64), MOST_WAYS + 1),
                inner.open * most,
                inner.endless * most,
            )
        if inner.endless or inner.open:
            raise CostlyPattern("a repetition inside of a repetition may take forever")
        if inner.ways > 1:
            raise CostlyPattern("a repetition of what matches in several ways may take forever")
        if first.isdisjoint(follow):
            return Cost(1, 0, int(most > LONG_REPEAT))
        if most > LONG_REPEAT:
            return Cost(1, 1, 1)
        return Cost(most - least + 1, 0, 0)

    def _branch_cost(self, branches: list[list[Item]], follow: frozenset[int]) -> Cost:
        costs = [self.sequence_cost(each, follow) for each in branches]
        firsts = [self._first_characters(each) for each in branches]
        apart = sum(map(len, firsts)) == len(frozenset().union(*firsts))
        apart = apart and not any(self._is_empty(each) for each in branches)
        ways = [cost.ways for cost in costs]
        return Cost(
            max(ways) if apart else sum(ways),
            max(cost.open for cost in costs),
            max(cost.endless for cost in costs),
        )

    def _first_characters(self, items: Iterable[Item]) -> frozenset[int]:
        """Return the characters that consecutive parts may begin with."""
        found: frozenset[int] = frozenset()
        for item in items:
            found |= self._first_of_item(item)
            if not self._can_be_empty(item):
                break
        return found

    def _first_of_item(self, item: Item) -> frozenset[int]:
        operation, argument = item
        if operation in _REPEATS:
            return self._first_characters(argument[2])
        if operation is _constants.BRANCH:
            return frozenset().union(*(self._first_characters(each) for each in argument[1]))
        if operation is _constants.SUBPATTERN:
            return self._first_characters(argument[-1])
        if operation is _constants.ATOMIC_GROUP:
            return self._first_characters(argument)
        if operation is _constants.AT or operation in _ASSERTIONS:
            return frozenset()
        if operation is _constants.LITERAL:
            return self._add_other_case({argument})
        if operation is _constants.NOT_LITERAL:
            return _ALL - ({argument} - {_BEYOND})
        if operation is _constants.IN:
            return self._class_characters(argument)
        return _ALL

    def _class_characters(self, items: Sequence[Item]) -> frozenset[int]:
        found: set[int] = set()
        negated = False
        for operation, argument in items:
            if operation is _constants.NEGATE:
                negated = True
            elif operation is _constants.LITERAL:
                found.add(argument)
            elif operation is _constants.RANGE:
                found.update(range(argument[0], min(argument[1], _BEYOND) + 1))
                found.update([_BEYOND] * (argument[1] >= _BEYOND))
            else:
                found.update(_category_characters(argument))
        if not negated:
            return self._add_other_case(found)
        # The other excluded characters do not matter: some may be included.
        return (_ALL - found) | {_BEYOND}

    def _add_other_case(self, found: set[int]) -> frozenset[int]:
        near = {min(each, _BEYOND) for each in found}
        if self._ignores_case:
            near |= {
                min(ord(other), _BEYOND)
                for each in near - {_BEYOND}
                for other in (chr(each).lower()[0], chr(each).upper()[0])
            } | {_BEYOND}
        return frozenset(near)

    def _can_be_empty(self, item: Item) -> bool:
        operation, argument = item
        if operation in _REPEATS:
            return argument[0] == 0 or self._is_empty(argument[2])
        if operation is _constants.BRANCH:
            return any(self._is_empty(each) for each in argument[1])
        if operation is _constants.SUBPATTERN:
            return self._is_empty(argument[-1])
        if operation is _constants.ATOMIC_GROUP:
            return self._is_empty(argument)
        return (
            operation in (_constants.AT, _constants.GROUPREF, _constants.GROUPREF_EXISTS)
            or operation in _ASSERTIONS
        )

    def _is_empty(self, items: Iterable[Item]) -> bool:
        return all(self._can_be_empty(each) for each in items)


_CATEGORIES = {
    _constants.CATEGORY_DIGIT: r"\d",
    _constants.CATEGORY_NOT_DIGIT: r"\D",
    _constants.CATEGORY_SPACE: r"\s",
    _constants.CATEGORY_NOT_SPACE: r"\S",
    _constants.CATEGORY_WORD: r"\w",
    _constants.CATEGORY_NOT_WORD: r"\W",
}


def _category_characters(category: object) -> set[int]:
    """Return the characters of a category; those beyond Latin 1 may be in any."""
    pattern = re.compile(_CATEGORIES[category])
    return {each for each in range(_BEYOND) if pattern.match(chr(each))} | {_BEYOND}
