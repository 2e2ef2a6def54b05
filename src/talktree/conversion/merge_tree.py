"""Merging trees: which messages are the same, and where messages of only one file belong.

Messages are the same if they have the same id and content, or the same content at the same time
below the same message. The same id with different content is a conflict: both stay.
"""

from __future__ import annotations

from array import array

from msgspec import Struct

from talktree.conversion.merge_conversations import MergeConversation
from talktree.model.findings import Finding, make_finding
from talktree.model.skeleton import NO_TIME, ROOT

Copy = tuple[int, int]
"""A conversation and a position in it."""
LONG = 16
"""Ids of at least this length are not equal by chance."""


class MergedNode(Struct):
    """One message of the merged tree."""

    said: bytes
    whole: bytes
    weight: int
    best: Copy
    """The most complete copy."""
    placed: Copy
    """The copy that knows its parent."""
    parent: int
    own_id: str | None
    alias: str
    """Its name if it has no id of its own."""
    role: str
    timed: bool
    copies: tuple[Copy, ...]
    """Every copy, in the order of the conversations."""
    differs: bool = False
    """Whether its copies differ in more than their place."""
    clash: bool = False
    """Whether another message has the same id."""
    name: str = ""


class TreeMerger:
    """Merges conversations into one tree, one after the other."""

    def __init__(self, talks: list[MergeConversation]) -> None:
        self.talks = talks
        self.nodes: list[MergedNode] = []
        self.maps: list[array[int]]
        """For each conversation, the node of each position; -1 for entries that are not
        messages."""
        self._by_id: dict[str, list[int]] = {}
        self._below: dict[tuple[int, bytes], list[int]] = {}
        """Nodes by parent and content."""
        self._groups = list(range(len(talks)))
        self.maps = [array("q", [-1]) * len(talk.skeleton) for talk in talks]
        # Conversations that name parents in other files come after those files.
        for number in sorted(range(len(talks)), key=lambda number: bool(talks[number].missing)):
            for position in talks[number].conversation.tree.order:
                self._add_message(number, talks[number], position)
        self._find_missing_parents()
        self._unite_equals()
        self._name_nodes()

    # one message

    def _add_message(self, number: int, talk: MergeConversation, position: int) -> None:
        above = talk.skeleton.parents[position]
        if above != ROOT:
            parent = self.maps[number][above]
        else:
            parent = self._resolve_name(talk.missing.get(position), number)
        found = self._find_same(number, talk, position, parent)
        if found is None:
            found = self._add_node(number, talk, position, parent)
        else:
            self._join_copy(found, number, talk, position, parent)
        self.maps[number][position] = found

    def _find_same(
        self, number: int, talk: MergeConversation, position: int, parent: int
    ) -> int | None:
        """Return the node that a message is a copy of."""
        ids = talk.ids(position)
        for each in (node for id in ids for node in self._by_id.get(id, ())):
            if self._is_copy_of(each, number, talk, position) and self._is_possible_parent(
                each, parent
            ):
                return each
        digest = talk.digest(position)
        assert digest is not None
        for each in self._below.get((parent, digest.said), ()):
            if not self._is_copy_of(each, number, talk, position):
                continue
            if self.nodes[each].timed or self._is_sure(self.nodes[each], talk, named=bool(ids)):
                return each
        return None

    def _is_sure(self, node: MergedNode, talk: MergeConversation, *, named: bool) -> bool:
        """Whether a message without a time is the same, given only its content and place."""
        if named and node.own_id is not None:
            # Two ids: the same text may have been written twice.
            return False
        # Messages that one source distinguishes stay distinct.
        return all(self.talks[number].document != talk.document for number, _ in node.copies)

    def _is_copy_of(self, node: int, number: int, talk: MergeConversation, position: int) -> bool:
        known, digest = self.nodes[node], talk.digest(position)
        assert digest is not None
        role = talk.skeleton.roles[position]
        same_role = known.role == role or "unknown" in (known.role, role)
        return known.copies[-1][0] != number and known.said == digest.said and same_role

    def _is_possible_parent(self, node: int, parent: int) -> bool:
        """Whether a copy below a node may be the same; one without a place may be anywhere."""
        return parent == ROOT or self.nodes[node].parent in (ROOT, parent)

    def _add_node(self, number: int, talk: MergeConversation, position: int, parent: int) -> int:
        digest, ids = talk.digest(position), talk.ids(position)
        assert digest is not None
        node = MergedNode(
            *digest,
            best=(number, position),
            placed=(number, position),
            parent=parent,
            own_id=ids[0] if ids else None,
            alias=talk.skeleton.ids[position],
            role=talk.skeleton.roles[position],
            timed=talk.skeleton.times[position] != NO_TIME,
            copies=((number, position),),
        )
        found = len(self.nodes)
        self.nodes.append(node)
        self._below.setdefault((parent, digest.said), []).append(found)
        self._learn_ids(found, ids)
        self._unite_with_node(number, parent)
        return found

    def _join_copy(
        self, found: int, number: int, talk: MergeConversation, position: int, parent: int
    ) -> None:
        """Add a copy of a message."""
        node, digest, ids = self.nodes[found], talk.digest(position), talk.ids(position)
        assert digest is not None
        self._link_groups(number, node.best[0])
        node.copies += ((number, position),)
        node.differs = node.differs or node.whole != digest.whole
        if digest.weight > node.weight:
            node.best, node.weight, node.whole = (number, position), digest.weight, digest.whole
            node.role = talk.skeleton.roles[position]
        node.own_id = node.own_id or (ids[0] if ids else None)
        self._learn_ids(found, ids)
        if node.parent == ROOT and parent != ROOT and not self._is_below(parent, found):
            node.parent, node.placed = parent, (number, position)
            self._below.setdefault((parent, node.said), []).append(found)

    def _learn_ids(self, found: int, ids: tuple[str, ...]) -> None:
        for id in ids:
            known = self._by_id.setdefault(id, [])
            if found not in known:
                known.append(found)

    def _is_below(self, node: int, above: int) -> bool:
        while node not in (ROOT, above):
            node = self.nodes[node].parent
        return node == above

    # which conversations belong together

    def _unite_with_node(self, number: int, node: int) -> None:
        if node != ROOT:
            self._link_groups(number, self.nodes[node].best[0])

    def _link_groups(self, one: int, two: int) -> None:
        one, two = self.find_group(one), self.find_group(two)
        self._groups[max(one, two)] = min(one, two)

    def find_group(self, talk: int) -> int:
        """Return the first of the conversations that share history with this one."""
        while self._groups[talk] != talk:
            self._groups[talk] = self._groups[self._groups[talk]]
            talk = self._groups[talk]
        return talk

    # afterwards

    def _find_missing_parents(self) -> None:
        """Attach messages whose parent was in another file."""
        for number, talk in enumerate(self.talks):
            for position, name in talk.missing.items():
                found = self.maps[number][position]
                above = self._resolve_name(name, number)
                node = self.nodes[found]
                if above != ROOT and node.parent == ROOT and not self._is_below(above, found):
                    node.parent, node.placed = above, (number, position)
                    self._unite_with_node(number, above)

    def _unite_equals(self) -> None:
        """Group conversations that are equal, or were one, even if they share no message."""
        known: dict[object, int] = {}
        for number, talk in enumerate(self.talks):
            for key in (talk.rank, talk.part_of or talk.rank):
                self._link_groups(number, known.setdefault(key, number))

    def _resolve_name(self, name: str | None, number: int) -> int:
        """Return the node that a message means by a name that is not in its own file."""
        if name is None:
            return ROOT
        for each in self._by_id.get(name, ()):
            related = self.find_group(self.nodes[each].best[0]) == self.find_group(number)
            if related or len(name) >= LONG:
                return each
        return ROOT

    def _name_nodes(self) -> None:
        """Give every node a unique name in its tree: its id, or an alias."""
        taken: set[tuple[int, str]] = set()
        for node in sorted(self.nodes, key=lambda node: node.own_id is None):
            group = self.find_group(node.best[0])
            number, wanted = 2, node.own_id or node.alias
            node.clash = node.own_id is not None and (group, wanted) in taken
            node.name = wanted
            while (group, node.name) in taken:
                node.name = f"{wanted}#{number}"
                number += 1
            taken.add((group, node.name))

    def report_node(self, node: MergedNode) -> list[Finding]:
        """Return the findings about merging a message."""
        names = dict.fromkeys(self.talks[number].name for number, _ in node.copies)
        where = ", ".join(names)[:80]
        if node.clash:
            what = f"{where}: another message has the id {(node.own_id or '')[:60]}; both are kept"
            return [make_finding("conflict", what, entry=node.name)]
        if node.differs:
            what = f"{where}: its copies differ in more than their place; the fullest is kept"
            return [make_finding("copies", what, entry=node.name)]
        return []
