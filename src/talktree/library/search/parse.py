"""Parsing queries.

The grammar is in `docs/design/library.md`. The parser is a loop with a stack; its errors have a
position and a reason. Its result is never deeper than `DEEPEST`, so that callers may recurse.

Times in queries are a day, a month, a year, or an age.

An error shows what is wrong, a caret below the place, and a hint.

Single terms of a query are texts and fields.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from datetime import datetime, timedelta
from typing import NamedTuple

from talktree.errors import UsageError
from talktree.library.fulltext.tokenizer import normalize_letters, split_words_with_gaps
from talktree.library.search.query import (
    AllOf,
    AnyOf,
    Field,
    HasState,
    Negation,
    Phrase,
    Prefix,
    Query,
    SessionIs,
    Substring,
    TimeWindow,
)
from talktree.text.escape import escape_line

_DATE = re.compile(r"(\d{4})(?:-(\d\d?)(?:-(\d\d?))?)?", re.ASCII)
_AGO = re.compile(r"(\d{1,5})([hdwmy])", re.ASCII)


def parse_moment(text: str, now: datetime | None = None) -> int | None:
    """Return the second at which a time begins, by the clock of `now`; None if it is not a time."""
    now = now or datetime.now().astimezone()
    try:
        found = _parse_datetime(text.lower(), now)
        return None if found is None else int(found.timestamp())
    except (ValueError, OverflowError, OSError):
        return None


def _parse_datetime(text: str, now: datetime) -> datetime | None:
    if text in {"today", "yesterday"}:
        return _start_of_day(now - timedelta(days=text == "yesterday"))
    date = _DATE.fullmatch(text)
    if date:
        year, month, day = (int(part or 1) for part in date.groups())
        return _to_local_time(datetime(year, month, day), now)
    ago = _AGO.fullmatch(text)
    if ago is None:
        return None
    count, unit = int(ago[1]), ago[2]
    if unit in "my":
        return _subtract_months(now, count * (12 if unit == "y" else 1))
    return now - timedelta(hours=count * {"h": 1, "d": 24, "w": 168}[unit])


def _start_of_day(time: datetime) -> datetime:
    return _to_local_time(datetime(time.year, time.month, time.day), time)


def _to_local_time(time: datetime, now: datetime) -> datetime:
    """Return that time in the machine's time zone, or in the zone of `now`."""
    if now.utcoffset() == now.astimezone().utcoffset():
        return time.astimezone()  # the offset of that day, not of this one
    return time.replace(tzinfo=now.tzinfo)


