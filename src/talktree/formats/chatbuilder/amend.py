"""An old message file made to say something else, with as few bytes changed as possible."""

from __future__ import annotations

from collections.abc import Iterator

from talktree.formats.chatbuilder import lens_authors as author_line
from talktree.formats.chatbuilder.fences import Habit, escape, habit_of
from talktree.formats.chatbuilder.header import (
    BARE_ID,
    Line,
    is_uuid,
    with_newline,
    without_newline,
)
from talktree.formats.chatbuilder.keys import AUTHORS, CREATED, ROLE, UUID, known
from talktree.formats.chatbuilder.parse import Layout, take_apart
from talktree.formats.chatbuilder.said import Said, fresh, new_line, said
from talktree.text.times import to_iso


def amended(layout: Layout, wanted: Said) -> str:
    """The file that says what is wanted; the smallest change that reads back so is taken."""
    before = said(layout)
    if before == wanted:
        return layout.text
    text = ""
    for text in _attempts(layout, before, wanted):
        if said(take_apart(text)) == wanted:
            return text
    return text


def _attempts(layout: Layout, before: Said, wanted: Said) -> Iterator[str]:
    """Ever larger changes; the last one holds whatever the format can hold at all."""
    lines = _Lines(layout)
    for name, key, value in _changes(before, wanted):
        lines.set(name, key, value)
    triple = layout.newline * 3
    separator = layout.separator if layout.body else triple
    body = layout.body
    if wanted.text != before.text:
        default: Habit = "first" if layout.lines else "raw"
        body = escape(wanted.text, habit_of(layout.body, default=default))
    header = tuple(lines.lines)
    prefix = layout.prefix
    if header:
        yield Layout(prefix, header, separator or triple, body).text
        yield Layout(prefix, header, triple, body).text
    else:
        yield Layout(prefix, (), "", body).text
        # A text that would be taken for a header needs one of its own before it.
        yield Layout(prefix, (Line(";"),), triple, body).text
    yield fresh(wanted)._replace(body=body).text


def _changes(before: Said, wanted: Said) -> Iterator[tuple[str, str, str | None]]:
    """Name, key and new value of each field that differs; None takes it out."""
    for key in before.extra:
        if key not in wanted.extra:
            yield known(key), key, None
    if before.id != wanted.id:
        yield UUID, "Block-UUID", wanted.id or None
    for key, value in wanted.extra.items():
        if before.extra.get(key) != value:
            yield known(key), key, value
    if before.time != wanted.time:
        yield CREATED, "Created-at", None if wanted.time is None else to_iso(wanted.time)
    if before.authors != wanted.authors:
        yield AUTHORS, "Authors", author_line.write(wanted.authors) or None
    if before.role != wanted.role:
        yield ROLE, "role", wanted.role


class _Lines:
    """Header lines being edited."""

    def __init__(self, layout: Layout) -> None:
        self.lines = list(layout.lines)
        self.comment = layout.comment
        self.newline = layout.newline

    def set(self, name: str, key: str, value: str | None) -> None:
        """Give a key another value, add it, or take all its lines out."""
        places = [at for at, line in enumerate(self.lines) if line.name == name]
        if value is None:
            for at in reversed(places):
                self._remove(at)
        elif places:
            self.lines[places[0]] = _with_value(self.lines[places[0]], key, value)
        else:
            self._insert(self._place(name), key, value)

    def _place(self, name: str) -> int:
        """Behind the last key; the role stays last."""
        among = self.lines[: self.comment or None]
        places = [
            at
            for at, line in enumerate(among)
            if line.key is not None and (name == ROLE or line.name != ROLE)
        ]
        at = places[-1] + 1 if places else 0
        # Half a sentence goes with the line above it.
        while at and not self.comment and at < len(among) and _goes_on(among[at]):
            at += 1
        return at

    def _insert(self, at: int, key: str, value: str) -> None:
        inside = at < self.comment
        line = new_line(key, value, lead="" if inside else "; ")
        if at and not self.lines[at - 1].text.endswith("\n"):
            self.lines[at - 1] = with_newline(self.lines[at - 1], self.newline)
        elif self.lines:
            line = with_newline(line, self.newline)
        self.lines.insert(at, line)
        self.comment += inside

    def _remove(self, at: int) -> None:
        line = self.lines.pop(at)
        if at and not line.text.endswith("\n"):
            self.lines[at - 1] = without_newline(self.lines[at - 1])
        self.comment -= at < self.comment


def _goes_on(line: Line) -> bool:
    return line.key is None and not line.marked and bool(line.text.strip())


def _with_value(line: Line, key: str, value: str) -> Line:
    if line.key == BARE_ID:
        if is_uuid(value):
            return line._replace(value=value)
        return new_line(key, value, end=line.end)
    spelling = line.key if line.name in (UUID, CREATED, AUTHORS, ROLE) else key
    colon = line.colon if line.colon[-1:] in " \t" or not value else f"{line.colon} "
    return line._replace(key=spelling, colon=colon, value=value)
