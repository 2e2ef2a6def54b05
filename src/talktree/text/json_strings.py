"""The strings in a JSON value: finding them, and changing all of them; nothing recurses."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from talktree.text.json_value import Json


def strings(value: Json) -> Iterator[tuple[str, str]]:
    """Every string and every name, each with the way to it, like `message/content/0`."""
    pending: list[tuple[str, Json]] = [("", value)]
    while pending:
        way, here = pending.pop()
        below: list[tuple[str, Json]] = []
        if isinstance(here, str):
            yield way, here
        elif isinstance(here, dict):
            for name, item in here.items():
                inner = f"{way}/{name}" if way else name
                yield inner, name
                below.append((inner, item))
        elif isinstance(here, list):
            below = [(f"{way}/{at}" if way else str(at), item) for at, item in enumerate(here)]
        pending += reversed(below)


def mapped(value: Json, change: Callable[[str], str]) -> Json:
    """The same value with every string and every name changed."""
    out: list[Json] = []
    pending: list[tuple[Json, Callable[[Json], None]]] = [(value, out.append)]
    while pending:
        here, put = pending.pop()
        if isinstance(here, str):
            put(change(here))
        elif isinstance(here, dict):
            made: dict[str, Json] = {change(name): None for name in here}
            put(made)
            pending += [(item, _into(made, change(name))) for name, item in here.items()]
        elif isinstance(here, list):
            row: list[Json] = []
            put(row)
            pending += [(item, row.append) for item in reversed(here)]
        else:
            put(here)
    return out[0]


def _into(holder: dict[str, Json], name: str) -> Callable[[Json], None]:
    def put(item: Json) -> None:
        holder[name] = item

    return put
