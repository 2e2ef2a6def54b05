"""One conversation on its way into another format: what the format holds of each entry."""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any

from msgspec import Struct
from msgspec.structs import replace

from talktree.conversion import part_map as seaming
from talktree.conversion.attachments import Outside
from talktree.conversion.compare import message_losses, other_losses
from talktree.conversion.embed import TOKEN, plain_text, text_checksum
from talktree.conversion.fit import Draft, drafted, settled_seams
from talktree.conversion.ids import CallNames, id_for
from talktree.conversion.losses import Kept, Loss
from talktree.conversion.plan import Plan
from talktree.conversion.surrogates import as_written, shows_as_written
from talktree.formats.engine import Origin
from talktree.formats.format import About, Format, Record
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


class Held(Struct):
    """What a format holds of one entry: its native value, and that read again."""

    value: Any
    seen: Entry
    seams: Sequence[seaming.Seam] = ()
    losses: Sequence[Loss] = ()
    own: Sequence[Part] = ()
    """The parts it has in the source."""
    under: str | None = None
    """What it hangs on, where the source's own record does not say so."""
    sum: str | None = None
    """The checksum of what is seen, where that is known."""


class Crossing:
    """Takes the entries of a conversation over into a format."""

    def __init__(
        self,
        conversation: Conversation,
        origin: Origin,
        target: Format,
        about: About,
        plan: Plan,
        *,
        carry: bool,
        outside: Outside | None = None,
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
        self.outside = outside or Outside("inline")
        self.bones = conversation.tree.bones
        self._extra = self.source.lens is target.lens or target.can.everything
        self._as_it_is = self.outside.policy == "inline" and target.can.calls == "loose"
        """Whether messages are drafted with just the attachments and calls they have."""

    @property
    def can_be_shared(self) -> bool:
        """Whether records can be taken over apart from one another, by several processes."""
        return self.outside.policy == "inline"

    def prepare(self) -> None:
        """Find out now what is asked for with every record."""
        _ = self._moments
        if self.target.can.calls != "loose":
            _ = self._call_names

    # names and places

    def new_id(self, position: int) -> str:
        """The id of a message in the target."""
        refined = self.refinement
        name = self.bones.ids[position] if refined is None else refined.name(position)
        return id_for(name, self.conversation.id, self.target)

    def _new_name(self, name: str | None) -> str | None:
        return None if name is None else id_for(name, self.conversation.id, self.target)

    def above(self, position: int) -> int:
        """The position a message hangs on in the target."""
        found = self.plan.parents.get(position)
        return self.bones.parents[position] if found is None else found

    def _new_parent(self, position: int, message: Message) -> str | None:
        if self.target.can.everything and position not in self.plan.parents:
            return message.parent
        above = self.above(position)
        return None if above == ROOT else self.new_id(above)

    @cached_property
    def _moments(self) -> array[int]:
        """For each record its time or the nearest one known before it.

        Siblings get moments of their own: at the same one they would be taken for one message.
        """
        last = self.about.started or 0
        siblings: dict[int, int] = {}
        moments = array("q")
        for time, above in zip(self.bones.times, self.bones.parents, strict=True):
            number = siblings.get(above, 0)
            if time == NO_TIME:
                moments.append(min(last + number * MILLI, FURTHEST))
            else:
                last = time
                moments.append(last)
            siblings[above] = number + 1
        return moments

    def _shown(self, position: int, message: Message) -> Message:
        """A message with the attachments and the calls that it shall have in the target."""
        where = self.conversation, position
        if self.refinement is not None:
            where = self.refinement.where.get(position, where)
        shown = self.outside.taken_out(message, *where)
        loose = self.target.can.calls == "loose"
        return shown if loose else self._call_names.given_to(shown)

    @cached_property
    def _call_names(self) -> CallNames:
        places = [place for place in self.plan.order if self.bones.traits[place]]
        found = self.conversation.entries_at(places)
        said: Iterator[Message] = (each for each in found if isinstance(each, Message))
        if self.refinement is not None:
            said = iter(self._refined(places, list(said)))
        return CallNames(said, self.target.can)

    # what the target holds

    def held_records(self, records: Sequence[Record]) -> list[Held]:
        """What the target makes of some records; `line` is the position of each.

        The bytes of long records are let go; to pack them, they are read again.
        """
        others = self.plan.others
        told = [record for record in records if record.line not in others]
        said = list(map(self._said, told))
        for record in told:
            if len(record.raw) > LONG:
                record.raw = b""
        held = iter(self._held_messages([record.line for record in told], said))
        if len(told) == len(records):
            return list(held)
        return [
            self._held_other(record.line, self.source.get(record))
            if record.line in others
            else next(held)
            for record in records
        ]

    def seen_records(self, records: Sequence[Record]) -> list[Entry]:
        """What the target shows of some records; nothing is asked about what is lost of them."""
        others = self.plan.others
        told = [record for record in records if record.line not in others]
        positions = [record.line for record in told]
        messages = self._refined(positions, list(map(self._said, told)))
        drafts = list(map(self._drafted, positions, messages))
        seen = iter(list(map(self._seen, map(self._adopted, positions, drafts), drafts)))
        return [
            self._held_other(record.line, self.source.get(record)).seen
            if record.line in others
            else next(seen)
            for record in records
        ]

    def held_record(self, position: int, record: Record) -> Held:
        """What the target makes of a record at a position."""
        record.line = position
        return self.held_records([record])[0]

    def _said(self, record: Record) -> Message:
        # What it carries itself is no part of what it says; its bytes have it.
        record.value = self.source.take_carry(record.value)[1]
        message = self.source.get(record)
        assert isinstance(message, Message)
        return message

    def held(self, position: int, message: Message) -> Held:
        """What the target makes of a message at a position."""
        return self._held_messages([position], [message])[0]

    def _held_messages(self, positions: Sequence[int], messages: Iterable[Message]) -> list[Held]:
        """What the target makes of messages, each step done for all of them before the next.

        Many messages in one step are faster than one in many: all that the step needs is at hand.
        """
        messages = self._refined(positions, list(messages))
        drafts = list(map(self._drafted, positions, messages))
        adopted = list(map(self._adopted, positions, drafts))
        meant = [self.target.put(each, None) for each in adopted]
        held = list(map(self._read_again, meant, adopted, drafts))
        for position, each, message, draft in zip(positions, held, messages, drafts, strict=True):
            self._compare(position, each, message, draft)
        for each, position in zip(held, positions, strict=True):
            each.value = self.target.adopted(each.value, self.bones, position)
        return held

    def _refined(self, positions: Sequence[int], messages: list[Message]) -> list[Message]:
        """The messages, where their records embed more of them with all of that."""
        if self.refinement is None:
            return messages
        refined = self.refinement.messages(positions)
        return [
            self.refinement.placed(position, refined[position], message)
            if position in refined
            else message
            for position, message in zip(positions, messages, strict=True)
        ]

    def _keeps_extra(self, position: int) -> bool:
        """Whether members that only the message's own format knows mean the same in the target."""
        if self.refinement is None or position not in self.refinement.where:
            return self._extra
        return self.refinement.format.lens is self.target.lens or self.target.can.everything

    def _drafted(self, position: int, message: Message) -> Draft:
        return drafted(
            message if self._as_it_is else self._shown(position, message),
            self.target,
            extra=self._keeps_extra(position),
            id=self.new_id(position),
            parent=self._new_parent(position, message),
            follows=self._new_name(message.follows),
        )

    def _adopted(self, position: int, draft: Draft) -> Message:
        if self.source is self.target and self.refinement is None:
            # Its own programs wrote it; what they demand of others is not asked of them.
            return draft.message
        return self.target.adopt(draft.message, self.about, moment=self._moments[position])

    def _read_again(self, meant: Json, adopted: Message, draft: Draft) -> Held:
        """What was written as it is read."""
        told = plain_text(adopted) if self._is_sure(adopted) else None
        if told is not None and TOKEN not in told:
            seams = settled_seams(draft, adopted.parts)
            return Held(meant, adopted, seams, sum=text_checksum(told))
        # Half a character or a token is written as it stands, and may be read as another value.
        value = as_written(meant)
        seen = self._read(value, draft.message.parent)
        return Held(value, seen, settled_seams(draft, seen.parts))

    def _seen(self, adopted: Message, draft: Draft) -> Message:
        """The same, but only what is shown of it."""
        if self._is_sure(adopted) and shows_as_written(adopted):
            return adopted
        return self._read(as_written(self.target.put(adopted, None)), draft.message.parent)

    def _is_sure(self, adopted: Message) -> bool:
        """Whether a message of plain characters is read again just as it is."""
        return self.target.faithful and not is_ambiguous(adopted.time_ns)

    @cached_property
    def _doubled(self) -> dict[int, str]:
        """Ids that several messages share in the source, where each is known by another one."""
        refined = {} if self.refinement is None else self.refinement.where
        native = self.conversation.skeleton.native
        return {place: id for place, id in native.items() if id and place not in refined}

    def _compare(self, position: int, held: Held, message: Message, draft: Draft) -> None:
        """Find out what is lost of a message."""
        seen, parent = held.seen, draft.message.parent
        assert isinstance(seen, Message)
        held.own = message.parts
        losses = message_losses(message, seen, held.seams, self.how, name=message.id)
        astray = message.parent != parent and self._new_name(message.parent) != parent
        if astray and parent is not None:
            held.under = parent
        if astray or seen.id != message.id or message.follows is not None:
            losses += self._place_losses(position, message, seen, parent)
        elif position in self._doubled:
            losses.append(Loss("id", message.id, self._doubled[position][:80], self.how))
        held.losses = losses

    def _read(self, value: Json, parent: str | None) -> Message:
        seen = self.target.get(Record(value, parent=parent))
        assert isinstance(seen, Message)
        return seen

    def _place_losses(
        self, position: int, message: Message, seen: Message, parent: str | None
    ) -> Iterator[Loss]:
        # A message without an id loses none.
        if seen.id != message.id and self.bones.native.get(position, message.id):
            yield Loss("id", message.id, message.id[:80], self.how)
        if message.parent is not None and self._new_name(message.parent) != parent:
            yield Loss("parent", message.id, message.parent[:80], self.how)
        if message.follows is not None and seen.follows != self._new_name(message.follows):
            yield Loss("follows", message.id, message.follows[:80], self.how)

    def _held_other(self, position: int, was: Entry) -> Held:
        assert not isinstance(was, Message)
        entry = self.target.adopt_other(was, self.about)
        assert entry is not None
        if isinstance(entry, Head):
            entry = replace(entry, leaf=self._new_name(entry.leaf))
        elif isinstance(entry, Snapshot):
            entry = replace(entry, message=self._new_name(entry.message))
        held = self.made_up(entry)
        held.losses = other_losses(was, held.seen, self.how)
        held.value = self.target.adopted(held.value, self.bones, position)
        return held

    def made_up(self, entry: Entry) -> Held:
        """What the target holds of an entry that is written as it is."""
        value = as_written(self.target.put(entry, None))
        return Held(value, self.target.get(Record(value, id=entry.id)))


def unjoined(entry: Entry, seams: Sequence[seaming.Seam]) -> Entry:
    """An entry with its parts as they were before they were joined."""
    if not isinstance(entry, Message) or seaming.are_wholes(seams, len(entry.parts)):
        return entry
    return replace(entry, parts=seaming.opened(entry.parts, seams).parts)
