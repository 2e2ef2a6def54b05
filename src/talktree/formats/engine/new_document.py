"""New conversations: the files of a conversation without messages, and its document."""

from __future__ import annotations

from uuid import uuid4

from talktree.errors import UsageError, WouldLose
from talktree.files import Source, stem_of
from talktree.formats.engine.origin import DocumentOrigin
from talktree.formats.engine.read import read_document
from talktree.formats.format import ConversationInfo, Format
from talktree.model.conversation import Conversation
from talktree.model.document import Document
from talktree.model.message import Context
from talktree.model.operations import now
from talktree.model.skeleton import Skeleton


def make_blank_document(
    format: Format, *, title: str | None = None, context: Context | None = None
) -> Document:
    """Return a document with one conversation that has no messages yet."""
    moment = now()
    about = ConversationInfo(
        id=(name := str(uuid4())),
        format=format.info.slug,
        session=name,
        title=title,
        started=moment,
        updated=moment,
        context=context,
        habits=format.habits,
    )
    try:
        files = format.make_blank_files(about)
    except NotImplementedError:
        raise UsageError(
            f"{format.info.slug} cannot be written from nothing",
            hint="start in another format and convert it",
        ) from None
    if format.starts_folder:
        source = Source.of_files(files, name=name)
    else:
        ((path, data),) = files.items()
        source = Source.of_bytes(data, name=path)
    document = with_conversation(read_document(source, format), about)
    if title is not None and document.conversation.title != title:
        raise WouldLose(
            f"{format.info.slug} has no place for {_display_title(title)}",
            hint="leave the title out, or choose another format",
        )
    return document


def _display_title(title: str) -> str:
    return "this title" if title.strip() else "an empty title"


def with_conversation(document: Document, about: ConversationInfo | None = None) -> Document:
    """Return a document with an empty conversation to write in, if its files hold none."""
    origin = document.origin
    if document.conversations or not isinstance(origin, DocumentOrigin):
        return document
    name = stem_of(document.name)
    known = about or ConversationInfo(id=name, session=name)
    files = list(origin.source.files)
    first = Conversation(
        id=name,
        format=document.format,
        store=origin,
        members=(),
        skeleton=Skeleton(origin.format.habits),
        main_file=files[0] if len(files) == 1 else origin.format.path_for(known, name),
    )
    return document.with_these([first])
