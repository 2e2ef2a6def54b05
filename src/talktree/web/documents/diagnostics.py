"""The findings of all rules on a source, computed in a separate thread and cached for a state."""

from __future__ import annotations

import threading
from concurrent.futures import Future, TimeoutError

from talktree import api
from talktree.checks.report import Report
from talktree.errors import LockHeld
from talktree.formats import get_format
from talktree.formats.engine import DocumentOrigin, read_document
from talktree.model.document import Document
from talktree.model.findings import Finding
from talktree.web.documents.open_conversation import LoadedSource, OpenConversation

PATIENCE = 25.0
"""Seconds a request waits; the check continues, and a later request finds it done."""


def get_report(opened: OpenConversation) -> Report:
    """Return the report on the source of a conversation."""
    found = opened.paper.memory.get("report", lambda: _start_check(opened.paper))
    assert isinstance(found, Future)
    future: Future[Report] = found
    try:
        return future.result(PATIENCE)
    except TimeoutError:
        raise LockHeld(
            "the check is not done yet", hint="it goes on; ask again in a moment"
        ) from None


def is_checked(opened: OpenConversation) -> bool:
    """Whether the report on the source of a conversation is ready."""
    found = opened.paper.memory.get_known("report")
    return isinstance(found, Future) and found.done() and found.exception() is None


def select_findings(opened: OpenConversation, report: Report) -> list[Finding]:
    """Return the findings that concern one conversation, or the source as a whole."""
    if len(opened.document.conversations) < 2:
        return list(report.findings)
    mine = set(opened.original_conversation.members)
    return [each for each in report.findings if each.number < 0 or each.number in mine]


def _start_check(paper: LoadedSource) -> Future[Report]:
    future: Future[Report] = Future()
    threading.Thread(target=_run_check, args=(paper, future), daemon=True).start()
    return future


def _run_check(paper: LoadedSource, future: Future[Report]) -> None:
    try:
        future.set_result(api.check(_read_unedited(paper)))
    except BaseException as error:
        future.set_exception(error)


def _read_unedited(paper: LoadedSource) -> Document:
    """Return the source as archived: rules check records, which do not contain edits yet."""
    if not any(each.changed for each in paper.document.conversations):
        return paper.document
    origin = paper.document.origin
    assert isinstance(origin, DocumentOrigin)
    return read_document(origin.source, get_format(paper.document.format))
