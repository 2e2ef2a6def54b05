"""Helpers for lenses over JSON values.

A lens is two functions: `get` reads an entry from a record, and another writes an entry as a new
native value. Putting an entry back into an old record is then the same for all formats: the
difference between the native values of the old and the new entry is applied to the old record, and
nothing else. So absent, null and false stay what they were, and members without a name in the model
stay too.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from talktree.text.json.value import Json, is_same

Object = dict[str, Json]
DEEPEST = 40
"""Below this depth, a changed value replaces the old one whole instead of being merged into it."""


def merge_json(base: Json, before: Json, after: Json, *, depth: int = 0) -> Json:
    """Return the base with only those changes in which `after` differs from `before`."""
    if is_same(before, after):
        return base
    if depth < DEEPEST:
        if isinstance(base, dict) and isinstance(before, dict) and isinstance(after, dict):
            return _merge_object(base, before, after, depth)
        if isinstance(base, list) and isinstance(before, list) and isinstance(after, list):
            return _merge_list(base, before, after, depth)
    return after


def _merge_object(base: Object, before: Object, after: Object, depth: int) -> Object:
    out = {key: item for key, item in base.items() if key in after or key not in before}
    for key, item in after.items():
        if key not in before:
            out[key] = item
        else:
            old = base.get(key)
            new = merge_json(old, before[key], item, depth=depth + 1)
            if key in out or new is not old:
                out[key] = new
    return out


def _merge_list(base: list[Json], before: list[Json], after: list[Json], depth: int) -> list[Json]:
    if len(base) != len(before):
        return after
    if len(before) == len(after):
        return [
            merge_json(old, was, now, depth=depth + 1)
            for old, was, now in zip(base, before, after, strict=True)
        ]
    out: list[Json] = []
    start = 0
    for now in after:
        # Items that only moved keep their own form.
        match = next((at for at in range(start, len(before)) if is_same(before[at], now)), None)
        out.append(now if match is None else base[match])
        start = start if match is None else match + 1
    return out


def take_text(left: Object, key: str) -> str | None:
    """Remove and return a member that is text; anything that is neither text nor null stays."""
    item = left.get(key)
    if isinstance(item, str):
        del left[key]
        return item
    if item is None:
        left.pop(key, None)
    return None


def take_flag(left: Object, key: str) -> bool:
    """Remove a flag and return whether it is true; anything but true, false and null stays."""
    item = left.get(key)
    if item is None or isinstance(item, bool):
        left.pop(key, None)
        return item is True
    return False


def with_rest(value: Object, extra: Mapping[str, Any]) -> Object:
    """Return a native value with the members that have no name in the model."""
    for key, item in extra.items():
        value.setdefault(key, item)
    return value


def get_text(value: Mapping[str, Json], key: str) -> str | None:
    """Return the member if it is text, or None."""
    item = value.get(key)
    return item if isinstance(item, str) else None
