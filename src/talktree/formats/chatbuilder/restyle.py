"""Headers of older forms written in the document's own form, line by line, saying the same."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from msgspec.structs import replace

from talktree.formats.chatbuilder.header import (
    BARE_ID,
    CLOSE,
    OPEN,
    Line,
    header_line,
    with_newline,
    without_newline,
)
from talktree.formats.chatbuilder.keys import PROPER, ROLE, known
from talktree.formats.chatbuilder.parse import Layout, take_apart
from talktree.formats.chatbuilder.said import Said, said

Restyle = Callable[[Layout], Layout]
LEAD = "; "


def restyled(text: str, make: Restyle) -> str:
    """A file with its header in another style; as it is if it would then say something else."""
    layout = take_apart(text)
    made = make(layout).text
    return made if _compared(take_apart(made)) == _compared(layout) else text


def _compared(layout: Layout) -> Said:
    """What a file says, whatever the spelling of its keys."""
    found = said(layout)
    return replace(found, extra={known(key): value for key, value in found.extra.items()})


def with_named_id(layout: Layout) -> Layout:
    """A line that is nothing but a UUID gets the name it lacks."""
    return layout._replace(lines=tuple(map(_named, layout.lines)))


def _named(line: Line) -> Line:
    if line.key != BARE_ID:
        return line
    return Line(LEAD, "Block-UUID", ": ", line.value, line.end)


def with_marks(layout: Layout) -> Layout:
    """Header lines without a semicolon get one."""
    inside, behind = layout.lines[: layout.comment], layout.lines[layout.comment :]
    return layout._replace(lines=(*inside, *map(_marked, behind)))


def _marked(line: Line) -> Line:
    if not line.key or line.marked:
        return line
    return line._replace(lead=LEAD)


def without_comment(layout: Layout) -> Layout:
    """An HTML comment becomes lines with a semicolon each; what has no key becomes a remark."""
    lines = [*map(_opened, layout.lines[: layout.comment]), *layout.lines[layout.comment :]]
    kept = [with_newline(line, layout.newline) for line in lines if line.text.strip("; \t\r\n")]
    if not kept:
        return layout
    kept[-1] = without_newline(kept[-1])
    # A comment ends its header by itself; header lines need the separator for that.
    apart = layout.separator if layout.split else layout.newline * 3
    return layout._replace(lines=tuple(kept), separator=apart, comment=0)


def _opened(line: Line) -> Line:
    if line.key is None:
        words = line.lead.strip().removeprefix(OPEN).removesuffix(CLOSE).strip(" \t;")
        return Line(f"{LEAD}{_remark(words)}\n") if words else Line("")
    value = line.value.removesuffix(CLOSE).rstrip()
    return Line(LEAD, line.key, ": " if value else ":", value, "\n")


def _remark(words: str) -> str:
    """Words that stay a remark behind a semicolon; a bare UUID would become the id there."""
    found = header_line(f"{LEAD}{words}")
    return words if found is None or found.key is None else f"({words})"


def with_proper_keys(layout: Layout) -> Layout:
    """Known keys are spelt as the document spells them."""
    inside, behind = layout.lines[: layout.comment], layout.lines[layout.comment :]
    return layout._replace(lines=(*inside, *map(_proper, behind)))


def _proper(line: Line) -> Line:
    if not line.key or not line.marked:
        return line
    key = PROPER.get(line.key.lower(), line.key)
    if line.name == ROLE:
        return line._replace(lead=LEAD, key=key, colon=": ")
    return line._replace(key=key)


def with_role_apart(layout: Layout) -> Layout:
    """An empty comment line stands before the role."""
    place = place_of_role(layout.lines)
    if place <= layout.comment:
        return layout
    lines = list(layout.lines)
    lines.insert(place, Line(f";{layout.newline}"))
    return layout._replace(lines=tuple(lines))


def place_of_role(lines: Sequence[Line]) -> int:
    """Where the role stands among the lines; -1 if none is named."""
    return next((at for at, line in enumerate(lines) if line.name == ROLE), -1)
