"""The library as Python programs use it."""

from __future__ import annotations

import os
import stat
from pathlib import Path

import pytest

from talktree.errors import NotFound, UsageError
from talktree.library.library import Library
from tests.library import made


def test_there_is_none_until_someone_writes(tmp_path: Path) -> None:
    with pytest.raises(NotFound, match="there is no library here"):
        Library.open(tmp_path / "library")
    Library.open(tmp_path / "library", write=True).close()
    with Library.open(tmp_path / "library") as library:
        assert list(library.conversations()) == []
        with pytest.raises(UsageError):
            library.import_([tmp_path])


def test_no_one_else_may_read_it(tmp_path: Path) -> None:
    made.history(tmp_path)
    root = tmp_path / "home" / "library"
    with Library.open(root, write=True) as library:
        library.import_([tmp_path / "projects"])
        found = [root, *root.rglob("*")]
        assert len(found) > 5
        for path in found:
            allowed = 0o700 if path.is_dir() else 0o600
            assert stat.S_IMODE(path.stat().st_mode) == allowed, path


def test_conversations_are_listed_by_what_is_asked(tmp_path: Path) -> None:
    made.history(tmp_path)
    made.others(tmp_path / "others")
    with Library.open(tmp_path / "library", write=True) as library:
        library.import_([tmp_path])

        def ids(**asked: object) -> set[str]:
            return {kept.id for kept in library.conversations(**asked)}  # type: ignore[arg-type]

        assert ids(format="sage") == {"session-tide-table"}
        assert ids(project="TIDE-tables") == {made.session_id(3), made.session_id(4)}
        both = {made.session_id(3), made.session_id(4), "b2"}
        assert ids(project="TIDE-tables", agents=True) == both
        assert made.session_id(3) in ids(model="OPUS")
        assert made.session_id(1) not in ids(model="opus")
        assert ids(errors=True, format="claude-code") == {made.session_id(1), made.session_id(2)}
        assert ids(gone=True) == set()
        day = 86_400 * 10**9
        start = int(made.START.timestamp()) * 10**9
        assert ids(since=start + 8 * day) == {made.session_id(5)}
        assert made.session_id(5) not in ids(until=start + 8 * day)
        newest = [kept.last_ns or 0 for kept in library.conversations()]
        assert newest == sorted(newest, reverse=True)
        sizes = [kept.size for kept in library.conversations(sort="size", limit=3)]
        assert sizes == sorted(sizes, reverse=True)
        assert len(sizes) == 3
        with pytest.raises(UsageError):
            library.conversations(sort="colour")  # type: ignore[arg-type]


def test_a_journal_of_sub_agents_is_kept_and_no_conversation(tmp_path: Path) -> None:
    made.history(tmp_path)
    folder = next((tmp_path / "projects").rglob("subagents")) / "workflows" / "wf_1"
    folder.mkdir(parents=True)
    journal = folder / "journal.jsonl"
    journal.write_text('{"type":"started","agentId":"a1"}\n{"type":"result","agentId":"a1"}\n')
    with Library.open(tmp_path / "library", write=True) as library:
        library.import_([tmp_path])
        assert "journal" not in {kept.id for kept in library.conversations()}
        (kept,) = (each for each in library.conversations(agents=True) if each.id == "journal")
        assert os.fsdecode(kept.raw_path) == str(journal)


def test_a_conversation_is_named_by_id_beginning_or_path(tmp_path: Path) -> None:
    truth = made.history(tmp_path)
    with Library.open(tmp_path / "library", write=True) as library:
        library.import_([tmp_path / "projects"])
        third = library.conversation(made.session_id(3))
        assert third.title == "潮汐表"
        assert library.conversation("00000003") == third
        assert library.conversation(os.fsdecode(third.raw_path)) == third
        assert third.raw_path in {os.fsencode(path) for path in truth.files}
        with pytest.raises(NotFound, match="5 conversations begin so"):
            library.conversation("0000000")
        for name in ("", "nothing", "%", "a\0b"):
            with pytest.raises(NotFound):
                library.conversation(name)


def test_a_kept_conversation_can_be_read_and_has_versions(tmp_path: Path) -> None:
    session = made.small(tmp_path)
    path = session.save(tmp_path)
    with Library.open(tmp_path / "library", write=True) as library:
        library.import_([path])
        session.say("more")
        session.save(tmp_path)
        library.import_()
        path.unlink()
        kept = library.conversation(session.id)
        assert [version.number for version in library.versions(kept)] == [1, 2]
        assert [*library.content(kept).as_bytes().values()] == [session.bytes()]
        (restored,) = library.restore(session.id, tmp_path / "was", version=1)
        assert session.bytes().startswith(restored.read_bytes())
        assert restored.stat().st_size < len(session.bytes())


def test_its_content_is_reported(tmp_path: Path) -> None:
    truth = made.history(tmp_path)
    with Library.open(tmp_path / "library", write=True) as library:
        assert library.info().last_import is None
        library.import_([tmp_path / "projects"])
        truth.files[0].unlink()
        library.import_()
        reported = library.info()
        assert (reported.sources, reported.here, reported.gone) == (8, 7, 1)
        assert 0 < reported.archive < reported.raw
        assert reported.index > 0
        assert reported.database > reported.archive
        assert reported.places == (tmp_path / "projects",)
        assert reported.last_import is not None
