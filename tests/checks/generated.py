"""Samples that cannot be stored in a folder, and limits that samples would be too large for.

Links and old files cannot be stored with the files of the project, so they are made when they are
needed. Rules about sizes are tested with small files and limits that are lowered for them.
"""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Callable
from functools import cache
from pathlib import Path
from tempfile import mkdtemp
from time import time
from weakref import finalize

from talktree.checks.rules import sizes
from talktree.formats import jsonl_file
from talktree.formats.studio.rules import tree as rules_tree

LIMITS: dict[str, tuple[object, str, int]] = {
    "STU202": (rules_tree, "JSON_DEPTH", 20),
    "SYN109": (jsonl_file, "LONGEST_LINE", 3000),
    "SYN501": (sizes, "HUGE_FILE", 3000),
    "SYN502": (sizes, "HUGE_RECORD", 3000),
    "SYN504": (sizes, "LARGE", 3000),
}
"""By code: the module, the name of the limit in it, and its value while the rule is tested."""
SCANNER = Path(__file__).parent.parent / "data" / "scanner.py"
"""A scanner that reports what is rotten and fails on what is unripe."""
_SCANNING = f"[attachments]\nscan-command = '{sys.executable} {SCANNER} {{path}}'\n"
CONFIGURED = {
    "STU307": "[attachments]\nmax-size = 1000\n",
    "SYN505": "[attachments]\nmax-size = 1000\n",
    "SEC131": _SCANNING,
    "SEC132": _SCANNING,
}
"""By code: the user's configuration while the rule is tested."""


class _Home:
    """A folder for generated samples that is removed after the tests."""

    def __init__(self) -> None:
        self.path = Path(mkdtemp(prefix="talktree-samples-"))
        finalize(self, shutil.rmtree, self.path, ignore_errors=True)


def _links(folder: Path) -> None:
    """Make a session whose folder has a link in it, and one without."""
    beside = Path(__file__).parent.parent / "data" / "rules" / "SYN401" / "good"
    for kind in ("bad", "good"):
        shutil.copytree(beside, folder / kind)
    (session,) = (folder / "bad").iterdir()
    (session / "elsewhere.jsonl").symlink_to("/nowhere/messages.jsonl")


def _ages(folder: Path) -> None:
    """Make a session in Claude Code's own folder that it will soon delete, and one of today."""
    beside = Path(__file__).parent.parent / "data" / "rules" / "CLC101" / "good" / "session.jsonl"
    for kind, days in (("bad", 25), ("good", 1)):
        session = folder / kind / ".claude" / "projects" / "-home-ana-app" / "session.jsonl"
        session.parent.mkdir(parents=True)
        shutil.copy(beside, session)
        written = time() - days * 86_400
        os.utime(session, (written, written))


BUILDERS: dict[str, Callable[[Path], None]] = {"CLC305": _ages, "SYN402": _links}
"""By code: the function that fills a folder with the samples `bad*` and `good*`."""


@cache
def _home() -> _Home:
    return _Home()


@cache
def generated(code: str) -> Path | None:
    """Return the folder with a rule's generated samples, if it has any."""
    if code not in BUILDERS:
        return None
    folder = _home().path / code
    folder.mkdir()
    BUILDERS[code](folder)
    return folder
