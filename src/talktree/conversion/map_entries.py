"""Mapping the entries of a conversation to another format, and what the format holds of each."""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any

from msgspec import Struct
from msgspec.structs import replace

from talktree.conversion import part_map
from talktree.conversion.attachments import AttachmentContents
from talktree.conversion.compare import find_message_losses, find_other_losses
from talktree.conversion.embed import TOKEN, plain_text, text_checksum
from talktree.conversion.fit import FittedMessage, fit_message, resolve_seams
from talktree.conversion.ids import CallNames, make_target_id
from talktree.conversion.losses import Kept, Loss
from talktree.conversion.plan import RecordPlan
from talktree.conversion.surrogates import join_surrogates, shows_as_written
from talktree.formats.engine import DocumentOrigin
from talktree.formats.format import ConversationInfo, Format, Record
from talktree.model.conversation import Conversation
from talktree.model.entries import Entry, Head, Snapshot
from talktree.model.message import Message
from talktree.model.parts import Part
from talktree.model.skeleton import FURTHEST, NO_TIME, ROOT
from talktree.text.json.value import Json
from talktree.text.times import MILLI, is_ambiguous

if TYPE_CHECKING:
    from talktree.conversion.refine import Refinement


LONG = 1 << 20
"""The bytes of longer records are not held while their entries are written."""


class HeldEntry(Struct):
    """What a format holds of one entry: its native value, and that value read again."""

    value: Any
    seen: Entry
    seams: Sequence[part_map.Seam] = ()
    losses: Sequence[Loss] = ()
    own: Sequence[Part] = ()
    """Its parts in the source."""
    under: str | None = None
    """Its parent, if the source's own record does not name it."""
    sum: str | None = None
    """The checksum of the entry that is read again, if known."""


