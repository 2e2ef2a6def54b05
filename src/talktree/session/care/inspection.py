"""Checking a session without changing it: each log line by line, then the contents they name.

Any bytes give a list of problems. Nothing is assumed and nothing is locked: of a session that is
being written, the complete part is checked.
"""

from __future__ import annotations

import os
import re
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from hashlib import sha256
from typing import Any, Literal, NamedTuple

from talktree.errors import PathEscapes
from talktree.files.durable import UNFINISHED
from talktree.files.sandbox import Anchor
from talktree.session.capture.blobs import ENDING, FOLDER
from talktree.session.capture.file_state import HASH_LENGTH
from talktree.session.capture.snapshots import find_named_contents, parse_snapshot
from talktree.session.journal.journal import LOGS
from talktree.session.journal.lines import JournalLine, read_lines, verify_seal
from talktree.session.undo.move_records import parse_moves
from talktree.text.json.decode import decode

Kind = Literal[
    "unreadable-file",
    "unreadable-line",
    "broken-seal",
    "gap",
    "other-writer",
    "torn-tail",
    "missing-content",
    "damaged-content",
    "unnamed-content",
    "unfinished-content",
    "unfinished-move",
    "unfinished-erasure",
    "quarantined",
    "open-to-others",
]
SEVERITIES: dict[Kind, Literal["error", "warning", "note"]] = {
    "unreadable-file": "error",
    "unreadable-line": "error",
    "broken-seal": "error",
    "gap": "error",
    "other-writer": "note",
    "torn-tail": "warning",
    "missing-content": "error",
    "damaged-content": "error",
    "unnamed-content": "note",
    "unfinished-content": "note",
    "unfinished-move": "warning",
    "unfinished-erasure": "warning",
    "quarantined": "note",
    "open-to-others": "warning",
}
QUARANTINE = "quarantine"
ERASURE = b"erasure"
"""The folder with the remaining work of an interrupted erasure."""
MAX_REPORTED = 1000
"""Maximum number of single problems of one kind that are reported; more are counted."""
_BLOCK = 1 << 20
HASHES = re.compile(rb"[0-9a-f]{64}")
_BLANK = b" \t\r\n\0"


class SessionProblem(NamedTuple):
    """One problem."""

    kind: Kind
    message: str
    path: str
    """The file it is in, relative to the folder of the session."""
    line: int | None = None

    @property
    def severity(self) -> Literal["error", "warning", "note"]:
        """The severity of the problem."""
        return SEVERITIES[self.kind]


@contextmanager
def open_plain_file(folder: Anchor, path: str) -> Iterator[int | None]:
    """Yield a descriptor of a plain file of the session, or None if there is no such file."""
    try:
        fd = folder.open(path.encode(), os.O_RDONLY | os.O_NONBLOCK)
    except FileNotFoundError:
        yield None
        return
    try:
        if not stat.S_ISREG(os.fstat(fd).st_mode):
            raise OSError("it is no file")
        yield fd
    finally:
        os.close(fd)


