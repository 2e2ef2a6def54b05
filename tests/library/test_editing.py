"""Edits of stored conversations: a file changes when it is saved, and only if it is unchanged."""

from __future__ import annotations

import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from talktree import api
from talktree.errors import ChangedMeanwhile, NotUndoable, TalktreeError
from talktree.library.library import Library
from talktree.library.versions.edit_history import UndoRecord, append_row
from talktree.library.versions.editing import Versions
from talktree.model.document import Document
from talktree.model.operations import DeleteMessage, RemoveMessage, ReplaceText, ReplyTo
from tests.cases import examples

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


def replaced(text: str) -> ReplaceText:
    return ReplaceText(about=ABOUT, text=text)


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


def test_edits_are_on_a_file_that_grows(kept: tuple[Library, Path]) -> None:
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


def test_edits_before_a_save_stay_when_the_save_is_undone(kept: tuple[Library, Path]) -> None:
    library, path = kept
    edits = versions(library)
    edits.do(talk_of(edits), replaced("Other words"))
    with open(path, "ab") as file:
        file.write(LINE % NEW.encode())
    library.import_([path])
    grown = path.read_bytes()
    edits.save()
    edits.undo()
    assert "later" in texts(edits.document())
    edits.save()
    assert path.read_bytes() == grown


def test_an_edit_of_what_came_after_an_undone_one_can_be_saved(kept: tuple[Library, Path]) -> None:
    library, path = kept
    edits = versions(library)
    talk = talk_of(edits)
    edits.do(talk, replaced("Other words"))
    edits.undo()
    with open(path, "ab") as file:
        file.write(LINE % NEW.encode())
    library.import_([path])
    edits.do(talk, ReplaceText(about=NEW, text="much later"))
    edits.save()
    assert "much later" in texts(edits.document())
    edits.undo()
    assert "later" in texts(edits.document())


def test_a_saved_edit_is_final_when_the_file_grows(kept: tuple[Library, Path]) -> None:
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
    edits.do(talk, ReplyTo(id=NEW[:-2] + "bb", parent=ABOUT, text="more", time=0))
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


def test_content_that_the_format_cannot_hold_is_refused_immediately(
    kept: tuple[Library, Path],
) -> None:
    edits = versions(kept[0])
    with pytest.raises(TalktreeError):
        edits.do(talk_of(edits), DeleteMessage(about=ABOUT))
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
        edits.do(talk.id, ReplaceText(about=last, text="Other words"))
        assert len(edits.save()) == 1
        assert "Other words" in [each.text for each in edits.document().find(talk.id).messages()]


def test_a_file_that_left_its_folder_is_not_edited(tmp_path: Path) -> None:
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
        edits.do(talk_of(edits), ReplaceText(about=last.id, text="Other words"))
        assert edits.save() == [talk / "10.md"]
        assert sorted(path.name for path in talk.iterdir()) == ["1.md", "10.md"]
        assert one.text == "Word 1\n"


@examples(15)
@given(st.lists(st.sampled_from(["edit", "grow", "undo", "save"]), max_size=10))
def test_appended_messages_are_never_lost(
    tmp_path_factory: pytest.TempPathFactory, verbs: list[str]
) -> None:
    place = tmp_path_factory.mktemp("grown")
    path = place / "one-session.jsonl"
    shutil.copy(SESSION, path)
    came: set[str] = set()
    with Library.open(place / "library", write=True) as library:
        library.import_([path])
        edits = versions(library)
        talk = talk_of(edits)
        for number, verb in enumerate(verbs):
            try:
                match verb:
                    case "edit":
                        about = max(came, default=ABOUT)
                        edits.do(
                            talk, ReplyTo(id=_id(500 + number), parent=about, text="x", time=0)
                        )
                    case "grow":
                        with open(path, "ab") as file:
                            file.write(LINE % _id(number).encode())
                        came.add(_id(number))
                        library.import_([path])
                    case "undo":
                        edits.undo()
                    case _:
                        edits.save()
                shown = {message.id for message in edits.document().conversation.messages()}
                assert came <= shown
            except (NotUndoable, ChangedMeanwhile):
                pass
            kept = {message.id for message in api.read(path).conversation.messages()}
            assert came <= kept


def _id(number: int) -> str:
    return f"00000000-0000-4000-8000-{number:012}"


@examples(15)
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


def test_saving_again_does_not_forget_what_came_automatically(kept: tuple[Library, Path]) -> None:
    library, path = kept
    edits = versions(library)
    edits.do(talk_of(edits), replaced("Other words"))
    edits.save()
    with open(path, "ab") as file:
        file.write(LINE % NEW.encode())
    library.import_([path])
    grown = path.read_bytes()
    assert edits.save() == []
    assert {"Other words", "later"} <= set(texts(edits.document()))
    assert path.read_bytes() == grown


def test_an_edit_after_a_save_is_based_on_what_came_since(kept: tuple[Library, Path]) -> None:
    library, path = kept
    edits = versions(library)
    talk = talk_of(edits)
    edits.do(talk, replaced("Other words"))
    edits.save()
    edits.do(talk, ReplyTo(id=NEW[:-2] + "bb", parent=ABOUT, text="more", time=0))
    with open(path, "ab") as file:
        file.write(LINE % NEW.encode())
    library.import_([path])
    assert {"Other words", "later", "more"} <= set(texts(edits.document()))
    edits.do(talk, ReplyTo(id=NEW[:-2] + "cc", parent=ABOUT, text="most", time=0))
    assert [edit.state for edit in edits.history.edits] == ["done", "done", "done"]
    edits.undo()
    edits.undo()
    assert edits.history.is_saved
    assert {"Other words", "later"} <= set(texts(edits.document()))
    with pytest.raises(NotUndoable):
        edits.undo()


