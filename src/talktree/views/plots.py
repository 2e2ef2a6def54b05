"""Small bars for a terminal."""

from __future__ import annotations

from collections.abc import Sequence

from talktree.views.lines import Line, line
from talktree.views.width import clip_text, count_cells

EIGHTHS = " ▏▎▍▌▋▊▉"
LABEL = 28


def draw_bar(value: float, largest: float, width: int) -> str:
    """Return a bar as long as the value's share of the maximum, in eighths of a cell."""
    if largest <= 0 or value <= 0:
        return ""
    eighths = max(1, round(value / largest * width * 8))
    whole, rest = divmod(eighths, 8)
    return "█" * whole + (EIGHTHS[rest] if rest else "")


def draw_bars(rows: Sequence[tuple[str, float, str]], *, width: int = 80) -> list[Line]:
    """Yield one bar for each row: label, value, bar, and the text after it."""
    labels = [clip_text(label, LABEL) for label, _, _ in rows]
    widest = max(map(count_cells, labels), default=0)
    words = max((count_cells(words) for _, _, words in rows), default=0)
    room = max(8, min(40, width - widest - words - 6))
    largest = max((value for _, value, _ in rows), default=0)
    return [
        line(
            f"  {label}{' ' * (widest - count_cells(label))}  ",
            (drawn := draw_bar(value, largest, room), "bar"),
            f"{' ' * (room - len(drawn))}  {words}".rstrip(),
        )
        for label, (_, value, words) in zip(labels, rows, strict=True)
    ]
