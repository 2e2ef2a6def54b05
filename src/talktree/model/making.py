"""Operations as people ask for them: everything new gets its id and its time here.

An operation that is kept names all that it makes. A request only says which message it is about;
this is the one place where times and, in the way of the format (`new_id`), ids are made up.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from uuid import uuid4

from talktree.errors import UsageError
from talktree.model.conversation import Conversation
from talktree.model.inferred_links import SEQUENCE
from talktree.model.message import DELETED, Author, Context, ThinkingLevel
from talktree.model.operations import (
    AddArtifact,
    Clone,
    Delete,
    Move,
    Remove,
    Replace,
    Reply,
    Retype,
    Revise,
    Swap,
    Undelete,
)
from talktree.model.skeleton import ROOT

MILLISECOND = 1_000_000

NewId = Callable[[int], str]
"""Makes an id for a message that is written at a moment."""


def random_id(moment: int) -> str:
    """Return an id that no other message has."""
    return str(uuid4())


def reply(
    conversation: Conversation,
    parent: str | None,
    text: str,
    role: str = "user",
    *,
    new_id: NewId = random_id,
    time: int | None = None,
    author: Author | None = None,
    thinking: ThinkingLevel | None = None,
    context: Context | None = None,
) -> Reply:
    """A new message below another one; None makes it a beginning."""
    above = None if parent is None else conversation[parent].id
    time = now() if time is None else time
    return Reply(
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
    conversation: Conversation, about: str, text: str, *, new_id: NewId = random_id
) -> Revise:
    """Other words for a message, as a branch beside it."""
    time = now()
    return Revise(id=new_id(time), about=conversation[about].id, text=text, time=time)


def replace(conversation: Conversation, about: str, text: str) -> Replace:
    """Other words in the message itself."""
    message = conversation[about]
    if message.text == text:
        raise _nothing("it says just that already")
    return Replace(about=message.id, text=text)


def artifact(
    conversation: Conversation,
    about: str,
    title: str,
    content: str,
    media_type: str | None = None,
    *,
    new_id: NewId = random_id,
) -> AddArtifact:
    """Something that a message made."""
    return AddArtifact(
        about=conversation[about].id,
        id=new_id(now()),
        title=title,
        content=content,
        media_type=media_type,
    )


def retype(conversation: Conversation, about: str, role: str) -> Retype:
    """Another role for a message."""
    message = conversation[about]
    if message.role == role:
        raise _nothing(f"its role is {role} already")
    return Retype(about=message.id, role=role)


def delete(conversation: Conversation, about: str) -> Delete:
    """A message marked as deleted."""
    message = conversation[about]
    if DELETED in message.flags:
        raise _nothing("it is marked as deleted already")
    return Delete(about=message.id)


def undelete(conversation: Conversation, about: str) -> Undelete:
    """The mark taken away again."""
    message = conversation[about]
    if DELETED not in message.flags:
        raise _nothing("it is not marked as deleted")
    return Undelete(about=message.id)


def remove(conversation: Conversation, about: str) -> Remove:
    """A message taken out."""
    return Remove(about=conversation[about].id)


def clone(
    conversation: Conversation, about: str, *, below: bool = False, new_id: NewId = random_id
) -> Clone:
    """A copy of a message beside it, and of all below it."""
    first, time = conversation[about].id, now()
    ids = {first: new_id(time)}
    if below:
        ids |= {id: new_id(time) for id in _below(conversation, conversation.position(first))}
    return Clone(about=first, ids=ids)


def move(conversation: Conversation, about: str, to: str | None) -> Move:
    """A message and all below it hung elsewhere; None makes it a beginning."""
    message = conversation[about]
    goal = None if to is None else conversation[to].id
    if message.parent == goal:
        raise _nothing("it hangs there already")
    return Move(about=message.id, to=goal)


def swap(conversation: Conversation, about: str, other: str) -> Swap:
    """Two messages that change places."""
    return Swap(about=conversation[about].id, other=conversation[other].id)


def pop_up(conversation: Conversation, about: str) -> Move:
    """A message hung on its grandparent, beside its parent."""
    message = conversation[about]
    if message.parent is None:
        raise UsageError(
            f"{message.id} follows no message", hint="a beginning cannot be popped up further"
        )
    return Move(about=message.id, to=conversation[message.parent].parent)


def _nothing(why: str) -> UsageError:
    return UsageError(f"nothing would change: {why}", hint="nothing was done")


def now() -> int:
    """This moment, as precisely as every format that has times can hold it."""
    return time.time_ns() // MILLISECOND * MILLISECOND


def _below(conversation: Conversation, top: int) -> list[str]:
    """The ids of all messages that hang below one by what they say themselves or by the order of a
    file without links, parents first."""
    bones = conversation.skeleton
    children: dict[int, list[int]] = {}
    for position, above in enumerate(bones.parents):
        in_order = bones.linked.get(position) == SEQUENCE
        parent = above if in_order else bones.named_parent(position)
        if parent != ROOT and bones.traits[position] and not bones.starts_anew(position):
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
    return [bones.ids[position] for position in found]
