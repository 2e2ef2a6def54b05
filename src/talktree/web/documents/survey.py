"""One pass over a branch: what its rows can be chosen by, what they cost, which files and tasks.

The answers of several panes come from one pass, kept for as long as the state is the same. Texts
are not kept.
"""

from __future__ import annotations

from typing import NamedTuple

from talktree.model.derived import DONE, todos_of
from talktree.model.message import Message
from talktree.web.documents.branch_usage import Spending
from talktree.web.documents.open_conversation import Opened
from talktree.web.documents.row_list import RowList
from talktree.web.documents.row_traits import TraitList, Traits
from talktree.web.documents.steps import Shown, all_shown
from talktree.web.documents.touches import Touches

MOST_TASK_STEPS = 20_000


class TaskStep(NamedTuple):
    """The list of tasks changed at a message."""

    row: int
    position: int
    time: int | None
    done: int
    total: int


class Survey:
    """What one pass over a branch tells."""

    def __init__(self, opened: Opened, rows: RowList) -> None:
        self._traits = TraitList()
        self.spending = Spending(opened.conversation)
        self.touches = Touches()
        self.tasks: list[TaskStep] = []
        self._last: object = None
        for shown in all_shown(opened.conversation, rows):
            self._traits.take(shown)
            self.spending.take(shown)
            self.touches.take(shown)
            self._take_tasks(shown)
        self.touches.take_snapshots(opened.conversation, rows)

    @property
    def traits(self) -> list[Traits]:
        """For each row what it can be chosen by."""
        return self._traits.rows

    def _take_tasks(self, shown: Shown) -> None:
        for step in shown.steps:
            self._take_task_list(shown.number, step.position, step.message)

    def _take_task_list(self, row: int, position: int, message: Message) -> None:
        todos = todos_of(message)
        if todos is None or todos == self._last or len(self.tasks) >= MOST_TASK_STEPS:
            return
        if not todos and self._last is None:
            return
        self._last = todos
        done = sum(each.status in DONE for each in todos)
        self.tasks.append(TaskStep(row, position, message.time_ns, done, len(todos)))


def survey_of(opened: Opened, rows: RowList) -> Survey:
    """The survey of a branch, made if there is none yet; whoever waits gets the same."""
    found = opened.memory.get(("survey", rows.leaf), lambda: Survey(opened, rows))
    assert isinstance(found, Survey)
    return found
