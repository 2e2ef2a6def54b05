"""The state of a batch, stored in its output folder, so that a second run continues.

One JSON line for each output, appended just before the output takes its place: size and time of the
source, target format and options, and the outputs with their sizes and times. A truncated line is
ignored. Only one batch works in a folder at a time.
"""

from __future__ import annotations

import errno
import fcntl
import json
import os
from collections.abc import Iterator
from pathlib import Path
from typing import IO

import msgspec
from msgspec import Struct

from talktree.errors import TalktreeError, Unreadable
from talktree.formats.sources import OWN, Stamp

STATE = f"{OWN}.jsonl"


class BatchLocked(TalktreeError):
    """Another batch is working in the same folder."""

    exit_code = 5
    kind = "locked"


class Output(Struct, frozen=True, array_like=True):
    """A file that was written, as it was then."""

    name: str
    """Its path below the output folder."""
    size: int
    mtime_ns: int


class BatchEntry(Struct, frozen=True, omit_defaults=True):
    """The entry of one source."""

    source: str
    to: str
    options: str
    """A digest of the conversion's options."""
    stamp: Stamp
    name: str
    outputs: tuple[Output, ...] = ()
    """Empty for a file that is not a conversation."""
    counts: tuple[tuple[str, str, int], ...] = ()
    """Kind of loss, how it is kept, and how often."""
    carried_bytes: int = 0


class BatchState:
    """The entries of one target format in an output folder, as earlier runs left them."""

    def __init__(self, out: Path, to: str) -> None:
        self.path = out / STATE
        self._out = out
        self._last: dict[str, BatchEntry] = {}
        self._known: dict[str, set[Output]] = {}
        self._file = self._open_locked()
        for entry in self._read_entries():
            if entry.to == to:
                self._last[entry.source] = entry
                self._known.setdefault(entry.source, set()).update(entry.outputs)

    def names(self) -> dict[str, str]:
        """The name that each source was given."""
        return {source: entry.name for source, entry in self._last.items()}

    def find_known_outputs(self, source: str) -> frozenset[Output]:
        """Return every output that a source ever had."""
        return frozenset(self._known.get(source, ()))

    def find_done(self, source: str, stamp: Stamp, options: str) -> BatchEntry | None:
        """Return the entry of a source, if it and the options are still the same."""
        last = self._last.get(source)
        if last is None or (last.stamp, last.options) != (stamp, options):
            return None
        return (
            last
            if all(self._is_output_present(source, output) for output in last.outputs)
            else None
        )

    def _is_output_present(self, source: str, output: Output) -> bool:
        """Whether an output exists; an edited one counts, an older one does not."""
        now = stat_output(self._out, output.name)
        return now is not None and (now == output or now not in self._known[source])

    @property
    def has_entries(self) -> bool:
        """Whether earlier runs have written anything."""
        return any(entry.outputs for entry in self._last.values())

    def close(self, *, keep: bool) -> None:
        """Unlock the folder; an empty state need not be kept."""
        if not keep or not os.fstat(self._file.fileno()).st_size:
            self.path.unlink(missing_ok=True)
        self._file.close()

    def _open_locked(self) -> IO[bytes]:
        try:
            file = open(self.path, "a+b")  # noqa: SIM115
        except OSError as error:
            why = error.strerror or error
            raise Unreadable(f"{self.path}: cannot write: {why}", hint="check its rights") from None
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            file.close()
            raise BatchLocked(
                f"{self._out}: another conversion into this folder is running",
                hint="wait until it is done, or name another folder",
            ) from None
        return file

    def _read_entries(self) -> Iterator[BatchEntry]:
        self._file.seek(0)
        line = b"\n"
        for line in self._file:
            try:
                yield msgspec.convert(json.loads(line), BatchEntry)
            except (ValueError, RecursionError, msgspec.ValidationError):
                continue
        if not line.endswith(b"\n"):
            self._file.write(b"\n")
            self._file.flush()


def stat_output(out: Path, name: str) -> Output | None:
    """Return a file below the output folder as it is now."""
    try:
        found = os.lstat(out / name)
    except OSError:
        return None
    return Output(name, found.st_size, found.st_mtime_ns)


def append_entry(state: Path, entry: BatchEntry) -> None:
    """Append an entry in one write, safe with concurrent writers."""
    line = json.dumps(msgspec.to_builtins(entry)).encode() + b"\n"
    descriptor = os.open(state, os.O_WRONLY | os.O_APPEND)
    try:
        if os.write(descriptor, line) < len(line):
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), str(state))
    finally:
        os.close(descriptor)
