"""Random sessions in which a main line delegates to sub-agents, in both dialects."""

from __future__ import annotations

from random import Random
from typing import Any

from tests.session_lines import Line, ask, call, line, result, say, uid

TASK = {"type": "tool_use", "name": "Task", "input": {"prompt": "look around"}}


class Delegation:
    """One main line without branches; sub-agents start from it and may return to it."""

    def __init__(self, seed: int) -> None:
        self.random = Random(seed)
        self.lines: list[Line] = []
        self.main: list[str] = []
        """The ids of the messages of the main line."""
        self.prompts: list[str] = []
        self.above: int | None = None
        self.returns = self.random.choice(["below", "beside", "any"])
        """Whether the line continues from the last message of a sub-agent."""

    def grow(self, steps: int) -> Delegation:
        self._prompt()
        for _ in range(steps):
            self.random.choice([self._prompt, self._answer, self._calls, self._delegate])()
        return self

    @property
    def _next(self) -> int:
        return len(self.lines) + 1

    def _say(self, row: Line) -> None:
        self.lines.append(row)
        self.main.append(row["uuid"])
        self.above = len(self.lines)

    def _prompt(self) -> None:
        self.prompts.append(uid(self._next))
        self._say(ask(self._next, self.above, f"prompt {self._next}"))

    def _answer(self) -> None:
        self._say(say(self._next, self.above, f"answer {self._next}"))

    def _calls(self) -> None:
        number = self._next
        self._say(call(number, self.above, number, f"msg_{number}"))
        self._say(result(self._next, self.above, number))

    def _delegate(self) -> None:
        """Add one or several sub-agents, with or without a call for them, and their results."""
        number, called = self._next, self.random.random() < 0.5
        if called:
            block = {**TASK, "id": f"toolu_{number}"}
            message = {"role": "assistant", "id": f"msg_{number}", "content": [block]}
            self._say(line(number, self.above, "assistant", message=message))
        home = self.above
        ends = [self._agent(home) for _ in range(self.random.choice([1, 1, 1, 2]))]
        below = self.returns == "below" or (self.returns == "any" and self.random.random() < 0.5)
        self.above = self.random.choice(ends) if below else home
        if called and self.random.random() < 0.8:
            self._say(result(self._next, self.above, number))
        elif self.random.random() < 0.5:
            self._answer()

    def _agent(self, home: int | None, depth: int = 0) -> int:
        above = home if self.random.random() < 0.7 else None
        more: dict[str, Any] = {"isSidechain": True}
        if self.random.random() < 0.3:
            more["agentId"] = f"agent{self._next}"
        above = self._side(ask(self._next, above, "look around", **more))
        for _ in range(self.random.randint(0, 2)):
            if depth < 2 and self.random.random() < 0.2:
                nested = self._agent(above, depth + 1)
                above = self.random.choice([above, nested])
            number = self._next
            above = self._side(call(number, above, number, f"msg_{number}", **more))
            above = self._side(result(self._next, above, number, **more))
        if self.random.random() < 0.9:
            above = self._side(say(self._next, above, "looked around", **more))
        return above

    def _side(self, row: Line) -> int:
        self.lines.append(row)
        return len(self.lines)


def random_delegation(seed: int) -> Delegation:
    """Return a session with one main line."""
    session = Delegation(seed)
    return session.grow(session.random.randint(1, 12))


def documented(rows: list[Line]) -> list[Line]:
    """Return the same as the documented message types have it."""
    return [made for row in rows for made in _documented(row)]


def _documented(row: Line) -> list[Line]:
    envelope = {
        key: item
        for key, item in row.items()
        if key in ("uuid", "parentUuid", "timestamp", "sessionId", "isSidechain")
    }
    if not envelope["isSidechain"]:
        del envelope["isSidechain"]
    content = row["message"]["content"]
    if isinstance(content, str):
        return [{"type": "user", **envelope, "message": content}]
    (block,) = content
    if block["type"] == "tool_result":
        return [
            {"type": "system", **envelope, "subtype": "tool_result", "message": block["content"]}
        ]
    if block["type"] == "tool_use":
        used = {"toolName": block["name"], "toolArguments": block["input"]}
        return [{"type": "assistant", **envelope, "subtype": "tool_use", **used}]
    return [{"type": "assistant", **envelope, "subtype": "response", "message": block["text"]}]
