"""A native file: lines of entries, in sections that begin with lines of their own.

The lines that name the version and the conversations are not entries. They are between records like
blank lines, so they are never lost and never change. The outline of a plain line comes from a
partial decode.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Collection, Iterator, Sequence
from itertools import chain
from typing import NamedTuple

import msgspec
from msgspec import UNSET, Raw, Struct, UnsetType

from talktree.files import Content
from talktree.files.splice import Splice
from talktree.formats.evidence import Clue
from talktree.formats.format import Record
from talktree.formats.jsonl_file import NO_NODE, CopiedSpan, LineDialect, LineSheet
from talktree.formats.native.lens import TREE, get
from talktree.formats.native.lens_entries import ENTRIES
from talktree.formats.native.lens_fields import JOINT, unescape_surrogates
from talktree.formats.record_file import ByteRepair, Item, Sink, select_first_of_kind
from talktree.model.habits import ANY, WriterHabits
from talktree.model.message import META, SIDECHAIN, Message, Usage
from talktree.model.outline import (
    CALLS,
    LineOutline,
    Listing,
    Trait,
    find_listing,
    make_call_group,
    outline_line,
)
from talktree.text.json.decode import inspect
from talktree.text.json.repair import repair_values
from talktree.text.json.value import Json

TRAITS = {trait.name.lower(): trait for trait in Trait}
LISTINGS = {listing.name.lower(): int(listing) for listing in Listing}
RULES = ("latest", "replays", "walk")
"""Habits that a conversation line names; links that follow from others are in the lines of entries.
"""


class NativeMark(LineOutline, gc=False):
    """A line that is not an entry: the file's version, the start of a conversation, or both."""

    version: Json | UnsetType = UNSET
    starts: bool = False
    conversation: str | None = None
    habits: WriterHabits = ANY


class _Part(Struct, gc=False):
    part: str = ""
    kind: str | None = None


class _Message(Struct, gc=False):
    id: str | None = None
    parent: str | None = None
    role: str | None = None
    parts: list[_Part] | None = None
    time: str | int | None = None
    flags: list[str] | None = None
    model: str | None = None
    usage: Usage | None = None
    api_message: str | None = None
    follows: str | None = None


class _Named(Struct, gc=False):
    id: str | None = None


class _Conversation(Struct, gc=False):
    id: str | None = None
    tree: list[str] | None = None


class _Version(Struct, gc=False):
    version: int | None = None


class _Tree(Struct, gc=False):
    trait: str | None = None
    parent: str | UnsetType | None = UNSET
    link: str | None = None
    call: str | None = None
    time: str | int | UnsetType | None = UNSET
    role: str | None = None
    sidechain: bool | None = None
    reply: str | UnsetType | None = UNSET
    listing: str | None = None


class _Line(Struct, gc=False):
    message: _Message | None = None
    head: _Named | None = None
    snapshot: _Named | None = None
    opaque: _Named | None = None
    talktree: _Version | None = None
    conversation: _Conversation | None = None
    tree: _Tree | None = None
    joint: Raw | UnsetType = UNSET


_skim = msgspec.json.Decoder(_Line).decode


class NativeDialect(LineDialect):
    """Reads where a line belongs in the tree."""

    def skim(self, line: bytes | memoryview) -> LineOutline:
        found = _skim(line)
        if found.joint is not UNSET:
            raise msgspec.DecodeError("strings with joints need a full decode")
        if found.message is not None:
            made = _outline_message(found.message)
            return made if found.tree is None else _with_place(made, found.tree)
        named = found.head or found.snapshot or found.opaque
        if named is not None:
            return (
                NO_NODE if found.tree is None else _with_place(_outline_other(named.id), found.tree)
            )
        if found.talktree is not None or found.conversation is not None:
            return _make_mark(found.talktree, found.conversation)
        return NO_NODE

    def outline(self, value: Json) -> LineOutline:
        if not isinstance(value, dict):
            return NO_NODE
        value = unescape_surrogates(value)
        if not _is_entry(value):
            return _make_odd_mark(value) or NO_NODE
        entry = get(Record(value))
        made = outline_line(entry) if isinstance(entry, Message) else NO_NODE
        try:
            tree = msgspec.convert(value.get(TREE), _Tree | None)
        except (msgspec.ValidationError, UnicodeEncodeError):
            tree = None
        if tree is None:
            return made
        return _with_place(_outline_other(entry.id) if made is NO_NODE else made, tree)

    def is_record(self, value: Json) -> bool:
        return isinstance(value, dict) and (_is_entry(value) or _make_odd_mark(value) is not None)


def _is_entry(value: dict[str, Json]) -> bool:
    return any(isinstance(value.get(kind), dict) for kind in ENTRIES)


