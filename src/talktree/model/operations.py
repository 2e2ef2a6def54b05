"""Edit operations as values, so that they can be stored and repeated.

An operation names everything it makes, ids and times included: applied again to the same
conversation, it gives the same result. Only `ReplaceText`, `ChangeRole`, `MoveMessage` and
`SwapMessages` change existing messages; even these are undone by leaving them out.

The functions make operations from requests. A request only names the message it concerns; here it
gets new times and, in the way of the format (`new_id`), new ids.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from typing import Any, TypeAlias
from uuid import uuid4

from msgspec import Struct
from msgspec.structs import replace as with_fields

from talktree.errors import UsageError
from talktree.model import edit
from talktree.model.conversation import Conversation
from talktree.model.inferred_links import SEQUENCE
from talktree.model.message import DELETED, Author, Context, Message, ThinkingLevel, ThinkingSetting
from talktree.model.parts import NOTHING, Artifact, Attachment, Part, Text
from talktree.model.skeleton import ROOT
from talktree.text.times import MILLI


class ReplyTo(Struct, frozen=True, kw_only=True, tag="reply"):
    """Add a message below another one, or a new root."""

    id: str
    parent: str | None
    text: str
    role: str = "user"
    time: int | None = None
    author: Author | None = None
    """The writer, if that is more than the role."""
    thinking: str | None = None
    """The level of thinking that it requests."""
    context: Context | None = None
    """Where it was written; None means the same as the message above it."""


class ReviseMessage(Struct, frozen=True, kw_only=True, tag="revise"):
    """Add a message with another text beside the old one: a new branch."""

    id: str
    about: str
    text: str
    time: int | None = None


class ReplaceText(Struct, frozen=True, kw_only=True, tag="replace"):
    """Change the text of a message itself."""

    about: str
    text: str


class CloneMessage(Struct, frozen=True, kw_only=True, tag="clone"):
    """Copy a message beside it, with everything below it if new ids for that are given."""

    about: str
    ids: dict[str, str]
    """The ids of the copies, by the ids of the originals."""


class ChangeRole(Struct, frozen=True, kw_only=True, tag="retype"):
    """Change the role of a message."""

    about: str
    role: str


class DeleteMessage(Struct, frozen=True, kw_only=True, tag="delete"):
    """Mark a message as deleted; it stays where it is."""

    about: str


class UndeleteMessage(Struct, frozen=True, kw_only=True, tag="undelete"):
    """Remove the deleted mark."""

    about: str


class RemoveMessage(Struct, frozen=True, kw_only=True, tag="remove"):
    """Remove a message; its children become children of its parent."""

    about: str


class MoveMessage(Struct, frozen=True, kw_only=True, tag="move"):
    """Move a message with everything below it under another one, or make it a root."""

    about: str
    to: str | None


class SwapMessages(Struct, frozen=True, kw_only=True, tag="swap"):
    """Swap two messages; the children of each place stay there."""

    about: str
    other: str


class AttachFile(Struct, frozen=True, kw_only=True, tag="attach"):
    """Attach a file to a message."""

    about: str
    name: str | None
    media_type: str
    url: str
    extra: dict[str, Any] = {}
    """Further native keys of the format."""


class AddArtifact(Struct, frozen=True, kw_only=True, tag="artifact"):
    """Add an artifact to a message: code, a page, a diagram."""

    about: str
    id: str
    title: str
    content: str
    media_type: str | None = None
    """None if the format derives it from the title and the content."""


Operation: TypeAlias = (
    ReplyTo
    | ReviseMessage
    | ReplaceText
    | CloneMessage
    | ChangeRole
    | DeleteMessage
    | UndeleteMessage
    | RemoveMessage
    | MoveMessage
    | SwapMessages
    | AttachFile
    | AddArtifact
)


def apply_operation(conversation: Conversation, operation: Operation) -> Conversation:
    """Return the conversation after an operation."""
    match operation:
        case ReplyTo():
            return _add_reply(conversation, operation)
        case ReviseMessage(about=about, text=text):
            new = with_fields(
                edit.with_text(conversation[about], text),
                id=operation.id,
                parent=_find_parent(conversation, about),
                time_ns=operation.time,
            )
            return edit.append(conversation, _without_api_reply(new))
        case ReplaceText(about=about, text=text):
            return edit.set_text(conversation, about, text)
        case CloneMessage():
            return _clone_below(conversation, operation)
        case ChangeRole(about=about, role=role):
            return _replace_fields(conversation, about, role=role)
        case DeleteMessage(about=about):
            return _replace_fields(conversation, about, flags=conversation[about].flags | {DELETED})
        case UndeleteMessage(about=about):
            return _replace_fields(conversation, about, flags=conversation[about].flags - {DELETED})
        case RemoveMessage(about=about):
            return edit.remove(conversation, [about])
        case MoveMessage(about=about, to=to):
            return edit.move(conversation, about, to=to)
        case SwapMessages(about=about, other=other):
            return _swap_messages(conversation, about, other)
        case AttachFile(about=about):
            return _replace_fields(
                conversation, about, parts=_add_attachment(conversation[about], operation)
            )
        case AddArtifact(about=about):
            made = Artifact(operation.id, operation.media_type, operation.title, operation.content)
            return _replace_fields(conversation, about, parts=(*conversation[about].parts, made))


def _add_attachment(message: Message, attach: AttachFile) -> tuple[Part, ...]:
    """Return the parts with a file after the text and the existing files."""
    part = Attachment(attach.name, attach.media_type, attach.url, attach.extra)
    parts = message.parts
    before = (at for at, each in enumerate(parts, 1) if isinstance(each, Text | Attachment))
    place = max(before, default=len(parts))
    return (*parts[:place], part, *parts[place:])


def _replace_fields(conversation: Conversation, id: str, **fields: object) -> Conversation:
    return edit.replace(conversation, id, with_fields(conversation[id], **fields))


def _add_reply(conversation: Conversation, reply: ReplyTo) -> Conversation:
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


def _without_api_reply(message: Message) -> Message:
    """Remove the data of the API reply it was made from, so that its cost is not counted again."""
    if message.usage is None and message.api_message is None:
        return message
    return with_fields(message, usage=None, api_message=None, model=None, extra=NOTHING)


def _clone_below(conversation: Conversation, clone: CloneMessage) -> Conversation:
    first = conversation[clone.about].id
    for old, new in clone.ids.items():
        message = conversation[old]
        parent = _find_parent(conversation, old)
        if message.id == first:
            message = with_fields(message, time_ns=_find_free_time(conversation, old))
        else:
            if parent not in clone.ids:
                raise UsageError(f"{old} does not follow a message that is copied")
            parent = clone.ids[parent]
        conversation = edit.append(
            conversation, _without_api_reply(with_fields(message, id=new, parent=parent))
        )
    return conversation


def _find_parent(conversation: Conversation, id: str) -> str | None:
    """Return the parent of a message, also where only the order of the file defines it."""
    skeleton, position = conversation.skeleton, conversation.find_position(id)
    named = conversation[id].parent
    if named is None and skeleton.linked.get(position) == SEQUENCE:
        return skeleton.ids[skeleton.parents[position]]
    return named


def _find_free_time(conversation: Conversation, id: str) -> int | None:
    """Return the time of a message, or the next one that none of its siblings has.

    Where programs write messages again, a sibling of the same time would be taken for a replay.
    """
    skeleton, position = conversation.skeleton, conversation.find_position(id)
    time = conversation[id].time_ns
    if time is None or not skeleton.habits.replays:
        return time
    above = skeleton.parents[position]
    taken = {skeleton.times[at] for at, up in enumerate(skeleton.parents) if up == above}
    while time in taken:
        time += MILLI
    return time


def _swap_messages(conversation: Conversation, about: str, other: str) -> Conversation:
    """Give each the other's parent and children; if one follows the other, reverse them."""
    one, two = conversation[about], conversation[other]
    if one.id == two.id:
        raise UsageError("a message cannot change places with itself")
    turned = {one.id: two.id, two.id: one.id}
    changed = dict(conversation.changed)
    for message in _find_neighbors(conversation, one.id, two.id):
        parent = message.parent
        if message.id in turned:
            # It moves to the other one's parent; that may be itself.
            parent = (two if message.id == one.id else one).parent
            parent = turned[message.id] if parent == message.id else parent
        elif parent is not None:
            parent = turned.get(parent, parent)
        number = conversation.members[conversation.find_position(message.id)]
        changed[number] = with_fields(message, parent=parent)
    # Together: in between, two messages would follow each other.
    return conversation.with_entries(conversation.members, changed)


