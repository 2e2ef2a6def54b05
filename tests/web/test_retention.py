"""Imports of the studio apply the retention rules like those of the command line."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from talktree.library.library import Library
from talktree.library.retention.apply import apply_retention
from talktree.library.retention.schedule import RetentionSchedule
from talktree.web.watcher import Follower
from tests.web.running import Running, running, until
from tests.web.working import DEMO, copied

RULE = '[[retention]]\nforget-after = "1d"\npath = "*/old*"\n'


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return a home with a library of one folder, and a rule for files whose names begin with
    `old`."""
    folder = tmp_path / "home"
    monkeypatch.setenv("TALKTREE_HOME", str(folder))
    with Library.open(write=True) as library:
        library.import_([copied("native", tmp_path / "talks").parent])
    (folder / "config.toml").write_text(RULE)
    return folder


def confirm() -> None:
    with Library.open(write=True) as library:
        apply_retention(library)


def paths(studio: Running) -> set[str]:
    return {Path(each["path"]).name for each in studio.get("/conversations")["cards"]}


def test_rules_are_applied_once_they_are_confirmed(home: Path, tmp_path: Path) -> None:
    shutil.copy(DEMO / "studio.json", tmp_path / "talks" / "old-first.json")
    with running([]) as studio:
        assert "are not confirmed, so nothing is forgotten" in studio.get("/about")["retention"]
        assert paths(studio) == {"native.jsonl", "old-first.json"}
        confirm()
        assert studio.get("/about")["retention"] is None
        assert paths(studio) == {"native.jsonl"}
        shutil.copy(DEMO / "muse.json", tmp_path / "talks" / "old-second.json")
        job = studio.ended(studio.post("/imports", {})["id"])
        assert job["state"] == "done"
        assert paths(studio) == {"native.jsonl"}
        (home / "config.toml").write_text(RULE.replace("1d", "2d"))
        assert "have changed, so nothing is forgotten" in studio.get("/about")["retention"]
        (home / "config.toml").write_text(RULE.replace("1d", "soon"))
        assert "forget-after" in studio.get("/about")["retention"]
    with Library.open() as library:
        assert len(library.list_forgotten()) == 2


def test_rules_are_applied_when_the_studio_starts(home: Path, tmp_path: Path) -> None:
    confirm()
    shutil.copy(DEMO / "muse.json", tmp_path / "talks" / "old.json")
    with running([]) as studio:
        assert paths(studio) == {"native.jsonl"}
    assert (tmp_path / "talks" / "old.json").exists(), "sources are never changed"


def test_a_file_that_is_dropped_and_too_old_is_not_kept(home: Path) -> None:
    confirm()
    with running([]) as studio:
        for name, source, why_not in (
            ("old.json", "muse.json", "a retention rule forgets it at once: forget-after 1d"),
            ("young.json", "studio.json", None),
            ("old.json", "muse.json", "it was forgotten before, so it is not imported"),
        ):
            data = (DEMO / source).read_bytes()
            answer = studio.client.post("/api/v1/uploads", params={"name": name}, content=data)
            job = studio.post(f"/uploads/{answer.json()['upload']}/keep", {})["id"]
            ended = studio.ended(job)
            assert ended["state"] == ("failed" if why_not else "done")
            if why_not:
                assert ended["error"]["message"].startswith(why_not)
        assert {each.name for each in (home / "dropped").iterdir()} == {"young.json"}


def test_watched_files_are_forgotten_when_they_are_old_enough(home: Path, tmp_path: Path) -> None:
    confirm()
    follower = Follower(None, [], every=0.05, retention=RetentionSchedule(every=0))
    follower.start()
    try:
        shutil.copy(DEMO / "muse.json", tmp_path / "talks" / "old.json")

        def forgotten() -> bool:
            with Library.open() as library:
                return bool(library.list_forgotten())

        until(forgotten)
    finally:
        follower.stop()


def test_files_that_are_opened_directly_are_shown_whatever_the_rules_say(
    home: Path, tmp_path: Path
) -> None:
    confirm()
    old = tmp_path / "old.json"
    shutil.copy(DEMO / "muse.json", old)
    with running([old]) as studio:
        assert paths(studio) == {"old.json"}
        assert studio.get("/about")["retention"] is None
