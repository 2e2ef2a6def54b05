"""Any order of writers, other programs and accidents: no whole line is lost, no byte vanishes."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import TypeAlias

import pytest
from hypothesis import given
from hypothesis import strategies as st

from talktree.session.journal.journal import Journal
from talktree.session.journal.lines import verify_seal
from tests.cases import examples
from tests.session.journals import opened, quarantined, served

Step: TypeAlias = tuple[str, int]
STEPS = st.lists(
    st.tuples(
        st.sampled_from(
            [
                *["append"] * 6,
                *["several", "inside", "reopen", "theirs", "no newline", "torn", "nuls", "blank"],
                *["lock gone", "lock scribbled", "swapped", "cut"],
            ]
        ),
        st.integers(0, 2),
    ),
    max_size=14,
)


class World:
    """A session, three handles of it, and its expected content."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.path = folder / "messages.jsonl"
        self.expected: list[bytes] = []
        self.handles = [self._handle(at) for at in range(3)]
        self.made = 0

    def _handle(self, at: int) -> Journal:
        return opened(self.folder, "safe" if at == 0 else "fast")

    def do(self, name: str, at: int) -> None:
        """Run one action."""
        steps: dict[str, Callable[[int], None]] = {
            "append": lambda at: self._append(at, 1),
            "several": lambda at: self._append(at, 3),
            "inside": self._inside,
            "reopen": self._reopen,
            "theirs": lambda _: self._theirs(b'{"theirs":%d}' % self.made, b"\n"),
            "no newline": lambda _: self._theirs(b'{"theirs":%d}' % self.made, b""),
            "torn": lambda _: self._half(b'{"ha'),
            "nuls": lambda _: self._half(b"\0\0\0"),
            "blank": lambda _: self._add(b"\n"),
            "lock gone": lambda _: (self.folder / "lock").unlink(missing_ok=True),
            "lock scribbled": lambda at: void(
                (self.folder / "lock").write_bytes(b"\xff" * 99 * at)
            ),
            "swapped": lambda _: self._swapped(),
            "cut": lambda _: self._cut(),
        }
        self.made += 1
        steps[name](at)

    def _append(self, at: int, count: int) -> None:
        values = [b'{"at":%d,"number":%d}' % (at, self.made * 10 + each) for each in range(count)]
        places = self.handles[at].append("messages", *values)
        data = self.path.read_bytes()
        for place, value in zip(places, values, strict=True):
            line = data[place.start : place.start + place.length]
            assert line.startswith(value[:-1])
            assert verify_seal(line) == (place.number, "good")
            self.expected.append(line)

    def _inside(self, at: int) -> None:
        with self.handles[at].append_lock():
            self._append(at, 1)
            self._append(at, 2)

    def _reopen(self, at: int) -> None:
        self.handles[at].close()
        self.handles[at] = self._handle(at)

    def _add(self, data: bytes) -> None:
        with open(self.path, "ab") as file:
            file.write(data)

    def _ends(self) -> bool:
        """Whether the next append of another program begins a new line."""
        data = self.path.read_bytes() if self.path.exists() else b""
        return not data or data.endswith((b"\n", b"\0"))

    def _theirs(self, line: bytes, end: bytes) -> None:
        if self._ends():
            self._add(line + end)
            self.expected.append(line)

    def _half(self, data: bytes) -> None:
        if self._ends():
            self._add(data)

    def _swapped(self) -> None:
        """Rewrite the file as another program does, like an editor."""
        if self.path.exists():
            shutil.copyfile(self.path, self.folder / "copy")
            os.replace(self.folder / "copy", self.path)

    def _cut(self) -> None:
        """Remove the last line as another program does."""
        if self.expected and self.path.exists():
            data = self.path.read_bytes()
            last = data.rindex(self.expected.pop())
            os.truncate(self.path, last)

    def check(self) -> None:
        """Check that all whole lines are served, once each and in order."""
        found = [line.raw for line in served(self.folder)]
        assert [line for line in found if line.endswith(b"}")] == self.expected

    def close(self) -> None:
        for handle in self.handles:
            handle.close()
            handle.folder.close()


def void(_: object) -> None:
    """Do nothing."""


@examples(50, torture=2000)
@given(STEPS)
def test_any_sequence_of_actions_keeps_the_laws(
    tmp_path_factory: pytest.TempPathFactory, steps: list[Step]
) -> None:
    folder = tmp_path_factory.mktemp("session")
    world = World(folder)
    try:
        for step in steps:
            world.do(*step)
            world.check()
        world.do("append", 0)
        world.check()
        for moved in quarantined(folder):
            assert moved.strip(b'\0\n{"ha') == b""
    finally:
        world.close()
        shutil.rmtree(folder)
