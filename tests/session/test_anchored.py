"""Nothing outside a folder can be reached through it: with the kernel's check and by walking."""

from __future__ import annotations

import os
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from talktree.errors import NotFound, PathEscapes, Unreadable
from talktree.files import sandbox_open
from talktree.files.sandbox import Anchor, check_path


@pytest.fixture(params=["kernel", "walk"])
def anchor(
    request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Iterator[Anchor]:
    """Return a folder `in` with some files, beside a folder `out` that must not be reached."""
    if request.param == "walk":
        monkeypatch.setattr(sandbox_open, "_find_openat2", lambda: None)
    inside, outside = tmp_path / "in", tmp_path / "out"
    (inside / "d" / "e").mkdir(parents=True)
    (inside / "d" / "f").write_bytes(b"f")
    outside.mkdir()
    (outside / "secret").write_bytes(b"secret")
    (inside / "to-folder").symlink_to(outside)
    (inside / "to-file").symlink_to(outside / "secret")
    (inside / "to-inside").symlink_to("d")
    (inside / "magic").symlink_to("/proc/self/cwd")
    with Anchor(inside) as made:
        yield made


THROUGH_LINKS = [b"to-folder/secret", b"to-inside/f", b"to-inside/e/x", b"magic/x", b"to-file/x"]


@pytest.mark.parametrize("path", THROUGH_LINKS)
def test_links_on_the_way_are_refused(anchor: Anchor, path: bytes) -> None:
    for edit in (
        lambda: anchor.open(path, os.O_RDONLY),
        lambda: anchor.open(path, os.O_WRONLY | os.O_CREAT),
        lambda: anchor.lstat(path),
        lambda: anchor.readlink(path),
        lambda: anchor.mkdir(path),
        lambda: anchor.rmdir(path),
        lambda: anchor.unlink(path),
        lambda: anchor.symlink(b"x", path),
        lambda: anchor.chmod(path, 0o777),
        lambda: anchor.rename(b"d/f", path),
        lambda: anchor.rename(path, b"new"),
        lambda: list(anchor.entries(path)),
        lambda: anchor.open_anchor(path),
    ):
        with pytest.raises(PathEscapes):
            edit()
    assert (anchor.path / "d" / "f").read_bytes() == b"f"
    assert os.listdir(anchor.path.parent / "out") == ["secret"]


@pytest.mark.parametrize("path", [b"to-folder", b"to-file", b"to-inside"])
def test_a_link_itself_is_never_followed(anchor: Anchor, path: bytes) -> None:
    for flags in (os.O_RDONLY, os.O_WRONLY | os.O_CREAT, os.O_RDONLY | os.O_DIRECTORY):
        with pytest.raises((PathEscapes, NotADirectoryError)):
            anchor.open(path, flags)
    found = anchor.lstat(path)
    assert found is not None
    assert (found.st_mode & 0o170000) == 0o120000
    assert anchor.readlink(path) == os.readlink(os.path.join(os.fsencode(anchor.path), path))
    with pytest.raises(OSError):
        anchor.chmod(path, 0o777)


@pytest.mark.parametrize(
    "path", [b"", b".", b"..", b"a/..", b"../out/secret", b"/etc/passwd", b"a//b", b"a/", b"a\0"]
)
def test_paths_that_are_not_plain_are_refused(anchor: Anchor, path: bytes) -> None:
    for edit in (anchor.lstat, anchor.unlink, anchor.mkdir, anchor.readlink, anchor.open_anchor):
        with pytest.raises(PathEscapes):
            edit(path)


@pytest.mark.parametrize("path", [b"x" * 256, b"/".join([b"x" * 200] * 30)])
def test_paths_that_are_too_long_are_refused(anchor: Anchor, path: bytes) -> None:
    with pytest.raises(PathEscapes):
        anchor.lstat(path)


@given(st.binary(max_size=40))
def test_a_checked_path_has_only_names(path: bytes) -> None:
    try:
        parts = check_path(path).split(b"/")
    except PathEscapes:
        assert path.startswith(b"/") or b"\0" in path or {b"", b".", b".."} & set(path.split(b"/"))
    else:
        assert not {b"", b".", b".."} & set(parts)
        assert os.path.normpath(b"/r/" + path) == b"/r/" + path


def test_the_usual_work(anchor: Anchor) -> None:
    top = anchor.path
    anchor.mkdir(b"new", 0o700)
    fd = anchor.open(b"new/\xff", os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o640)
    assert not os.get_inheritable(fd)
    os.close(fd)
    anchor.chmod(b"new/\xff", 0o4751)
    found = anchor.lstat(b"new/\xff")
    assert found is not None
    assert found.st_mode & 0o7777 == 0o4751
    anchor.rename(b"new/\xff", b"moved")
    anchor.symlink(b"anything", b"new/link")
    assert anchor.readlink(b"new/link") == b"anything"
    assert {entry.name for entry in anchor.entries(b"new")} == {"link"}
    assert "moved" in {entry.name for entry in anchor.entries()}
    anchor.unlink(b"new/link")
    anchor.rmdir(b"new")
    assert anchor.lstat(b"new") is None
    assert anchor.lstat(b"moved/not/a/folder") is None
    assert anchor.lstat(b"no/where") is None
    with anchor.open_anchor(b"d") as inner:
        assert inner.path == top / "d"
        assert inner.lstat(b"f") is not None
    with pytest.raises(Unreadable):
        anchor.open_anchor(b"d/f")


def test_the_folder_stays_the_same_when_it_is_renamed(anchor: Anchor) -> None:
    os.rename(anchor.path, anchor.path.parent / "elsewhere")
    assert anchor.lstat(b"d/f") is not None


def test_an_anchor_is_a_real_folder(tmp_path: Path) -> None:
    (tmp_path / "real").mkdir()
    (tmp_path / "file").write_bytes(b"")
    (tmp_path / "link").symlink_to("real")
    with pytest.raises(PathEscapes):
        Anchor(tmp_path / "link")
    with pytest.raises(PathEscapes):
        Anchor(tmp_path / "link", create=True)
    with pytest.raises(Unreadable):
        Anchor(tmp_path / "file")
    with pytest.raises(NotFound):
        Anchor(tmp_path / "nothing")
    with Anchor(tmp_path / "a" / "b", create=True) as made:
        assert made.path.stat().st_mode & 0o777 == 0o700
        found = made.path.stat()
        assert made.identity == (found.st_dev, found.st_ino)


def test_a_folder_that_is_swapped_for_a_link_all_the_time_never_leads_out(
    anchor: Anchor,
) -> None:
    """A process swaps `d` and a link out as fast as it can; only what is inside is ever opened."""
    top, stop = anchor.path, threading.Event()
    (top / "d" / "secret").write_bytes(b"inside")

    def swap() -> None:
        while not stop.is_set():
            os.rename(top / "d", top / "aside")
            os.symlink(top.parent / "out", top / "d")
            os.unlink(top / "d")
            os.rename(top / "aside", top / "d")

    swapper = threading.Thread(target=swap)
    swapper.start()
    try:
        read = set()
        for _ in range(1000):
            try:
                fd = anchor.open(b"d/secret", os.O_RDONLY)
            except (OSError, PathEscapes):
                continue
            read.add(os.read(fd, 100))
            os.close(fd)
    finally:
        stop.set()
        swapper.join()
    assert read <= {b"inside"}
