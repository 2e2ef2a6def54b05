"""The law of every conversion: nothing that the source shows goes missing silently."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from pathlib import Path

from tests.oracle.relation import missing
from tests.oracle.shown import Shown
from tests.populations.command import Report


def unreported(
    source: Sequence[Shown],
    output: Sequence[Shown],
    report: Report,
    excused: Collection[str] = (),
) -> list[Shown]:
    """Return the messages that are neither in the output nor in the loss report.

    Those with the ids that are excused do not count.
    A message without an id of its own is named by its place (`@3`), a second one of the same id by
    its number (`m#2`): one such entry excuses one such message.
    """
    named = report.reported().union(excused)
    rest = [shown for shown in source if not shown.id or shown.id not in named]
    gone = missing(rest, output)
    places = sum(name.startswith("@") or not name for name in named)
    doubles = [name.rpartition("#")[0] for name in named]
    left = []
    for shown in gone:
        if not shown.id and places:
            places -= 1
        elif shown.id in doubles:
            doubles.remove(shown.id)
        else:
            left.append(shown)
    return left


def contents(path: Path) -> dict[str, bytes]:
    """Return the bytes of a file, or of all files of a folder, by their names."""
    if path.is_file():
        return {"": path.read_bytes()}
    found = [each for each in sorted(path.rglob("*")) if each.is_file()]
    names = {each.relative_to(path).as_posix(): each for each in found}
    return {name: each.read_bytes() for name, each in names.items() if name not in STATE}


STATE = (".talktree-batch.jsonl",)
"""Files that a conversion of many sources leaves beside its outputs."""
