"""Values in the dress of a database export, found and taken out of it wherever they stand."""

from __future__ import annotations

from typing import Any

from talktree.formats.muse.wrappers import DATE, ID_WRAPPERS, NUMBER_WRAPPERS, text_of, time_of
from talktree.text.json.value import Json
from talktree.text.times import to_millis

NAMES = frozenset({*ID_WRAPPERS, *NUMBER_WRAPPERS, DATE})


def is_wrapper(value: Json) -> bool:
    """Whether a value is nothing but a dressed one that can be read."""
    if not isinstance(value, dict) or len(value) != 1 or next(iter(value)) not in NAMES:
        return False
    return _inner(value) is not None


def wrapped(value: Json) -> bool:
    """Whether something in a value is dressed."""
    pending = [value]
    while pending:
        here = pending.pop()
        if is_wrapper(here):
            return True
        if isinstance(here, dict):
            pending += here.values()
        elif isinstance(here, list):
            pending += here
    return False


def unwrapped(value: Json) -> Json:
    """A value with everything in it undressed; what cannot be read stays as it is."""
    while wrapped(value):
        # A dress may become readable when what is in it has lost its own.
        value = _undressed(value)
    return value


def _undressed(value: Json) -> Json:
    top: list[Any] = [value]
    pending: list[tuple[Any, Any]] = [(top, 0)]
    while pending:
        holder, place = pending.pop()
        item = holder[place]
        if is_wrapper(item):
            holder[place] = _inner(item)
        elif isinstance(item, dict):
            fresh = holder[place] = dict(item)
            pending += [(fresh, name) for name in fresh]
        elif isinstance(item, list):
            row = holder[place] = list(item)
            pending += [(row, at) for at in range(len(row))]
    plain: Json = top[0]
    return plain


def _inner(value: dict[str, Json]) -> Json:
    """What a dress holds; None if that cannot be read."""
    ((name, inner),) = value.items()
    if name in ID_WRAPPERS:
        return text_of(value)
    if name == DATE:
        time = time_of(value)
        return None if time is None else to_millis(time)
    try:
        return float(inner) if name == "$numberDouble" else int(inner)  # type: ignore[arg-type]
    except (TypeError, ValueError, OverflowError):
        return None