def _outline_other(id: str | None) -> LineOutline:
    """Return the outline of an entry that is not a message."""
    return LineOutline(id=id, listing=int(Listing.ABSENT))


def _outline_message(message: _Message) -> LineOutline:
    flags = message.flags or ()
    role = "unknown" if message.role is None else message.role
    trait = _find_trait(role, message.parts, meta=META in flags)
    return LineOutline(
        trait,
        message.id,
        message.parent,
        message.time,
        role,
        SIDECHAIN in flags,
        message.api_message or _find_call_group(role, message),
        message.follows,
        message.usage,
        message.model,
        listing=find_listing(trait, meta=META in flags, side=SIDECHAIN in flags),
    )


def _find_call_group(role: str, message: _Message) -> str | None:
    """Return the group of a message that calls tools and names no reply that it is part of."""
    if role != "assistant" or message.parent is None:
        return None
    calls = any(part.part == "tool_call" for part in message.parts or ())
    return make_call_group(message.parent) if calls else None


def _find_trait(role: str, parts: list[_Part] | None, *, meta: bool) -> int:
    if parts and all(part.part == "tool_result" for part in parts):
        return Trait.RESULT
    if role == "assistant":
        return Trait.REPLY
    if meta or (parts and all(part.part == "event" and part.kind is not None for part in parts)):
        return Trait.NOTE
    return Trait.SAID


def _with_place(made: LineOutline, tree: _Tree) -> LineOutline:
    """Return an outline with the place that the line records in `tree` instead of its fields."""
    made.trait = TRAITS.get(tree.trait or "", made.trait)
    if tree.parent is not UNSET and tree.link:
        made.parent, made.follows, made.written = None, tree.parent, made.parent
        made.link, made.call = tree.link, tree.call
    elif tree.parent is not UNSET:
        made.parent, made.follows = tree.parent, None
    if tree.time is not UNSET:
        made.stamp = tree.time
    if tree.role is not None:
        made.role = tree.role
    if tree.sidechain is not None:
        made.sidechain = tree.sidechain
    if tree.reply is not UNSET:
        made.request = tree.reply
        if tree.reply is None or (made.group or "").startswith(CALLS):
            made.group = None
    made.listing = LISTINGS.get(tree.listing or "", made.listing)
    return made


def list_tree_rules(habits: WriterHabits) -> list[Json]:
    """Return the words for habits in a conversation line."""
    return [rule for rule in RULES if getattr(habits, rule)]


def _parse_habits(rules: object) -> WriterHabits:
    named = rules if isinstance(rules, list) else []
    return WriterHabits(**{rule: rule in named for rule in RULES})


def _make_mark(version: _Version | None, conversation: _Conversation | None) -> NativeMark:
    return NativeMark(
        version=UNSET if version is None else version.version,
        starts=conversation is not None,
        conversation=None if conversation is None else conversation.id,
        habits=ANY if conversation is None else _parse_habits(conversation.tree),
    )


def _make_odd_mark(value: dict[str, Json]) -> NativeMark | None:
    about, conversation = value.get("talktree"), value.get("conversation")
    if not isinstance(about, dict) and not isinstance(conversation, dict):
        return None
    id = conversation.get("id") if isinstance(conversation, dict) else None
    return NativeMark(
        version=about.get("version") if isinstance(about, dict) else UNSET,
        starts=isinstance(conversation, dict),
        conversation=id if isinstance(id, str) else None,
        habits=_parse_habits(conversation.get(TREE)) if isinstance(conversation, dict) else ANY,
    )


def judge_record(value: dict[str, Json]) -> Clue | None:
    """Return the evidence that an object is a line of this format, other than the version line."""
    if len(value) > 1 and not {TREE, JOINT} & value.keys():
        return None
    message, conversation = value.get("message"), value.get("conversation")
    if isinstance(message, dict):
        return _judge_message(message)
    if isinstance(conversation, dict) and "id" in conversation:
        return Clue("envelope", "conversations")
    return None


def _judge_message(message: dict[str, Json]) -> Clue | None:
    parts = message.get("parts")
    if isinstance(parts, list):
        own = any(isinstance(part, dict) and "part" in part for part in parts)
        if not own and any(isinstance(part, dict) and part for part in parts):
            return Clue("misfit", "parts of another kind")
        return Clue("body", "messages") if own else None
    if "parts" not in message and "content" in message:
        return Clue("misfit", "content instead of parts")
    return None


VERSION = 1


class ConversationSection(NamedTuple):
    """A conversation's range of the file."""

    group: str
    start: int
    """The offset at which it starts."""
    first: int
    """Its first record."""


class _Run:
    """Outlines up to the next mark."""

    def __init__(self, first: LineOutline, rest: Iterator[LineOutline]) -> None:
        self._first = first
        self._rest = rest
        self.after: LineOutline | None = None

    def __iter__(self) -> Iterator[LineOutline]:
        yield self._first
        for found in self._rest:
            if type(found) is NativeMark:
                self.after = found
                return
            yield found


