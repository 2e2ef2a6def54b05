"""The context of a message: directory, git branch, platform; and how it differs from now.

Capturing is cheap enough for every message: two system calls where nothing changed. Git is never
run; the branch is in `.git/HEAD`, and a `stat` shows whether that file was changed.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path
from time import monotonic
from typing import Literal, NamedTuple

import talktree
from talktree.model.message import Context

PLATFORMS = {"darwin": "macos", "win32": "windows"}
LOOK_AGAIN = 1.0
"""Seconds after which a folder without a repository is checked again."""
STILL_TRUE = 0.002
"""Seconds for which a known branch is not checked again: a checkout takes a process longer."""
HEAD_LENGTH = 4096
Stamp = tuple[int, int, int]


def find_platform() -> str:
    """Return the platform, in the terms of session files."""
    return PLATFORMS.get(sys.platform, "linux" if sys.platform.startswith("linux") else "other")


def program_version() -> str:
    """Return the version as three numbers, which is what readers of sessions compare."""
    return ".".join(talktree.__version__.split(".")[:3])


class ContextCapture:
    """Captures the context of the process repeatedly."""

    def __init__(self, *, version: str | None = None, user_type: str | None = "external") -> None:
        self._version = version or program_version()
        self._user_type = user_type
        self._platform = find_platform()
        self._head = _Head("")
        self._made: tuple[str, str | None] | None = None
        self._context = Context()
        self._folder = b""
        self._until = 0.0

    def capture(self) -> Context:
        """Return the current context; the same object as long as nothing changed."""
        folder, moment = _get_folder(), monotonic()
        if folder == self._folder and moment < self._until:
            return self._context
        self._folder, self._until = folder, moment + STILL_TRUE
        cwd = os.fsdecode(folder).encode("utf-8", "replace").decode()
        if cwd != self._head.folder:
            self._head = _Head(cwd)
        branch = self._head.read_branch()
        if (cwd, branch) != self._made:
            self._made = cwd, branch
            self._context = Context(
                cwd=cwd,
                git_branch=branch,
                platform=self._platform,
                user_type=self._user_type,
                version=self._version,
            )
        return self._context


def _get_folder() -> bytes:
    try:
        return os.getcwdb()
    except OSError:
        # The folder was removed while the process was in it.
        return b""


class _Head:
    """The HEAD of the repository around a folder, if there is one."""

    def __init__(self, folder: str) -> None:
        self.folder = folder
        self._path: str | None = None
        self._looked = -LOOK_AGAIN
        self._stamp: Stamp | None = None
        self._branch: str | None = None

    def read_branch(self) -> str | None:
        """Return the current branch, or the commit if there is none; None outside of git."""
        if self._path is None and not self._find_head():
            return None
        assert self._path is not None
        try:
            seen = os.stat(self._path)
        except OSError:
            self._path = self._stamp = self._branch = None
            return None
        stamp = seen.st_mtime_ns, seen.st_ino, seen.st_size
        if stamp != self._stamp:
            self._stamp, self._branch = stamp, _read_branch(self._path)
        return self._branch

    def _find_head(self) -> bool:
        if monotonic() - self._looked < LOOK_AGAIN:
            return False
        self._looked = monotonic()
        self._path = _find_head_path(self.folder)
        return self._path is not None


def _find_head_path(folder: str) -> str | None:
    if not folder:
        return None
    start = Path(folder)
    for place in (start, *start.parents):
        git = place / ".git"
        if git.is_dir():
            return str(git / "HEAD")
        if git.is_file():
            # A worktree or a submodule names its own folder.
            details = _read_first_line(str(git))
            if details.startswith("gitdir: "):
                return str(place / details.removeprefix("gitdir: ") / "HEAD")
    return None


def _read_branch(path: str) -> str | None:
    line = _read_first_line(path)
    if line.startswith("ref: "):
        return line.removeprefix("ref: ").removeprefix("refs/heads/")
    return line[:12] or None


def _read_first_line(path: str) -> str:
    try:
        with open(path, "rb") as file:
            return file.read(HEAD_LENGTH).partition(b"\n")[0].decode("utf-8", "replace").strip()
    except OSError:
        return ""


# then and now


class Difference(NamedTuple):
    """One difference between the recorded and the current context."""

    kind: Literal["cwd-gone", "cwd", "branch", "platform", "user-type", "version"]
    recorded: str
    now: str
    text: str
    """The difference in words."""


def find_differences(recorded: Context | None, now: Context) -> tuple[Difference, ...]:
    """Return the differences from when a message was written, as far as it was recorded."""
    if recorded is None:
        return ()
    found: list[Difference] = []
    if recorded.cwd and recorded.cwd != now.cwd:
        found.append(_describe_other_folder(recorded.cwd, now.cwd or ""))
    if recorded.git_branch and recorded.git_branch != now.git_branch:
        where = f"now {now.git_branch}" if now.git_branch else "and there is none now"
        text = f"the git branch was {recorded.git_branch}, {where}"
        found.append(Difference("branch", recorded.git_branch, now.git_branch or "", text))
    if recorded.platform and recorded.platform != now.platform:
        text = f"it was written on {recorded.platform}, this is {now.platform}"
        found.append(Difference("platform", recorded.platform, now.platform or "", text))
    if recorded.user_type and now.user_type and recorded.user_type != now.user_type:
        text = f"the user was {recorded.user_type}, now {now.user_type}"
        found.append(Difference("user-type", recorded.user_type, now.user_type, text))
    if recorded.version and now.version and recorded.version != now.version:
        text = f"it was written by version {recorded.version}, this is {now.version}"
        found.append(Difference("version", recorded.version, now.version, text))
    return tuple(found)


def _describe_other_folder(recorded: str, now: str) -> Difference:
    try:
        there = Path(recorded).is_dir()
    except (OSError, ValueError):
        there = False
    if there:
        return Difference("cwd", recorded, now, f"the directory was {recorded}, now {now}")
    return Difference("cwd-gone", recorded, now, f"the directory {recorded} is not there any more")
