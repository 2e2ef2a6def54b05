"""Finding losses: the differences between an entry and what a format holds of it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import lru_cache
from operator import attrgetter

from talktree.conversion.losses import Kept, Loss
from talktree.conversion.part_map import Seam
from talktree.formats.format import TAGS
from talktree.model.entries import Entry
from talktree.model.message import NO_FLAGS, Context, Message
from talktree.model.parts import Attachment, Part, Text
from talktree.text.json.value import is_equal, is_same

PLAIN_FIELDS = ("role", "authors", "session", "model", "usage", "api_message", "agent", "tags")
_plain_fields = attrgetter(*PLAIN_FIELDS)
_EMPTY: tuple[object, ...] = (None, (), "", NO_FLAGS)
MOST_NAMES = 6
MAPPED = frozenset({"leaf", "message", "size"})
"""Fields that name other entries, by the names that those have in the target."""


def find_message_losses(
    source: Message, held: Message, seams: Sequence[Seam], kept: Kept, *, name: str
) -> list[Loss]:
    """Return the losses of a message; ids are compared elsewhere."""
    out: list[Loss] = []
    mine, theirs = _plain_fields(source), _plain_fields(held)
    if mine != theirs:
        out += [
            Loss(kind, name, _describe_value(kind, value), kept)
            for kind, value, other in zip(PLAIN_FIELDS, mine, theirs, strict=True)
            if value and value != other
        ]
    if source.time_ns != held.time_ns and source.time_ns is not None:
        out.append(Loss("time", name, _describe_time(source, held), kept))
    if source.flags and not source.flags <= held.flags:
        gone = ", ".join(sorted(source.flags - held.flags))
        out.append(Loss("flags", name, gone, kept))
    out += _find_structured_losses(source, held, kept, name)
    if source.extra:
        out += _find_extra_losses(source, held, kept, name)
    if source.parts is not held.parts:
        out += _find_part_losses(source.parts, held.parts, seams, kept, name)
    return out


def _describe_value(kind: str, value: object) -> str:
    if isinstance(value, str):
        return value[:80]
    match value:
        case tuple() if kind == "tags":
            return ", ".join(map(str, value))[:80]
        case tuple():
            return ", ".join(str(getattr(each, "name", each)) for each in value)[:80]
        case _:
            return kind


def _describe_time(source: Message, held: Message) -> str:
    return "the time" if held.time_ns is None else "digits of the time"


def _find_structured_losses(source: Message, held: Message, kept: Kept, name: str) -> list[Loss]:
    out = []
    context, todos, thinking = source.context, source.todos, source.thinking
    if context is not None and context is not held.context:
        gone = _describe_lost_context(context, held.context)
        if gone:
            out.append(Loss("context", name, gone, kept))
    if todos is not None and todos != held.todos:
        out.append(Loss("todos", name, f"{len(todos)} tasks", kept))
    if thinking is not None and thinking != held.thinking:
        out.append(Loss("thinking_setting", name, thinking.level or "a setting", kept))
    return out


@lru_cache(maxsize=256)
def _describe_lost_context(mine: Context, held: Context | None) -> str:
    # Messages share few contexts, so the result is nearly always cached.
    return ", ".join(
        field
        for field in mine.__struct_fields__
        if getattr(mine, field) is not None and getattr(mine, field) != getattr(held, field, None)
    )


def _find_extra_losses(source: Message, held: Message, kept: Kept, name: str) -> list[Loss]:
    gone = tuple(source.extra)
    if held.extra:
        gone = tuple(
            key
            for key, item in source.extra.items()
            if key not in held.extra or not is_same(item, held.extra[key])
        )
    return [Loss("extra", name, _format_names(gone), kept)] if gone else []


@lru_cache(maxsize=256)
def _format_names(names: tuple[str, ...]) -> str:
    # Records of one kind have the same members, so the result is nearly always cached.
    more = f" and {len(names) - MOST_NAMES} more" if len(names) > MOST_NAMES else ""
    return ", ".join([each[:40] for each in names[:MOST_NAMES]]) + more


def _find_part_losses(
    source: Sequence[Part], held: Sequence[Part], seams: Sequence[Seam], kept: Kept, name: str
) -> Iterator[Loss]:
    for part, seam in zip(source, seams, strict=True):
        tag = TAGS[type(part)]
        if seam.part < 0:
            if part != Text(""):
                yield Loss(tag, name, _describe_part(part), kept)
        elif seam.rendered:
            yield Loss(tag, name, _describe_part(part), "rendered")
        elif seam.length >= 0:
            if isinstance(part, Text) and part.text:
                yield Loss("text", name, "where it begins and ends", kept)
            if isinstance(part, Text) and part.extra:
                yield Loss("detail", name, f"{tag}: {_format_names(tuple(part.extra))}", kept)
        else:
            yield from _find_detail_losses(part, held[seam.part], tag, kept, name)


def _find_detail_losses(part: Part, held: Part, tag: str, kept: Kept, name: str) -> Iterator[Loss]:
    if is_equal(part, held):
        return
    gone = tuple(
        [
            field
            for field in part.__struct_fields__
            if not is_equal(value := getattr(part, field), getattr(held, field, None))
            and value not in _EMPTY
            and value is not False
            and value != {}
        ]
    )
    if isinstance(part, Attachment) and part.url is None and getattr(held, "url", None) == "":
        # An unknown address is not the same as an empty one.
        gone = (*gone, "url")
    if gone:
        main = {"text", "input", "output", "content", "value"}.intersection(gone)
        yield Loss(tag if main else "detail", name, f"{tag}: {_format_names(gone)}", kept)


def _describe_part(part: Part) -> str:
    for field in ("name", "kind", "title", "text"):
        value = getattr(part, field, None)
        if isinstance(value, str) and value:
            return value[:80].partition("\n")[0]
    return TAGS[type(part)]


def find_other_losses(was: Entry, seen: Entry, kept: Kept) -> list[Loss]:
    """Return the losses of an entry that is not a message."""
    kind = TAGS[type(was)]
    if type(was) is not type(seen):
        return [Loss(kind, was.id, kind, kept)]
    gone = [
        name.removesuffix("_ns")
        for name in was.__struct_fields__
        if name not in MAPPED
        and not is_equal(value := getattr(was, name), getattr(seen, name))
        and value not in _EMPTY
        and value != {}
    ]
    return [Loss(kind, was.id, ", ".join(gone), kept)] if gone else []
