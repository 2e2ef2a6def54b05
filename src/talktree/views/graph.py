"""A tree drawn with lanes, the way `git log --graph` does, from the start downwards.

Knows only shape: which nodes stand on a line, where lines leave it, how deep they are nested.
Side lines are drawn where they leave, then the line they left goes on. Nothing recurses.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple, TypeAlias

from talktree.model.tree import Tree

LANES = 24
"""Lanes that are drawn; deeper nesting is told by a number, so that lines stay short."""


class Lane(NamedTuple):
    """Where a line is drawn: how many lanes run to its left, and what the last ones look like."""

    depth: int = 0
    drawn: str = ""

    @property
    def prefix(self) -> str:
        """What stands to the left of the line's own mark."""
        hidden = self.depth - len(self.drawn) // 2
        return f"{hidden}… {self.drawn}" if hidden else self.drawn

    def inner(self, lane: str) -> Lane:
        """One lane further to the right."""
        return Lane(self.depth + 1, (self.drawn + lane)[-2 * LANES :])


class Run(NamedTuple):
    """Nodes of one line with no fork between them."""

    lane: Lane
    nodes: list[int]


class Fork(NamedTuple):
    """A side line leaves; the line itself may go on after it."""

    lane: Lane
    goes_on: bool


class NewStart(NamedTuple):
    """What follows hangs on nothing that was drawn before."""


class Skipped(NamedTuple):
    """Side lines that are not drawn."""

    lane: Lane
    sides: int


Piece: TypeAlias = Run | Fork | Skipped | NewStart
_Walk: TypeAlias = Iterator[Piece | tuple[int, Lane]]


def pieces(tree: Tree, *, most_sides: int | None = None) -> Iterator[Piece]:
    """The drawing from top to bottom."""
    for number, root in enumerate(tree.roots):
        if number:
            yield NewStart()
        walks: list[_Walk] = [_walk(tree, root, Lane(), most_sides)]
        while walks:
            step = next(walks[-1], None)
            if step is None:
                walks.pop()
            elif isinstance(step, (Run, Fork, Skipped, NewStart)):
                yield step
            else:
                start, lane = step
                walks.append(_walk(tree, start, lane, most_sides))


def _walk(tree: Tree, start: int, lane: Lane, most_sides: int | None) -> _Walk:
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
            yield Run(lane, nodes)
            nodes = []
            yield from _sides(sides, lane, most_sides, goes_on=following is not None)
        here = following
    if nodes:
        yield Run(lane, nodes)


def _sides(sides: list[int], lane: Lane, most: int | None, *, goes_on: bool) -> _Walk:
    drawn = sides if most is None or len(sides) <= most else sides[:most]
    for number, side in enumerate(drawn, 1):
        more = goes_on or number < len(sides)
        yield Fork(lane, more)
        yield side, lane.inner("| " if more else "  ")
    if len(drawn) < len(sides):
        yield Skipped(lane, len(sides) - len(drawn))
