"""Writing merged trees in our own format: every message once, with all its places.

Entries are in the order of the conversations, each in its own order, so the newest message is last.
Contents are read in batches and written directly to the file.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from msgspec import Struct
from msgspec.structs import replace

from talktree.conversion.merge_conversations import PLACES, MergeConversation, Place
from talktree.conversion.merge_tree import Copy, MergedNode, TreeMerger
from talktree.formats import NATIVE, get_format
from talktree.formats.format import ConversationInfo
from talktree.formats.record_file import Item
from talktree.model.conversation import BATCH_SIZE
from talktree.model.entries import Entry, Head, Snapshot
from talktree.model.habits import ANY
from talktree.model.message import Message
from talktree.model.outline import Trait
from talktree.model.skeleton import NO_TIME, ROOT, Skeleton


class MergedLine(Struct):
    """One line of the merged file."""

    copy: Copy
    """Where its content is read."""
    copies: tuple[Copy, ...]
    node: MergedNode | None = None
    """None for an entry outside the tree."""


class MergedTree:
    """One conversation of the result."""

    def __init__(self, merging: TreeMerger, talks: Sequence[int]) -> None:
        self._merging = merging
        self._talks = talks
        first = merging.talks[talks[0]].conversation
        self.id = first.id
        self.format = first.format
        found = {merging.talks[number].skeleton.habits for number in talks}
        self.habits = found.pop() if len(found) == 1 else ANY
        """How its tree is read, if all its sources are read in the same way."""
        self.lines = list(_Lines(merging, talks))
        self._names = {line.node.name for line in self.lines if line.node is not None}
        self._skeleton = self._build_skeleton()

    # the skeleton

    def _build_skeleton(self) -> Skeleton:
        skeleton = Skeleton()
        for line in self.lines:
            if line.node is None:
                skeleton.add(Trait.NONE)
            else:
                self._add_node(skeleton, line.node)
        skeleton.finish()
        return skeleton

    def _add_node(self, skeleton: Skeleton, node: MergedNode) -> None:
        talk, at = self._merging.talks[node.best[0]], node.best[1]
        old = talk.skeleton
        time = old.times[at]
        above = None if node.parent == ROOT else self._merging.nodes[node.parent].name
        skeleton.add(
            old.traits[at],
            node.name,
            above,
            None if time == NO_TIME else time,
            old.roles[at],
            old.sidechain[at],
            talk.reply(at),
        )
        placed, at = self._merging.talks[node.placed[0]].skeleton, node.placed[1]
        if above is not None and at in placed.linked and placed.linked[at] != "cut":
            skeleton.linked[len(skeleton) - 1] = placed.linked[at]
            if at in placed.spawned:
                skeleton.spawned[len(skeleton) - 1] = placed.spawned[at]

    # the lines

    def iter_items(self) -> Iterator[Item]:
        """Yield the lines with their contents."""
        native = get_format(NATIVE)
        for position, (line, entry) in enumerate(self._iter_contents()):
            named = self._with_merged_names(line, entry, position)
            value = native.place_adopted(native.put(named, None), self._skeleton, position)
            assert isinstance(value, dict)
            places: list[Place] = []
            for number, at in line.copies:
                found = self._merging.talks[number].find_places(at)
                places += [place for place in found if place not in places]
            yield Item(None, {**value, PLACES: [*places]}, changed=True, group=self.id)

    def _iter_contents(self) -> Iterator[tuple[MergedLine, Entry]]:
        for start in range(0, len(self.lines), BATCH_SIZE):
            asked = self.lines[start : start + BATCH_SIZE]
            entries: dict[Copy, Entry] = {}
            for number in {line.copy[0] for line in asked}:
                positions = [line.copy[1] for line in asked if line.copy[0] == number]
                found = self._merging.talks[number].entries_at(positions)
                entries |= {(number, at): each for at, each in zip(positions, found, strict=True)}
            yield from ((line, entries[line.copy]) for line in asked)

    def _with_merged_names(self, line: MergedLine, entry: Entry, position: int) -> Entry:
        """Return an entry with the names of the merged tree."""
        number = line.copy[0]
        name = entry.id if line.node is None else line.node.name
        match entry:
            case Message():
                return replace(
                    entry,
                    id=name,
                    parent=self._find_new_parent(entry, position),
                    follows=self._find_new_name(number, entry.follows),
                )
            case Head():
                return replace(entry, id=name, leaf=self._find_new_name(number, entry.leaf))
            case Snapshot():
                return replace(entry, id=name, message=self._find_new_name(number, entry.message))
            case _:
                return replace(entry, id=name)

    def _find_new_parent(self, message: Message, position: int) -> str | None:
        above = self._skeleton.parents[position]
        if above != ROOT:
            return None if position in self._skeleton.linked else self._skeleton.ids[above]
        # A missing parent is still named; an impossible one is not.
        return None if message.parent in self._names else message.parent

    def _find_new_name(self, number: int, name: str | None) -> str | None:
        """Return the new name of a message of a conversation."""
        if name is None:
            return None
        position = self._merging.talks[number].skeleton.by_id.get(name)
        found = -1 if position is None else self._merging.maps[number][position]
        return name if found < 0 else self._merging.nodes[found].name


class _Lines:
    """The lines of some conversations in order, each thing once."""

    def __init__(self, merging: TreeMerger, talks: Sequence[int]) -> None:
        self._merging = merging
        self._talks = talks

    def __iter__(self) -> Iterator[MergedLine]:
        written = bytearray(len(self._merging.nodes))
        others: dict[tuple[bytes, int], MergedLine] = {}
        """Entries that are not messages, by content and how often it occurred before."""
        for number in self._talks:
            talk = self._merging.talks[number]
            counts: dict[bytes, int] = {}
            for position, found in enumerate(self._merging.maps[number]):
                if found >= 0:
                    if not written[found]:
                        written[found] = 1
                        node = self._merging.nodes[found]
                        yield MergedLine(node.best, node.copies, node)
                    continue
                line = self._make_other_line(number, position, talk, counts, others)
                if line is not None:
                    yield line

    def _make_other_line(
        self,
        number: int,
        position: int,
        talk: MergeConversation,
        counts: dict[bytes, int],
        others: dict[tuple[bytes, int], MergedLine],
    ) -> MergedLine | None:
        digest = talk.digest(position)
        if digest is None:
            return None
        before = counts.get(digest.whole, 0)
        counts[digest.whole] = before + 1
        key = (digest.whole, before)
        if key in others:
            others[key].copies += ((number, position),)
            return None
        others[key] = MergedLine((number, position), ((number, position),))
        return others[key]


def build_merged_info(tree: MergedTree, id: str) -> ConversationInfo:
    """Return the facts that the file holds about a conversation."""
    return ConversationInfo(id=id, format=tree.format, session="", habits=tree.habits)
