"""Files that grow, shrink, move and vanish in any order, and a library that follows them.

The law: whatever happened and whenever was imported in between, the library reports the same about
existing files as a library that was just made from them.
"""

from __future__ import annotations

import json
import os
import shutil
import tempfile
from functools import cache
from pathlib import Path

from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, rule

from talktree.library.library import Library
from tests.library import made
from tests.library.picture import here, picture, sums, sums_anew

NAMES = (b"one.jsonl", b"two.jsonl", b"sub/three.jsonl", b"sub/\xff\xfe.jsonl")
files = st.sampled_from(NAMES)
WORDS = ("lamp", "tide*", "is:error", "tool:bash")


@cache
def pool() -> tuple[bytes, ...]:
    """Return lines of many kinds: sessions, a fork with the same replies, and some that are
    broken."""
    with tempfile.TemporaryDirectory() as folder:
        truth = made.history(Path(folder))
        lines = [line for path in truth.files for line in path.read_bytes().splitlines(True)]
    title = b'{"type":"summary","summary":"x"}\n'
    odd = [b"\n", b"{}\n", b'{"type":"user"\n', b"\xff\xfe\n", title]
    return (*lines, *odd)


lines = st.lists(st.integers(0, 95), min_size=1, max_size=6)


def content(numbers: list[int]) -> bytes:
    """Generate some lines of the pool."""
    known = pool()
    return b"".join(known[number % len(known)] for number in numbers)


class Following(RuleBasedStateMachine):
    """The state machine; its files are in a separate folder."""

    def __init__(self) -> None:
        super().__init__()
        self.root = Path(tempfile.mkdtemp(prefix="talktree-follow-"))
        self.place = self.root / "place"
        (self.place / "sub").mkdir(parents=True)
        self.library = Library.open(self.root / "library", write=True)
        self.scratch = 0

    def at(self, name: bytes) -> bytes:
        return os.fsencode(self.place) + b"/" + name

    @initialize(numbers=lines)
    def begin(self, numbers: list[int]) -> None:
        self.write(self.at(NAMES[0]), content(numbers), "wb")
        self.library.import_([self.place])

    def write(self, path: bytes, data: bytes, mode: str) -> None:
        with open(path, mode) as file:
            file.write(data)

    # files of lines

    @rule(name=files, numbers=lines, half=st.integers(0, 400))
    def append(self, name: bytes, numbers: list[int], half: int) -> None:
        data = content(numbers)
        self.write(self.at(name), data[: len(data) - half] if half < len(data) else data, "ab")

    @rule(name=files)
    def end_the_line(self, name: bytes) -> None:
        if os.path.exists(self.at(name)):
            self.write(self.at(name), b"\n", "ab")

    @rule(name=files, share=st.floats(0, 1))
    def truncate(self, name: bytes, share: float) -> None:
        if os.path.exists(self.at(name)):
            os.truncate(self.at(name), int(os.path.getsize(self.at(name)) * share))

    @rule(name=files, numbers=lines)
    def rewrite(self, name: bytes, numbers: list[int]) -> None:
        self.write(self.at(name), content(numbers), "wb")

    @rule(name=files, numbers=lines)
    def replace(self, name: bytes, numbers: list[int]) -> None:
        self.write(self.at(b"new"), content(numbers), "wb")
        os.replace(self.at(b"new"), self.at(name))

    @rule(name=files)
    def same_again(self, name: bytes) -> None:
        """Replace a file by another one with the same bytes."""
        if os.path.exists(self.at(name)):
            shutil.copy2(self.at(name), self.at(b"new"))
            os.replace(self.at(b"new"), self.at(name))

    @rule(name=files)
    def touch(self, name: bytes) -> None:
        if os.path.exists(self.at(name)):
            os.utime(self.at(name))

    @rule(name=files, to=files)
    def rename(self, name: bytes, to: bytes) -> None:
        if os.path.exists(self.at(name)):
            os.replace(self.at(name), self.at(to))

    @rule(name=files, to=files)
    def copy(self, name: bytes, to: bytes) -> None:
        if os.path.exists(self.at(name)) and name != to:
            shutil.copyfile(self.at(name), self.at(to))

    @rule(name=files)
    def delete(self, name: bytes) -> None:
        if os.path.exists(self.at(name)):
            os.unlink(self.at(name))

    @rule(name=files)
    def junk(self, name: bytes) -> None:
        self.write(self.at(name), b"no conversation\n", "wb")

    # other formats

    @rule(number=st.integers(1, 4), words=st.sampled_from(["tea", "milk", "sugar lamp"]))
    def say_in_chat(self, number: int, words: str) -> None:
        (self.place / "chat").mkdir(exist_ok=True)
        text = f"; role: user\n\n{words}\n" if number % 2 else f"; role: assistant\n\n{words}\n"
        (self.place / "chat" / f"{number}.md").write_text(text)

    @rule(number=st.integers(1, 4))
    def unsay_in_chat(self, number: int) -> None:
        (self.place / "chat" / f"{number}.md").unlink(missing_ok=True)

    @rule(name=st.sampled_from(["sage", "studio", "muse"]))
    def bring(self, name: str) -> None:
        other = next(each for each in made.OTHERS if each.slug == name)
        target = self.place / other.path.name
        if (made.DATA / other.path).is_dir():
            shutil.copytree(made.DATA / other.path, target, dirs_exist_ok=True)
        else:
            shutil.copyfile(made.DATA / other.path, target)

    @rule(whole=st.booleans(), words=st.sampled_from(["a lamp", "the tides"]))
    def say_in_sage(self, whole: bool, words: str) -> None:
        path = self.place / "session-tide-table" / "messages.jsonl"
        if path.exists():
            line = json.loads(path.read_bytes().splitlines()[0])
            line["uuid"] = f"more-{path.stat().st_size}"
            line["message"] = {"role": "user", "content": [{"type": "text", "text": words}]}
            data = json.dumps(line).encode() + b"\n"
            self.write(os.fsencode(path), data if whole else data[:-30], "ab")

    @rule(name=st.sampled_from(["session-tide-table", "chat"]))
    def remove_folder(self, name: str) -> None:
        shutil.rmtree(self.place / name, ignore_errors=True)

    # the library

    @rule()
    def import_(self) -> None:
        self.library.import_()

    @rule()
    def import_again(self) -> None:
        self.library.import_()
        done = self.library.import_()
        assert (done.records, done.pieces, done.bytes_read, done.changed) == (0, 0, 0, False)

    @rule()
    def reopen(self) -> None:
        self.library.close()
        self.library = Library.open(self.root / "library", write=True)

    @rule()
    def compare(self) -> None:
        """Check the law."""
        self.library.import_()
        self.scratch += 1
        with Library.open(self.root / f"scratch{self.scratch}", write=True) as anew:
            anew.import_([self.place])
            assert here(picture(self.library, words=WORDS)) == picture(anew, words=WORDS)
        assert sums(self.library) == sums_anew(self.library)
        on_disk = {
            path: data
            for reported in here(picture(self.library)).values()
            for path, data in reported["files"].items()
        }
        for path, data in on_disk.items():
            with open(path, "rb") as file:
                assert file.read() == data

    def teardown(self) -> None:
        try:
            self.compare()
            assert self.library.check(read_data=True) == []
        finally:
            self.library.close()
            shutil.rmtree(self.root)
