"""Lines of the native format and entries, in both directions.

A line is an object with one member named after the kind of entry, and where needed `tree` (its
place, if its fields do not define it) and `joint`. Unknown members stay in the line.
"""

from __future__ import annotations

from talktree.formats.format import Record, make_opaque
from talktree.formats.lens import Object, merge_json
from talktree.formats.native.lens_entries import ENTRIES, KINDS
from talktree.formats.native.lens_fields import JOINT, escape_surrogates, unescape_surrogates
from talktree.model.entries import Entry
from talktree.model.message import Message
from talktree.text.json.value import Json, is_same

TREE = "tree"
STALE = {
    "parent": ("parent", "link", "call"),
    "follows": ("parent", "link", "call"),
    "time_ns": ("time",),
    "role": ("role", "trait"),
    "flags": ("sidechain", "trait"),
    "parts": ("trait",),
    "api_message": ("reply",),
}
"""Members of `tree` that are outdated once these fields of the entry changed."""


def get(record: Record) -> Entry:
    """Return the entry of a line."""
    value = record.value
    if not isinstance(value, dict) or not record.usable:
        return make_opaque(record)
    if JOINT in value:
        value = unescape_surrogates(value)
    for kind, shape in ENTRIES.items():
        inner = value.get(kind)
        if isinstance(inner, dict):
            given: dict[str, object] = {"id": record.id} if record.id else {}
            if record.parent is not None and kind == "message":
                given["parent"] = record.parent
            entry: Entry = shape.read(inner, given)
            return entry
    return make_opaque(record, "unknown")


def write_entry(entry: Entry) -> Object:
    """Return a new line for an entry."""
    kind = KINDS[type(entry)]
    return {kind: ENTRIES[kind].write(entry)}


def put(entry: Entry, base: Record | None) -> Json:
    """Return the value of an entry, in the form of its old record if there is one."""
    after = write_entry(entry)
    if base is None:
        return escape_surrogates(after)
    old, before = base.value, write_entry(was := get(base))
    if is_same(before, after) or not isinstance(old, dict):
        return old
    line = merge_json(unescape_surrogates(old), before, after)
    assert isinstance(line, dict)
    if isinstance(line.get(TREE), dict):
        line = _without_stale(line, was, entry)
    return escape_surrogates(line)


def _without_stale(line: Object, was: Entry, now: Entry) -> Object:
    """Return the line without the parts of `tree` that the new entry contradicts."""
    if not isinstance(was, Message) or not isinstance(now, Message):
        return line
    stale = {
        name
        for field, names in STALE.items()
        if getattr(was, field) != getattr(now, field)
        for name in names
    }
    tree = line[TREE]
    assert isinstance(tree, dict)
    left: Object = {name: item for name, item in tree.items() if name not in stale}
    if left == tree:
        return line
    rest = {name: item for name, item in line.items() if name != TREE}
    return {**rest, TREE: left} if left else rest


def relink(value: Json, above: str | None, *, follows: bool) -> Json | None:
    """Return the line with another place in the tree, if the line records that place in `tree`."""
    line = unescape_surrogates(value) if isinstance(value, dict) else {}
    tree = line.get(TREE)
    if not isinstance(tree, dict) or "parent" not in tree:
        return None
    kept: Object = {
        name: item for name, item in tree.items() if follows or name not in ("link", "call")
    }
    return escape_surrogates({**line, TREE: {**kept, "parent": above}})
