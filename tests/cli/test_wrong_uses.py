"""Misuse of privacy commands ends with one clear message and a hint, and changes nothing."""

from __future__ import annotations

import os
import shutil
import sqlite3
import subprocess
import time
from contextlib import closing, suppress
from pathlib import Path

import pytest

from tests.cli.transcript import environment
from tests.session.faults import small_disk

DEMO = Path(__file__).parents[2] / "demo"
ID = "3f0e6a52-9c1d-4b7e-a2d4-5b8f6c7d9e01"
FORMS = "write age1…, ssh-ed25519 …, ssh-rsa … or a file with one of them on each line"


class PrivateHome:
    """A folder with a library, some files to name, and a home in it."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.home = folder / "home"
        self.root = self.home / "library"
        self.config = self.home / "config.toml"
        (folder / "talks").mkdir()
        shutil.copy(DEMO / "claude-code.jsonl", folder / "talks")
        (folder / "empty").touch()
        (folder / "bytes").write_bytes(bytes(range(128, 192)))
        (folder / "junk").write_text("no recipient\n")
        (folder / "passphrase").write_text("seven plain words\n")
        (folder / "other").write_text("other words\n")
        self.run("import", "-q", "talks")

    def run(
        self, *words: str | bytes, stdin: bytes = b"", before: str = "", **env: str
    ) -> subprocess.CompletedProcess[bytes]:
        """Run a command; `before` is shell code that runs before it."""
        return subprocess.run(
            ["sh", "-c", f'{before}exec talktree "$@"', "sh", *words],
            cwd=self.folder,
            env={**environment(), "TALKTREE_HOME": str(self.home), "HOME": "/nonexistent", **env},
            input=stdin,
            capture_output=True,
            check=False,
            timeout=120,
        )

    def fail(self, *words: str | bytes, code: int, before: str = "", **env: str) -> list[str]:
        """Run a command that fails; return the lines that it prints."""
        done = self.run(*words, stdin=b"", before=before, **env)
        lines = done.stderr.decode().splitlines()
        assert done.returncode == code, lines
        assert done.stdout == b""
        assert lines[0].startswith("talktree: ")
        assert lines[-1].startswith("hint: ")
        assert not any("Traceback" in line or "internal error" in line for line in lines)
        return [line.partition(": ")[2] for line in lines]

    def files(self) -> dict[str, bytes]:
        """Return every file with its content, except those that SQLite creates for reading."""
        return {
            str(path.relative_to(self.folder)): _content(path)
            for path in sorted(self.folder.rglob("*"))
            if path.is_file() and not path.name.endswith(("-shm", "-wal", ".lock"))
        }


def _content(path: Path) -> bytes:
    """Return the bytes of a file, or the rows of a database, whose header counts each opening."""
    data = path.read_bytes()
    if not data.startswith(b"SQLite format 3"):
        return data
    with closing(sqlite3.connect(path)) as database:
        return "\n".join(database.iterdump()).encode()


@pytest.fixture(scope="module")
def plain(tmp_path_factory: pytest.TempPathFactory) -> PrivateHome:
    return PrivateHome(tmp_path_factory.mktemp("plain"))


@pytest.fixture
def fresh(tmp_path: Path) -> PrivateHome:
    return PrivateHome(tmp_path)


WRONG: list[tuple[str, int, str, str]] = [
    ("library unlock --passphrase-file passphrase", 2, "{root}: the library is not encrypted", ""),
    ("library decrypt --passphrase-file passphrase", 2, "{root}: the library is not encrypted", ""),
    ("library lock", 2, "{root}: the library is not encrypted", ""),
    ("library encrypt --passphrase-file empty", 2, "empty: the passphrase is empty", ""),
    ("library encrypt --passphrase-file talks", 3, "talks: Is a directory", "check the path"),
    ("library encrypt --passphrase-file bytes", 3, "bytes: the passphrase is not UTF-8", ""),
    ("library encrypt --recipient junk", 2, "junk: no recipient: not a recipient: ", FORMS),
    ("library encrypt --recipient empty", 2, "empty: no recipient in it", FORMS),
    ("library encrypt --recipient bytes", 2, "bytes: not a list of recipients", FORMS),
    ("library encrypt --recipient talks", 3, "talks: Is a directory", FORMS),
    ("library encrypt --recipient gone", 2, "gone: neither a recipient nor a file", FORMS),
    ("library encrypt --recipient age1pear", 2, "age1pear: not a recipient: ", FORMS),
    ("library encrypt --recipient AGE-SECRET-KEY-1X", 2, "a secret key was given, not ", ""),
    ("export {id} -o o.html.age --encrypt-to ssh-rsa", 2, "ssh-rsa: not a recipient: ", FORMS),
    ("export {id} -o o.html.age --encrypt-to talks", 3, "talks: Is a directory", FORMS),
    ("export {id} -o o.html.age --encrypt-to=", 2, "an empty recipient", FORMS),
    ("export {id} -o o.html --redact=", 2, "a word to redact is too short", ""),
    ("library scrub abc --yes", 2, "a secret has at least 4 characters", ""),
    ("library scrub --yes --pattern=", 2, "the pattern matches the empty text", ""),
    ("library scrub --yes --pattern=(", 2, "invalid pattern: missing ), ", ""),
    ("library scrub --yes", 2, "cannot prompt: stdin is not a terminal", ""),
    ("library forget nothing --yes", 2, "nothing: no such conversation", "`talktree list` "),
    ("library forget * --yes", 2, "*: no such conversation", "`talktree list` shows all"),
    ("library readmit 7", 2, "7: no forgotten conversation", "`talktree library forgotten` "),
    ("library restore {id} --into empty", 2, "empty: not a folder", "name a folder"),
    ("library restore {id} --into o --version 9", 2, "there is no version 9 of ", "it has 1: "),
    ("library places add gone", 2, "gone: no such file or folder", ""),
    ("library unlock --library talks", 2, "talks: there is no library here", ""),
    ("library scrub pears --yes --library talks", 2, "talks: there is no library here", ""),
    ("library forget x --yes --library talks", 2, "talks: there is no library here", ""),
    ("library forget --finish --library talks", 2, "talks: there is no library here", ""),
    ("library readmit 1 --library talks", 2, "talks: there is no library here", ""),
    ("library reindex --library talks", 2, "talks: there is no library here", ""),
    ("library retention --yes --library talks", 2, "talks: there is no library here", ""),
    ("library places remove x --library talks", 2, "talks: there is no library here", ""),
    ("edit x --undo --library talks", 2, "talks: there is no library here", ""),
    ("export {id} -o empty/o.html", 3, "empty/o.html: cannot write: Not a directory", ""),
    ("export {id} -o o/ --encrypt-to ssh-rsa", 2, "ssh-rsa: not a recipient: ", FORMS),
    ("list --library talks", 2, "talks: there is no library here", ""),
    ("show {id} --library talks", 2, "talks: there is no library here", ""),
    ("session forget gone/gone --yes", 2, "gone/gone: no such session", ""),
    ("session forget gone --yes", 2, "there is no session store here or above", ""),
]


@pytest.mark.parametrize(("line", "code", "message", "hint"), WRONG, ids=[one[0] for one in WRONG])
def test_a_wrong_use_is_explained(
    plain: PrivateHome, line: str, code: int, message: str, hint: str
) -> None:
    before = plain.files()
    found = plain.fail(*line.format(id=ID).split(), code=code)
    assert len(found) == 2
    assert found[0].startswith(message.format(root=plain.root))
    assert found[1].startswith(hint)
    assert plain.files() == before


def test_a_name_that_is_empty_means_nothing(plain: PrivateHome) -> None:
    for command in (("library", "forget", "", "--yes"), ("library", "versions", "")):
        assert plain.fail(*command, code=2)[0] == "no conversation is named"
    assert plain.fail("library", "encrypt", "--recipient", "", code=2)[0] == "an empty recipient"


def test_a_secret_that_is_not_text_is_refused(plain: PrivateHome) -> None:
    for locale in ("C", "C.UTF-8", "en_US.UTF-8"):
        done = plain.run(
            *("library", "scrub", "--secret-from-stdin", "--yes"),
            stdin=b"\xff\xfe\xfd\xfcpear",
            LC_ALL=locale,
        )
        assert done.returncode == 2
        assert done.stderr.startswith(b"talktree: the secret is not UTF-8\nhint: use --pattern")
    assert plain.fail("library", "scrub", b"\xff\xfe\xfd\xfc", code=2)[0] == (
        "the secret is not UTF-8"
    )


def test_a_passphrase_from_a_closed_stdin(fresh: PrivateHome) -> None:
    fresh.run("library", "encrypt", "--passphrase-file", "passphrase")
    done = fresh.run("library", "unlock", "--passphrase-file", "-", before="exec <&-; ")
    assert (done.returncode, done.stderr.splitlines()[0]) == (3, b"talktree: stdin is closed")
    fresh.run("library", "lock")


# the configuration


@pytest.mark.parametrize(
    ("written", "command", "message"),
    [
        (b"\xff\xfe[", "check talks", "not UTF-8, from byte 0 on"),
        (b"[redaction", "library retention", "not TOML: "),
        (b"redaction = 1", "export {id} -o o.html", "redaction is not a table"),
        (b"[redaction]\nwords = [1]", "export {id} -o o.html", "redaction.words is not a list of"),
        (b"[redaction]\npatterns = ['(']", "export {id} -o o.html", "redaction pattern '(': not a"),
        (b"[redaction]\npatterns = ['(a+)+']", "export {id} -o o.html", "redaction pattern '(a+)"),
        (b"[[encryption]]", "library encrypt --passphrase-file other", "encryption is not a table"),
        (
            b"[encryption]\nunlock-timeout = 'soon'",
            "library encrypt --passphrase-file other",
            "encryption.unlock-timeout is not a time: 'soon'",
        ),
    ],
)
def test_configuration_errors_are_reported_before_anything_is_done(
    fresh: PrivateHome, written: bytes, command: str, message: str
) -> None:
    fresh.config.write_bytes(written)
    before = fresh.files()
    found = fresh.fail(*command.format(id=ID).split(), code=2)
    assert found[0].startswith(f"{fresh.config}: {message}")
    assert fresh.files() == before


@pytest.mark.parametrize("kind", ["folder", "pipe", "loop", "link"])
def test_a_configuration_that_is_not_a_file(fresh: PrivateHome, kind: str) -> None:
    match kind:
        case "folder":
            fresh.config.mkdir()
        case "pipe":
            os.mkfifo(fresh.config)
        case "loop":
            fresh.config.symlink_to(fresh.config)
        case _:
            fresh.config.symlink_to("gone.toml")
    for command in (("library", "retention"), ("export", ID, "-o", "o.html")):
        found = fresh.fail(*command, code=3 if kind in ("loop", "link") else 2)
        assert found[0].startswith(f"{fresh.config}: ")
    assert not (fresh.folder / "o.html").exists()


def test_a_mark_of_windows_before_the_settings_is_left_out(fresh: PrivateHome) -> None:
    fresh.config.write_text("\ufeff[redaction]\nwords = ['two clocks']\n")
    done = fresh.run("export", ID, "-o", "o.html")
    assert done.returncode == 0
    assert "two clocks" not in (fresh.folder / "o.html").read_text().lower()


# encryption


def test_wrong_keys_open_nothing_and_lock_nothing_out(fresh: PrivateHome) -> None:
    right, other = ("--passphrase-file", "passphrase"), ("--passphrase-file", "other")
    fresh.run("library", "encrypt", *right)
    fresh.run("library", "lock")
    before = fresh.files()
    root = fresh.root
    for command in (
        ("library", "unlock", *other),
        ("library", "decrypt", *other),
        ("library", "encrypt", "--change-passphrase", *other, "--new-passphrase-file", "other"),
    ):
        assert fresh.fail(*command, code=3)[0] == f"{root}: wrong passphrase"
    assert fresh.fail("list", code=3, TALKTREE_PASSPHRASE_FILE="other")[0].endswith("passphrase")
    assert fresh.fail("list", code=3, TALKTREE_PASSPHRASE_FILE="gone") == [
        "gone: No such file or directory",
        "check the path in TALKTREE_PASSPHRASE_FILE",
    ]
    found = fresh.fail("library", "unlock", *right, "--timeout", "99d", code=2)
    assert found == ["--timeout 99d: not a time", "like 30m, 8h or 90s, up to 7d"]
    assert fresh.fail("library", "encrypt", *right, code=2)[0].endswith("encrypted already")
    for name, message in (
        ("gone", "gone: No such file or directory"),
        ("empty", "empty: no identity in it"),
        ("talks", "talks: Is a directory"),
        ("junk", "junk: not an age identity: "),
    ):
        found = fresh.fail("library", "unlock", "--identity", name, code=3)
        assert found[0].startswith(message)
    change = ("library", "encrypt", "--change-passphrase", *right)
    assert fresh.fail(*change, "--recipient", "age1x", code=2)[0].endswith("no recipients")
    assert fresh.fail(*change, "--new-passphrase-file", "empty", code=2)[0].startswith("empty: ")
    assert fresh.files() == before
    assert fresh.run("list", TALKTREE_PASSPHRASE_FILE="passphrase").returncode == 0


def test_key_files_that_cannot_be_used(fresh: PrivateHome) -> None:
    unlock = ("library", "unlock", "--passphrase-file", "passphrase")
    fresh.run("library", "encrypt", *unlock[2:])
    fresh.run("library", "lock")
    one, two = fresh.root / "library.key", fresh.root / "library.key.copy"
    key = one.read_bytes()
    for damage in (b"", b"{}", b"null", key[:-40], b"\0" * 99):
        one.write_bytes(damage)
        two.write_bytes(damage)
        for command in (("list",), unlock, ("import", "talks"), ("library", "decrypt")):
            found = fresh.fail(*command, code=3)
            assert found[0].startswith(f"{fresh.root}: the key file and its copy cannot be used")
    one.unlink()
    one.mkdir()
    two.write_bytes(key)
    done = fresh.run(*unlock)
    assert done.returncode == 0
    assert f"one of the two key files is damaged: {one}: Is a directory" in done.stderr.decode()
    assert fresh.run("list").returncode == 0
    fresh.run("library", "lock")
    one.rmdir()
    assert b"was damaged and was written again" in fresh.run(*unlock).stderr
    assert one.read_bytes() == key
    fresh.run("library", "lock")


def test_a_library_without_imports_is_encrypted_and_decrypted(tmp_path: Path) -> None:
    home = PrivateHome(tmp_path)
    shutil.rmtree(home.root)
    assert home.run("library", "places", "add", "talks").returncode == 0
    word = ("--passphrase-file", "passphrase")
    for command in (("encrypt", *word), ("check", "--read-data"), ("decrypt", *word), ("check",)):
        assert home.run("library", *command).returncode == 0, command
    assert b"1 new" in home.run("import").stdout


def test_a_home_that_others_can_write_to_is_not_used(fresh: PrivateHome) -> None:
    fresh.home.chmod(0o777)
    found = fresh.fail("library", "encrypt", "--passphrase-file", "passphrase", code=3)
    assert found[0] == f"{fresh.home}: every user of this machine can write to this folder"
    assert not (fresh.root / "library.key").exists()
    fresh.home.chmod(0o700)
    fresh.run("library", "encrypt", "--passphrase-file", "passphrase")
    fresh.home.chmod(0o777)
    for command in (("import", "talks"), ("studio", "talks", "--no-open")):
        again = fresh.fail(*command, code=3, TALKTREE_PASSPHRASE_FILE="passphrase")
        assert again == found
    fresh.home.chmod(0o700)
    fresh.run("library", "lock")


# disks


def _without_rights(home: PrivateHome) -> str:
    """Return a prefix that removes the right to write everywhere, if the tests run as root."""
    if os.geteuid() != 0:
        return ""
    if shutil.which("setpriv") is None:
        pytest.skip("NOT RUN: root may write everywhere, and setpriv is missing")
    home.folder.chmod(0o755)
    return "setpriv --bounding-set -dac_override,-dac_read_search "


def test_a_home_that_cannot_be_written_to_is_read(fresh: PrivateHome) -> None:
    drop = _without_rights(fresh)
    program = shutil.which("talktree", path=environment()["PATH"])
    before = f'{drop}{program} "$@"; exit; '
    folders = [fresh.home, *(path for path in fresh.home.rglob("*") if path.is_dir())]
    for path in sorted(fresh.home.rglob("*")):
        path.chmod(0o500 if path.is_dir() else 0o400)
    fresh.home.chmod(0o500)
    try:
        for line in ("list", f"show {ID}", "library info", f"export {ID} -o o.md"):
            assert fresh.run(*line.split(), before=before).returncode == 0, line
        found = fresh.fail("search", "sunset", code=3, before=before)
        assert found[0].startswith(f"{fresh.root}/fulltext/1: the full-text index cannot be locked")
        for command in (
            ("import", "talks"),
            ("library", "forget", ID, "--yes"),
            ("library", "scrub", "sunset", "--yes"),
            ("library", "encrypt", "--passphrase-file", "passphrase"),
            ("edit", ID, "--reply", "root", "--text", "pear"),
            ("studio", "--no-open"),
        ):
            found = fresh.fail(*command, code=3, before=before)
            assert found[0].startswith(f"{fresh.root}/")
            assert found[0].endswith("Permission denied")
    finally:
        for path in folders:
            path.chmod(0o700)
    assert fresh.run("search", "sunset").returncode == 0
    assert fresh.run("library", "check", "--read-data").returncode == 0


def _fill(path: Path) -> None:
    """Write a file until the disk is full."""
    with path.open("wb", buffering=0) as file, suppress(OSError):
        while file.write(bytes(512)):
            pass


def test_a_full_disk_changes_nothing(tmp_path: Path) -> None:
    with small_disk(tmp_path / "home", 2 << 20):
        home = PrivateHome(tmp_path)
        filler = home.home / "filler"
        _fill(filler)
        word = ("--passphrase-file", "passphrase")
        for command in (
            ("library", "forget", ID, "--yes"),
            ("library", "scrub", "sunset", "--yes"),
            ("library", "encrypt", *word),
            ("library", "reindex"),
            ("edit", ID, "--reply", "root", "--text", "pear"),
        ):
            found = home.fail(*command, code=3)
            assert found[0].startswith(str(home.root))
            assert "the disk is " in found[0], found
        home.run("export", ID, "-o", str(home.home / "o.html"))
        assert sorted(os.listdir(home.home)) == ["filler", "library"]
        filler.unlink()
        assert home.run("library", "check", "--read-data").returncode == 0
        assert home.run("search", "sunset").returncode == 0
        home.run("library", "encrypt", *word)
        home.run("library", "lock")
        (home.root / "library.key").write_bytes(b"")
        _fill(filler)
        # The key agent needs no space, and the damaged key file can wait.
        done = home.run("library", "unlock", *word)
        assert done.returncode == 0, done.stderr
        assert b"No space left on device" in done.stderr
        home.run("library", "lock")
        filler.unlink()


def test_a_page_that_does_not_fit_is_not_written_in_part(fresh: PrivateHome) -> None:
    first = (DEMO / "claude-messages.jsonl").read_bytes().splitlines(keepends=True)[0]
    (fresh.folder / "talks" / "small.jsonl").write_bytes(first)
    talks = ("talks/claude-code.jsonl", "talks/small.jsonl")
    done = fresh.run("export", *talks, "--to", "md", "-o", "out", before="ulimit -f 4; ")
    assert done.returncode == 3
    lines = done.stderr.decode().splitlines()
    assert lines[0].startswith("talktree: wrote out (1 page, ")
    assert lines[-1] == "talktree: claude-code.md: cannot write: File too large"
    assert os.listdir(fresh.folder / "out") == ["small.md"]


def test_a_path_without_history_is_not_forgotten(fresh: PrivateHome) -> None:
    assert fresh.run("session", "new").returncode == 0
    before = fresh.files()
    for yes in ((), ("--yes",)):
        found = fresh.fail("session", "forget", "--path", "talks/gone", *yes, code=2)
        assert found[0].startswith("talks/gone: session ")
        assert found[0].endswith(" has no history of it")
    assert fresh.files() == before


def test_the_folder_of_the_store_is_a_path(fresh: PrivateHome) -> None:
    assert fresh.run("session", "new").returncode == 0
    assert fresh.fail("session", "forget", "--path", ".", code=2)[0].startswith(".: session ")
    (fresh.folder / "deep").mkdir()
    assert fresh.run("session", "append", "--role", "user", "Go").returncode == 0
    step = ("session", "step", "--", "sh", "-c", "echo xyzzy-one > a.txt; echo two > deep/b.txt")
    assert fresh.run(*step).returncode == 0
    shown = fresh.run("session", "forget", "--path", ".")
    assert shown.returncode == 0, shown.stderr
    assert b"a.txt" in shown.stdout
    assert b"nothing was erased" in shown.stderr
    assert fresh.run("session", "forget", "--path", str(fresh.folder), "--yes").returncode == 0
    # Messages stay unchanged, also where they name files.
    kept = [path for path in (fresh.folder / ".sage").rglob("*") if path.is_file()]
    logs = [path for path in kept if path.name != "messages.jsonl"]
    assert logs
    assert not [path for path in logs if b"xyzzy-one" in path.read_bytes()]
    assert not [path for path in logs if b"b.txt" in path.read_bytes()]
    assert (fresh.folder / "a.txt").read_text() == "xyzzy-one\n"
    assert fresh.run("session", "check").returncode == 0


def test_a_period_that_is_not_a_number_is_reported(fresh: PrivateHome) -> None:
    projects = fresh.folder / ".claude" / "projects" / "-home-ana"
    projects.mkdir(parents=True)
    talk = shutil.copy(DEMO / "claude-code.jsonl", projects)
    os.utime(talk, (time.time() - 27 * 86400,) * 2)
    settings = projects.parent.parent / "settings.json"
    settings.write_text('{"cleanupPeriodDays": "x"}')
    said = fresh.run("import", str(projects)).stderr.decode()
    assert f"{settings}: cleanupPeriodDays is not a number ('x'), so 30 days are assumed" in said


def test_an_export_that_does_not_fit_leaves_nothing(plain: PrivateHome) -> None:
    shutil.copy(DEMO / "claude-code.jsonl", plain.folder / "talks" / "again.jsonl")
    before = plain.files()
    for out, to in (("o.html", "html"), ("o/", "html"), ("o/", "native")):
        talks = ("talks/claude-code.jsonl", "talks/again.jsonl")[: 1 + out.endswith("/")]
        done = plain.run("export", *talks, "--to", to, "-o", out, before="ulimit -f 8; ")
        lines = done.stderr.decode().splitlines()
        assert done.returncode == 3, lines
        assert "File too large" in lines[0]
        assert not any("Traceback" in line or "wrote" in line for line in lines)
        assert plain.files() == before
