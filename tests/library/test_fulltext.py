"""The index on the disk: additions, deletions, commits, their visibility, and damage."""

from __future__ import annotations

import os
import signal
import stat
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from talktree.errors import LockHeld
from talktree.library.fulltext.index import CorruptIndex, FullText, PieceAddress
from talktree.library.fulltext.location import fulltext_folder, has_fulltext_index
from tests.cases import examples
from tests.library.shelves import piece

Document = tuple[int, int]


def _held(index: FullText) -> list[Document]:
    return [(place.source, place.at) for place, _ in index.documents()]


def _filled(root: Path, *documents: Document, text: str = "word") -> FullText:
    index = FullText.open(root, write=True)
    with index.writer() as writer:
        for source, at in documents:
            writer.add(source, piece(text, at=at))
        writer.commit()
    return index


def test_pieces_of_one_record_are_numbered(tmp_path: Path) -> None:
    index = FullText.open(tmp_path, write=True)
    with index.writer() as writer:
        for at, kind in ((0, "text"), (0, "call"), (7, "result"), (7, "text")):
            writer.add(1, piece("x", at=at, kind=kind))
        writer.add(2, piece("x", at=7, kind="todo"))
        writer.commit()
    assert list(index.documents()) == [
        (PieceAddress(1, 0, 0), "text"),
        (PieceAddress(1, 0, 1), "call"),
        (PieceAddress(1, 7, 0), "result"),
        (PieceAddress(1, 7, 1), "text"),
        (PieceAddress(2, 7, 0), "todo"),
    ]


def test_nothing_counts_before_it_is_committed(tmp_path: Path) -> None:
    index = _filled(tmp_path, (1, 0))
    writer = index.writer()
    writer.add(1, piece("word", at=5))
    writer.delete(1)
    assert _held(index) == [(1, 0)]
    writer.rollback()
    writer.commit()
    assert _held(index) == [(1, 0)]
    writer.delete(1)
    writer.commit()
    assert _held(index) == []
    writer.close()


steps = st.lists(
    st.one_of(
        st.tuples(st.just("add"), st.integers(1, 3), st.integers(0, 9)),
        st.tuples(st.just("delete"), st.integers(1, 3), st.integers(0, 9)),
        st.tuples(st.just("commit"), st.just(0), st.just(0)),
        st.tuples(st.just("again"), st.just(0), st.just(0)),
    ),
    max_size=25,
)


@examples(15)
@given(steps)
def test_deletions_apply_from_a_position_on(
    tmp_path_factory: pytest.TempPathFactory, done: list[tuple[str, int, int]]
) -> None:
    index = FullText.open(tmp_path_factory.mktemp("index"), write=True)
    writer = index.writer()
    expected: list[Document] = []
    for what, source, at in done:
        if what == "add":
            writer.add(source, piece("word", at=at))
            expected.append((source, at))
        elif what == "delete":
            writer.delete(source, at)
            expected = [each for each in expected if each[0] != source or each[1] < at]
        elif what == "commit":
            writer.commit()
            assert _held(index) == sorted(expected)
        else:
            writer.commit()
            writer.close()
            writer = index.writer()
    writer.commit()
    writer.close()
    assert _held(index) == sorted(expected)


def test_many_small_commits_stay_few_segments(tmp_path: Path) -> None:
    index = FullText.open(tmp_path, write=True)
    with index.writer() as writer:
        for at in range(24):
            writer.add(1, piece(f"word{at}", at=at))
            writer.commit()
    assert len(_held(index)) == 24
    assert index.searcher().num_segments < 12


def test_there_is_one_writer(tmp_path: Path) -> None:
    index = _filled(tmp_path)
    writer = index.writer()
    with pytest.raises(LockHeld):
        FullText.open(tmp_path).writer()
    writer.close()
    FullText.open(tmp_path).writer().close()


def test_a_writer_that_fails_lets_go(tmp_path: Path) -> None:
    index = _filled(tmp_path, (1, 0))

    def fail() -> None:
        with index.writer() as writer:
            writer.add(1, piece("word", at=5))
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        fail()
    assert _held(index) == [(1, 0)]
    index.writer().close()


def test_only_the_owner_may_read(tmp_path: Path) -> None:
    index = _filled(tmp_path, (1, 0))
    assert stat.S_IMODE(index.folder.stat().st_mode) == 0o700
    modes = {path.name: stat.S_IMODE(path.stat().st_mode) for path in index.folder.iterdir()}
    assert set(modes.values()) == {0o600}


def test_halves_of_characters_and_nothing_at_all_can_be_indexed(tmp_path: Path) -> None:
    index = FullText.open(tmp_path, write=True)
    with index.writer() as writer:
        writer.add(1, piece("a \ud800 b", at=0, files="/x\udcff.py"))
        writer.add(1, piece("", at=1, time=-5))
        writer.commit()
    assert _held(index) == [(1, 0), (1, 1)]


