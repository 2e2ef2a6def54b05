"""Links that a file does not state, inferred from the order and the kinds of its records.

Four gaps are closed in memory; the file stays as it is:

- a compaction continues the messages that it keeps (`link_compactions`);
- where most messages name no parent, each follows the one before it (`follow_order`);
- a reply to a sub-agent that is not the sub-agent's own continues the main line (`link_main_line`);
- parallel tool calls recorded as siblings are one turn (`join_turns`).

All functions work on flat arrays, so the library's reader uses them without a skeleton. They change
`parents` and return what stood there before.
"""

from __future__ import annotations

from array import array
from collections.abc import Collection, Container, Mapping, Sequence
from typing import NamedTuple

from talktree.model.outline import Trait

NO_PARENT = -1
SEQUENCE = "sequence"
"""A link to the message before, in a file without links."""
RETURN = "return"
"""A link past a sub-agent's conversation to the message that started it."""
TURN = "turn"
"""A link between parallel calls of one turn."""
KEPT = "kept"
"""A link to the message that a compaction keeps, instead of one to a copy of an older one."""
INFERRED_KINDS = frozenset({SEQUENCE, RETURN, TURN, KEPT})
STEPS = 32
"""How many records are looked at for each of the file, so that no file takes more than its due."""
_SPEECH = (int(Trait.SAID), int(Trait.REPLY))


class LinkNodes(NamedTuple):
    """The records of a conversation; a trait of 0 is not a node."""

    parents: array[int]
    traits: bytes | bytearray
    sides: bytes | bytearray
    groups: Sequence[int]
    times: Sequence[int]
    forward: bool = False
    """Whether a parent may stand behind its child, so that a new link may close a loop."""


def fold_copies(parents: array[int], copies: Mapping[int, int]) -> tuple[set[int], dict[int, int]]:
    """Take copies out of a tree; what hangs on them hangs on what they are copies of.

    A program may write a message again behind newer ones, as it does with messages that it keeps in
    a compaction: what hangs on such a copy continues the newer ones. Returns what hangs on
    originals instead, and the copies that were moved, each with the message it was moved behind.
    """
    moved: dict[int, int] = {}
    for copy in sorted(copies):
        above, original = parents[copy], copies[copy]
        if above in moved:
            moved[copy] = moved[above]
        elif above not in copies and original < above < copy and above != parents[original]:
            moved[copy] = above
    for copy in copies:
        parents[copy] = NO_PARENT
    found: set[int] = set()
    for position, above in enumerate(parents):
        if above in copies:
            parents[position] = moved.get(above, copies[above])
            if above not in moved:
                found.add(position)
    return found, moved


def link_compactions(
    nodes: LinkNodes, kept: Mapping[int, int], on_copies: Container[int] = ()
) -> dict[int, int]:
    """Let compactions continue the first message they keep; returns what was linked.

    A recorder that writes old messages again hangs what it writes next on the copies, and a
    compaction on that: all that was said since would be passed by. What hangs on a copy then
    continues the message that is kept; without such a record the compaction itself does.
    """
    parents, left = nodes.parents, STEPS * len(nodes.parents)
    made: dict[int, int] = {}
    for position, first in () if nodes.forward else kept.items():
        here = parents[position]
        if here == NO_PARENT or not NO_PARENT < first < position or not nodes.traits[first]:
            continue
        moved = position
        while here > first and left > 0:
            moved = here if here in on_copies else moved
            here, left = parents[here], left - 1
        if here != first:
            made[moved] = parents[moved]
            parents[moved] = first
    return made


def is_mostly_unlinked(
    nodes: LinkNodes, excepted: Collection[int], broken: Container[int] = frozenset()
) -> bool:
    """Whether fewer than half of the messages after the first name a parent.

    The excepted ones follow a message without being its child, as after a compaction; they do not
    count. Broken links, to what is not here, have a repair of their own and count if there is
    anything before them that they can be repaired to.
    """
    traits, parents = nodes.traits, nodes.parents
    if len(traits) - traits.count(0) - len(excepted) >= 2 * parents.count(NO_PARENT) - 1:
        # Too few are without a parent, however many of the others are excepted.
        return False
    count = named = 0
    is_first = [True, True]
    for position, trait in enumerate(traits):
        if not trait:
            continue
        side = 1 if nodes.sides[position] else 0
        if position not in excepted:
            count += 1
            repaired = position in broken and not is_first[side]
            named += repaired or parents[position] != NO_PARENT
        is_first[side] = False
    return count > 1 and 2 * named < count - 1


def follow_order(
    nodes: LinkNodes, excepted: Container[int], breaks: Container[int] = ()
) -> dict[int, int]:
    """Let every message without a parent follow the one before it; returns what was linked.

    The main line passes by sub-agents; a sub-agent's message follows whatever is before it, unless
    a file of its own begins there (`breaks`).
    """
    parents, traits, sides = nodes.parents, nodes.traits, nodes.sides
    tops = array("q", parents) if nodes.forward else None
    made: dict[int, int] = {}
    last = last_main = NO_PARENT
    for position, trait in enumerate(traits):
        if not trait:
            continue
        side = sides[position]
        above = last if side else last_main
        last = position
        if not side:
            last_main = position
        if parents[position] != NO_PARENT or above == NO_PARENT or position in excepted:
            continue
        if side and position in breaks:
            continue
        if tops is not None:
            if _find_root(tops, above) == position:
                continue
            tops[position] = above
        made[position] = NO_PARENT
        parents[position] = above
    return made


