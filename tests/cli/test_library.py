"""The library as a process: it follows files, outputs what its reader can decode, and starts
fast."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
from pathlib import Path
from unicodedata import category

import pytest

from talktree.cli.commands.search import QueryVerb
from tests.cli.test_terminal import HOSTILE, OWN_COLOR, on_terminal
from tests.cli.transcript import environment
from tests.library.made import Session, Truth, append, small

HEAVY = ("tantivy", "sqlite3", "zstandard", "rich", "msgspec", "pyarrow", "talktree.library")


def run(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Run a command with a separate library in a folder."""
    return subprocess.run(
        ["talktree", *arguments],
        cwd=folder,
        env={**environment(), "TALKTREE_HOME": str(folder / "home")},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
        timeout=300,
    )


def imported(command: str) -> set[str]:
    """Return the modules that a command line imports, as Python reports them."""
    done = subprocess.run(
        [sys.executable, "-X", "importtime", "-m", "talktree.cli.main", *command.split()],
        env=environment(),
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
    )
    return {row.rpartition("|")[2].strip() for row in done.stderr.splitlines() if "|" in row}


@pytest.mark.parametrize("command", ["--help", "search --help", "import --help", "list --help"])
def test_help_needs_nothing_heavy(command: str) -> None:
    found = imported(command)
    allowed = {"msgspec"} if command != "--help" else set()
    heavy = [each for each in HEAVY if each in found and each not in allowed]
    assert heavy == []


def test_a_search_needs_neither_formats_nor_rich_nor_click(tmp_path: Path) -> None:
    small(tmp_path / "claude")
    run(tmp_path, "import", "claude", "-q")
    done = subprocess.run(
        [sys.executable, "-X", "importtime", "-m", "talktree.cli.main", "search", "plain"],
        env={**environment(), "TALKTREE_HOME": str(tmp_path / "home")},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=True,
    )
    found = {row.rpartition("|")[2].strip() for row in done.stderr.splitlines() if "|" in row}
    assert "tantivy" in found
    unneeded = (
        *("rich", "click", "asyncio"),
        *("talktree.files", "talktree.formats", "talktree.conversion", "talktree.session"),
        *("inspect", "hashlib"),
    )
    assert [each for each in unneeded if each in found] == []


def test_messages_written_during_a_watch_are_found_immediately(tmp_path: Path) -> None:
    session = small(tmp_path / "claude")
    path = session.save(tmp_path / "claude")
    run(tmp_path, "import", "claude", "-q")
    with subprocess.Popen(
        ["talktree", "watch", "--every", "0.05", "--json"],
        cwd=tmp_path,
        env={**environment(), "TALKTREE_HOME": str(tmp_path / "home")},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    ) as process:
        try:
            assert process.stdout is not None
            session.say("An unheard of zeppelin")
            append(path, session.lines[-1])
            reported = json.loads(process.stdout.readline())
            assert reported["what"] == "grown"
            assert reported["path"] == str(path)
            found = json.loads(run(tmp_path, "search", "zeppelin", "--json").stdout)
            assert [hit["excerpt"] for hit in found["hits"]] == ["An unheard of zeppelin"]
        finally:
            process.send_signal(signal.SIGINT)
        assert process.stderr is not None
        assert process.stderr.read() == b""
    assert process.returncode == 130


def test_no_content_of_the_library_acts_on_a_terminal(tmp_path: Path) -> None:
    session = Session(Truth(), 1, cwd=f"/home/{HOSTILE}", model=f"model {HOSTILE}")
    session.say(f"zeppelin {HOSTILE} brass")
    session.title(f"title {HOSTILE}")
    path = session.save(tmp_path / "claude")
    os.rename(path, path.parent / f"odd {HOSTILE.replace(chr(0), '').replace('/', '')}.jsonl")
    home = {**environment(), "TALKTREE_HOME": str(tmp_path / "home")}
    for command in (
        ["import", "claude", "--progress", "none"],
        ["search", "zeppelin", "brass"],
        ["search", f'"{HOSTILE.replace(chr(0), "")}'],
        ["list"],
        ["stats"],
        ["library", "info"],
        ["library", "versions", session.id],
    ):
        shown, code = on_terminal(command, tmp_path, home)
        assert code in {0, 2}, shown
        left = OWN_COLOR.sub("", shown).replace("\r\n", "\n")
        acting = {char for char in left if category(char) in {"Cc", "Cf", "Cs", "Zl", "Zp"}}
        assert acting <= {"\n"}, (command, acting)


def test_names_in_the_bar_of_an_import_cannot_act(tmp_path: Path) -> None:
    for number in range(3):
        name = HOSTILE.replace(chr(0), "").replace("/", "")[:60]
        path = small(tmp_path / "claude", number).save(tmp_path / "claude")
        os.rename(path, path.parent / f"{number}{name}.jsonl")
    shown, code = on_terminal(
        ["import", "claude"], tmp_path, {**environment(), "TALKTREE_HOME": str(tmp_path)}
    )
    assert (code, "3 new" in shown) == (0, True)
    for word in ("\x1b]", "\x1b[2J", "\x9b", "\x90", "\u202e", "\u200b", "\u2028"):
        assert word not in shown


def test_names_that_are_not_text_are_found_shown_and_restored(tmp_path: Path) -> None:
    path = small(tmp_path / "claude").save(tmp_path / "claude")
    odd = os.fsencode(path.parent) + b"/n\xff\xfe\n.jsonl"
    os.rename(path, odd)
    assert run(tmp_path, "import", "claude", "-q").returncode == 0
    found = json.loads(run(tmp_path, "search", "question", "--json").stdout)
    assert os.fsencode(found["hits"][0]["path"]) == odd
    assert "n\\udcff" in run(tmp_path, "search", "question").stdout
    done = run(tmp_path, "library", "restore", found["hits"][0]["conversation"], "--into", "was")
    assert done.returncode == 0, done.stderr
    with open(odd, "rb") as file:
        assert [each.read_bytes() for each in (tmp_path / "was").rglob("*.jsonl")] == [file.read()]


def test_every_hit_has_the_command_that_shows_it(tmp_path: Path) -> None:
    path = small(tmp_path / "claude").save(tmp_path / "claude")
    run(tmp_path, "import", "claude", "-q")
    for _ in range(2):
        shown = run(tmp_path, "search", "plain", "answer").stdout
        command = re.search(r"talktree show .*", shown)
        assert command is not None
        done = run(tmp_path, *command[0].split()[1:])
        assert "a plain answer" in done.stdout, done.stderr
        path.unlink(missing_ok=True)
        run(tmp_path, "import", "-q")


@pytest.mark.parametrize(
    ("given", "words", "options"),
    [
        ("lamp -brass", "lamp -brass", ""),
        ("-hello -n 3 a", "-hello a", "-n 3"),
        ("a --limit 3 OR -b --json", "a OR -b", "--limit 3 --json"),
        ("--limit=3 -- -n --json", "-n --json", "--limit=3"),
        ("a --lmit", "a", "--lmit"),
        ("a -n", "a", "-n"),
    ],
)
def test_words_may_begin_with_a_minus_sign(given: str, words: str, options: str) -> None:
    from talktree.cli.commands.search import command

    assert isinstance(command, QueryVerb)
    assert command.split_arguments(given.split()) == (options.split(), words.split())
