"""The merged trees as a file of our own format: every message once, with all its places.

Entries come in the order of the talks, each talk's own in theirs, so that what was said last stands
last. Contents are read a stretch at a time and go straight into the file.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from msgspec import Struct
from msgspec.structs import replace

from talktree.conversion.merge_conversations import PLACES, Place, Talk
from talktree.conversion.merge_tree import Copy, Merging, Node
from talktree.formats import NATIVE, by_slug
from talktree.formats.format import About
from talktree.formats.record_file import Item
from talktree.model.conversation import STRETCH
from talktree.model.entries import Entry, Head, Snapshot
from talktree.model.habits import ANY
from talktree.model.message import Message
from talktree.model.outline import Trait
from talktree.model.skeleton import NO_TIME, ROOT, Skeleton


class Line(Struct):
    """One line of the file to be."""

    copy: Copy
    """Where its content is read."""
    copies: tuple[Copy, ...]
    node: Node | None = None
    """None for what is no part of the tree."""


class MergedTree:
    """One conversation of the result."""

    def __init__(self, merging: Merging, talks: Sequence[int]) -> None:
        self._merging = merging
        self._talks = talks
        first = merging.talks[talks[0]].conversation
        self.id = first.id
        self.format = first.format
        found = {merging.talks[number].bones.habits for number in talks}
        self.habits = found.pop() if len(found) == 1 else ANY
        """How its tree is read, where all that it is made of are read in one way."""
        self.lines = list(_Lines(merging, talks))
        self._names = {line.node.name for line in self.lines if line.node is not None}
        self._bones = self._skeleton()

    # the skeleton

    def _skeleton(self) -> Skeleton:
        bones = Skeleton()
        for line in self.lines:
            if line.node is None:
                bones.add(Trait.NONE)
            else:
                self._add(bones, line.node)
        bones.finish()
        return bones

    def _add(self, bones: Skeleton, node: Node) -> None:
        talk, at = self._merging.talks[node.best[0]], node.best[1]
        old = talk.bones
        time = old.times[at]
        above = None if node.parent == ROOT else self._merging.nodes[node.parent].name
        bones.add(
            old.traits[at],
            node.name,
            above,
            None if time == NO_TIME else time,
            old.roles[at],
            old.sidechain[at],
            talk.reply(at),
        )
        placed, at = self._merging.talks[node.placed[0]].bones, node.placed[1]
        if above is not None and at in placed.linked and placed.linked[at] != "cut":
            bones.linked[len(bones) - 1] = placed.linked[at]
            if at in placed.spawned:
                bones.spawned[len(bones) - 1] = placed.spawned[at]

    # the lines

    def items(self) -> Iterator[Item]:
        """The lines with their contents."""
        native = by_slug(NATIVE)
        for position, (line, entry) in enumerate(self._contents()):
            named = self._named(line, entry, position)
            value = native.adopted(native.put(named, None), self._bones, position)
            assert isinstance(value, dict)
            places: list[Place] = []
            for number, at in line.copies:
                found = self._merging.talks[number].places(at)
                places += [place for place in found if place not in places]
            yield Item(None, {**value, PLACES: [*places]}, changed=True, group=self.id)

    def _contents(self) -> Iterator[tuple[Line, Entry]]:
        for start in range(0, len(self.lines), STRETCH):
            asked = self.lines[start : start + STRETCH]
            entries: dict[Copy, Entry] = {}
            for number in {line.copy[0] for line in asked}:
                positions = [line.copy[1] for line in asked if line.copy[0] == number]
                found = self._merging.talks[number].entries_at(positions)
                entries |= {(number, at): each for at, each in zip(positions, found, strict=True)}
            yield from ((line, entries[line.copy]) for line in asked)

    def _named(self, line: Line, entry: Entry, position: int) -> Entry:
        """An entry under the names of the merged tree."""
        number = line.copy[0]
        name = entry.id if line.node is None else line.node.name
        match entry:
            case Message():
                return replace(
                    entry,
                    id=name,
                    parent=self._parent(entry, position),
                    follows=self._name(number, entry.follows),
                )
            case Head():
                return replace(entry, id=name, leaf=self._name(number, entry.leaf))
            case Snapshot():
                return replace(entry, id=name, message=self._name(number, entry.message))
            case _:
                return replace(entry, id=name)

    def _parent(self, message: Message, position: int) -> str | None:
        above = self._bones.parents[position]
        if above != ROOT:
            return None if position in self._bones.linked else self._bones.ids[above]
        # A parent that is nowhere goes on being named; one that cannot be true does not.
        return None if message.parent in self._names else message.parent

    def _name(self, number: int, name: str | None) -> str | None:
        """What a message of a talk is called now."""
        if name is None:
            return None
        position = self._merging.talks[number].bones.by_id.get(name)
        found = -1 if position is None else self._merging.maps[number][position]
        return name if found < 0 else self._merging.nodes[found].name


class _Lines:
    """The lines of some talks in order, each thing once."""

    def __init__(self, merging: Merging, talks: Sequence[int]) -> None:
        self._merging = merging
        self._talks = talks

    def __iter__(self) -> Iterator[Line]:
        written = bytearray(len(self._merging.nodes))
        others: dict[tuple[bytes, int], Line] = {}
        """What is no message, by what it says and how often that was said before it."""
        for number in self._talks:
            talk = self._merging.talks[number]
            counts: dict[bytes, int] = {}
            for position, found in enumerate(self._merging.maps[number]):
                if found >= 0:
                    if not written[found]:
                        written[found] = 1
                        node = self._merging.nodes[found]
                        yield Line(node.best, node.copies, node)
                    continue
                line = self._other(number, position, talk, counts, others)
                if line is not None:
                    yield line

    def _other(
        self,
        number: int,
        position: int,
        talk: Talk,
        counts: dict[bytes, int],
        others: dict[tuple[bytes, int], Line],
    ) -> Line | None:
        digest = talk.digest(position)
        if digest is None:
            return None
        before = counts.get(digest.whole, 0)
        counts[digest.whole] = before + 1
        key = (digest.whole, before)
        if key in others:
            others[key].copies += ((number, position),)
            return None
        others[key] = Line((number, position), ((number, position),))
        return others[key]


def about_merged(tree: MergedTree, id: str) -> About:
    """What the file says of a conversation."""
    return About(id=id, format=tree.format, session="", habits=tree.habits)
