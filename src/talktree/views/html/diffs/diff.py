"""Unified and side-by-side diffs, with unchanged lines folded."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from msgspec import Struct

from talktree.views.html.diffs.matching import DiffSpan, match_lines
from talktree.views.html.diffs.words import mark_differing_words
from talktree.views.html.highlight import escape_between_tags
from talktree.views.width import format_count, split_text_lines

MOST_ROWS = 20_000
"""Maximum number of rows shown; the rest is counted."""
MOST_FOLDED = 400
"""Maximum number of unchanged lines in a fold; of longer ones only the number is shown."""
MOST_MARKED = 2000
"""Maximum number of line pairs whose words are compared."""
LONGEST = 4000
"""Maximum number of characters of a line."""
TALL = 16
"""From this many rows on, a diff may scroll and must be reachable by keyboard."""
_SPACE = re.compile(r"\s+")


class RenderedDiff(Struct, frozen=True):
    """A rendered difference and its size."""

    html: str
    added: int
    removed: int
    hunks: int


class TextComparison:
    """The lines of two texts, matched."""

    def __init__(self, old: str, new: str, *, space: bool, context: int | None) -> None:
        self.old = split_text_lines(old) if old else []
        self.new = split_text_lines(new) if new else []
        self.context = context
        keys = (
            (self.old, self.new)
            if space
            else (_strip_all_space(self.old), _strip_all_space(self.new))
        )
        self.found = match_lines(*keys)
        changed = [each for each in self.found if not each.same]
        self.hunks = len(changed)
        self.removed = sum(len(each.old) for each in changed)
        self.added = sum(len(each.new) for each in changed)

    def mark_changed_words(self) -> dict[int, tuple[str, str]]:
        """Return, for old lines that became another line, both as HTML with changed words
        marked."""
        made: dict[int, tuple[str, str]] = {}
        left = MOST_MARKED
        for each in self.found:
            if each.same or not each.old or not each.new:
                continue
            for at, there in list(zip(each.old, each.new, strict=False))[:left]:
                left -= 1
                pair = mark_differing_words(self.old[at], self.new[there])
                if pair is not None:
                    made[at] = pair
        return made

    def split_parts(self) -> Iterator[tuple[str, DiffSpan]]:
        """Return parts in order: same, change, and fold for unchanged lines far from changes."""
        last = len(self.found) - 1
        for number, each in enumerate(self.found):
            if not each.same:
                yield "change", each
                continue
            yield from self._fold_around(each, opens=number > 0, closes=number < last)

    def _fold_around(
        self, each: DiffSpan, *, opens: bool, closes: bool
    ) -> Iterator[tuple[str, DiffSpan]]:
        context = self.context
        before = context if opens and context is not None else 0
        after = context if closes and context is not None else 0
        if context is None or len(each.old) <= before + after + 1:
            yield "same", each
            return
        end = len(each.old) - after
        for kind, start, stop in (("same", 0, before), ("fold", before, end), ("same", end, None)):
            piece = DiffSpan(True, each.old[start:stop], each.new[start:stop])
            if piece.old:
                yield kind, piece


def _strip_all_space(lines: Sequence[str]) -> list[str]:
    return [_SPACE.sub("", each) for each in lines]


def diff_unified(old: str, new: str, *, space: bool = True, context: int | None = 3,
                 numbers: bool = True,
                 start: tuple[int, int] = (1, 1)) -> RenderedDiff:  # fmt: skip
    """Return a unified diff; without `space`, lines that differ only in whitespace are equal.

    `start` is the number of the first line in its file, on both sides.
    """
    compared = TextComparison(old, new, space=space, context=context)
    return _render_diff(compared, "tt-unified", UnifiedDiff(compared, numbers=numbers, start=start))


def diff_split(old: str, new: str, *, space: bool = True, context: int | None = 3) -> RenderedDiff:
    """Return a side-by-side diff."""
    compared = TextComparison(old, new, space=space, context=context)
    return _render_diff(compared, "tt-split", SideBySide(compared))


def _render_diff(
    compared: TextComparison, layout: str, view: UnifiedDiff | SideBySide
) -> RenderedDiff:
    rows: list[str] = []
    for kind, each in compared.split_parts():
        if kind == "fold":
            rows += _render_fold(view, each)
            continue
        left = MOST_ROWS - len(rows)
        most = max(len(each.old), len(each.new))
        rows += view.render_rows(DiffSpan(each.same, each.old[:left], each.new[:left]))
        if most > left:
            rows.append('<div class="tt-more">… and more; too long to show here</div>')
            break
    scrolls = ' tabindex="0"' if len(rows) > TALL else ""
    html = f'<div class="tt-diff {layout}"{scrolls}>{"".join(rows)}</div>'
    return RenderedDiff(html, compared.added, compared.removed, compared.hunks)


def _render_fold(view: UnifiedDiff | SideBySide, each: DiffSpan) -> list[str]:
    words = format_count(len(each.old), "unchanged line")
    if len(each.old) > MOST_FOLDED:
        return [f'<div class="tt-fold">{words}</div>']
    inner = "".join(view.render_rows(each))
    return [f'<details class="tt-fold"><summary>{words}</summary>{inner}</details>']


class UnifiedDiff:
    """Rows of a unified diff: removed lines, then added ones."""

    def __init__(self, compared: TextComparison, *, numbers: bool, start: tuple[int, int]) -> None:
        self._compared = compared
        self._marks = compared.mark_changed_words()
        self._came = dict(_mark_new_lines(compared, self._marks))
        self._start = start
        last = max(len(compared.old) + start[0], len(compared.new) + start[1]) - 1
        self._width = len(str(max(last, 1))) if numbers else 0

    def render_rows(self, each: DiffSpan) -> list[str]:
        """Return the rows of a part."""
        old, new = self._compared.old, self._compared.new
        if each.same:
            return [
                self._render_row("tt-same", new[b], a, b)
                for a, b in zip(each.old, each.new, strict=True)
            ]
        gone = [self._render_row("tt-del", old[at], at, -1, self._find_mark(at)) for at in each.old]
        came = [self._render_row("tt-add", new[at], -1, at, self._came.get(at)) for at in each.new]
        rows = [*gone, *came]
        rows[0] = rows[0].replace('class="', 'class="tt-hunk ', 1)
        return rows

    def _find_mark(self, at: int) -> str | None:
        return self._marks[at][0] if at in self._marks else None

    def _render_row(self, kind: str, text: str, a: int, b: int, html: str | None = None) -> str:
        shown = escape_between_tags(text[:LONGEST]) if html is None else html
        if not self._width:
            return f'<div class="{kind}"><span>{shown}</span></div>'
        width, (old, new) = self._width, self._start
        place = f"{a + old if a >= 0 else '':>{width}} {b + new if b >= 0 else '':>{width}}"
        return f'<div class="{kind}" data-line="{place}"><span>{shown}</span></div>'


def _mark_new_lines(
    compared: TextComparison, marks: dict[int, tuple[str, str]]
) -> Iterator[tuple[int, str]]:
    """Return new lines that replaced another line, as HTML."""
    for each in compared.found:
        if not each.same:
            for at, there in zip(each.old, each.new, strict=False):
                if at in marks:
                    yield there, marks[at][1]


class SideBySide:
    """Rows of a side-by-side diff: old on the left, new on the right."""

    def __init__(self, compared: TextComparison) -> None:
        self._compared = compared
        self._marks = compared.mark_changed_words()

    def render_rows(self, each: DiffSpan) -> list[str]:
        """Return the rows of a part, in pairs."""
        rows = []
        for step in range(max(len(each.old), len(each.new))):
            at = each.old[step] if step < len(each.old) else -1
            there = each.new[step] if step < len(each.new) else -1
            first = " tt-hunk" if step == 0 and not each.same else ""
            left, right = self._render_cells(at, there, same=each.same)
            rows.append(f'<div class="tt-pair{first}">{left}{right}</div>')
        return rows

    def _render_cells(self, at: int, there: int, *, same: bool) -> tuple[str, str]:
        marks = None if same else self._marks.get(at)
        kinds = ("tt-same", "tt-same") if same else ("tt-del", "tt-add")
        old, new = self._compared.old, self._compared.new
        return (
            _render_cell(kinds[0], old, at, marks[0] if marks else None),
            _render_cell(kinds[1], new, there, marks[1] if marks else None),
        )


def _render_cell(kind: str, lines: Sequence[str], at: int, html: str | None) -> str:
    if at < 0:
        return '<div class="tt-none"></div>'
    shown = escape_between_tags(lines[at][:LONGEST]) if html is None else html
    return f'<div class="{kind}" data-line="{at + 1}"><span>{shown}</span></div>'
