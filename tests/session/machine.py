"""Random operations on a session and its files in any order, and the laws of moving.

The model is small: an independent walk of the whole tree before and after each move shows whether
the laws hold. Moves are also made in a process that is killed before a random system call; the next
process that opens the session must complete or revert them.
"""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from hashlib import sha256
from pathlib import Path
from typing import Any
from uuid import uuid4

from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from talktree.errors import NotUndoable
from talktree.session.capture.blobs import PIECE, WHOLE
from talktree.session.capture.file_state import FileContentState
from talktree.session.capture.step import CaptureStep
from talktree.session.handle import SessionHandle
from talktree.session.undo import commands
from talktree.session.undo.commands import UndoMove
from talktree.session.undo.execute import UndoResult
from talktree.session.undo.move_records import ALL, Scope
from talktree.session.undo.move_records import parse_moves as known_moves
from talktree.session.undo.plan import Choice, UndoPlan
from talktree.session.undo.recover import recover_session
from talktree.session.undo.target_folder import TEMPORARY
from tests.session.killed import killed_at
from tests.session.trees import (
    EMPTY,
    NAMES,
    EditAction,
    Thing,
    differences,
    do,
    modes,
    session,
    thing_of,
    walked,
)

FAST = "/dev/shm" if os.path.isdir("/dev/shm") else None
"""A folder where syncing costs nothing; nothing here is about the disk."""
STORE = (b".sage",)
Tree = dict[bytes, Thing]
answers = st.sampled_from(["none", "force", "keep", "theirs", "both", "merge"])
scopes = st.sets(st.sampled_from(ALL), min_size=1).map(
    lambda some: tuple(scope for scope in ALL if scope in some)
)
number = st.integers(0, 1000)
# Few names, so that much happens to the same paths.
paths = st.lists(st.sampled_from([*NAMES[:2], NAMES[4]]), min_size=1, max_size=2).map(b"/".join)
texts = st.lists(st.sampled_from([b"one\n", b"two\n", b"three\r\n", b"4"]), max_size=4).map(
    b"".join
)
large = st.integers(0, 3).map(lambda seed: bytes([seed]) * ((8 << 20) + seed))
bodies = st.one_of(*[texts] * 8, *[st.binary(max_size=9)] * 8, large)
targets = st.sampled_from([b"a", b"../x", b"/etc/passwd", b"\xff"])
nothing = st.just(b"")
edits = st.one_of(
    *[st.tuples(st.just("write"), paths, bodies)] * 3,
    st.tuples(st.just("append"), paths, texts),
    st.tuples(st.just("mkdir"), paths, nothing),
    *[st.tuples(st.just("remove"), paths, nothing)] * 2,
    st.tuples(st.just("rename"), paths, paths),
    st.tuples(st.just("link"), paths, targets),
    st.tuples(st.just("hard link"), paths, paths),
    st.tuples(st.just("chmod"), paths, modes),
    st.tuples(st.just("same size"), paths, nothing),
)


def line_of(id: str, parent: str | None, kind: str) -> bytes:
    """Return a message that is as short as possible."""
    named = b"null" if parent is None else b'"%s"' % parent.encode()
    text = b'{"type":"%s","uuid":"%s","parentUuid":%s,"message":{"role":"user","content":"x"}}'
    return text % (kind.encode(), id.encode(), named)


