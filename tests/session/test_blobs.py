"""Blobs: stored byte for byte, under their hashes."""

from __future__ import annotations

import os
import tempfile
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from hashlib import sha256
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from talktree.errors import NotSaved, PathEscapes, Unreadable
from talktree.files.sandbox import Anchor
from talktree.session.capture.blobs import MANY, PIECE, WHOLE, Contents
from talktree.session.capture.file_state import FileContentState
from tests.cases import examples
from tests.session.trees import CASES


@contextmanager
def contents_in(top: Path) -> Iterator[Contents]:
    with Anchor(top) as folder:
        made = Contents(folder)
        yield made
        made.close()


@pytest.fixture
def contents(tmp_path: Path) -> Iterator[Contents]:
    with contents_in(tmp_path) as made:
        yield made


def keep(contents: Contents, data: bytes) -> FileContentState:
    with tempfile.TemporaryFile() as file:
        file.write(data)
        file.seek(0)
        hash, size, chunks = contents.keep(file.fileno(), len(data))
    return FileContentState(hash=hash, size=size, mode=0o644, chunks=chunks)


sizes = st.one_of(
    st.integers(0, 100),
    st.sampled_from([WHOLE - 1, WHOLE, WHOLE + 1, WHOLE + PIECE, WHOLE + PIECE + 1]),
)


@examples(CASES // 4)
@given(st.lists(st.tuples(sizes, st.binary(max_size=30)), max_size=4))
def test_stored_contents_are_returned_byte_for_byte(made: list[tuple[int, bytes]]) -> None:
    with tempfile.TemporaryDirectory() as top, contents_in(Path(top)) as contents:
        wanted = [(seed + bytes(size))[:size] for size, seed in made]
        files = [keep(contents, data) for data in wanted]
        contents.flush()
        for data, file in zip(wanted, files, strict=True):
            assert b"".join(contents.pieces(file)) == data
            assert file.hash == sha256(data).hexdigest()
            assert bool(file.chunks) == (len(data) > WHOLE)
            assert contents.find_problem(file) is None
            assert contents.has_content(file)
        for name in contents.list_hashes():
            path = Path(top) / "backups" / f"{name}.backup"
            assert sha256(path.read_bytes()).hexdigest() == name
            assert path.stat().st_mode & 0o777 == 0o600
        assert list(contents.list_unfinished()) == []
    assert os.path.exists(top) is False


def test_nothing_has_a_name_before_it_is_settled(contents: Contents) -> None:
    file = keep(contents, b"hello")
    assert list(contents.list_hashes()) == []
    assert contents.find_problem(file) is not None
    contents.flush()
    assert list(contents.list_hashes()) == [file.hash]
    assert contents.size_of(file.hash) == 5


def test_existing_outputs_are_not_written_again(contents: Contents, tmp_path: Path) -> None:
    file = keep(contents, b"hello")
    contents.flush()
    path = tmp_path / "backups" / f"{file.hash}.backup"
    inode = path.stat().st_ino
    os.utime(path, (1, 1))
    with contents_in(tmp_path) as other:
        assert keep(other, b"hello") == file
        other.flush()
        assert path.stat().st_ino == inode
        assert other.modified_at(file.hash) > 1, "its time of grace begins again"


def test_large_files_share_their_pieces(contents: Contents) -> None:
    body = bytes(WHOLE) + b"1"
    one, two = keep(contents, body), keep(contents, body + b"2")
    contents.flush()
    assert len(set(one.chunks) | set(two.chunks)) == 3
    assert len(list(contents.list_hashes())) == 3


def test_a_content_that_was_cut_off_is_written_again(contents: Contents, tmp_path: Path) -> None:
    file = keep(contents, b"hello")
    contents.flush()
    (tmp_path / "backups" / f"{file.hash}.backup").write_bytes(b"")
    assert contents.find_problem(file) is not None
    with contents_in(tmp_path) as other:
        keep(other, b"hello")
        other.flush()
        assert other.find_problem(file) is None


def test_damage_is_found_and_said(contents: Contents, tmp_path: Path) -> None:
    file, large = keep(contents, b"hello"), keep(contents, b"1" + bytes(WHOLE + 5))
    contents.flush()
    path = tmp_path / "backups" / f"{file.hash}.backup"
    path.write_bytes(b"jello")
    assert "is damaged" in (contents.find_problem(file) or "")
    with pytest.raises(Unreadable):
        list(contents.pieces(file))
    path.unlink()
    assert "is missing" in (contents.find_problem(file) or "")
    path.symlink_to("/etc/passwd")
    assert "is a link" in (contents.find_problem(file) or "")
    path.unlink()
    os.mkfifo(path)
    assert contents.find_problem(file) is not None
    shuffled = FileContentState(hash=large.hash, size=large.size, mode=0, chunks=large.chunks[::-1])
    assert "do not make the content" in (contents.find_problem(shuffled) or "")
    evil = FileContentState(hash="../../../etc/passwd".ljust(64, "x"), size=1, mode=0)
    assert "no name of a content" in (contents.find_problem(evil) or "")


def test_a_link_in_place_of_the_folder_is_refused(tmp_path: Path) -> None:
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "session").mkdir()
    (tmp_path / "session" / "backups").symlink_to(tmp_path / "elsewhere")
    with Anchor(tmp_path / "session") as folder, pytest.raises(PathEscapes):
        Contents(folder)
    assert os.listdir(tmp_path / "elsewhere") == []


