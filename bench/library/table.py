"""Every line of the library's table."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from bench.library import counting, encrypted, forgetting, importing, searching
from bench.library.stand import Stand, stand
from bench.measure import Row
from bench.programs import Failed
from talktree.errors import TalktreeError

PARTS: tuple[Callable[[Stand], list[Row]], ...] = (
    importing.cold,
    importing.again,
    importing.grown,
    importing.size,
    importing.huge,
    searching.in_process,
    searching.from_shell,
    counting.rows,
    forgetting.forgetting,
    encrypted.rows,
)


def rows(megabytes: int) -> Iterator[Row]:
    """Yield all rows, each as soon as it is measured."""
    with stand(megabytes) as made:
        for part in PARTS:
            try:
                yield from part(made)
            except (Failed, TalktreeError, OSError) as error:
                yield Row(f"{part.__module__}.{part.__name__}", "FAILED", _brief(error), "", "")


def _brief(error: Exception) -> str:
    return str(error).replace("\n", " ").replace("|", " ")[-200:]
