"""The records of a conversation in the current version of their own format.

What is current stays as it stands; an older record is written anew. Ids stay, but for those that
are missing or stand twice.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from msgspec.structs import replace

from talktree.conversion.about import about as about_of
from talktree.conversion.compare import message_losses, other_losses
from talktree.conversion.fit import Draft, settled_seams
from talktree.conversion.ids import id_for
from talktree.conversion.losses import Loss
from talktree.conversion.map_entries import Crossing, Held
from talktree.conversion.part_map import whole
from talktree.conversion.plan import Plan
from talktree.conversion.surrogates import as_written
from talktree.formats.engine import Origin
from talktree.formats.format import About, Format, Record
from talktree.formats.migration import Renewal
from talktree.model.conversation import Conversation
from talktree.model.entries import Entry, Head
from talktree.model.message import Message
from talktree.model.skeleton import ROOT

LOOKED_AT = 20
"""Among so many messages one tells the session, if any does."""
ANY_MESSAGE = Message()


def own_about(conversation: Conversation, heads: Sequence[Head], renewal: Renewal) -> About:
    """The facts of a conversation; its session goes on being called what it was called."""
    found = renewal.about(about_of(conversation, renewal.format), heads)
    nodes = [position for position, trait in enumerate(conversation.skeleton.traits) if trait]
    first = conversation.entries_at(nodes[:LOOKED_AT])
    named = [each.session for each in first if isinstance(each, Message) and each.session]
    named += [head.id for head in heads if head.id]
    return replace(found, session=named[0]) if named else found


class Renewing(Crossing):
    """Takes the entries of a conversation over into the current version of their format."""

    def __init__(
        self,
        conversation: Conversation,
        origin: Origin,
        target: Format,
        about: About,
        plan: Plan,
        renewal: Renewal,
        *,
        carry: bool,
        folder: bool,
    ) -> None:
        super().__init__(conversation, origin, target, about, plan, carry=carry)
        self.renewal = renewal
        self._folder = folder
        self._by_name = origin.links(conversation) in ("own", None)
        """Whether records name the one they hang on."""

    # names

    def new_id(self, position: int) -> str:
        alias = self.bones.ids[position]
        if position not in self.bones.native:
            return alias
        name = self.renewal.name(alias, self.about, moment=self._moments[position])
        return id_for(name, self.conversation.id, self.target)

    def _renamed(self, position: int, message: Message, own: Message) -> Message:
        """A message under the names it and its neighbours have from now on."""
        above = self.bones.parents[position]
        parent, follows = own.parent, own.follows
        if above != ROOT:
            if position not in self.bones.linked:
                parent = self.new_id(above)
            elif above in self.bones.native and follows is not None:
                follows = self.new_id(above)
        return replace(message, id=self.new_id(position), parent=parent, follows=follows)

    # records

    def bare(self, record: Record) -> Record:
        """A record without what it keeps from an earlier migration."""
        return replace(record, value=self.target.take_carry(record.value)[1])

    def held_records(self, records: Sequence[Record]) -> list[Held]:
        return [self.held_record(record.line, record) for record in records]

    def held_record(self, position: int, record: Record) -> Held:
        """What the current version makes of a record."""
        record = self.bare(record)
        entry = self.source.get(record)
        if not isinstance(entry, Message):
            return self._held_as_other(position, record, entry)
        own = self.source.get(replace(record, id="", parent=None))
        assert isinstance(own, Message)
        wanted = self._renamed(position, entry, own)
        value = record.value
        if self._is_old(record, entry, own, wanted):
            moment = self._moments[position]
            value = as_written(self.renewal.value(record, wanted, self.about, moment=moment))
        seen = self.target.get(Record(value, parent=self._named_above(position), path=record.path))
        assert isinstance(seen, Message)
        draft = Draft(entry, [whole(at) for at in range(len(entry.parts))])
        seams = settled_seams(draft, seen.parts)
        losses = message_losses(entry, seen, seams, self.how, name=entry.id)
        held = Held(value, seen, seams, [*losses, *self._name_losses(own, seen)])
        held.own = entry.parts
        return held

    def held(self, position: int, message: Message) -> Held:
        number = self.conversation.members[position]
        names = self.conversation.names(position)
        return self.held_record(position, self.origin.record(number, *names))

    def _is_old(self, record: Record, entry: Message, own: Message, wanted: Message) -> bool:
        if own.id != wanted.id or own.follows != wanted.follows:
            return True
        if self._by_name and own.parent != wanted.parent:
            return True
        return any(self.renewal.of_record(record, entry, self.about))

    def _named_above(self, position: int) -> str | None:
        """What a reader of the new file will call the message it hangs on, if it is named."""
        above = self.bones.parents[position]
        return None if above == ROOT or position in self.bones.linked else self.new_id(above)

    def _name_losses(self, own: Message, seen: Message) -> Iterator[Loss]:
        if own.id and own.id != seen.id:
            yield Loss("id", own.id, own.id[:80], self.how)

    def _held_as_other(self, position: int, record: Record, entry: Entry) -> Held:
        depth = self._depth_of(position)
        value = as_written(self.renewal.other(record, entry, self.about, depth=depth))
        path = self.home(position, entry)
        seen = self.target.get(Record(value, path=path))
        return Held(value, seen, losses=other_losses(entry, seen, self.how))

    def made_up(self, entry: Entry) -> Held:
        value = as_written(self.target.put(entry, None))
        path = self.home(0, entry) if self.conversation.record_count else ""
        return Held(value, self.target.get(Record(value, path=path)))

    # places

    def home(self, position: int, entry: Entry = ANY_MESSAGE) -> str:
        """The file an entry goes to."""
        which, _ = self.origin.sheet_of(self.conversation.members[position])
        return self.renewal.home(self.origin.sheets[which], entry, folder=self._folder)

    def _depth_of(self, position: int) -> int:
        which, index = self.origin.sheet_of(self.conversation.members[position])
        return self.origin.sheets[which].around(index).depth

    def has_place(self, position: int, record: Record) -> bool:
        """Whether there is a place for a record that is no message."""
        if not record.usable:
            return False
        record = self.bare(record)
        depth = self._depth_of(position)
        entry = self.source.get(record)
        return self.renewal.other(record, entry, self.about, depth=depth) is not None
