"""Creating drafts: of a new conversation, or of one that exists."""

from __future__ import annotations

from pathlib import Path

from talktree import api
from talktree.authoring.draft import Draft
from talktree.authoring.values import require_text
from talktree.errors import NotFound, UsageError
from talktree.files import Source
from talktree.formats import get_format, slugs
from talktree.formats.engine.new_document import make_blank_document, with_conversation
from talktree.model.document import Document
from talktree.model.message import Context


def new(format: str, *, title: str | None = None) -> Draft:
    """Return a draft of a new conversation in a format, by its name or an alias.

    Nothing is written yet.
    """
    if not isinstance(format, str):
        raise NotFound(f"no format {format!r}", hint=f"one of {', '.join(slugs())}")
    chosen = get_format(format)
    if title is not None:
        require_text(title, "a title")
    context: Context | None = None
    if chosen.records_place:
        from talktree.session.recording.context import ContextCapture

        context = ContextCapture().capture()
    return Draft(make_blank_document(chosen, title=title, context=context), context=context)


def edit(
    document: Document | str | Path | Source,
    *,
    conversation: str | None = None,
    format: str | None = None,
) -> Draft:
    """Return a draft of a document, or of the file or folder at a path.

    The document does not change. Name the conversation if there are several.
    """
    place = Path(document) if isinstance(document, str | Path) else None
    if isinstance(document, Draft):
        document = document.document
    elif not isinstance(document, Document):
        document = api.read(document, format=format, alone=True)
    document = with_conversation(document)
    if not document.format:
        raise UsageError(
            f"{document.shown} is a folder of several sources", hint="edit one of them"
        )
    chosen = document.conversation if conversation is None else document.find(conversation)
    return Draft(document, conversation=chosen.id, place=place)
