"""One writer at a time, rebuilding indexes, and forgetting."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from talktree.errors import LockHeld
from talktree.library.library import Library
from tests.library import made
from tests.library.picture import picture, sums, sums_anew


def test_two_processes_do_not_write_concurrently(tmp_path: Path, library: Library) -> None:
    made.small(tmp_path)
    second = Library.open(tmp_path / "library", write=True)
    with second, second.lock.hold(), pytest.raises(LockHeld):
        library.import_([tmp_path / "projects"], wait=0.05)
    assert library.import_().new == 1
    with Library.open(tmp_path / "library", write=True) as second, second.lock.hold():
        assert library.import_(wait=0).unchanged == 1


def test_a_lost_or_broken_full_text_is_made_again(tmp_path: Path, library: Library) -> None:
    made.history(tmp_path)
    made.others(tmp_path / "others")
    library.import_([tmp_path])
    before = picture(library)
    for damage in ("remove", "garble"):
        library.close()
        for path in (tmp_path / "library" / "fulltext" / "1").iterdir():
            if damage == "remove":
                path.unlink()
            elif path.name == "meta.json":
                path.write_bytes(b"garbled")
        library = Library.open(tmp_path / "library", write=True)
        if damage == "garble":
            made.append(
                made.small(tmp_path / "z", 9).save(tmp_path / "z"),
                made.small(tmp_path, 10).lines[0],
            )
        library.import_()
        after = picture(library)
        assert {path: after[path] for path in before} == before
    library.close()


def test_reindex_gives_the_same_result(tmp_path: Path, library: Library) -> None:
    truth = made.history(tmp_path)
    made.others(tmp_path / "others")
    library.import_([tmp_path])
    truth.files[0].unlink()
    library.import_()
    before, added = picture(library), sums(library)
    library.reindex()
    assert picture(library) == before
    assert sums(library) == added == sums_anew(library)


def test_forgotten_conversations_are_nowhere(tmp_path: Path, library: Library) -> None:
    made.history(tmp_path)
    library.import_([tmp_path])
    kept = library.conversation(made.session_id(3))
    library.forget(kept)
    assert os.fsencode(kept.raw_path) not in picture(library)
    assert all(hit.source != kept.source for hit in library.search("neap", limit=None))
    assert sums(library) == sums_anew(library)
    assert library.check(read_data=True) == []
