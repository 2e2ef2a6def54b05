"""The records of a conversation in the current version of their own format.

A current record stays unchanged; an older one is rewritten. Ids stay, except missing and duplicate
ones.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from msgspec.structs import replace

from talktree.conversion.about import build_conversation_info
from talktree.conversion.compare import find_message_losses, find_other_losses
from talktree.conversion.fit import FittedMessage, resolve_seams
from talktree.conversion.ids import make_target_id
from talktree.conversion.losses import Loss
from talktree.conversion.map_entries import EntryMapper, HeldEntry
from talktree.conversion.part_map import make_whole_seam
from talktree.conversion.plan import RecordPlan
from talktree.conversion.surrogates import join_surrogates
from talktree.formats.engine import DocumentOrigin
from talktree.formats.format import ConversationInfo, Format, Record
from talktree.formats.migration import Renewal
from talktree.model.conversation import Conversation
from talktree.model.entries import Entry, Head
from talktree.model.message import Message
from talktree.model.skeleton import ROOT

LOOKED_AT = 20
"""Maximum number of messages that are searched for the session's id."""
ANY_MESSAGE = Message()


def build_own_info(
    conversation: Conversation, heads: Sequence[Head], renewal: Renewal
) -> ConversationInfo:
    """Return the facts of a conversation; its session keeps its name."""
    found = renewal.complete_about(build_conversation_info(conversation, renewal.format), heads)
    nodes = [position for position, trait in enumerate(conversation.skeleton.traits) if trait]
    first = conversation.entries_at(nodes[:LOOKED_AT])
    named = [each.session for each in first if isinstance(each, Message) and each.session]
    named += [head.id for head in heads if head.id]
    return replace(found, session=named[0]) if named else found


class MigrationMapper(EntryMapper):
    """Maps the entries of a conversation to the current version of their format."""

    def __init__(
        self,
        conversation: Conversation,
        origin: DocumentOrigin,
        target: Format,
        about: ConversationInfo,
        plan: RecordPlan,
        renewal: Renewal,
        *,
        carry: bool,
        folder: bool,
    ) -> None:
        super().__init__(conversation, origin, target, about, plan, carry=carry)
        self.renewal = renewal
        self._folder = folder
        self._by_name = origin.links(conversation) in ("own", None)
        """Whether records name their parents."""

    # names

    def new_id(self, position: int) -> str:
        alias = self.skeleton.ids[position]
        if position not in self.skeleton.native:
            return alias
        name = self.renewal.make_id(alias, self.about, moment=self._moments[position])
        return make_target_id(name, self.conversation.id, self.target)

    def _rename_message(self, position: int, message: Message, own: Message) -> Message:
        """Return a message with its own new name and those of its neighbours."""
        above = self.skeleton.parents[position]
        parent, follows = own.parent, own.follows
        if above != ROOT:
            if position not in self.skeleton.linked:
                parent = self.new_id(above)
            elif above in self.skeleton.native and follows is not None:
                follows = self.new_id(above)
        return replace(message, id=self.new_id(position), parent=parent, follows=follows)

    # records

    def strip_embedded(self, record: Record) -> Record:
        """Return a record without the embedded data of an earlier migration."""
        return replace(record, value=self.target.take_carry(record.value)[1])

    def convert_records(self, records: Sequence[Record]) -> list[HeldEntry]:
        return [self.convert_record(record.line, record) for record in records]

    def convert_record(self, position: int, record: Record) -> HeldEntry:
        """Return what the current version holds of a record."""
        record = self.strip_embedded(record)
        entry = self.source.get(record)
        if not isinstance(entry, Message):
            return self._convert_as_other(position, record, entry)
        own = self.source.get(replace(record, id="", parent=None))
        assert isinstance(own, Message)
        wanted = self._rename_message(position, entry, own)
        value = record.value
        if self._is_old(record, entry, own, wanted):
            moment = self._moments[position]
            value = join_surrogates(
                self.renewal.migrate_value(record, wanted, self.about, moment=moment)
            )
        seen = self.target.get(
            Record(value, parent=self._find_parent_name(position), path=record.path)
        )
        assert isinstance(seen, Message)
        draft = FittedMessage(entry, [make_whole_seam(at) for at in range(len(entry.parts))])
        seams = resolve_seams(draft, seen.parts)
        losses = find_message_losses(entry, seen, seams, self.how, name=entry.id)
        held = HeldEntry(value, seen, seams, [*losses, *self._find_name_losses(own, seen)])
        held.own = entry.parts
        return held

    def convert_message(self, position: int, message: Message) -> HeldEntry:
        number = self.conversation.members[position]
        names = self.conversation.names(position)
        return self.convert_record(position, self.origin.record(number, *names))

    def _is_old(self, record: Record, entry: Message, own: Message, wanted: Message) -> bool:
        if own.id != wanted.id or own.follows != wanted.follows:
            return True
        if self._by_name and own.parent != wanted.parent:
            return True
        return any(self.renewal.describe_old_record(record, entry, self.about))

    def _find_parent_name(self, position: int) -> str | None:
        """Return the name of its parent for a reader of the new file, if it is named."""
        above = self.skeleton.parents[position]
        return None if above == ROOT or position in self.skeleton.linked else self.new_id(above)

    def _find_name_losses(self, own: Message, seen: Message) -> Iterator[Loss]:
        if own.id and own.id != seen.id:
            yield Loss("id", own.id, own.id[:80], self.how)

    def _convert_as_other(self, position: int, record: Record, entry: Entry) -> HeldEntry:
        depth = self._find_depth(position)
        value = join_surrogates(self.renewal.migrate_other(record, entry, self.about, depth=depth))
        path = self.choose_file(position, entry)
        seen = self.target.get(Record(value, path=path))
        return HeldEntry(value, seen, losses=find_other_losses(entry, seen, self.how))

    def convert_unchanged(self, entry: Entry) -> HeldEntry:
        value = join_surrogates(self.target.put(entry, None))
        path = self.choose_file(0, entry) if self.conversation.record_count else ""
        return HeldEntry(value, self.target.get(Record(value, path=path)))

    # places

    def choose_file(self, position: int, entry: Entry = ANY_MESSAGE) -> str:
        """Return the file that an entry goes to."""
        which, _ = self.origin.sheet_of(self.conversation.members[position])
        return self.renewal.choose_file(self.origin.sheets[which], entry, folder=self._folder)

    def _find_depth(self, position: int) -> int:
        which, index = self.origin.sheet_of(self.conversation.members[position])
        return self.origin.sheets[which].get_context(index).depth

    def has_place(self, position: int, record: Record) -> bool:
        """Whether there is a place for a record that is not a message."""
        if not record.usable:
            return False
        record = self.strip_embedded(record)
        depth = self._find_depth(position)
        entry = self.source.get(record)
        return self.renewal.migrate_other(record, entry, self.about, depth=depth) is not None