def _find_root(tops: array[int], position: int) -> int:
    """The root above a node; the way there is shortened."""
    way = []
    here = position
    while tops[here] != NO_PARENT:
        way.append(here)
        here = tops[here]
    for each in way:
        tops[each] = here
    return here


def link_main_line(nodes: LinkNodes) -> dict[int, int]:
    """Let the main line continue where a sub-agent was started; returns the parents that are named.

    A message that answers a sub-agent and is not marked as the sub-agent's own continues the main
    line, unless the sub-agent goes on below it: then only its mark is missing.
    """
    parents, traits, sides = nodes.parents, nodes.traits, nodes.sides
    if 1 not in sides:
        return {}
    leaving = [
        position
        for position, above in enumerate(parents)
        if above != NO_PARENT and sides[above] and not sides[position] and traits[position]
    ]
    if not leaving:
        return {}
    inside = _find_unmarked(nodes, leaving)
    climb = _Climb(nodes, inside)
    made: dict[int, int] = {}
    for position in leaving:
        if position not in inside:
            home = climb.find_continued(position)
            if home != NO_PARENT:
                made[position] = parents[position]
                parents[position] = home
    return made


def _find_unmarked(nodes: LinkNodes, leaving: Sequence[int]) -> set[int]:
    """Messages whose mark is missing: the sub-agent itself goes on below them, and nothing else.

    A prompt to a sub-agent says nothing: it may start the next one.
    """
    below = dict.fromkeys(leaving, 0)
    for position, above in enumerate(nodes.parents):
        if above in below and nodes.traits[position]:
            if not nodes.sides[position]:
                below[above] |= 2
            elif nodes.traits[position] != Trait.SAID:
                below[above] |= 1
    return {position for position, seen in below.items() if seen == 1}


class _Climb:
    """From messages of sub-agents up to the messages that started them."""

    def __init__(self, nodes: LinkNodes, inside: Container[int]) -> None:
        self._nodes = nodes
        self._inside = inside
        self._known: dict[int, int] = {}
        self._named = array("q", nodes.parents)
        self._before: array[int] | None = None
        self._left = STEPS * len(nodes.parents)

    def find_continued(self, position: int) -> int:
        """What a message continues that hangs on a sub-agent's; -1 if nothing can be it."""
        home = self._find_starting_message(self._named[position])
        if home != NO_PARENT:
            return NO_PARENT if self._is_below(home, position) else home
        # The sub-agent hangs on nothing: then the line goes on from what was said before.
        home = self._find_main_before(position)
        while home != NO_PARENT and self._is_below(home, position):
            home = self._find_main_before(home)
        return home

    def _find_starting_message(self, side: int) -> int:
        """The message that a sub-agent hangs on; -1 if that is none."""
        known, way, here = self._known, [], side
        while here not in known and self._is_side(here) and self._named[here] != NO_PARENT:
            way.append(here)
            here = self._named[here]
        home = known.get(here, NO_PARENT if self._is_side(here) else here)
        known.update(dict.fromkeys(way, home))
        return home

    def _is_below(self, start: int, position: int) -> bool:
        """Whether the way up from a message leads to another; yes if that would take too long."""
        if not self._nodes.forward:
            return False
        parents, here = self._nodes.parents, start
        while here not in (NO_PARENT, position) and self._left > 0:
            here, self._left = parents[here], self._left - 1
        return here != NO_PARENT

    def _is_side(self, position: int) -> bool:
        return bool(self._nodes.sides[position]) or position in self._inside

    def _find_main_before(self, position: int) -> int:
        if self._before is None:
            last, before = NO_PARENT, array("q")
            for here, trait in enumerate(self._nodes.traits):
                before.append(last)
                if trait and not self._is_side(here):
                    last = here
            self._before = before
        return self._before[position]


def join_turns(nodes: LinkNodes, loose: Container[int]) -> dict[int, int]:
    """Hang pieces of one reply that are siblings one below the other; returns their parents.

    No prompt comes between the pieces of one reply. Where calls name no reply (loose groups), or
    have the same time as in a replay, no other reply may come between them either.
    """
    parents, traits, groups = nodes.parents, nodes.traits, nodes.groups
    last: dict[tuple[int, int], int] = {}
    """The last piece of a reply that hangs on a node, or was recorded there."""
    said, spoken = [NO_PARENT, NO_PARENT], [NO_PARENT, NO_PARENT]
    made: dict[int, int] = {}
    for position, trait in enumerate(traits):
        if trait not in _SPEECH:
            continue
        side = 1 if nodes.sides[position] else 0
        before, spoken[side] = spoken[side], position
        if trait == Trait.SAID:
            said[side] = position
            continue
        group, named = groups[position], parents[position]
        if not group or named == NO_PARENT:
            continue
        above = named
        while (sibling := last.get((above, group))) is not None:
            loosely = group in loose or nodes.times[sibling] == nodes.times[position]
            is_near = before == sibling if loosely else said[side] < sibling
            if nodes.sides[sibling] != nodes.sides[position] or not is_near:
                break
            made[position] = named
            # A piece that hangs there already is a sibling now.
            above = parents[position] = sibling
        last[named, group] = last[above, group] = position
    return made
