"""The ids of the conversations in a source: those of the source, made unique within it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from functools import cached_property
from typing import TYPE_CHECKING

from talktree.model.entries import Head
from talktree.model.message import Message

if TYPE_CHECKING:
    from talktree.model.conversation import Conversation


class SourceIndex:
    """The conversations of one source as they were read, and their ids."""

    def __init__(self) -> None:
        self.conversations: list[Conversation] = []

    @cached_property
    def ids(self) -> dict[str, str]:
        """The id of each conversation, by its key in the source.

        Without an id, a conversation has the name of its file or folder. Conversations with the
        same id have their keys as ids.
        """
        claims = {
            each.id: find_native_id(each) or each.id.rpartition("/")[2]
            for each in self.conversations
        }
        counts = Counter(claims.values())
        return {key: id if id and counts[id] == 1 else key for key, id in claims.items()}


def find_native_id(conversation: Conversation) -> str | None:
    """Return the id in the records of a conversation; None if there is none.

    A record that opens the conversation decides. Otherwise it is the session (for a sub-agent, the
    agent) of the last message that names one; the first one of sidechains is used only if no other
    message has one.
    """
    for entry in conversation.entries_at(list(_positions_before_messages(conversation))):
        if isinstance(entry, Head) and entry.id:
            return entry.id
    for position in _iterate_backwards(conversation):
        entry = conversation.entry(position)
        if isinstance(entry, Message) and (entry.agent or entry.session):
            return entry.agent or entry.session
    return None


def _positions_before_messages(conversation: Conversation) -> Iterable[int]:
    """Return the positions before the first message."""
    traits = conversation.skeleton.traits
    first = next((position for position, trait in enumerate(traits) if trait), len(traits))
    return range(first)


def _iterate_backwards(conversation: Conversation) -> Iterator[int]:
    """Yield the positions of messages, the last first; then those of sidechains in order."""
    skeleton = conversation.skeleton
    places = range(len(skeleton))
    yield from (
        each for each in reversed(places) if skeleton.traits[each] and not skeleton.sidechain[each]
    )
    yield from (each for each in places if skeleton.traits[each] and skeleton.sidechain[each])
