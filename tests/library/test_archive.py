"""The archive: every version reads back, and equal content is stored once."""

from __future__ import annotations

import random
from contextlib import suppress
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from talktree.errors import Unreadable
from talktree.library.archive import compaction
from talktree.library.archive.chunk_hashes import chunk_hash
from talktree.library.archive.chunks import CHUNK, MOST, Chunker, ChunkSpan
from talktree.library.archive.codec import compress_chunk, compress_chunks
from tests.cases import examples
from tests.library.archives import Keeper, keeper, lines, marks_of

# compressing


@given(st.lists(st.binary(min_size=1, max_size=4000), min_size=1, max_size=9))
@examples(50)
def test_chunks_that_are_compressed_together_are_what_they_are_alone(datas: list[bytes]) -> None:
    assert compress_chunks(datas) == [compress_chunk(data) for data in datas]


# splitting


@given(st.integers(0, 9), st.lists(st.integers(1, 400_000), max_size=8), st.booleans())
@examples(20)
def test_cuts_depend_on_what_is_there_not_on_how_it_came(
    seed: int, sizes: list[int], marked: bool
) -> None:
    data = lines(seed, 3 * CHUNK)
    marks = marks_of(data) if marked else []
    chunker = Chunker()
    at = 0
    cuts: list[ChunkSpan] = []
    for size in [*sizes, len(data)]:
        here = [mark for mark in marks if at <= mark[0] < at + size]
        cuts += chunker.feed(data[at : at + size], here)
        at += size
    cuts += chunker.finish()
    once = Chunker()
    assert cuts == [*once.feed(data, marks), *once.finish()]
    assert b"".join(cut.data for cut in cuts) == data
    assert [cut.start for cut in cuts[1:]] == [cut.start + len(cut.data) for cut in cuts[:-1]]
    assert [mark for cut in cuts for mark in cut.marks] == [mark for _, mark in marks]
    assert all(cut.data.endswith(b"\n") and len(cut.data) <= MOST for cut in cuts)


