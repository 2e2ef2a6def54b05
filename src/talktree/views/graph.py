"""A tree drawn in columns, like `git log --graph`, from the start downwards.

This only knows the shape: which nodes are on a line, where lines fork, and how deep they are
nested. Side lines are drawn at their fork, then the main line continues. Not recursive.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple, TypeAlias

from talktree.model.tree import Tree

MAX_COLUMNS = 24
"""Maximum number of columns drawn; deeper nesting is shown as a number to keep lines short."""


class LineColumn(NamedTuple):
    """The column of a line: how many lines run to its left, and how the last ones look."""

    depth: int = 0
    drawn: str = ""

    @property
    def prefix(self) -> str:
        """Return what is printed to the left of the line's own mark."""
        hidden = self.depth - len(self.drawn) // 2
        return f"{hidden}… {self.drawn}" if hidden else self.drawn

    def inner(self, column: str) -> LineColumn:
        """Return the next column to the right."""
        return LineColumn(self.depth + 1, (self.drawn + column)[-2 * MAX_COLUMNS :])


class GraphRun(NamedTuple):
    """Nodes of one line with no fork between them."""

    column: LineColumn
    nodes: list[int]


class Fork(NamedTuple):
    """A side line begins; the line itself may continue after it."""

    column: LineColumn
    goes_on: bool


class NewStart(NamedTuple):
    """A node without a parent among those drawn before."""


class SkippedSides(NamedTuple):
    """Side lines that are not drawn."""

    column: LineColumn
    sides: int


Piece: TypeAlias = GraphRun | Fork | SkippedSides | NewStart
_Walk: TypeAlias = Iterator[Piece | tuple[int, LineColumn]]


def draw_tree(tree: Tree, *, most_sides: int | None = None) -> Iterator[Piece]:
    """Yield the drawing from top to bottom."""
    for number, root in enumerate(tree.roots):
        if number:
            yield NewStart()
        walks: list[_Walk] = [_draw_line(tree, root, LineColumn(), most_sides)]
        while walks:
            step = next(walks[-1], None)
            if step is None:
                walks.pop()
            elif isinstance(step, (GraphRun, Fork, SkippedSides, NewStart)):
                yield step
            else:
                start, column = step
                walks.append(_draw_line(tree, start, column, most_sides))


def _draw_line(tree: Tree, start: int, column: LineColumn, most_sides: int | None) -> _Walk:
    nodes: list[int] = []
    line = tree.line(start)
    here: int | None = next(line)
    while here is not None:
        following = next(line, None)
        own = tree.asides(here)
        nodes.append(here)
        sides = [each for each in tree.continuations(here) if each != following]
        sides += [each for node in (here, *own) for each in tree.sidechains(node)]
        if sides:
            yield GraphRun(column, nodes)
            nodes = []
            yield from _draw_sides(sides, column, most_sides, goes_on=following is not None)
        here = following
    if nodes:
        yield GraphRun(column, nodes)


def _draw_sides(sides: list[int], column: LineColumn, most: int | None, *, goes_on: bool) -> _Walk:
    drawn = sides if most is None or len(sides) <= most else sides[:most]
    for number, side in enumerate(drawn, 1):
        more = goes_on or number < len(sides)
        yield Fork(column, more)
        yield side, column.inner("| " if more else "  ")
    if len(drawn) < len(sides):
        yield SkippedSides(column, len(sides) - len(drawn))
