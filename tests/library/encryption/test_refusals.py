"""Wrong keys and passphrases: the error says what happened, where, and what to do."""

from __future__ import annotations

import os
import pty
import subprocess
from pathlib import Path

import msgspec
import pytest

from talktree.errors import Unreadable, UsageError
from talktree.library.database.cipher import CIPHER_PAGE
from talktree.library.encryption.key_slots import (
    generate_key,
    key_id,
    make_passphrase_slot,
    unwrap_passphrase,
)
from talktree.library.encryption.state import DATABASE, DECRYPTING, KEY_COPY, KEY_FILE
from talktree.library.encryption.unlocking import read_passphrase
from talktree.library.importing.lock import WriterLock
from tests.library.encryption.locked_home import PASSPHRASE, PROGRAM, WORD, LockedHome

COMMANDS = (("list",), ("library", "check"), ("library", "info"), ("search", "tide"))


def _error(home: LockedHome, *words: str, code: int = 3) -> str:
    """Return the message of a command that must fail: two lines, with a hint."""
    done = home.run(*words, code=code)
    lines = done.stderr.decode().splitlines()
    assert len(lines) == 2, lines
    assert lines[1].startswith("hint: ")
    return lines[0]


def _other_library(home: LockedHome) -> Path:
    other = home.folder / "other"
    words = ("--passphrase-file", str(home.passphrase), "--library", str(other))
    home.run("library", "encrypt", *words)
    return other


def test_the_key_file_of_another_library_is_recognised(home: LockedHome) -> None:
    home.encrypt()
    other = _other_library(home)
    before = (home.root / DATABASE).read_bytes()
    right = (home.root / KEY_FILE).read_bytes()
    (home.root / KEY_FILE).write_bytes((other / KEY_FILE).read_bytes())
    for words in COMMANDS:
        assert "are of two libraries" in _error(home, *words)
    (home.root / KEY_COPY).write_bytes((other / KEY_FILE).read_bytes())
    for words in COMMANDS:
        message = _error(home, *words)
        assert "the key file belongs to another library" in message
        assert str(home.root / DATABASE) in message
    passphrase = ("--passphrase-file", str(home.passphrase))
    for verb in (("decrypt",), ("unlock",), ("encrypt", "--change-passphrase")):
        assert "another library" in _error(home, "library", *verb, *passphrase), verb
    for name in (KEY_FILE, KEY_COPY):
        (home.root / name).write_bytes(right)
    home.run("library", "info")
    assert (home.root / DATABASE).read_bytes() == before


def test_an_encrypted_library_without_its_key_file_is_not_called_plain(home: LockedHome) -> None:
    home.encrypt()
    for name in (KEY_FILE, KEY_COPY):
        (home.root / name).unlink()
    for words in (*COMMANDS, ("library", "unlock"), ("library", "lock"), ("library", "decrypt")):
        assert "its key file is missing" in _error(home, *words), words


def test_a_wrong_passphrase_names_the_library(home: LockedHome) -> None:
    home.encrypt()
    wrong = home.folder / "wrong"
    wrong.write_text("another\n")
    found = _error(home, "library", "unlock", "--passphrase-file", str(wrong))
    assert found == f"talktree: {home.root}: wrong passphrase"


@pytest.mark.parametrize("end", [b"", b"\n", b"\r\n"])
@pytest.mark.parametrize("mark", [b"", b"\xef\xbb\xbf"])
def test_a_passphrase_file_may_come_from_any_editor(
    tmp_path: Path, mark: bytes, end: bytes
) -> None:
    (tmp_path / "file").write_bytes(mark + " two  wörds ".encode() + end)
    assert read_passphrase(str(tmp_path / "file")) == " two  wörds "


@pytest.mark.parametrize(
    "data", [b"", b"\n", b"\r\n", b"\xef\xbb\xbf\n", b"a\nb\n", b"a\n\n", b"a\rb", b"a" * 70_000]
)
def test_a_file_that_is_not_one_line_is_not_a_passphrase(tmp_path: Path, data: bytes) -> None:
    (tmp_path / "file").write_bytes(data)
    with pytest.raises(UsageError) as caught:
        read_passphrase(str(tmp_path / "file"))
    assert str(tmp_path / "file") in caught.value.message
    assert caught.value.hint


