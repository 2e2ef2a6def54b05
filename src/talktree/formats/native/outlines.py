"""What a line says of its place in the tree, by a partial decode where the line is plain."""

from __future__ import annotations

import msgspec
from msgspec import UNSET, Raw, Struct, UnsetType

from talktree.formats.evidence import Clue
from talktree.formats.format import Record
from talktree.formats.line_sheet import NO_NODE, LineDialect
from talktree.formats.native.halves import JOINT, understood
from talktree.formats.native.lens import TREE, get
from talktree.formats.native.lens_entries import ENTRIES
from talktree.model.habits import ANY, Habits
from talktree.model.message import META, SIDECHAIN, Message, Usage
from talktree.model.outline import (
    CALLS,
    LineOutline,
    Listing,
    Trait,
    call_group,
    line_outline,
    listing_of,
)
from talktree.text.json.value import Json

TRAITS = {trait.name.lower(): trait for trait in Trait}
LISTINGS = {listing.name.lower(): int(listing) for listing in Listing}
RULES = ("latest", "replays", "walk")
"""Habits that a conversation line names; links that others lead to are in the lines of entries."""


class Mark(LineOutline, gc=False):
    """A line that is no entry: the version of the file, the start of a conversation, or both."""

    version: Json | UnsetType = UNSET
    starts: bool = False
    conversation: str | None = None
    habits: Habits = ANY


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


class Dialect(LineDialect):
    """Lines of the native format."""

    def skim(self, line: bytes | memoryview) -> LineOutline:
        found = _skim(line)
        if found.joint is not UNSET:
            raise msgspec.DecodeError("strings with joints need a full decode")
        if found.message is not None:
            made = _of_message(found.message)
            return made if found.tree is None else _placed(made, found.tree)
        named = found.head or found.snapshot or found.opaque
        if named is not None:
            return NO_NODE if found.tree is None else _placed(_other(named.id), found.tree)
        if found.talktree is not None or found.conversation is not None:
            return _mark(found.talktree, found.conversation)
        return NO_NODE

    def outline(self, value: Json) -> LineOutline:
        if not isinstance(value, dict):
            return NO_NODE
        value = understood(value)
        if not _is_entry(value):
            return _odd_mark(value) or NO_NODE
        entry = get(Record(value))
        made = line_outline(entry) if isinstance(entry, Message) else NO_NODE
        try:
            tree = msgspec.convert(value.get(TREE), _Tree | None)
        except (msgspec.ValidationError, UnicodeEncodeError):
            tree = None
        if tree is None:
            return made
        return _placed(_other(entry.id) if made is NO_NODE else made, tree)

    def is_record(self, value: Json) -> bool:
        return isinstance(value, dict) and (_is_entry(value) or _odd_mark(value) is not None)


def _is_entry(value: dict[str, Json]) -> bool:
    return any(isinstance(value.get(kind), dict) for kind in ENTRIES)


def _other(id: str | None) -> LineOutline:
    """The outline of an entry that is not a message."""
    return LineOutline(id=id, listing=int(Listing.ABSENT))


def _of_message(message: _Message) -> LineOutline:
    flags = message.flags or ()
    role = "unknown" if message.role is None else message.role
    trait = _trait(role, message.parts, meta=META in flags)
    return LineOutline(
        trait,
        message.id,
        message.parent,
        message.time,
        role,
        SIDECHAIN in flags,
        message.api_message or _calls_of(role, message),
        message.follows,
        message.usage,
        message.model,
        listing=listing_of(trait, meta=META in flags, side=SIDECHAIN in flags),
    )


def _calls_of(role: str, message: _Message) -> str | None:
    """The group of a message that calls tools and names no reply it is a piece of."""
    if role != "assistant" or message.parent is None:
        return None
    calls = any(part.part == "tool_call" for part in message.parts or ())
    return call_group(message.parent) if calls else None


def _trait(role: str, parts: list[_Part] | None, *, meta: bool) -> int:
    if parts and all(part.part == "tool_result" for part in parts):
        return Trait.RESULT
    if role == "assistant":
        return Trait.REPLY
    if meta or (parts and all(part.part == "event" and part.kind is not None for part in parts)):
        return Trait.NOTE
    return Trait.SAID


def _placed(made: LineOutline, tree: _Tree) -> LineOutline:
    """An outline with what the line says of the entry's place instead of its fields."""
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


def tree_rules(habits: Habits) -> list[Json]:
    """The words with which a conversation line names habits."""
    return [rule for rule in RULES if getattr(habits, rule)]


def _habits(rules: object) -> Habits:
    named = rules if isinstance(rules, list) else []
    return Habits(**{rule: rule in named for rule in RULES})


def _mark(version: _Version | None, conversation: _Conversation | None) -> Mark:
    return Mark(
        version=UNSET if version is None else version.version,
        starts=conversation is not None,
        conversation=None if conversation is None else conversation.id,
        habits=ANY if conversation is None else _habits(conversation.tree),
    )


def _odd_mark(value: dict[str, Json]) -> Mark | None:
    about, conversation = value.get("talktree"), value.get("conversation")
    if not isinstance(about, dict) and not isinstance(conversation, dict):
        return None
    id = conversation.get("id") if isinstance(conversation, dict) else None
    return Mark(
        version=about.get("version") if isinstance(about, dict) else UNSET,
        starts=isinstance(conversation, dict),
        conversation=id if isinstance(id, str) else None,
        habits=_habits(conversation.get(TREE)) if isinstance(conversation, dict) else ANY,
    )


def judge(value: dict[str, Json]) -> Clue | None:
    """What an object shows of being a line of this format, apart from the line that says so."""
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
