"""An edit made in one format, carried over to the entry in another.

What the target held before the edit and holds after it is compared; just what differs is changed
in the source's entry, and all that the target never saw stays.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from difflib import SequenceMatcher

from msgspec import Struct
from msgspec.structs import replace

from talktree.conversion.embed import part_key
from talktree.conversion.part_map import Opened, Seam, opened
from talktree.model.message import Message
from talktree.model.parts import Part
from talktree.text.json.value import equal

FIELDS = (
    "role",
    "time_ns",
    "authors",
    "session",
    "model",
    "usage",
    "api_message",
    "agent",
    "context",
    "todos",
    "thinking",
    "tags",
)
"""Fields that mean the same in every format; ids and places are seen to elsewhere."""


def transplanted(
    entry: Message,
    before: tuple[Message, Sequence[Seam]],
    after: tuple[Message, Sequence[Seam]],
    *,
    extra: bool,
) -> Message:
    """The entry with what changed between before and after; `extra` if members mean the same."""
    was, now = before[0], after[0]
    changed = {
        name: _merged(getattr(entry, name), getattr(was, name), getattr(now, name))
        for name in FIELDS
        if not equal(getattr(was, name), getattr(now, name))
    }
    if was.flags != now.flags:
        changed["flags"] = (entry.flags - (was.flags - now.flags)) | (now.flags - was.flags)
    if extra and not equal(was.extra, now.extra):
        changed["extra"] = _members(entry, was, now)
    parts_before, parts_after = opened(was.parts, before[1]), opened(now.parts, after[1])
    if not equal(parts_before, parts_after):
        changed["parts"] = tuple(_parts(entry.parts, parts_before, parts_after))
    return replace(entry, **changed)


def _merged(own: object, was: object, now: object) -> object:
    """A field with its change; of a struct only those fields change that differ."""
    if (
        isinstance(own, Struct)
        and type(own) is type(was) is type(now)
        and isinstance(was, Struct)
        and isinstance(now, Struct)
    ):
        fields = {
            name: getattr(now, name)
            for name in now.__struct_fields__
            if not equal(getattr(was, name), getattr(now, name))
        }
        return replace(own, **fields)
    return now


def _members(entry: Message, was: Message, now: Message) -> dict[str, object]:
    gone = was.extra.keys() - now.extra.keys()
    kept = {key: item for key, item in entry.extra.items() if key not in gone}
    new = {
        key: item
        for key, item in now.extra.items()
        if key not in was.extra or not equal(was.extra[key], item)
    }
    return {**kept, **new}


def _parts(own: Sequence[Part], before: Opened, after: Opened) -> Iterator[Part]:
    """The entry's parts, changed as the opened ones were."""
    seen = {number for number in before.of if number >= 0}
    waiting = [number for number in range(len(own)) if number not in seen]
    for at_before, at_after in _pairs(before, after):
        number = before.of[at_before] if at_before is not None else -1
        # Parts the other format never saw stay where they stood.
        while number >= 0 and waiting and waiting[0] < number:
            yield own[waiting.pop(0)]
        if at_after is None:
            continue
        new = after.parts[at_after]
        if at_before is None:
            yield new
        elif number < 0:
            if not equal(before.parts[at_before], new):
                yield new
        else:
            yield _changed(own[number], before.parts[at_before], new)
    for number in waiting:
        yield own[number]


def _pairs(before: Opened, after: Opened) -> Iterator[tuple[int | None, int | None]]:
    if before.of == after.of:
        yield from ((at, at) for at in range(len(before.parts)))
        return
    one, two = list(map(part_key, before.parts)), list(map(part_key, after.parts))
    for tag, start, stop, other, end in SequenceMatcher(a=one, b=two).get_opcodes():
        if tag in ("equal", "replace"):
            common = min(stop - start, end - other)
            yield from ((start + step, other + step) for step in range(common))
            yield from ((at, None) for at in range(start + common, stop))
            yield from ((None, at) for at in range(other + common, end))
        elif tag == "delete":
            yield from ((at, None) for at in range(start, stop))
        else:
            yield from ((None, at) for at in range(other, end))


def _changed(own: Part, was: Part, now: Part) -> Part:
    if equal(was, now):
        return own
    if type(own) is not type(now) or type(was) is not type(now):
        return now
    fields = {
        name: getattr(now, name)
        for name in own.__struct_fields__
        if not equal(getattr(was, name), getattr(now, name))
    }
    return replace(own, **fields)
