"""Conversations made of hostile texts, in our own format and from there in every other."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from itertools import count
from pathlib import Path
from typing import Any

from talktree import api
from tests.browser.hostile.places import Json, Say, messages, when

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
"""Texts that stand together in the collection are of one kind; a few should be of all kinds."""
KEY = "sk-ant-api03-" + "Ab3dE9" * 16
"""A secret, so that there is something to say about sharing."""


def same(text: str) -> Say:
    """The same text in every place."""
    return lambda place: text


def taking_turns(texts: Sequence[str]) -> Iterator[Say]:
    """Messages without end: another text in every place of each, until all were everywhere."""
    numbers: dict[str, int] = {}
    for start in count(step=MOST_PLACES):

        def say(place: str, start: int = start) -> str:
            number = start + numbers.setdefault(place, len(numbers))
            return texts[number * STRIDE % len(texts)]

        yield say


def marker(place: str) -> str:
    """A word that says in which place it stands."""
    return f"zq{place.replace(' ', '')}qz"


def write_talk(path: Path, said: Sequence[Say], title: str) -> Path:
    """One conversation: a branch of all, and beside every third message a short other way."""
    return _written(path, _talk(path.stem, said, title))


def write_titles(path: Path, texts: Sequence[str]) -> Path:
    """Many short conversations: each text is a title, a project, a prompt and what is found."""
    return _written(path, (line for n, text in enumerate(texts) for line in _short(n, text)))


def _short(number: int, text: str) -> Iterator[Json]:
    id = f"short-{number}"
    yield {"conversation": {"id": id, "format": None, "title": text}}
    yield {"head": {"id": id, "kind": "title", "title": text, "time": when(number)}}
    context = {"cwd": f"/home/{text}", "git_branch": text}
    prompt = {
        "id": f"{id}-p",
        "role": "user",
        "parts": [{"part": "text", "text": f"lantern {text}"}],
    }
    yield {"message": {**prompt, "context": context, "time": when(number), "model": text}}


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
    """Messages with which something is wrong; what is said about it names them."""
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
    """The same conversation in another format."""
    made = folder / to / path.stem
    made.mkdir(parents=True)
    ending = {"studio": "json", "muse": "json", "studio-xml": "xml", "studio-text": "txt"}
    whole = (
        made if to in {"sage", "chatbuilder"} else made / f"{path.stem}.{ending.get(to, 'jsonl')}"
    )
    api.convert(api.read(path), whole, to=to)
    return whole
