"""A thread pool for hashing and compressing; small work is done immediately."""

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
    """A result that may not be ready yet."""

    def done(self) -> bool:
        """Whether it is ready."""

    def result(self) -> Result_co:
        """Return the result, waiting until it is ready."""


class ReadyResult(Generic[Result]):
    """A result that is ready."""

    def __init__(self, value: Result) -> None:
        self._value = value

    def done(self) -> bool:
        """Always true."""
        return True

    def result(self) -> Result:
        """Return the result."""
        return self._value


class ThreadPool:
    """A fixed number of threads, started when first needed.

    Work starts in the order in which it was submitted, so it may wait for work submitted before it.
    """

    def __init__(self, threads: int) -> None:
        self._threads = threads
        self._pool: ThreadPoolExecutor | None = None

    def submit(
        self, size: int, work: Callable[Given, Result], *args: Given.args, **named: Given.kwargs
    ) -> PendingResult[Result]:
        """Run a function, in a thread if it works on enough bytes."""
        if size < SMALL or not self._threads:
            return ReadyResult(work(*args, **named))
        if self._pool is None:
            from concurrent.futures import ThreadPoolExecutor

            self._pool = ThreadPoolExecutor(self._threads, thread_name_prefix="archive")
        return self._pool.submit(work, *args, **named)

    def close(self) -> None:
        """Stop the threads; work that has not started is dropped."""
        if self._pool is not None:
            self._pool.shutdown(cancel_futures=True)
            self._pool = None
