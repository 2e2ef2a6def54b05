"""A probe of one path: its current state, never through a link, never a partial change."""

from __future__ import annotations

import os
import threading
from collections.abc import Iterator
from hashlib import sha256
from pathlib import Path

import pytest

from talktree.errors import PathEscapes
from talktree.files.sandbox import Anchor
from talktree.session.capture.blobs import PIECE, WHOLE, Contents
from talktree.session.capture.file_state import (
    ABSENT,
    FileContentState,
    Folder,
    LinkState,
    State,
    UnknownState,
)
from talktree.session.capture.limits import Limits
from talktree.session.capture.path_probe import read_state

LIMITS = Limits()
NO_ONE = 65534


@pytest.fixture
def work(tmp_path: Path) -> Iterator[Anchor]:
    with Anchor(tmp_path / "work", create=True) as made:
        yield made


def seen(work: Anchor, path: bytes, limits: Limits = LIMITS) -> State:
    return read_state(work, path, None, limits)


def test_each_kind_of_thing(work: Anchor) -> None:
    (work.path / "file").write_bytes(b"\0\xff\r\n")
    (work.path / "file").chmod(0o4755)
    (work.path / "folder").mkdir(mode=0o750)
    (work.path / "link").symlink_to("no/where")
    os.symlink(b"odd\xff", os.path.join(os.fsencode(work.path), b"odd\xfe"))
    os.mkfifo(work.path / "pipe")
    hash = sha256(b"\0\xff\r\n").hexdigest()
    assert seen(work, b"file") == FileContentState(hash=hash, size=4, mode=0o4755)
    assert seen(work, b"folder") == Folder(mode=0o750)
    assert seen(work, b"link") == LinkState(target=b"no/where")
    assert seen(work, b"odd\xfe") == LinkState(target=b"odd\xff")
    assert seen(work, b"pipe") == UnknownState("a FIFO")
    assert seen(work, b"nothing") == ABSENT
    assert seen(work, b"file/below") == ABSENT
    with pytest.raises(PathEscapes):
        seen(work, b"link/below")


def test_a_device_is_not_opened(work: Anchor) -> None:
    try:
        os.mknod(work.path / "zero", 0o20666, os.makedev(1, 5))
    except PermissionError:
        pytest.skip("NOT RUN: making a device needs more rights")
    assert seen(work, b"zero") == UnknownState("a device")


@pytest.mark.parametrize("size", [0, 1, WHOLE, WHOLE + 1, WHOLE + PIECE])
def test_looking_gives_what_keeping_gives(work: Anchor, tmp_path: Path, size: int) -> None:
    (work.path / "f").write_bytes(b"ab" * (size // 2) + b"c" * (size % 2))
    with Anchor(tmp_path / "store", create=True) as store:
        contents = Contents(store)
        assert read_state(work, b"f", contents, LIMITS) == seen(work, b"f")
        contents.close()


def test_limits_are_inclusive(work: Anchor) -> None:
    (work.path / "f").write_bytes(b"12345")
    assert isinstance(seen(work, b"f", Limits(largest_file=5)), FileContentState)
    assert isinstance(seen(work, b"f", Limits(largest_file=4)), UnknownState)
    os.truncate(work.path / "f", LIMITS.largest_file + 1)
    assert seen(work, b"f") == UnknownState("larger than 2 GiB")


def test_a_file_that_goes_on_changing_is_unknown_or_as_it_was_once(
    work: Anchor, tmp_path: Path
) -> None:
    """It is overwritten from its beginning: at any time it has two digits, the newer first."""
    place, stop, size = work.path / "f", threading.Event(), 3_000_000
    place.write_bytes(b"0" * size)

    def change() -> None:
        number = 0
        with place.open("rb+", buffering=0) as file:
            while not stop.is_set():
                number = (number + 1) % 10
                file.seek(0)
                file.write(b"%d" % number * size)

    changing = threading.Thread(target=change)
    with Anchor(tmp_path / "store", create=True) as store:
        contents = Contents(store)
        changing.start()
        try:
            states = [read_state(work, b"f", contents, LIMITS) for _ in range(15)]
        finally:
            stop.set()
            changing.join()
        contents.flush()
        for state in states:
            if isinstance(state, FileContentState):
                data = b"".join(contents.pieces(state))
                new, old = data[0] - 48, data[-1] - 48
                assert data == b"%d" % new * data.count(data[:1]) + b"%d" % old * (
                    size - data.count(data[:1])
                )
                assert new == old or new == (old + 1) % 10
            else:
                assert isinstance(state, UnknownState)
        contents.close()
    assert isinstance(seen(work, b"f"), FileContentState)


def test_a_path_that_changes_its_kind_all_the_time(work: Anchor) -> None:
    place, stop = work.path / "f", threading.Event()

    def change() -> None:
        while not stop.is_set():
            place.symlink_to("/etc/passwd")
            place.unlink()
            place.mkdir()
            place.rmdir()
            place.write_bytes(b"plain")
            place.unlink()
            os.mkfifo(place)
            place.unlink()

    changing = threading.Thread(target=change)
    changing.start()
    try:
        states = [seen(work, b"f") for _ in range(300)]
    finally:
        stop.set()
        changing.join()
    plain = {sha256(b"plain").hexdigest(), sha256(b"").hexdigest()}
    assert all(state.hash in plain for state in states if isinstance(state, FileContentState))
    assert all(state.target == b"/etc/passwd" for state in states if isinstance(state, LinkState))


@pytest.mark.skipif(os.geteuid() != 0, reason="NOT RUN: only root can become somebody else")
def test_unreadable_paths_are_unknown(work: Anchor) -> None:
    (work.path / "secret").write_bytes(b"x")
    (work.path / "secret").chmod(0)
    (work.path / "closed").mkdir()
    (work.path / "closed" / "f").write_bytes(b"x")
    (work.path / "closed").chmod(0)
    work.path.chmod(0o755)
    child = os.fork()
    if child == 0:
        try:
            os.setgid(NO_ONE)
            os.setuid(NO_ONE)
            states = [seen(work, b"secret"), seen(work, b"closed/f")]
            good = all(isinstance(state, UnknownState) for state in states)
            os._exit(0 if good and isinstance(seen(work, b"closed"), Folder) else 1)
        finally:
            os._exit(2)
    assert os.waitpid(child, 0)[1] == 0
