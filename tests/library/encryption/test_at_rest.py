"""No word of a conversation is on the disk of an encrypted library, however a process ends."""

from __future__ import annotations

import json
import os
import signal
import time
from pathlib import Path

import pytest

from talktree.library.encryption.state import is_encrypted
from tests.cases import SEED, TORTURE
from tests.library.encryption.locked_home import PASSPHRASE, WORD, LockedHome
from tests.library.made import small

KILLS = 20 if TORTURE else 3
SWITCH_KILLS = 20 if TORTURE else 2
MAGIC = (b"SQLite format 3\0", b"\x28\xb5\x2f\xfd")
"""The first bytes of plain databases and compressed chunks."""


def _planted(home: LockedHome, number: int) -> Path:
    """Write one more session with the planted word."""
    small(home.sources, 100 + number, words=f"{WORD} again, number {number}")
    return home.sources


def _has_magic(home: LockedHome) -> bool:
    files = [path for path in home.root.rglob("*") if path.is_file()]
    return any(magic in path.read_bytes() for path in files for magic in MAGIC)


def test_the_search_of_the_disk_finds_what_is_plain(home: LockedHome) -> None:
    home.run("import", str(home.sources))
    assert home.hits()
    assert _has_magic(home)


def test_nothing_can_be_read_in_an_encrypted_library(home: LockedHome) -> None:
    home.run("import", str(home.sources))
    home.encrypt()
    assert home.hits() == []
    found = json.loads(home.run("search", WORD, "--json").stdout)
    assert found["hits"]
    home.run("import", str(_planted(home, 1)))
    assert home.run("library", "check", "--read-data").stdout == b""
    assert home.hits() == []
    assert home.hits(PASSPHRASE) == []
    assert not _has_magic(home)
    home.kill_agents()
    assert home.hits() == []
    home.run("search", WORD, code=3)


def test_a_library_can_be_encrypted_before_there_is_anything_in_it(home: LockedHome) -> None:
    home.encrypt()
    home.run("import", str(home.sources))
    assert json.loads(home.run("search", WORD, "--json").stdout)["hits"]
    assert home.hits() == []
    assert not _has_magic(home)


@pytest.mark.parametrize(
    "words", [("import",), ("search", WORD), ("library", "check", "--read-data")]
)
def test_a_killed_command_leaves_nothing_to_read(home: LockedHome, words: tuple[str, ...]) -> None:
    home.run("import", str(home.sources))
    home.encrypt()
    for number in range(KILLS):
        _planted(home, number)
        started = home.start(*words)
        time.sleep(0.15 + 0.3 * ((SEED + number) % KILLS) / KILLS)
        started.send_signal(signal.SIGKILL)
        started.wait()
        assert home.hits() == []
    home.run("import", str(home.sources))
    home.run("library", "check", "--read-data")


def test_the_passphrase_is_in_no_process(home: LockedHome) -> None:
    home.encrypt()
    (pid,) = home.agents()
    assert PASSPHRASE.encode() not in Path(f"/proc/{pid}/cmdline").read_bytes()
    assert os.stat(home.home / "agent").st_mode & 0o777 == 0o700


@pytest.mark.parametrize("verb", ["encrypt", "decrypt"])
def test_a_killed_switch_leaves_nothing_to_read_once_it_is_locked(
    home: LockedHome, verb: str
) -> None:
    home.run("import", str(home.sources))
    for number in range(SWITCH_KILLS):
        if (verb == "decrypt") != is_encrypted(home.root):
            home.run("library", {"decrypt": "encrypt"}.get(verb, "decrypt"), *home.passphrase_file)
        started = home.start("library", verb, *home.passphrase_file)
        time.sleep(0.4 + 0.9 * ((SEED + number) % SWITCH_KILLS) / SWITCH_KILLS)
        started.send_signal(signal.SIGKILL)
        started.wait()
        if is_encrypted(home.root):
            home.run("library", "lock")
            assert home.hits() == []
            home.unlock()
        assert home.run("library", "check", "--read-data").stdout == b""


def test_a_killed_unlock_leaves_neither_passphrase_nor_words(home: LockedHome) -> None:
    home.run("import", str(home.sources))
    home.encrypt()
    home.run("library", "lock")
    for number in range(SWITCH_KILLS):
        started = home.start("library", "unlock", *home.passphrase_file)
        time.sleep(0.2 + 0.5 * ((SEED + number) % SWITCH_KILLS) / SWITCH_KILLS)
        started.send_signal(signal.SIGKILL)
        started.wait()
        assert home.hits() == home.hits(PASSPHRASE) == []
    home.unlock()
    assert home.run("list").stdout
