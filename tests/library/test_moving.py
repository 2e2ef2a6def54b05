"""Files that move between imports stay the same conversations, and do not replace others."""

from __future__ import annotations

import json
import os
from pathlib import Path

from talktree.library.library import Library
from tests.library import made
from tests.library.picture import here, picture
from tests.library.test_importing import fresh, line, read_nothing


def test_a_moved_file_is_the_same_conversation(tmp_path: Path, library: Library) -> None:
    path = made.small(tmp_path, words="a curlew").save(tmp_path)
    library.import_([tmp_path / "projects"])
    source = library.conversation(str(path)).source
    moved = path.with_name("elsewhere.jsonl")
    path.rename(moved)
    made.append(moved, line("a godwit"))
    done = library.import_()
    assert (done.moved, done.new, done.gone, done.records) == (1, 0, 0, 1)
    assert library.conversation(str(moved)).source == source
    assert [hit.raw_path for hit in library.search("curlew")] == [os.fsencode(moved)]
    assert here(picture(library)) == here(picture(fresh(tmp_path, tmp_path / "projects")))


def test_a_file_moves_to_where_another_was_no_conversation(
    tmp_path: Path, library: Library
) -> None:
    path = made.small(tmp_path, words="a curlew").save(tmp_path)
    junk = path.with_name("junk.jsonl")
    junk.write_text("no conversation\n")
    library.import_([tmp_path / "projects"])
    source = library.conversation(str(path)).source
    path.replace(junk)
    done = library.import_()
    assert (done.moved, done.new, done.gone, done.failed) == (1, 0, 0, [])
    assert library.conversation(str(junk)).source == source
    assert here(picture(library)) == here(picture(fresh(tmp_path, tmp_path / "projects")))
    assert read_nothing(library.import_())


def test_a_file_that_is_another_when_it_has_moved_is_new(tmp_path: Path, library: Library) -> None:
    path = made.small(tmp_path, words="a curlew").save(tmp_path)
    junk = path.with_name("junk.jsonl")
    junk.write_text("no conversation\n")
    library.import_([tmp_path / "projects"])
    path.write_bytes(path.read_bytes().replace(b"curlew", b"godwit"))
    path.replace(junk)
    done = library.import_()
    assert (done.moved, done.new, done.gone, done.failed) == (0, 1, 1, [])
    assert here(picture(library)) == here(picture(fresh(tmp_path, tmp_path / "projects")))
    assert {hit.here for hit in library.search("curlew")} == {False}
    assert read_nothing(library.import_())


def test_a_file_moves_to_where_something_is_kept(tmp_path: Path, library: Library) -> None:
    """What is stored under a name is never dropped for a file that gets the name later."""
    first = made.small(tmp_path, words="a curlew").save(tmp_path)
    other = first.with_name("other.jsonl")
    other.write_bytes(first.read_bytes().replace(b"curlew", b"godwit"))
    library.import_([tmp_path / "projects"])
    other.unlink()
    library.import_()
    first.rename(other)
    library.import_()
    assert here(picture(library)) == here(picture(fresh(tmp_path, tmp_path / "projects")))
    assert {hit.here for hit in library.search("curlew")} == {True, False}
    assert library.check(read_data=True) == []


def test_an_id_from_a_file_name_follows_the_moved_file(tmp_path: Path, library: Library) -> None:
    folder = tmp_path / "projects"
    folder.mkdir()
    path = folder / "two.jsonl"
    path.write_text(json.dumps(line("a plover"))[:-2])
    library.import_([folder])
    before = library.conversation(str(path))
    path.rename(folder / "three.jsonl")
    done = library.import_()
    after = library.conversation(str(folder / "three.jsonl"))
    assert (done.moved, done.new) == (1, 0)
    assert (before.id, after.id) == ("two", "three")
    assert here(picture(library)) == here(picture(fresh(tmp_path, folder)))
    assert read_nothing(library.import_())
