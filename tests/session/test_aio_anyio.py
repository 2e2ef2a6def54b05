"""The async verbs in programs that use anyio: its cancel scopes wait as asyncio's tasks do."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Awaitable, Callable
from importlib.util import find_spec
from pathlib import Path

import anyio
import anyio.to_thread
import pytest

from talktree.session import aio
from talktree.session.aio import run_in_thread
from tests.session.test_aio import lines, made

Run = Callable[[Callable[[], Awaitable[None]]], None]
BACKENDS = ["asyncio", *(["trio"] if find_spec("trio") else [])]


@pytest.fixture(params=BACKENDS)
def run(request: pytest.FixtureRequest) -> Run:
    return lambda work: anyio.run(work, backend=request.param)


def test_a_session_is_recorded_and_undone(tmp_path: Path, run: Run) -> None:
    async def work() -> None:
        async with await made(tmp_path) as session:
            await session.user("Hi")
            async with session.step(paths=["a.txt"]):
                (tmp_path / "a.txt").write_text("a")
            undo = await session.undo()
            assert (await undo.apply((await undo.plan()).digest)).exit_code == 0
            assert not (tmp_path / "a.txt").exists()

    run(work)


def test_a_cancelled_scope_waits_until_its_message_is_saved(tmp_path: Path, run: Run) -> None:
    entered, go = threading.Event(), threading.Event()

    async def work() -> None:
        session = await made(tmp_path)
        await session.user("first")
        ended = []

        def slow() -> str:
            entered.set()
            go.wait(10)
            return session.session.user("second")

        async def saying() -> None:
            try:
                await run_in_thread(slow)
                ended.append("returned")
            except anyio.get_cancelled_exc_class():
                ended.append("cancelled")
                raise

        async with anyio.create_task_group() as group:
            group.start_soon(saying)
            await anyio.to_thread.run_sync(entered.wait)
            group.cancel_scope.cancel()
            with anyio.CancelScope(shield=True):
                await anyio.sleep(0.01)
            assert ended == []
            go.set()
        assert ended == ["cancelled"]
        assert [line["message"]["content"] for line in lines(session)] == ["first", "second"]
        assert session.leaf == lines(session)[-1]["uuid"]
        await session.close()

    run(work)


def test_a_step_ends_when_its_time_is_up(tmp_path: Path, run: Run) -> None:
    async def work() -> None:
        session = await made(tmp_path)
        await session.user("go")
        with anyio.move_on_after(0.05) as scope:
            async with session.step(paths=["a.txt"]):
                (tmp_path / "a.txt").write_text("half")
                await anyio.sleep(60)
        assert scope.cancelled_caught
        undo = await session.undo()
        await undo.apply((await undo.plan()).digest)
        assert not (tmp_path / "a.txt").exists()
        await session.close()

    run(work)


def test_an_error_is_reported_through_the_shield(tmp_path: Path, run: Run) -> None:
    async def work() -> None:
        def failing() -> None:
            raise ValueError("told")

        with pytest.raises(ValueError, match="told"):
            await run_in_thread(failing)

    run(work)


def test_without_anyio_a_cancelled_task_waits_too(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(aio, "_anyio", None)
    entered, go, done = threading.Event(), threading.Event(), []

    def slow() -> None:
        entered.set()
        go.wait(10)
        done.append(True)

    async def work() -> None:
        task = asyncio.create_task(run_in_thread(slow))
        await asyncio.to_thread(entered.wait, 10)
        task.cancel()
        await asyncio.sleep(0)
        assert not task.done()
        go.set()
        with pytest.raises(asyncio.CancelledError):
            await task
        assert done

    asyncio.run(work())
