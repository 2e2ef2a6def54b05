"""Reading Sage records as entries of the model. Writing is in `write`."""

from __future__ import annotations

from talktree.formats.format import Record, make_opaque
from talktree.formats.lens import Object, take_flag, take_text
from talktree.formats.sage.checksum import MEMBER as SEAL
from talktree.formats.sage.checksum import is_seal
from talktree.formats.sage.detect_kinds import EVENTS, PLAIN, detect_kind
from talktree.formats.sage.lens_heads import get_metadata, get_session
from talktree.formats.sage.lens_members import (
    LEGACY,
    SageNames,
    find_shape,
    infer_type,
    names_of,
    put_back,
    role_of,
    take_context,
    take_object,
    take_thinking,
    take_time,
    take_todos,
    take_usage,
)
from talktree.formats.sage.lens_parts import take_calls, take_operation, take_results, take_words
from talktree.formats.sage.lens_snapshots import get_snapshot
from talktree.model.entries import Entry
from talktree.model.message import ERROR, NO_FLAGS, SIDECHAIN, Message
from talktree.model.parts import Part

_FLAGS = {
    (False, False): NO_FLAGS,
    (False, True): frozenset({SIDECHAIN}),
    (True, False): frozenset({ERROR}),
    (True, True): frozenset({ERROR, SIDECHAIN}),
}
"""The flags by whether it is an error and whether it is in a sidechain."""


def get(record: Record) -> Entry:
    """Return the entry of a record."""
    value = record.value
    if not record.usable or not isinstance(value, dict):
        return make_opaque(record)
    match detect_kind(value, record.path):
        case "message":
            return _read_message(record, dict(value), find_shape(value))
        case "legacy":
            return _read_legacy_message(record, dict(value))
        case "snapshot":
            return get_snapshot(_remove_seal(dict(value)), record.id)
        case "metadata":
            return get_metadata(dict(value), record.id)
        case "session":
            return get_session(dict(value), record.id)
        case "other":
            type = value.get("type")
            return make_opaque(record, type if isinstance(type, str) and type else "unknown")


def _read_message(record: Record, left: Object, shape: SageNames) -> Message:
    """Return a line's message: text and calls are inside `message`, other members around it."""
    type = take_text(left, "type") or "unknown"
    inner = take_object(left, "message") or {}
    said = inner.pop("role", None)
    role, error = type, False
    if said != type or type not in PLAIN:
        role, error = role_of(type, said)
        if said not in (None, names_of(role, error=error, event=EVENTS.get(type))[1]):
            # The role inside is only used if the type represents another one.
            inner["role"] = said
    parts = _read_parts(inner, type, role, shape, left)
    put_back(left, "message", inner)
    parent = take_text(left, "parentUuid")
    return _make_message(
        record, left, shape, role, parts, error=error, parent=record.parent or parent
    )


def _read_parts(
    inner: Object, type: str, role: str, shape: SageNames, beside: Object
) -> tuple[Part, ...]:
    if "subtype" in beside and (diagnostic := take_operation(inner, beside)):
        words: tuple[Part, ...] = (diagnostic,)
    else:
        words = take_words(inner, event=EVENTS.get(type), tool=role == "tool")
    stamp = beside.get("timestamp")
    if shape.calls in inner:
        words += take_calls(inner, shape, stamp)
    holder = inner if shape.nested else beside
    return words + take_results(holder, shape, stamp) if shape.results in holder else words


def _read_legacy_message(record: Record, left: Object) -> Message:
    """Return a message of the older session file: one flat object, linked by order."""
    said = take_text(left, "role") or ""
    type = take_text(left, "messageType") or infer_type(said)
    role, error = role_of(type, said)
    if names_of(role, error=error, event=EVENTS.get(type))[1] != said:
        left["role"] = said
    parts = _read_parts(left, type, role, LEGACY, left)
    return _make_message(record, left, LEGACY, role, parts, error=error, parent=record.parent)


def _make_message(
    record: Record,
    left: Object,
    shape: SageNames,
    role: str,
    parts: tuple[Part, ...],
    *,
    error: bool,
    parent: str | None,
) -> Message:
    return Message(
        id=record.id or take_text(left, "uuid") or "",
        parent=parent,
        role=role,
        parts=parts,
        time_ns=take_time(left),
        session=take_text(left, "sessionId") or None,
        flags=_FLAGS[error, take_flag(left, "isSidechain")],
        usage=take_usage(left, shape) if shape.usage in left else None,
        follows=take_text(left, "branchParentUuid"),
        context=take_context(left),
        todos=take_todos(left),
        thinking=take_thinking(left) if "thinkingMetadata" in left else None,
        extra=_without_id(left),
    )


def _remove_seal(left: Object) -> Object:
    if SEAL in left and is_seal(left[SEAL]):
        del left[SEAL]
    return left


def _without_id(left: Object) -> Object:
    """Return the other members; an id that was replaced by an alias here stays in the record.

    The seal is left out as well: it only shows that these bytes were written so.
    """
    take_text(left, "uuid")
    return _remove_seal(left)