class Inspection:
    """The findings of one check of a session."""

    def __init__(self, folder: Anchor) -> None:
        self._folder = folder
        self.troubles: list[SessionProblem] = []
        self._counts: dict[tuple[Kind, str], int] = {}
        self._wanted: dict[str, tuple[str, int]] = {}
        """The contents that lines need, with the first such line."""

    def run(self, *, read_data: bool) -> list[SessionProblem]:
        """Return all problems: in logs, contents, and leftovers."""
        for log in LOGS:
            self._run_guarded(f"{log}.jsonl", lambda path, log=log: self._check_log(path, log))
        self._run_guarded("backups", lambda path: self._check_contents(read_data=read_data))
        self._run_guarded(QUARANTINE, self._check_quarantine)
        if self._folder.lstat(ERASURE) is not None:
            what = "opening the session for writing finishes it"
            self._add_problem("unfinished-erasure", what, ERASURE.decode())
        self._run_guarded(".", lambda path: self._check_permissions())
        for (kind, path), count in self._counts.items():
            if count > MAX_REPORTED:
                self.troubles.append(SessionProblem(kind, f"and {count - MAX_REPORTED} more", path))
        return self.troubles

    def _add_problem(self, kind: Kind, message: str, path: str, line: int | None = None) -> None:
        place = kind, path if line is not None else path.partition("/")[0]
        self._counts[place] = self._counts.get(place, 0) + 1
        if self._counts[place] <= MAX_REPORTED:
            self.troubles.append(SessionProblem(kind, message, path, line))

    def _run_guarded(self, path: str, look: Any) -> None:  # noqa: ANN401
        try:
            look(path)
        except PathEscapes as error:
            self._add_problem("unreadable-file", error.message, path)
        except OSError as error:
            self._add_problem("unreadable-file", error.strerror or str(error), path)

    # logs

    def _check_log(self, path: str, log: str) -> None:
        with open_plain_file(self._folder, path) as fd:
            if fd is None:
                return
            number, shift, stop, values = 0, 0, 0, []
            for number, line in enumerate(read_lines(fd), 1):
                stop = line.start + len(line.raw)
                shift = self._check_seal(path, line, number, shift)
                value = self._check_value(path, log, line, number)
                if log == "operations" and value is not None:
                    values.append(value)
            self._check_end(fd, path, stop)
            self._check_moves(path, values)

    def _check_seal(self, path: str, line: JournalLine, number: int, shift: int) -> int:
        """Check the seal of a line and return how far the numbers are ahead of the lines."""
        found = verify_seal(line.raw)
        if found.state == "broken":
            self._add_problem("broken-seal", "it is not as it was written", path, number)
        elif found.state == "none" or found.number is None:
            self._add_problem("other-writer", "another program wrote it", path, number)
        elif found.number - number != shift:
            missing = found.number - number - shift
            what = f"{missing} missing before it" if missing > 0 else "it stood further ahead"
            self._add_problem("gap", f"it was line {found.number}: {what}", path, number)
            return found.number - number
        return shift

    def _check_value(
        self, path: str, log: str, line: JournalLine, number: int
    ) -> dict[str, Any] | None:
        value, _, usable = decode(line.raw)
        if not usable or not isinstance(value, dict):
            self._add_problem("unreadable-line", "it is no JSON object", path, number)
            return None
        if log == "snapshots":
            self._note_wanted(find_named_contents(value), path, number)
            self._check_backups(value, path, number)
        elif log == "operations":
            self._note_wanted(
                find_named_contents({"snapshot": {"paths": value.get("paths")}}), path, number
            )
        return value

    def _note_wanted(self, hashes: Iterator[str], path: str, number: int) -> None:
        for each in hashes:
            self._wanted.setdefault(each, (path, number))

    def _check_backups(self, value: dict[str, Any], path: str, number: int) -> None:
        """Check that the contents exist that another program stores in its own way."""
        for backup in parse_snapshot(value).backups:
            inside = backup.place.encode("utf-8", "surrogatepass")
            if inside.startswith(b"backups/") and self._folder.lstat(inside) is None:
                what = f"{backup.place[:80]} is not there"
                self._add_problem("missing-content", what, path, number)

    def _check_end(self, fd: int, path: str, stop: int) -> None:
        size = os.fstat(fd).st_size
        while stop < size:
            block = os.pread(fd, min(_BLOCK, size - stop), stop)
            if not block:
                return
            if block.strip(_BLANK):
                what = f"{size - stop} bytes at its end are no whole line"
                self._add_problem("torn-tail", what, path)
                return
            stop += len(block)

    def _check_moves(self, path: str, values: list[dict[str, Any]]) -> None:
        for move in parse_moves(values):
            if move.state == "open":
                what = f"the {move.verb} {move.id[:8]} was begun and not finished"
                self._add_problem("unfinished-move", what, path)

    # contents

    def _check_contents(self, *, read_data: bool) -> None:
        present: set[str] = set()
        if self._folder.lstat(FOLDER) is not None:
            named = find_named_hashes(self._folder)
            for entry in self._folder.entries(FOLDER):
                path = f"backups/{entry.name}"
                name = parse_content_hash(entry.name)
                if name is None:
                    if entry.name.startswith(UNFINISHED):
                        self._add_problem(
                            "unfinished-content", "a writer has not finished it", path
                        )
                    continue
                present.add(name)
                if name not in named:
                    self._add_problem("unnamed-content", "no line names it", path)
                if read_data:
                    self._run_guarded(
                        path, lambda path, name=name: self._check_content_hash(path, name)
                    )
        for name, (path, number) in self._wanted.items():
            if name not in present:
                self._add_problem("missing-content", f"{name[:12]} is not there", path, number)

    def _check_content_hash(self, path: str, name: str) -> None:
        made = sha256()
        with open_plain_file(self._folder, path) as fd:
            while fd is not None and (block := os.read(fd, _BLOCK)):
                made.update(block)
        if fd is not None and made.hexdigest() != name:
            self._add_problem(
                "damaged-content", "it holds something else than it was named for", path
            )

    # the rest

    def _check_quarantine(self, path: str) -> None:
        if self._folder.lstat(path.encode()) is None:
            return
        for entry in self._folder.entries(path.encode()):
            if entry.name.endswith(".bytes"):
                what = "bytes that were cut off a log"
                self._add_problem("quarantined", what, f"{path}/{entry.name}")

    def _check_permissions(self) -> None:
        for name in (".", "backups", *(f"{log}.jsonl" for log in LOGS)):
            found = os.fstat(self._folder.fd) if name == "." else self._folder.lstat(name.encode())
            if found is not None and found.st_mode & 0o077:
                what = f"others than its owner may use it ({stat.filemode(found.st_mode)})"
                self._add_problem("open-to-others", what, name)


def parse_content_hash(name: str) -> str | None:
    """Return the hash of the content in a file of `backups`, or None for another file."""
    hash = name.removesuffix(ENDING)
    if hash == name or len(hash) != HASH_LENGTH or HASHES.fullmatch(hash.encode()) is None:
        return None
    return hash


def find_named_hashes(folder: Anchor) -> set[str]:
    """Return every hash in a log or in the quarantine, from any line, valid or not."""
    found: set[str] = set()
    paths = [f"{log}.jsonl" for log in LOGS if log != "messages"]
    if folder.lstat(QUARANTINE.encode()) is not None:
        paths += [f"{QUARANTINE}/{entry.name}" for entry in folder.entries(QUARANTINE.encode())]
    for path in paths:
        with open_plain_file(folder, path) as fd:
            rest = b""
            while fd is not None and (block := os.read(fd, _BLOCK)):
                block = rest + block
                found.update(match.decode() for match in HASHES.findall(block))
                rest = block[-HASH_LENGTH:]
    return found
