"""A message fitted into what a format can hold.

Fields, flags and parts the format has a place for stay; other parts are rendered as text among
the words, other fields are left out. What the format really holds of it is found by writing and
reading it; comparing that with the message gives the losses.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from talktree.conversion.part_map import BETWEEN, GONE, Seam, stretch, whole, wholes
from talktree.conversion.render import rendered
from talktree.formats.format import TAGS, Can, Format
from talktree.model.message import NO_FLAGS, Message
from talktree.model.parts import NOTHING, Part, Text, ToolResult, Unknown

ALWAYS = frozenset({"id", "parent"})
"""Fields that every format has a place for, beside those that are fitted: role, parts, flags."""
FITTED = frozenset({"role", "parts", "flags", "extra"})
OTHER_NAMES = {"human": "user", "ai": "assistant", "model": "assistant", "bot": "assistant"}
"""What else people are called."""


class Draft(Struct):
    """A message as it should stand in a format, and where its parts went."""

    message: Message
    seams: Sequence[Seam]


def drafted(message: Message, format: Format, *, extra: bool, **names: str | None) -> Draft:
    """A message cut down to what a format can hold; `extra` where its own members mean the same.

    `names` are its id and the ids it names, as they are in the format.
    """
    can = format.can
    parts, seams = _fitted_parts(message.parts, format, extra=extra)
    if can.everything:
        return Draft(replace(message, **names), seams)
    fields = {
        **names,
        "role": message.role if extra else role_for(message.role, can),
        "parts": parts,
        "flags": message.flags & can.flags if message.flags else NO_FLAGS,
        "extra": message.extra if extra else NOTHING,
        **_left_out(format),
    }
    return Draft(replace(message, **fields), seams)


@lru_cache(maxsize=64)
def _left_out(format: Format) -> Mapping[str, Any]:
    """The fields a format does not hold, with what stands there instead."""
    kept = FITTED | format.can.fields | ALWAYS
    bare = Message()
    return {name: getattr(bare, name) for name in bare.__struct_fields__ if name not in kept}


def role_for(role: str, can: Can) -> str:
    """The role a format has for another format's role."""
    known = can.roles
    if known is None or role in known:
        return role
    other = OTHER_NAMES.get(role)
    if other in known:
        return other
    if role == "tool" and "tool_result" in can.parts and "user" in known:
        return "user"
    return "system" if "system" in known else known[-1]


def _fitted_parts(
    parts: tuple[Part, ...], format: Format, *, extra: bool
) -> tuple[tuple[Part, ...], Sequence[Seam]]:
    if format.can.everything:
        return parts, wholes(len(parts))
    if format.can.texts == "many":
        return _kept_apart(parts, format, extra=extra)
    return _joined(parts, format, extra=extra)


def _kept_apart(
    parts: Sequence[Part], format: Format, *, extra: bool
) -> tuple[tuple[Part, ...], list[Seam]]:
    out: list[Part] = []
    seams: list[Seam] = []
    for at, part in enumerate(parts):
        if _has_place(part, format, own=extra):
            out.append(part if extra else _bare(part))
            seams.append(whole(at))
        else:
            out.append(Text(rendered(part)))
            seams.append(Seam(at, rendered=True))
    return tuple(out), seams


def _joined(
    parts: tuple[Part, ...], format: Format, *, extra: bool
) -> tuple[tuple[Part, ...], Sequence[Seam]]:
    """All words in one text, where the first of them stood."""
    if len(parts) == 1 and type(parts[0]) is Text:
        # Nearly always it is nothing but that.
        return (parts if extra or not parts[0].extra else (_bare(parts[0]),)), wholes(1)
    if len(parts) == 1 and not isinstance(parts[0], Text):
        return _alone(parts[0], format, extra=extra)
    said = [
        (at, part.text if isinstance(part, Text) else rendered(part))
        for at, part in enumerate(parts)
        if isinstance(part, Text) or not _has_place(part, format, own=extra)
    ]
    if not said or (len(said) == 1 and isinstance(parts[said[0][0]], Text)):
        return parts if extra else tuple(map(_bare, parts)), wholes(len(parts))
    texts = dict(said)
    out_parts: list[Part] = []
    seams: list[Seam] = [GONE] * len(parts)
    place = -1
    for at, part in enumerate(parts):
        if at in texts:
            if place < 0:
                place = len(out_parts)
                out_parts.append(Text(BETWEEN.join(text for _, text in said)))
            seams[at] = stretch(place, texts[at], rendered=not isinstance(part, Text))
        else:
            seams[at] = whole(len(out_parts))
            out_parts.append(part if extra else _bare(part))
    return tuple(out_parts), seams


def _alone(part: Part, format: Format, *, extra: bool) -> tuple[tuple[Part, ...], Sequence[Seam]]:
    """The one part of a message that is no text."""
    if _has_place(part, format, own=extra):
        return (part if extra else _bare(part),), wholes(1)
    text = rendered(part)
    return (Text(text),), [stretch(0, text, rendered=True)]


def _has_place(part: Part, format: Format, *, own: bool) -> bool:
    # What a format is choosy about from elsewhere it may well have written itself.
    return TAGS[type(part)] in format.can.parts if own else format.has_place(part)


def _bare(part: Part) -> Part:
    """A part without members that only its own format knows."""
    if isinstance(part, Unknown):
        return part
    if isinstance(part, ToolResult):
        for each in part.output:
            if not isinstance(each, Unknown) and each.extra:
                return replace(part, output=tuple(map(_bare, part.output)), extra=NOTHING)
    return replace(part, extra=NOTHING) if part.extra else part


def settled_seams(draft: Draft, held: Sequence[Part]) -> Sequence[Seam]:
    """The seams by the parts that are really held, which may stand in another order."""
    meant = draft.message.parts
    if meant is held or list(map(type, meant)) == list(map(type, held)):
        return draft.seams
    place = _places(meant, held)
    return [
        replace(seam, part=place[seam.part]) if seam.part >= 0 and place[seam.part] >= 0 else GONE
        for seam in draft.seams
    ]


def _places(meant: Sequence[Part], held: Sequence[Part]) -> list[int]:
    """For each part that was meant, which of the held ones it is; -1 if none."""
    place = [-1] * len(meant)
    free = dict.fromkeys(range(len(held)))
    for exact in (True, False):
        for at, part in enumerate(meant):
            if place[at] >= 0:
                continue
            for candidate in free:
                other = held[candidate]
                if part == other if exact else type(part) is type(other):
                    place[at] = candidate
                    del free[candidate]
                    break
    return place
