"""Document caches for tests: of given files, and of a Claude Code session that grows in many
ways."""

from __future__ import annotations

import json
import random
import uuid
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from talktree.web.documents.cache import DocumentCache

DATA = Path(__file__).parent.parent / "data"
STAMP = "2026-05-04T{:02d}:{:02d}:{:02d}.000Z"


@contextmanager
def make_cache(root: Path, paths: Sequence[Path]) -> Iterator[DocumentCache]:
    """Open a document cache over a library of these paths."""
    cache = DocumentCache(root, write=True)
    try:
        with cache.open_for_writing() as library:
            library.import_(list(paths))
        yield cache
    finally:
        cache.close()


def grow(cache: DocumentCache, path: Path) -> None:
    """Import what is new."""
    with cache.open_for_writing() as library:
        library.import_([path])


class Talk:
    """Lines of a session: prompts, replies in pieces, parallel calls, forks, notes, sub-agents."""

    def __init__(self, seed: int) -> None:
        self._random = random.Random(seed)
        self._ids: list[str] = []
        self._clock = 0
        self.last: str | None = None

    def lines(self, count: int) -> list[str]:
        """Return at least a number of lines."""
        out: list[str] = []
        while len(out) < count:
            out += (json.dumps(line) for line in self._turn())
        return out

    def _turn(self) -> Iterator[dict[str, Any]]:
        chance = self._random.random()
        if chance < 0.15 and len(self._ids) > 4:
            self.last = self._random.choice(self._ids[-12:])
        yield self._line("user", {"role": "user", "content": f"prompt {len(self._ids)}"})
        prompt = self.last
        for _ in range(self._random.randint(0, 3)):
            yield from self._round()
        if chance > 0.9:
            yield from self._side()
        if chance > 0.8:
            back, self.last = self.last, prompt
            yield self._line("progress", None, data={"type": "hook"})
            self.last = back
        yield self._reply([{"type": "text", "text": f"done **{len(self._ids)}**"}])

    def _round(self) -> Iterator[dict[str, Any]]:
        """Add calls of one reply in pieces, their results each on its call."""
        api, calls = f"msg_{uuid.UUID(int=self._random.getrandbits(128))}", []
        for number in range(self._random.randint(1, 3)):
            use = f"toolu_{len(self._ids)}_{number}"
            block = {"type": "tool_use", "id": use, "name": "Bash", "input": {"command": "ls"}}
            yield self._reply([block], api)
            calls.append((self.last, use))
        self._random.shuffle(calls)
        for parent, use in calls:
            if self._random.random() < 0.1:
                continue
            self.last = parent
            result = {"type": "tool_result", "tool_use_id": use, "content": f"out of {use}"}
            yield self._line("user", {"role": "user", "content": [result]})

    def _side(self) -> Iterator[dict[str, Any]]:
        back = self.last
        for role in ("user", "assistant"):
            line = self._line(role, {"role": role, "content": "aside"})
            yield {**line, "isSidechain": True}
        self.last = back

    def _reply(self, blocks: list[Any], api: str | None = None) -> dict[str, Any]:
        id = api or f"msg_{len(self._ids)}"
        usage = {"input_tokens": 10, "output_tokens": len(self._ids)}
        said = {"id": id, "role": "assistant", "model": "claude-x", "content": blocks}
        return self._line("assistant", {**said, "usage": usage})

    def _line(self, type: str, message: Any, **more: Any) -> dict[str, Any]:
        self._clock += self._random.randint(1, 9)
        id = str(uuid.UUID(int=self._random.getrandbits(128)))
        parent, self.last = self.last, id
        self._ids.append(id)
        line = {
            "type": type,
            "uuid": id,
            "parentUuid": parent,
            "sessionId": "5a1e0000-0000-4000-8000-000000000001",
            "timestamp": STAMP.format(
                self._clock // 3600, self._clock // 60 % 60, self._clock % 60
            ),
            "isSidechain": False,
            "cwd": "/home/ida/shop",
            "version": "2.0.0",
            **more,
        }
        return line if message is None else {**line, "message": message}
