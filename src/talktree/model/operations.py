"""Edits as values: what is to be done with a conversation, so that it can be kept and done again.

An operation names everything it makes, ids and times included: done again on the same
conversation it gives the same conversation. None of them changes what is there but `Replace`,
`Retype`, `Move` and `Swap`; even these are undone by leaving them out.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, TypeAlias

from msgspec import Struct
from msgspec.structs import replace as with_fields

from talktree.errors import UsageError
from talktree.model import edit
from talktree.model.conversation import Conversation
from talktree.model.inferred_links import SEQUENCE
from talktree.model.message import DELETED, Author, Context, Message, ThinkingSetting
from talktree.model.parts import NOTHING, Artifact, Attachment, Part, Text
from talktree.text.times import MILLI


class Reply(Struct, frozen=True, kw_only=True, tag="reply"):
    """A new message below another one, or a new beginning."""

    id: str
    parent: str | None
    text: str
    role: str = "user"
    time: int | None = None
    author: Author | None = None
    """Who wrote it, where that is more than the role."""
    thinking: str | None = None
    """The level of thinking that it asks for."""
    context: Context | None = None
    """Where it was written; None if that is where the message above it was."""


class Revise(Struct, frozen=True, kw_only=True, tag="revise"):
    """A message with other words beside the old one: a new branch."""

    id: str
    about: str
    text: str
    time: int | None = None


class Replace(Struct, frozen=True, kw_only=True, tag="replace"):
    """Other words in a message itself."""

    about: str
    text: str


class Clone(Struct, frozen=True, kw_only=True, tag="clone"):
    """A copy of a message beside it, and of all below it if new ids for these are given."""

    about: str
    ids: dict[str, str]
    """The ids of the copies by those of what they are copies of."""


class Retype(Struct, frozen=True, kw_only=True, tag="retype"):
    """Another role for a message."""

    about: str
    role: str


class Delete(Struct, frozen=True, kw_only=True, tag="delete"):
    """A message marked as deleted; it stays where it is."""

    about: str


class Undelete(Struct, frozen=True, kw_only=True, tag="undelete"):
    """The mark taken away again."""

    about: str


class Remove(Struct, frozen=True, kw_only=True, tag="remove"):
    """A message taken out; what hung on it hangs on its parent."""

    about: str


class Move(Struct, frozen=True, kw_only=True, tag="move"):
    """A message and all below it hung on another one, or made a beginning."""

    about: str
    to: str | None


class Swap(Struct, frozen=True, kw_only=True, tag="swap"):
    """Two messages that change places; what is below each place stays there."""

    about: str
    other: str


class Attach(Struct, frozen=True, kw_only=True, tag="attach"):
    """A file that goes with a message from now on."""

    about: str
    name: str | None
    media_type: str
    url: str
    extra: dict[str, Any] = {}
    """What the format wants besides."""


class AddArtifact(Struct, frozen=True, kw_only=True, tag="artifact"):
    """Something that a message made: code, a page, a diagram."""

    about: str
    id: str
    title: str
    content: str
    media_type: str | None = None
    """None if the format tells it from the title and the content."""


Operation: TypeAlias = (
    Reply
    | Revise
    | Replace
    | Clone
    | Retype
    | Delete
    | Undelete
    | Remove
    | Move
    | Swap
    | Attach
    | AddArtifact
)


def done(conversation: Conversation, operation: Operation) -> Conversation:
    """The conversation after an operation."""
    match operation:
        case Reply():
            return _replied(conversation, operation)
        case Revise(about=about, text=text):
            new = with_fields(
                edit.with_text(conversation[about], text),
                id=operation.id,
                parent=_parent_of(conversation, about),
                time_ns=operation.time,
            )
            return edit.append(conversation, _fresh(new))
        case Replace(about=about, text=text):
            return edit.set_text(conversation, about, text)
        case Clone():
            return _cloned(conversation, operation)
        case Retype(about=about, role=role):
            return _with(conversation, about, role=role)
        case Delete(about=about):
            return _with(conversation, about, flags=conversation[about].flags | {DELETED})
        case Undelete(about=about):
            return _with(conversation, about, flags=conversation[about].flags - {DELETED})
        case Remove(about=about):
            return edit.remove(conversation, [about])
        case Move(about=about, to=to):
            return edit.move(conversation, about, to=to)
        case Swap(about=about, other=other):
            return _swapped(conversation, about, other)
        case Attach(about=about):
            return _with(conversation, about, parts=_attached(conversation[about], operation))
        case AddArtifact(about=about):
            made = Artifact(operation.id, operation.media_type, operation.title, operation.content)
            return _with(conversation, about, parts=(*conversation[about].parts, made))


def _attached(message: Message, attach: Attach) -> tuple[Part, ...]:
    """The parts with a file behind the words and the files that are there already."""
    part = Attachment(attach.name, attach.media_type, attach.url, attach.extra)
    parts = message.parts
    before = (at for at, each in enumerate(parts, 1) if isinstance(each, Text | Attachment))
    place = max(before, default=len(parts))
    return (*parts[:place], part, *parts[place:])


def _with(conversation: Conversation, id: str, **fields: object) -> Conversation:
    return edit.replace(conversation, id, with_fields(conversation[id], **fields))


def _replied(conversation: Conversation, reply: Reply) -> Conversation:
    parent = None
    near: Message | None = None
    if reply.parent is not None:
        near = conversation[reply.parent]
        parent = near.id
    message = Message(
        id=reply.id,
        parent=parent,
        role=reply.role,
        parts=(Text(reply.text),),
        time_ns=reply.time,
        authors=() if reply.author is None else (reply.author,),
        thinking=None if reply.thinking is None else ThinkingSetting(level=reply.thinking),
        session=near.session if near else None,
        context=reply.context or (near.context if near else None),
    )
    return edit.append(conversation, message)


def _fresh(message: Message) -> Message:
    """Without what belongs to the API reply it was made from: that was paid once."""
    if message.usage is None and message.api_message is None:
        return message
    return with_fields(message, usage=None, api_message=None, model=None, extra=NOTHING)


def _cloned(conversation: Conversation, clone: Clone) -> Conversation:
    first = conversation[clone.about].id
    for old, new in clone.ids.items():
        message = conversation[old]
        parent = _parent_of(conversation, old)
        if message.id == first:
            message = with_fields(message, time_ns=_own_time(conversation, old))
        else:
            if parent not in clone.ids:
                raise UsageError(f"{old} does not follow a message that is copied")
            parent = clone.ids[parent]
        conversation = edit.append(
            conversation, _fresh(with_fields(message, id=new, parent=parent))
        )
    return conversation


def _parent_of(conversation: Conversation, id: str) -> str | None:
    """The parent of a message, also where only the order of the file says which one it is."""
    bones, position = conversation.skeleton, conversation.position(id)
    named = conversation[id].parent
    if named is None and bones.linked.get(position) == SEQUENCE:
        return bones.ids[bones.parents[position]]
    return named


def _own_time(conversation: Conversation, id: str) -> int | None:
    """The time of a message, or the next one that none of its siblings has.

    Where programs write messages again, a sibling of the same time would be taken for a replay.
    """
    bones, position = conversation.skeleton, conversation.position(id)
    time = conversation[id].time_ns
    if time is None or not bones.habits.replays:
        return time
    above = bones.parents[position]
    taken = {bones.times[at] for at, up in enumerate(bones.parents) if up == above}
    while time in taken:
        time += MILLI
    return time


def _swapped(conversation: Conversation, about: str, other: str) -> Conversation:
    """Each takes the other's parent and children; where one follows the other, they turn round."""
    one, two = conversation[about], conversation[other]
    if one.id == two.id:
        raise UsageError("a message cannot change places with itself")
    turned = {one.id: two.id, two.id: one.id}
    changed = dict(conversation.changed)
    for message in _around(conversation, one.id, two.id):
        parent = message.parent
        if message.id in turned:
            # It goes to where the other one hangs; that may be on itself.
            parent = (two if message.id == one.id else one).parent
            parent = turned[message.id] if parent == message.id else parent
        elif parent is not None:
            parent = turned.get(parent, parent)
        number = conversation.members[conversation.position(message.id)]
        changed[number] = with_fields(message, parent=parent)
    # All at once: half-way two messages would follow each other.
    return conversation.with_entries(conversation.members, changed)


def _around(conversation: Conversation, *ids: str) -> Iterator[Message]:
    """Some messages and those that hang on them."""
    places = {conversation.position(id) for id in ids}
    for position, parent in enumerate(conversation.skeleton.parents):
        if position in places or parent in places:
            entry = conversation.entry(position)
            if isinstance(entry, Message):
                yield entry
