"""The links between messages: branches, sidechains, missing parents and their fixes.

A resumed session continues in another file, and a sub-agent's first line names a message of the
file that started it. Files beside a source are searched for missing ids only, and only if there are
any. Links are not followed, and a file that may hold keys is never opened.

Two messages are on one line if one is above the other without a break between them. A compaction,
or the start of a sub-agent, is a break: what follows is a request of its own. All answers come from
the skeleton, after one pass over it.

Other parts find unmarked messages on a sub-agent's line, and branches that two writers wrote at the
same time, so that their messages are interleaved in the file.

Records are removed or inserted without breaking the line: the children of a removed record get
another parent. Several records may be removed together, so the final parent is determined when all
of them are known.
"""

from __future__ import annotations

import os
import stat
from array import array
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from itertools import islice, pairwise
from pathlib import Path

from msgspec.structs import replace

from talktree.errors import TalktreeError
from talktree.files import Content, MemoryContent, OnDisk, Source
from talktree.formats import all_formats
from talktree.formats.engine import skim_records
from talktree.formats.engine.write_item import resolve_aliases
from talktree.formats.fixes import Change, DropRecord, ReplaceValue
from talktree.formats.format import Format, Probe
from talktree.formats.rule import Diagnostic
from talktree.formats.rule_context import CheckedConversation, RuleRecord
from talktree.model.conversation import Conversation
from talktree.model.link_repair import infer_parents
from talktree.model.message import SIDECHAIN, Message
from talktree.model.outline import Trait
from talktree.model.skeleton import ROOT, Skeleton
from talktree.model.tree import Tree
from talktree.text.json.value import Json

MOST_FILES = 2000
MOST_BYTES = 2 << 30
"""Maximum number of bytes that are searched; for more, name the folder as the source."""
MOST_SOUGHT = 16
"""Maximum number of ids that are searched for in the bytes before any record is read."""


class SiblingFiles:
    """The files around one file."""

    def __init__(self, path: Path, format: Format) -> None:
        self._path = path
        self._format = format
        self._left = MOST_BYTES

    def find_files_with(self, ids: Collection[str]) -> Mapping[str, str]:
        """Return the files that have messages with these ids, by id."""
        wanted, found = set(ids), dict[str, str]()
        for name, content in self._iter_contents() if wanted else ():
            try:
                here = self._ids_in(name, content, wanted)
            except (TalktreeError, OSError):
                # An unreadable file here must not fail the check of another file.
                continue
            found |= dict.fromkeys(here, name)
            wanted -= here
            if not wanted:
                break
        return found

    def _iter_contents(self) -> Iterator[tuple[str, Content]]:
        count = 0
        around = self._path.parent
        for folder in self._format.find_related_folders(around.resolve().name):
            for path in _list_regular_files(around / folder, self._path.suffix):
                if path.name == self._path.name and folder == ".":
                    continue
                try:
                    content = OnDisk(path)
                except TalktreeError:
                    continue
                count += 1
                self._left -= content.size
                if count > MOST_FILES or self._left < 0:
                    return
                yield path.name, content

    def _ids_in(self, name: str, content: Content, wanted: Collection[str]) -> set[str]:
        if len(wanted) <= MOST_SOUGHT and not _mentions(content, wanted):
            return set()
        source = Source(name, {name: content}, folder=False)
        if self._format.detect(Probe(source)) is None:
            return set()
        lines = skim_records(source, self._format)
        return {line.id for line in lines if line.id in wanted and line.trait}  # type: ignore[misc]


def find_siblings(source: Source, format: Format) -> SiblingFiles | None:
    """Return the files around a source that is one file on disk, or None for other sources."""
    return None if source.place is None else SiblingFiles(source.place, format)


def _list_regular_files(folder: Path, suffix: str) -> list[Path]:
    """Return the files of a folder with a suffix, without links and files that may hold keys."""
    try:
        with os.scandir(folder) as entries:
            names = [
                each.name
                for each in entries
                if stat.S_ISREG(each.stat(follow_symlinks=False).st_mode)
            ]
    except OSError:
        return []
    # Only names are checked: no file is opened here.
    stubs = Source(folder.resolve().name, dict.fromkeys(names, MemoryContent(b"")), folder=True)
    secret = {name for format in all_formats() for name in format.find_withheld_files(stubs)}
    return [
        folder / name
        for name in sorted(names)
        if name.endswith(suffix) and not name.startswith(".") and name not in secret
    ]


