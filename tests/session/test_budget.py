"""A session that exceeds its space budget reports it once, and continues."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from talktree.session import Session, Store
from talktree.session.capture.budget import USUAL
from talktree.text.json.value import Json
from tests.session.working import Place


def worked(session: Session, folder: Path, content: bytes) -> list[str]:
    """Run a step that writes a file; return the notices."""
    had = len(session.notices)
    with session.step(session.assistant("work"), paths=["a"]):
        (folder / "a").write_bytes(content)
    return session.notices[had:]


@pytest.fixture
def at(tmp_path: Path) -> Place:
    place = Place(tmp_path)
    place.session.close()
    place.store.change_settings(budget=1000)
    return place


def test_it_is_reported_once_when_the_budget_is_passed(at: Place) -> None:
    with at.store.open() as session:
        assert worked(session, at.work, b"1" * 600) == []
        reported = worked(session, at.work, b"2" * 600)
        assert len(reported) == 1
        assert "budget" in reported[0]
        assert worked(session, at.work, b"3" * 600) == []
    with at.store.open() as session:
        # Blobs of others count too; a blob that exists already does not take more space.
        assert worked(session, at.work, b"2" * 600) == []
        assert len(worked(session, at.work, b"4")) == 1


def test_nothing_is_reported_below_the_budget_or_without_one(at: Place) -> None:
    at.store.change_settings(budget=None)
    assert at.store.settings().budget == USUAL
    with at.store.open() as session:
        assert worked(session, at.work, b"1" * 2000) == []
    at.store.change_settings(budget=False)
    assert at.store.settings().budget is None
    with at.store.open() as session:
        assert worked(session, at.work, b"2" * 2000) == []


def test_the_command_line_reports_it(at: Place) -> None:
    def reported(*words: str) -> str:
        command = [sys.executable, "-m", "talktree.cli.main", "session", *words]
        root = {"TALKTREE_SESSIONS": str(at.store.root)}
        done = subprocess.run(
            command, cwd=at.work, env={**os.environ, **root}, capture_output=True, check=True
        )
        return done.stderr.decode()

    assert "budget" not in reported("gc")
    assert "its budget is 1,000 bytes" in reported("step", "--", "sh", "-c", "seq 1000 > a")
    assert "its budget is 1,000 bytes" in reported("gc")


def test_an_invalid_budget_is_the_default(tmp_path: Path) -> None:
    store = Store(tmp_path)
    values: list[Json] = ["much", -1, 1.5, True, [1]]
    for value in values:
        store.change_settings(budget=value)
        assert store.settings().budget == USUAL