def _find_neighbors(conversation: Conversation, *ids: str) -> Iterator[Message]:
    """Return some messages and their children."""
    places = {conversation.find_position(id) for id in ids}
    for position, parent in enumerate(conversation.skeleton.parents):
        if position in places or parent in places:
            entry = conversation.entry(position)
            if isinstance(entry, Message):
                yield entry


MILLISECOND = 1_000_000

NewId = Callable[[int], str]
"""Makes an id for a message with a time."""


def make_random_id(moment: int) -> str:
    """Return a new unique id."""
    return str(uuid4())


def reply(
    conversation: Conversation,
    parent: str | None,
    text: str,
    role: str = "user",
    *,
    new_id: NewId = make_random_id,
    time: int | None = None,
    author: Author | None = None,
    thinking: ThinkingLevel | None = None,
    context: Context | None = None,
) -> ReplyTo:
    """Return the operation that adds a message below another one; None makes it a root."""
    above = None if parent is None else conversation[parent].id
    time = now() if time is None else time
    return ReplyTo(
        id=new_id(time),
        parent=above,
        text=text,
        role=role,
        time=time,
        author=author,
        thinking=thinking,
        context=context,
    )


def revise(
    conversation: Conversation, about: str, text: str, *, new_id: NewId = make_random_id
) -> ReviseMessage:
    """Return the operation that rewrites a message as a branch beside it."""
    time = now()
    return ReviseMessage(id=new_id(time), about=conversation[about].id, text=text, time=time)


