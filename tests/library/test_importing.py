"""Imports: new, grown, replaced, missing and unreadable files; and what an import may not do."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from talktree.errors import NotFound
from talktree.library.importing import import_run, lines
from talktree.library.importing.archive_writer import GUARD
from talktree.library.importing.result import ImportProgress, ImportResult
from talktree.library.library import Library
from tests.library import made
from tests.library.picture import here, picture


def fresh(tmp_path: Path, *paths: Path) -> Library:
    """Return another library of the same files."""
    library = Library.open(tmp_path / f"fresh{len(os.listdir(tmp_path))}", write=True)
    library.import_(paths)
    return library


def read_nothing(done: ImportResult) -> bool:
    return done.records == done.bytes_read == done.files_opened == done.pieces == 0


def line(words: str, number: int = 1) -> made.Line:
    """Return one more prompt for a session."""
    session = made.Session(made.Truth(), 900 + number)
    session.say(words)
    return session.lines[0]


def test_everything_is_imported_once(tmp_path: Path, library: Library) -> None:
    truth = made.history(tmp_path / "claude")
    others = made.others(tmp_path / "others")
    done = library.import_([tmp_path / "claude", tmp_path / "others"])
    assert (done.seen, done.new, done.failed) == (len(truth.files) + len(others), done.seen, [])
    kept = {each.raw_path: each for each in library.conversations(agents=True)}
    assert {path for path, each in kept.items() if each.format == "claude-code"} == {
        os.fsencode(path) for path in truth.files
    }
    for other in others:
        rows = [
            each for each in library.conversations() if each.raw_path == os.fsencode(other.path)
        ]
        assert {each.format for each in rows} == {other.slug}
        assert sum(each.messages for each in rows) == other.messages
        assert len(rows) == other.conversations
    assert library.check(read_data=True) == []


def test_nothing_changed_costs_a_stat(tmp_path: Path, library: Library) -> None:
    made.history(tmp_path / "claude")
    made.others(tmp_path / "others")
    (tmp_path / "others" / "notes.md").write_text("no conversation")
    (tmp_path / "others" / "empty.jsonl").write_bytes(b"")
    first = library.import_([tmp_path / "claude", tmp_path / "others"])
    again = library.import_()
    assert again.unchanged == again.seen == first.seen
    assert (again.passed_over, first.passed_over) == (2, 2)
    assert read_nothing(again)
    assert not again.changed


def test_nothing_changed_loads_neither_full_text_nor_archive(tmp_path: Path) -> None:
    made.history(tmp_path / "claude")
    program = (
        "import sys; from pathlib import Path; from talktree.library.library import Library\n"
        "with Library.open(Path(sys.argv[1]), write=True) as library:\n"
        "    print(library.import_([sys.argv[2]]).seen)\n"
        "print(*(name for name in ('tantivy', 'zstandard', 'talktree.formats') "
        "if name in sys.modules))"
    )
    words = [sys.executable, "-c", program, str(tmp_path / "library"), str(tmp_path / "claude")]
    first = subprocess.run(words, capture_output=True, text=True, check=True).stdout.split()
    again = subprocess.run(words, capture_output=True, text=True, check=True).stdout.split()
    assert first[1:]
    assert again == first[:1]


def test_of_an_appended_line_only_the_new_bytes_are_parsed(
    tmp_path: Path, library: Library
) -> None:
    truth = made.history(tmp_path)
    library.import_([tmp_path / "projects"])
    grown = truth.files[2]
    before = grown.stat().st_size
    made.append(grown, line("a pelican on the pier"))
    done = library.import_()
    assert (done.grown, done.records, done.files_opened) == (1, 1, 1)
    # The earlier bytes are only hashed, and the last of them are read twice.
    assert done.bytes_read == before + min(before, GUARD) + grown.stat().st_size - before
    assert [hit.raw_path for hit in library.search("pelican")] == [os.fsencode(grown)]


def test_half_a_line_is_kept_and_reported_when_it_has_its_end(
    tmp_path: Path, library: Library
) -> None:
    path = made.small(tmp_path).save(tmp_path)
    whole = path.read_bytes()
    more = made.Session(made.Truth(), 7)
    more.say("a heron 鷺 in the reeds")
    half = more.bytes()[:-20]
    path.write_bytes(whole + half)
    assert library.import_([path]).failed == []
    assert list(library.search("heron")) == []
    kept = library.conversation(str(path))
    assert b"".join(library.content(kept).as_bytes().values()) == whole + half
    path.write_bytes(whole + more.bytes())
    library.import_()
    assert len(list(library.search("heron"))) == 1
    assert here(picture(library)) == here(picture(fresh(tmp_path, path)))


def test_a_last_line_that_is_whole_without_its_end_counts(tmp_path: Path, library: Library) -> None:
    path = made.small(tmp_path, words="an ibis").save(tmp_path)
    whole = path.read_bytes()
    path.write_bytes(whole.rstrip(b"\n"))
    library.import_([path])
    assert library.conversation(str(path)).messages == 4
    with path.open("ab") as file:
        file.write(b"\n" + made.small(tmp_path / "more", 2, words="an avocet").bytes())
    library.import_()
    assert library.conversation(str(path)).messages == 8
    assert here(picture(library)) == here(picture(fresh(tmp_path, path)))


def test_a_last_line_that_goes_on_is_reported_anew(tmp_path: Path, library: Library) -> None:
    path = made.small(tmp_path).save(tmp_path)
    whole = path.read_bytes()
    path.write_bytes(whole.rstrip(b"\n"))
    library.import_([path])
    with path.open("ab") as file:
        file.write(b' {"type":"user"}\n')
    library.import_()
    assert here(picture(library)) == here(picture(fresh(tmp_path, path)))


def test_a_replaced_file_is_read_again_and_what_it_was_is_kept(
    tmp_path: Path, library: Library
) -> None:
    path = made.small(tmp_path, words="a cormorant").save(tmp_path)
    first = path.read_bytes()
    library.import_([path])
    other = made.small(tmp_path / "other", 2, words="a shearwater").save(tmp_path / "other")
    os.replace(other, path)
    done = library.import_()
    assert done.replaced == 1
    assert list(library.search("cormorant")) == []
    assert len(list(library.search("shearwater"))) == 1
    kept = library.conversation(str(path))
    assert [*library.content(kept, version=1).as_bytes().values()] == [first]
    assert [*library.content(kept).as_bytes().values()] == [path.read_bytes()]
    assert here(picture(library)) == here(picture(fresh(tmp_path, path)))


def test_a_file_rewritten_in_place_is_seen(tmp_path: Path, library: Library) -> None:
    path = made.small(tmp_path, words="a cormorant").save(tmp_path)
    library.import_([path])
    path.write_bytes(path.read_bytes().replace(b"cormorant", b"albatross"))
    assert library.import_().replaced == 1
    assert len(list(library.search("albatross"))) == 1
    path.write_bytes(path.read_bytes()[:700])
    assert library.import_().replaced == 1
    assert here(picture(library)) == here(picture(fresh(tmp_path, path)))


def test_a_touched_file_is_read_but_not_reported(tmp_path: Path, library: Library) -> None:
    path = made.small(tmp_path).save(tmp_path)
    library.import_([path])
    os.utime(path, (1, 1))
    done = library.import_()
    assert (done.unchanged, done.records, done.changed) == (1, 0, False)
    assert read_nothing(library.import_())


def test_conversations_of_missing_files_are_kept_found_and_restored(
    tmp_path: Path, library: Library
) -> None:
    truth = made.history(tmp_path)
    library.import_([tmp_path / "projects"])
    before = picture(library)
    path = truth.files[0]
    data = path.read_bytes()
    path.unlink()
    assert library.import_().gone == 1
    again = library.import_()
    assert read_nothing(again)
    assert again.gone == 0
    kept = library.conversation(str(path))
    assert kept.state == "gone"
    assert any(hit.source == kept.source for hit in library.search("lighthouse", limit=None))
    restored = library.restore(kept, tmp_path / "was")[0]  # sub-agents come after it
    assert (restored.name, restored.read_bytes()) == (path.name, data)
    path.write_bytes(data)
    assert library.import_().back == 1
    assert picture(library) == before


def test_a_folder_is_one_source_and_its_files_come_and_go(tmp_path: Path, library: Library) -> None:
    others = {other.slug: other for other in made.others(tmp_path / "others")}
    library.import_([tmp_path / "others"])
    talk = others["chatbuilder"].path
    last = sorted(talk.glob("*.md"))[-1]
    data = last.read_bytes()
    last.unlink()
    assert library.import_().replaced == 1
    assert library.conversation(str(talk)).messages < others["chatbuilder"].messages
    last.write_bytes(data)
    library.import_()
    assert library.conversation(str(talk)).messages == others["chatbuilder"].messages
    with (others["sage"].path / "messages.jsonl").open("ab") as file:
        file.write(b'{"half')
    assert library.import_().grown == 1
    assert here(picture(library)) == here(picture(fresh(tmp_path, tmp_path / "others")))
    for path in sorted(talk.iterdir()):
        path.unlink()
    talk.rmdir()
    assert library.import_().gone == 1
    assert library.conversation(str(talk)).state == "gone"


def test_one_file_that_cannot_be_read_costs_itself(tmp_path: Path, library: Library) -> None:
    truth = made.history(tmp_path)
    shut = truth.files[1]
    if os.geteuid() == 0:
        shut.unlink()
        os.mkfifo(shut)  # for root, only a special file is unreadable
        done = library.import_([tmp_path / "projects"])
        assert done.new == len(truth.files) - 1
        return
    shut.chmod(0)
    done = library.import_([tmp_path / "projects"])
    assert done.new == len(truth.files) - 1
    assert [path for path, _ in done.failed] == [os.fsencode(shut)]
    shut.chmod(0o600)
    assert library.import_().new == 1


def test_a_file_that_is_not_a_conversation_any_more_is_kept_as_it_was(
    tmp_path: Path, library: Library
) -> None:
    path = made.small(tmp_path, words="a bittern").save(tmp_path)
    data = path.read_bytes()
    library.import_([tmp_path / "projects"])
    path.write_bytes(b"")
    assert library.import_().gone == 1
    assert read_nothing(library.import_())
    assert len(list(library.search("bittern"))) == 1
    path.write_bytes(data)
    assert library.import_().back == 1
    assert here(picture(library)) == here(picture(fresh(tmp_path, tmp_path / "projects")))


def test_sources_are_only_read(tmp_path: Path, library: Library) -> None:
    folder = tmp_path / "all"
    truth = made.history(folder)
    made.others(folder)

    def state() -> dict[str, tuple[int, int, bytes]]:
        return {
            str(path): (path.stat().st_mtime_ns, path.stat().st_mode, path.read_bytes())
            for path in sorted(folder.rglob("*"))
            if path.is_file()
        } | {str(path): (path.stat().st_mtime_ns, 0, b"") for path in folder.rglob("*/")}

    before = state()
    library.import_([folder])
    library.reindex()
    list(library.search("lighthouse"))
    assert state() == before
    made.append(truth.files[0], line("more"))
    after = state()
    library.import_()
    assert state() == after


def test_paths_of_any_bytes(tmp_path: Path, library: Library) -> None:
    folder = os.fsencode(tmp_path) + b"/odd \xff\n\xc3\xa9"
    os.mkdir(folder)
    path = folder + b"/\xfe.jsonl"
    with open(path, "wb") as file:
        file.write(made.small(tmp_path / "x", words="a dunlin").bytes())
    os.symlink(path, folder + b"/link.jsonl")
    done = library.import_([os.fsdecode(folder)])
    assert (done.new, done.failed) == (1, [])
    assert [hit.raw_path for hit in library.search("dunlin")] == [path]
    (restored,) = library.restore(next(library.conversations()), tmp_path / "was")
    assert restored.read_bytes() == made.small(tmp_path / "x", words="a dunlin").bytes()


def test_the_library_does_not_import_itself(tmp_path: Path) -> None:
    made.small(tmp_path)
    with Library.open(tmp_path / "library", write=True) as library:
        library.import_([tmp_path])
        (tmp_path / "library" / "copy.jsonl").write_bytes(made.small(tmp_path / "y", 2).bytes())
        assert library.import_([tmp_path]).new == 1


def test_places_are_looked_at_again(tmp_path: Path, library: Library) -> None:
    assert library.import_().seen == 0
    one = made.small(tmp_path / "one", 1).save(tmp_path / "one")
    made.small(tmp_path / "two", 2)
    library.import_([tmp_path / "one"])
    library.import_([one])
    library.add_place(tmp_path / "two")
    assert library.places() == [tmp_path / "one", tmp_path / "two"]
    assert library.import_().new == 1
    assert library.remove_place(tmp_path / "two")
    assert not library.remove_place(tmp_path / "two")
    assert library.import_().seen == 1
    with pytest.raises(NotFound):
        library.import_([tmp_path / "three"])


def test_progress_is_reported_source_by_source(tmp_path: Path, library: Library) -> None:
    truth = made.history(tmp_path)
    reported: list[ImportProgress] = []
    library.import_([tmp_path], progress=reported.append)
    assert [step.what for step in reported] == ["new"] * len(truth.files)
    assert {step.source for step in reported} == {os.fsencode(path) for path in truth.files}
    assert reported[-1].sources_done == reported[-1].sources == len(truth.files)
    assert reported[-1].bytes_done == sum(path.stat().st_size for path in truth.files)


def test_a_folder_that_comes_back_has_only_the_files_it_has_then(
    tmp_path: Path, library: Library
) -> None:
    talk = os.fsencode(tmp_path) + b"/talks/\xff"
    os.makedirs(talk)

    def say(number: int, words: str) -> None:
        with open(talk + b"/%d.md" % number, "w") as file:
            file.write(f"; role: user\n\n{words}\n")

    say(1, "a rail")
    say(2, "a crake")
    library.import_([tmp_path / "talks"])
    os.unlink(talk + b"/1.md")
    os.rename(talk + b"/2.md", tmp_path / "away")
    os.rmdir(talk)
    assert library.import_().gone == 1
    os.mkdir(talk)
    say(2, "a coot")
    library.import_()
    assert here(picture(library)) == here(picture(fresh(tmp_path, tmp_path / "talks")))


def test_a_line_that_is_too_long_is_kept_and_reported(
    tmp_path: Path, library: Library, monkeypatch: pytest.MonkeyPatch
) -> None:
    session = made.Session(made.Truth(), 1)
    session.say("lighthouse " * 4000)
    session.say("harbour")
    path = session.save(tmp_path)
    monkeypatch.setattr(lines, "LONGEST_LINE", 20_000)
    monkeypatch.setattr(lines, "BLOCK", 8_000)
    done = library.import_([tmp_path])
    assert done.untold == 1
    assert (library.search("lighthouse").total, library.search("harbour").total) == (0, 1)
    (kept,) = library.conversations()
    assert library.restore(kept, tmp_path / "back")[0].read_bytes() == path.read_bytes()


def test_an_import_that_ends_when_files_of_a_folder_are_kept_but_not_reported_is_completed(
    tmp_path: Path, library: Library, monkeypatch: pytest.MonkeyPatch
) -> None:
    (sage,) = (each.path for each in made.others(tmp_path) if each.slug == "sage")
    library.import_([sage])
    said = sage / "messages.jsonl"
    said.write_bytes(b"".join(said.read_bytes().splitlines(keepends=True)[:-1]))
    monkeypatch.setattr(import_run, "BATCH_BYTES", 1)
    beats = 0

    def stop(*_: object) -> None:
        nonlocal beats
        beats += 1
        if beats == 2:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        library.import_(pulse=stop)
    monkeypatch.undo()
    library.import_()
    assert here(picture(library)) == picture(fresh(tmp_path, sage))
