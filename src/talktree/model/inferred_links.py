"""Links that a file does not contain, inferred from the order and the kinds of its records.

Four gaps are closed in memory; the file is unchanged:

- a compaction continues the messages that it keeps (`link_compactions`);
- where most messages name no parent, each follows the one before it (`follow_order`);
- a reply to a sub-agent that is not the sub-agent's own continues the main line (`link_main_line`);
- parallel tool calls recorded as siblings are one turn (`join_turns`).

All functions work on flat arrays, so the library's reader uses them without a skeleton. They change
`parents` and return the previous values.
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
"""Maximum number of records visited for each record of the file, which limits the total time."""
_SPEECH = (int(Trait.SAID), int(Trait.REPLY))


class LinkNodes(NamedTuple):
    """The records of a conversation; a record with trait 0 is not a node."""

    parents: array[int]
    traits: bytes | bytearray
    sides: bytes | bytearray
    groups: Sequence[int]
    times: Sequence[int]
    forward: bool = False
    """Whether a parent may come after its child, so that a new link may close a loop."""


def fold_copies(parents: array[int], copies: Mapping[int, int]) -> tuple[set[int], dict[int, int]]:
    """Remove copies from a tree; their children become children of the originals.

    A program may write a message again after newer ones, as it does with messages that a compaction
    keeps: children of such a copy continue the newer ones. Returns the nodes that became children
    of originals, and the copies that were moved, each with the message it was moved after.
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
    """Make compactions continue the first message they keep, and return the new links.

    A recorder that writes old messages again makes the next message a child of the copy, and a
    compaction a child of that: all messages in between would be skipped. The child of a copy then
    continues the kept message; without such a record the compaction itself does.
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

    Excepted messages follow another one without being its child, as after a compaction; they do not
    count. Links to missing records have a repair of their own; they count if there is an earlier
    message to repair them to.
    """
    traits, parents = nodes.traits, nodes.parents
    if len(traits) - traits.count(0) - len(excepted) >= 2 * parents.count(NO_PARENT) - 1:
        # Too few have no parent, however many of the others are excepted.
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
    """Make every message without a parent follow the previous one, and return the new links.

    The main line skips sub-agents; a sub-agent's message follows the previous record, unless a file
    of its own begins there (`breaks`).
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
    """Return the root above a node, shortening the path to it."""
    way = []
    here = position
    while tops[here] != NO_PARENT:
        way.append(here)
        here = tops[here]
    for each in way:
        tops[each] = here
    return here


def link_main_line(nodes: LinkNodes) -> dict[int, int]:
    """Make the main line continue where a sub-agent was started, and return the named parents.

    A message that answers a sub-agent and is not marked as the sub-agent's own continues the main
    line, unless the sub-agent continues below it: then only its mark is missing.
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
    """Return messages whose mark is missing: only the sub-agent itself continues below them.

    A prompt to a sub-agent does not count: it may start the next one.
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
    """Walks from messages of sub-agents up to the messages that started them."""

    def __init__(self, nodes: LinkNodes, inside: Container[int]) -> None:
        self._nodes = nodes
        self._inside = inside
        self._known: dict[int, int] = {}
        self._named = array("q", nodes.parents)
        self._before: array[int] | None = None
        self._left = STEPS * len(nodes.parents)

    def find_continued(self, position: int) -> int:
        """Return the message that a child of a sub-agent's message continues; -1 if there is
        none."""
        home = self._find_starting_message(self._named[position])
        if home != NO_PARENT:
            return NO_PARENT if self._is_below(home, position) else home
        # The sub-agent has no parent: then the line continues from the message before it.
        home = self._find_main_before(position)
        while home != NO_PARENT and self._is_below(home, position):
            home = self._find_main_before(home)
        return home

    def _find_starting_message(self, side: int) -> int:
        """Return the message that started a sub-agent; -1 if there is none."""
        known, way, here = self._known, [], side
        while here not in known and self._is_side(here) and self._named[here] != NO_PARENT:
            way.append(here)
            here = self._named[here]
        home = known.get(here, NO_PARENT if self._is_side(here) else here)
        known.update(dict.fromkeys(way, home))
        return home

    def _is_below(self, start: int, position: int) -> bool:
        """Whether a message is an ancestor of another; true if the search would take too long."""
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
    """Chain the pieces of one reply that are siblings, and return their previous parents.

    Pieces of one reply have no prompt between them. If calls name no reply (loose groups), or have
    the same time as in a replay, no other reply may come between them either.
    """
    parents, traits, groups = nodes.parents, nodes.traits, nodes.groups
    last: dict[tuple[int, int], int] = {}
    """The last piece of a reply that is a child of a node, or was recorded as one."""
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
            # A piece that is a child already is a sibling now.
            above = parents[position] = sibling
        last[named, group] = last[above, group] = position
    return made
