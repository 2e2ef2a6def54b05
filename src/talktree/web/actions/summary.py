"""What is told of an open conversation beside its messages."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from talktree.formats import by_slug
from talktree.library.branch_names import branch_names
from talktree.library.listing import spans_of
from talktree.model.counts import count_findings
from talktree.web.actions.undo import session_kind
from talktree.web.documents.cache import edits_of
from talktree.web.documents.cards import is_live, tokens_of
from talktree.web.documents.diagnostics import findings_of, is_checked, report_of
from talktree.web.documents.graph import branch_list
from talktree.web.documents.ids import Name
from talktree.web.documents.row_list import milliseconds
from talktree.web.schemas.transcript import Can, Conversation, Severities, Tokens

if TYPE_CHECKING:
    from talktree.library.database.connection import Database
    from talktree.web.documents.cache import Opened
    from talktree.web.studio import Studio

ROLES = ("user", "assistant", "system")
SMALL = 1500
"""A source of no more weight is checked when it is opened."""
SEVERAL = 1000
"""How many conversations of one source are named."""


def summary_of(studio: Studio, opened: Opened) -> Conversation:
    """A conversation in the state it was opened in, without its messages."""
    db, source = studio.desk.library().db, opened.kept.source
    listed = branch_list(opened, branch_names(db, source, opened.conversation))
    counts = opened.conversation.counts
    return Conversation(
        cid=opened.cid,
        id=opened.conversation.native_id,
        title=opened.title,
        format=opened.kept.format,
        path=os.fsdecode(opened.kept.raw_path),
        size=opened.kept.size,
        stamp=opened.stamp,
        leaf=opened.leaf,
        rows=len(opened.rows()),
        messages=counts.messages,
        branches=listed,
        branches_total=counts.branches,
        sidechains_total=counts.sidechains,
        first=milliseconds(counts.first_ns),
        last=milliseconds(counts.last_ns),
        tokens=_tokens(opened, db),
        findings=severities(opened),
        repaired=len(opened.inferred),
        live=is_live(db, source),
        edited=opened.edited,
        log=edits_of(db, source).last or 0,
        can=_can(studio, opened),
        siblings_in_source=_siblings(opened),
    )


def _tokens(opened: Opened, db: Database) -> Tokens:
    source = opened.kept.source
    found = opened.memory.get("tokens", lambda: tokens_of(db, source, _span(db, opened)))
    assert isinstance(found, Tokens)
    return found


def _span(db: Database, opened: Opened) -> tuple[int, int | None]:
    spans = spans_of(db, opened.kept.source)
    return spans[opened.number] if opened.number < len(spans) else (0, None)


def severities(opened: Opened) -> Severities | None:
    """How much is wrong with it, by weight; None if that takes a while and was not asked yet."""
    if opened.paper.weight > SMALL and not is_checked(opened):
        return None
    try:
        report = report_of(opened)
    except Exception:
        # The conversation can be shown all the same; the list of findings says what went wrong.
        return None
    found = count_findings(findings_of(opened, report))
    return Severities(errors=found.errors, warnings=found.warnings, notes=found.notes)


def _can(studio: Studio, opened: Opened) -> Can:
    format = by_slug(opened.kept.format)
    edit = not studio.read_only and opened.paper.notice is None
    here = opened.kept.state == "here"
    return Can(
        edit=edit,
        attach=edit and "attachment" in format.can.parts,
        delete=edit and "deleted" in format.can.flags,
        roles=(format.can.roles or ROLES) if edit else (),
        save=edit and here,
        session=session_kind(opened.kept) is not None,
        why_not=_why_not(studio, opened, here=here),
    )


def _why_not(studio: Studio, opened: Opened, *, here: bool) -> str | None:
    if studio.read_only:
        return "this studio only shows"
    if opened.paper.notice is not None:
        return opened.paper.notice
    return None if here else "its file is gone; it can be saved as another one"


def _siblings(opened: Opened) -> tuple[str, ...]:
    count = len(opened.document.conversations)
    if count < 2:
        return ()
    return tuple(str(Name(opened.kept.source, each)) for each in range(min(count, SEVERAL)))
