"""Command transcripts: fenced blocks of a command, what it prints, and its exit code.

A block is `$ command`, the lines of stdout, the lines of stderr marked `2> `, and `[exit N]`.
Commands run in a shell in an empty folder where `data` is `tests/data`, one after the other. The
first of a transcript runs the installed program, and so does one that leaves something running in
the background; the others run forks of a process that has it loaded (`prefork`).

If the transcript says so (`HISTORY`), `.claude` there holds the made history of `tests/library`.

What differs from run to run is written in another way if the transcript says so (`NUMBERED`): ids
are numbered as they appear, times and digests have names.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple

from tests.library.made import history

DATA = Path(__file__).parent.parent / "data"
HERE = "/HERE"
"""Replaces the path of the transcript's folder."""
NUMBERED = "<!-- ids are numbered, times and digests named -->"
HISTORY = "<!-- .claude holds a made history -->"
_VARYING = re.compile(
    r"(?P<id>\b[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\b|\b[0-9a-f]{8}\b)"
    r"|(?P<digest>\b[0-9a-f]{32}\b)"
    r"|(?P<time>\b20\d\d-\d\d-\d\d[T ]\d\d:\d\d:\d\d(?:\.\d+)?Z?)"
)
_BLOCK = re.compile(r"^```console\n\$ (?P<command>.+)\n(?P<told>(?:.*\n)*?)```$", re.MULTILINE)
_BACKGROUND = re.compile(r"[^&]&(?=\s|$)")


class Block(NamedTuple):
    """One command of a transcript and its expected output."""

    command: str
    details: str
    start: int
    stop: int


def blocks(text: str) -> list[Block]:
    """Return the commands of a transcript."""
    return [
        Block(found["command"], found["told"], found.start("told"), found.end("told"))
        for found in _BLOCK.finditer(text)
    ]


class Numbers:
    """Gives the same name to the same id wherever it is printed, in full or shortened."""

    def __init__(self) -> None:
        self._ids: dict[str, str] = {}

    def __call__(self, printed: str) -> str:
        return _VARYING.sub(self._name, printed)

    def _name(self, found: re.Match[str]) -> str:
        if found["id"]:
            return self._ids.setdefault(found["id"][:8], f"ID-{len(self._ids) + 1}")
        return "DIGEST" if found["digest"] else "TIME"


def run(command: str, folder: Path, programs: Path | None = None) -> str:
    """Return the output of a command in the form of a transcript; `programs` come first in PATH."""
    done = subprocess.run(
        ["sh", "-c", command],
        cwd=folder,
        env={
            **environment(programs),
            "TALKTREE_HOME": f"{folder}-home",
            "XDG_CONFIG_HOME": f"{folder}-config",
        },
        stdin=subprocess.DEVNULL,
        capture_output=True,
        timeout=300,
        check=False,
    )
    out = done.stdout.decode()
    err = done.stderr.decode()
    assert "Traceback" not in err
    ended = out if not out or out.endswith("\n") else f"{out}\n"
    marked = "".join(f"2> {line}\n" for line in err.splitlines())
    return f"{ended}{marked}[exit {done.returncode}]\n".replace(str(folder), HERE)


def environment(programs: Path | None = None) -> dict[str, str]:
    """Return an environment without settings, with only the path to the program under test."""
    folders = [str(programs)] if programs else []
    folders += [str(Path(sys.executable).parent), os.environ.get("PATH", os.defpath)]
    way = {"PATH": os.pathsep.join(folders)}
    if modules := os.environ.get("PYTHONPATH"):
        way["PYTHONPATH"] = modules
    way["XDG_CONFIG_HOME"] = os.environ.get("XDG_CONFIG_HOME", "/nonexistent")
    return {**way, "LC_ALL": "C.UTF-8", "TZ": "UTC", "PYTHONDONTWRITEBYTECODE": "1"}


def workplace(folder: Path) -> Path:
    """Return an empty folder with the samples in it."""
    (folder / "data").symlink_to(DATA)
    return folder


def renewed(text: str, folder: Path, programs: Path | None = None) -> str:
    """Return the transcript with the current output; all commands but the first use `programs`."""
    if HISTORY in text:
        history(folder / ".claude")
    out = []
    at = 0
    reported = Numbers() if NUMBERED in text else str
    for number, block in enumerate(blocks(text)):
        installed = number == 0 or _BACKGROUND.search(block.command)
        printed = run(block.command, folder, None if installed else programs)
        out += [text[at : block.start], reported(printed)]
        at = block.stop
    return "".join([*out, text[at:]])