def test_a_saved_and_undone_edit_counts_again_if_the_file_grew(
    kept: tuple[Library, Path],
) -> None:
    library, path = kept
    edits = versions(library)
    edits.do(talk_of(edits), replaced("Other words"))
    edits.save()
    edits.undo()
    with open(path, "ab") as file:
        file.write(LINE % NEW.encode())
    library.import_([path])
    assert {"Other words", "later"} <= set(texts(edits.document()))
    assert edits.history.is_saved
    assert not edits.can_undo
    with pytest.raises(NotUndoable):
        edits.redo()
    edits.do(talk_of(edits), ReplyTo(id=NEW[:-2] + "bb", parent=NEW, text="more", time=0))
    assert {"Other words", "later", "more"} <= set(texts(edits.document()))
    edits.undo()
    assert [edit.state for edit in edits.history.edits] == ["done", "undone"]


def test_two_programs_do_not_edit_concurrently(kept: tuple[Library, Path]) -> None:
    library, _ = kept
    edits = versions(library)
    seen = edits.history
    edits.do(talk_of(edits), replaced("one"))
    row = UndoRecord(about=seen.last or 0)
    with pytest.raises(ChangedMeanwhile):
        append_row(library.db, 1, 0, row, after=seen.last)
    assert len(edits.history.edits) == 1


def test_files_of_a_folder_come_and_go_with_their_messages(tmp_path: Path) -> None:
    talk = tmp_path / "talk"
    talk.mkdir()
    for number in (1, 2, 3):
        (talk / f"{number}.md").write_text(f"; role: user\n\nWord {number}\n")
    before = {path.name: path.read_bytes() for path in talk.iterdir()}
    with Library.open(tmp_path / "library", write=True) as library:
        library.import_([talk])
        edits = versions(library)
        *_, last = edits.document().conversation.messages()
        edits.do(talk_of(edits), ReplyTo(id="new", parent=last.id, text="More"))
        edits.save()
        assert len(list(talk.iterdir())) == 4
        edits.undo()
        edits.save()
        assert {path.name: path.read_bytes() for path in talk.iterdir()} == before
        edits.do(talk_of(edits), RemoveMessage(about=last.id))
        edits.save()
        assert sorted(path.name for path in talk.iterdir()) == ["1.md", "2.md"]
        assert len(texts(edits.document())) == 2
        edits.undo()
        edits.save()
        assert {path.name: path.read_bytes() for path in talk.iterdir()} == before


def test_settings_beside_a_session_are_left_alone(tmp_path: Path) -> None:
    path = tmp_path / "session"
    shutil.copytree(GOOD / "sage" / "good" / "session-tide-table", path)
    (path / "config.json").write_text('{"apiKey": "sk-ant-secret"}')
    with Library.open(tmp_path / "library", write=True) as library:
        library.import_([path])
        edits = versions(library)
        last = edits.document().conversation.path()[-1].id
        edits.do(talk_of(edits), ReplaceText(about=last, text="Other words"))
        assert len(edits.save()) == 1
    assert (path / "config.json").read_text() == '{"apiKey": "sk-ant-secret"}'


KILLED = """if True:
    import os, signal, sys
    from pathlib import Path
    from talktree.library.library import Library

    left = int(sys.argv[2])
    saving = False

    def count(event, arguments):
        global left
        if saving and event in ("open", "os.rename", "os.remove", "os.chmod"):
            left -= 1
            if left == 0:
                os.kill(os.getpid(), signal.SIGKILL)

    sys.addaudithook(count)
    with Library.open(Path(sys.argv[1]), write=True) as library:
        edits = library.edits(str(sys.argv[3]))
        saving = True
        edits.save()
        saving = False
    print(int(sys.argv[2]) - left)
"""


def test_a_save_that_is_killed_leaves_the_old_or_the_new_file(tmp_path: Path) -> None:
    """Wherever it ends, the next import knows how far it came, and the edits can be reverted."""

    def saved(number: int) -> str:
        call = [sys.executable, "-c", KILLED, str(tmp_path / "library"), str(number), str(path)]
        return str(subprocess.run(call, capture_output=True, text=True, check=False).stdout)

    path = tmp_path / "one-session.jsonl"
    shutil.copy(SESSION, path)
    old = path.read_bytes()
    with Library.open(tmp_path / "library", write=True) as library:
        library.import_([path])
        edits = versions(library)
        edits.do(talk_of(edits), replaced("Other words"))
        edits.do(talk_of(edits), ReplyTo(id=NEW, parent=ABOUT, text="more", time=0))
    steps = int(saved(0))
    new = path.read_bytes()
    seen = set()
    assert new != old
    for number in (1, *range(2, steps + 1, max(1, steps // 8)), steps):
        with Library.open(tmp_path / "library", write=True) as library:
            edits = versions(library)
            while edits.can_undo:
                edits.undo()
            edits.save()
            assert path.read_bytes() == old
            edits.redo()
            edits.redo()
        assert saved(number) == ""
        seen.add(path.read_bytes())
        assert path.read_bytes() in (old, new)
        with Library.open(tmp_path / "library", write=True) as library:
            library.import_([path])
            document = versions(library).document()
            assert b"".join(api.to_bytes(document).values()) == new
            assert [text for text in texts(document) if text == "more"] == ["more"]
    assert seen == {old, new}
