"""The plan of a repair as text: what, where, before and after, safe or unsafe."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Protocol

from talktree.views.lines import Line, line
from talktree.views.width import to_one_line

WIDTH = 100


class RepairStepLike(Protocol):
    """One step of a repair."""

    @property
    def code(self) -> str: ...
    @property
    def name(self) -> str: ...
    @property
    def safety(self) -> str: ...
    @property
    def message(self) -> str: ...
    @property
    def path(self) -> str | None: ...
    @property
    def line(self) -> int | None: ...
    @property
    def entry(self) -> str | None: ...
    @property
    def before(self) -> str: ...
    @property
    def after(self) -> str: ...
    @property
    def invented(self) -> str: ...


def format_plan_lines(steps: Iterable[RepairStepLike]) -> Iterator[Line]:
    """Yield every step of a plan."""
    for step in steps:
        where = ":".join(str(each) for each in (step.path, step.line) if each)
        style = "added" if step.safety == "safe" else "mark"
        yield line(
            (f"{where}: " if where else "", "title"),
            (step.code, style),
            f" {step.name}: {to_one_line(step.message, WIDTH)}",
            (f" [{step.safety}]", "faint"),
        )
        if step.before:
            yield line(("  - ", "removed"), (to_one_line(step.before, WIDTH), "removed"))
        if step.after:
            yield line(("  + ", "added"), (to_one_line(step.after, WIDTH), "added"))
        if step.invented:
            yield line(("  invented: ", "mark"), to_one_line(step.invented, 4 * WIDTH))
