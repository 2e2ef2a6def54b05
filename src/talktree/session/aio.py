"""Asynchronous versions of the verbs: each runs in a thread and is awaited until it ends.

A call that was begun is finished even if its task is cancelled: the cancellation arrives when the
message is saved and the handle continues after it. With `anyio` installed (extra `async`) that
holds for its cancel scopes as well, and for all of its backends.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine, Iterable
from functools import partial
from importlib import import_module
from pathlib import Path
from typing import Any, Concatenate, ParamSpec, TypeVar

from talktree.session.capture.step import FilePath, SessionStep, Unprotected
from talktree.session.erasure.report import SessionErasure
from talktree.session.journal.journal import Durability
from talktree.session.navigation import Navigation
from talktree.session.recording.children import Sidechain
from talktree.session.session import Session
from talktree.session.store import Store
from talktree.session.undo.execute import UndoResult
from talktree.session.undo.plan import UndoPlan
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


async def run_in_thread(work: Callable[[], T]) -> T:
    """Run a function in a thread; a cancellation waits until it is done."""
    if _anyio is None:
        return await _run_with_asyncio(work)
    with _anyio.CancelScope(shield=True):
        # The shield holds off anyio's own cancellations, but not those of asyncio's tasks.
        by_asyncio = _is_asyncio_task()
        done: T = await (_run_with_asyncio(work) if by_asyncio else _anyio.to_thread.run_sync(work))
    await _anyio.lowlevel.checkpoint_if_cancelled()
    return done


def _is_asyncio_task() -> bool:
    try:
        return asyncio.current_task() is not None
    except RuntimeError:
        return False


async def _run_with_asyncio(work: Callable[[], T]) -> T:
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


def _wrap_session_method(
    verb: Callable[Concatenate[Session, P], T],
) -> Callable[Concatenate[AsyncSession, P], Later[T]]:
    async def run(self: AsyncSession, /, *given: P.args, **named: P.kwargs) -> T:
        return await run_in_thread(partial(verb, self.session, *given, **named))

    run.__name__, run.__doc__ = verb.__name__, verb.__doc__
    return run


def _wrap_sidechain_method(
    verb: Callable[Concatenate[Sidechain, P], T],
) -> Callable[Concatenate[AsyncSidechain, P], Later[T]]:
    async def run(self: AsyncSidechain, /, *given: P.args, **named: P.kwargs) -> T:
        return await run_in_thread(partial(verb, self.line, *given, **named))

    run.__name__, run.__doc__ = verb.__name__, verb.__doc__
    return run


def _wrap_move_method(
    verb: Callable[Concatenate[Session, P], Navigation],
) -> Callable[Concatenate[AsyncSession, P], Later[AsyncNavigation]]:
    async def run(self: AsyncSession, /, *given: P.args, **named: P.kwargs) -> AsyncNavigation:
        return AsyncNavigation(await run_in_thread(partial(verb, self.session, *given, **named)))

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
        """Create a session."""
        work = partial(
            self.store.create,
            title=title,
            workspace=workspace,
            durability=durability,
            parent=parent,
            id=id,
        )
        return AsyncSession(await run_in_thread(work))

    async def open(
        self,
        id: str | None = None,
        *,
        workspace: Path | str | None = None,
        durability: Durability | None = None,
        write: bool = True,
    ) -> AsyncSession:
        """Open a session by its id or the beginning of it, or the newest one without an id."""
        work = partial(self.store.open, id, workspace=workspace, durability=durability, write=write)
        return AsyncSession(await run_in_thread(work))

    async def forget(
        self,
        id: str,
        *,
        messages: Iterable[str] = (),
        paths: Iterable[FilePath] = (),
        dry_run: bool = True,
    ) -> SessionErasure:
        """Erase a whole session, or only some of its messages and the history of some files."""
        work = partial(self.store.forget, id, messages=messages, paths=paths, dry_run=dry_run)
        return await run_in_thread(work)


class AsyncStep:
    """An asynchronous context manager for a step."""

    def __init__(self, make: Callable[[], SessionStep]) -> None:
        self._make = make
        self.step: SessionStep | None = None

    async def __aenter__(self) -> AsyncStep:
        try:
            await run_in_thread(self._enter)
        except BaseException:
            # Cancelled after it had begun: it must be ended here.
            if self.step is not None:
                await run_in_thread(partial(self.step.__exit__, None, None, None))
            raise
        return self

    def _enter(self) -> None:
        self.step = self._make().__enter__()

    async def __aexit__(self, *error: Any) -> None:  # noqa: ANN401
        assert self.step is not None
        await run_in_thread(partial(self.step.__exit__, *error))

    async def track(self, *paths: FilePath) -> None:
        """Save the contents of more paths, before the tool writes there."""
        assert self.step is not None
        await run_in_thread(partial(self.step.track, *paths))


class AsyncNavigation:
    """An awaited move of a session."""

    def __init__(self, journey: Navigation) -> None:
        self.journey = journey

    async def plan(self) -> UndoPlan:
        """Return the plan without making the move."""
        return await run_in_thread(self.journey.plan)

    async def apply(self, digest: str | None = None) -> UndoResult:
        """Make the move, if the plan still has this digest, or that of the last returned plan."""
        return await run_in_thread(partial(self.journey.apply, digest))


class AsyncSidechain:
    """A line of messages beside the main one."""

    def __init__(self, line: Sidechain) -> None:
        self.line = line

    user = _wrap_sidechain_method(Sidechain.user)
    assistant = _wrap_sidechain_method(Sidechain.assistant)
    results = _wrap_sidechain_method(Sidechain.results)
    system = _wrap_sidechain_method(Sidechain.system)
    error = _wrap_sidechain_method(Sidechain.error)


class AsyncSession:
    """An asynchronous session; `session` is the synchronous one that does the work."""

    def __init__(self, session: Session) -> None:
        self.session = session

    @property
    def id(self) -> str:
        """The id of the session."""
        return self.session.id

    @property
    def store(self) -> Store:
        """The store that the session is in."""
        return self.session.store

    @property
    def leaf(self) -> str | None:
        """The message that this handle continues from."""
        return self.session.leaf

    user = _wrap_session_method(Session.user)
    assistant = _wrap_session_method(Session.assistant)
    results = _wrap_session_method(Session.results)
    system = _wrap_session_method(Session.system)
    summary = _wrap_session_method(Session.summary)
    error = _wrap_session_method(Session.error)
    title = _wrap_session_method(Session.title)
    todos = _wrap_session_method(Session.todos)
    refresh = _wrap_session_method(Session.refresh)
    find_unanswered = _wrap_session_method(Session.find_unanswered)
    thinking = _wrap_session_method(Session.thinking)
    message = _wrap_session_method(Session.message)
    full_messages = _wrap_session_method(Session.full_messages)
    context_messages = _wrap_session_method(Session.context_messages)
    todos_at = _wrap_session_method(Session.todos_at)
    todo_progress = _wrap_session_method(Session.todo_progress)
    differences = _wrap_session_method(Session.differences)
    branches = _wrap_session_method(Session.branches)
    name = _wrap_session_method(Session.name)
    unname = _wrap_session_method(Session.unname)
    edit = _wrap_session_method(Session.edit)
    children = _wrap_session_method(Session.children)
    record_compaction_start = _wrap_session_method(Session.record_compaction_start)
    record_compaction = _wrap_session_method(Session.record_compaction)
    record_restoration_start = _wrap_session_method(Session.record_restoration_start)
    record_restoration = _wrap_session_method(Session.record_restoration)
    close = _wrap_session_method(Session.close)
    fork = _wrap_session_method(Session.fork)
    diff = _wrap_session_method(Session.diff)
    moves_since_reply = _wrap_session_method(Session.moves_since_reply)
    check = _wrap_session_method(Session.check)
    gc = _wrap_session_method(Session.gc)
    usage = _wrap_session_method(Session.usage)
    restore_into = _wrap_session_method(Session.restore_into)
    undo = _wrap_move_method(Session.undo)
    redo = _wrap_move_method(Session.redo)
    restore = _wrap_move_method(Session.restore)
    revert = _wrap_move_method(Session.revert)
    switch = _wrap_move_method(Session.switch)

    def step(
        self,
        message: str | None = None,
        *,
        paths: Iterable[FilePath] = (),
        watch: Iterable[FilePath] = (),
        unprotected: Unprotected = "refuse",
    ) -> AsyncStep:
        """Return a step for a tool that works for a message; use it with `async with`."""
        make = partial(
            self.session.step, message, paths=paths, watch=watch, unprotected=unprotected
        )
        return AsyncStep(make)

    def sidechain(self, at: str | None = None) -> AsyncSidechain:
        """Return a line of messages beside the main one."""
        return AsyncSidechain(self.session.sidechain(at))

    async def child(
        self,
        message: str | None = None,
        *,
        title: str | None = None,
        agent: str | None = None,
        workspace: Path | str | None = None,
    ) -> AsyncSession:
        """Create a session for a sub-agent; both sessions name each other."""
        work = partial(self.session.child, message, title=title, agent=agent, workspace=workspace)
        return AsyncSession(await run_in_thread(work))

    async def __aenter__(self) -> AsyncSession:
        return self

    async def __aexit__(self, *_: object) -> None:
        await run_in_thread(self.session.close)
