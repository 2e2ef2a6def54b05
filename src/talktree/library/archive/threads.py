"""Threads that hash and compress while the rest goes on; small work is done at once."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Generic, ParamSpec, Protocol, TypeVar

if TYPE_CHECKING:
    from concurrent.futures import ThreadPoolExecutor

Result = TypeVar("Result")
Result_co = TypeVar("Result_co", covariant=True)
Given = ParamSpec("Given")

SMALL = 32 << 10
"""Work on fewer bytes than this is not worth a thread."""


class PendingResult(Protocol[Result_co]):
    """Something that is being made."""

    def done(self) -> bool:
        """Whether it is there."""

    def result(self) -> Result_co:
        """It, as soon as it is there."""


class ReadyResult(Generic[Result]):
    """Something that is there already."""

    def __init__(self, value: Result) -> None:
        self._value = value

    def done(self) -> bool:
        """Whether it is there: it is."""
        return True

    def result(self) -> Result:
        """The thing itself."""
        return self._value


class ThreadPool:
    """So many threads; they begin when they are first needed.

    Work is taken up in the order in which it was given, so that work may wait for what was given
    before it.
    """

    def __init__(self, threads: int) -> None:
        self._threads = threads
        self._pool: ThreadPoolExecutor | None = None

    def submit(
        self, size: int, work: Callable[Given, Result], *args: Given.args, **named: Given.kwargs
    ) -> PendingResult[Result]:
        """Have work done on so many bytes."""
        if size < SMALL or not self._threads:
            return ReadyResult(work(*args, **named))
        if self._pool is None:
            from concurrent.futures import ThreadPoolExecutor

            self._pool = ThreadPoolExecutor(self._threads, thread_name_prefix="archive")
        return self._pool.submit(work, *args, **named)

    def close(self) -> None:
        """Let the threads end; what nobody began is dropped."""
        if self._pool is not None:
            self._pool.shutdown(cancel_futures=True)
            self._pool = None
