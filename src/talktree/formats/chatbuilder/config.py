"""A folder's `config.json` (name, label, order, protected) as the head of its conversation."""

from __future__ import annotations

from talktree.formats.format import Record, make_opaque
from talktree.formats.lens import Object, merge_json, take_text, with_rest
from talktree.model.entries import Entry, Head
from talktree.text.json.value import Json

KIND = "config"


def get(record: Record) -> Entry:
    """Return the head for a folder's settings; the label is its title."""
    if not isinstance(record.value, dict) or not record.usable:
        return make_opaque(record, KIND)
    left = dict(record.value)
    title = take_text(left, "label")
    return Head(id=record.id, kind=KIND, title=title, extra=left)


def make_settings(head: Head) -> Object:
    """Return new settings for a folder."""
    return with_rest({} if head.title is None else {"label": head.title}, head.extra)


def put(head: Head, base: Record | None) -> Json:
    """Return the settings for a head, in the form of the old ones if there are any."""
    before = None if base is None else get(base)
    if base is None or not isinstance(before, Head):
        return make_settings(head)
    return merge_json(base.value, make_settings(before), make_settings(head))
