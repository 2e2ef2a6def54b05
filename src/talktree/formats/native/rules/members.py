"""NAT3 and NAT4: the members of entries and parts, and a line's place in the tree."""

from __future__ import annotations

from collections.abc import Collection, Iterator

from talktree.formats.lens import Object
from talktree.formats.native.known_members import find_entry, find_misspelled_members, is_known
from talktree.formats.native.lens import TREE
from talktree.formats.native.lens_entries import ENTRIES, PARTS, PLAIN_PARTS
from talktree.formats.native.lens_fields import JOINT
from talktree.formats.native.parse import TRAITS
from talktree.formats.native.rules.file import NATIVE
from talktree.formats.rule import Diagnostic, rule
from talktree.formats.rule_context import RuleRecord
from talktree.model.message import ABORTED, DELETED, ERROR, META, SIDECHAIN, Message
from talktree.model.parts import ToolResult, UnknownPart
from talktree.text.json.value import Json
from talktree.text.times import from_iso

FLAGS = frozenset({SIDECHAIN, DELETED, META, ERROR, ABORTED})
PLACE: dict[str, tuple[type, ...]] = {
    "parent": (str, type(None)),
    "link": (str, type(None)),
    "call": (str, type(None)),
    "trait": (str, type(None)),
    "role": (str, type(None)),
    "sidechain": (bool, type(None)),
    "reply": (str, type(None)),
    "time": (str, int, type(None)),
}


def _get_object(seen: RuleRecord) -> Object:
    value = seen.record.value
    return value if isinstance(value, dict) else {}


@rule("NAT301", "member-type", "warning", on="record", formats=NATIVE)
def member_type(seen: RuleRecord) -> Iterator[Diagnostic]:
    """A member of an entry or of a part is not of the type it must be, or an object in it lacks
    what it must have.

    Why: such a member counts as absent: an unreadable time, a role that is a number. What it was
    meant to say is passed over.

    Bad:
        {"message":{"id":"m1","role":7,"time":"noon","parts":[{"part":"text","text":"Hello"}]}}

    Fix: none, because it is unknown what was meant; the value stays in the line.
    """
    found = find_entry(_get_object(seen))
    if found is None:
        return
    kind, entry = found
    for name in ENTRIES[kind].find_misfits(entry):
        yield Diagnostic(f"{name} is of another type", f"{kind}/{name}")
    parts = entry.get("parts")
    for at, value in enumerate(parts if isinstance(parts, list) else ()):
        shape = PARTS.get(str(value.get("part"))) if isinstance(value, dict) else None
        if shape is None or not isinstance(value, dict):
            continue
        for name in shape.find_misfits(value):
            if not shape.is_required(name):
                yield Diagnostic(f"{name} is of another type", f"message/parts/{at}/{name}")


@rule(
    "NAT302",
    "unreadable-part",
    "warning",
    on="part",
    formats=NATIVE,
    parts=(UnknownPart, ToolResult),
)
def unreadable_part(
    part: UnknownPart | ToolResult, seen: RuleRecord, number: int
) -> Iterator[Diagnostic]:
    """A part is of a kind that this format does not have, or lacks what its kind must have.

    Why: it is kept as unknown and shown as such; its words are not found, and other formats
    cannot take them over.

    Bad:
        {"message":{"id":"m1","role":"user","parts":[{"part":"hologram"},{"part":"text"}]}}

    Fix: none, because what the part was meant to say is not known.
    """
    entry = find_entry(_get_object(seen))
    native = None if entry is None else entry[1].get("parts")
    value = native[number] if isinstance(native, list) else None
    way = f"message/parts/{number}"
    if isinstance(part, UnknownPart):
        yield from _report_odd_part(part, value, way, PARTS)
        return
    output: Json = value.get("output") if isinstance(value, dict) else None
    for at, inner in enumerate(part.output):
        if isinstance(inner, UnknownPart) and isinstance(output, list):
            yield from _report_odd_part(inner, output[at], f"{way}/output/{at}", PLAIN_PARTS)


def _report_odd_part(
    part: UnknownPart, value: Json, way: str, known: Collection[str]
) -> Iterator[Diagnostic]:
    named = isinstance(value, dict) and isinstance(value.get("kind"), str)
    if named and isinstance(value, dict) and value.get("part") == "unknown":
        # It was written as an unknown part on purpose.
        return
    if part.kind in known:
        yield Diagnostic(f"a part of kind {part.kind} lacks what it must have", way)
    else:
        yield Diagnostic(f"there are no parts of kind {part.kind[:40]!r} here", way)


