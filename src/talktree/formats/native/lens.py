"""Lines of the native format and entries, both ways.

A line is an object with one member named after the kind of entry, and where needed `tree` (its
place, where its fields do not say it) and `joint`. Members nobody knows stay in the line.
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
"""What a line says of an entry's place no longer counts once these fields were changed."""


def get(record: Record) -> Entry:
    """What a line says."""
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
    """A new line for an entry."""
    kind = KINDS[type(entry)]
    return {kind: ENTRIES[kind].write(entry)}


def put(entry: Entry, base: Record | None) -> Json:
    """The value of an entry, in the form of its old record where there is one."""
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
    """The line without what it says of the tree and the new entry says otherwise."""
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
    """The line with another place in the tree, if it says that place apart from its entry."""
    line = unescape_surrogates(value) if isinstance(value, dict) else {}
    tree = line.get(TREE)
    if not isinstance(tree, dict) or "parent" not in tree:
        return None
    kept: Object = {
        name: item for name, item in tree.items() if follows or name not in ("link", "call")
    }
    return escape_surrogates({**line, TREE: {**kept, "parent": above}})
