"""Printed lines as values: spans of text with a style name, before any colour.

Views make these; `terminal` turns them into text. Spans never contain a newline.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TypeAlias

Span: TypeAlias = tuple[str, str]
"""Text and the name of its style, which may be empty."""
Line: TypeAlias = tuple[Span, ...]
EMPTY: Line = ()


def line(*spans: Span | str) -> Line:
    """Return a line of spans; plain text has no style."""
    return tuple((span, "") if isinstance(span, str) else span for span in spans)


def indent_lines(lines: Iterable[Line], by: str = "  ") -> Iterable[Line]:
    """Yield the lines, indented."""
    return (((by, ""), *each) if each else each for each in lines)


def style_lines(lines: Iterable[str], style: str = "") -> list[Line]:
    """Yield each text as a line of one style."""
    return [((text, style),) if text else EMPTY for text in lines]