def _mentions(content: Content, ids: Collection[str]) -> bool:
    """Whether any of the ids is in the bytes; escaped ids are not found, and need not be."""
    sought = [id.encode("utf-8", "surrogatepass") for id in ids]
    longest = max(map(len, sought))
    before = b""
    for block in content.blocks():
        joined = before + block
        if any(each in joined for each in sought):
            return True
        before = joined[-longest:]
    return False


NOTE, ATTACHED_TO = "lines", "hung-on"


class ConversationLines:
    """The lines of a conversation."""

    def __init__(self, talk: CheckedConversation) -> None:
        self._tree = talk.conversation.tree
        skeleton = self._skeleton = talk.skeleton
        parents = skeleton.parents
        self._enter = array("q", [ROOT]) * len(skeleton)
        self._batch = array("q", range(len(skeleton)))
        for number, here in enumerate(self._tree.order):
            self._enter[here] = number
            if parents[here] != ROOT and not skeleton.is_restart(here):
                self._batch[here] = self._batch[parents[here]]
        self._leave = self._enter[:]
        for here in reversed(self._tree.order):
            above = parents[here]
            if above != ROOT and self._leave[here] > self._leave[above]:
                self._leave[above] = self._leave[here]
        self._followed: bytearray | None = None

    def find_order(self, position: int) -> int:
        """Return a number that orders ancestors before descendants."""
        return self._enter[position]

    def is_above(self, high: int, low: int) -> bool:
        """Whether one message is another, or an ancestor of it on the same line."""
        if high == low:
            return True
        inside = self._enter[high] <= self._enter[low] <= self._leave[high]
        return inside and self._batch[high] == self._batch[low]

    def find_start(self, position: int) -> int:
        """Return where the line of a message starts."""
        return self._batch[position]

    def is_aside(self, position: int) -> bool:
        """Whether a message belongs to the line of its parent without continuing it."""
        return bool(self._tree.aside[position])

    def children(self, position: int) -> list[int]:
        """Return the children of a message."""
        return self._tree.children(position)

    def is_continued(self, position: int) -> bool:
        """Whether there is a new message below a message, on its side and line."""
        if self._followed is None:
            self._followed = _find_continued(self._skeleton, self._tree.order)
        return bool(self._followed[position])


def _find_continued(skeleton: Skeleton, order: array[int]) -> bytearray:
    parents, traits, groups, side = (
        skeleton.parents,
        skeleton.traits,
        skeleton.group_numbers,
        skeleton.sidechain,
    )
    # The last reply on the way to a node; one more place for the root, at -1.
    lead = array("i", bytes(4 * (len(skeleton) + 1)))
    speaks = bytearray(len(skeleton))
    for here in order:
        before, group, trait = lead[parents[here]], groups[here], traits[here]
        speaks[here] = trait == Trait.SAID or (
            trait == Trait.REPLY and (not group or group != before)
        )
        lead[here] = group if trait == Trait.REPLY else before
    followed = bytearray(len(skeleton))
    for here in reversed(order):
        above = parents[here]
        if above == ROOT or skeleton.is_restart(here) or side[here] != side[above]:
            continue
        if speaks[here] or followed[here]:
            followed[above] = 1
    return followed


def is_continued(talk: CheckedConversation, position: int) -> bool:
    """Whether there is a new message below a message, on its side and line."""
    # Most often it is the last one, without children. Sub-agents are attached only in a tree.
    if not any(talk.skeleton.sidechain) and position not in _positions_with_children(talk):
        return False
    return lines_of(talk).is_continued(position)


def _positions_with_children(talk: CheckedConversation) -> set[int]:
    """Return the positions that have children."""
    found: set[int] | None = talk.notes.get(ATTACHED_TO)
    if found is None:
        found = talk.notes[ATTACHED_TO] = set(talk.skeleton.parents)
    return found


def lines_of(talk: CheckedConversation) -> ConversationLines:
    """Return the lines of a conversation; computed once."""
    found: ConversationLines | None = talk.notes.get(NOTE)
    if found is None:
        found = talk.notes[NOTE] = ConversationLines(talk)
    return found


