"""The protocol of the key agent and its clients.

One request and one answer are each one line of JSON over a Unix socket in a folder that only its
owner can enter. Each side checks that the other one is the same user.
"""

from __future__ import annotations

import os
import socket
import stat
import struct
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from msgspec import Struct

from talktree.errors import Unreadable
from talktree.home import HOME, data_home

FOLDER, SOCKET = "agent", "socket"
LONGEST = 4096
"""Maximum bytes of a request or an answer."""
IDLE = 30 * 60.0
"""Seconds without use after which a key is dropped."""
_LONGEST_PATH = 100
"""Maximum length of a socket path that works on every system."""


class Request(Struct, frozen=True):
    """A request of a client."""

    do: str
    """`get`, `put`, `drop` or `state`."""
    id: str = ""
    """The id of a key; empty for all of them."""
    key: str = ""
    """In hexadecimal digits."""
    idle: float = IDLE


class AgentAnswer(Struct, frozen=True):
    """The agent's answer."""

    key: str = ""
    left: float = 0.0
    """Seconds until the key is dropped if it is not used."""
    idle: float = 0.0
    count: int = 0
    """How many keys the request concerned."""


def agent_folder() -> Path:
    """Return the folder of this user's agent."""
    runtime = os.environ.get("XDG_RUNTIME_DIR", "")
    if not os.environ.get(HOME) and os.path.isabs(runtime) and os.path.isdir(runtime):
        return Path(runtime) / "talktree"
    return data_home() / FOLDER


def is_private(folder: Path) -> bool:
    """Whether a folder belongs to this user and no other user can enter it."""
    try:
        about = os.lstat(folder)
    except OSError:
        return False
    return (
        stat.S_ISDIR(about.st_mode)
        and about.st_uid == os.geteuid()
        and not stat.S_IMODE(about.st_mode) & 0o077
    )


def is_same_user(connection: socket.socket) -> bool:
    """Whether the process at the other end runs as this user."""
    if hasattr(socket, "SO_PEERCRED"):
        data = connection.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, struct.calcsize("3i"))
        return bool(struct.unpack("3i", data)[1] == os.geteuid())
    # On other systems, the folder is the only protection: only its owner can enter it.
    return True


@contextmanager
def short_path(folder: Path) -> Iterator[str]:
    """Yield the path of the socket, in a form that is short enough for every system call."""
    path = os.fspath(folder / SOCKET)
    if len(os.fsencode(path)) <= _LONGEST_PATH:
        yield path
        return
    if not os.path.isdir("/proc/self/fd"):
        raise Unreadable(
            f"{path}: too long for a socket", hint="set XDG_RUNTIME_DIR to a shorter path"
        )
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        yield f"/proc/self/fd/{descriptor}/{SOCKET}"
    finally:
        os.close(descriptor)
