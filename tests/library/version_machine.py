"""Files that change in every way, and a library that must restore their content of each import.

The oracle is a dict of lists: the content of each file when it was imported. It does not use the
library. Each file begins with a unique line, so none is the beginning of another.
"""

from __future__ import annotations

import os
import re
import shutil
import signal
import tempfile
from pathlib import Path

from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, rule

from talktree.library.library import Library
from tests.library import made

NAMES = ("one.jsonl", "two.jsonl", "sub/three.jsonl")
names = st.sampled_from(NAMES)
words = st.sampled_from(("lamp", "tide", "wharf", "gull"))
counts = st.integers(1, 40)
before = st.sampled_from(("import", "sample", "nothing"))


def lines(name: str, word: str, count: int) -> bytes:
    """Return lines of a session, a separate one for each name."""
    session = made.Session(made.Truth(), 100 + NAMES.index(name))
    for number in range(count):
        session.say(f"{name} {word} {number} " + word * 60)
    return session.bytes()


class Remembering(RuleBasedStateMachine):
    """The state machine; it is run with small sizes."""

    def __init__(self) -> None:
        super().__init__()
        self.root = Path(tempfile.mkdtemp(prefix="talktree-versions-"))
        self.place = self.root / "place"
        (self.place / "sub").mkdir(parents=True)
        self.library = Library.open(self.root / "library", write=True)
        self.library.import_([self.place])
        self.imported: dict[str, list[bytes]] = {}
        """The content of each file at the imports that compared all of it, without repetitions."""
        self.forgotten: set[str] = set()
        """The names of forgotten conversations that were not readmitted."""
        self.kept: set[str] = set()
        """The names of all files that were imported, also those that were only sampled."""
        self.sampled: set[bytes] = set()
        """Contents of files at imports that compared samples: versions of them may be missing."""

    def at(self, name: str) -> Path:
        return self.place / name

    # changes

    @rule(name=names, word=words, count=counts)
    def write(self, name: str, word: str, count: int) -> None:
        self.at(name).write_bytes(lines(name, word, count))

    def ready(self, name: str, how: str) -> None:
        """Make sure that the file exists and is imported, since changes only matter then."""
        if not self.at(name).exists():
            self.at(name).write_bytes(lines(name, "pier", 20))
        if how == "import":
            self.import_()
        elif how == "sample":
            self.import_samples()

    def extend(self, name: str, word: str, count: int) -> None:
        with self.at(name).open("ab") as file:
            file.write(lines(name, word, count))

    @rule(name=names, how=before, word=words, count=counts)
    def append(self, name: str, how: str, word: str, count: int) -> None:
        self.ready(name, how)
        self.extend(name, word, count)

    @rule(name=names, how=before, share=st.floats(0, 1), word=words)
    def edit_in_place_and_grow(self, name: str, how: str, share: float, word: str) -> None:
        self.ready(name, how)
        self.same_size(name, share)
        self.extend(name, word, 1)

    @rule(name=names, how=before, share=st.floats(0, 1))
    def same_size_and_mtime(self, name: str, how: str, share: float) -> None:
        self.ready(name, how)
        about = self.at(name).stat()
        self.same_size(name, share)
        os.utime(self.at(name), ns=(about.st_atime_ns, about.st_mtime_ns))

    def same_size(self, name: str, share: float) -> None:
        """Change one letter of a text in place."""
        path = self.at(name)
        data = path.read_bytes()
        places = [found.end() for found in re.finditer(rb" \d+ (?=[a-z])", data)]
        at = places[int(share * (len(places) - 1))]
        with path.open("r+b") as file:
            file.seek(at)
            file.write(b"q" if data[at : at + 1] != b"q" else b"z")

    @rule(name=names, word=words, count=counts)
    def replace(self, name: str, word: str, count: int) -> None:
        new = self.root / "new"
        new.write_bytes(lines(name, word, count))
        os.replace(new, self.at(name))

    @rule(name=names)
    def delete(self, name: str) -> None:
        self.at(name).unlink(missing_ok=True)

    # the library

    @rule()
    def import_(self) -> None:
        self.library.import_()
        self.remember()

    @rule()
    def import_again(self) -> None:
        self.import_()
        done = self.library.import_()
        assert (done.bytes_read, done.changed) == (0, False)

    @rule()
    def import_samples(self) -> None:
        """Import as `watch` does while files grow."""
        self.library.import_(quiet=3600)
        there = [n for n in NAMES if self.at(n).exists() and n not in self.forgotten]
        self.kept.update(there)
        self.sampled |= {self.at(name).read_bytes() for name in there}

    @rule(beats=st.integers(1, 6))
    def kill(self, beats: int) -> None:
        """Import in another process that is killed, and complete it with a second import."""
        self.library.close()
        child = os.fork()
        if child == 0:
            left = beats

            def end(*_: int) -> None:
                nonlocal left
                left -= 1
                if left <= 0:
                    os.kill(os.getpid(), signal.SIGKILL)

            try:
                with Library.open(self.root / "library", write=True) as library:
                    library.import_(pulse=end)
            finally:
                os._exit(0)
        os.waitpid(child, 0)
        self.library = Library.open(self.root / "library", write=True)
        self.import_()

    @rule(name=names)
    def forget(self, name: str) -> None:
        for kept in [*self.library.conversations()]:
            if kept.raw_path == os.fsencode(self.at(name)):
                assert self.library.forget(kept).left == ()
                self.forgotten.add(name)
        self.imported.pop(name, None)
        self.copy(name).unlink(missing_ok=True)
        self.kept.discard(name)
        assert not any(
            hit.raw_path == os.fsencode(self.at(name))
            for hit in self.library.search(name, limit=None)
        )

    @rule(name=names, move=st.booleans())
    def move_or_copy_forgotten(self, name: str, move: bool) -> None:
        """Move or copy the file of a forgotten conversation to another name."""
        if name in self.forgotten and self.at(name).exists():
            shutil.copyfile(self.at(name), self.copy(name))
            if move:
                self.at(name).unlink()

    @rule(name=names, by_number=st.booleans())
    def readmit(self, name: str, by_number: bool) -> None:
        if name in self.forgotten:
            self.copy(name).unlink(missing_ok=True)
            only = len(self.forgotten) == 1 and by_number
            known = self.library.list_forgotten()
            self.library.readmit(str(known[-1].number) if only else str(self.at(name)))
            self.forgotten.discard(name)

    def copy(self, name: str) -> Path:
        return self.place / f"copy-of-{name.replace('/', '-')}"

    def remember(self) -> None:
        """Record what was just imported."""
        for name in NAMES:
            if self.at(name).exists() and name not in self.forgotten:
                self.kept.add(name)
                data, known = self.at(name).read_bytes(), self.imported.setdefault(name, [])
                if not known or known[-1] != data:
                    known.append(data)

    # the laws

    @invariant()
    def nothing_else_is_listed(self) -> None:
        listed = {os.fsdecode(kept.raw_path) for kept in self.library.conversations()}
        assert {str(self.at(name)) for name in self.imported} <= listed
        assert listed <= {str(self.at(name)) for name in NAMES}
        assert sum(1 for _ in self.library.conversations()) == len(listed)

    def teardown(self) -> None:
        try:
            self.import_()
            for name, wanted in self.imported.items():
                self.check_versions(name, wanted)
            assert len([*self.library.conversations()]) == len(self.kept)
            assert self.library.check() == []
        finally:
            self.library.close()
            shutil.rmtree(self.root)

    def check_versions(self, name: str, wanted: list[bytes]) -> None:
        """Check that every version is a content of the file, and none that was compared is
        missing."""
        kept = self.library.conversation(str(self.at(name)))
        found = []
        for version in self.library.versions(kept):
            if version.verified:
                into = self.root / f"was-{name.replace('/', '-')}-{version.number}"
                (path,) = self.library.restore(kept, into, version=version.number)
                found.append(path.read_bytes())
        left = iter(found)
        for each in wanted:
            for one in left:
                if one == each:
                    break
                assert one in self.sampled, f"{name}: a version that the file never had"
            else:
                raise AssertionError(f"{name}: a version is missing")
        assert all(one in self.sampled for one in left)
