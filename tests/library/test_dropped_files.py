"""Files that were dropped on the studio are forgotten and scrubbed; all other files stay."""

from __future__ import annotations

import gzip
import json
from pathlib import Path

import pytest

from talktree.library.dropped_files import dropped_files_folder, is_dropped
from talktree.library.library import Library

WORD = "velvet-otter-secret"


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return tmp_path / "library"


def dropped(root: Path, name: str, data: bytes) -> Path:
    """Return a file as the studio stores it."""
    folder = dropped_files_folder(root)
    folder.mkdir(mode=0o700, exist_ok=True)
    path = folder / name
    path.write_bytes(data)
    path.chmod(0o600)
    return path


def session(uuid: str, text: str) -> bytes:
    """Return a session of Claude Code with one prompt."""
    line = {
        "parentUuid": None, "isSidechain": False, "userType": "external", "cwd": "/work",
        "sessionId": uuid, "version": "2.0.0", "type": "user", "uuid": uuid,
        "message": {"role": "user", "content": text}, "timestamp": "2026-01-01T10:00:00.000Z",
    }  # fmt: skip
    return json.dumps(line).encode() + b"\n"


ONE = "0a0a0a0a-1111-4111-8111-000000000001"
TWO = "0a0a0a0a-1111-4111-8111-000000000002"


def test_forgetting_erases_the_dropped_copy_and_no_other_file(root: Path, tmp_path: Path) -> None:
    mine = tmp_path / "mine.jsonl"
    mine.write_bytes(session(ONE, f"say {WORD}"))
    copy = dropped(root, "sent.jsonl", mine.read_bytes())
    other = dropped(root, "other.jsonl", session(TWO, "something else"))
    with Library.open(root, write=True) as library:
        library.import_([copy.parent, mine])
        assert len(list(library.conversations())) == 3
        library.forget(library.conversation(str(copy)))
        left = {Path(each.path) for each in library.conversations()}
    assert (copy.exists(), mine.exists(), other.exists(), left) == (False, True, True, {other})


def test_a_folder_that_was_dropped_goes_whole(root: Path) -> None:
    folder = dropped_files_folder(root) / "project"
    (folder / "nested").mkdir(parents=True)
    path = folder / "nested" / f"{ONE}.jsonl"
    path.write_bytes(session(ONE, f"say {WORD}"))
    with Library.open(root, write=True) as library:
        library.import_([folder])
        library.forget(library.conversation(ONE))
    assert not any(
        WORD.encode() in each.read_bytes() for each in folder.rglob("*") if each.is_file()
    )


@pytest.mark.parametrize("packed", [False, True])
def test_scrubbing_masks_the_dropped_copy(root: Path, tmp_path: Path, packed: bool) -> None:
    data = session(ONE, f"say {WORD} twice: {WORD}")
    stars = data.replace(WORD.encode(), b"*" * len(WORD))
    pack = gzip.compress if packed else bytes
    unpack = gzip.decompress if packed else bytes
    mine = tmp_path / "mine.jsonl"
    mine.write_bytes(data)
    copy = dropped(root, "sent.jsonl.gz" if packed else "sent.jsonl", pack(data))
    with Library.open(root, write=True) as library:
        library.import_([copy.parent, mine])
        looked = library.scrub(WORD, preview=True)
        assert unpack(copy.read_bytes()) == data
        done = library.scrub(WORD)
    assert unpack(copy.read_bytes()) == stars
    assert copy.stat().st_mode & 0o777 == 0o600
    assert mine.read_bytes() == data
    assert set(done.on_disk) == set(looked.on_disk) == {bytes(mine)}


def test_a_refused_scrub_changes_no_dropped_file(root: Path) -> None:
    data = session(ONE, f"say {WORD}")
    copy = dropped(root, "sent.jsonl", data)
    with Library.open(root, write=True) as library:
        library.import_([copy])
        with pytest.raises(Exception, match="nothing was changed"):
            library.scrub("sessionId")
    assert copy.read_bytes() == data


def test_paths_that_lead_out_are_not_dropped(root: Path, tmp_path: Path) -> None:
    folder = dropped_files_folder(root)
    (folder / "in").mkdir(parents=True)
    outside = tmp_path / "outside"
    outside.mkdir()
    (folder / "link").symlink_to(outside)
    assert is_dropped(root, bytes(folder / "in" / "a.jsonl"))
    assert is_dropped(root, bytes(folder / "link"))
    assert not is_dropped(root, bytes(folder / "link" / "a.jsonl"))
    assert not is_dropped(root, bytes(folder / ".." / "a.jsonl"))
    assert not is_dropped(root, bytes(folder))
