"""`talktree stats PATH…`: counts over sources, and what could not be counted."""

from __future__ import annotations

from collections.abc import Sequence

from talktree import api
from talktree.cli import output
from talktree.cli.errors import report
from talktree.cli.noticed import tell_damage, tell_unrecognised
from talktree.errors import TalktreeError
from talktree.formats.collection import Collection, documents_of, unrecognised_files
from talktree.formats.companions import without_companions
from talktree.model.tally import Tally
from talktree.text.json.value import Json
from talktree.views.shapes import document_text
from talktree.views.statistics import statistics_lines, statistics_shape


class SourceStatistics:
    """Counts over any number of files and folders."""

    def __init__(self) -> None:
        self.tally = Tally()
        self.failed: list[tuple[str, TalktreeError]] = []
        """Sources that could not be read."""
        self.unrecognised: list[str] = []
        """Files of folders that no format recognises."""

    @property
    def exit_code(self) -> int:
        """The worst of what failed."""
        return max((error.exit_code for _, error in self.failed), default=0)

    def add(self, path: str, format: str | None) -> None:
        """Count all conversations at a path."""
        document = api.read(path, format=format)
        for source in documents_of(document):
            for conversation in source.conversations:
                self.tally.add(conversation)
            tell_damage(source)
        folder = path.rstrip("/")
        self.unrecognised += [f"{folder}/{each}" for each in unrecognised_files(document)]
        if isinstance(document, Collection):
            self.failed += [(f"{folder}/{each.path}", each.error) for each in document.unreadable]


def count_sources(
    paths: Sequence[str], format: str | None, look: output.Look, *, as_json: bool
) -> int:
    """Count what is at some paths, print it, and return the exit code."""
    found = SourceStatistics()
    for path in without_companions(paths):
        try:
            found.add(path, format)
        except TalktreeError as error:
            if len(paths) == 1:
                raise
            found.failed.append((path, error))
    if as_json:
        failed: list[Json] = [{"path": path, "message": why.message} for path, why in found.failed]
        unrecognised: list[Json] = [*found.unrecognised]
        lists: dict[str, Json] = {"failed": failed, "unrecognised": unrecognised}
        output.print_text([document_text({**statistics_shape(found.tally), **lists})])
        return found.exit_code
    look.print(statistics_lines(found.tally, width=output.width() or 80))
    for _, why in found.failed:
        report(why, as_json=False)
    tell_unrecognised(found.unrecognised)
    return found.exit_code
