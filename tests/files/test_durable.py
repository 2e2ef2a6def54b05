"""Files that are complete or absent, and the detection of file systems."""

from __future__ import annotations

import os
import threading
from pathlib import Path

import pytest

from talktree.files.durable import (
    UNFINISHED,
    copy_range,
    create_whole,
    make_temporary_name,
    replace,
    sync_filesystem,
    sync_folder,
    write_all,
)
from talktree.files.locking import find_network_file_system
from talktree.files.sandbox import Anchor


def test_replacing_makes_and_replaces(tmp_path: Path) -> None:
    with Anchor(tmp_path) as anchor:
        (tmp_path / "sub").mkdir()
        for path in (b"file", b"sub/file"):
            replace(anchor, path, b"one")
            os.chmod(tmp_path / os.fsdecode(path), 0o644)
            replace(anchor, path, b"two", 0o640)
            there = tmp_path / os.fsdecode(path)
            assert there.read_bytes() == b"two"
            assert there.stat().st_mode & 0o777 == 0o640
    assert sorted(path.name for path in tmp_path.rglob("*")) == ["file", "file", "sub"]


def test_an_unfinished_write_leaves_the_old_file(tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(b"old")
    folder = os.open(tmp_path, os.O_RDONLY)

    def fill(fd: int) -> None:
        write_all(fd, b"half")
        raise OSError("no more")

    with pytest.raises(OSError, match="no more"):
        create_whole(folder, b"file", fill)
    os.close(folder)
    assert [(path.name, path.read_bytes()) for path in tmp_path.iterdir()] == [("file", b"old")]


def test_a_link_is_replaced_and_not_followed(tmp_path: Path) -> None:
    (tmp_path / "outside").write_bytes(b"mine")
    (tmp_path / "inside").mkdir()
    (tmp_path / "inside" / "link").symlink_to(tmp_path / "outside")
    with Anchor(tmp_path / "inside") as anchor:
        replace(anchor, b"link", b"new")
    assert (tmp_path / "outside").read_bytes() == b"mine"
    assert not (tmp_path / "inside" / "link").is_symlink()


def test_short_writes_are_continued() -> None:
    """A non-blocking pipe accepts what fits; a reader makes room for the rest."""
    reading, writing = os.pipe()
    data = os.urandom(1 << 20)
    got: list[bytes] = []

    def read() -> None:
        while block := os.read(reading, 5000):
            got.append(block)

    reader = threading.Thread(target=read)
    reader.start()
    write_all(writing, data)
    os.close(writing)
    reader.join()
    os.close(reading)
    assert b"".join(got) == data


def test_copying_a_range(tmp_path: Path) -> None:
    data = os.urandom(3 << 20)
    (tmp_path / "one").write_bytes(data)
    with open(tmp_path / "one", "rb") as one, open(tmp_path / "two", "wb") as two:
        copy_range(one.fileno(), 5, len(data) - 7, two.fileno())
        assert (tmp_path / "two").read_bytes() == data[5:-7]
        with pytest.raises(OSError, match="ended"):
            copy_range(one.fileno(), 0, len(data) + 1, two.fileno())


def test_names_of_unfinished_files_are_known_and_differ() -> None:
    names = {make_temporary_name(b"x" * 255) for _ in range(100)}
    assert len(names) == 100
    assert all(name.startswith(UNFINISHED.encode()) and len(name) <= 255 for name in names)


def test_syncing(tmp_path: Path) -> None:
    sync_folder(tmp_path)
    fd = os.open(tmp_path, os.O_RDONLY)
    sync_folder(fd)
    assert sync_filesystem(fd) in (True, False)
    assert find_network_file_system(fd) is None or isinstance(find_network_file_system(fd), str)
    os.close(fd)
    with pytest.raises(OSError, match="descriptor"):
        sync_filesystem(fd)
    assert find_network_file_system(fd) is None
