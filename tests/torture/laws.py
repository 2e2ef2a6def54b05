"""The laws for any file, however broken: it is shown, checked and repaired.

Work is not repeated: a safe repair starts from the findings of the check, and an unsafe one is made
where it would do more. Some mutants take the long way nevertheless, so that these shortcuts are
tested as well.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

from talktree.checks.reachability import measure_reach
from talktree.checks.run import run_rules
from talktree.errors import TalktreeError
from talktree.model.document import Document
from talktree.model.link_repair import with_inferred_links
from talktree.repairs.byte_origins import NEW, extend_trace, first_trace
from talktree.repairs.log import undo_repair, write_log
from talktree.repairs.run import Repair, repair_document
from talktree.views.lines import Line
from talktree.views.outline import format_outline_lines
from talktree.views.terminal import to_text
from talktree.views.transcript import Transcript, TranscriptOptions, find_own_positions
from tests.conversion.trips import Files

LONG_WAY = 64
"""One in this many mutants takes the long way."""
MAX_WHOLE = 4
"""One in this many mutants is shown in full; the tree of each is shown."""
ACTING = re.compile("[\x00-\x08\x0a-\x1f\x7f-\x9f\ud800-\udfff]")
"""Characters that no line on a terminal may hold."""


def hold(files: Files, slug: str, number: int) -> None:
    """Raise if a law is broken; bytes that are not taken for a conversation may be refused."""
    try:
        document = files.read_as(slug)
    except TalktreeError:
        return
    _is_shown(document, whole=number % MAX_WHOLE == 0)
    findings = list(run_rules(document))
    measure_reach(document.conversations)
    safe = repair_document(document, known=findings)
    _is_whole(safe, unsafe=False)
    if safe.held_back:
        _is_whole(repair_document(document, unsafe=True), unsafe=True)
    if number % LONG_WAY == 0:
        _is_same(safe, repair_document(files.read_as(slug)))
        if not safe.held_back:
            _is_same(safe, repair_document(files.read_as(slug), unsafe=True))


# views


def _is_shown(document: Document, *, whole: bool) -> None:
    for conversation in document.conversations:
        conversation.path()
        seen = with_inferred_links(conversation)
        branches = seen.branches()
        for line in format_outline_lines(seen):
            _is_harmless(line)
        transcript = Transcript(seen, TranscriptOptions())
        for branch in branches if whole else ():
            for line in transcript.format_branch(find_own_positions(seen, branch)):
                _is_harmless(line)


def _is_harmless(line: Line) -> None:
    assert not ACTING.search(to_text(line)), "a line acts on the terminal"


# repairs


def _is_whole(done: Repair, *, unsafe: bool) -> None:
    """Assert that nothing is left to repair, and every byte is kept or can be restored."""
    if not done.changed:
        return
    before, after = _before(done), done.source.as_bytes()
    _bytes_are_kept(done, before, after)
    fresh = Files(after, done.source.folder)
    back = undo_repair(fresh.source(done.source.name), list(write_log(done)))
    assert back.as_bytes() == before, "the log does not lead back"
    # Read from the bytes, without data of the first repair.
    again = fresh.read_as(done.before.format, done.source.name)
    assert not repair_document(again, unsafe=unsafe).changed, "a second repair changes something"


def _bytes_are_kept(done: Repair, before: Mapping[str, bytes], after: Mapping[str, bytes]) -> None:
    """Assert that bytes which count as kept are in the repaired files."""
    kept = 0
    for path, data in before.items():
        trace = first_trace(len(data))
        for each in done.rounds:
            trace = [] if path in each.gone else extend_trace(trace, each.splices.get(path, ()))
        at = 0
        for length, origin in trace:
            if origin != NEW:
                now, was = after[path][at : at + length], data[origin : origin + length]
                assert now == was, "bytes that are kept are others"
                kept += length
            at += length
    assert done.bytes == (kept, sum(map(len, before.values())) - kept), "bytes without account"


def _is_same(one: Repair, other: Repair) -> None:
    assert one.plan == other.plan, "the long way makes other changes"
    assert one.source.as_bytes() == other.source.as_bytes(), "the long way ends elsewhere"


def _before(done: Repair) -> dict[str, bytes]:
    source = done.before.origin.source  # type: ignore[attr-defined]
    found: dict[str, bytes] = source.as_bytes()
    return found
