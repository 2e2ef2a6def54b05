"""Claude Code's file history: what it has is restored exactly, and nothing is written elsewhere."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given
from hypothesis import strategies as st

from talktree import api
from talktree.errors import NotFound, PathEscapes, WorldMoved
from talktree.session.capture.file_state import AbsentState, FileContentState, UnknownState
from talktree.session.claude.file_history import ClaudeHistory, load_history
from talktree.session.claude.places import relocate_path
from talktree.session.claude.restore import ClaudeRestore
from talktree.session.undo.execute import UndoResult
from tests.session.claude_recorder import ClaudeRecorder, Dialect

NAMES = ["a.txt", "src/b.py", "src/deep/c.bin"]
CONTENTS = st.none() | st.binary(min_size=1, max_size=6).filter(lambda each: each.strip(b"\0"))
EDITS = st.tuples(st.sampled_from(NAMES), CONTENTS, st.booleans())
"""The file, its new content, and whether the agent or the user changes it."""
TURNS = st.lists(st.lists(EDITS, max_size=4), min_size=1, max_size=4)


def tree(folder: Path) -> dict[str, bytes]:
    found = (path for path in folder.rglob("*") if path.is_file() and not path.is_symlink())
    return {str(path.relative_to(folder)): path.read_bytes() for path in found}


def opened(file: Path) -> ClaudeHistory:
    return load_history(api.read(file), file)


@given(turns=TURNS, dialect=st.sampled_from(["update", "delta"]))
def test_a_checkpoint_is_what_was_there_when_the_prompt_was_given(
    turns: list[list[tuple[str, bytes | None, bool]]], dialect: Dialect
) -> None:
    with TemporaryDirectory() as place:
        workspace = Path(place) / "work"
        workspace.mkdir()
        recorder = ClaudeRecorder(Path(place) / ".claude", workspace, dialect)
        recorder.by_hand("a.txt", b"before everything")
        seen: dict[str, dict[str, bytes]] = {}
        tracked: set[str] = set()
        for turn in turns:
            seen[recorder.prompt("Go on")] = tree(workspace)
            for name, content, by_agent in turn:
                if by_agent:
                    recorder.edit(name, content)
                    tracked.add(name)
                elif name in tracked:
                    # A checkpoint cannot know what was not backed up before the first edit.
                    recorder.by_hand(name, content)
        history = opened(recorder.save())
        for point in history.points:
            files = {was.name: was for was in history.list_files(point)}
            assert set(files) == tracked
            for name, was in files.items():
                then = seen[point.message].get(name)
                assert isinstance(was.state, AbsentState if then is None else FileContentState)
                if was.copy is not None:
                    with history.open_copy(was.copy) as stream:
                        assert stream.read() == then
        history.close()


@pytest.mark.parametrize(
    ("name", "started", "path"),
    [
        ("src/a.py", "/srv/app", b"src/a.py"),
        ("./src//a.py", None, b"src/a.py"),
        ("/srv/app/src/a.py", "/srv/app", b"src/a.py"),
        ("/srv/application/a.py", "/srv/app", b"outside/srv/application/a.py"),
        ("/etc/passwd", "/srv/app", b"outside/etc/passwd"),
        ("/etc/passwd", None, b"outside/etc/passwd"),
        ("../other/a.py", "/srv/app", b"outside/srv/other/a.py"),
        ("src/../a.py", "/srv/app", b"a.py"),
        ("../../../../../x", "/srv/app", b"outside/x"),
        ("src\\a.py", "C:\\work", b"src/a.py"),
        ("C:\\work\\src\\a.py", "C:\\work", b"src/a.py"),
        ("D:\\else\\a.py", "C:\\work", b"outside/D/else/a.py"),
        ("a\\b", "/srv/app", b"a\\b"),
        ("ä/ö.txt", "/srv/app", "ä/ö.txt".encode()),
    ],
)
def test_files_go_below_the_chosen_folder(name: str, started: str | None, path: bytes) -> None:
    assert relocate_path(name, started) == path


@pytest.mark.parametrize(
    ("name", "started"),
    [
        ("", "/srv"),
        (".", "/srv"),
        ("/", "/srv"),
        ("/srv", "/srv"),
        ("../up", None),
        ("a/../../up", None),
        ("nul\0byte", "/srv"),
        ("x" * 5000, "/srv"),
        (".git/hooks/pre-commit", "/srv"),
        ("sub/.GIT/config", "/srv"),
        ("/srv/.git/config", "/srv"),
        ("..", "C:\\"),
    ],
)
def test_names_that_lead_nowhere_good_are_refused(name: str, started: str | None) -> None:
    with pytest.raises(PathEscapes):
        relocate_path(name, started)


@given(name=st.text(max_size=40), started=st.none() | st.text(max_size=20))
def test_no_name_leaves_the_chosen_folder(name: str, started: str | None) -> None:
    try:
        path = relocate_path(name, started)
    except PathEscapes:
        return
    parts = path.split(b"/")
    assert path
    assert not {b"", b".", b"..", b".git"} & set(parts)


def recorded(tmp_path: Path, dialect: Dialect = "delta") -> tuple[ClaudeRecorder, list[str]]:
    """Record two turns: a file is changed, another one made."""
    workspace = tmp_path / "work"
    workspace.mkdir()
    recorder = ClaudeRecorder(tmp_path / ".claude", workspace, dialect)
    recorder.by_hand("a.txt", b"one\n")
    first = recorder.prompt("Change a")
    recorder.edit("a.txt", b"two\n")
    second = recorder.prompt("Make b")
    last = recorder.edit("b.txt", b"new\n")
    recorder.save()
    return recorder, [first, second, last]


def test_a_message_without_a_checkpoint_is_at_that_of_the_prompt_above(tmp_path: Path) -> None:
    recorder, (first, second, last) = recorded(tmp_path)
    history = opened(recorder.file)
    assert history.find_checkpoint(last).message == second
    assert history.find_checkpoint(first[:10]).message == first
    with pytest.raises(NotFound):
        history.find_checkpoint("nothing like that")


def _nothing_but_nuls(copy: Path) -> None:
    copy.write_bytes(bytes(4))


def _a_link(copy: Path) -> None:
    copy.unlink()
    copy.symlink_to("/etc/hostname")


def _a_folder(copy: Path) -> None:
    copy.unlink()
    copy.mkdir()


@pytest.mark.parametrize(
    ("damage", "why"),
    [
        (_nothing_but_nuls, "NUL"),
        (Path.unlink, "gone"),
        (_a_link, "cannot be read"),
        (_a_folder, "cannot be read"),
    ],
)
def test_copies_that_are_missing_or_damaged_are_reported(
    tmp_path: Path, damage: Callable[[Path], None], why: str
) -> None:
    recorder, (first, _, _) = recorded(tmp_path)
    damage(next(recorder.history.glob("*@v1")))
    history = opened(recorder.file)
    state = next(
        was.state for was in history.list_files(history.find_checkpoint(first)) if was.copy
    )
    assert isinstance(state, UnknownState)
    assert why in state.why
    done = restore(recorder.file, first, tmp_path / "into")
    assert [action.action for action in done.plan.actions] == ["cannot"]
    assert tree(tmp_path / "into") == {}


@pytest.mark.parametrize("copy", ["../../secret", "/etc/hostname", "..", "a/b", "x\0y", ""])
def test_names_of_copies_do_not_leave_the_history(tmp_path: Path, copy: str) -> None:
    recorder, (first, _, _) = recorded(tmp_path)
    (tmp_path / ".claude" / "secret").write_text("secret")
    lines = [json.loads(line) for line in recorder.file.read_text().splitlines()]
    for line in lines:
        if line["type"] == "file-history-delta" and line["trackingPath"] == "a.txt":
            line["backup"]["backupFileName"] = copy
    recorder.file.write_text("".join(json.dumps(line) + "\n" for line in lines))
    history = opened(recorder.file)
    state = {was.name: was.state for was in history.list_files(history.find_checkpoint(first))}[
        "a.txt"
    ]
    assert isinstance(state, UnknownState)


def test_without_the_folder_of_copies_nothing_is_invented(tmp_path: Path) -> None:
    recorder, (first, _, _) = recorded(tmp_path)
    os.rename(recorder.history, tmp_path / "elsewhere")
    history = opened(recorder.file)
    assert history.folder is None
    states = {was.name: was.state for was in history.list_files(history.find_checkpoint(first))}
    assert isinstance(states["a.txt"], UnknownState)
    assert isinstance(states["b.txt"], AbsentState)


# restoring


def restore(file: Path, message: str, into: Path, **options: object) -> UndoResult:
    history = opened(file)
    work = ClaudeRestore(history, history.find_checkpoint(message), into, **options)  # type: ignore[arg-type]
    before = tree(into) if into.exists() else None
    plan = work.plan()
    assert (tree(into) if into.exists() else None) == before, "a plan changes nothing"
    done = work.apply(plan.digest)
    history.close()
    return done


def test_a_consistent_set_comes_back(tmp_path: Path) -> None:
    recorder, (first, second, last) = recorded(tmp_path)
    for message, files in [
        (first, {"a.txt": b"one\n"}),
        (second, {"a.txt": b"two\n"}),
        (last, {"a.txt": b"two\n"}),
    ]:
        done = restore(recorder.file, message, tmp_path / f"to-{message}")
        assert done.exit_code == 0
        assert tree(tmp_path / f"to-{message}") == files
        assert done.plan.uncovered


def test_existing_user_files_are_left_or_moved_aside(tmp_path: Path) -> None:
    recorder, (first, _, _) = recorded(tmp_path)
    into = tmp_path / "into"
    into.mkdir()
    (into / "a.txt").write_bytes(b"mine\n")
    (into / "b.txt").write_bytes(b"mine too\n")
    (into / "other").write_bytes(b"not concerned\n")
    done = restore(recorder.file, first, into)
    assert done.exit_code == 1
    assert [action.path for action in done.plan.conflicts] == [b"a.txt", b"b.txt"]
    assert tree(into)["a.txt"] == b"mine\n"
    done = restore(recorder.file, first, into, force=True)
    assert done.exit_code == 0
    found = tree(into)
    assert found["a.txt"] == b"one\n"
    assert "b.txt" not in found
    assert {b"mine\n", b"mine too\n", b"not concerned\n"} < set(found.values())


def test_files_kept_in_the_history_may_be_replaced(tmp_path: Path) -> None:
    recorder, (first, second, _) = recorded(tmp_path)
    into = tmp_path / "into"
    restore(recorder.file, first, into)
    assert restore(recorder.file, second, into).exit_code == 0
    assert tree(into) == {"a.txt": b"two\n"}


def test_one_file_only(tmp_path: Path) -> None:
    recorder, (first, _, _) = recorded(tmp_path)
    done = restore(recorder.file, first, tmp_path / "into", only=["b.txt"])
    assert done.plan.actions == ()
    assert tree(tmp_path / "into") == {}


def test_a_plan_of_another_world_is_refused(tmp_path: Path) -> None:
    recorder, (first, _, _) = recorded(tmp_path)
    history = opened(recorder.file)
    work = ClaudeRestore(history, history.find_checkpoint(first), tmp_path / "into")
    digest = work.plan().digest
    (tmp_path / "into").mkdir()
    (tmp_path / "into" / "a.txt").write_bytes(b"meanwhile")
    with pytest.raises(WorldMoved):
        work.apply(digest)
    assert tree(tmp_path / "into") == {"a.txt": b"meanwhile"}


HOSTILE = ["/etc/evil", "../evil", "a/../../evil", ".git/hooks/post-checkout", "link/evil", "a\0b"]


@pytest.mark.parametrize("name", HOSTILE)
def test_nothing_is_written_outside(tmp_path: Path, name: str) -> None:
    recorder, (first, _, _) = recorded(tmp_path)
    text = recorder.file.read_text().replace('"a.txt"', json.dumps(name))
    recorder.file.write_text(text)
    into, outside = tmp_path / "into", tmp_path / "outside-of-it"
    into.mkdir()
    outside.mkdir()
    (into / "link").symlink_to(outside)
    before = tree(tmp_path / "work")
    done = restore(recorder.file, first, into)
    assert list(outside.iterdir()) == []
    assert tree(tmp_path / "work") == before
    assert not Path("/etc/evil").exists()
    assert not (tmp_path / "evil").exists()
    assert not (into / ".git").exists()
    reported = {action.action for action in done.plan.actions}
    assert reported <= {"cannot", "write", "mkdir"}
    if name.startswith((".git", "link", "a\0")):
        assert reported == {"cannot"}
