"""Forgotten means gone: no planted word is left in any file, whatever happens meanwhile."""

from __future__ import annotations

import gzip
import json
import os
import random
import re
import shutil
import signal
import sqlite3
import subprocess
import sys
from pathlib import Path
from xml.sax.saxutils import escape

import pytest

from talktree.library.erasure.finish import size_on_disk
from tests.cases import SEED, TORTURE
from tests.library import erased
from tests.library.erased import ROOT, SECRET, WORDS, found_in, planted, talktree

ROUNDS = 100 if TORTURE else 10


@pytest.fixture(scope="module")
def planted_once(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    return planted(tmp_path_factory.mktemp("planted"))


@pytest.fixture
def copied(planted_once: tuple[Path, Path], tmp_path: Path) -> tuple[Path, Path]:
    """Return a copy of the library; its sources stay where they are."""
    home, path = planted_once
    shutil.copytree(home, tmp_path / "home")
    return tmp_path / "home", path


def others_are_whole(home: Path, path: Path, into: Path) -> None:
    """Assert that all other conversations equal their files, and nothing is damaged."""
    assert talktree(home, "library", "check", "--read-data", "--json").stdout.count("kind") == 0
    listed = json.loads(talktree(home, "list", "--json", "--agents").stdout)
    others = [each for each in path.parent.glob("*.jsonl") if each != path]
    ids = {each["id"] for each in listed["conversations"]}
    assert {each.stem for each in others} <= ids
    for number, other in enumerate(others):
        talktree(home, "library", "restore", other.stem, "--into", str(into / str(number)))
        (restored,) = (into / str(number)).rglob(other.name)
        assert restored.read_bytes() == other.read_bytes()


def test_the_scan_finds_everything_planted(planted_once: tuple[Path, Path]) -> None:
    kinds = {kind for kind, _ in found_in(planted_once[0], WORDS)}
    assert kinds == set(WORDS)


def test_no_byte_of_a_forgotten_conversation_is_left(
    copied: tuple[Path, Path], tmp_path: Path
) -> None:
    home, path = copied
    done = json.loads(talktree(home, "library", "forget", SECRET, "--yes", "--json").stdout)
    assert (done["forgotten"], done["left"]) == (True, [])
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


def test_a_file_with_two_names_is_freed_once(copied: tuple[Path, Path]) -> None:
    home, _ = copied
    before = size_on_disk(home / "library")
    os.link(home / "library" / "library.sqlite", home / "library" / "second-name")
    assert size_on_disk(home / "library") == before


def test_the_files_that_go_are_listed_first(copied: tuple[Path, Path]) -> None:
    home, path = copied
    shown = talktree(home, "library", "forget", SECRET).stderr
    companions = json.loads(talktree(home, "library", "forget", SECRET, "--json").stdout)
    assert companions["companions"]
    assert all(f"  {each}\n" in shown for each in companions["companions"])
    assert str(path) in shown


def test_with_a_reader_open_it_says_what_is_left(copied: tuple[Path, Path]) -> None:
    home, _ = copied
    reader = sqlite3.connect(home / "library" / "library.sqlite", isolation_level=None)
    reader.execute("BEGIN")
    reader.execute("SELECT count(*) FROM sources").fetchone()
    done = talktree(home, "library", "forget", SECRET, "--yes", code=1)
    assert "not finished" in done.stderr
    assert "library forget --finish" in done.stderr
    assert " 0 bytes freed" not in done.stderr
    assert "no such conversation" in talktree(home, "show", SECRET, code=2).stderr
    reader.execute("COMMIT")
    reader.close()
    said = talktree(home, "library", "forget", "--finish").stderr
    assert re.search(r"the interrupted erasure is finished, [1-9][\d.]* \w+ freed", said)
    assert "nothing was left to erase" in talktree(home, "library", "forget", "--finish").stderr
    assert found_in(home, WORDS) == set()
    assert talktree(home, "library", "check").returncode == 0


def test_forgetting_again_says_so(copied: tuple[Path, Path]) -> None:
    home, path = copied
    talktree(home, "library", "forget", SECRET[:8], "--yes")
    for whole in (SECRET, str(path)):
        again = talktree(home, "library", "forget", whole, "--yes")
        assert "was forgotten before" in again.stderr
    again = talktree(home, "library", "forget", SECRET[:8], "--yes", code=2)
    assert "if it was forgotten before, only its whole id or its path is recognised" in again.stderr


KILLED = """
import os, signal, sys
left = int(sys.argv[1])
def count(frame, event, called):
    global left
    if event == "c_call" and "talktree/library" in frame.f_code.co_filename:
        left -= 1
        if left == 0:
            os.kill(os.getpid(), signal.SIGKILL)
from talktree.cli.main import run
sys.setprofile(count)
try:
    run(sys.argv[2:])
finally:
    sys.setprofile(None)
    print(int(sys.argv[1]) - left, file=sys.stderr)
"""
"""Runs a command and kills it at a given number of system or library calls."""
WHOLE = 10**9


def run_and_kill(home: Path, moment: int, *words: str, text: str = "") -> int:
    """Run a command that is killed at a moment; return the number of moments if it was not."""
    done = subprocess.run(
        [sys.executable, "-c", KILLED, str(moment), *words],
        env={**os.environ, "TALKTREE_HOME": str(home)},
        cwd=ROOT,
        input=text,
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode == -signal.SIGKILL:
        return 0
    return int(done.stderr.split()[-1])


def test_a_killed_forget_is_finished_later(planted_once: tuple[Path, Path], tmp_path: Path) -> None:
    home, path = planted_once
    forget = ("library", "forget", SECRET, "--yes")
    shutil.copytree(home, tmp_path / "whole")
    moments = run_and_kill(tmp_path / "whole", WHOLE, *forget)
    chosen = random.Random(SEED)
    for each in range(ROUNDS):
        copy = tmp_path / str(each)
        shutil.copytree(home, copy)
        run_and_kill(copy, chosen.randrange(1, moments), *forget)
        talktree(copy, "library", "check", *(("--read-data",) if each % 5 == 0 else ()))
        if found_in(copy, WORDS):
            # It was killed before the erasure was committed: then the conversation is still
            # complete.
            assert SECRET in talktree(copy, "list", "--json").stdout
            talktree(copy, *forget)
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


@pytest.mark.parametrize("limit", [4096, 70_000, 350_000])
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
    elif done.returncode != 0:
        assert done.returncode == 1
        assert "is forgotten" in done.stderr
        assert "not finished" in done.stderr
        assert "library forget --finish" in done.stderr
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


def test_a_lost_key_is_reported(tmp_path: Path) -> None:
    home, place = tmp_path / "home", tmp_path / "src"
    path = erased.write_sources(place, others=1)
    talktree(home, "import", str(place))
    talktree(home, "library", "forget", str(path), "--yes")
    assert (home / "library" / "forget.key").stat().st_mode & 0o077 == 0
    (home / "library" / "forget.key").rename(tmp_path / "key")
    assert "forget.key is missing" in talktree(home, "library", "check", code=1).stdout
    (tmp_path / "key").rename(home / "library" / "forget.key")
    assert json.loads(talktree(home, "import", "--json").stdout)["forgotten"] == 1


# scrubbing

TOKEN = 'sk-"zqü/\\key<&>' + "7" * 20
"""A secret with all characters that formats escape."""


def write_secrets(folder: Path) -> list[Path]:
    """Write the same secret to files of several formats: plain, escaped and compressed."""
    folder.mkdir(parents=True)
    lines = erased.session(SECRET, words=False, lines=30)
    turn = json.dumps({"role": "user", "content": f"use {TOKEN} or {TOKEN}, please"})
    ascii_line = erased._line(SECRET, 99, json.loads(turn))
    plain_line = json.dumps(json.loads(ascii_line), ensure_ascii=False).encode() + b"\n"
    nested = erased._line(SECRET, 98, {"role": "user", "content": turn})
    session = folder / f"{SECRET}.jsonl"
    session.write_bytes(lines + ascii_line + plain_line + nested)
    messages = folder / "messages.json"
    comment = {"id": "m0000001", "userId": "u", "type": "user", "timestamp": 1733800000000}
    more = {"content": f"use {TOKEN}", "attachments": [], "children": []}
    messages.write_text(json.dumps([{**comment, **more}], indent=2))
    inside = "".join(f"<{name}>{value}</{name}>" for name, value in comment.items())
    (folder / "app.xml").write_text(
        f"<comments><comment>{inside}<content>use {escape(TOKEN)}</content></comment></comments>"
    )
    packed = folder / f"{erased.FORK}.jsonl.gz"
    packed.write_bytes(
        gzip.compress((lines + ascii_line).replace(SECRET.encode(), erased.FORK.encode()), 1)
    )
    chat = folder / "chat"
    chat.mkdir()
    (chat / "1.md").write_text(f"; role: user\n\nuse {TOKEN}\n")
    (chat / "2.md").write_text("; role: assistant\n\nno\n")
    return [session, messages, packed, chat / "1.md"]


def secrets_in(home: Path) -> set[tuple[str, str]]:
    """Return the places with the part of the secret that no format escapes."""
    return found_in(home, {"token": "7" * 20})


@pytest.fixture(scope="module")
def with_secrets(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    folder = tmp_path_factory.mktemp("secrets")
    place = folder / "src"
    write_secrets(place)
    home = folder / "home"
    talktree(home, "import", str(place))
    with (place / f"{SECRET}.jsonl").open("ab") as file:
        file.write(erased._line(SECRET, 100, {"role": "user", "content": f"again {TOKEN}"}))
    talktree(home, "import")
    return home, place


def test_a_scrubbed_secret_is_nowhere_and_everything_else_stays(
    with_secrets: tuple[Path, Path], tmp_path: Path
) -> None:
    home = tmp_path / "home"
    shutil.copytree(with_secrets[0], home)
    place = with_secrets[1]
    sources = {each: each.read_bytes() for each in place.rglob("*") if each.is_file()}
    assert secrets_in(home)
    versions = talktree(home, "library", "versions", SECRET, "--json").stdout
    said = talktree(
        home, "library", "scrub", "--secret-from-stdin", "--yes", "--json", text=TOKEN + "\n"
    )
    done = json.loads(said.stdout)
    assert done["left"] == []
    assert done["conversations"] == 5
    assert len(done["on_disk"]) == 5
    assert secrets_in(home) == set()
    talktree(home, "library", "check", "--read-data")
    assert talktree(home, "library", "versions", SECRET, "--json").stdout == versions
    for number in (1, 2):
        into = tmp_path / f"was{number}"
        talktree(home, "library", "restore", SECRET, "--into", str(into), "--version", str(number))
        (restored,) = into.rglob("*.jsonl")
        kept, was = restored.read_bytes(), sources[place / restored.name]
        assert len(kept) == len(was[: len(kept)])
        assert all(json.loads(line) for line in kept.splitlines())
        assert b"tide tables" in kept
    again = json.loads(talktree(home, "import", "--json").stdout)
    assert (again["new"], again["replaced"], again["grown"]) == (0, 0, 0)
    for path, data in sources.items():
        assert path.read_bytes() == data, "sources are never changed"


def test_a_later_import_does_not_bring_a_scrubbed_secret_back(
    with_secrets: tuple[Path, Path], tmp_path: Path
) -> None:
    home, place = tmp_path / "home", tmp_path / "src"
    shutil.copytree(with_secrets[1], place)
    talktree(home, "import", str(place))
    talktree(home, "library", "scrub", "--secret-from-stdin", "--yes", text=TOKEN)
    for path in place.rglob("*"):
        if path.is_file():
            os.utime(path)
    session = place / f"{SECRET}.jsonl"
    with session.open("ab") as file:
        file.write(erased._line(SECRET, 101, {"role": "user", "content": f"more {TOKEN}"}))
    shutil.copyfile(place / "messages.json", place / "copy.json")
    said = talktree(home, "import").stderr
    assert "scrubbed secret" in said
    assert secrets_in(home) == set()
    done = json.loads(talktree(home, "import", "--json").stdout)
    assert done["bytes_read"] == 0
    talktree(home, "library", "reindex")
    talktree(home, "library", "check", "--read-data")
    assert secrets_in(home) == set()
    assert len(talktree(home, "library", "versions", SECRET).stdout.splitlines()) == 2


def test_a_killed_scrub_is_finished_later(with_secrets: tuple[Path, Path], tmp_path: Path) -> None:
    scrub = ("library", "scrub", "--secret-from-stdin", "--yes")
    shutil.copytree(with_secrets[0], tmp_path / "whole")
    moments = run_and_kill(tmp_path / "whole", WHOLE, *scrub, text=TOKEN)
    chosen = random.Random(SEED)
    for each in range(ROUNDS):
        copy = tmp_path / str(each)
        shutil.copytree(with_secrets[0], copy)
        run_and_kill(copy, chosen.randrange(1, moments), *scrub, text=TOKEN)
        talktree(copy, "library", "check", *(("--read-data",) if each % 5 == 0 else ()))
        if secrets_in(copy):
            talktree(copy, *scrub, text=TOKEN)
        assert secrets_in(copy) == set(), each
        shutil.rmtree(copy)
