"""The same verbs with asyncio: nothing that was started is lost when a task is cancelled."""

from __future__ import annotations

import asyncio
import json
import threading
from collections.abc import Coroutine
from pathlib import Path
from typing import Any

import pytest

from talktree import api
from talktree.session import AsyncSession, AsyncStore, Session
from talktree.session.aio import run_in_thread


def run(work: Coroutine[Any, Any, None]) -> None:
    asyncio.run(work)


async def made(root: Path) -> AsyncSession:
    return await AsyncStore(root / ".sage").create(workspace=root, durability="fast")


def lines(session: AsyncSession) -> list[dict[str, Any]]:
    path = session.session.store.root / "sessions" / session.id / "messages.jsonl"
    return [json.loads(line) for line in path.read_bytes().splitlines()]


def test_all_verbs_are_there(tmp_path: Path) -> None:
    async def work() -> None:
        async with await made(tmp_path) as session:
            first = await session.user("Hi", todos=["a"])
            await session.assistant("Hello", calls=[{"id": "c", "name": "edit"}])
            async with session.step(paths=["a.txt"]) as step:
                await step.track("b.txt")
                (tmp_path / "a.txt").write_text("a")
                (tmp_path / "b.txt").write_text("b")
            await session.results({"call": "c", "output": "ok"})
            side = session.sidechain()
            await side.user("beside")
            async with await session.child(agent="helper") as child:
                await child.user("Help")
            assert [each.session for each in await session.children()] == [child.id]
            await session.record_compaction("all")
            assert len(await session.context_messages()) == 1
            undo = await session.undo(to=first)
            outcome = await undo.apply((await undo.plan()).digest)
            assert outcome.exit_code == 0
            assert not (tmp_path / "a.txt").exists()
            redo = await session.redo()
            await redo.apply((await redo.plan()).digest)
            assert (tmp_path / "b.txt").read_text() == "b"
            await session.name("end")
            assert (await session.message("end")).id
        again = await AsyncStore(tmp_path / ".sage").open(session.id)
        assert again.leaf
        await again.close()
        assert [each.code for each in api.check(tmp_path / ".sage").findings] == []

    run(work())


def test_every_verb_of_a_session_has_its_awaited_twin() -> None:
    own = {
        "begin", "context_now", "current_todos", "log", "opened", "notices",
    }  # fmt: skip
    verbs = {name for name in dir(Session) if not name.startswith("_")}
    assert verbs - own <= set(dir(AsyncSession))


def test_a_cancelled_task_waits_until_its_message_is_saved(tmp_path: Path) -> None:
    entered, go = threading.Event(), threading.Event()

    async def work() -> None:
        session = await made(tmp_path)
        await session.user("first")

        def slow() -> str:
            entered.set()
            go.wait(10)
            return session.session.user("second")

        task = asyncio.create_task(run_in_thread(slow))
        await asyncio.to_thread(entered.wait, 10)
        task.cancel()
        await asyncio.sleep(0)
        task.cancel()
        assert not task.done()
        go.set()
        with pytest.raises(asyncio.CancelledError):
            await task
        found = lines(session)
        assert [line["message"]["content"] for line in found] == ["first", "second"]
        assert session.leaf == found[-1]["uuid"]
        await session.close()

    run(work())


def test_a_cancelled_step_ends(tmp_path: Path) -> None:
    async def work() -> None:
        session = await made(tmp_path)
        await session.user("go")
        started = asyncio.Event()

        async def tool() -> None:
            async with session.step(paths=["a.txt"]):
                (tmp_path / "a.txt").write_text("half")
                started.set()
                await asyncio.sleep(60)

        task = asyncio.create_task(tool())
        await started.wait()
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        # The step is over: its folder is free, and what it left can be undone.
        undo = await session.undo()
        await undo.apply((await undo.plan()).digest)
        assert not (tmp_path / "a.txt").exists()
        await session.close()

    run(work())


def test_cancelled_at_any_moment_what_is_there_is_whole(tmp_path: Path) -> None:
    async def work() -> None:
        session = await made(tmp_path)
        saved: list[str] = []

        async def writer(number: int) -> None:
            for count in range(50):
                id = await session.user(f"{number} {count}")
                saved.append(id)

        tasks = [asyncio.create_task(writer(number)) for number in range(4)]
        while len(saved) < 20:
            await asyncio.sleep(0.001)
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        found = lines(session)
        assert set(saved) <= {line["uuid"] for line in found}
        assert [line["parentUuid"] for line in found[1:]] == [line["uuid"] for line in found[:-1]]
        await session.close()
        assert [each.code for each in api.check(tmp_path / ".sage").findings] == []

    run(work())