def find_unmarked_sidechains(talk: CheckedConversation) -> Iterator[tuple[int, bool]]:
    """Yield unmarked messages on a sidechain, and whether that is certain."""
    skeleton, agents = talk.skeleton, talk.facts.agents
    sides, traits = skeleton.sidechain, skeleton.traits
    if SIDECHAIN not in talk.format.can.flags or not any(sides):
        return
    above_all = list(map(skeleton.find_named_parent, range(len(skeleton))))
    below = {
        position
        for position, above in enumerate(above_all)
        if above >= 0 and sides[above] and not sides[position] and traits[position]
    }
    held = _find_unmarked(talk, above_all) if talk.format.only_replies_leave else set[int]()
    within = _find_surrounded(talk, below) if below else below
    for position in sorted(below | held):
        above = above_all[position]
        sure = position in within or (agents[position] and agents[position] == agents[above])
        if position in held:
            # The result of a sub-agent's call belongs to it; a user's message may not.
            if _is_unmarked(talk, position):
                yield position, bool(sure) or traits[position] == Trait.RESULT
            continue
        # The last message of a sub-agent may have been passed on to its parent; its prompt may not.
        answers = (
            not talk.format.checks_sides
            and traits[position] == Trait.REPLY
            and traits[above] in (Trait.SAID, Trait.RESULT)
        )
        if (sure or answers) and _is_unmarked(talk, position):
            yield position, bool(sure)


def _find_unmarked(talk: CheckedConversation, above_all: Sequence[int]) -> set[int]:
    """Return unmarked children of a sidechain that are not the reply that leaves it."""
    skeleton = talk.skeleton
    held = set[int]()
    for position, above in enumerate(above_all):
        if above < 0 or skeleton.sidechain[position]:
            continue
        if skeleton.traits[position] in (0, Trait.REPLY):
            continue
        if skeleton.sidechain[above] or above in held:
            held.add(position)
    return held


def _find_surrounded(talk: CheckedConversation, below: set[int]) -> set[int]:
    """Return those of some messages that have replies, all of which are marked."""
    skeleton = talk.skeleton
    within, without = set[int](), set[int]()
    for position, above in enumerate(skeleton.parents):
        if above in below and skeleton.traits[position]:
            (within if skeleton.sidechain[position] else without).add(above)
    return within - without


def _is_unmarked(talk: CheckedConversation, position: int) -> bool:
    """Whether the mark is missing in the record itself, not only in its outline."""
    entry = talk.read_record(position).entry
    return isinstance(entry, Message) and SIDECHAIN not in entry.flags


def mark_as_sidechain(talk: CheckedConversation, diagnostic: Diagnostic) -> Iterator[Change]:
    """Mark the message as a sub-agent's."""
    yield ReplaceValue(talk, diagnostic.position, _with_sidechain_mark)


def _with_sidechain_mark(seen: RuleRecord) -> Json:
    entry = seen.entry
    assert isinstance(entry, Message)
    return seen.replace_entry(replace(entry, flags=entry.flags | {SIDECHAIN}))


MOST = 1000
"""Maximum number of messages of a line that are examined."""
MOST_PAIRS = 1000
"""Maximum number of pairs of branches that are examined."""
TURNS = 3
"""Number of alternations from which two branches count as written by two programs."""


def find_interleaved(conversation: Conversation) -> Iterator[tuple[int, int]]:
    """Yield the start of the later of two such branches, and the message both start from."""
    skeleton = conversation.skeleton
    if not _has_fork(skeleton) or not _has_crossing(skeleton):
        return
    tree = conversation.tree if skeleton.joined else Tree(skeleton)
    overlapping = (
        (fork, first, second)
        for fork in tree.forks()
        for first, second in pairwise(sorted(tree.continuations(fork)))
        if tree.last_below(first) > second
    )
    for fork, first, second in islice(overlapping, MOST_PAIRS):
        if _is_mixed(tree, first, second):
            yield second, fork


def _has_fork(skeleton: Skeleton) -> bool:
    """Whether two user messages have the same parent anywhere; nearly always not."""
    said = bytes([Trait.SAID])
    traits, parents = skeleton.traits, skeleton.parents
    at, seen = traits.find(said), set[int]()
    while at >= 0:
        if parents[at] in seen:
            return True
        if parents[at] >= 0:
            seen.add(parents[at])
        at = traits.find(said, at + 1)
    return False


def _has_crossing(skeleton: Skeleton) -> bool:
    """Whether a link crosses a fork.

    A message's parent is then before the start of a later branch, but after the fork that this
    branch leaves. Branches that are written one after the other have no such links.
    """
    open_forks: list[tuple[int, int]] = []
    for here, above in enumerate(skeleton.parents):
        if above == here - 1 or above < 0:
            continue
        if above > here:
            return True
        while open_forks and open_forks[-1][0] >= above:
            open_forks.pop()
        if open_forks and above < open_forks[-1][1]:
            return True
        open_forks.append((above, here))
    return False


