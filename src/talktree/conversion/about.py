"""The facts of a conversation that a target format is given."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from talktree.conversion.ids import is_uuid4, make_target_id, make_uuid
from talktree.formats.format import ConversationInfo, Format
from talktree.model.conversation import Conversation
from talktree.model.entries import Entry
from talktree.model.identity import find_native_id
from talktree.model.message import Context, Message
from talktree.model.skeleton import NO_TIME

LOOKED_AT = 20


class _MessageFacts(NamedTuple):
    """What messages show about their conversation."""

    session: str | None
    context: Context | None
    model: str | None


def build_conversation_info(
    conversation: Conversation,
    target: Format,
    *,
    leaf: int | None = None,
    own_id: str | None = None,
) -> ConversationInfo:
    """Return the facts of a conversation, from its skeleton and its first messages.

    `leaf` is where its active branch ends, if that is already known; `own_id` is an id to use
    instead of its own.
    """
    skeleton = conversation.skeleton
    nodes = [position for position, trait in enumerate(skeleton.traits) if trait]
    times = [skeleton.times[position] for position in nodes if skeleton.times[position] != NO_TIME]
    first = _collect_facts(conversation.entries_at(nodes[:LOOKED_AT]))
    leaf = conversation.tree.active_leaf() if leaf is None else leaf
    return ConversationInfo(
        id=conversation.id,
        format=conversation.format,
        session=_choose_session_id(conversation, first.session),
        own_id=own_id or find_own_id(conversation),
        renamed=own_id is not None,
        title=conversation.title,
        started=min(times, default=None),
        updated=max(times, default=None),
        leaf=None if leaf is None else make_target_id(skeleton.ids[leaf], conversation.id, target),
        count=len(nodes),
        context=first.context,
        model=first.model,
        habits=skeleton.habits,
    )


def find_own_id(conversation: Conversation) -> str | None:
    """Return the id of a conversation in its source, if no other conversation there has it."""
    found = find_native_id(conversation)
    return found if found == conversation.native_id else None


def _collect_facts(entries: Iterable[Entry]) -> _MessageFacts:
    """Collect facts from the first entries; reading stops when the last fact is known."""
    session = context = model = None
    for each in entries:
        if isinstance(each, Message):
            session = session or each.session or None
            model = model or each.model or None
            context = each.context if context is None else context
            if session and model and context is not None:
                break
    return _MessageFacts(session, context, model)


def _choose_session_id(conversation: Conversation, named: str | None) -> str:
    stem = conversation.id.rpartition("/")[2]
    if named is None or not is_uuid4(named):
        named = stem if is_uuid4(stem) else named or stem
    return make_uuid(named, "")
