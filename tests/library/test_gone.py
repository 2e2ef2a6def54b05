"""Imported files that are gone, files about to be deleted, and files that could not be imported."""

from __future__ import annotations

import json
import os
import shlex
from pathlib import Path

import pytest

from talktree.cli.main import run
from tests.library import made

DAY = 86_400


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("TALKTREE_HOME", str(tmp_path / "home"))
    return tmp_path / "home"


def printed(capfd: pytest.CaptureFixture[str], *words: str, code: int = 0) -> str:
    """Return the output of a command to both streams."""
    capfd.readouterr()
    assert run(words) == code
    reported = capfd.readouterr()
    return reported.out + reported.err


def shown_by(command: str) -> list[str]:
    """Return the words of the last `talktree show` command in an output."""
    (*_, last) = (line for line in command.splitlines() if line.strip().startswith("talktree show"))
    return shlex.split(last)[1:]


@pytest.mark.parametrize("imported_again", [False, True])
def test_a_hit_in_a_file_that_is_gone_says_how_to_show_it(
    tmp_path: Path, capfd: pytest.CaptureFixture[str], imported_again: bool
) -> None:
    path = made.small(tmp_path, words="a curlew").save(tmp_path)
    printed(capfd, "import", str(tmp_path / "projects"))
    assert str(path) in shown_by(printed(capfd, "search", "curlew"))
    path.unlink()
    if imported_again:
        printed(capfd, "import")
    hits = printed(capfd, "search", "curlew")
    assert "gone" in hits
    command = shown_by(hits)
    assert str(path) not in command
    assert "a curlew" in printed(capfd, *command)
    assert not json.loads(printed(capfd, "search", "curlew", "--json"))["hits"][0]["here"]


def test_a_hit_in_another_library_names_that_library(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    path = made.small(tmp_path, words="a curlew").save(tmp_path)
    library = str(tmp_path / "other library")
    printed(capfd, "import", str(path), "--library", library)
    path.unlink()
    command = shown_by(printed(capfd, "search", "curlew", "--library", library))
    assert "a curlew" in printed(capfd, *command)


@pytest.mark.parametrize("verb", ["show", "tree"])
def test_a_path_at_which_nothing_is_any_more_is_shown_from_the_library(
    tmp_path: Path, capfd: pytest.CaptureFixture[str], verb: str
) -> None:
    path = made.small(tmp_path, words="a curlew").save(tmp_path)
    printed(capfd, "import", str(path))
    path.unlink()
    reported = printed(capfd, verb, str(path))
    assert "a curlew" in reported
    assert "is gone" in reported
    reported = printed(capfd, verb, str(path) + "x", code=2)
    assert "no such file" in reported


def test_a_session_that_will_be_deleted_is_named_once(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    session = made.small(tmp_path / ".claude", words="a curlew")
    path = session.save(tmp_path / ".claude")
    now = path.stat().st_mtime

    def age(days: int) -> None:
        os.utime(path, (0, now - days * DAY))

    age(27)
    reported = printed(capfd, "import", str(tmp_path / ".claude"))
    assert "1 session will be deleted by its tool in 3 days" in reported
    assert path.stem in reported
    assert "will be deleted" not in printed(capfd, "import")
    assert json.loads(printed(capfd, "import", "--json"))["expiring"]
    age(0)
    printed(capfd, "import")
    age(29)
    assert path.stem in printed(capfd, "import"), "it went on meanwhile"


def test_undetected_files_are_listed_with_the_reason(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    place = tmp_path / "place"
    made.small(place)
    for name, data in (("empty.jsonl", b""), ("notes.md", b"milk"), ("odd\udcff.json", b"[1")):
        (place / name).write_bytes(data)
    reported = printed(capfd, "import", str(place))
    assert "1 new, 3 not imported" in reported
    assert f"{place}/empty.jsonl: the file is empty" in reported
    assert f"{place}/notes.md: no known conversation format" in reported
    assert "not recognised" not in printed(capfd, "import"), "only what is new is listed"
    reported = printed(capfd, "library", "info")
    assert f"{place}/empty.jsonl: the file is empty" in reported
    found = json.loads(printed(capfd, "library", "info", "--json"))["not_imported"]
    assert [Path(each["path"]).name for each in found][:2] == ["empty.jsonl", "notes.md"]
    assert len(found) == 3
    assert all(each["why"] for each in found)
    for path in place.glob("*.*"):
        path.unlink()
    printed(capfd, "import")
    assert "not imported" not in printed(capfd, "library", "info")


def test_a_file_that_was_a_conversation_is_listed_when_it_is_none_any_more(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    path = made.small(tmp_path).save(tmp_path)
    data = path.read_bytes()
    printed(capfd, "import", str(tmp_path / "projects"))
    path.write_bytes(b"")
    assert "the file is empty" in printed(capfd, "import")
    assert "the file is empty" in printed(capfd, "library", "info")
    path.write_bytes(data)
    printed(capfd, "import")
    assert "the file is empty" not in printed(capfd, "library", "info")


@pytest.mark.skipif(os.geteuid() == 0, reason="nothing is closed to root")
def test_unreadable_sources_are_listed_until_they_are_readable(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    path = made.small(tmp_path).save(tmp_path)
    path.chmod(0)
    printed(capfd, "import", str(tmp_path / "projects"), code=3)
    assert "Permission denied" in printed(capfd, "library", "info")
    path.chmod(0o600)
    printed(capfd, "import")
    assert "Permission denied" not in printed(capfd, "library", "info")
