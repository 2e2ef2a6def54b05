"""One pass over a branch: what its rows can be filtered by, their cost, files and tasks.

Several panes use the result of one pass, cached as long as the state is the same. Texts are not
cached.

Also: which rows of a branch a filter such as `role:user,tool:Bash` shows.
"""

from __future__ import annotations

from array import array
from typing import NamedTuple
from urllib.parse import unquote

from talktree.errors import UsageError
from talktree.model.derived import DONE, find_todos
from talktree.model.message import Message
from talktree.web.documents.branch_files import Touches
from talktree.web.documents.branch_usage import Spending
from talktree.web.documents.open_conversation import OpenConversation
from talktree.web.documents.row_list import RowList, ShownRow, TraitList, Traits, build_all_rows

MOST_TASK_STEPS = 20_000


class TaskStep(NamedTuple):
    """A change of the task list at a message."""

    row: int
    position: int
    time: int | None
    done: int
    total: int


class Survey:
    """The results of one pass over a branch."""

    def __init__(self, opened: OpenConversation, rows: RowList) -> None:
        self._traits = TraitList()
        self.spending = Spending(opened.conversation)
        self.touches = Touches()
        self.tasks: list[TaskStep] = []
        self._last: object = None
        for shown in build_all_rows(opened.conversation, rows):
            self._traits.add_row(shown)
            self.spending.add_row(shown)
            self.touches.add_row(shown)
            self._add_tasks(shown)
        self.touches.add_snapshots(opened.conversation, rows)

    @property
    def traits(self) -> list[Traits]:
        """For each row, what it can be filtered by."""
        return self._traits.rows

    def _add_tasks(self, shown: ShownRow) -> None:
        for step in shown.steps:
            self._add_task_list(shown.number, step.position, step.message)

    def _add_task_list(self, row: int, position: int, message: Message) -> None:
        todos = find_todos(message)
        if todos is None or todos == self._last or len(self.tasks) >= MOST_TASK_STEPS:
            return
        if not todos and self._last is None:
            return
        self._last = todos
        done = sum(each.status in DONE for each in todos)
        self.tasks.append(TaskStep(row, position, message.time_ns, done, len(todos)))


def get_survey(opened: OpenConversation, rows: RowList) -> Survey:
    """Return the survey of a branch, computed if needed; concurrent callers get the same one."""
    found = opened.memory.get(("survey", rows.leaf), lambda: Survey(opened, rows))
    assert isinstance(found, Survey)
    return found


NAMES = ("role", "kind", "flag", "tool", "tag")
MOST_TERMS = 40


def find_matching_rows(opened: OpenConversation, rows: RowList, show: str) -> array[int]:
    """Return the numbers of the rows that match all terms."""
    wanted = parse_terms(show)
    traits = get_survey(opened, rows).traits
    return array(
        "q",
        (
            number
            for number, mine in enumerate(traits)
            if all(not any_of.isdisjoint(mine) for any_of in wanted)
        ),
    )


def parse_terms(show: str) -> list[frozenset[str]]:
    """Parse a filter: one set for each name, of which one value must match."""
    found: dict[str, set[str]] = {}
    for term in show.split(","):
        name, colon, value = term.strip().partition(":")
        if not colon or name not in NAMES:
            raise UsageError(
                f"rows cannot be chosen by “{term[:60]}”", hint=f"name one of {', '.join(NAMES)}"
            )
        found.setdefault(name, set()).add(f"{name}:{unquote(value).casefold()}")
    if sum(map(len, found.values())) > MOST_TERMS:
        raise UsageError("too much is asked of rows at once", hint=f"at most {MOST_TERMS} terms")
    return [frozenset(values) for values in found.values()]