class EntryMapper:
    """Maps the entries of a conversation to a format."""

    def __init__(
        self,
        conversation: Conversation,
        origin: DocumentOrigin,
        target: Format,
        about: ConversationInfo,
        plan: RecordPlan,
        *,
        carry: bool,
        outside: AttachmentContents | None = None,
        refinement: Refinement | None = None,
    ) -> None:
        self.conversation = conversation
        self.refinement = refinement
        """What the records embed of the messages that they show."""
        self.origin = origin
        self.source = origin.format
        self.target = target
        self.about = about
        self.plan = plan
        self.how: Kept = "carried" if carry else "lost"
        self.outside = outside or AttachmentContents("inline")
        self.skeleton = conversation.tree.skeleton
        self._extra = self.source.lens is target.lens or target.can.everything
        self._as_it_is = self.outside.policy == "inline" and target.can.calls == "loose"
        """Whether messages keep their attachments and calls without preparation."""

    @property
    def can_be_shared(self) -> bool:
        """Whether records can be mapped independently, by several processes."""
        return self.outside.policy == "inline"

    def prepare(self) -> None:
        """Compute in advance what every record needs."""
        _ = self._moments
        if self.target.can.calls != "loose":
            _ = self._call_names

    # names and places

    def new_id(self, position: int) -> str:
        """Return the id of a message in the target."""
        refined = self.refinement
        name = self.skeleton.ids[position] if refined is None else refined.find_name(position)
        return make_target_id(name, self.conversation.id, self.target)

    def _new_name(self, name: str | None) -> str | None:
        return None if name is None else make_target_id(name, self.conversation.id, self.target)

    def find_parent_position(self, position: int) -> int:
        """Return the position of a message's parent in the target."""
        found = self.plan.parents.get(position)
        return self.skeleton.parents[position] if found is None else found

    def _new_parent(self, position: int, message: Message) -> str | None:
        if self.target.can.everything and position not in self.plan.parents:
            return message.parent
        above = self.find_parent_position(position)
        return None if above == ROOT else self.new_id(above)

    @cached_property
    def _moments(self) -> array[int]:
        """For each record its time or the nearest known time before it.

        Siblings get different times: with the same time they would be taken for one message.
        """
        last = self.about.started or 0
        siblings: dict[int, int] = {}
        moments = array("q")
        for time, above in zip(self.skeleton.times, self.skeleton.parents, strict=True):
            number = siblings.get(above, 0)
            if time == NO_TIME:
                moments.append(min(last + number * MILLI, FURTHEST))
            else:
                last = time
                moments.append(last)
            siblings[above] = number + 1
        return moments

    def _prepare_message(self, position: int, message: Message) -> Message:
        """Return a message with the attachments and calls for the target."""
        where = self.conversation, position
        if self.refinement is not None:
            where = self.refinement.where.get(position, where)
        shown = self.outside.extract_attachments(message, *where)
        loose = self.target.can.calls == "loose"
        return shown if loose else self._call_names.rename_calls(shown)

    @cached_property
    def _call_names(self) -> CallNames:
        places = [place for place in self.plan.order if self.skeleton.traits[place]]
        found = self.conversation.entries_at(places)
        said: Iterator[Message] = (each for each in found if isinstance(each, Message))
        if self.refinement is not None:
            said = iter(self._refine_messages(places, list(said)))
        return CallNames(said, self.target.can)

    # what the target holds

    def convert_records(self, records: Sequence[Record]) -> list[HeldEntry]:
        """Return what the target holds of some records; `line` is the position of each.

        The bytes of long records are released; they are read again to embed them.
        """
        others = self.plan.others
        details = [record for record in records if record.line not in others]
        said = list(map(self._read_message, details))
        for record in details:
            if len(record.raw) > LONG:
                record.raw = b""
        held = iter(self._convert_messages([record.line for record in details], said))
        if len(details) == len(records):
            return list(held)
        return [
            self._convert_other(record.line, self.source.get(record))
            if record.line in others
            else next(held)
            for record in records
        ]

    def preview_records(self, records: Sequence[Record]) -> list[Entry]:
        """Return what the target shows of some records, without finding losses."""
        others = self.plan.others
        details = [record for record in records if record.line not in others]
        positions = [record.line for record in details]
        messages = self._refine_messages(positions, list(map(self._read_message, details)))
        drafts = list(map(self._draft_message, positions, messages))
        seen = iter(
            list(map(self._preview_message, map(self._adopt_message, positions, drafts), drafts))
        )
        return [
            self._convert_other(record.line, self.source.get(record)).seen
            if record.line in others
            else next(seen)
            for record in records
        ]

    def convert_record(self, position: int, record: Record) -> HeldEntry:
        """Return what the target holds of a record at a position."""
        record.line = position
        return self.convert_records([record])[0]

    def _read_message(self, record: Record) -> Message:
        # Its embedded data is not content; its bytes include it.
        record.value = self.source.take_carry(record.value)[1]
        message = self.source.get(record)
        assert isinstance(message, Message)
        return message

    def convert_message(self, position: int, message: Message) -> HeldEntry:
        """Return what the target holds of a message at a position."""
        return self._convert_messages([position], [message])[0]

    def _convert_messages(
        self, positions: Sequence[int], messages: Iterable[Message]
    ) -> list[HeldEntry]:
        """Return what the target holds of messages, one step for all of them before the next.

        This is faster than all steps for each message, because each step's data stays in the
        caches.
        """
        messages = self._refine_messages(positions, list(messages))
        drafts = list(map(self._draft_message, positions, messages))
        adopted = list(map(self._adopt_message, positions, drafts))
        meant = [self.target.put(each, None) for each in adopted]
        held = list(map(self._reread_message, meant, adopted, drafts))
        for position, each, message, draft in zip(positions, held, messages, drafts, strict=True):
            self._compare_message(position, each, message, draft)
        for each, position in zip(held, positions, strict=True):
            each.value = self.target.place_adopted(each.value, self.skeleton, position)
        return held

    def _refine_messages(self, positions: Sequence[int], messages: list[Message]) -> list[Message]:
        """Return the messages, with all that their records embed of them."""
        if self.refinement is None:
            return messages
        refined = self.refinement.find_messages(positions)
        return [
            self.refinement.relocate_message(position, refined[position], message)
            if position in refined
            else message
            for position, message in zip(positions, messages, strict=True)
        ]

    def _keeps_extra(self, position: int) -> bool:
        """Whether members of the message's own format keep their meaning in the target."""
        if self.refinement is None or position not in self.refinement.where:
            return self._extra
        return self.refinement.format.lens is self.target.lens or self.target.can.everything

    def _draft_message(self, position: int, message: Message) -> FittedMessage:
        return fit_message(
            message if self._as_it_is else self._prepare_message(position, message),
            self.target,
            extra=self._keeps_extra(position),
            id=self.new_id(position),
            parent=self._new_parent(position, message),
            follows=self._new_name(message.follows),
        )

    def _adopt_message(self, position: int, draft: FittedMessage) -> Message:
        if self.source is self.target and self.refinement is None:
            # Its own programs wrote it, so the requirements for other messages do not apply.
            return draft.message
        return self.target.adopt(draft.message, self.about, moment=self._moments[position])

    def _reread_message(self, meant: Json, adopted: Message, draft: FittedMessage) -> HeldEntry:
        """Return what was written as it is read."""
        details = plain_text(adopted) if self._is_read_as_written(adopted) else None
        if details is not None and TOKEN not in details:
            seams = resolve_seams(draft, adopted.parts)
            return HeldEntry(meant, adopted, seams, sum=text_checksum(details))
        # An unpaired surrogate or a token is written unchanged, and may be read differently.
        value = join_surrogates(meant)
        seen = self._read_value(value, draft.message.parent)
        return HeldEntry(value, seen, resolve_seams(draft, seen.parts))

    def _preview_message(self, adopted: Message, draft: FittedMessage) -> Message:
        """Return the same, limited to what is shown."""
        if self._is_read_as_written(adopted) and shows_as_written(adopted):
            return adopted
        return self._read_value(
            join_surrogates(self.target.put(adopted, None)), draft.message.parent
        )

    def _is_read_as_written(self, adopted: Message) -> bool:
        """Whether a message of plain characters is read again unchanged."""
        return self.target.faithful and not is_ambiguous(adopted.time_ns)

    @cached_property
    def _duplicate_ids(self) -> dict[int, str]:
        """Shared ids of the source, by position, for messages that were renamed."""
        refined = {} if self.refinement is None else self.refinement.where
        native = self.conversation.skeleton.native
        return {place: id for place, id in native.items() if id and place not in refined}

    def _compare_message(
        self, position: int, held: HeldEntry, message: Message, draft: FittedMessage
    ) -> None:
        """Add the losses of a message."""
        seen, parent = held.seen, draft.message.parent
        assert isinstance(seen, Message)
        held.own = message.parts
        losses = find_message_losses(message, seen, held.seams, self.how, name=message.id)
        astray = message.parent != parent and self._new_name(message.parent) != parent
        if astray and parent is not None:
            held.under = parent
        if astray or seen.id != message.id or message.follows is not None:
            losses += self._find_place_losses(position, message, seen, parent)
        elif position in self._duplicate_ids:
            losses.append(Loss("id", message.id, self._duplicate_ids[position][:80], self.how))
        held.losses = losses

    def _read_value(self, value: Json, parent: str | None) -> Message:
        seen = self.target.get(Record(value, parent=parent))
        assert isinstance(seen, Message)
        return seen

    def _find_place_losses(
        self, position: int, message: Message, seen: Message, parent: str | None
    ) -> Iterator[Loss]:
        # A message without an id cannot lose one.
        if seen.id != message.id and self.skeleton.native.get(position, message.id):
            yield Loss("id", message.id, message.id[:80], self.how)
        if message.parent is not None and self._new_name(message.parent) != parent:
            yield Loss("parent", message.id, message.parent[:80], self.how)
        if message.follows is not None and seen.follows != self._new_name(message.follows):
            yield Loss("follows", message.id, message.follows[:80], self.how)

    def _convert_other(self, position: int, was: Entry) -> HeldEntry:
        assert not isinstance(was, Message)
        entry = self.target.adopt_other(was, self.about)
        assert entry is not None
        if isinstance(entry, Head):
            entry = replace(entry, leaf=self._new_name(entry.leaf))
        elif isinstance(entry, Snapshot):
            entry = replace(entry, message=self._new_name(entry.message))
        held = self.convert_unchanged(entry)
        held.losses = find_other_losses(was, held.seen, self.how)
        held.value = self.target.place_adopted(held.value, self.skeleton, position)
        return held

    def convert_unchanged(self, entry: Entry) -> HeldEntry:
        """Return what the target holds of an entry that is written unchanged."""
        value = join_surrogates(self.target.put(entry, None))
        return HeldEntry(value, self.target.get(Record(value, id=entry.id)))


def unjoin_parts(entry: Entry, seams: Sequence[part_map.Seam]) -> Entry:
    """Return an entry with its parts as they were before they were joined."""
    if not isinstance(entry, Message) or part_map.are_wholes(seams, len(entry.parts)):
        return entry
    return replace(entry, parts=part_map.split_parts(entry.parts, seams).parts)
