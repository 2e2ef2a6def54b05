"""Unsaved edits of a studio that has ended are found, named and discarded by other commands."""

from __future__ import annotations

import json
import shutil
import signal
import subprocess
from pathlib import Path

import httpx
import pytest

from tests.library.test_text_finder import chat
from tests.web.running import until
from tests.web.test_launch import Process, run, started

WORD = "velvet-anvil-ninety"


@pytest.fixture
def files(tmp_path: Path) -> list[Path]:
    """Return two conversations in a folder whose name needs quotes."""
    folder = tmp_path / "two sessions"
    folder.mkdir()
    found = [folder / "a.jsonl", folder / "c.jsonl"]
    for path in found:
        path.write_text(chat(f"This is {path.name}.", name=path.name))
    return found


def edit(studio: Process, *paths: Path) -> None:
    """Add a reply in each of some files, and do not save it."""
    for path in paths:
        cards = until(lambda path=path: _cards(studio.client, path))
        cid = cards[0]["cid"]
        stamp = studio.client.get(f"/c/{cid}/edits").json()["stamp"]
        leaf = studio.client.get(f"/c/{cid}").json()["leaf"]
        done = studio.post_reply(cid, stamp, leaf, f"the word is {WORD}")
        assert done.status_code == 200, done.text


def _cards(client: httpx.Client, path: Path) -> list[dict[str, str]]:
    cards = client.get("/conversations").json()["cards"]
    return [each for each in cards if each["path"] == str(path)]


def leave_edits(folder: Path, opened: list[Path], edited: list[Path], *, kill: bool) -> None:
    """Open some files, edit some of them, and end the studio."""
    with started(folder, *map(str, opened)) as studio:
        edit(studio, *edited)
        studio.end(signal.SIGKILL if kill else signal.SIGINT)


def words_kept(folder: Path) -> bool:
    """Whether the text of the edits is in a file of the data folder."""
    return any(
        WORD.encode() in path.read_bytes()
        for path in (folder / "home").rglob("*")
        if path.is_file()
    )


def check_refused(done: subprocess.CompletedProcess[str]) -> None:
    assert done.returncode == 2
    assert "no unsaved edits of exactly these files" in done.stderr
    assert "unsaved edits discarded" not in done.stderr


@pytest.mark.parametrize("kill", [False, True])
def test_edits_are_discarded_only_by_the_paths_that_hold_them(
    files: list[Path], tmp_path: Path, kill: bool
) -> None:
    leave_edits(tmp_path, files, files, kill=kill)
    for each in (files[0], files[1], tmp_path / "nope.jsonl"):
        done = run(tmp_path, "studio", "--discard", str(each))
        check_refused(done)
        both = f"talktree studio --discard '{files[0]}' '{files[1]}'"
        assert (both in done.stderr) == (each in files), done.stderr
        assert words_kept(tmp_path)
    done = run(tmp_path, "studio", "--discard", *map(str, files))
    assert (done.returncode, "discarded" in done.stderr) == (0, True)
    assert not words_kept(tmp_path)
    check_refused(run(tmp_path, "studio", "--discard", *map(str, files)))


def test_edits_of_one_of_several_files_are_reached_by_its_path(
    files: list[Path], tmp_path: Path
) -> None:
    leave_edits(tmp_path, files, files[:1], kill=False)
    check_refused(run(tmp_path, "studio", "--discard", str(files[1])))
    with started(tmp_path, str(files[0])) as studio:
        (card,) = until(lambda: _cards(studio.client, files[0]))
        assert studio.client.get(f"/c/{card['cid']}/edits").json()["edits"]
        studio.end()
    assert run(tmp_path, "studio", "--discard", str(files[0])).returncode == 0
    assert not words_kept(tmp_path)


