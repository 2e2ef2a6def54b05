"""One long work cut into shares, made in several processes and given in their order.

The processes begin as copies of this one, so they have all that is known already. A share whose
process is gone is made here instead; if that cannot be done, the error tells why.
"""

from __future__ import annotations

import fcntl
import os
import signal
import struct
from collections.abc import Callable, Generator, Sequence
from multiprocessing.connection import Connection, wait

Make = Callable[[int], bytes]
"""Gives the share with a number."""
AHEAD = 32 << 20
"""How many bytes are held of shares that are not next yet."""
A_PIPE = 1 << 20
"""How much a process may have said before anybody listens, where the system lets us choose."""
_NUMBER = struct.Struct("<I")


def map_in_order(make: Make, count: int, processes: int) -> Generator[bytes, None, None]:
    """All shares in order; there may be some thousands, for their numbers lie ready in a pipe."""
    pool = _OrderedPool(make, count)
    try:
        pool.start(processes)
        for number in range(count):
            yield pool.take_share(number)
    finally:
        pool.stop()


class _OrderedPool:
    """The processes, and what they have said so far."""

    def __init__(self, make: Make, count: int) -> None:
        self._make = make
        self._count = count
        self._pipes: dict[Connection, int] = {}
        """Those who still speak, each with the share it is at."""
        self._ids: list[int] = []
        self._made: dict[int, bytes] = {}
        self._held = 0
        self._lost: set[int] = set()
        """Shares whose process is gone."""

    def start(self, processes: int) -> None:
        """Let so many processes begin; each takes the next number when it is done with one."""
        numbers, ready = os.pipe()
        with os.fdopen(ready, "wb") as queue:
            queue.write(b"".join(map(_NUMBER.pack, range(self._count))))
        try:
            for _ in range(processes):
                self._start_process(numbers)
        except OSError:
            # No room for further processes: those there are do it, or this one alone.
            pass
        finally:
            os.close(numbers)

    def _start_process(self, numbers: int) -> None:
        hear, speak = os.pipe()
        _widen_pipe(hear)
        # Ctrl-C reaches all processes of a terminal, but only the first one shall act on it.
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
        """The share with a number; those before it were asked for."""
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
        """Take in what a process says: the number of a share, then the share."""
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
        """Let all processes end; they leave nothing behind."""
        for pipe in self._pipes:
            pipe.close()
        for each in self._ids:
            os.kill(each, signal.SIGKILL)
            os.waitpid(each, 0)


def _widen_pipe(pipe: int) -> None:
    try:
        fcntl.fcntl(pipe, fcntl.F_SETPIPE_SZ, A_PIPE)
    except (AttributeError, OSError):
        # Then it holds less, and its process waits a little more.
        pass


def _serve_shares(make: Make, numbers: int, speak: int, inherited: Sequence[int]) -> None:
    """Make shares until there are none left or nobody wants them; then end at once.

    What was inherited is closed: while anybody holds the other end of a pipe, nobody can see that
    the process at that end is gone.
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
        # Whoever waits for the share makes it, and meets what went wrong here.
        pass
    finally:
        os._exit(0)
