"""What all rules say of a source, asked in a thread of its own and kept while the state holds."""

from __future__ import annotations

import threading
from concurrent.futures import Future, TimeoutError

from talktree import api
from talktree.checks.report import Report
from talktree.errors import Busy
from talktree.formats import by_slug
from talktree.formats.engine import Origin, read
from talktree.model.document import Document
from talktree.model.findings import Finding
from talktree.web.documents.open_conversation import Opened, Paper

PATIENCE = 25.0
"""Seconds an answer waits; the check goes on, and who asks again finds it done."""


def report_of(opened: Opened) -> Report:
    """The report on the source of a conversation."""
    found = opened.paper.memory.get("report", lambda: _begun(opened.paper))
    assert isinstance(found, Future)
    future: Future[Report] = found
    try:
        return future.result(PATIENCE)
    except TimeoutError:
        raise Busy("the check is not done yet", hint="it goes on; ask again in a moment") from None


def is_checked(opened: Opened) -> bool:
    """Whether the report on the source of a conversation is there."""
    found = opened.paper.memory.known("report")
    return isinstance(found, Future) and found.done() and found.exception() is None


def findings_of(opened: Opened, report: Report) -> list[Finding]:
    """The findings that concern one conversation, or the source as a whole."""
    if len(opened.document.conversations) < 2:
        return list(report.findings)
    mine = set(opened.as_read.members)
    return [each for each in report.findings if each.number < 0 or each.number in mine]


def _begun(paper: Paper) -> Future[Report]:
    future: Future[Report] = Future()
    threading.Thread(target=_check, args=(paper, future), daemon=True).start()
    return future


def _check(paper: Paper, future: Future[Report]) -> None:
    try:
        future.set_result(api.check(_as_kept(paper)))
    except BaseException as error:
        future.set_exception(error)


def _as_kept(paper: Paper) -> Document:
    """The source as it is in the archive: rules look at records, which edits do not have yet."""
    if not any(each.changed for each in paper.document.conversations):
        return paper.document
    origin = paper.document.origin
    assert isinstance(origin, Origin)
    return read(origin.source, by_slug(paper.document.format))