def test_a_passphrase_that_is_typed_to_stdin_is_not_shown(home: LockedHome) -> None:
    home.encrypt()
    words = [PROGRAM, "library", "unlock", "--passphrase-file", "-"]
    child, terminal = pty.fork()
    if child == 0:
        os.execve(PROGRAM, words, home.environment)
    shown = b""
    while b"Passphrase: " not in shown:
        shown += os.read(terminal, 1000)
    os.write(terminal, PASSPHRASE.encode() + b"\n")
    try:
        while more := os.read(terminal, 1000):
            shown += more
    except OSError:
        pass  # the terminal is closed by the program's end
    os.close(terminal)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0, shown
    assert b"unlocked" in shown
    assert PASSPHRASE.encode() not in shown


@pytest.mark.parametrize("page", [2, 5, 9])
def test_damage_to_an_encrypted_database_asks_for_a_copy(home: LockedHome, page: int) -> None:
    home.run("import", "-q", str(home.sources))
    home.encrypt()
    path = home.root / DATABASE
    data = bytearray(path.read_bytes())
    data[(page - 1) * CIPHER_PAGE + 100] ^= 0xFF
    path.write_bytes(data)
    found = home.run("library", "check", "--read-data", code=1).stdout.decode()
    assert f"HMAC verification failed for page {page}" in found
    assert "library reindex" not in found
    assert "put a copy of the file back" in found
    refused = _error(home, "library", "reindex")
    assert "the library's database is damaged" in refused
    again = home.run("library", "check", "--read-data", code=1).stdout.decode()
    assert again == found, "nothing was changed"


def test_a_new_home_is_private_whatever_the_umask_is(home: LockedHome) -> None:
    encrypt = ["library", "encrypt", "--passphrase-file", str(home.passphrase)]
    for words in (encrypt, ["import", str(home.sources)]):
        command = ["sh", "-c", 'umask 0; exec "$@"', "sh", PROGRAM, *words]
        subprocess.run(command, env=home.environment, check=True, capture_output=True)
    home.run("list")
    made = [home.home, *home.home.rglob("*")]
    assert [path for path in made if path.stat().st_mode & 0o077] == []


def test_a_library_is_made_by_one_command_only(home: LockedHome) -> None:
    home.root.mkdir(parents=True, mode=0o700)
    with WriterLock(home.root).hold():
        words = ("library", "encrypt", "--passphrase-file", str(home.passphrase))
        assert "another program" in _error(home, *words, code=5)
    assert [path.name for path in home.root.iterdir()] == ["writing"]


def test_locking_removes_what_an_interrupted_decryption_has_left(home: LockedHome) -> None:
    home.run("import", str(home.sources))
    home.encrypt()
    (home.root / DECRYPTING).mkdir()
    (home.root / DECRYPTING / DATABASE).write_text(f"words with {WORD}")
    assert home.hits()
    home.run("library", "lock")
    assert home.hits() == []


def test_a_slot_with_wrong_parameters_is_a_damaged_key_file() -> None:
    key = generate_key()
    slot = make_passphrase_slot(key, "one")
    for salt in ("AAAA", "!", "="):
        changed = msgspec.structs.replace(slot, salt=salt)
        with pytest.raises(Unreadable):
            unwrap_passphrase([changed], "one", key_id(key))


def test_a_secret_key_is_not_shown_and_not_accepted_as_a_recipient(home: LockedHome) -> None:
    secret = "AGE-SECRET-KEY-1GFPYYSJZGFPYYSJZ"
    file = home.folder / "secret"
    file.write_text(secret + "\n")
    for given in (secret, str(file)):
        done = home.run("library", "encrypt", "--recipient", given, code=2)
        assert b"a secret key" in done.stderr
        assert secret.encode() not in done.stderr
    assert not home.root.exists()