class NativeSheet(LineSheet):
    """A native file."""

    def __init__(self, path: str, content: Content, *, group: str, homes: dict[str, str]) -> None:
        """Open a file; `homes` names the file of the source that holds each conversation."""
        super().__init__(path, content, NativeDialect(), group=group)
        self.sections: list[ConversationSection] = []
        self._groups: set[str] = set()
        self._homes = homes
        self._versions = 0
        self._marks: list[tuple[int, int, bool]] = []
        """Start and end of the lines that are not records, and whether each shares its line."""

    # reading

    def index(self, sink: Sink) -> None:
        lines = self.outlines()
        found = next(lines, None)
        while found is not None:
            if isinstance(found, NativeMark):
                self._take_mark(found, sink)
                found = next(lines, None)
                continue
            if not self.sections:
                self.sections.append(ConversationSection(self._make_group_name(None, 0), 0, 0))
            run = _Run(found, lines)
            sink.extend(self.sections[-1].group, run)
            found = run.after
        if not self._versions and self.content.size:
            self._note("no-version", "no line names the version of the format", None)

    def _take_mark(self, mark: NativeMark, sink: Sink) -> None:
        # It was counted as a record first, but a mark is not one.
        start, stop = self.starts.pop(), self.stops.pop()
        self._note_mark(start, stop)
        if mark.version is not UNSET:
            self._versions += 1
            self._judge_version(mark.version, start)
        if mark.starts:
            if not mark.conversation:
                what = "a conversation begins that has no id"
                self._note("nameless", what, self._line_number(start))
            group = self._make_group_name(mark.conversation, start)
            self.sections.append(
                ConversationSection(group, start if self.sections else 0, len(self))
            )
            sink.open(group, mark.habits)

    def _note_mark(self, start: int, stop: int) -> None:
        """Remember a line that is not a record, and report what is odd about its text."""
        shares = len(self.shared) > 0 and self.shared[-1] == len(self)
        if shares:
            self.shared.pop()
        else:
            self.blank.append(len(self))
        self._marks.append((start, stop, shares))
        for problem in select_first_of_kind(inspect(self.content.read(start, stop))):
            self._note(problem.code, problem.what, self._line_number(start))

    def find_repairs(self, keys: Collection[str]) -> Iterator[ByteRepair]:
        yield from super().find_repairs(keys)
        for start, stop, shares in self._marks:
            if shares and "fused" in keys:
                yield ByteRepair("fused", Splice(start, start, self.newline), "a line of its own")
            for key, at, end, new in repair_values(self.content.read(start, stop)).changes:
                if key in keys:
                    yield ByteRepair(key, Splice(start + at, start + end, new), "as JSON wants it")

    def _judge_version(self, version: object, start: int) -> None:
        if not isinstance(version, int) or isinstance(version, bool):
            self._note("odd-version", "the version is not a whole number", self._line_number(start))
        elif version > VERSION:
            what = f"version {version} is newer than {VERSION}; what is understood was read"
            self._note("newer-version", what, self._line_number(start))

    def _make_group_name(self, name: str | None, start: int) -> str:
        group = name or self.group
        number = 2
        twice = group in self._groups
        # Two files may be copies of one conversation; each is read as its own conversation.
        while group in self._groups or self._homes.get(group, self.path) != self.path:
            group = f"{name or self.group}#{number}"
            number += 1
        self._homes[group] = self.path
        if name and twice:
            what = f"the conversation {name[:60]} begins more than once"
            self._note("begins-twice", what, self._line_number(start))
        self._groups.add(group)
        return group

    def _line_number(self, start: int) -> int:
        return 1 + sum(block.count(b"\n") for block in self.content.blocks(0, start))

    # writing

    def lay_out_spans(self, items: Sequence[Item]) -> Iterator[CopiedSpan]:
        if not self.sections:
            return super().lay_out_spans(items)
        sorted_items: dict[str, list[Item]] = {section.group: [] for section in self.sections}
        firsts = [section.first for section in self.sections]
        for item in items:
            group = item.group
            if item.at is not None:
                group = self.sections[bisect_right(firsts, item.at) - 1].group
            sorted_items[group].append(item)
        return chain.from_iterable(
            self.lay_out_range(sorted_items[section.group], *self._section_ranges(number))
            for number, section in enumerate(self.sections)
        )

    def _section_ranges(self, number: int) -> tuple[range, range]:
        """Return the bytes and the records of a section."""
        section = self.sections[number]
        if number + 1 == len(self.sections):
            return range(section.start, self.content.size), range(section.first, len(self))
        after = self.sections[number + 1]
        return range(section.start, after.start), range(section.first, after.first)
