"""One long job, split into shares that several processes make, returned in order.

The processes are forked, so they have all data that is already loaded. The share of a process that
died is made here instead; if that fails, its error gives the reason.
"""

from __future__ import annotations

import fcntl
import os
import signal
import struct
from collections.abc import Callable, Generator, Sequence
from multiprocessing.connection import Connection, wait

Make = Callable[[int], bytes]
"""Returns the share with a number."""
AHEAD = 32 << 20
"""Maximum number of bytes held of shares that are not next yet."""
A_PIPE = 1 << 20
"""How much a process can write before it is read, where the system allows setting this."""
_NUMBER = struct.Struct("<I")


def map_in_order(make: Make, count: int, processes: int) -> Generator[bytes, None, None]:
    """Yield all shares in order; at most some thousands, because their numbers are queued in a
    pipe."""
    pool = _OrderedPool(make, count)
    try:
        pool.start(processes)
        for number in range(count):
            yield pool.take_share(number)
    finally:
        pool.stop()


class _OrderedPool:
    """The processes, and what they have sent so far."""

    def __init__(self, make: Make, count: int) -> None:
        self._make = make
        self._count = count
        self._pipes: dict[Connection, int] = {}
        """Processes that are still sending, with the share each is working on."""
        self._ids: list[int] = []
        self._made: dict[int, bytes] = {}
        self._held = 0
        self._lost: set[int] = set()
        """Shares whose process died."""

    def start(self, processes: int) -> None:
        """Start this many processes; each takes the next number when it has finished a share."""
        numbers, ready = os.pipe()
        with os.fdopen(ready, "wb") as queue:
            queue.write(b"".join(map(_NUMBER.pack, range(self._count))))
        try:
            for _ in range(processes):
                self._start_process(numbers)
        except OSError:
            # No resources for further processes: the existing ones do it, or this one alone.
            pass
        finally:
            os.close(numbers)

    def _start_process(self, numbers: int) -> None:
        hear, speak = os.pipe()
        _widen_pipe(hear)
        # Ctrl-C reaches all processes of a terminal, but only the first one must handle it.
        before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT, signal.SIGTERM})
        try:
            child = os.fork()
            if not child:
                _serve_shares(
                    self._make, numbers, speak, [hear, *map(Connection.fileno, self._pipes)]
                )
            self._ids.append(child)
            self._pipes[Connection(hear, writable=False)] = -1
        except OSError:
            os.close(hear)
            raise
        finally:
            os.close(speak)
            signal.pthread_sigmask(signal.SIG_SETMASK, before)

    def take_share(self, number: int) -> bytes:
        """Return the share with a number; shares must be requested in order."""
        while number not in self._made and number not in self._lost and self._pipes:
            at_it = [pipe for pipe, at in self._pipes.items() if at == number]
            ready = at_it if at_it and self._held > AHEAD else wait(list(self._pipes))
            for pipe in ready:
                assert isinstance(pipe, Connection)
                self._receive_share(pipe)
        if number not in self._made:
            return self._make(number)
        made = self._made.pop(number)
        self._held -= len(made)
        return made

    def _receive_share(self, pipe: Connection) -> None:
        """Receive the output of a process: the number of a share, then the share."""
        try:
            said = pipe.recv_bytes()
        except (EOFError, OSError):
            self._lost.add(self._pipes.pop(pipe))
            pipe.close()
            return
        if self._pipes[pipe] < 0:
            (self._pipes[pipe],) = _NUMBER.unpack(said)
        else:
            self._made[self._pipes[pipe]] = said
            self._held += len(said)
            self._pipes[pipe] = -1

    def stop(self) -> None:
        """End all processes."""
        for pipe in self._pipes:
            pipe.close()
        for each in self._ids:
            os.kill(each, signal.SIGKILL)
            os.waitpid(each, 0)


def _widen_pipe(pipe: int) -> None:
    try:
        fcntl.fcntl(pipe, fcntl.F_SETPIPE_SZ, A_PIPE)
    except (AttributeError, OSError):
        # Then the pipe holds less, and its process waits more often.
        pass


def _serve_shares(make: Make, numbers: int, speak: int, inherited: Sequence[int]) -> None:
    """Make shares until none are left or the reader is gone; then exit immediately.

    Inherited descriptors are closed: as long as any process holds the other end of a pipe, the end
    of the process there goes unnoticed.
    """
    try:
        signal.signal(signal.SIGTERM, signal.SIG_DFL)
        signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGTERM})
        for each in inherited:
            os.close(each)
        pipe = Connection(speak, readable=False)
        while taken := os.read(numbers, _NUMBER.size):
            pipe.send_bytes(taken)
            pipe.send_bytes(make(*_NUMBER.unpack(taken)))
    except BaseException:
        # The parent process makes the share itself, and gets the error.
        pass
    finally:
        os._exit(0)
