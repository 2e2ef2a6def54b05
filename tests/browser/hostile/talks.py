"""Conversations made of hostile texts, in the native format and converted to every other one."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import count
from pathlib import Path
from typing import Any

from talktree import api
from tests.browser.hostile.places import Json, Say, messages, shortly, when

OTHERS = (
    "claude-code",
    "studio",
    "studio-xml",
    "studio-text",
    "sage",
    "muse",
    "chatbuilder",
)
MOST_PLACES = 96
STRIDE = 101
"""Neighbouring texts of the collection are of one kind; a small sample should have all kinds."""
KEY = "sk-ant-api03-" + "Ab3dE9" * 16
"""A secret, so that the share dialog has something to report."""


def same(text: str) -> Say:
    """Return the same text for every place."""
    return lambda place: text


def taking_turns(texts: Sequence[str]) -> Iterator[Say]:
    """Yield messages without end, with another text in each place, until each text was in every
    place."""
    numbers: dict[str, int] = {}
    for start in count(step=MOST_PLACES):

        def say(place: str, start: int = start) -> str:
            number = start + numbers.setdefault(place, len(numbers))
            return texts[number * STRIDE % len(texts)]

        yield say


def marker(place: str) -> str:
    """Return a word that names its place."""
    return f"zq{place.replace(' ', '')}qz"


def write_talk(path: Path, said: Sequence[Say], title: str) -> Path:
    """Write one conversation: a main branch with all texts, and short side branches at every third
    message."""
    return _written(path, _talk(path.stem, said, title))


def write_crowd(path: Path, texts: Mapping[int, str]) -> Path:
    """Write one conversation with a short message for each text, named by its number."""
    lines: list[Json] = [{"conversation": {"id": "crowd", "format": None, "title": "crowd"}}]
    parent: str | None = None
    for number, text in texts.items():
        pair = shortly(text, number, f"n{number}", parent)
        lines += ({"message": each} for each in pair)
        parent = pair[1]["id"]
    return _written(path, lines)


def write_artifacts(path: Path, texts: Mapping[int, str], kinds: Sequence[str]) -> Path:
    """Write one conversation in which each text is an artifact of every kind."""
    lines: list[Json] = [{"conversation": {"id": "made", "format": None, "title": "made"}}]
    parent: str | None = None
    for number, text in texts.items():
        parts = [
            {"part": "artifact", "id": f"{kind}{number}", "media_type": kind, "content": text}
            for kind in kinds
        ]
        id = f"n{number}"
        message = {"id": id, "parent": parent, "role": "assistant", "parts": parts}
        lines.append({"message": message})
        parent = id
    return _written(path, lines)


def write_titles(path: Path, texts: Sequence[str], word: str = "lantern") -> Path:
    """Write many short conversations: each text is a title, a project, a prompt and a search
    hit."""
    return _written(path, (line for n, text in enumerate(texts) for line in _short(n, text, word)))


def _short(number: int, text: str, word: str) -> Iterator[Json]:
    id = f"short-{number}"
    yield {"conversation": {"id": id, "format": None, "title": text}}
    yield {"head": {"id": id, "kind": "title", "title": text, "time": when(number)}}
    context = {"cwd": f"/home/{text}", "git_branch": text}
    prompt = {
        "id": f"{id}-p",
        "role": "user",
        "parts": [{"part": "text", "text": f"{word} {text}"}],
    }
    yield {"message": {**prompt, "context": context, "time": when(number), "model": text}}


def write_lists(path: Path, texts: Sequence[str]) -> Path:
    """Write one message in which each text is a task, a written file and a line of another file."""
    todos = [
        {"content": text, "active_form": f"{text} now", "status": "in_progress"} for text in texts
    ]
    calls: list[tuple[str, Json]] = [
        ("Write", {"file_path": f"/w/{number}/{text}", "content": text})
        for number, text in enumerate(texts)
    ]
    lines = [" ".join(text.split()) for text in texts]
    before, after = "\n".join(lines), "\n".join(f"{line} x" for line in lines)
    calls += [
        ("Write", {"file_path": "/w/all", "content": before}),
        ("Edit", {"file_path": "/w/all", "old_string": before, "new_string": after}),
    ]
    asked = [
        {"part": "tool_call", "name": name, "input": given, "id": f"c{number}"}
        for number, (name, given) in enumerate(calls)
    ]
    gave = [
        {"part": "tool_result", "output": [{"part": "text", "text": "ok"}], "call": each["id"]}
        for each in asked
    ]
    lists = {"role": "assistant", "todos": todos, "time": when(1)}
    return _written(
        path,
        [
            {"conversation": {"id": "lists", "format": None, "title": "lists"}},
            {"message": {"id": "a", "role": "user", "parts": [], "time": when(0)}},
            {"message": {"id": "b", "parent": "a", "parts": asked, **lists}},
            {"message": {"id": "c", "parent": "b", "role": "user", "parts": gave}},
        ],
    )


def _talk(id: str, said: Sequence[Say], title: str) -> Iterator[Json]:
    yield {"conversation": {"id": id, "format": None, "title": title}}
    yield {"head": {"id": id, "kind": "title", "title": title}}
    yield from _lost(said[:60])
    parent: str | None = None
    for number, say in enumerate(said):
        name = f"{id}-m{number}"
        asked, answered = messages(say, name, parent, 4 * number)
        if number % 3 == 0:
            text = f"{say('other way')} {KEY}" if number < 30 else say("other way")
            other = {"id": f"{name}-b", "parent": parent, "role": "user"}
            yield {
                "message": {
                    **other,
                    "parts": [{"part": "text", "text": text}],
                    "time": when(4 * number),
                }
            }
        yield {"message": asked}
        yield {"message": answered}
        parent = f"{name}-r"


def _lost(said: Sequence[Say]) -> Iterator[Json]:
    """Return messages with problems; the problem reports name them."""
    for number, say in enumerate(said):
        id, parent = f"{say('id')}{number}", f"{say('lost parent')}{number}"
        words = [{"part": "text", "text": say("lost")}]
        yield {"message": {"id": id, "parent": parent, "role": say("role"), "parts": words}}


def _written(path: Path, lines: Iterable[Any]) -> Path:
    with path.open("w", encoding="ascii") as file:
        file.write('{"talktree":{"version":1}}\n')
        file.writelines(json.dumps(each) + "\n" for each in lines)
    return path


def convert(path: Path, folder: Path, to: str) -> Path:
    """Convert the conversation to another format."""
    made = folder / to / path.stem
    made.mkdir(parents=True)
    ending = {"studio": "json", "muse": "json", "studio-xml": "xml", "studio-text": "txt"}
    whole = (
        made if to in {"sage", "chatbuilder"} else made / f"{path.stem}.{ending.get(to, 'jsonl')}"
    )
    api.convert(api.read(path), whole, to=to)
    return whole
