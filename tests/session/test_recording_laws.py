"""Any recording in any order is valid: checks find nothing, and nothing gets lost."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory

from hypothesis import given
from hypothesis import strategies as st

from talktree import api
from talktree.errors import NotUndoable
from talktree.session import Session, Store
from talktree.session.navigation import Navigation
from tests.cases import examples

words = st.text("abcäß雪😀 ", min_size=1, max_size=12).map(lambda text: f"w{text}w")
states = st.sampled_from(["pending", "in_progress", "completed"])
todos = st.lists(st.fixed_dictionaries({"content": words, "status": states}), max_size=3)
calls = st.integers(1, 3)
picks = st.integers(0, 1000)


class Story:
    """An agent that takes any action at any time."""

    def __init__(self, place: Path) -> None:
        self.place = place
        self.store = Store(place / ".sage")
        self.session = self.store.create(workspace=place, durability="fast")
        self.said: dict[str, str] = {}
        self.count = 0
        self.say("begin")

    def say(self, text: str) -> None:
        """Add a prompt that must never get lost."""
        self.said[self.session.user(text)] = text

    def some(self, pick: int) -> str:
        """Return any message so far."""
        return list(self.said)[pick % len(self.said)]

    def tools(self, number: int, text: str) -> None:
        """Add a reply with calls, each of which writes a file, and their results."""
        names = [f"c{self.count + each}" for each in range(number)]
        self.count += number
        self.session.assistant(text, calls=[{"id": name, "name": "edit"} for name in names])
        with self.session.step(paths=["a/b.txt"], watch=["."]):
            (self.place / "a").mkdir(exist_ok=True)
            (self.place / "a" / "b.txt").write_text(text)
            (self.place / f"{self.count % 3}.txt").write_text(text)
        self.session.results(*({"call": name, "output": text} for name in names))

    def move(self, journey: Callable[[], Navigation]) -> None:
        """Plan and apply; there may be nothing to do."""
        try:
            move = journey()
            move.apply(move.plan().digest)
        except NotUndoable:
            pass

    def reopen(self) -> None:
        """End the process and continue in another one."""
        leaf, tasks = self.session.leaf, self.session.current_todos()
        self.session.close()
        self.session = self.store.open(self.session.id, durability="fast")
        assert (self.session.leaf, self.session.current_todos()) == (leaf, tasks)
        assert self.session.notices == []


edits = st.one_of(
    st.builds(lambda text: lambda story: story.say(text), words),
    st.builds(lambda n, text: lambda story: story.tools(n, text), calls, words),
    st.builds(lambda text: lambda story: story.session.system(text), words),
    st.builds(lambda text: lambda story: story.session.error("tool", text), words),
    st.builds(lambda text: lambda story: story.session.title(text), words),
    st.builds(lambda each: lambda story: story.session.todos(each), todos),
    st.builds(lambda n, text: lambda s: s.session.edit(s.some(n), text), picks, words),
    st.builds(lambda n, text: lambda s: s.session.user(text, parent=s.some(n)), picks, words),
    st.builds(lambda n: lambda s: s.move(lambda: s.session.restore(s.some(n))), picks),
    st.builds(lambda n: lambda s: s.session.sidechain(s.some(n)).user("aside"), picks),
    st.builds(lambda n: lambda s: s.session.name(f"n{n % 3}", s.some(n)), picks),
    st.just(lambda s: s.move(lambda: s.session.undo())),
    st.just(lambda s: s.move(lambda: s.session.undo(turn=True))),
    st.just(lambda s: s.move(lambda: s.session.redo())),
    st.just(lambda s: s.session.record_compaction("all of it")),
    st.just(lambda s: s.session.record_restoration()),
    st.just(lambda s: s.session.child(agent="helper").close()),
    st.just(lambda s: s.reopen()),
)


@examples(12, torture=2000)
@given(st.lists(edits, max_size=12))
def test_any_recording_is_valid(several: list[Callable[[Story], object]]) -> None:
    with TemporaryDirectory() as place:
        story = Story(Path(place))
        for edit in several:
            edit(story)
        for id, text in story.said.items():
            assert story.session.message(id).text == text
        assert findings(story.session) == []


def findings(session: Session) -> list[str]:
    """Return the findings of the checks and of the session's own check."""
    reported = [str(trouble) for trouble in session.check(read_data=True)]
    session.close()
    report = api.check(session.store.root)
    return [*reported, *(f"{each.code} {each.message}" for each in report.findings)]
