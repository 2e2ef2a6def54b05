"""Reading single terms of a query: texts and fields."""

from __future__ import annotations

from typing import TYPE_CHECKING

from talktree.library.fulltext.tokenizer import letters, row
from talktree.library.search.bad_query import BadQuery, nearest
from talktree.library.search.query import (
    All,
    Any,
    Field,
    Is,
    Not,
    Part,
    Prefix,
    Query,
    Row,
    Session,
    Time,
)

if TYPE_CHECKING:
    from datetime import datetime

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


def text(query: str, at: int, value: str) -> Query:
    """What a text without quotes looks for."""
    inner = value.strip("*")
    if "*" not in value:
        return Row(_words(query, at, value))
    if not inner:
        raise BadQuery("there is nothing but stars", query, at, "write word* or *part*")
    if "*" in inner:
        place = at + value.index(inner) + inner.index("*")
        raise BadQuery(
            "a star can only be at the ends", query, place, "write word* or *part*, or two words"
        )
    if value.startswith("*") and value.endswith("*"):
        return _part(query, at, inner)
    if value.startswith("*"):
        raise BadQuery(
            "a star at the beginning needs one at the end", query, at, f"write *{inner}*"
        )
    return Prefix(_beginning(query, at, inner))


def quoted_text(query: str, at: int, value: str) -> Query:
    """What a text in quotes looks for."""
    return Row(_words(query, at, value))


def field(query: str, at: int, value_at: int, name: str, value: str, now: datetime | None) -> Query:
    """What a field looks for."""
    lower = name.lower()
    if lower not in FIELDS:
        likely = nearest(lower, FIELDS)
        raise BadQuery(
            f"there is no field {name}:",
            query,
            at,
            f'did you mean {likely}: ? To look for the text, put it in quotes: "{name}:…"'
            if likely
            else f'{_ALL_FIELDS}; to look for the text, put it in quotes: "{name}:…"',
        )
    if not value:
        raise BadQuery(f"{lower}: has no value", query, value_at, _example(lower))
    if lower == "format":
        from talktree.formats import resolve_alias  # few queries name a format

        value = resolve_alias(value)
    if lower == "safe":
        value = _truth(query, value_at, value)
    if lower in WORD_FIELDS:
        return Field(lower, _words(query, value_at, value))
    if lower == "has":
        return _part(query, value_at, value)
    if lower == "session":
        return Session(value)
    if lower == "is":
        return _state(query, value_at, value)
    return _time(query, value_at, lower, value, now)


def is_positive(query: Query) -> bool:
    """Whether something is looked for, and not only left out."""
    if isinstance(query, Not):
        return False
    if isinstance(query, All | Any):
        return any(is_positive(part) for part in query.parts)
    return True


def _words(query: str, at: int, value: str) -> tuple[str, ...]:
    found = row(value)
    if not found:
        raise BadQuery(
            "there is no letter and no digit to look for", query, at, f"signs: has:{_quoted(value)}"
        )
    return tuple(found)


def _beginning(query: str, at: int, value: str) -> tuple[str, ...]:
    """The words of `foo.ba*`; the last must reach to the star."""
    found = _words(query, at, value)
    if len(row(value + "x")) > len(found) and row(value + "x")[-1] == "x" and not _alone(value):
        raise BadQuery(
            "there is no letter before the star",
            query,
            at + len(value),
            f"without the star, or has:{_quoted(value)}",
        )
    return found


def _alone(value: str) -> bool:
    """Whether it ends with a character that is a word by itself."""
    return bool(row(value[-1:]))


def _part(query: str, at: int, value: str) -> Query:
    found = letters(value)
    if not found or found.isspace():
        raise BadQuery("there is nothing to look for", query, at, 'write has:"some text"')
    return Part(found)


def _state(query: str, at: int, value: str) -> Query:
    if value.lower() in STATES:
        return Is(value.lower())
    likely = nearest(value, STATES)
    raise BadQuery(
        f"nothing is known as is:{value}",
        query,
        at,
        f"did you mean is:{likely} ?"
        if likely
        else "write " + ", ".join(f"is:{x}" for x in STATES),
    )


def _truth(query: str, at: int, value: str) -> str:
    found = TRUTHS.get(value.lower())
    if found is None:
        raise BadQuery(f"“{value}” is neither true nor false", query, at, _example("safe"))
    return found


def _time(query: str, at: int, name: str, value: str, now: datetime | None) -> Query:
    from talktree.library.search.moments import moment

    found = moment(value, now)
    if found is None:
        raise BadQuery(f"“{value}” is no time", query, at, _example(name))
    return Time(found, None) if name == "after" else Time(None, found)


def _example(name: str) -> str:
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


def _quoted(value: str) -> str:
    escaped = value.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'
