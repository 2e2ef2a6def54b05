"""The command line, called in this process or as a separate one, and its JSON report."""

from __future__ import annotations

import io
import json
import subprocess
import sys
import warnings
from contextlib import redirect_stderr, redirect_stdout
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from talktree.cli.main import run

REFUSED = 4
"""The exit code of `--strict` when something would be lost."""
WHOLE = frozenset({"message", "branch", "deleted", "edit"})
"""Kinds of loss that concern a whole message."""
WORDS = frozenset({"text", "thinking", "tool_call", "tool_result", "event", "artifact"})
"""Kinds of loss that concern something a message shows, unless it is rendered as text."""


UNCLOSED = pytest.mark.filterwarnings(
    "ignore::ResourceWarning", "ignore::pytest.PytestUnraisableExceptionWarning"
)
"""For tests that call commands in this process: what a command leaves to the end of its process."""


class Report(NamedTuple):
    """How a command ended, and what it printed as JSON."""

    code: int
    answer: dict[str, Any]
    errors: str

    @property
    def losses(self) -> list[dict[str, str]]:
        """The entries of the loss report."""
        found: list[dict[str, str]] = self.answer.get("losses") or []
        return found

    def reported(self) -> set[str]:
        """Return the ids of messages that the report says are not shown as they were."""
        return {
            loss["entry"]
            for loss in self.losses
            if loss["kind"] in WHOLE or (loss["kind"] in WORDS and loss["kept"] != "rendered")
        }


def call(*arguments: object, process: bool = False) -> Report:
    """Run one command with `--json`."""
    words = [*map(str, arguments), "--json"]
    code, out, errors = _start(words) if process else _call(words)
    return Report(code, json.loads(out) if out.startswith(b"{") else {}, errors)


def convert(source: Path, to: str, out: Path, *options: str, process: bool = False) -> Report:
    """Convert a file or folder on one processor."""
    given = ["convert", source, "-t", to, "-o", out, "-j", "1", "--progress", "none", *options]
    return call(*given, process=process)


def _start(words: list[str]) -> tuple[int, bytes, str]:
    done = subprocess.run([sys.executable, "-m", "talktree.cli.main", *words], capture_output=True)
    return done.returncode, done.stdout, done.stderr.decode()


def _call(words: list[str]) -> tuple[int, bytes, str]:
    out, errors = (io.TextIOWrapper(io.BytesIO(), "utf-8", write_through=True) for _ in range(2))
    with warnings.catch_warnings(), redirect_stdout(out), redirect_stderr(errors):
        warnings.simplefilter("ignore", ResourceWarning)
        code = run(words)
    return code, _written(out), _written(errors).decode()


def _written(stream: io.TextIOWrapper) -> bytes:
    stream.flush()
    assert isinstance(stream.buffer, io.BytesIO)
    return stream.buffer.getvalue()
