"""Every command works while the library is unlocked, and otherwise reports that it is locked."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from talktree.files.age import load_age_library
from tests.library.encryption.locked_home import PASSPHRASE, PROGRAM, WORD, LockedHome

READING = (
    ("list", "--json"),
    ("search", WORD, "--json"),
    ("search", f"*{WORD[3:9]}*", "--json"),
    ("stats", "--json"),
    ("library", "versions", "ID", "--json"),
    ("library", "places", "--json"),
    ("export", "usage", "--to", "csv", "-o", "-"),
    ("show", "ID", "--color", "never"),
    ("library", "check", "--read-data"),
)
WRITING = (
    ("import",),
    ("library", "restore", "ID", "--into", "OUT"),
    ("library", "reindex"),
    ("library", "forget", "ID", "--yes"),
)
OTHERS = (("library", "info"), ("watch",))


@pytest.fixture(scope="module")
def both(tmp_path_factory: pytest.TempPathFactory, program: str) -> Iterator[LockedHome]:
    """Return a home with an encrypted, unlocked library, and a plain copy of the same."""
    home = LockedHome(tmp_path_factory.mktemp("commands"), program)
    home.run("import", str(home.sources))
    shutil.copytree(home.root, home.folder / "plain")
    home.encrypt()
    yield home
    home.kill_agents()


def _conversation(home: LockedHome) -> str:
    found = json.loads(home.run("search", WORD, "--json").stdout)
    return str(found["hits"][0]["conversation"])


def _filled(words: tuple[str, ...], id: str, out: Path) -> list[str]:
    return [{"ID": id, "OUT": str(out)}.get(word, word) for word in words]


def test_an_unlocked_library_answers_as_a_plain_one_does(both: LockedHome) -> None:
    id = _conversation(both)
    plain = str(both.folder / "plain")
    for words in READING:
        filled = _filled(words, id, both.folder)
        mine = both.run(*filled).stdout
        if words[0] == "show":
            assert WORD.encode() in mine
            continue
        assert _unscored(mine) == _unscored(both.run(*filled, "--library", plain).stdout), words


def _unscored(printed: bytes) -> bytes:
    """Return the output without scores, which have no unit."""
    return re.sub(rb'"score":[-0-9.e]+', b"", printed)


def test_a_locked_library_says_so_and_how_to_unlock_it(both: LockedHome) -> None:
    id = _conversation(both)
    both.run("library", "lock")
    for words in (*READING, *WRITING, *OTHERS):
        done = both.run(*_filled(words, id, both.folder / "out"), code=3)
        assert b"the library is locked" in done.stderr, words
        assert b"talktree library unlock" in done.stderr, words
        assert WORD.encode() not in done.stdout + done.stderr
    assert not (both.folder / "out").exists()
    both.unlock()


def test_commands_that_change_the_library_work_while_it_is_unlocked(home: LockedHome) -> None:
    home.run("import", str(home.sources))
    home.encrypt()
    id = _conversation(home)
    for words in WRITING:
        home.run(*_filled(words, id, home.folder / "out"))
    restored = list((home.folder / "out").rglob("*.jsonl"))
    assert any(WORD.encode() in path.read_bytes() for path in restored)
    assert not json.loads(home.run("search", WORD, "--json", code=None).stdout)["hits"]


def test_a_passphrase_can_be_changed_without_rewriting_anything(home: LockedHome) -> None:
    home.encrypt()
    before = (home.root / "library.sqlite").read_bytes()
    new = home.folder / "new"
    new.write_text("another one\n")
    old = str(home.passphrase)
    change = ("library", "encrypt", "--change-passphrase", "--new-passphrase-file", str(new))
    home.run(*change, "--passphrase-file", str(new), code=3)
    home.run(*change, "--passphrase-file", old)
    assert (home.root / "library.sqlite").read_bytes() == before
    home.run("library", "lock")
    assert (
        b"wrong passphrase"
        in home.run("library", "unlock", "--passphrase-file", old, code=3).stderr
    )
    home.run("stats", code=3)
    home.run("stats", TALKTREE_PASSPHRASE_FILE=str(new))
    home.run("library", "unlock", "--passphrase-file", str(new))
    home.run("stats")


def test_a_passphrase_is_not_asked_for_without_a_terminal(home: LockedHome) -> None:
    done = home.run("library", "encrypt", code=2)
    assert b"not a terminal" in done.stderr
    assert b"--passphrase-file" in done.stderr
    assert not home.root.exists()
    assert b"there is no library yet" in home.run("library", "unlock", code=2).stderr


def test_an_identity_unlocks_and_decrypts(home: LockedHome) -> None:
    identity = load_age_library().x25519.Identity.generate()
    file = home.folder / "identity"
    file.write_text(f"# made for a test\n{identity}\n")
    home.run("import", str(home.sources))
    home.run("library", "encrypt", "--recipient", str(identity.to_public()))
    home.run("library", "lock")
    home.run("library", "unlock", "--passphrase-file", str(home.passphrase), code=3)
    home.run("library", "unlock", "--identity", str(file), "--timeout", "2h")
    assert _conversation(home)
    home.run("library", "decrypt", "--identity", str(file))
    assert home.agents() == [] or _conversation(home)
    assert home.hits()
    assert not list(home.root.glob("library.key*"))


def test_damaged_key_files_are_an_error_that_says_so(home: LockedHome) -> None:
    home.encrypt()
    for name in ("library.key", "library.key.copy"):
        (home.root / name).write_bytes(b"\0" * 500)
    done = home.run("list", code=3)
    assert b"library.key" in done.stderr
    assert PASSPHRASE.encode() not in done.stderr
    assert b"Traceback" not in done.stderr


def test_an_export_can_be_encrypted_to_a_recipient(home: LockedHome) -> None:
    identity = load_age_library().x25519.Identity.generate()
    to = ("--encrypt-to", str(identity.to_public()))
    home.run("import", str(home.sources))
    home.encrypt()
    id = _conversation(home)
    out = home.folder / "out.md.age"
    assert b".md.age" in home.run("export", id, "-o", str(out.with_suffix("")), *to, code=2).stderr
    home.run("export", id, "-o", str(out), *to)
    text = load_age_library().decrypt(out.read_bytes(), [identity])
    plain = home.run("export", id, "--to", "md", "-o", "-").stdout
    assert text == plain
    assert WORD.encode() in text
    assert WORD.encode() not in out.read_bytes()
    home.run("export", "usage", "-o", str(home.folder / "u.csv.age"), *to)
    assert load_age_library().decrypt((home.folder / "u.csv.age").read_bytes(), [identity])
    assert [path.name for path in home.folder.glob(".*")] == []
    home.run("export", id, "-o", str(out), "--encrypt-to", "age1nonsense", code=2)


def test_a_studio_starts_with_a_locked_library(both: LockedHome) -> None:
    both.run("library", "lock")
    with subprocess.Popen(
        [PROGRAM, "studio", "--no-open"], env=both.environment, stdout=subprocess.PIPE
    ) as studio:
        assert studio.stdout is not None
        address = studio.stdout.readline().decode()
        studio.terminate()
    assert address.startswith("http://127.0.0.1:")
    both.unlock()
