"""Files that belong to a session are stored, shown, restored and forgotten with it."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from talktree import api
from talktree.cli.main import run
from talktree.errors import UsageError
from talktree.formats import all_formats
from talktree.library.library import Library
from talktree.library.sources.scan import COMPANION_FOLDERS
from talktree.model.conversation import Conversation
from talktree.model.operations import ReplaceText
from talktree.web.documents.cache import DocumentCache
from tests.companion_samples import (
    FILES,
    LONE,
    OF_ONE,
    OF_TWO,
    ONE,
    TWO,
    agent,
    files_in,
    line,
    write,
)


def said(conversation: Conversation) -> set[str]:
    """Return the texts of all messages."""
    return {message.text for message in conversation.messages()}


@pytest.mark.parametrize("is_gone", [False, True], ids=["there", "gone"])
def test_restore_gives_the_layout_back(is_gone: bool, tmp_path: Path, library: Library) -> None:
    folder = write(tmp_path / "project", FILES)
    library.import_([folder])
    if is_gone:
        shutil.rmtree(folder)
        library.import_()
    for number, (name, files) in enumerate({ONE: OF_ONE, TWO: OF_TWO}.items()):
        written = library.restore(name, tmp_path / f"was{number}")
        assert files_in(tmp_path / f"was{number}") == files
        assert len(written) == len(files)
    assert files_in_restored(library, LONE, tmp_path / "lone") == [f"{LONE}.jsonl"]
    assert library.check(read_data=True) == []


def files_in_restored(library: Library, name: str, into: Path) -> list[str]:
    library.restore(name, into)
    return [*files_in(into)]


def test_a_version_has_the_companions_of_its_time(tmp_path: Path, library: Library) -> None:
    first = {f"{ONE}.jsonl": FILES[f"{ONE}.jsonl"], f"{ONE}/tool-results/a.txt": b"one\n"}
    folder = write(tmp_path / "project", first)
    library.import_([folder])
    second = {
        f"{ONE}.jsonl": FILES[f"{ONE}.jsonl"] + line(ONE, 2, "user", "more"),
        f"{ONE}/tool-results/a.txt": b"two\n",
        f"{ONE}/subagents/agent-c.jsonl": agent(ONE, "c", 60),
    }
    library.import_([write(folder, second)])
    kept = library.conversation(ONE)
    assert len(library.versions(kept)) == 2
    for number, files in ((1, first), (2, second)):
        library.restore(kept, tmp_path / f"was{number}", version=number)
        assert files_in(tmp_path / f"was{number}") == files


def test_the_command_line_shows_a_kept_session_with_its_sub_agents(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("TALKTREE_HOME", str(tmp_path / "home"))
    folder = write(tmp_path / "project", FILES)
    assert run(["import", str(folder), "-q"]) == 0
    shutil.rmtree(folder)
    for words in (["tree", ONE], ["show", ONE, "--all"]):
        assert run(words) == 0
        reported = capfd.readouterr().out
        assert all(text in reported for text in ("task 10", "task 20"))
    assert run(["export", ONE, "--to", "md", "-o", str(tmp_path / "one.md")]) == 0
    assert "report 20" in (tmp_path / "one.md").read_text()


def test_the_studio_shows_a_session_with_its_sub_agents(tmp_path: Path, library: Library) -> None:
    folder = write(tmp_path / "project", FILES)
    library.import_([folder])
    cid = str(library.conversation(ONE).source)
    cache = DocumentCache(library.root, write=False)
    try:
        opened = cache.open(cid)
        assert {"task 10", "report 20", "question 1"} <= said(opened.conversation)
        before = opened.stamp
        write(folder, {f"{ONE}/subagents/agent-new.jsonl": agent(ONE, "new", 70)})
        library.import_()
        assert cache.compute_stamp(cid) != before
        assert "task 70" in said(cache.open(cid).conversation)
    finally:
        cache.close()


def test_an_edit_of_a_session_changes_no_sub_agent(tmp_path: Path, library: Library) -> None:
    folder = write(tmp_path / "project", FILES)
    library.import_([folder])
    edits = library.edits(ONE)
    document = edits.document()
    by_text = {each.text: each.id for each in document.conversation.messages()}
    with pytest.raises(UsageError, match="agent-a1"):
        edits.do(ONE, ReplaceText(about=by_text["task 10"], text="other"), document)
    edits.do(ONE, ReplaceText(about=by_text["question 1"], text="other"), document)
    assert {"other", "task 10"} <= said(edits.document().conversation)
    before = files_in(folder)
    assert edits.save() == [folder / f"{ONE}.jsonl"]
    after = files_in(folder)
    assert [name for name in after if after[name] != before[name]] == [f"{ONE}.jsonl"]


def test_forgetting_a_session_forgets_what_belongs_to_it(tmp_path: Path, library: Library) -> None:
    library.import_([write(tmp_path / "project", FILES)])
    kept = library.conversation(ONE)
    assert len(library.companions(kept)) == len(OF_ONE) - 1
    library.forget(kept)
    left = {each.id for each in library.conversations(agents=True)}
    assert left == {TWO, LONE, "a1", "b"}
    assert library.check(read_data=True) == []
    assert not any(library.search("report 10", limit=None))
    assert library.import_().forgotten == 1
    assert {each.id for each in library.conversations(agents=True)} == left
    library.readmit(ONE)
    library.import_()
    library.restore(ONE, tmp_path / "again")
    assert files_in(tmp_path / "again") == OF_ONE


def test_files_that_an_older_library_passed_over_are_kept(tmp_path: Path, library: Library) -> None:
    folder = write(tmp_path / "project", FILES)
    library.import_([folder])
    with library.db.transaction():
        # As in earlier versions: such files were listed, but their content was not stored.
        library.db.run("UPDATE files SET generation = NULL, guard = NULL WHERE source = 0")
        library.db.run(
            "DELETE FROM generations WHERE file IN (SELECT id FROM files WHERE source = 0)"
        )
        library.db.run("DELETE FROM about WHERE key = 'companions'")
    library.import_()
    library.restore(ONE, tmp_path / "was")
    assert files_in(tmp_path / "was") == OF_ONE


def test_files_that_are_not_companions_are_not_kept(tmp_path: Path, library: Library) -> None:
    others = {
        "repo/workflows/build.json": b"{}",
        f"{ONE}/notes.txt": b"x",
        "a/tool-results/b": b"y",
    }
    library.import_([write(tmp_path / "project", {**OF_ONE, **others})])
    library.restore(ONE, tmp_path / "was")
    assert files_in(tmp_path / "was") == OF_ONE
    assert library.db.read_one(
        "SELECT count(*) FROM files WHERE path LIKE '%build.json' AND generation"
    ) == (0,)


def test_the_walk_knows_the_folders_of_the_formats() -> None:
    folders = {
        folder.partition("/")[2].encode()
        for format in all_formats()
        for folder in format.companions.list_folders("session.jsonl")
    }
    assert folders == COMPANION_FOLDERS


def test_reading_a_kept_session_gives_what_reading_its_file_gives(
    tmp_path: Path, library: Library
) -> None:
    folder = write(tmp_path / "project", FILES)
    library.import_([folder])
    for name in (ONE, TWO, LONE):
        kept = api.read(library.content(library.conversation(name)))
        there = api.read(folder / f"{name}.jsonl")
        assert [*kept.conversation.messages()] == [*there.conversation.messages()]
        assert api.to_bytes(kept) == api.to_bytes(there)
