"""Fitting a message into what a format can hold.

Fields, flags and parts that the format has a place for stay. Other parts are rendered as text, and
other fields are left out. What the format really holds is found by writing and reading the message;
comparing the result with the message gives the losses.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from talktree.conversion.part_map import (
    BETWEEN,
    GONE,
    Seam,
    make_span,
    make_whole_seam,
    make_whole_seams,
)
from talktree.conversion.render import render_part
from talktree.formats.format import TAGS, Format, FormatCapabilities
from talktree.model.message import NO_FLAGS, Message
from talktree.model.parts import NOTHING, Part, Text, ToolResult, UnknownPart

ALWAYS = frozenset({"id", "parent"})
"""Fields that every format has a place for, in addition to role, parts and flags."""
FITTED = frozenset({"role", "parts", "flags", "extra"})
OTHER_NAMES = {"human": "user", "ai": "assistant", "model": "assistant", "bot": "assistant"}
"""Other names of roles."""


class FittedMessage(Struct):
    """A message as it should be in a format, and where its parts went."""

    message: Message
    seams: Sequence[Seam]


def fit_message(
    message: Message, format: Format, *, extra: bool, **names: str | None
) -> FittedMessage:
    """Return a message reduced to what a format can hold; `extra` if members keep their meaning.

    `names` are its id and the ids it names, as they are in the format.
    """
    can = format.can
    parts, seams = _fit_parts(message.parts, format, extra=extra)
    if can.everything:
        return FittedMessage(replace(message, **names), seams)
    fields = {
        **names,
        "role": message.role if extra else choose_role(message.role, can),
        "parts": parts,
        "flags": message.flags & can.flags if message.flags else NO_FLAGS,
        "extra": message.extra if extra else NOTHING,
        **_find_omitted_fields(format),
    }
    return FittedMessage(replace(message, **fields), seams)


@lru_cache(maxsize=64)
def _find_omitted_fields(format: Format) -> Mapping[str, Any]:
    """Return the fields that a format does not hold, with the values that replace them."""
    kept = FITTED | format.can.fields | ALWAYS
    bare = Message()
    return {name: getattr(bare, name) for name in bare.__struct_fields__ if name not in kept}


def choose_role(role: str, can: FormatCapabilities) -> str:
    """Return the role of a format for another format's role."""
    known = can.roles
    if known is None or role in known:
        return role
    other = OTHER_NAMES.get(role)
    if other in known:
        return other
    if role == "tool" and "tool_result" in can.parts and "user" in known:
        return "user"
    return "system" if "system" in known else known[-1]


def _fit_parts(
    parts: tuple[Part, ...], format: Format, *, extra: bool
) -> tuple[tuple[Part, ...], Sequence[Seam]]:
    if format.can.everything:
        return parts, make_whole_seams(len(parts))
    if format.can.texts == "many":
        return _separate_parts(parts, format, extra=extra)
    return _join_texts(parts, format, extra=extra)


def _separate_parts(
    parts: Sequence[Part], format: Format, *, extra: bool
) -> tuple[tuple[Part, ...], list[Seam]]:
    out: list[Part] = []
    seams: list[Seam] = []
    for at, part in enumerate(parts):
        if _has_place(part, format, own=extra):
            out.append(part if extra else _without_extra(part))
            seams.append(make_whole_seam(at))
        else:
            out.append(Text(render_part(part)))
            seams.append(Seam(at, rendered=True))
    return tuple(out), seams


def _join_texts(
    parts: tuple[Part, ...], format: Format, *, extra: bool
) -> tuple[tuple[Part, ...], Sequence[Seam]]:
    """Join all text into one part, in the place of the first text."""
    if len(parts) == 1 and type(parts[0]) is Text:
        # Nearly always it is only text.
        return (
            parts if extra or not parts[0].extra else (_without_extra(parts[0]),)
        ), make_whole_seams(1)
    if len(parts) == 1 and not isinstance(parts[0], Text):
        return _keep_single_part(parts[0], format, extra=extra)
    said = [
        (at, part.text if isinstance(part, Text) else render_part(part))
        for at, part in enumerate(parts)
        if isinstance(part, Text) or not _has_place(part, format, own=extra)
    ]
    if not said or (len(said) == 1 and isinstance(parts[said[0][0]], Text)):
        return parts if extra else tuple(map(_without_extra, parts)), make_whole_seams(len(parts))
    texts = dict(said)
    out_parts: list[Part] = []
    seams: list[Seam] = [GONE] * len(parts)
    place = -1
    for at, part in enumerate(parts):
        if at in texts:
            if place < 0:
                place = len(out_parts)
                out_parts.append(Text(BETWEEN.join(text for _, text in said)))
            seams[at] = make_span(place, texts[at], rendered=not isinstance(part, Text))
        else:
            seams[at] = make_whole_seam(len(out_parts))
            out_parts.append(part if extra else _without_extra(part))
    return tuple(out_parts), seams


def _keep_single_part(
    part: Part, format: Format, *, extra: bool
) -> tuple[tuple[Part, ...], Sequence[Seam]]:
    """Return the single part of a message that is not text."""
    if _has_place(part, format, own=extra):
        return (part if extra else _without_extra(part),), make_whole_seams(1)
    text = render_part(part)
    return (Text(text),), [make_span(0, text, rendered=True)]


def _has_place(part: Part, format: Format, *, own: bool) -> bool:
    # A format may be strict about foreign messages, but may have written this one itself.
    return TAGS[type(part)] in format.can.parts if own else format.has_place(part)


def _without_extra(part: Part) -> Part:
    """Return a part without members that only its own format knows."""
    if isinstance(part, UnknownPart):
        return part
    if isinstance(part, ToolResult):
        for each in part.output:
            if not isinstance(each, UnknownPart) and each.extra:
                return replace(part, output=tuple(map(_without_extra, part.output)), extra=NOTHING)
    return replace(part, extra=NOTHING) if part.extra else part


def resolve_seams(draft: FittedMessage, held: Sequence[Part]) -> Sequence[Seam]:
    """Return the seams for the parts that are really held, which may be in another order."""
    meant = draft.message.parts
    if meant is held or list(map(type, meant)) == list(map(type, held)):
        return draft.seams
    place = _match_parts(meant, held)
    return [
        replace(seam, part=place[seam.part]) if seam.part >= 0 and place[seam.part] >= 0 else GONE
        for seam in draft.seams
    ]


def _match_parts(meant: Sequence[Part], held: Sequence[Part]) -> list[int]:
    """Return for each intended part the index of the held part, or -1."""
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