def _is_mixed(tree: Tree, first: int, second: int) -> bool:
    skeleton = tree.skeleton
    order: list[tuple[int, int]] = []
    for number, start in enumerate((first, second)):
        line = [
            (here, number)
            for here in islice(tree.line(start), MOST)
            if skeleton.traits[here] in (Trait.SAID, Trait.REPLY)
        ]
        if not any(skeleton.traits[here] == Trait.SAID for here, _ in line):
            return False
        order += line
    order.sort()
    turns = sum(one[1] != other[1] for one, other in pairwise(order))
    return turns >= TURNS


LINKS = "links"
RENAMED = "renamed"


def links_of(talk: CheckedConversation) -> Mapping[int, int]:
    """Return the inferred links of a conversation; computed once, see `model.find_splices`."""
    found: dict[int, int] | None = talk.notes.get(LINKS)
    if found is None:
        sessions, agents = talk.facts.sessions, talk.facts.agents
        found = infer_parents(talk.conversation, lambda at: (sessions[at], agents[at]))
        talk.notes[LINKS] = found
    return found


def find_new_ids(talk: CheckedConversation) -> dict[int, str]:
    """Return the entries that get another id in this round of repair."""
    names: dict[int, str] = talk.notes.setdefault(RENAMED, {})
    return names


def find_final_id(talk: CheckedConversation, position: int) -> str | None:
    """Return the id of an entry in its file after this round of repair."""
    if position == ROOT:
        return None
    return find_new_ids(talk).get(position) or talk.skeleton.own_id(position) or None


def link_to(
    talk: CheckedConversation, position: int, above: int, *, follows: bool = False
) -> Change:
    """Set the parent of an entry; -1 means none."""
    return ReplaceValue(talk, position, _make_linker(above, follows=follows))


def _make_linker(above: int, *, follows: bool) -> Callable[[RuleRecord], Json]:
    # Its name is resolved when all changes are known: the other entry may get a new one.
    def _make(seen: RuleRecord) -> Json:
        talk = seen.talk
        entry = resolve_aliases(talk.conversation, seen.entry)
        return talk.format.relink(entry, seen.record, find_final_id(talk, above), follows=follows)

    return _make


def can_be_named(talk: CheckedConversation, above: int, position: int) -> bool:
    """Whether an entry's parent would be this one if the entry named it.

    A duplicate id means the nearest entry before.
    """
    skeleton = talk.skeleton
    id = skeleton.own_id(above)
    if not id:
        return False
    others = [at for at, native in skeleton.native.items() if native == id]
    if not others:
        return True
    before = [at for at in (*others, skeleton.by_id.get(id, above)) if at < position]
    return max(before, default=above) == above


def link_as_inferred(talk: CheckedConversation, diagnostic: Diagnostic) -> Iterator[Change]:
    """The fix of all rules about links."""
    yield link_to(talk, diagnostic.position, links_of(talk).get(diagnostic.position, ROOT))


RELINKED_NOTE = "taken-out"


def is_linked(talk: CheckedConversation) -> bool:
    """Whether messages name their parents, so that a link can break."""
    return talk.origin.links(talk.conversation) == "own"


def remove_record(talk: CheckedConversation, position: int, instead: int) -> Iterator[Change]:
    """Remove a record and give its children another parent."""
    gone: dict[int, int] = talk.notes.setdefault(RELINKED_NOTE, {})
    gone[position] = instead
    yield DropRecord(talk, position)
    if is_linked(talk):
        for child in lines_of(talk).children(position):
            if child not in talk.skeleton.linked:
                yield ReplaceValue(talk, child, lambda seen: _link_to_grandparent(seen, position))


def _link_to_grandparent(seen: RuleRecord, gone_parent: int) -> Json:
    talk = seen.talk
    gone: dict[int, int] = talk.notes[RELINKED_NOTE]
    above, steps = gone_parent, 0
    while above != ROOT and (above in gone or find_final_id(talk, above) is None):
        above = gone.get(above, talk.skeleton.parents[above])
        steps += 1
        if steps > len(talk.skeleton):
            above = ROOT
    return link_to_parent(seen, find_final_id(talk, above))


def link_to_parent(seen: RuleRecord, parent: str | None) -> Json:
    """Return a record's value with another parent."""
    talk = seen.talk
    entry = resolve_aliases(talk.conversation, seen.entry)
    return talk.format.relink(entry, seen.record, parent)