@pytest.mark.parametrize(
    "data", [b"x" * (3 * CHUNK), b'[{"a":1},' * (CHUNK // 3), b"\n" * CHUNK * 2]
)
def test_anything_can_be_cut(data: bytes) -> None:
    chunker = Chunker(7)
    cuts = [*chunker.feed(data), *chunker.finish()]
    assert b"".join(cut.data for cut in cuts) == data
    assert cuts[0].start == 7
    assert max(len(cut.data) for cut in cuts) <= MOST + 48


def test_cuts_are_the_same_after_an_insertion() -> None:
    data = lines(1, 12 * CHUNK)
    place = data.index(b"\n", CHUNK) + 1
    changed = data[:place] + lines(2, 5000) + data[place:]
    hashes = []
    for each in (data, changed):
        chunker = Chunker()
        cuts = [*chunker.feed(each, marks_of(each)), *chunker.finish()]
        hashes.append({chunk_hash(cut.data) for cut in cuts})
    assert len(hashes[0] & hashes[1]) > len(hashes[0]) // 2


# storing


def test_a_file_reads_back_whole_and_in_parts(tmp_path: Path) -> None:
    data = lines(1, 5 * CHUNK)
    with keeper(tmp_path) as kept:
        generation = kept.put(kept.file(b"/a"), data)
        assert kept.archive.length(generation) == len(data)
        kept.archive.flush()
        assert kept.whole(generation) == data
        chosen = random.Random(3)
        for _ in range(60):
            start, length = chosen.randrange(len(data)), chosen.randrange(2 * CHUNK)
            expected = data[start : start + length]
            assert kept.archive.slice(generation, start, length) == expected
            assert b"".join(kept.archive.read(generation, start, length)) == expected
        assert kept.archive.slice(generation, len(data), 10) == b""
        assert kept.troubles() == []


def test_nothing_is_there_before_it_is_flushed(tmp_path: Path) -> None:
    with keeper(tmp_path) as kept:
        file = kept.file(b"/a")
        generation = kept.archive.begin(file)
        kept.archive.grow(generation, 0, b"one\n")
        kept.archive.record_version(generation, 4, 1, 1)
        assert kept.db.read("SELECT count(*) FROM generations") == [(0,)]
        fail(kept)
        assert kept.chunks() == 0
        assert kept.archive.length(generation) == 0
        kept.put(file, b"two\n")
        kept.archive.flush()
        assert kept.troubles() == []


def fail(kept: Keeper) -> None:
    """Flush in a transaction that is rolled back."""
    with suppress(RuntimeError), kept.db.transaction():
        kept.archive.flush()
        raise RuntimeError


def test_a_place_that_is_not_the_end_is_refused(tmp_path: Path) -> None:
    with keeper(tmp_path) as kept:
        generation = kept.put(kept.file(b"/a"), b"one\n")
        with pytest.raises(ValueError, match="ends at 4"):
            kept.archive.grow(generation, 3, b"x")


def test_existing_contents_are_not_stored_again(tmp_path: Path) -> None:
    data = lines(1, 4 * CHUNK)
    with keeper(tmp_path) as kept:
        kept.put(kept.file(b"/a"), data)
        kept.put(kept.file(b"/b"), data)
        kept.archive.flush()
        before = kept.chunks(), kept.stored()
        third = kept.put(kept.file(b"/c"), data + lines(2, 900))
        kept.archive.flush()
        assert kept.chunks() <= before[0] + 1
        assert kept.stored() < before[1] + CHUNK // 2
        assert kept.whole(third) == data + lines(2, 900)


@pytest.mark.parametrize("together", [True, False], ids=["one import", "two imports"])
def test_a_fork_under_another_name_costs_almost_nothing(tmp_path: Path, together: bool) -> None:
    data = lines(1, 6 * CHUNK)
    fork = lines(1, 6 * CHUNK, session="b" * 36)[3000:] + lines(9, 4000)
    assert data != fork
    with keeper(tmp_path) as kept:
        kept.put(kept.file(b"/a"), data)
        if not together:
            kept.archive.flush()
        generation = kept.put(kept.file(b"/b"), fork)
        kept.archive.flush()
        based = kept.db.read("SELECT sum(length(data)) FROM chunks WHERE base IS NOT NULL")
        assert based[0][0] < len(fork) / 16
        assert kept.whole(generation) == fork
        assert kept.troubles() == []


def test_a_document_that_is_saved_again_costs_what_changed(tmp_path: Path) -> None:
    document = b"[" + lines(1, CHUNK).replace(b"\n", b",") + b"0]"
    edited = document.replace(b"lamp ", b"candle ", 3)
    with keeper(tmp_path) as kept:
        file = kept.file(b"/a")
        kept.put(file, document, marked=False)
        kept.archive.flush()
        before = kept.stored()
        second = kept.put(file, edited, marked=False, seen=2)
        kept.archive.flush()
        third = kept.put(file, document, marked=False, seen=3)
        kept.archive.flush()
        assert kept.stored() < before * 1.1
        assert kept.whole(second) == edited
        assert kept.whole(third) == document
        assert kept.troubles() == []


# compression


def test_a_tail_of_small_chunks_becomes_one(tmp_path: Path) -> None:
    with keeper(tmp_path) as kept:
        generation = kept.put(kept.file(b"/a"), b"")
        said = b""
        for number in range(compaction.MANY * 2):
            kept.grow(generation, part := lines(number, 700), seen=number)
            said += part
            kept.archive.flush()
            assert kept.whole(generation) == said
        assert kept.chunks() <= compaction.MANY
        assert kept.troubles() == []
        fork = kept.put(kept.file(b"/b"), said.replace(b"a" * 36, b"b" * 36))
        kept.archive.flush()
        based = kept.db.read("SELECT count(*) FROM chunks WHERE base IS NOT NULL")
        assert based == [(1,)], "landmarks went along"
        assert kept.whole(fork) == said.replace(b"a" * 36, b"b" * 36)


def test_a_small_chunk_that_others_have_too_stays_when_it_is_packed(tmp_path: Path) -> None:
    with keeper(tmp_path) as kept:
        first = kept.put(kept.file(b"/a"), lines(0, 700))
        second = kept.put(kept.file(b"/b"), lines(0, 700))
        kept.archive.flush()
        for number in range(1, compaction.MANY):
            kept.grow(first, lines(number, 700))
            kept.archive.flush()
        assert kept.db.read("SELECT count(*) FROM extents") == [(2,)]
        assert kept.whole(second) == lines(0, 700)
        assert kept.troubles() == []


def test_a_reader_continues_while_another_process_packs(tmp_path: Path) -> None:
    with keeper(tmp_path) as kept, keeper(tmp_path, write=False) as other:
        generation = kept.put(kept.file(b"/a"), lines(0, 700))
        kept.archive.flush()
        for number in range(1, compaction.MANY - 1):
            kept.grow(generation, lines(number, 700))
            kept.archive.flush()
        said = kept.whole(generation)
        reading = other.archive.read(generation)
        begun = next(reading)
        kept.grow(generation, lines(99, 700))
        kept.archive.flush()
        assert kept.chunks() == 1
        assert begun + b"".join(reading) == said


# any sequence

ACTIONS = st.one_of(
    st.tuples(st.just("grow"), st.integers(0, 3), st.integers(0, 5), st.integers(0, 30_000)),
    st.tuples(st.just("grow"), st.integers(0, 3), st.integers(0, 5), st.integers(0, 700_000)),
    st.tuples(st.just("copy"), st.integers(0, 3), st.integers(0, 3), st.integers(0, 2000)),
    st.tuples(st.just("replace"), st.integers(0, 3), st.integers(0, 5), st.integers(0, 400_000)),
    st.tuples(st.just("dribble"), st.integers(0, 3), st.integers(0, 5), st.integers(0, 40)),
    st.tuples(
        st.sampled_from(["flush", "reopen", "take_back"]), st.just(0), st.just(0), st.just(0)
    ),
)


class Model:
    """The expected content of the archive, kept beside it."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.kept = Keeper(path)
        self.files = [self.kept.file(b"/%d" % number) for number in range(4)]
        self.held: dict[int, bytes] = {}
        self.current: dict[int, int] = {}
        self.saved: tuple[dict[int, bytes], dict[int, int]] = ({}, {})

    def act(self, name: str, which: int, seed: int, size: int) -> None:
        """Apply one action to both."""
        getattr(self, name)(which, seed, size)

    def grow(self, which: int, seed: int, size: int) -> None:
        """Append to a file."""
        if which not in self.current:
            return self.replace(which, seed, size)
        generation = self.current[which]
        more = lines(seed, size)[:size]
        self.kept.grow(generation, more, marked=seed % 2 == 0)
        self.held[generation] += more
        return None

    def dribble(self, which: int, seed: int, size: int) -> None:
        """Append to a file in many small steps, each of which is imported."""
        for number in range(size):
            self.grow(which, seed * 100 + number, 300)
            self.flush(0, 0, 0)

    def replace(self, which: int, seed: int, size: int) -> None:
        """Replace the content of a file."""
        self._put(which, lines(seed, size)[:size], marked=seed % 2 == 0)

    def copy(self, which: int, other: int, size: int) -> None:
        """Copy a file under another name, without its beginning."""
        if other in self.current:
            data = self.held[self.current[other]].replace(b"a" * 36, b"b" * 36)
            self._put(which, data[size:], marked=True)

    def _put(self, which: int, data: bytes, *, marked: bool) -> None:
        generation = self.kept.put(self.files[which], data, marked=marked)
        self.held[generation] = data
        self.current[which] = generation

    def flush(self, *_: int) -> None:
        """Write everything."""
        self.kept.archive.flush()
        self.saved = (dict(self.held), dict(self.current))

    def take_back(self, *_: int) -> None:
        """Roll a transaction back: everything since the last one is lost."""
        fail(self.kept)
        self._back()

    def reopen(self, *_: int) -> None:
        """End the process and start another one."""
        self.kept.close()
        self.kept = Keeper(self.path)
        self._back()

    def _back(self) -> None:
        self.held, self.current = dict(self.saved[0]), dict(self.saved[1])
        for which, file in enumerate(self.files):
            generation = self.current.get(which)
            self.kept.db.run("UPDATE files SET generation = ? WHERE id = ?", (generation, file))

    def agree(self) -> None:
        """Check that every version of every generation is a prefix of its expected content."""
        self.flush()
        assert self.kept.troubles() == []
        rows = self.kept.db.read("SELECT generation, length FROM versions")
        assert {row[0] for row in rows} == set(self.held)
        for generation, length in rows:
            data = b"".join(self.kept.archive.read(generation, 0, length, verify=True))
            assert data == self.held[generation][:length]


@given(st.lists(ACTIONS, max_size=14))
@examples(30)
def test_every_version_reads_back_after_anything(
    tmp_path_factory: pytest.TempPathFactory, actions: list[tuple[str, int, int, int]]
) -> None:
    model = Model(tmp_path_factory.mktemp("any") / "library.sqlite")
    try:
        for action in actions:
            model.act(*action)
        model.agree()
    finally:
        model.kept.close()


# damage


def test_a_chunk_that_is_not_there_is_reported(tmp_path: Path) -> None:
    with keeper(tmp_path) as kept:
        generation = kept.put(kept.file(b"/tide\xff"), lines(1, 2 * CHUNK))
        kept.archive.flush()
        kept.db.run("DELETE FROM chunks WHERE id = 1")
        with pytest.raises(Unreadable, match="not in the archive"):
            kept.whole(generation)
        with pytest.raises(Unreadable, match="not in the archive"):
            kept.archive.slice(generation, 0, 9)
        (trouble,) = kept.troubles()
        assert trouble == "archive: /tide\\udcff: chunk 1 at byte 0 is missing or of another size"
