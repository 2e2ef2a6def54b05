"""Random Claude Code sessions: every shape that recorders leave behind, in any order.

All ids of lines and of tool calls are unique.
"""

from __future__ import annotations

from random import Random
from typing import Any

from tests.session_lines import Line, ask, boundary, call, line, note, result, say, summary

MISSING = 0xFFFF
"""The number of a line that is in no session."""
QUEUED = {"type": "queued_command", "prompt": "And the tests?"}


class RandomSession:
    """A session that grows by one random step at a time."""

    def __init__(self, seed: int) -> None:
        self.random = Random(seed)
        self.lines: list[Line] = []
        self.tip: int | None = None
        """The number of the line that the next one continues."""
        self.tools = 0
        self.replies: list[str] = []

    def grow(self, steps: int) -> list[Line]:
        """Return the lines after some steps; a few of them are out of order."""
        self._prompt()
        kinds = [
            *[self._prompt] * 4,
            *[self._answer] * 5,
            *[self._calls] * 6,
            *[self._note] * 3,
            *[self._sidechain] * 2,
            self._meta,
            self._failure,
            self._compaction,
            self._late_piece,
            self._late_result,
            self._foreign_thread,
        ]
        for _ in range(steps):
            self.random.choice(kinds)()
        if self.random.random() < 0.1:
            self._swap()
        return self.lines

    # the parent of a line

    @property
    def _next(self) -> int:
        return len(self.lines) + 1

    def _any(self) -> int:
        return self.random.randint(1, len(self.lines))

    def _parent(self, odd: float = 0.1) -> int | None:
        """Return the tip; rarely an earlier line, none or one that is missing."""
        if self.random.random() >= odd or not self.lines:
            return self.tip
        return self.random.choice([self._any(), self._any(), self._any(), None, MISSING])

    def _add(self, row: Line, *, goes_on: bool = True) -> int:
        draw = self.random.random()
        if draw < 0.05 and self.lines:
            row["timestamp"] = self.lines[-1]["timestamp"]
        elif draw < 0.1:
            row["timestamp"] = self.random.choice([*self.lines, row])["timestamp"]
        number = self._next
        self.lines.append(row)
        if goes_on:
            self.tip = number
        return number

    # messages

    def _prompt(self) -> None:
        number = self._next
        if self.random.random() < 0.1:
            row = line(number, self._parent(), "attachment", attachment=QUEUED)
        else:
            row = ask(number, self._parent(0.15), f"prompt {number}")
        self._add(row)

    def _answer(self) -> None:
        for _ in range(self.random.choice([1, 1, 2])):
            number = self._next
            self._add(say(number, self._parent(), f"answer {number}"))

    def _calls(self) -> None:
        """Add calls of one turn, chained or beside each other, and their results anywhere."""
        above, name = self._parent(), f"msg_{self._next}"
        requests = {"requestId": f"req_{self._next}"} if self.random.random() < 0.5 else {}
        named = self.random.choice(["one", "one", "one", "each", "none"])
        beside = self.random.random() < 0.5
        made: list[tuple[int, int]] = []
        waiting: list[tuple[int, int]] = []
        for _ in range(self.random.randint(1, 3)):
            self.tools += 1
            number = self._next
            reply = {"one": name, "each": f"msg_{number}", "none": ""}[named]
            self._add(call(number, above, self.tools, reply, **requests))
            made.append((number, self.tools))
            waiting.append(made[-1])
            above = above if beside else number
            if self.random.random() < 0.2:
                above = self._note() if self.random.random() < 0.5 else above
            if self.random.random() < 0.3:
                self._answer_call(waiting.pop(), made)
        self.replies += [name] * (named == "one")
        self.random.shuffle(waiting)
        for each in waiting:
            if self.random.random() < 0.9:
                self._answer_call(each, made)

    def _answer_call(self, own: tuple[int, int], made: list[tuple[int, int]]) -> None:
        parent = self.random.choice([own[0]] * 5 + [made[-1][0], made[0][0], self._any()])
        if self.random.random() < 0.15:
            parent = self._add(line(self._next, parent, "progress", data={}), goes_on=False)
        source = {"sourceToolAssistantUUID": self.lines[own[0] - 1]["uuid"]}
        row = result(self._next, parent, own[1], **(source if self.random.random() < 0.3 else {}))
        self._add(row, goes_on=self.random.random() < 0.8)

    def _late_piece(self) -> None:
        """Add a piece of a reply that has others elsewhere."""
        if self.replies:
            self.tools += 1
            row = call(self._next, self._parent(0.3), self.tools, self.random.choice(self.replies))
            self._add(row, goes_on=self.random.random() < 0.7)

    def _late_result(self) -> None:
        """Add a result of an earlier call, or of none, on any line."""
        if self.tools:
            tool = self.random.randint(1, self.tools + 1)
            row = result(self._next, self._any(), tool)
            self._add(row, goes_on=self.random.random() < 0.3)

    # lines beside the conversation

    def _note(self) -> int:
        kind = self.random.choice(["system", "progress", "attachment"])
        members: dict[str, Any] = {"attachment": {"type": "todo"}} if kind == "attachment" else {}
        row = line(self._next, self._parent(), kind, **members)
        if kind == "system":
            row = note(self._next, self._parent())
        return self._add(row, goes_on=self.random.random() < 0.6)

    def _meta(self) -> None:
        row = ask(self._next, self._parent(), "meta", isMeta=True)
        self._add(row, goes_on=self.random.random() < 0.6)

    def _failure(self) -> None:
        row = say(self._next, self._parent(), "API Error", isApiErrorMessage=True)
        self._add(row, goes_on=self.random.random() < 0.4)

    def _foreign_thread(self) -> None:
        row = ask(self._next, self._parent(), "from a teammate", teamName="pond")
        self._add(row, goes_on=self.random.random() < 0.4)

    def _sidechain(self) -> None:
        """Add a sub-agent, separate or below the line; the line may continue from its last
        message."""
        home, above = self.tip, self.random.choice([None, self.tip])
        for step in range(self.random.randint(1, 4)):
            make = say if step % 2 else ask
            marked = self.random.random() < 0.95
            above = self._add(make(self._next, above, f"side {self._next}", isSidechain=marked))
        if self.random.random() < 0.6:
            self.tip = home

    def _compaction(self) -> None:
        number = self._next
        follows = self.tip or 1
        kept = self.random.choice([None, follows, self._any()])
        self._add(boundary(number, follows, kept))
        self._add(summary(self._next, number))

    def _swap(self) -> None:
        """Swap two lines, so that a line may come before its parent."""
        one, other = self._any() - 1, self._any() - 1
        self.lines[one], self.lines[other] = self.lines[other], self.lines[one]


def random_session(seed: int) -> list[Line]:
    """Return the lines of one random session."""
    session = RandomSession(seed)
    return session.grow(session.random.randint(1, 25))
