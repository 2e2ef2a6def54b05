"""A home with a planted word, commands in it, and a search of every byte on the disk."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

from tests.library.made import history, small

PROGRAM = str(Path(sys.executable).with_name("talktree"))
WORD = "quizzaciousharbour"
PASSED_ON = ("PATH", "LANG", "PYTHONPATH")
PASSPHRASE = "seven plain words öf a test"


class LockedHome:
    """A home in which commands write below one folder only: the home and the folder for temporary
    files."""

    def __init__(self, folder: Path, program: str = PROGRAM) -> None:
        self.folder = folder
        self.program = program
        self.home = folder / "home"
        self.root = self.home / "library"
        self.temporary = folder / "temporary"
        self.temporary.mkdir(parents=True)
        self.sources = folder / "sources"
        self.passphrase = folder / "passphrase"
        self.passphrase.write_text(PASSPHRASE + "\n")
        history(self.sources)
        small(self.sources, 9, words=f"{WORD} is the {WORD} of this {WORD}")
        self.environment = {
            **{
                name: os.environ[name]
                for name in ("PATH", "LANG", "PYTHONPATH")
                if name in os.environ
            },
            "TALKTREE_HOME": str(self.home),
            "HOME": str(folder),
            "TMPDIR": str(self.temporary),
            "COLUMNS": "100",
        }

    def run(
        self, *words: str, code: int | None = 0, stdin: bytes = b"", **environment: str
    ) -> subprocess.CompletedProcess[bytes]:
        """Run a command; the passphrase is given to those that prompt for it."""
        done = subprocess.run(
            [self.program, *words],
            env={**self.environment, **environment},
            input=stdin,
            capture_output=True,
            check=False,
            timeout=120,
        )
        assert code is None or done.returncode == code, (words, done.stderr.decode())
        return done

    def start(self, *words: str) -> subprocess.Popen[bytes]:
        """Start a command."""
        return subprocess.Popen(
            [PROGRAM, *words],
            env=self.environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )

    @property
    def passphrase_file(self) -> tuple[str, str]:
        """The option that names the file with the passphrase."""
        return "--passphrase-file", str(self.passphrase)

    def encrypt(self) -> None:
        """Encrypt the library; it is unlocked afterwards."""
        self.run("library", "encrypt", *self.passphrase_file)

    def unlock(self) -> None:
        """Unlock the library."""
        self.run("library", "unlock", "--passphrase-file", "-", stdin=self.passphrase.read_bytes())

    def agents(self) -> list[int]:
        """Return the processes that hold keys for this home."""
        wanted = os.fsencode(self.home / "agent")
        return [pid for pid, words in _processes() if wanted in words and b"-m" in words]

    def kill_agents(self) -> None:
        """Kill the agents, so that they cannot clean up."""
        for pid in self.agents():
            os.kill(pid, signal.SIGKILL)

    def hits(self, word: str = WORD) -> list[str]:
        """Return the files in the home, the temporary folder and shared memory that contain a
        word."""
        return [
            str(path)
            for folder in (self.home, self.temporary, Path("/dev/shm"))
            for path in sorted(folder.rglob("*"))
            if path.is_file() and not path.is_symlink() and _holds(path, word)
        ]


def _holds(path: Path, word: str) -> bool:
    try:
        data = path.read_bytes()
    except OSError:
        return False
    forms = (word.encode(), word.encode("utf-16-le"))
    return any(re.search(re.escape(form), data, re.IGNORECASE) for form in forms)


def _processes() -> Iterator[tuple[int, list[bytes]]]:
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                yield int(entry.name), (entry / "cmdline").read_bytes().split(b"\0")
            except OSError:
                continue