# other processes

READER = """
import sys
from pathlib import Path
from talktree.library.fulltext.index import FullText
index = FullText.open(Path(sys.argv[1]))
for line in sys.stdin:
    print(index.searcher().num_docs, flush=True)
"""
WRITER = """
import sys, itertools
from pathlib import Path
from talktree.library.fulltext.index import FullText
from tests.library.shelves import piece
index = FullText.open(Path(sys.argv[1]), write=True)
writer = index.writer()
for at in itertools.count():
    writer.add(1, piece(f"word {at}", at=at))
    if at % 20 == 19:
        writer.commit()
        print(at + 1, flush=True)
"""


def _process(code: str, root: Path) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-c", code, str(root)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        cwd=Path(__file__).parent.parent.parent,
    )


def _asked(reader: subprocess.Popen[str]) -> int:
    assert reader.stdin
    assert reader.stdout
    reader.stdin.write("\n")
    reader.stdin.flush()
    return int(reader.stdout.readline())


def test_another_process_sees_each_commit(tmp_path: Path) -> None:
    index = _filled(tmp_path, (1, 0))
    with _process(READER, tmp_path) as reader:
        assert _asked(reader) == 1
        with index.writer() as writer:
            for at in range(1, 12):
                writer.add(1, piece("word", at=at))
                assert _asked(reader) == at
                writer.commit()
                assert _asked(reader) == at + 1
        assert reader.stdin
        reader.stdin.close()


def test_a_writer_that_is_killed_loses_nothing_committed(tmp_path: Path) -> None:
    with _process(WRITER, tmp_path) as writer:
        assert writer.stdout
        for _ in range(5):
            committed = int(writer.stdout.readline())
        writer.send_signal(signal.SIGKILL)
        writer.wait()
    index = FullText.open(tmp_path, write=True)
    held = _held(index)
    assert held == [(1, at) for at in range(len(held))]
    assert len(held) >= committed
    with index.writer() as again:
        again.delete(1, len(held) // 2)
        again.commit()
    assert len(_held(index)) == len(held) // 2


# damage


def test_no_index_is_corrupt_for_a_reader_and_made_by_a_writer(tmp_path: Path) -> None:
    assert not has_fulltext_index(tmp_path)
    with pytest.raises(CorruptIndex) as raised:
        FullText.open(tmp_path)
    assert "reindex" in (raised.value.hint or "")
    FullText.open(tmp_path, write=True)
    assert has_fulltext_index(tmp_path)
    assert _held(FullText.open(tmp_path)) == []


@pytest.mark.parametrize("kind", ["meta.json", ".term", ".idx", ".pos", ".fast", ".fieldnorm"])
@pytest.mark.parametrize("damage", ["gone", "empty", "noise", "cut"])
def test_a_damaged_index_is_corrupt_and_can_be_made_anew(
    tmp_path: Path, kind: str, damage: str, capfd: pytest.CaptureFixture[str]
) -> None:
    _filled(tmp_path, *((1, at) for at in range(50)))
    for path in fulltext_folder(tmp_path).iterdir():
        if path.name.endswith(kind):
            data = path.read_bytes()
            if damage == "gone":
                path.unlink()
            else:
                spoilt = {"empty": b"", "noise": os.urandom(len(data)), "cut": data[:-9]}
                path.write_bytes(spoilt[damage])
    with pytest.raises(CorruptIndex):
        _held(FullText.open(tmp_path))
    anew = FullText.recreate(tmp_path)
    assert _held(anew) == []
    assert _held(_filled(tmp_path, (2, 0))) == [(2, 0)]


def test_an_index_that_vanishes_is_corrupt(tmp_path: Path) -> None:
    index = _filled(tmp_path, (1, 0))
    FullText.recreate(tmp_path)
    assert _held(index) == [], "another one is in its place"
    (index.folder / "meta.json").unlink()
    with pytest.raises(CorruptIndex):
        index.searcher()


def test_a_file_left_by_a_killed_writer_blocks_no_other_writer(tmp_path: Path) -> None:
    index = _filled(tmp_path, (1, 0), (2, 0))
    manifest = index.folder / "meta.json"
    before = manifest.read_bytes()
    with index.writer() as writer:
        writer.delete(1)
        writer.commit()
    # A kill before the manifest was replaced: the deletions are in a file that no manifest names.
    manifest.write_bytes(before)
    index = FullText.open(tmp_path, write=True)
    assert _held(index) == [(1, 0), (2, 0)]
    with index.writer() as writer:
        writer.delete(1)
        writer.commit()
    assert _held(index) == [(2, 0)]
