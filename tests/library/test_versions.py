"""Edits of kept conversations: a file changes when it is saved, and only if it is the same."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from talktree.errors import ChangedMeanwhile, NotUndoable, TalktreeError
from talktree.library.library import Library
from talktree.library.versions.versions import Versions
from talktree.model.document import Document
from talktree.model.operations import Delete, Replace, Reply

GOOD = Path(__file__).parents[1] / "data"
SESSION = GOOD / "claude-code" / "good" / "one-session.jsonl"
ABOUT = "00000012-0000-4000-8000-000000000012"
NEW = "00000000-0000-4000-8000-0000000000aa"
LINE = (
    b'{"parentUuid":null,"isSidechain":false,"type":"user","uuid":"%s","sessionId":"x",'
    b'"timestamp":"2026-01-01T00:00:00.000Z","message":{"role":"user","content":"later"}}\n'
)


@pytest.fixture
def kept(tmp_path: Path) -> Iterator[tuple[Library, Path]]:
    path = tmp_path / "one-session.jsonl"
    shutil.copy(SESSION, path)
    with Library.open(tmp_path / "library", write=True) as library:
        library.import_([path])
        yield library, path


def versions(library: Library) -> Versions:
    (row,) = library.db.read("SELECT id FROM sources")
    return Versions(library, row[0])


def texts(document: Document) -> list[str]:
    return [message.text for message in document.conversation.messages()]


def talk_of(edits: Versions) -> str:
    return edits.document().conversation.id


def replaced(text: str) -> Replace:
    return Replace(about=ABOUT, text=text)


def test_the_file_changes_when_it_is_saved(kept: tuple[Library, Path]) -> None:
    library, path = kept
    before = path.read_bytes()
    edits = versions(library)
    after = edits.do(talk_of(edits), replaced("Other words"))
    assert "Other words" in texts(after)
    assert texts(edits.document()) == texts(after)
    assert path.read_bytes() == before
    assert edits.save() == [path]
    lines = zip(before.splitlines(), path.read_bytes().splitlines(), strict=True)
    assert sum(one != two for one, two in lines) == 1
    assert edits.history.is_saved


def test_undo_and_redo_also_of_what_was_saved(kept: tuple[Library, Path]) -> None:
    library, path = kept
    before = path.read_bytes()
    edits = versions(library)
    talk = talk_of(edits)
    for text in ("one", "two"):
        edits.do(talk, replaced(text))
    edits.save()
    two = path.read_bytes()
    edits.undo()
    assert "one" in texts(edits.document())
    edits.undo()
    edits.save()
    assert path.read_bytes() == before
    edits.redo()
    edits.redo()
    edits.save()
    assert path.read_bytes() == two
    with pytest.raises(NotUndoable):
        edits.redo()
    assert [edit.state for edit in edits.history.edits] == ["done", "done"]


def test_a_new_edit_leaves_nothing_to_redo_and_forgets_nothing(kept: tuple[Library, Path]) -> None:
    edits = versions(kept[0])
    talk = talk_of(edits)
    edits.do(talk, replaced("one"))
    edits.undo()
    edits.do(talk, replaced("two"))
    with pytest.raises(NotUndoable):
        edits.redo()
    assert [edit.state for edit in edits.history.edits] == ["undone", "done"]


def test_edits_stand_on_a_file_that_grows(kept: tuple[Library, Path]) -> None:
    library, path = kept
    edits = versions(library)
    edits.do(talk_of(edits), replaced("Other words"))
    with open(path, "ab") as file:
        file.write(LINE % NEW.encode())
    with pytest.raises(ChangedMeanwhile):
        edits.save()
    library.import_([path])
    assert {"Other words", "later"} <= set(texts(edits.document()))
    edits.save()
    assert b"later" in path.read_bytes()
    assert b"Other words" in path.read_bytes()


def test_what_was_saved_is_settled_when_the_file_goes_on(kept: tuple[Library, Path]) -> None:
    library, path = kept
    edits = versions(library)
    talk = talk_of(edits)
    edits.do(talk, replaced("Other words"))
    edits.save()
    with open(path, "ab") as file:
        file.write(LINE % NEW.encode())
    library.import_([path])
    with pytest.raises(NotUndoable):
        edits.undo()
    edits.do(talk, Reply(id=NEW[:-2] + "bb", parent=ABOUT, text="more", time=0))
    assert {"Other words", "later", "more"} <= set(texts(edits.document()))
    edits.undo()
    assert "more" not in texts(edits.document())


def test_a_file_that_was_replaced_is_not_written_over(kept: tuple[Library, Path]) -> None:
    library, path = kept
    edits = versions(library)
    edits.do(talk_of(edits), replaced("Other words"))
    path.unlink()
    path.write_bytes(LINE % NEW.encode())
    with pytest.raises(ChangedMeanwhile):
        edits.save()
    library.import_([path])
    with pytest.raises(ChangedMeanwhile):
        edits.document()
    edits.undo()
    assert texts(edits.document()) == ["later"]
    assert path.read_bytes() == LINE % NEW.encode()


def test_what_the_format_cannot_hold_is_refused_at_once(kept: tuple[Library, Path]) -> None:
    edits = versions(kept[0])
    with pytest.raises(TalktreeError):
        edits.do(talk_of(edits), Delete(about=ABOUT))
    assert edits.history.edits == []


@pytest.mark.parametrize(
    "source", ["sage/good/session-tide-table", "studio/good/two-branch-points.json"]
)
def test_folders_and_documents_are_edited_too(tmp_path: Path, source: str) -> None:
    path = tmp_path / Path(source).name
    (shutil.copytree if (GOOD / source).is_dir() else shutil.copy)(GOOD / source, path)
    with Library.open(tmp_path / "library", write=True) as library:
        library.import_([path])
        edits = versions(library)
        talk = edits.document().conversations[0]
        last = talk.path()[-1].id
        edits.do(talk.id, Replace(about=last, text="Other words"))
        assert len(edits.save()) == 1
        assert "Other words" in [each.text for each in edits.document().find(talk.id).messages()]


def test_a_file_that_left_its_folder_is_no_part_of_what_is_edited(tmp_path: Path) -> None:
    talk = tmp_path / "talk"
    talk.mkdir()
    for number in (1, 2, 10):
        (talk / f"{number}.md").write_text(f"; role: user\n\nWord {number}\n")
    with Library.open(tmp_path / "library", write=True) as library:
        library.import_([talk])
        edits = versions(library)
        assert texts(edits.document()) == ["Word 1\n", "Word 2\n", "Word 10\n"]
        (talk / "2.md").unlink()
        library.import_([talk])
        one, last = edits.document().conversation.messages()
        edits.do(talk_of(edits), Replace(about=last.id, text="Other words"))
        assert edits.save() == [talk / "10.md"]
        assert sorted(path.name for path in talk.iterdir()) == ["1.md", "10.md"]
        assert one.text == "Word 1\n"


@settings(max_examples=15)
@given(st.lists(st.sampled_from(["edit", "undo", "redo", "save"]), max_size=8))
def test_any_order_ends_where_a_list_of_texts_does(
    tmp_path_factory: pytest.TempPathFactory, verbs: list[str]
) -> None:
    place = tmp_path_factory.mktemp("versions")
    path = place / "one-session.jsonl"
    shutil.copy(SESSION, path)
    done: list[str] = []
    undone: list[str] = []
    with Library.open(place / "library", write=True) as library:
        library.import_([path])
        edits = versions(library)
        talk = talk_of(edits)
        first = edits.document().conversation[ABOUT].text
        for number, verb in enumerate(verbs):
            try:
                match verb:
                    case "edit":
                        edits.do(talk, replaced(f"text {number}"))
                        done.append(f"text {number}")
                        undone = []
                    case "undo":
                        edits.undo()
                        undone.append(done.pop())
                    case "redo":
                        edits.redo()
                        done.append(undone.pop())
                    case _:
                        edits.save()
            except NotUndoable:
                assert not (done if verb == "undo" else undone)
            assert edits.document().conversation[ABOUT].text == (done[-1] if done else first)
        edits.save()
        assert (done[-1] if done else first).encode() in path.read_bytes()
        if not done:
            assert path.read_bytes() == SESSION.read_bytes()
