"""All strings in a JSON value, at any depth: their paths, and the value with other strings."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import NamedTuple, TypeAlias

from talktree.text.json.value import Json

Trail: TypeAlias = "tuple[Trail, str] | None"
"""The steps to a value, the last one first; nested values share those above them."""


def write_trail(trail: Trail) -> str:
    """Return the steps as one text, like `message/content/0/text`; empty if there are none."""
    steps: list[str] = []
    while trail is not None:
        trail, step = trail
        steps.append(step)
    return "/".join(reversed(steps))


class PlacedText(NamedTuple):
    """A string in a value."""

    trail: Trail
    name: str | None
    """The name of the value: the member, the `name` beside a `value`, or the preceding option in a
    list of words; None if there is none."""
    text: str

    @property
    def way(self) -> str:
        """The path, like `message/content/0/text`; empty for the value itself."""
        return write_trail(self.trail)


def iterate_texts(value: Json) -> Iterator[PlacedText]:
    """Yield the strings in a value, in order, without member names."""
    pending: list[tuple[Trail, str | None, Json]] = [(None, None, value)]
    while pending:
        trail, name, item = pending.pop()
        if isinstance(item, str):
            yield PlacedText(trail, name, item)
        elif isinstance(item, dict | list):
            pending += [((trail, step), name, held) for step, name, held in _iterate_inside(item)][
                ::-1
            ]


def _iterate_inside(item: dict[str, Json] | list[Json]) -> Iterator[tuple[str, str | None, Json]]:
    if isinstance(item, dict):
        for name, held in item.items():
            if isinstance(held, str | dict | list):
                step = name.replace("~", "~0").replace("/", "~1")
                yield step, _find_name(item, name), held
    else:
        for at, held in enumerate(item):
            if isinstance(held, str | dict | list):
                yield str(at), _find_option_before(item, at), held


def _find_name(item: dict[str, Json], member: str) -> str:
    """Return the name of a member; for a `value` with a `name` beside it, that name."""
    if member in ("value", "Value"):
        for label in ("name", "key", "Name", "Key"):
            beside = item.get(label)
            if isinstance(beside, str) and beside:
                return beside
    return member


def _find_option_before(items: list[Json], at: int) -> str | None:
    """Return the option that a word of a command belongs to."""
    before = items[at - 1] if at else None
    return before if isinstance(before, str) and before.startswith("-") else None


def with_texts(value: Json, change: Callable[[str | None, str], str]) -> Json:
    """Return the value with each string changed by a function of the string and its name."""
    if isinstance(value, str):
        return change(None, value)
    root = _copy_container(value)
    pending = [(root, value)]
    while pending:
        item, old = pending.pop()
        if isinstance(item, dict) and isinstance(old, dict):
            for name, held in old.items():
                if isinstance(held, str):
                    item[name] = change(_find_name(old, name), held)
                elif isinstance(held, dict | list):
                    item[name] = fresh = _copy_container(held)
                    pending.append((fresh, held))
        elif isinstance(item, list) and isinstance(old, list):
            for at, held in enumerate(old):
                if isinstance(held, str):
                    item[at] = change(_find_option_before(old, at), held)
                elif isinstance(held, dict | list):
                    item[at] = fresh = _copy_container(held)
                    pending.append((fresh, held))
    return root


def _copy_container(value: Json) -> Json:
    if isinstance(value, dict):
        return dict(value)
    return list(value) if isinstance(value, list) else value
