"""The longer strings an entry holds, each with the way that leads to it.

Ways are written like JSON pointers without the first slash (`parts/0/text`), so that a string is
found again though others were changed, added or taken out meanwhile.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from msgspec import Struct

from talktree.conversion.template import SHORTEST
from talktree.model.entries import Entry, Head, Opaque, Snapshot
from talktree.model.message import Message, Todo
from talktree.model.parts import NOTHING, Extra, Part, Text, Thinking, ToolResult
from talktree.text.json_value import Token

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
_BARE = frozenset({int, float, bool, Token})
"""Values that hold no string."""


def strings_of(entry: Entry) -> dict[str, str]:
    """Every string that is worth a hole, by its way; of equal ones the first."""
    if isinstance(entry, Message):
        return strings_in(entry.parts, entry.todos, entry.extra)
    found: list[tuple[str, str]] = []
    for name in FIELDS[type(entry)]:
        _gather(found, name, getattr(entry, name))
    return dict(found) if len(found) < 2 else _without_doubles(found)


def strings_in(
    parts: Iterable[Part], todos: Sequence[Todo] | None = None, extra: Extra = NOTHING
) -> dict[str, str]:
    """The same for what a message holds."""
    found: list[tuple[str, str]] = []
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
    return dict(found) if len(found) < 2 else _without_doubles(found)


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


def _gather(found: list[tuple[str, str]], way: str, value: Any) -> None:  # noqa: ANN401
    """Add the strings of a value in their order."""
    pending = [(way, value)] if value and _may_hold(value) else []
    while pending:
        way, value = pending.pop()
        if type(value) is Text and not value.extra:
            # Nearly every string is such a text.
            way, value = f"{way}/text", value.text
            if len(value) < SHORTEST:
                continue
        if type(value) is str:
            _take(found, way, value)
        else:
            pending += _inside(way, value)


def _take(found: list[tuple[str, str]], way: str, text: str) -> None:
    found.append((way, text))
    if text.startswith("data:"):
        _, mark, content = text.partition(BASE64)
        if mark:
            found.append((way + INSIDE, content))


def _without_doubles(found: Iterable[tuple[str, str]]) -> dict[str, str]:
    ways: dict[str, str] = {}
    for way, text in found:
        ways.setdefault(text, way)
    return {way: text for text, way in ways.items()}


def _may_hold(value: Any) -> bool:  # noqa: ANN401
    """Whether it is a string that is worth a hole, or there may be one inside."""
    kind = type(value)
    return len(value) >= SHORTEST if kind is str else kind not in _BARE


def _inside(way: str, value: Any) -> list[tuple[str, Any]]:  # noqa: ANN401
    """What a value holds, the last first."""
    kind = type(value)
    if kind is dict:
        found = [
            (f"{way}/{_escaped(name)}", each)
            for name, each in value.items()
            if each and _may_hold(each)
        ]
    elif kind is tuple or kind is list:
        found = [(f"{way}/{at}", each) for at, each in enumerate(value) if each and _may_hold(each)]
    elif isinstance(value, Struct):
        found = [
            (f"{way}/{name}", each)
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
