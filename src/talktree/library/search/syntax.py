"""Reading queries as people write them.

The grammar is in `docs/design/library.md`. The reader is a loop with a stack; it says where and why
it cannot go on. What it gives is never deeper than `DEEPEST`, so that others may follow it down.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

from talktree.library.fulltext.tokenizer import row
from talktree.library.search.bad_query import BadQuery
from talktree.library.search.query import All, Any, Not, Query
from talktree.library.search.terms import field, is_positive, quoted_text, text

if TYPE_CHECKING:
    from datetime import datetime

LONGEST = 10_000
"""The most characters a query may have."""
DEEPEST = 50
"""The most parentheses that may be open at once."""
_BLANK = re.compile(r"\s*")
_NAME = re.compile(r"([A-Za-z_]+):(?![:/\\])")
_OPERATORS = ("AND", "OR", "NOT")


def parse(query: str, now: datetime | None = None) -> Query:
    """What a query says; `now` is what `7d` counts from."""
    if len(query) > LONGEST:
        raise BadQuery(
            f"the query is longer than {LONGEST:,} characters",
            query,
            LONGEST,
            "look for a few words of it",
        )
    return _Reader(query, now).read()


class _Group:
    """A group that is being read: what must hold, the last of it perhaps with alternatives."""

    def __init__(self, start: int, *, negated: bool) -> None:
        self.start = start
        self.negated = negated
        self.all: list[list[Query]] = []
        self.operator: tuple[str, int] | None = None

    def take(self, part: Query) -> None:
        """One more clause, behind whatever operator was read."""
        if self.operator and self.operator[0] == "OR":
            self.all[-1].append(part)
        else:
            self.all.append([part])
        self.operator = None

    def whole(self) -> Query:
        """What the group says."""
        parts = [either[0] if len(either) == 1 else Any(tuple(either)) for either in self.all]
        return parts[0] if len(parts) == 1 else All(tuple(parts))


class _Clause(NamedTuple):
    """One thing to look for and where it ends."""

    query: Query
    end: int


class _Reader:
    def __init__(self, query: str, now: datetime | None) -> None:
        self.query = query
        self.now = now
        self.at = 0
        self.open = [_Group(0, negated=False)]

    def read(self) -> Query:
        """What the whole query says."""
        self._blank()
        while self.at < len(self.query):
            if self.query[self.at] == ")":
                self._close()
            elif not self._operator():
                self._clause()
            self._blank()
        if len(self.open) > 1:
            raise self._bad("this parenthesis is never closed", self.open[-1].start, "add a )")
        group = self.open[0]
        if not group.all and not group.operator:
            raise self._bad("the query is empty", 0, "write the words to look for")
        self._complete(group)
        whole = group.whole()
        if not is_positive(whole):
            raise self._bad(
                "the query only says what not to find", 0, "add a word or a field to look for"
            )
        return whole

    def _blank(self) -> None:
        found = _BLANK.match(self.query, self.at)
        self.at = found.end() if found else self.at

    def _bad(self, why: str, position: int, hint: str) -> BadQuery:
        return BadQuery(why, self.query, position, hint)

    def _operator(self) -> bool:
        """Take `AND` and `OR`, which stand between two things to look for."""
        name = next((name for name in _OPERATORS if self._is_word(name)), None)
        if name is None or name == "NOT":
            return False
        group = self.open[-1]
        if group.operator or not group.all:
            raise self._bad(
                f"there is nothing before {name}", self.at, f'to look for the word, write "{name}"'
            )
        group.operator = (name, self.at)
        self.at += len(name)
        return True

    def _is_word(self, name: str) -> bool:
        end = self.at + len(name)
        return self.query.startswith(name, self.at) and (
            end == len(self.query) or self.query[end].isspace() or self.query[end] in "()"
        )

    def _close(self) -> None:
        if len(self.open) == 1:
            raise self._bad("there is no ( for this )", self.at, "take it out, or add a (")
        group = self.open.pop()
        if not group.all and not group.operator:
            raise self._bad("there is nothing in these parentheses", group.start, "take them out")
        self._complete(group)
        self.at += 1
        self.open[-1].take(Not(group.whole()) if group.negated else group.whole())

    def _complete(self, group: _Group) -> None:
        if group.operator:
            name, position = group.operator
            raise self._bad(
                f"there is nothing behind {name}",
                position,
                f'add what to look for; to look for the word, write "{name}"',
            )

    def _clause(self) -> None:
        start = self.at
        negated = self._negation()
        if self.query.startswith("(", self.at):
            self._open(negated=negated)
            return
        if (
            self.at == len(self.query)
            or self.query[self.at] == ")"
            or self.query[self.at].isspace()
        ):
            raise self._bad("there is nothing to leave out here", start, "add it right behind")
        found = self._one()
        self.at = found.end
        self.open[-1].take(Not(found.query) if negated else found.query)

    def _open(self, *, negated: bool) -> None:
        if len(self.open) > DEEPEST:
            raise self._bad(
                f"more than {DEEPEST} parentheses are open here", self.at, "write it with fewer"
            )
        self.open.append(_Group(self.at, negated=negated))
        self.at += 1

    def _negation(self) -> bool:
        """Take `-` and `NOT`; what are only signs, and options like `--all`, is text."""
        if self._is_word("NOT"):
            self.at += 3
            self._blank()
            return True
        if not self.query.startswith("-", self.at) or self.query.startswith("--", self.at):
            return False
        signs, end = self._bare(self.at)
        if len(signs) > 1 and not self.query.startswith('"', end) and not row(signs):
            return False
        self.at += 1
        return True

    def _one(self) -> _Clause:
        name = _NAME.match(self.query, self.at)
        start = name.end() if name else self.at
        quoted = self.query.startswith('"', start)
        value, end = self._quoted(start) if quoted else self._bare(start)
        if name:
            query = field(self.query, name.start(), start, name[1], value, self.now)
        elif quoted:
            query = quoted_text(self.query, start, value)
        else:
            query = text(self.query, start, value)
        return _Clause(query, end)

    def _quoted(self, start: int) -> tuple[str, int]:
        """What is between quotes; a backslash makes a quote or a backslash part of it."""
        value: list[str] = []
        at = start + 1
        while at < len(self.query):
            char = self.query[at]
            if char == '"':
                return "".join(value), at + 1
            if char == "\\" and self.query[at + 1 : at + 2] in ('"', "\\"):
                at += 1
                char = self.query[at]
            value.append(char)
            at += 1
        raise self._bad(
            "this quote is never closed", start, 'add a "; for a quote in the text write \\"'
        )

    def _bare(self, start: int) -> tuple[str, int]:
        """Up to a blank or a quote, or a parenthesis that was not opened in the same text."""
        depth = 0
        for at in range(start, len(self.query)):
            char = self.query[at]
            if char.isspace() or char == '"' or (char == ")" and not depth):
                return self.query[start:at], at
            depth += (char == "(") - (char == ")")
        return self.query[start:], len(self.query)
