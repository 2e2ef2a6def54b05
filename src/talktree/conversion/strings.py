"""The longer strings an entry holds, each with the way that leads to it.

Ways are written like JSON pointers without the first slash (`parts/0/text`), so that a string is
found again though others were changed, added or taken out meanwhile.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from msgspec import Struct

from talktree.conversion.template import MOST, SHORTEST
from talktree.model.entries import Entry, Head, Opaque, Snapshot
from talktree.model.message import Message, Todo
from talktree.model.parts import NOTHING, Extra, Part, Text, Thinking, ToolResult
from talktree.text.json.value import Token

BASE64 = ";base64,"
INSIDE = "#"
"""At the end of a way: the content of a data URL, without what says that it is one."""
FIELDS: dict[type[Entry], tuple[str, ...]] = {
    Message: ("parts", "todos", "extra"),
    Head: ("title", "extra"),
    Snapshot: ("files", "extra"),
    Opaque: ("value",),
}
"""Where the contents of an entry are; names and places are hardly longer than a hole."""
LONGEST_WAY = 1000
"""What is nested so deep that its way is longer has no way and stays in the text."""
_BARE = frozenset({int, float, bool, Token})
"""Values that hold no string."""


class _Step:
    """One step of a way: ways share what leads to them, so that deep values need no long names."""

    __slots__ = ("_above", "_name", "length")

    def __init__(self, above: _Step | None, name: str) -> None:
        self._above = above
        self._name = name
        self.length: int = len(name) + (above.length + 1 if above is not None else 0)
        """The length of the way that ends with this step."""

    def way(self) -> str:
        """The whole way."""
        names = []
        here: _Step | None = self
        while here is not None:
            names.append(here._name)
            here = here._above
        return "/".join(reversed(names))


_Found = list[tuple[_Step | str, str]]
"""Strings, each with its way or the last step of it."""


def strings_of(entry: Entry) -> dict[str, str]:
    """The strings that are worth a hole, by their ways; of equal ones the first."""
    if isinstance(entry, Message):
        return strings_in(entry.parts, entry.todos, entry.extra)
    found: _Found = []
    for name in FIELDS[type(entry)]:
        _gather(found, name, getattr(entry, name))
    return _by_way(found)


def strings_in(
    parts: Iterable[Part], todos: Sequence[Todo] | None = None, extra: Extra = NOTHING
) -> dict[str, str]:
    """The same for what a message holds."""
    found: _Found = []
    for at, part in enumerate(parts):
        words = _words(part)
        if words is None:
            _gather(found, f"parts/{at}", part)
        elif len(words[1]) >= SHORTEST:
            _take(found, f"parts/{at}/{words[0]}", words[1])
    if todos:
        _gather(found, "todos", todos)
    if extra:
        _gather(found, "extra", extra)
    return _by_way(found)


def _words(part: Part) -> tuple[str, str] | None:
    """The one string that is worth looking at in a part, with the way to it.

    Nearly every part is of such a kind, and then nothing need be searched.
    """
    if isinstance(part, Text):
        return None if part.extra else ("text", part.text)
    if isinstance(part, Thinking):
        signed = len(part.signature or "") >= SHORTEST
        return None if signed or part.extra else ("text", part.text)
    if isinstance(part, ToolResult) and len(part.output) == 1:
        said = part.output[0]
        names = len(part.call or "") < SHORTEST > len(part.name or "")
        if type(said) is Text and names and part.detail is None and not (said.extra or part.extra):
            return "output/0/text", said.text
    return None


def _gather(found: _Found, way: str, value: Any) -> None:  # noqa: ANN401
    """Add the strings of a value in their order."""
    pending: list[tuple[_Step, Any]] = []
    if value and _may_hold(value):
        pending.append((_Step(None, way), value))
    while pending:
        step, value = pending.pop()
        if type(value) is Text and not value.extra:
            # Nearly every string is such a text.
            step, value = _Step(step, "text"), value.text
            if len(value) < SHORTEST:
                continue
        if type(value) is str:
            _take(found, step, value)
        elif step.length <= LONGEST_WAY:
            pending += _inside(step, value)


def _take(found: _Found, way: _Step | str, text: str) -> None:
    found.append((way, text))
    if text.startswith("data:"):
        _, mark, content = text.partition(BASE64)
        if mark:
            found.append((_written(way) + INSIDE, content))


def _by_way(found: _Found) -> dict[str, str]:
    """The longest strings by their ways: no more than are looked for in one record."""
    if len(found) < 2:
        return {_written(way): text for way, text in found}
    ways: dict[str, _Step | str] = {}
    for way, text in found:
        ways.setdefault(text, way)
    if len(ways) > MOST:
        ways = {text: ways[text] for text in sorted(ways, key=len, reverse=True)[:MOST]}
    return {_written(way): text for text, way in ways.items()}


def _written(way: _Step | str) -> str:
    return way if isinstance(way, str) else way.way()


def _may_hold(value: Any) -> bool:  # noqa: ANN401
    """Whether it is a string that is worth a hole, or there may be one inside."""
    kind = type(value)
    return len(value) >= SHORTEST if kind is str else kind not in _BARE


def _inside(above: _Step, value: Any) -> list[tuple[_Step, Any]]:  # noqa: ANN401
    """What a value holds, the last first."""
    kind = type(value)
    if kind is dict:
        found = [
            (_Step(above, _escaped(name)), each)
            for name, each in value.items()
            if each and _may_hold(each)
        ]
    elif kind is tuple or kind is list:
        found = [
            (_Step(above, str(at)), each)
            for at, each in enumerate(value)
            if each and _may_hold(each)
        ]
    elif isinstance(value, Struct):
        found = [
            (_Step(above, name), each)
            for name in value.__struct_fields__
            if (each := getattr(value, name)) and _may_hold(each)
        ]
    else:
        return []
    found.reverse()
    return found


def _escaped(name: str) -> str:
    return name.replace("~", "~0").replace("/", "~1") if "/" in name or "~" in name else name


class Strings(Mapping[str, str]):
    """The strings of an entry, looked up by their way; one that is gone is empty."""

    def __init__(self, entry: Entry) -> None:
        self._entry = entry

    def __getitem__(self, way: str) -> str:
        value: Any = self._entry
        for step in way.removesuffix(INSIDE).split("/"):
            value = _step(value, step)
        if not isinstance(value, str):
            return ""
        return value.partition(BASE64)[2] if way.endswith(INSIDE) else value

    def __iter__(self) -> Iterator[str]:
        return iter(strings_of(self._entry))

    def __len__(self) -> int:
        return len(strings_of(self._entry))


def _step(value: Any, step: str) -> Any:  # noqa: ANN401
    if isinstance(value, Struct):
        return getattr(value, step, None) if step in value.__struct_fields__ else None
    if isinstance(value, Mapping):
        return value.get(step.replace("~1", "/").replace("~0", "~"))
    if isinstance(value, tuple | list) and step.isdecimal() and int(step) < len(value):
        return value[int(step)]
    return None
