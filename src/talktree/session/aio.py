"""The same verbs for asynchronous programs: each runs in a thread, and is awaited to its end.

A call that was begun is finished even if its task is cancelled: the cancellation arrives when the
message is saved and the handle stands behind it. With `anyio` installed (extra `async`) that holds
for its cancel scopes as well, and under any of its backends.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine, Iterable
from functools import partial
from importlib import import_module
from pathlib import Path
from typing import Any, Concatenate, ParamSpec, TypeVar

from talktree.session.capture.step import FilePath, Unprotected, Work
from talktree.session.erasure.report import Erasure
from talktree.session.journal.journal import Durability
from talktree.session.navigation import Journey
from talktree.session.recording.children import Sidechain
from talktree.session.session import Session
from talktree.session.store import Store
from talktree.session.undo.execute import Outcome
from talktree.session.undo.plan import Plan
from talktree.session.workspace import Parent

P = ParamSpec("P")
T = TypeVar("T")
Later = Coroutine[Any, Any, T]

try:
    _anyio: Any = import_module("anyio")
    import_module("anyio.lowlevel")
    import_module("anyio.to_thread")
except ImportError:
    _anyio = None


async def in_thread(work: Callable[[], T]) -> T:
    """Do something in a thread; a cancellation waits until it is done."""
    if _anyio is None:
        return await _by_asyncio(work)
    with _anyio.CancelScope(shield=True):
        # The shield holds off cancellations of anyio's own, but not those of asyncio's tasks.
        by_asyncio = _is_asyncio_task()
        done: T = await (_by_asyncio(work) if by_asyncio else _anyio.to_thread.run_sync(work))
    await _anyio.lowlevel.checkpoint_if_cancelled()
    return done


def _is_asyncio_task() -> bool:
    try:
        return asyncio.current_task() is not None
    except RuntimeError:
        return False


async def _by_asyncio(work: Callable[[], T]) -> T:
    running = asyncio.ensure_future(asyncio.to_thread(work))
    try:
        return await asyncio.shield(running)
    except asyncio.CancelledError:
        while not running.done():
            try:
                await asyncio.wait([running])
            except asyncio.CancelledError:
                continue
        raise


def _later(
    verb: Callable[Concatenate[Session, P], T],
) -> Callable[Concatenate[AsyncSession, P], Later[T]]:
    async def run(self: AsyncSession, /, *given: P.args, **named: P.kwargs) -> T:
        return await in_thread(partial(verb, self.session, *given, **named))

    run.__name__, run.__doc__ = verb.__name__, verb.__doc__
    return run


def _beside(
    verb: Callable[Concatenate[Sidechain, P], T],
) -> Callable[Concatenate[AsyncSidechain, P], Later[T]]:
    async def run(self: AsyncSidechain, /, *given: P.args, **named: P.kwargs) -> T:
        return await in_thread(partial(verb, self.line, *given, **named))

    run.__name__, run.__doc__ = verb.__name__, verb.__doc__
    return run


def _moving(
    verb: Callable[Concatenate[Session, P], Journey],
) -> Callable[Concatenate[AsyncSession, P], Later[AsyncJourney]]:
    async def run(self: AsyncSession, /, *given: P.args, **named: P.kwargs) -> AsyncJourney:
        return AsyncJourney(await in_thread(partial(verb, self.session, *given, **named)))

    run.__name__, run.__doc__ = verb.__name__, verb.__doc__
    return run


class AsyncStore:
    """A store whose sessions are awaited."""

    def __init__(self, root: Path | str = ".sage", *, agent: str | None = None) -> None:
        self.store = Store(root, agent=agent)

    async def create(
        self,
        *,
        title: str | None = None,
        workspace: Path | str | None = None,
        durability: Durability | None = None,
        parent: Parent | None = None,
        id: str | None = None,
    ) -> AsyncSession:
        """A new session."""
        work = partial(
            self.store.create,
            title=title,
            workspace=workspace,
            durability=durability,
            parent=parent,
            id=id,
        )
        return AsyncSession(await in_thread(work))

    async def open(
        self,
        id: str | None = None,
        *,
        workspace: Path | str | None = None,
        durability: Durability | None = None,
        write: bool = True,
    ) -> AsyncSession:
        """A session by its id or the beginning of it; without one, the newest."""
        work = partial(self.store.open, id, workspace=workspace, durability=durability, write=write)
        return AsyncSession(await in_thread(work))

    async def forget(
        self,
        id: str,
        *,
        messages: Iterable[str] = (),
        paths: Iterable[FilePath] = (),
        dry_run: bool = True,
    ) -> Erasure:
        """Erase a whole session, or only some of its messages and the history of some files."""
        work = partial(self.store.forget, id, messages=messages, paths=paths, dry_run=dry_run)
        return await in_thread(work)


class AsyncStep:
    """A step as an asynchronous context."""

    def __init__(self, make: Callable[[], Work]) -> None:
        self._make = make
        self.step: Work | None = None

    async def __aenter__(self) -> AsyncStep:
        try:
            await in_thread(self._enter)
        except BaseException:
            # Cancelled after it had begun: nobody else would end it.
            if self.step is not None:
                await in_thread(partial(self.step.__exit__, None, None, None))
            raise
        return self

    def _enter(self) -> None:
        self.step = self._make().__enter__()

    async def __aexit__(self, *error: Any) -> None:  # noqa: ANN401
        assert self.step is not None
        await in_thread(partial(self.step.__exit__, *error))

    async def track(self, *paths: FilePath) -> None:
        """Keep what is at more paths, before the tool writes there."""
        assert self.step is not None
        await in_thread(partial(self.step.track, *paths))


class AsyncJourney:
    """A move of a session that is awaited."""

    def __init__(self, journey: Journey) -> None:
        self.journey = journey

    async def plan(self) -> Plan:
        """Everything that would happen; nothing does."""
        return await in_thread(self.journey.plan)

    async def apply(self, digest: str | None = None) -> Outcome:
        """Make the move, if the plan is still the one with this digest, or that was seen last."""
        return await in_thread(partial(self.journey.apply, digest))


class AsyncSidechain:
    """A line beside the main one."""

    def __init__(self, line: Sidechain) -> None:
        self.line = line

    user = _beside(Sidechain.user)
    assistant = _beside(Sidechain.assistant)
    results = _beside(Sidechain.results)
    system = _beside(Sidechain.system)
    error = _beside(Sidechain.error)


class AsyncSession:
    """A session whose verbs are awaited; `session` is the one that does the work."""

    def __init__(self, session: Session) -> None:
        self.session = session

    @property
    def id(self) -> str:
        """The id of the session."""
        return self.session.id

    @property
    def store(self) -> Store:
        """The store it is in."""
        return self.session.store

    @property
    def leaf(self) -> str | None:
        """The message this handle continues from."""
        return self.session.leaf

    user = _later(Session.user)
    assistant = _later(Session.assistant)
    results = _later(Session.results)
    system = _later(Session.system)
    summary = _later(Session.summary)
    error = _later(Session.error)
    title = _later(Session.title)
    todos = _later(Session.todos)
    refresh = _later(Session.refresh)
    unanswered = _later(Session.unanswered)
    thinking = _later(Session.thinking)
    message = _later(Session.message)
    full_messages = _later(Session.full_messages)
    context_messages = _later(Session.context_messages)
    todos_at = _later(Session.todos_at)
    todo_progress = _later(Session.todo_progress)
    differences = _later(Session.differences)
    branches = _later(Session.branches)
    name = _later(Session.name)
    unname = _later(Session.unname)
    edit = _later(Session.edit)
    children = _later(Session.children)
    compacting = _later(Session.compacting)
    compacted = _later(Session.compacted)
    restoring = _later(Session.restoring)
    restored = _later(Session.restored)
    close = _later(Session.close)
    fork = _later(Session.fork)
    diff = _later(Session.diff)
    moves_since_reply = _later(Session.moves_since_reply)
    check = _later(Session.check)
    gc = _later(Session.gc)
    usage = _later(Session.usage)
    restore_into = _later(Session.restore_into)
    undo = _moving(Session.undo)
    redo = _moving(Session.redo)
    restore = _moving(Session.restore)
    revert = _moving(Session.revert)
    switch = _moving(Session.switch)

    def step(
        self,
        message: str | None = None,
        *,
        paths: Iterable[FilePath] = (),
        watch: Iterable[FilePath] = (),
        unprotected: Unprotected = "refuse",
    ) -> AsyncStep:
        """The time in which a tool works for a message; use it with `async with`."""
        make = partial(
            self.session.step, message, paths=paths, watch=watch, unprotected=unprotected
        )
        return AsyncStep(make)

    def sidechain(self, at: str | None = None) -> AsyncSidechain:
        """A line beside the main one."""
        return AsyncSidechain(self.session.sidechain(at))

    async def child(
        self,
        message: str | None = None,
        *,
        title: str | None = None,
        agent: str | None = None,
        workspace: Path | str | None = None,
    ) -> AsyncSession:
        """A session of its own for a sub-agent, linked with this one both ways."""
        work = partial(self.session.child, message, title=title, agent=agent, workspace=workspace)
        return AsyncSession(await in_thread(work))

    async def __aenter__(self) -> AsyncSession:
        return self

    async def __aexit__(self, *_: object) -> None:
        await in_thread(self.session.close)