@pytest.mark.parametrize("kill", [False, True])
def test_edits_are_found_and_named_without_a_library(
    files: list[Path], tmp_path: Path, kill: bool
) -> None:
    a = files[0]
    assert run(tmp_path, "library", "info").returncode == 2
    leave_edits(tmp_path, [a], [a], kill=kill)
    done = run(tmp_path, "library", "find", "--json", WORD)
    assert done.returncode == 0, done.stderr
    (match,) = json.loads(done.stdout)["found"]
    assert (match["path"], len(match["edits"])) == (str(a), 1)
    assert run(tmp_path, "library", "find", "another-word").returncode == 1
    done = run(tmp_path, "library", "info")
    assert done.returncode == 0, done.stderr
    assert f"{a}: 1 unsaved edit" in done.stdout
    assert f"talktree studio '{a}'" in done.stdout
    assert f"talktree studio --discard '{a}'" in done.stdout
    (kept,) = json.loads(run(tmp_path, "library", "info", "--json").stdout)["unsaved"]
    assert kept["files"] == [{"path": str(a), "edits": 1, "names": False}]
    assert not (tmp_path / "home" / "library").exists()


def test_edits_are_found_and_named_beside_a_library(files: list[Path], tmp_path: Path) -> None:
    a, c = files
    assert run(tmp_path, "import", str(c)).returncode == 0
    leave_edits(tmp_path, [a], [a], kill=True)
    done = run(tmp_path, "library", "info")
    assert f"{a}: 1 unsaved edit" in done.stdout
    assert run(tmp_path, "library", "find", WORD).returncode == 0
    for words in ([], ["--yes"]):
        done = run(tmp_path, "library", "forget", str(a), *words)
        assert done.returncode == 2
        (root,) = (tmp_path / "home" / "studio").iterdir()
        assert f"talktree library forget '{a}' --library {root}" in done.stderr
    done = run(tmp_path, "library", "forget", str(a), "--library", str(root), "--yes")
    assert done.returncode == 0, done.stderr
    assert not words_kept(tmp_path)
    assert "unsaved" not in run(tmp_path, "library", "info").stdout


def test_a_scrub_makes_no_library(files: list[Path], tmp_path: Path) -> None:
    a = files[0]
    library = tmp_path / "home" / "library"
    for words in ([], ["--yes"]):
        assert run(tmp_path, "library", "scrub", WORD, *words).returncode == 2
        assert not library.exists()
    leave_edits(tmp_path, [a], [a], kill=False)
    for words in ([], ["--yes"]):
        done = run(tmp_path, "library", "scrub", WORD, *words)
        assert done.returncode == 0, done.stderr
        assert "1 occurrence" in done.stderr
        assert not library.exists()
        assert words_kept(tmp_path) == (not words)


def test_a_start_names_the_edits_that_a_killed_studio_has_left(
    files: list[Path], tmp_path: Path
) -> None:
    a, c = files
    leave_edits(tmp_path, [a], [a], kill=True)
    for _ in "ab":
        with started(tmp_path, str(c)) as studio:
            _, err = studio.end()
        assert f"{a}: 1 unsaved edit kept\n" in err
        assert f"`talktree studio '{a}'` opens them again" in err
        assert f"`talktree studio --discard '{a}'` discards them" in err
    with started(tmp_path, str(a)) as studio:
        _, err = studio.end()
    assert f"{a}: 1 unsaved edit opened again\n" in err
    assert run(tmp_path, "studio", "--discard", str(a)).returncode == 0
    with started(tmp_path, str(shutil.copy(c, tmp_path / "d.jsonl"))) as studio:
        _, err = studio.end()
    assert err == ""


def test_forgetting_announces_and_erases_unsaved_edits(files: list[Path], tmp_path: Path) -> None:
    assert run(tmp_path, "import", str(files[0])).returncode == 0
    leave_edits(tmp_path, files[:1], files[:1], kill=False)
    shown = run(tmp_path, "library", "forget", str(files[0])).stderr
    assert f"{files[0]}: 1 unsaved edit that a studio keeps would go, too" in shown
    assert words_kept(tmp_path)
    assert run(tmp_path, "library", "forget", str(files[0]), "--yes").returncode == 0
    assert not words_kept(tmp_path)


def test_the_studio_of_the_library_erases_unsaved_edits_elsewhere(
    files: list[Path], tmp_path: Path
) -> None:
    assert run(tmp_path, "import", str(files[0])).returncode == 0
    leave_edits(tmp_path, files[:1], files[:1], kill=False)
    with started(tmp_path) as studio:
        cid = until(lambda: _cards(studio.client, files[0]))[0]["cid"]
        done = studio.client.post(f"/c/{cid}/forget")
        assert done.json()["left"] == []
        studio.end(signal.SIGINT)
    assert not words_kept(tmp_path)
