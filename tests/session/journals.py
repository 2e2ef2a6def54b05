"""Shared helpers of the journal tests: writers in separate processes, and the laws to check."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterable
from contextlib import suppress
from hashlib import sha256
from pathlib import Path
from typing import IO, NamedTuple

from talktree.files.sandbox import Anchor
from talktree.session.journal.journal import Durability, Journal
from talktree.session.journal.lines import JournalLine, read_last_lines, read_lines, verify_seal

ROOT = Path(__file__).parent.parent.parent


class Ack(NamedTuple):
    """A message that its writer was acknowledged."""

    writer: str
    message: int
    number: int
    start: int
    hash: str


def opened(folder: Path, durability: Durability = "fast") -> Journal:
    """Open a journal in a folder, which is made if it does not exist."""
    return Journal(Anchor(folder, create=True), durability)


def served(folder: Path, log: str = "messages") -> list[JournalLine]:
    """Return all lines of a log as a reader gets them; reading backwards gives the same."""
    path = folder / f"{log}.jsonl"
    if not path.exists():
        return []
    with open(path, "rb") as file:
        found = [*read_lines(file.fileno())]
        assert [*read_last_lines(file.fileno())] == found[::-1]
    return found


def quarantined(folder: Path) -> list[bytes]:
    """Return the contents of the quarantine."""
    return [path.read_bytes() for path in sorted((folder / "quarantine").glob("*.bytes"))]


class Writer:
    """A process that appends; its acknowledgements go to a file that outlives it."""

    def __init__(self, command: list[str]) -> None:
        self._describe = tempfile.TemporaryFile()  # noqa: SIM115
        self._errors = tempfile.TemporaryFile()  # noqa: SIM115
        self.process = subprocess.Popen(
            command,
            stdout=self._describe,
            stderr=self._errors,
            cwd=ROOT,
            env={**os.environ, "PYTHONPATH": str(ROOT)},
        )

    def wait_for(self, count: int) -> None:
        """Wait until it has reported that many lines, the first of which is that it is ready."""
        while _content(self._describe).count("\n") < count and self.process.poll() is None:
            time.sleep(0.002)

    def kill(self) -> None:
        """Kill it and what it runs (a tracer would let it continue)."""
        below = Path(f"/proc/{self.process.pid}/task/{self.process.pid}/children")
        children = below.read_text().split()
        self.process.kill()
        for child in children:
            with suppress(ProcessLookupError):
                os.kill(int(child), signal.SIGKILL)

    def details(self, *, done: bool = True) -> str:
        """Return all of its reports when it has ended, normally or by a kill."""
        self.process.wait()
        reported, errors = _content(self._describe), _content(self._errors)
        self._describe.close()
        self._errors.close()
        assert not done or reported.endswith("done\n"), errors
        return reported


def _content(file: IO[bytes]) -> str:
    return os.pread(file.fileno(), os.fstat(file.fileno()).st_size, 0).decode()


def writer(
    folder: Path,
    name: str,
    count: int,
    *,
    durability: Durability = "safe",
    seed: int = 0,
    largest: int = 300,
    before: Iterable[str] = (),
) -> Writer:
    """Start a process that appends messages of up to some size to a session."""
    arguments = [str(folder), durability, name, str(count), str(seed), str(largest)]
    return Writer([*before, sys.executable, "-m", "tests.session.appender", *arguments])


def acks(reported: str) -> list[Ack]:
    """Return the acknowledgements of a writer; a truncated last line does not count."""
    found = []
    for line in reported.splitlines(keepends=True):
        words = line.split()
        if line.endswith("\n") and words[0] == "saved":
            found.append(Ack(words[1], int(words[2]), int(words[3]), int(words[4]), words[5]))
    return found


def verify(folder: Path, acknowledged: Iterable[Ack]) -> list[JournalLine]:
    """Assert that no acknowledged message is lost or changed, none is added, and order is kept per
    writer."""
    found = served(folder)
    by_place = {line.start: line.raw for line in found}
    for ack in acknowledged:
        raw = by_place[ack.start]
        assert sha256(raw).hexdigest() == ack.hash
        assert verify_seal(raw) == (ack.number, "good")
        assert (json.loads(raw)["writer"], json.loads(raw)["message"]) == ack[:2]
    newest: dict[str, int] = {}
    for at, line in enumerate(found):
        assert verify_seal(line.raw) == (at + 1, "good")
        value = json.loads(line.raw)
        assert newest.get(value["writer"], -1) < value["message"]
        newest[value["writer"]] = value["message"]
    return found
