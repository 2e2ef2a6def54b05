"""The context of a message is captured each time, and compared with the current one."""

from __future__ import annotations

import os
import time
from pathlib import Path

import pytest

from talktree.model.message import Context
from talktree.session.recording import context
from talktree.session.recording.context import ContextCapture, find_differences


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(context, "LOOK_AGAIN", 0.0)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def head(folder: Path, text: str) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "HEAD").write_text(text)
    time.sleep(2 * context.STILL_TRUE)


def test_directory_platform_and_version_are_there(place: Path) -> None:
    found = ContextCapture().capture()
    assert found.cwd == str(place)
    assert found.platform in ("linux", "macos", "windows", "other")
    assert found.user_type == "external"
    assert found.version is not None
    assert found.version.count(".") == 2


def test_the_branch_follows_the_repository(place: Path) -> None:
    around = ContextCapture()
    assert around.capture().git_branch is None
    head(place / ".git", "ref: refs/heads/main\n")
    assert around.capture().git_branch == "main"
    head(place / ".git", "ref: refs/heads/topic/a\n")
    assert around.capture().git_branch == "topic/a"
    head(place / ".git", "0123456789abcdef0123456789abcdef01234567\n")
    assert around.capture().git_branch == "0123456789ab"
    (place / ".git" / "HEAD").unlink()
    time.sleep(2 * context.STILL_TRUE)
    assert around.capture().git_branch is None


def test_the_repository_may_be_above_and_elsewhere(place: Path) -> None:
    head(place / "main" / ".git" / "worktrees" / "w", "ref: refs/heads/side\n")
    tree = place / "tree" / "deep"
    tree.mkdir(parents=True)
    (place / "tree" / ".git").write_text(f"gitdir: {place}/main/.git/worktrees/w\n")
    os.chdir(tree)
    assert ContextCapture().capture().git_branch == "side"


def test_a_change_of_directory_counts_immediately(place: Path) -> None:
    around = ContextCapture()
    around.capture()
    (place / "b").mkdir()
    os.chdir(place / "b")
    assert around.capture().cwd == str(place / "b")


def test_within_a_moment_nothing_is_looked_at_again(
    place: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(context, "STILL_TRUE", 3600.0)
    around = ContextCapture()
    assert around.capture() is around.capture()


def test_a_directory_that_is_gone_is_unknown(place: Path) -> None:
    gone = place / "gone"
    gone.mkdir()
    os.chdir(gone)
    gone.rmdir()
    assert ContextCapture().capture().cwd == ""
    os.chdir(place)


def test_only_differences_are_reported(place: Path) -> None:
    now = Context(
        cwd=str(place), git_branch="main", platform="linux", user_type="external", version="0.1.0"
    )
    assert find_differences(now, now) == ()
    assert find_differences(None, now) == ()
    assert find_differences(Context(), now) == ()
    (place / "there").mkdir()
    there = Context(cwd=str(place / "there"), git_branch="old", platform="macos", version="0.0.9")
    assert [each.kind for each in find_differences(there, now)] == [
        "cwd", "branch", "platform", "version",
    ]  # fmt: skip
    gone = find_differences(Context(cwd=str(place / "gone"), user_type="internal"), now)
    assert [each.kind for each in gone] == ["cwd-gone", "user-type"]
    assert str(place / "gone") in gone[0].text
    assert find_differences(Context(cwd="a\0b"), now)[0].kind == "cwd-gone"
    outside = find_differences(Context(git_branch="main"), Context())
    assert outside[0].text == "the git branch was main, and there is none now"
