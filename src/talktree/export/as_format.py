"""A document without what the options exclude, in any format.

Excluded content is first removed from the bytes: the document is written in its own format and read
again, so that it cannot remain in the embedded source data.
"""

from __future__ import annotations

from array import array
from collections import Counter
from collections.abc import Mapping, Sequence

from msgspec.structs import replace

from talktree.conversion.convert import convert_conversations
from talktree.conversion.options import ConversionResult, Options
from talktree.errors import WouldLose
from talktree.export.choice import ExportOptions
from talktree.export.detail import select_detail
from talktree.export.hidden import find_hidden
from talktree.export.redacted_document import current_source
from talktree.export.scope import select_positions
from talktree.export.walk import Tell
from talktree.files import Source, park_pieces
from talktree.formats import NATIVE, get_format
from talktree.formats.engine import DocumentOrigin, read_document
from talktree.model.conversation import Conversation
from talktree.model.document import Document
from talktree.model.entries import Entry, Head
from talktree.model.message import Message
from talktree.text.json.value import is_equal


def convert_selection(
    document: Document, choice: ExportOptions, only: Sequence[int] | None, tell: Tell
) -> tuple[ConversionResult, Counter[str]]:
    """Convert a document without what the options exclude.

    Returns the files, and how many hidden items are left out.
    """
    left_out: Counter[str] = Counter()
    wanted = range(len(document.conversations)) if only is None else only
    hidden: dict[int, Mapping[int, str]] = {}
    for number in () if choice.include_deleted else wanted:
        conversation = document.conversations[number]
        found = find_hidden(conversation)
        hidden[number] = found.flags
        left_out += found.count_kinds(select_positions(conversation, choice.scope))
    several = only is not None and len(only) < len(document.conversations)
    whole = choice.scope.leaf is None and not choice.scope.ids and not several
    if whole and choice.detail == "full" and choice.images == "keep" and not left_out:
        return convert_conversations(document, choice.to, Options()), left_out
    for number, conversation in enumerate(document.conversations):
        gone = hidden.get(number, {})
        kept = select_positions(conversation, choice.scope, gone) if number in wanted else []
        tell(len(kept))
        document = document.with_conversation(_select_messages(conversation, set(kept), choice))
    return convert_conversations(
        _reread_document(document), choice.to, Options(carry=False)
    ), left_out


def _reread_document(document: Document) -> Document:
    """Return the document as it is read from what would be written for it."""
    origin = document.origin
    assert isinstance(origin, DocumentOrigin)
    try:
        return read_document(current_source(document), origin.format)
    except WouldLose:
        # Not every format can hold a message with parts left out; Talktree's own can.
        made = convert_conversations(document, NATIVE, Options(carry=False))
        files = {path: park_pieces(pieces) for path, pieces in made.files.items()}
        return read_document(Source(document.name, files, folder=made.folder), get_format(NATIVE))


def _select_messages(
    conversation: Conversation, kept: set[int], choice: ExportOptions
) -> Conversation:
    """Return the conversation with only some messages, reduced to the chosen detail."""
    skeleton = conversation.skeleton
    changed: dict[int, Entry] = {}
    members = array("q")
    gone: set[int] = set()
    for position, entry in enumerate(conversation.entries):
        number = conversation.members[position]
        left = (
            _select_entry(entry, choice)
            if position in kept or not skeleton.traits[position]
            else None
        )
        if left is None:
            gone.add(position)
            continue
        members.append(number)
        if isinstance(left, Message):
            left = replace(left, parent=_find_remaining_parent(conversation, position, gone))
        if not is_equal(left, entry):
            changed[number] = left
    return conversation.with_entries(members, changed)


def _find_remaining_parent(conversation: Conversation, position: int, gone: set[int]) -> str | None:
    skeleton = conversation.skeleton
    here = skeleton.parents[position]
    while here in gone:
        here = skeleton.parents[here]
    return skeleton.ids[here] if here >= 0 else None


def _select_entry(entry: Entry, choice: ExportOptions) -> Entry | None:
    if isinstance(entry, Message):
        return select_detail(entry, choice)
    # What belongs to missing messages, or to files, is not shared in part.
    return entry if isinstance(entry, Head) and entry.title and entry.leaf is None else None