@rule("NAT303", "misspelt-member", "warning", on="record", formats=NATIVE)
def misspelt_member(seen: RuleRecord) -> Iterator[Diagnostic]:
    """A member has nearly the name of one that is known, and that one is missing.

    Why: unknown members are allowed and passed over; one that is misspelt is passed over as well,
    and what it says is lost to every reader.

    Bad:
        {"message":{"id":"m1","parnet":"m0","role":"user","parts":[]}}

    Fix: none, because the name may be meant as it is.
    """
    line = _get_object(seen)
    if is_known(line):
        return
    for way, name, meant in find_misspelled_members(line):
        yield Diagnostic(f"{name[:40]} is unknown; {meant} is known", way)


@rule("NAT304", "two-entries-in-a-line", "error", on="record", formats=NATIVE)
def two_entries_in_a_line(seen: RuleRecord) -> Iterator[Diagnostic]:
    """A line holds two entries.

    Why: a line is one entry; readers take one of the two and pass over the other.

    Bad:
        {"message":{"id":"m1","role":"user"},"head":{"title":"Garden"}}

    Fix: none, because in which order they belong is not known.
    """
    line = _get_object(seen)
    kinds = [kind for kind in ENTRIES if isinstance(line.get(kind), dict)] if len(line) > 1 else []
    if len(kinds) > 1:
        yield Diagnostic(f"{' and '.join(kinds)} stand in one line", kinds[1])


@rule("NAT401", "odd-place", "warning", on="record", formats=NATIVE)
def odd_place(seen: RuleRecord) -> Iterator[Diagnostic]:
    """What a line says of its place in the tree cannot be understood: `tree` is no object, or one
    of its members is none that there is.

    Why: where something in it is of another type, all of it is passed over, and the entry is
    somewhere else in the tree, or nowhere.

    Bad:
        {"message":{"id":"m1","role":"user"},"tree":{"trait":5}}

    Fix: none, because where it belongs is not known.
    """
    line = _get_object(seen)
    tree = line.get(TREE)
    if tree is None:
        return
    if not isinstance(tree, dict):
        yield Diagnostic("tree is no object", TREE)
        return
    for name, item in tree.items():
        wanted = PLACE.get(name)
        if wanted is not None and type(item) not in wanted:
            yield Diagnostic(f"{name} is of another type", f"{TREE}/{name}")
    trait, time = tree.get("trait"), tree.get("time")
    if isinstance(trait, str) and trait not in TRAITS:
        yield Diagnostic(f"there is no trait {trait[:40]!r}", f"{TREE}/trait")
    if isinstance(time, str) and from_iso(time) is None:
        yield Diagnostic("this names no time", f"{TREE}/time")
    if tree.get("link") and not tree.get("parent"):
        yield Diagnostic("a link without a parent", f"{TREE}/link")


@rule("NAT402", "odd-joint", "warning", on="record", formats=NATIVE)
def odd_joint(seen: RuleRecord) -> Iterator[Diagnostic]:
    """A line has a `joint` that is no text, or an empty one.

    Why: it is what is taken out of every string of the line; this one takes out nothing, so texts
    may hold a mark that is not theirs.

    Bad:
        {"message":{"id":"m1","role":"user"},"joint":7}

    Fix: none, because what the mark was is not known.
    """
    line = _get_object(seen)
    if JOINT in line:
        joint = line[JOINT]
        if not isinstance(joint, str) or not joint:
            yield Diagnostic("this is no mark", JOINT)


@rule("NAT403", "unknown-flag", "note", on="message", formats=NATIVE)
def unknown_flag(seen: RuleRecord) -> Iterator[Diagnostic]:
    """A message has a flag that is none of sidechain, deleted, meta, error and aborted.

    Why: no reader knows what it means, so it changes nothing.

    Bad:
        {"message":{"id":"m1","role":"user","flags":["pinned"]}}

    Fix: none, because the word may be new.
    """
    entry = seen.entry
    assert isinstance(entry, Message)
    if entry.flags and not entry.flags <= FLAGS:
        for flag in sorted(entry.flags - FLAGS):
            yield Diagnostic(f"there is no flag {flag[:40]!r}", "message/flags")
