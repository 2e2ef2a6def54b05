"""Forgotten means gone: no planted word is left in any file, whatever happens meanwhile."""

from __future__ import annotations

import json
import os
import random
import shutil
import signal
import sqlite3
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests.cases import SEED, TORTURE
from tests.library import erased
from tests.library.erased import ROOT, SECRET, WORDS, found_in, planted, talktree

ROUNDS = 100 if TORTURE else 10


@pytest.fixture(scope="module")
def planted_once(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    return planted(tmp_path_factory.mktemp("planted"))


@pytest.fixture
def copied(planted_once: tuple[Path, Path], tmp_path: Path) -> tuple[Path, Path]:
    """A copy of the library; its sources stay where they are."""
    home, path = planted_once
    shutil.copytree(home, tmp_path / "home")
    return tmp_path / "home", path


def others_are_whole(home: Path, path: Path, into: Path) -> None:
    """All other conversations are as their files are, and nothing is damaged."""
    assert talktree(home, "library", "check", "--read-data", "--json").stdout.count("kind") == 0
    listed = json.loads(talktree(home, "list", "--json", "--agents").stdout)
    others = [each for each in path.parent.glob("*.jsonl") if each != path]
    ids = {each["id"] for each in listed["conversations"]}
    assert {each.stem for each in others} <= ids
    for number, other in enumerate(others):
        talktree(home, "library", "restore", other.stem, "--into", str(into / str(number)))
        (restored,) = (into / str(number)).rglob(other.name)
        assert restored.read_bytes() == other.read_bytes()


def test_the_scan_finds_all_that_is_planted(planted_once: tuple[Path, Path]) -> None:
    kinds = {kind for kind, _ in found_in(planted_once[0], WORDS)}
    assert kinds == set(WORDS)


def test_no_byte_of_a_forgotten_conversation_is_left(
    copied: tuple[Path, Path], tmp_path: Path
) -> None:
    home, path = copied
    done = json.loads(talktree(home, "library", "forget", SECRET, "--yes", "--json").stdout)
    assert done["forgotten"] and done["left"] == []
    assert found_in(home, WORDS) == set()
    said = talktree(home, "import").stderr
    assert "1 forgotten conversation skipped" in said
    assert found_in(home, WORDS) == set()
    others_are_whole(home, path, tmp_path / "was")
    assert found_in(home, WORDS) == set()
    (listed,) = json.loads(talktree(home, "library", "forgotten", "--json").stdout)["forgotten"]
    assert (listed["number"], listed["format"]) == (1, "claude-code")
    talktree(home, "library", "reindex")
    talktree(home, "library", "readmit", str(path))
    talktree(home, "import")
    talktree(home, "library", "restore", SECRET, "--into", str(tmp_path / "again"))
    (restored,) = (tmp_path / "again").rglob(path.name)
    assert restored.read_bytes() == path.read_bytes()


def test_freed_is_what_the_disk_has_more(copied: tuple[Path, Path]) -> None:
    home, _ = copied

    def used() -> int:
        return sum(each.stat().st_size for each in (home / "library").rglob("*") if each.is_file())

    connection = sqlite3.connect(home / "library" / "library.sqlite")
    connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    before = used()
    done = json.loads(talktree(home, "library", "forget", SECRET, "--yes", "--json").stdout)
    connection.close()
    assert abs(done["freed"] - max(0, before - used())) <= 32768


def test_with_a_reader_open_it_says_what_is_left(copied: tuple[Path, Path]) -> None:
    home, _ = copied
    reader = sqlite3.connect(home / "library" / "library.sqlite", isolation_level=None)
    reader.execute("BEGIN")
    reader.execute("SELECT count(*) FROM sources").fetchone()
    done = talktree(home, "library", "forget", SECRET, "--yes", code=1)
    assert "not finished" in done.stderr
    assert "library forget --finish" in done.stderr
    assert "no such conversation" in talktree(home, "show", SECRET, code=2).stderr
    reader.execute("COMMIT")
    reader.close()
    talktree(home, "library", "forget", "--finish")
    assert found_in(home, WORDS) == set()
    assert talktree(home, "library", "check").returncode == 0


def kill_at_random(home: Path, chosen: random.Random, *words: str, text: str = "") -> bool:
    """Run a command and kill it at a random moment; whether it was still running."""
    child = subprocess.Popen(
        [sys.executable, "-m", "talktree.cli.main", *words],
        env={**os.environ, "TALKTREE_HOME": str(home)},
        cwd=ROOT,
        stdin=subprocess.PIPE,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    assert child.stdin is not None
    child.stdin.write(text.encode())
    child.stdin.close()
    time.sleep(chosen.uniform(0.12, 0.4))
    running = child.poll() is None
    child.send_signal(signal.SIGKILL)
    child.wait()
    return running


def test_a_killed_forget_is_finished_later(planted_once: tuple[Path, Path], tmp_path: Path) -> None:
    home, path = planted_once
    chosen = random.Random(SEED)
    for each in range(ROUNDS):
        copy = tmp_path / str(each)
        shutil.copytree(home, copy)
        kill_at_random(copy, chosen, "library", "forget", SECRET, "--yes")
        talktree(copy, "library", "check", *(("--read-data",) if each % 5 == 0 else ()))
        listed = talktree(copy, "list", "--json").stdout
        if SECRET in listed:
            talktree(copy, "library", "forget", SECRET, "--yes")
        assert found_in(copy, WORDS) == set(), each
        if each % 5 == 0:
            others_are_whole(copy, path, tmp_path / f"was{each}")
        shutil.rmtree(copy)


FULL = """
import os, resource, sys
resource.setrlimit(resource.RLIMIT_FSIZE, (int(sys.argv[1]), resource.RLIM_INFINITY))
import signal
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
os.execv(sys.executable, [sys.executable, "-m", "talktree.cli.main", *sys.argv[2:]])
"""


@pytest.mark.parametrize("limit", [4096, 70_000])
def test_a_full_disk_leaves_nothing_that_cannot_be_continued(
    copied: tuple[Path, Path], limit: int
) -> None:
    home, _ = copied
    done = subprocess.run(
        [sys.executable, "-c", FULL, str(limit), "library", "forget", SECRET, "--yes"],
        env={**os.environ, "TALKTREE_HOME": str(home)},
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode not in (70, -signal.SIGXFSZ), done.stderr
    assert "Traceback" not in done.stderr
    talktree(home, "library", "check", "--read-data")
    if SECRET in talktree(home, "list", "--json").stdout:
        assert done.returncode != 0
        talktree(home, "library", "forget", SECRET, "--yes")
    assert found_in(home, WORDS) == set()
    assert talktree(home, "library", "check", "--read-data").returncode == 0


def test_copies_and_moves_of_what_was_forgotten_stay_away(
    tmp_path: Path,
) -> None:
    home, place = tmp_path / "home", tmp_path / "src"
    path = erased.write_sources(place, others=1)
    talktree(home, "import", str(place))
    talktree(home, "library", "forget", str(path), "--yes")
    shutil.copyfile(path, place / "copy.jsonl")
    (place / "moved").mkdir()
    path.rename(place / "moved" / "elsewhere.jsonl")
    said = talktree(home, "import").stderr
    assert "1 forgotten conversation skipped" in said
    again = json.loads(talktree(home, "import", "--json").stdout)
    assert (again["forgotten"], again["new"], again["bytes_read"]) == (1, 0, 0)
    assert found_in(home, WORDS) == set()
    talktree(home, "library", "readmit", SECRET)
    assert json.loads(talktree(home, "import", "--json").stdout)["new"] >= 2
