"""JSON values as HTML: a small table if they are simple, else highlighted text."""

from __future__ import annotations

from collections.abc import Mapping

from talktree.text.json.encode import PRETTY, encode_json
from talktree.text.json.value import Json, Token
from talktree.views.html.escaped import escape
from talktree.views.html.highlight import render_code

MOST_ROWS = 24
LONGEST_CELL = 2000
MOST_INLINE = 16
"""Maximum number of items in a list of short words on one line."""


def render_json(value: Json, limit: int | None = None) -> str:
    """Return a value as highlighted JSON, cut at a limit."""
    text = encode_json(value, PRETTY).decode()
    return render_code(text if limit is None else text[:limit], "json")


def render_facts(value: object, limit: int | None = None) -> str:
    """Return a value as a table of names and values if they are simple, else as JSON."""
    if value is None or value == {} or value == []:
        return ""
    if not isinstance(value, Mapping) or len(value) > MOST_ROWS:
        return render_json(value, limit)  # type: ignore[arg-type]
    rows = "".join(_render_row(str(name), each, limit) for name, each in value.items())
    return f'<dl class="tt-facts">{rows}</dl>'


def _render_row(name: str, value: object, limit: int | None) -> str:
    return f"<dt>{escape(name[:200])}</dt><dd>{_render_cell(value, limit)}</dd>"


def _render_cell(value: object, limit: int | None) -> str:
    match value:
        case str():
            most = LONGEST_CELL if limit is None else min(limit, LONGEST_CELL)
            more = f" … (+{len(value) - most:,})" if len(value) > most else ""
            return escape(value[:most] + more)
        case None | bool() | int() | float():
            return f"<code>{escape(encode_json(value).decode())}</code>"
        case list() if len(value) <= MOST_INLINE and all(_is_simple(each) for each in value):
            return ", ".join(f"<code>{escape(str(each))}</code>" for each in value)
        case Token():
            return f"<code>{escape(value.text[:LONGEST_CELL])}</code>"
        case _:
            return render_json(value, limit)  # type: ignore[arg-type]


def _is_simple(value: object) -> bool:
    short = isinstance(value, str) and len(value) <= 40 and "\n" not in value
    return short or (isinstance(value, int) and not isinstance(value, bool))
