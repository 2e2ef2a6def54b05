"""The key agent: a process of the user that holds keys in memory until they are no longer used.

It is started by `talktree library unlock` and ends when it holds no key. Nothing is ever written to
the disk; other processes of the user cannot trace or dump it, and its keys are locked into memory
where the system allows that.
"""

from __future__ import annotations

import ctypes
import fcntl
import os
import resource
import selectors
import signal
import socket
import sys
import time
from pathlib import Path

import msgspec

from talktree.library.encryption.agent_protocol import (
    LONGEST,
    AgentAnswer,
    Request,
    is_private,
    is_same_user,
    short_path,
)

READY = b"ready\n"
GRACE = 20.0
"""Seconds that an agent waits for its first key."""
_PATIENCE = 5.0
"""Seconds that a client may take for one request."""
_SET_DUMPABLE = 4
_DECODER = msgspec.json.Decoder(Request)


class HeldKey:
    """A key in memory that is not swapped out where the system allows that."""

    def __init__(self, text: str, idle: float) -> None:
        self._size = len(text)
        self._buffer = ctypes.create_string_buffer(text.encode(), self._size)
        _lock_memory(self._buffer, self._size)
        self.idle = idle
        self.used = seconds_since_boot()

    @property
    def text(self) -> str:
        """The key; this counts as a use."""
        self.used = seconds_since_boot()
        return self._buffer.raw[: self._size].decode()

    @property
    def seconds_left(self) -> float:
        """The seconds until it is dropped."""
        return self.used + self.idle - seconds_since_boot()

    def wipe(self) -> None:
        """Overwrite the key."""
        ctypes.memset(self._buffer, 0, self._size)


class Agent:
    """The keys, and the answers to requests."""

    def __init__(self) -> None:
        self.keys: dict[str, HeldKey] = {}
        self._started = seconds_since_boot()
        self._was_used = False

    def answer(self, request: Request) -> AgentAnswer:
        """Execute a request and return the answer."""
        self.expire_keys()
        match request.do:
            case "put":
                self._drop([request.id])
                self.keys[request.id] = HeldKey(request.key, request.idle)
                self._was_used = True
                return AgentAnswer(count=1, idle=request.idle)
            case "get" if request.id in self.keys:
                held = self.keys[request.id]
                return AgentAnswer(key=held.text, left=held.seconds_left, idle=held.idle, count=1)
            case "state" if request.id in self.keys:
                held = self.keys[request.id]
                return AgentAnswer(left=held.seconds_left, idle=held.idle, count=1)
            case "drop":
                return AgentAnswer(count=self._drop([request.id] if request.id else [*self.keys]))
        return AgentAnswer()

    def expire_keys(self) -> None:
        """Drop keys that were not used for long enough."""
        self._drop([id for id, held in self.keys.items() if held.seconds_left <= 0])

    @property
    def is_done(self) -> bool:
        """Whether there are no keys left to hold."""
        waits = not self._was_used and seconds_since_boot() - self._started < GRACE
        return not self.keys and not waits

    def seconds_to_wait(self) -> float:
        """Return the seconds until the next key expires."""
        times = [held.seconds_left for held in self.keys.values()] or [GRACE]
        return max(0.1, min(*times, 60.0))

    def _drop(self, ids: list[str]) -> int:
        dropped = [self.keys.pop(id) for id in ids if id in self.keys]
        for held in dropped:
            held.wipe()
        return len(dropped)


def seconds_since_boot() -> float:
    """Return a clock that also runs while the machine sleeps, where the system has one."""
    clock = getattr(time, "CLOCK_BOOTTIME", None)
    return time.monotonic() if clock is None else time.clock_gettime(clock)


def harden_process() -> None:
    """Disable core dumps, and prevent other processes of this user from tracing this one."""
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(_SET_DUMPABLE, 0, 0, 0, 0)


def _lock_memory(buffer: ctypes.Array[ctypes.c_char], size: int) -> None:
    """Lock memory so that it is not swapped out, if the system allows that."""
    try:
        ctypes.CDLL(None).mlock(ctypes.byref(buffer), ctypes.c_size_t(size))
    except (AttributeError, OSError):
        pass


def serve(folder: Path) -> int:
    """Hold keys and answer requests until there is nothing left to hold."""
    harden_process()
    os.umask(0o077)
    folder.mkdir(parents=True, mode=0o700, exist_ok=True)
    if not is_private(folder):
        return 3
    lock = os.open(folder / "lock", os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        _report_ready()  # another agent is already running
        return 0
    (folder / "socket").unlink(missing_ok=True)
    listener = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    with listener, short_path(folder) as path:
        listener.bind(path)
        listener.listen(16)
        signal.signal(signal.SIGTERM, lambda *_: sys.exit(0))
        _report_ready()
        agent = Agent()
        try:
            _serve_requests(agent, listener)
        finally:
            agent.answer(Request("drop"))
            (folder / "socket").unlink(missing_ok=True)
    return 0


def _serve_requests(agent: Agent, listener: socket.socket) -> None:
    with selectors.DefaultSelector() as selector:
        selector.register(listener, selectors.EVENT_READ)
        while not agent.is_done:
            if selector.select(agent.seconds_to_wait()):
                connection, _ = listener.accept()
                with connection:
                    _answer_connection(agent, connection)
            agent.expire_keys()


def _answer_connection(agent: Agent, connection: socket.socket) -> None:
    """Answer one request; an error ends this connection only."""
    connection.settimeout(_PATIENCE)
    if not is_same_user(connection):
        return
    data = b""
    try:
        while not data.endswith(b"\n") and len(data) < LONGEST:
            if not (more := connection.recv(LONGEST)):
                return
            data += more
        answer = agent.answer(_DECODER.decode(data))
        connection.sendall(msgspec.json.encode(answer) + b"\n")
    except (OSError, msgspec.MsgspecError, UnicodeDecodeError):
        return


def _report_ready() -> None:
    """Report to the starting process that the agent answers, and detach from it."""
    try:
        os.write(1, READY)
    except OSError:
        pass
    nowhere = os.open(os.devnull, os.O_RDWR)
    for descriptor in (0, 1, 2):
        os.dup2(nowhere, descriptor)


if __name__ == "__main__":
    sys.exit(serve(Path(sys.argv[1])))
