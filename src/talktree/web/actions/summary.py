"""The summary of an open conversation: everything except its messages."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from talktree.formats import get_format
from talktree.library.branch_names import list_branch_names
from talktree.library.listing import spans_of
from talktree.model.counts import count_findings
from talktree.web.actions.undo import find_session_kind
from talktree.web.documents.cache import read_edit_history
from talktree.web.documents.cards import count_tokens, is_live
from talktree.web.documents.diagnostics import get_report, is_checked, select_findings
from talktree.web.documents.graph import list_branches
from talktree.web.documents.ids import ConversationName
from talktree.web.documents.row_list import to_milliseconds
from talktree.web.schemas.transcript import (
    AllowedActions,
    ConversationDetails,
    Severities,
    TokenUsage,
)

if TYPE_CHECKING:
    from talktree.library.database.connection import Database
    from talktree.web.documents.cache import OpenConversation
    from talktree.web.studio import StudioContext

ROLES = ("user", "assistant", "system")
SMALL = 1500
"""Largest weight of a source that is checked when it is opened."""
SEVERAL = 1000
"""Maximum number of conversations listed for one source."""


def build_summary(studio: StudioContext, opened: OpenConversation) -> ConversationDetails:
    """Return a conversation's summary in the state in which it was opened."""
    db, source = studio.cache.get_library().db, opened.kept.source
    listed = list_branches(opened, list_branch_names(db, source, opened.conversation))
    counts = opened.conversation.counts
    return ConversationDetails(
        cid=opened.cid,
        id=opened.conversation.native_id,
        title=opened.title,
        format=opened.kept.format,
        path=os.fsdecode(opened.kept.raw_path),
        size=opened.kept.size,
        stamp=opened.stamp,
        leaf=opened.leaf,
        rows=len(opened.get_rows()),
        messages=counts.messages,
        branches=listed,
        branches_total=counts.branches,
        sidechains_total=counts.sidechains,
        first=to_milliseconds(counts.first_ns),
        last=to_milliseconds(counts.last_ns),
        tokens=_count_tokens(opened, db),
        findings=count_severities(opened),
        repaired=len(opened.inferred_links),
        live=is_live(db, source),
        edited=opened.edited,
        log=read_edit_history(db, source).last or 0,
        can=_find_allowed_actions(studio, opened),
        siblings_in_source=_list_siblings(opened),
    )


def _count_tokens(opened: OpenConversation, db: Database) -> TokenUsage:
    source = opened.kept.source
    found = opened.memory.get(
        "tokens", lambda: count_tokens(db, source, _find_record_span(db, opened))
    )
    assert isinstance(found, TokenUsage)
    return found


def _find_record_span(db: Database, opened: OpenConversation) -> tuple[int, int | None]:
    spans = spans_of(db, opened.kept.source)
    return spans[opened.number] if opened.number < len(spans) else (0, None)


def count_severities(opened: OpenConversation) -> Severities | None:
    """Count findings by severity; None if checking is slow and was not requested yet."""
    if opened.paper.weight > SMALL and not is_checked(opened):
        return None
    try:
        report = get_report(opened)
    except Exception:
        # The conversation can still be shown; the list of findings reports the error.
        return None
    found = count_findings(select_findings(opened, report))
    return Severities(errors=found.errors, warnings=found.warnings, notes=found.notes)


def _find_allowed_actions(studio: StudioContext, opened: OpenConversation) -> AllowedActions:
    format = get_format(opened.kept.format)
    edit = not studio.read_only and opened.paper.notice is None
    here = opened.kept.state == "here"
    return AllowedActions(
        edit=edit,
        attach=edit and "attachment" in format.can.parts,
        delete=edit and "deleted" in format.can.flags,
        roles=(format.can.roles or ROLES) if edit else (),
        save=edit and here,
        session=find_session_kind(opened.kept) is not None,
        why_not=_explain_unsavable(studio, opened, here=here),
    )


def _explain_unsavable(
    studio: StudioContext, opened: OpenConversation, *, here: bool
) -> str | None:
    if studio.read_only:
        return "this studio only shows"
    if opened.paper.notice is not None:
        return opened.paper.notice
    return None if here else "its file is gone; it can be saved as another one"


def _list_siblings(opened: OpenConversation) -> tuple[str, ...]:
    count = len(opened.document.conversations)
    if count < 2:
        return ()
    return tuple(
        str(ConversationName(opened.kept.source, each)) for each in range(min(count, SEVERAL))
    )
