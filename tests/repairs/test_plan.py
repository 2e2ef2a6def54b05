"""Changes that a file cannot hold are left out, and all others are made."""

from __future__ import annotations

import pytest

from talktree.errors import DamagedRecord, WouldLose
from talktree.files.splice import Splice
from talktree.formats.record_file import Item
from talktree.model.findings import make_finding
from talktree.repairs.plan import RecordStep, RepairAction, select_acceptable


class Picky:
    """A file that refuses some values."""

    def __init__(self, refused: set[int], error: type[Exception]) -> None:
        self.refused = refused
        self.error = error
        self.tries = 0

    def splices(self, items: list[Item]) -> list[Splice]:
        self.tries += 1
        changed = [item.at for item in items if item.changed]
        if self.refused & set(changed):
            raise self.error("no place for it")
        return [Splice(at or 0, at or 0, b"x") for at in changed]


def steps(count: int) -> list[RecordStep]:
    found = make_finding("syntax", "odd")
    because = RepairAction(code=found.code, name=found.name, safety="safe", message=found.message)
    return [
        RecordStep([Item(at, "new", changed=True)], [Item(at)], [because]) for at in range(count)
    ]


@pytest.mark.parametrize("error", [DamagedRecord, WouldLose])
@pytest.mark.parametrize("refused", [set(), {0}, {3, 17}, {19}, set(range(20))])
def test_just_the_refused_changes_are_left_out(refused: set[int], error: type[Exception]) -> None:
    sheet = Picky(refused, error)
    splices, made = select_acceptable(sheet, steps(20))  # type: ignore[arg-type]
    assert {splice.start for splice in splices} == set(range(20)) - refused
    assert [bool(step.actions) for step in made] == [at not in refused for at in range(20)]


def test_a_file_that_refuses_everything_is_not_tried_for_ever() -> None:
    sheet = Picky(set(range(10_000)), WouldLose)
    splices, made = select_acceptable(sheet, steps(10_000))  # type: ignore[arg-type]
    assert not splices
    assert not any(step.actions for step in made)
    assert sheet.tries < 300