def test_modes_are_for_the_owner_alone_whatever_the_mask(tmp_path: Path) -> None:
    mask = os.umask(0)
    try:
        with contents_in(tmp_path) as contents:
            file = keep(contents, b"x")
            contents.flush()
    finally:
        os.umask(mask)
    folder = tmp_path / "backups"
    assert folder.stat().st_mode & 0o777 == 0o700
    assert (folder / f"{file.hash}.backup").stat().st_mode & 0o777 == 0o600


def test_many_contents_and_many_threads(contents: Contents) -> None:
    kept: list[FileContentState] = []

    def work(start: int) -> None:
        numbers = range(start, start + MANY + 10)
        kept.extend(keep(contents, b"%d" % number) for number in numbers)
        contents.flush()

    threads = [threading.Thread(target=work, args=(start * 20,)) for start in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert all(contents.find_problem(file) is None for file in kept)
    assert list(contents.list_unfinished()) == []


def test_a_failure_is_an_error_for_all_callers_and_leaves_no_files(tmp_path: Path) -> None:
    with contents_in(tmp_path) as contents:
        keep(contents, b"mine")
        other = threading.Thread(target=lambda: keep(contents, b"theirs"))
        other.start()
        other.join()
        for name in list(contents.list_unfinished()):
            (tmp_path / "backups" / name).unlink()
        with pytest.raises(NotSaved):
            contents.flush()
        assert list(contents.list_hashes()) == []
        assert list(contents.list_unfinished()) == []
        # The next one works again.
        file = keep(contents, b"mine")
        contents.flush()
        assert contents.find_problem(file) is None


def test_a_sparse_file(contents: Contents) -> None:
    with tempfile.TemporaryFile() as file:
        file.truncate(40 << 20)
        hash, size, chunks = contents.keep(file.fileno(), 40 << 20)
    contents.flush()
    assert len(set(chunks)) == 1
    assert (
        contents.find_problem(FileContentState(hash=hash, size=size, mode=0, chunks=chunks)) is None
    )


def test_a_damaged_content_is_replaced_when_it_is_kept_again(tmp_path: Path) -> None:
    with contents_in(tmp_path) as contents:
        file = keep(contents, b"what was there")
        contents.flush()
    damaged = tmp_path / "backups" / f"{file.hash}.backup"
    damaged.write_bytes(b"what was hurt!")
    with contents_in(tmp_path) as contents:
        assert contents.find_problem(file) is not None
        keep(contents, b"what was there")
        contents.flush()
        assert contents.find_problem(file) is None
