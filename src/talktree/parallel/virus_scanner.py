"""An external virus scanner: a command that the user configures, run on a private copy of a file.

It runs without a shell, the path is one argument, and it gets neither the name nor any other
metadata of the file. Exit code 1 means infected, as with ClamAV and most others.
"""

from __future__ import annotations

import os
import signal
import subprocess
from hashlib import sha256
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Literal, NamedTuple

from talktree.settings.attachments import PLACEHOLDER, AttachmentSettings

INFECTED = 1
MAX_OUTPUT = 200
MOST_REMEMBERED = 4096
_results: dict[tuple[bytes, tuple[str, ...]], ScannerResult] = {}


class ScannerResult(NamedTuple):
    """The result of a scanner for a file."""

    state: Literal["clean", "infected", "failed"]
    detail: str = ""


CLEAN = ScannerResult("clean")


def scan_externally(data: bytes, settings: AttachmentSettings) -> ScannerResult:
    """Run the scanner on some bytes; they are clean if none is configured."""
    if not settings.scan_command:
        return CLEAN
    key = sha256(data).digest(), settings.scan_command
    if key not in _results:
        if len(_results) >= MOST_REMEMBERED:
            _results.clear()
        result = _run_scanner(data, settings)
        if result.state == "failed":
            return result
        _results[key] = result
    return _results[key]


def _run_scanner(data: bytes, settings: AttachmentSettings) -> ScannerResult:
    program = os.path.basename(settings.scan_command[0])
    with TemporaryDirectory(prefix="talktree-scan-") as folder:
        path = Path(folder) / "attachment"
        path.touch(0o600, exist_ok=False)
        path.write_bytes(data)
        words = [word.replace(PLACEHOLDER, str(path)) for word in settings.scan_command]
        try:
            code, details = _run_command(words, Path(folder), settings.scan_timeout)
        except subprocess.TimeoutExpired:
            return ScannerResult(
                "failed", f"{program} did not end within {settings.scan_timeout:g} s"
            )
        except OSError as error:
            return ScannerResult("failed", f"cannot run {program}: {error.strerror or error}")
    details = details.replace(str(path), "attachment").strip()
    if code == INFECTED:
        return ScannerResult("infected", details or f"{program} reports it")
    if code == 0:
        return CLEAN
    return ScannerResult("failed", f"{program} ended with code {code}{details and f': {details}'}")


def _run_command(words: list[str], folder: Path, timeout: float) -> tuple[int, str]:
    """Return the exit code and first words of a command."""
    # Its output goes to a file: a pipe could be held open by processes it started.
    with (folder / "output").open("w+b") as output:
        process = subprocess.Popen(
            words,
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=subprocess.STDOUT,
            cwd=folder,
            start_new_session=True,
        )
        try:
            code = process.wait(timeout)
        except BaseException:
            _kill_process_group(process)
            raise
        output.seek(0)
        return code, output.read(4 * MAX_OUTPUT).decode("utf-8", "replace")[:MAX_OUTPUT]


def _kill_process_group(process: subprocess.Popen[bytes]) -> None:
    """End a command and the processes it started."""
    if hasattr(os, "killpg"):
        os.killpg(process.pid, signal.SIGKILL)
    else:
        process.kill()
    process.wait()