def replace(conversation: Conversation, about: str, text: str) -> ReplaceText:
    """Return the operation that rewrites a message itself."""
    message = conversation[about]
    if message.text == text:
        raise _nothing_error("it says just that already")
    return ReplaceText(about=message.id, text=text)


def artifact(
    conversation: Conversation,
    about: str,
    title: str,
    content: str,
    media_type: str | None = None,
    *,
    new_id: NewId = make_random_id,
) -> AddArtifact:
    """Return the operation that adds an artifact to a message."""
    return AddArtifact(
        about=conversation[about].id,
        id=new_id(now()),
        title=title,
        content=content,
        media_type=media_type,
    )


def retype(conversation: Conversation, about: str, role: str) -> ChangeRole:
    """Return the operation that changes the role of a message."""
    message = conversation[about]
    if message.role == role:
        raise _nothing_error(f"its role is {role} already")
    return ChangeRole(about=message.id, role=role)


def delete(conversation: Conversation, about: str) -> DeleteMessage:
    """Return the operation that marks a message as deleted."""
    message = conversation[about]
    if DELETED in message.flags:
        raise _nothing_error("it is marked as deleted already")
    return DeleteMessage(about=message.id)


def undelete(conversation: Conversation, about: str) -> UndeleteMessage:
    """Return the operation that removes the deleted mark."""
    message = conversation[about]
    if DELETED not in message.flags:
        raise _nothing_error("it is not marked as deleted")
    return UndeleteMessage(about=message.id)


def remove(conversation: Conversation, about: str) -> RemoveMessage:
    """Return the operation that removes a message."""
    return RemoveMessage(about=conversation[about].id)


def clone(
    conversation: Conversation, about: str, *, below: bool = False, new_id: NewId = make_random_id
) -> CloneMessage:
    """Return the operation that copies a message beside it, with everything below it."""
    first, time = conversation[about].id, now()
    ids = {first: new_id(time)}
    if below:
        ids |= {
            id: new_id(time) for id in _list_below(conversation, conversation.find_position(first))
        }
    return CloneMessage(about=first, ids=ids)


def move(conversation: Conversation, about: str, to: str | None) -> MoveMessage:
    """Return the operation that moves a message with everything below it; None makes it a root."""
    message = conversation[about]
    goal = None if to is None else conversation[to].id
    if message.parent == goal:
        raise _nothing_error("it hangs there already")
    return MoveMessage(about=message.id, to=goal)


def swap(conversation: Conversation, about: str, other: str) -> SwapMessages:
    """Return the operation that swaps two messages."""
    return SwapMessages(about=conversation[about].id, other=conversation[other].id)


def move_up(conversation: Conversation, about: str) -> MoveMessage:
    """Return the operation that moves a message under its grandparent, beside its parent."""
    message = conversation[about]
    if message.parent is None:
        raise UsageError(
            f"{message.id} follows no message", hint="a beginning cannot be popped up further"
        )
    return MoveMessage(about=message.id, to=conversation[message.parent].parent)


def _nothing_error(why: str) -> UsageError:
    return UsageError(f"nothing would change: {why}", hint="nothing was done")


def now() -> int:
    """Return the current time, in the precision that every format with times can hold."""
    return time.time_ns() // MILLISECOND * MILLISECOND


def _list_below(conversation: Conversation, top: int) -> list[str]:
    """Return the ids of all descendants of a message by the links or, in a file without links, by
    the order; parents first."""
    skeleton = conversation.skeleton
    children: dict[int, list[int]] = {}
    for position, above in enumerate(skeleton.parents):
        in_order = skeleton.linked.get(position) == SEQUENCE
        parent = above if in_order else skeleton.find_named_parent(position)
        if parent != ROOT and skeleton.traits[position] and not skeleton.is_restart(position):
            children.setdefault(parent, []).append(position)
    found: list[int] = []
    seen = {top}
    waiting = list(reversed(children.get(top, [])))
    while waiting:
        here = waiting.pop()
        if here not in seen:
            seen.add(here)
            found.append(here)
            waiting += reversed(children.get(here, []))
    return [skeleton.ids[position] for position in found]