class Moving(RuleBasedStateMachine):
    """A session at work, its user, another session, and kills."""

    def __init__(self) -> None:
        super().__init__()
        self.held = ExitStack()
        self.top = Path(tempfile.mkdtemp(dir=FAST))
        self.work = self.top / "work"
        self.work.mkdir()
        self.messages: list[str] = []
        self.users: dict[bytes, set[bytes]] = {}
        """Contents that only the user has put at a path."""
        self.lefts: dict[bytes, set[bytes]] = {}
        """Contents that a step of the session has left at a path."""

    @initialize()
    def begin(self) -> None:
        self.opened: SessionHandle = self.held.enter_context(session(self.top))
        self.other: SessionHandle = self.held.enter_context(session(self.top, id="other"))
        self.say("user")

    def teardown(self) -> None:
        self.held.close()
        shutil.rmtree(self.top)

    def tree(self) -> Tree:
        return walked(self.work, STORE)

    # steps and edits

    def say(self, kind: str, parent: str | None = None) -> str:
        id = str(uuid4())
        leaf = self.opened.index.leaf()
        above = parent if parent is not None else None if leaf is None else leaf.id
        self.opened.journal.append("messages", line_of(id, above, kind))
        self.messages.append(id)
        return id

    @rule()
    def prompt(self) -> None:
        self.say("user")

    @rule(at=number)
    def fork(self, at: int) -> None:
        self.say("user", self.messages[at % len(self.messages)])

    @rule(done=st.lists(edits, min_size=1, max_size=4), named=st.booleans())
    def step(self, done: list[EditAction], named: bool) -> None:
        owner = self.say("assistant")
        paths = [edit[1] for edit in done]
        if named:
            done = [edit for edit in done if edit[0] in ("write", "append", "remove")]
        watch = [] if named else [b"."]
        with (
            self.as_its_own_work(),
            CaptureStep(self.opened, owner, paths if named else (), watch, "mark"),
        ):
            for edit in done:
                do(self.work, edit)

    @contextmanager
    def as_its_own_work(self) -> Iterator[None]:
        """Record what changes meanwhile as left by the session."""
        before = self.tree()
        try:
            yield
        finally:
            for path, (_, after) in differences(before, self.tree()).items():
                self.lefts.setdefault(path, set()).add(bytes_in(after))

    @rule(edit=edits)
    def outside(self, edit: EditAction) -> None:
        self.by_others(lambda: do(self.work, edit))

    @rule(verb=st.sampled_from(["write", "append", "remove"]), body=texts, at=number)
    def outside_on_its_work(self, verb: str, body: bytes, at: int) -> None:
        """Change as the user a file that the session has left."""
        paths = sorted(self.lefts)
        if paths:
            edit = (verb, paths[at % len(paths)], body + b"by the user\n")
            self.by_others(lambda: do(self.work, edit))

    @rule(done=st.lists(edits, min_size=1, max_size=3))
    def other_session(self, done: list[EditAction]) -> None:
        id = str(uuid4())
        self.other.journal.append("messages", line_of(id, None, "assistant"))

        def work() -> None:
            with CaptureStep(self.other, id, (), [b"."], "mark"):
                for edit in done:
                    do(self.work, edit)

        self.by_others(work)

    def by_others(self, work: Callable[[], object]) -> None:
        before = self.tree()
        work()
        for path, (_, after) in differences(before, self.tree()).items():
            self.users.setdefault(path, set()).add(bytes_in(after))

    # moving

    @rule(answer=answers, turn=st.booleans(), some=scopes)
    def undo(self, answer: str, turn: bool, some: tuple[Scope, ...]) -> None:
        self.move(lambda **more: commands.undo(self.opened, turn=turn, scopes=some, **more), answer)

    @rule(answer=answers)
    def undo_plainly(self, answer: str) -> None:
        self.move(lambda **more: commands.undo(self.opened, **more), answer)

    @rule(answer=answers, at=number)
    def undo_files(self, answer: str, at: int) -> None:
        paths = sorted(self.lefts)
        if paths:
            one = [paths[at % len(paths)]]
            self.move(lambda **more: commands.undo(self.opened, paths=one, **more), answer)

    @rule(answer=answers)
    def undo_operation(self, answer: str) -> None:
        self.move(lambda **more: commands.undo(self.opened, operation="last", **more), answer)

    @rule(answer=answers)
    def redo(self, answer: str) -> None:
        self.move(lambda **more: commands.redo(self.opened, **more), answer)

    @rule(answer=answers, at=number, some=scopes)
    def restore(self, answer: str, at: int, some: tuple[Scope, ...]) -> None:
        goal = self.messages[at % len(self.messages)]
        self.move(lambda **more: commands.restore(self.opened, goal, scopes=some, **more), answer)

    @rule(answer=answers, at=number)
    def switch(self, answer: str, at: int) -> None:
        leaves = [node.id for node in self.opened.index.leaves()]
        goal = leaves[at % len(leaves)]
        self.move(lambda **more: commands.switch(self.opened, goal, **more), answer)

    @rule(answer=answers, at=number)
    def revert(self, answer: str, at: int) -> None:
        """Revert a step: this is work of the session, and can be undone like a step."""
        goal = self.messages[at % len(self.messages)]
        with self.as_its_own_work():
            self.move(lambda **more: commands.revert(self.opened, goal, **more), answer)

    @rule(answer=answers, some=st.sampled_from([ALL, ("files",), ("files", "todos")]))
    def undo_and_redo(self, answer: str, some: tuple[Scope, ...]) -> None:
        """Undo, then redo: everything must be as before."""
        before = self.tree()
        done = self.move(lambda **more: commands.undo(self.opened, scopes=some, **more), answer)
        if done is not None:
            again = self.move(lambda **more: commands.redo(self.opened, **more), "none")
            assert again is not None
            assert again.exit_code == 0, again.plan
            assert self.tree() == before

    @rule(call=st.integers(0, 45), answer=st.sampled_from(["none", "force", "both"]), at=number)
    def killed(self, call: int, answer: str, at: int) -> None:
        """Kill a move in the middle, and open the session again."""
        goal = self.messages[at % len(self.messages)]

        def made(opened: SessionHandle) -> UndoMove:
            first = commands.undo(opened) if at % 2 else commands.restore(opened, goal)
            more = self.answered(first, answer)
            return (
                commands.undo(opened, **more) if at % 2 else commands.restore(opened, goal, **more)
            )

        def work() -> None:
            with session(self.top) as opened:
                move = made(opened)
                move.apply(move.plan().digest)

        try:
            plan = made(self.opened).plan()
        except NotUndoable:
            return
        before = self.tree()
        if killed_at(call, work):
            reported = recover_session(self.opened)
            assert not any("could not" in each or "under way" in each for each in reported), (
                reported
            )
        self.check_killed(before, plan)

    @rule(done=st.lists(edits, min_size=1, max_size=5), call=st.integers(5, 60))
    def killed_in_the_undo_of_a_step(self, done: list[EditAction], call: int) -> None:
        self.step(done, False)
        self.killed(call, "none", 1)

    @rule(verb=st.sampled_from(["write", "append", "same size"]), body=texts, at=number)
    def undo_what_the_user_went_on_with(self, verb: str, body: bytes, at: int) -> None:
        """Never touch, unasked, the user's changes to a file that the session has just left."""
        before = self.tree()
        self.step([("write", b"a", body + b"by the session\n"), ("write", b"b", b"x")], False)
        left = [path for path in differences(before, self.tree()) if self.tree()[path][0] == "file"]
        if left:
            path = left[at % len(left)]
            self.by_others(lambda: do(self.work, (verb, path, body + b"by the user\n")))
            theirs = self.tree()[path]
            self.move(lambda **more: commands.undo(self.opened, **more), "none")
            assert self.tree().get(path) == theirs

    def check_killed(self, before: Tree, plan: UndoPlan) -> None:
        after = self.tree()
        kept = self.opened.contents
        assert all(move.state != "open" for move in known_moves(self.opened.index.operations()))
        doing = {action.path: action for action in plan.actions if action.has_effect}
        for path, (_, now) in differences(before, after).items():
            assert path in doing, path
            assert now == thing_of(doing[path].after, kept), path
        done = {path for path in doing if path in differences(before, after)}
        assert not done or done == set(doing), "neither wholly before nor wholly after"

    # the laws

    def answered(self, move: UndoMove, answer: str) -> dict[str, Any]:
        """Answer the conflicts of a plan as a user does."""
        if answer == "none":
            return {}
        if answer == "force":
            return {"force": True}
        choices: dict[bytes, Choice] = {
            action.path: answer for action in move.plan().conflicts if answer in action.choices
        }
        return {"resolutions": choices}

    def move(self, make: Callable[..., UndoMove], answer: str) -> UndoResult | None:
        """Plan, apply, and compare the whole tree."""
        try:
            move = make(**self.answered(make(), answer))
            plan = move.plan()
        except NotUndoable:
            return None
        before = self.tree()
        outcome = move.apply(plan.digest)
        self.check(before, plan, outcome, careful=answer in ("none", "keep"))
        return outcome

    def check(self, before: Tree, plan: UndoPlan, outcome: UndoResult, *, careful: bool) -> None:
        after = self.tree()
        kept = self.opened.contents
        changed = differences(before, after)
        doing = {action.path: action for action in plan.actions if action.has_effect}
        assert set(changed) <= set(doing), "a path outside of the plan has changed"
        assert outcome.exit_code == (1 if plan.left else 0), outcome
        for path, action in doing.items():
            assert outcome.fates[path] == "done"
            assert after.get(path, EMPTY) == thing_of(action.after, kept), path
        for was, _ in changed.values():
            if was[0] == "file":
                assert kept.find_problem(file_of(bytes_in(was))) is None
        # After files were restored alone, an undo of the conversation may redo steps.
        together = plan.from_.files == plan.from_.conversation
        if careful and plan.verb == "undo" and together and not self.takes_back(outcome):
            for path, (was, _) in changed.items():
                theirs = self.users.get(path, set()) - self.lefts.get(path, set())
                assert was[0] != "file" or bytes_in(was) not in theirs, f"the user's {path!r}"

    def takes_back(self, outcome: UndoResult) -> bool:
        found = {move.id: move for move in known_moves(self.opened.index.operations())}
        return outcome.move is not None and found[outcome.move].takes_back is not None

    @precondition(lambda self: hasattr(self, "opened"))
    @invariant()
    def nothing_temporary_is_left(self) -> None:
        names = {path.rpartition(b"/")[2] for path in self.tree()}
        assert not any(name.startswith(TEMPORARY) for name in names)


def file_of(data: bytes) -> FileContentState:
    """Return the state of a file with this content."""
    chunks: tuple[str, ...] = ()
    if len(data) > WHOLE:
        parts = (data[at : at + PIECE] for at in range(0, len(data), PIECE))
        chunks = tuple(sha256(part).hexdigest() for part in parts)
    return FileContentState(hash=sha256(data).hexdigest(), size=len(data), mode=0, chunks=chunks)


def bytes_in(thing: Thing) -> bytes:
    """Return the content of a file; nothing else has content."""
    return thing[1] if thing[0] == "file" and isinstance(thing[1], bytes) else b""