def _subtract_months(now: datetime, months: int) -> datetime:
    """Return the same day of an earlier month, or its last day."""
    year, month = divmod(now.year * 12 + now.month - 1 - months, 12)
    following = datetime(year + month // 11, (month + 1) % 12 + 1, 1)
    last = (following - timedelta(days=1)).day
    return now.replace(year=year, month=month + 1, day=min(now.day, last))


_SHOWN = 60
"""How many characters of a long query are shown before and after the place."""


class BadQuery(UsageError):
    """A query that cannot be parsed; `position` is where, in characters."""

    kind = "bad-query"

    def __init__(self, why: str, query: str, position: int, hint: str) -> None:
        super().__init__(f"{why}\n{format_with_caret(query, position)}", hint=hint)
        self.why = why
        self.query = query
        self.position = position


def format_with_caret(query: str, position: int) -> str:
    """Return the query on one line, and a caret below the place on the next."""
    before, behind = query[:position], query[position:]
    if len(before) > _SHOWN:
        before = "…" + before[-_SHOWN:]
    if len(behind) > _SHOWN:
        behind = behind[:_SHOWN] + "…"
    before, behind = escape_line(before), escape_line(behind)
    return f"  {before}{behind}\n  {' ' * _display_width(before)}^"


def find_nearest_name(name: str, known: Iterable[str]) -> str | None:
    """Return the known name that is most similar to a misspelt one."""
    import difflib  # loaded only for misspelt names

    found = difflib.get_close_matches(name.lower(), list(known), 1, 0.5)
    return found[0] if found else None


def _display_width(text: str) -> int:
    """Return how many columns a terminal needs for it."""
    import unicodedata

    return sum(
        2 if unicodedata.east_asian_width(char) in "WF" else not unicodedata.combining(char)
        for char in text
    )


LABEL_FIELDS = ("tag", "author", "sentiment", "topic", "language", "safe")
"""What formats record about messages (`model/measures.py: SEARCHED`)."""
WORD_FIELDS = (
    *("role", "kind", "tool", "model", "project", "branch", "format", "file"),
    *LABEL_FIELDS,
)
TRUTHS = {"true": "true", "yes": "true", "false": "false", "no": "false"}
FIELDS = (*WORD_FIELDS, "before", "after", "is", "session", "has")
STATES = ("error", "sidechain", "abandoned", "compacted", "deleted")
_ALL_FIELDS = "the fields are " + ", ".join(f"{name}:" for name in FIELDS)


def parse_text(query: str, at: int, value: str) -> Query:
    """Return the query for a text without quotes."""
    inner = value.strip("*")
    if "*" not in value:
        return Phrase(_split_value(query, at, value))
    if not inner:
        raise BadQuery("there is nothing but stars", query, at, "write word* or *part*")
    if "*" in inner:
        place = at + value.index(inner) + inner.index("*")
        raise BadQuery(
            "a star can only be at the ends", query, place, "write word* or *part*, or two words"
        )
    if value.startswith("*") and value.endswith("*"):
        return _parse_substring(query, at, inner)
    if value.startswith("*"):
        raise BadQuery(
            "a star at the beginning needs one at the end", query, at, f"write *{inner}*"
        )
    return Prefix(_parse_prefix(query, at, inner))


def parse_quoted_text(query: str, at: int, value: str) -> Query:
    """Return the query for a quoted text."""
    return Phrase(_split_value(query, at, value))


def parse_field(
    query: str, at: int, value_at: int, name: str, value: str, now: datetime | None
) -> Query:
    """Return the query for a field."""
    lower = name.lower()
    if lower not in FIELDS:
        likely = find_nearest_name(lower, FIELDS)
        raise BadQuery(
            f"there is no field {name}:",
            query,
            at,
            f'did you mean {likely}: ? To look for the text, put it in quotes: "{name}:…"'
            if likely
            else f'{_ALL_FIELDS}; to look for the text, put it in quotes: "{name}:…"',
        )
    if not value:
        raise BadQuery(f"{lower}: has no value", query, value_at, _format_example(lower))
    if lower == "format":
        from talktree.formats import resolve_alias  # few queries name a format

        value = resolve_alias(value)
    if lower == "safe":
        value = _parse_truth(query, value_at, value)
    if lower in WORD_FIELDS:
        return Field(lower, _split_value(query, value_at, value))
    if lower == "has":
        return _parse_substring(query, value_at, value)
    if lower == "session":
        return SessionIs(value)
    if lower == "is":
        return _parse_state(query, value_at, value)
    return _parse_time(query, value_at, lower, value, now)


def is_positive(query: Query) -> bool:
    """Whether a query selects something, rather than only excluding."""
    if isinstance(query, Negation):
        return False
    if isinstance(query, AllOf | AnyOf):
        return any(is_positive(part) for part in query.parts)
    return True


def _split_value(query: str, at: int, value: str) -> tuple[str, ...]:
    found = split_words_with_gaps(value)
    if not found:
        raise BadQuery(
            "there is no letter and no digit to look for",
            query,
            at,
            f"signs: has:{_quote_value(value)}",
        )
    return tuple(found)


def _parse_prefix(query: str, at: int, value: str) -> tuple[str, ...]:
    """Return the words of `foo.ba*`; the last must reach to the star."""
    found = _split_value(query, at, value)
    if (
        len(split_words_with_gaps(value + "x")) > len(found)
        and split_words_with_gaps(value + "x")[-1] == "x"
        and not _ends_with_single_word(value)
    ):
        raise BadQuery(
            "there is no letter before the star",
            query,
            at + len(value),
            f"without the star, or has:{_quote_value(value)}",
        )
    return found


def _ends_with_single_word(value: str) -> bool:
    """Whether it ends with a character that is a word alone."""
    return bool(split_words_with_gaps(value[-1:]))


def _parse_substring(query: str, at: int, value: str) -> Query:
    found = normalize_letters(value)
    if not found or found.isspace():
        raise BadQuery("there is nothing to look for", query, at, 'write has:"some text"')
    return Substring(found)


def _parse_state(query: str, at: int, value: str) -> Query:
    if value.lower() in STATES:
        return HasState(value.lower())
    likely = find_nearest_name(value, STATES)
    raise BadQuery(
        f"nothing is known as is:{value}",
        query,
        at,
        f"did you mean is:{likely} ?"
        if likely
        else "write " + ", ".join(f"is:{x}" for x in STATES),
    )


def _parse_truth(query: str, at: int, value: str) -> str:
    found = TRUTHS.get(value.lower())
    if found is None:
        raise BadQuery(f"“{value}” is neither true nor false", query, at, _format_example("safe"))
    return found


def _parse_time(query: str, at: int, name: str, value: str, now: datetime | None) -> Query:

    found = parse_moment(value, now)
    if found is None:
        raise BadQuery(f"“{value}” is no time", query, at, _format_example(name))
    return TimeWindow(found, None) if name == "after" else TimeWindow(None, found)


def _format_example(name: str) -> str:
    if name in {"before", "after"}:
        return f"write {name}:2026-01-31, {name}:2026-01, {name}:2026, {name}:today or {name}:7d"
    return {
        "has": 'write has:"some text"',
        "is": "write " + ", ".join(f"is:{state}" for state in STATES),
        "session": "write session: and the id or its beginning",
        "file": "write file:name.py",
        "role": "write role:user or role:assistant",
        "safe": "write safe:true or safe:false",
    }.get(name, f"write {name}:word")


def _quote_value(value: str) -> str:
    escaped = value.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'


LONGEST = 10_000
"""Maximum characters of a query."""
DEEPEST = 50
"""Maximum depth of nested parentheses."""
_BLANK = re.compile(r"\s*")
_NAME = re.compile(r"([A-Za-z_]+):(?![:/\\])")
_OPERATORS = ("AND", "OR", "NOT")


def parse(query: str, now: datetime | None = None) -> Query:
    """Parse a query; `now` is the reference time of `7d`."""
    if len(query) > LONGEST:
        raise BadQuery(
            f"the query is longer than {LONGEST:,} characters",
            query,
            LONGEST,
            "look for a few words of it",
        )
    return _Reader(query, now).read()


class _ClauseGroup:
    """A group that is being parsed: its clauses, the last of them perhaps with alternatives."""

    def __init__(self, start: int, *, negated: bool) -> None:
        self.start = start
        self.negated = negated
        self.all: list[list[Query]] = []
        self.operator: tuple[str, int] | None = None

    def add_clause(self, part: Query) -> None:
        """Add a clause with the operator that was read before it."""
        if self.operator and self.operator[0] == "OR":
            self.all[-1].append(part)
        else:
            self.all.append([part])
        self.operator = None

    def combine(self) -> Query:
        """Return the query of the group."""
        parts = [either[0] if len(either) == 1 else AnyOf(tuple(either)) for either in self.all]
        return parts[0] if len(parts) == 1 else AllOf(tuple(parts))


class _Clause(NamedTuple):
    """A clause and where it ends."""

    query: Query
    end: int


class _Reader:
    def __init__(self, query: str, now: datetime | None) -> None:
        self.query = query
        self.now = now
        self.at = 0
        self.open = [_ClauseGroup(0, negated=False)]

    def read(self) -> Query:
        """Parse the whole query."""
        self._skip_blanks()
        while self.at < len(self.query):
            if self.query[self.at] == ")":
                self._close_group()
            elif not self._read_operator():
                self._read_clause()
            self._skip_blanks()
        if len(self.open) > 1:
            raise self._bad_query(
                "this parenthesis is never closed", self.open[-1].start, "add a )"
            )
        group = self.open[0]
        if not group.all and not group.operator:
            raise self._bad_query("the query is empty", 0, "write the words to look for")
        self._complete_group(group)
        whole = group.combine()
        if not is_positive(whole):
            raise self._bad_query(
                "the query only says what not to find", 0, "add a word or a field to look for"
            )
        return whole

    def _skip_blanks(self) -> None:
        found = _BLANK.match(self.query, self.at)
        self.at = found.end() if found else self.at

    def _bad_query(self, why: str, position: int, hint: str) -> BadQuery:
        return BadQuery(why, self.query, position, hint)

    def _read_operator(self) -> bool:
        """Read `AND` and `OR`, which are between two clauses."""
        name = next((name for name in _OPERATORS if self._is_word(name)), None)
        if name is None or name == "NOT":
            return False
        group = self.open[-1]
        if group.operator or not group.all:
            raise self._bad_query(
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

    def _close_group(self) -> None:
        if len(self.open) == 1:
            raise self._bad_query("there is no ( for this )", self.at, "take it out, or add a (")
        group = self.open.pop()
        if not group.all and not group.operator:
            raise self._bad_query(
                "there is nothing in these parentheses", group.start, "take them out"
            )
        self._complete_group(group)
        self.at += 1
        self.open[-1].add_clause(Negation(group.combine()) if group.negated else group.combine())

    def _complete_group(self, group: _ClauseGroup) -> None:
        if group.operator:
            name, position = group.operator
            raise self._bad_query(
                f"there is nothing behind {name}",
                position,
                f'add what to look for; to look for the word, write "{name}"',
            )

    def _read_clause(self) -> None:
        start = self.at
        negated = self._read_negation()
        if self.query.startswith("(", self.at):
            self._open_group(negated=negated)
            return
        if (
            self.at == len(self.query)
            or self.query[self.at] == ")"
            or self.query[self.at].isspace()
        ):
            raise self._bad_query(
                "there is nothing to leave out here", start, "add it right behind"
            )
        found = self._read_one()
        self.at = found.end
        self.open[-1].add_clause(Negation(found.query) if negated else found.query)

    def _open_group(self, *, negated: bool) -> None:
        if len(self.open) > DEEPEST:
            raise self._bad_query(
                f"more than {DEEPEST} parentheses are open here", self.at, "write it with fewer"
            )
        self.open.append(_ClauseGroup(self.at, negated=negated))
        self.at += 1

    def _read_negation(self) -> bool:
        """Read `-` and `NOT`; signs alone, and options like `--all`, are text."""
        if self._is_word("NOT"):
            self.at += 3
            self._skip_blanks()
            return True
        if not self.query.startswith("-", self.at) or self.query.startswith("--", self.at):
            return False
        signs, end = self._read_bare(self.at)
        if (
            len(signs) > 1
            and not self.query.startswith('"', end)
            and not split_words_with_gaps(signs)
        ):
            return False
        self.at += 1
        return True

    def _read_one(self) -> _Clause:
        name = _NAME.match(self.query, self.at)
        start = name.end() if name else self.at
        quoted = self.query.startswith('"', start)
        value, end = self._read_quoted(start) if quoted else self._read_bare(start)
        if name:
            query = parse_field(self.query, name.start(), start, name[1], value, self.now)
        elif quoted:
            query = parse_quoted_text(self.query, start, value)
        else:
            query = parse_text(self.query, start, value)
        return _Clause(query, end)

    def _read_quoted(self, start: int) -> tuple[str, int]:
        """Read the text between quotes; a backslash escapes a quote or a backslash."""
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
        raise self._bad_query(
            "this quote is never closed", start, 'add a "; for a quote in the text write \\"'
        )

    def _read_bare(self, start: int) -> tuple[str, int]:
        """Read up to a blank or a quote, or a parenthesis that was not opened in the same text."""
        depth = 0
        for at in range(start, len(self.query)):
            char = self.query[at]
            if char.isspace() or char == '"' or (char == ")" and not depth):
                return self.query[start:at], at
            depth += (char == "(") - (char == ")")
        return self.query[start:], len(self.query)
