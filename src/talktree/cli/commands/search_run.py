"""The work of `talktree search`, after its options are parsed."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from typing import TYPE_CHECKING

from talktree.cli import output
from talktree.cli.errors import print_stderr
from talktree.cli.fast_start import load_msgspec
from talktree.cli.open_library import open_library_at
from talktree.errors import UsageError
from talktree.views.search import HitCopies, build_hit_shape, format_hit_lines, group_copies

if TYPE_CHECKING:
    from talktree.library.search.run import Results


def search_library(
    *,
    query: Sequence[str],
    limit: int,
    skip: int,
    sort: str,
    as_json: bool,
    library: str | None,
    color: str,
    no_pager: bool,
) -> int:
    """Print the results of a query, and return the exit code."""
    load_msgspec()
    with open_library_at(library) as kept:
        try:
            most = limit if as_json else None
            results = kept.search(" ".join(query), limit=most, offset=skip, sort=sort)
        except UsageError as error:
            if as_json:
                raise
            _print_bad_query(error)
            return error.exit_code
        if as_json:
            output.print_text(_format_json_document(results), at_once=True)
            return 0 if results.total else 1
        # More is read than shown: of what several files repeat, one is shown.
        shown = _Counter(islice(group_copies(results.hits), limit))
        output.print_lines(
            format_hit_lines(shown, library),
            color=output.use_color(color),
            paged=not no_pager,
            at_once=output.is_terminal(),
        )
        _print_summary(results.total, skip, shown.hits)
    return 0 if results.total else 1


class _Counter:
    """Passes hits on as they arrive, and counts them, copies included."""

    def __init__(self, found: Iterable[HitCopies]) -> None:
        self._found = found
        self.hits = 0

    def __iter__(self) -> Iterator[HitCopies]:
        for each in self._found:
            self.hits += each.files
            yield each


def _format_json_document(results: Results) -> Iterator[str]:
    """Yield one JSON document, written as hits arrive."""
    from talktree.views.shapes import SCHEMA_VERSION, format_json

    yield f'{{"schema_version":{SCHEMA_VERSION},"hits":['
    for number, hit in enumerate(results.hits):
        yield f"{',' if number else ''}\n{format_json(build_hit_shape(hit))}"
    yield f'\n],"total":{results.total}}}\n'


def _print_summary(total: int, skipped: int, hits: int) -> None:
    if not total:
        print_stderr("talktree: nothing found")
    elif not hits:
        print_stderr(f"talktree: there are only {total:,} hits")
    elif total > skipped + hits:
        print_stderr(
            f"talktree: {hits:,} of {total:,} hits; --skip {skipped + hits} shows the next"
        )


def _print_bad_query(error: UsageError) -> None:
    """Print a query error; its message shows the place on lines of their own."""
    first, *shown = error.message.split("\n")
    print_stderr(f"talktree: {first}")
    for each in shown:
        print_stderr(each)
    if error.hint:
        print_stderr(f"hint: {error.hint}")
