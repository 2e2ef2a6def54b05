"""A document with what is not wanted left out, in any format.

What is left out is left out of the bytes first: the document is written in its own format and read
again, so that nothing of it can travel along unseen.
"""

from __future__ import annotations

from array import array
from collections import Counter
from collections.abc import Mapping, Sequence

from msgspec.structs import replace

from talktree.conversion.convert import converted
from talktree.conversion.options import Made, Options
from talktree.errors import WouldLose
from talktree.export.choice import Choice
from talktree.export.detail import told
from talktree.export.hidden import find_hidden
from talktree.export.redacted_document import current_source
from talktree.export.scope import positions
from talktree.export.walk import Tell
from talktree.files import Source, parked
from talktree.formats import NATIVE, by_slug
from talktree.formats.engine import Origin, read
from talktree.model.conversation import Conversation
from talktree.model.document import Document
from talktree.model.entries import Entry, Head
from talktree.model.message import Message
from talktree.text.json.value import equal


def as_format(
    document: Document, choice: Choice, only: Sequence[int] | None, tell: Tell
) -> tuple[Made, Counter[str]]:
    """The files of a document in a format, without what the choice leaves out, and how much of
    that is left out because it is hidden."""
    left_out: Counter[str] = Counter()
    wanted = range(len(document.conversations)) if only is None else only
    hidden: dict[int, Mapping[int, str]] = {}
    for number in () if choice.include_deleted else wanted:
        conversation = document.conversations[number]
        found = find_hidden(conversation)
        hidden[number] = found.flags
        left_out += found.counts(positions(conversation, choice.scope))
    several = only is not None and len(only) < len(document.conversations)
    whole = choice.scope.leaf is None and not choice.scope.ids and not several
    if whole and choice.detail == "full" and choice.images == "keep" and not left_out:
        return converted(document, choice.to, Options()), left_out
    for number, conversation in enumerate(document.conversations):
        gone = hidden.get(number, {})
        kept = positions(conversation, choice.scope, gone) if number in wanted else []
        tell(len(kept))
        document = document.with_conversation(_left(conversation, set(kept), choice))
    return converted(_again(document), choice.to, Options(carry=False)), left_out


def _again(document: Document) -> Document:
    """The document as it is when it is read from what it would be written as."""
    origin = document.origin
    assert isinstance(origin, Origin)
    try:
        return read(current_source(document), origin.format)
    except WouldLose:
        # Not every format can hold a message of which parts are left out; ours can.
        made = converted(document, NATIVE, Options(carry=False))
        files = {path: parked(pieces) for path, pieces in made.files.items()}
        return read(Source(document.name, files, folder=made.folder), by_slug(NATIVE))


def _left(conversation: Conversation, kept: set[int], choice: Choice) -> Conversation:
    """The conversation with only some messages, and these as far as they are told."""
    bones = conversation.skeleton
    changed: dict[int, Entry] = {}
    members = array("q")
    gone: set[int] = set()
    for position, entry in enumerate(conversation.entries):
        number = conversation.members[position]
        left = _entry(entry, choice) if position in kept or not bones.traits[position] else None
        if left is None:
            gone.add(position)
            continue
        members.append(number)
        if isinstance(left, Message):
            left = replace(left, parent=_above(conversation, position, gone))
        if not equal(left, entry):
            changed[number] = left
    return conversation.with_entries(members, changed)


def _above(conversation: Conversation, position: int, gone: set[int]) -> str | None:
    bones = conversation.skeleton
    here = bones.parents[position]
    while here in gone:
        here = bones.parents[here]
    return bones.ids[here] if here >= 0 else None


def _entry(entry: Entry, choice: Choice) -> Entry | None:
    if isinstance(entry, Message):
        return told(entry, choice)
    # What goes with messages that are not there, or with files, is not shared in part.
    return entry if isinstance(entry, Head) and entry.title and entry.leaf is None else None
