"""Exporting several conversations: from the library, to pages and to files of a format."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from tests.cli.test_library import run

DEMO = Path(__file__).parents[2] / "demo"

ALL = ("--no-redact", "--include-deleted")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Return a folder with a library of conversations whose files are gone, and other files."""
    (tmp_path / "imported").mkdir()
    for name in ("claude-code.jsonl", "native.jsonl"):
        shutil.copy(DEMO / name, tmp_path / "imported" / name)
    assert run(tmp_path, "import", "imported", "-q").returncode == 0
    shutil.rmtree(tmp_path / "imported")
    (tmp_path / "talks").mkdir()
    for name in ("claude-code.jsonl", "muse.json", "studio.json"):
        shutil.copy(DEMO / name, tmp_path / "talks" / name)
    return tmp_path


def _ids(folder: Path) -> list[str]:
    found = json.loads(run(folder, "list", "--json").stdout)
    return [each["id"] for each in found["conversations"]]


def test_conversations_of_the_library_become_pages(folder: Path) -> None:
    first, second, *_ = _ids(folder)
    done = run(folder, "export", first, second[:6], "--to", "html", "-o", "out")
    assert (done.returncode, done.stdout) == (0, "")
    assert done.stderr.startswith("talktree: wrote out (2 pages, ")
    pages = {path.name for path in (folder / "out").iterdir()}
    assert pages == {f"{first}.html", f"{second}.html", "index.html"}


def test_one_that_is_not_there_is_named_and_the_others_are_written(folder: Path) -> None:
    first = _ids(folder)[0]
    done = run(folder, "export", first, "nothing", "talks/muse.json", "--to", "md", "-o", "out/")
    assert done.returncode == 3
    assert "talktree: wrote out/ (2 pages, " in done.stderr
    assert done.stderr.endswith("talktree: nothing: no such conversation\n")
    assert {path.name for path in (folder / "out").iterdir()} == {f"{first}.md", "muse.md"}


def test_a_missing_path_selects_everything_that_was_in_the_file(folder: Path) -> None:
    gone = "imported/native.jsonl"
    done = run(folder, "export", gone, "talks/muse.json", "--to", "native", "-o", "out/", *ALL)
    assert done.returncode == 0, done.stderr
    assert f"{gone} is gone; this is what the library has of it" in done.stderr
    shown = json.loads(run(folder, "stats", "out/native.jsonl", "--json").stdout)
    before = json.loads(run(folder, "stats", str(DEMO / "native.jsonl"), "--json").stdout)
    assert shown["totals"] == before["totals"]


def test_nothing_is_said_to_be_written_if_nothing_is(folder: Path) -> None:
    done = run(folder, "export", "nothing", "nowhere.jsonl", "--to", "html", "-o", "out")
    assert done.returncode == 2
    assert done.stderr.splitlines() == [
        "talktree: nowhere.jsonl: no such file or folder",
        "talktree: nothing: no such conversation",
    ]
    assert not (folder / "out").exists()


def test_a_word_is_replaced_in_a_session_that_was_compacted(folder: Path) -> None:
    done = run(folder, "export", "talks/claude-code.jsonl", "--redact", "noon", "-o", "out.html")
    assert done.returncode == 0, done.stderr
    assert "noon" not in (folder / "out.html").read_text()


@pytest.mark.parametrize("to", ["native", "sage"])
@pytest.mark.parametrize("each", [False, True])
def test_a_folder_of_conversations_is_redacted_in_a_format(
    folder: Path, to: str, *, each: bool
) -> None:
    talks = sorted((folder / "talks").iterdir())
    paths = [f"talks/{path.name}" for path in talks] if each else ["talks"]
    words = ("--redact", "pii", "--redact", "the")
    done = run(folder, "export", *paths, "--to", to, *words, "-o", "out")
    assert done.returncode == 0, done.stderr
    assert "talktree: wrote out (3 conversations, " in done.stderr
    for talk in talks:
        name = f"{talk.stem}.jsonl" if to == "native" else talk.stem
        (written,) = (folder / "out").rglob(name)
        assert run(folder, "check", str(written), "--select", "SYN").returncode == 0
        files = [written] if written.is_file() else written.rglob("messages.jsonl")
        text = "".join(path.read_text() for path in files)
        assert text.count("[redacted: word") > 3
        assert "/home/mira" not in text
    again = run(folder, "export", *paths, "--to", to, "-o", "out")
    assert (again.returncode, again.stderr.splitlines()[0]) == (2, "talktree: out: already exists")
