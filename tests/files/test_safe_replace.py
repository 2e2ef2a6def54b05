"""Files are replaced only if they are unchanged since they were read."""

from __future__ import annotations

from pathlib import Path

import pytest

from talktree.errors import ChangedMeanwhile
from talktree.files import load
from talktree.files.safe_replace import back_up_file, replace_files


def test_only_what_differs_is_replaced(tmp_path: Path) -> None:
    root = tmp_path / "talk"
    root.mkdir()
    for name in ("a", "b"):
        (root / name).write_bytes(name.encode())
    untouched = (root / "a").stat()
    new = {"a": [b"a"], "b": [b"b", b"!"], "c": [b"c"]}
    done = replace_files(load(root), root, lambda: new)
    assert done.changed == [root / "b", root / "c"]
    (backup,) = done.backups
    assert backup.read_bytes() == b"b"
    backup.unlink()
    assert {path.name: path.read_bytes() for path in root.iterdir()} == {
        "a": b"a",
        "b": b"b!",
        "c": b"c",
    }
    assert (root / "a").stat().st_ino == untouched.st_ino


@pytest.mark.parametrize("now", [b"old and more", b"new", b""])
def test_a_file_that_changed_meanwhile_stays(tmp_path: Path, now: bytes) -> None:
    path = tmp_path / "talk"
    path.write_bytes(b"old")
    source = load(path)
    path.write_bytes(now)
    with pytest.raises(ChangedMeanwhile):
        replace_files(source, path, lambda: {"talk": [b"mine"]})
    assert path.read_bytes() == now
    assert list(tmp_path.iterdir()) == [path]


def test_a_file_that_is_being_written_stays(tmp_path: Path) -> None:
    path = tmp_path / "talk"
    path.write_bytes(b"old")
    source = load(path)
    with open(path, "ab"), pytest.raises(ChangedMeanwhile):
        replace_files(source, path, lambda: {"talk": [b"mine"]})
    assert path.read_bytes() == b"old"


def test_no_backup_is_made_of_what_the_caller_keeps(tmp_path: Path) -> None:
    path = tmp_path / "talk"
    path.write_bytes(b"old")
    done = replace_files(load(path), path, lambda: {"talk": [b"mine"]}, backup=False)
    assert (done.changed, done.backups) == ([path], [])
    assert list(tmp_path.iterdir()) == [path]


def test_a_link_stays_a_link_when_its_file_is_replaced(tmp_path: Path) -> None:
    path, link = tmp_path / "talk", tmp_path / "link"
    path.write_bytes(b"old")
    link.symlink_to(path)
    replace_files(load(link), link, lambda: {"talk": [b"mine"]})
    assert link.is_symlink()
    assert path.read_bytes() == b"mine"


def test_a_backup_is_the_same(tmp_path: Path) -> None:
    path = tmp_path / "talk"
    path.write_bytes(b"old")
    first, second = back_up_file(path, "now"), back_up_file(path, "now")
    assert first != second
    assert first.read_bytes() == second.read_bytes() == b"old"
