"""Whether every message of one reading is present in another, decided naively.

A message is present if its words, the names and inputs of its calls and its results are all found
in one message of the other reading. White space is ignored; what a format has no place for may be
written out as text. Each message of the other reading answers for one message only.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from typing import Any

from tests.oracle.shown import Shown

_WRITTEN_OUT = re.compile(
    r"\*\*(?:Call|Result|Error|Artifact|Unknown)\b|\*Event: |> \*\*Thinking|\*\*Thinking\*\*"
)
_SCAFFOLD = re.compile(
    r"\*\*(?:Call|Result|Error|Artifact|Unknown|Thinking)\b|\*Event: [\w-]+|```+(?:text|json)?|"
    r"\bcommand-(?:name|message|args)\b|\blocal-command-std(?:out|err)\b|\\[nrt\"]"
)


def missing(source: Sequence[Shown], output: Sequence[Shown]) -> list[Shown]:
    """Return the messages of the source that the output does not show."""
    hays = [_hay(each) for each in output]
    exact: dict[Shown, list[int]] = {}
    for number, each in enumerate(output):
        exact.setdefault(_bare(each), []).append(number)
    taken: dict[int, int] = {}
    rest = []
    for number, each in enumerate(source):
        same = exact.get(_bare(each))
        if same:
            taken[same.pop()] = number
        else:
            rest.append(number)
    return [source[number] for number in rest if not _place(number, source, hays, taken, set())]


def _place(
    number: int, source: Sequence[Shown], hays: list[str], taken: dict[int, int], tried: set[int]
) -> bool:
    """Find a message of the output for one of the source; others may have to move."""
    needles = list(_needles(source[number]))
    for at, hay in enumerate(hays):
        if at not in tried and all(_found(needle, hay) for needle in needles):
            tried.add(at)
            if at not in taken or _place(taken[at], source, hays, taken, tried):
                taken[at] = number
                return True
    return False


def _bare(shown: Shown) -> Shown:
    """Return a message as a key: without id and role, white space made equal."""
    calls = tuple((name, json.dumps(value, sort_keys=True)) for name, value in shown.calls)
    return Shown("", "", tuple(map(_even, shown.texts)), calls, tuple(map(_even, shown.results)))


def _needles(shown: Shown) -> Iterator[str]:
    yield from shown.texts
    yield from shown.results
    for name, value in shown.calls:
        yield name
        yield from _strings(value)


def _strings(value: Any) -> Iterator[str]:
    waiting = [value]
    while waiting:
        match waiting.pop():
            case str(text):
                yield text
            case dict() as inner:
                waiting += inner.values()
            case list() as inner:
                waiting += inner


def _hay(shown: Shown) -> str:
    """Return everything a message shows as one text, also with quotation marks taken away."""
    inputs = (json.dumps(value, ensure_ascii=False) for _, value in shown.calls)
    text = "\n".join([*_needles(shown), *inputs])
    levels = [text]
    for _ in range(3):
        levels.append(re.sub(r"(?m)^> ?", "", levels[-1]))
    return "\0".join(map(_even, levels))


def _found(needle: str, hay: str) -> bool:
    escaped = [json.dumps(needle, ensure_ascii=ascii)[1:-1] for ascii in (False, True)]
    if any(_even(each) in hay for each in (needle, *escaped)):
        return True
    if not _WRITTEN_OUT.search(needle) and not _WRITTEN_OUT.search(hay):
        return False
    return set(_words(needle)) <= set(_words(hay))


def _words(text: str) -> list[str]:
    return re.findall(r"\w+", _SCAFFOLD.sub(" ", text))


def _even(text: str) -> str:
    """Return text with single blanks only; what is not a character is one sign, however long."""
    return " ".join(re.sub("[\ufffd\ud800-\udfff]+", "\ufffd", text).split())
