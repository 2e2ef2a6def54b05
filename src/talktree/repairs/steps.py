"""The changes to one file's records, and which of them the file can take.

A file may refuse a change: its dialect has no place for the new value, or its brackets are broken
in a way that nobody mended. Then all other changes are made, and what is refused stays as it was.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from talktree.errors import Damaged, WouldLose
from talktree.files.splice import Splice
from talktree.formats.record_file import Item, Sheet
from talktree.repairs.action import Action

MOST_TRIES = 200
"""How often a file is put together to find the changes it refuses."""


class Step(NamedTuple):
    """What is done about one record."""

    items: list[Item]
    """What stands in the file then; nothing if the record is taken out."""
    otherwise: list[Item]
    """What stands there if the step is not made."""
    actions: list[Action]

    @property
    def refused(self) -> Step:
        """The step not made."""
        return Step(self.otherwise, self.otherwise, [])


def acceptable(sheet: Sheet, steps: Sequence[Step]) -> tuple[list[Splice], list[Step]]:
    """The splices for as many of the steps as a file can take, and the steps themselves."""
    found = _splices(sheet, steps)
    if found is not None:
        return found, list(steps)
    made = [step.refused for step in steps]
    splices: list[Splice] = []
    places = [place for place, step in enumerate(steps) if step.actions]
    pending = [places[len(places) // 2 :], places[: len(places) // 2]]
    tries = 0
    while pending and tries < MOST_TRIES:
        group = pending.pop()
        if not group:
            continue
        tries += 1
        chosen = set(group)
        tried = [steps[at] if at in chosen else step for at, step in enumerate(made)]
        found = _splices(sheet, tried)
        if found is not None:
            made, splices = tried, found
        elif len(group) > 1:
            pending += [group[len(group) // 2 :], group[: len(group) // 2]]
    return splices, made


def _splices(sheet: Sheet, steps: Sequence[Step]) -> list[Splice] | None:
    try:
        return list(sheet.splices([item for step in steps for item in step.items]))
    except (Damaged, WouldLose):
        return None
