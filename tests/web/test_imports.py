"""Imports through the API: a job that reports its progress and can be stopped."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from talktree.errors import NotFound
from talktree.library.library import Library
from talktree.web.actions.import_ import import_paths
from talktree.web.job_runner import Cancelled, JobProgress
from tests.web.running import running
from tests.web.working import DEMO, cid_of, copied


def test_new_files_are_imported(tmp_path: Path) -> None:
    folder = tmp_path / "talks"
    copied("native", folder)
    with running([folder]) as found:
        shutil.copy(DEMO / "muse.json", folder)
        job = found.ended(found.post("/imports", {})["id"])
        assert (job["state"], job["kind"], job["error"]) == ("done", "import", None)
        assert cid_of(found, folder / "muse.json")


def test_the_known_places_are_looked_at_if_that_is_asked_for(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    home = tmp_path / "claude"
    (home / "projects" / "-work").mkdir(parents=True)
    shutil.copy(DEMO / "claude-code.jsonl", home / "projects" / "-work" / "s.jsonl")
    monkeypatch.setenv("CLAUDE_CONFIG_DIR", str(home))
    monkeypatch.setenv("HOME", str(tmp_path))
    with running([copied("native", tmp_path / "talks")]) as found:
        found.ended(found.post("/imports", {})["id"])
        with pytest.raises(NotFound):
            cid_of(found, home / "projects" / "-work" / "s.jsonl")
        found.ended(found.post("/imports", {"known": True})["id"])
        assert cid_of(found, home / "projects" / "-work" / "s.jsonl")


def test_an_import_reports_progress_and_stops_within_a_file(tmp_path: Path) -> None:
    path = tmp_path / "long.jsonl"
    path.write_bytes((DEMO / "claude-code.jsonl").read_bytes() * 400)
    reported: list[tuple[int, int | None]] = []

    def change(done: int, total: int | None, text: str) -> None:
        reported.append((done, total))
        if done:
            progress.cancel()

    progress = JobProgress(change)
    with Library.open(tmp_path / "library", write=True) as library:
        with pytest.raises(Cancelled):
            import_paths(library, [path], progress)
        assert 0 < reported[-1][0] < path.stat().st_size == reported[-1][1]
        taken, _ = import_paths(library, [path], JobProgress(lambda *_: None))
        assert taken.failed == []
        assert not library.check(read_data=True)
        kept = library.conversation(str(path))
        (content,) = library.content(kept).files.values()
        assert content.read() == path.read_bytes()
