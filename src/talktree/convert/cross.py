"""One conversation on its way into another format, record by record."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property

import msgspec
from msgspec import UNSET
from msgspec.structs import replace

from talktree.convert import seams as seaming
from talktree.convert.carry import Carry, File, Kept, checksum, size, to_json
from talktree.convert.carry import Origin as SourceNote
from talktree.convert.compare import message_losses
from talktree.convert.fit import drafted, settled_seams
from talktree.convert.ids import id_for, uuid_for
from talktree.convert.ledger import Kept as HowKept
from talktree.convert.ledger import Ledger, Loss
from talktree.convert.plan import Plan
from talktree.convert.strings import strings_of
from talktree.convert.template import PLAIN, Spelling, made
from talktree.formats.base import About, Format, Record
from talktree.formats.engine import Origin
from talktree.formats.sheets import Item
from talktree.model.conversation import STRETCH, Conversation
from talktree.model.entries import Entry, Head, Opaque, Snapshot
from talktree.model.message import Message
from talktree.model.parts import Text
from talktree.model.skeleton import NO_TIME, ROOT
from talktree.text.json_read import decode
from talktree.text.json_value import Json, Token
from talktree.text.json_write import encode

EMPTY = "(No messages; Talktree keeps the records of the source here.)"
"""What a message says that is made only to carry what has no place otherwise."""
_plain = msgspec.json.Encoder(
    enc_hook=lambda value: value.text if isinstance(value, Token) else repr(value)
).encode
_KIND = {Head: "head", Snapshot: "snapshot", Opaque: "opaque"}


class Held:
    """What a format holds of one entry: its native value, and that read again."""

    __slots__ = ("losses", "seams", "seen", "value")

    def __init__(
        self, value: Json, seen: Entry, seams: Sequence[seaming.Seam], losses: Iterable[Loss]
    ) -> None:
        self.value = value
        self.seen = seen
        self.seams = seams
        self.losses = losses


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
        ledger: Ledger,
        carry: bool,
        files: Iterable[str] = (),
    ) -> None:
        self.conversation = conversation
        self.origin = origin
        self.source = origin.format
        self.target = target
        self.about = about
        self.plan = plan
        self.ledger = ledger
        self.carry = carry
        self.how: HowKept = "carried" if carry else "lost"
        self._files = list(files)
        """Files without records, which travel with this conversation."""
        self._bones = conversation.tree.bones
        self._extra = self.source.lens is target.lens or target.can.everything
        self._riders, self._leading = plan.riders(len(conversation))
        self._depths: dict[int, int] = {}
        self._spelling = Spelling(self.source.can.spelling, self.source.derived)

    # names and places

    def new_id(self, position: int) -> str:
        """The id of a message in the target."""
        return id_for(self._bones.ids[position], self.conversation.id, self.target.can)

    def _new_name(self, name: str | None) -> str | None:
        return None if name is None else id_for(name, self.conversation.id, self.target.can)

    def above(self, position: int) -> int:
        """The position a message hangs on in the target."""
        found = self.plan.parents.get(position)
        return self._bones.parents[position] if found is None else found

    def _new_parent(self, position: int, message: Message) -> str | None:
        if self.target.can.everything and position not in self.plan.parents:
            return message.parent
        above = self.above(position)
        return None if above == ROOT else self.new_id(above)

    def _depth(self, position: int) -> int:
        above = self.above(position)
        depth = 0 if above == ROOT else self._depths.get(above, -1) + 1
        self._depths[position] = depth
        return depth

    @cached_property
    def _moments(self) -> list[int]:
        """For each record its time or the nearest one known before it."""
        last = self.about.started or 0
        moments = []
        for time in self._bones.times:
            last = last if time == NO_TIME else time
            moments.append(last)
        return moments

    # records

    def items(self, positions: Sequence[int], *, nested: bool) -> Iterator[Item]:
        """The records at some positions of the plan, in their order."""
        for record, riders in self._records(positions):
            position = record.line
            depth = self._depth(position) if nested and self._bones.traits[position] else 0
            held = self._held(position, record)
            value = held.value
            self.ledger.add(held.losses)
            self.ledger.add(self._rider_losses(riders))
            if self.carry:
                value = self._loaded(held, self._kept(position, record, held), riders)
            yield Item(None, value, changed=True, depth=depth, group=self.conversation.id)

    def opening(self, entry: Entry, *, first: bool) -> Item:
        """A record made up for the target; it carries everything if there is nothing else."""
        entry = self.target.complete(entry)
        value = as_written(self.target.put(entry, None))
        seen = self.target.get(Record(value, id=entry.id))
        held = Held(value, seen, (), ())
        riders = self._plain_records(self._leading) if first else []
        self.ledger.add(self._rider_losses(riders))
        if self.carry:
            value = self._loaded(held, None, riders, first=first)
        return Item(None, value, changed=True, group=self.conversation.id)

    def placeholder(self) -> Message:
        """A message for a conversation that has none."""
        id = uuid_for("placeholder", self.conversation.id)
        roles = self.target.can.roles
        role = "system" if roles is None or "system" in roles else roles[0]
        message = Message(id=id, role=role, parts=(Text(EMPTY),))
        return self.target.adopt(message, self.about, moment=self.about.started or 0)

    def _records(self, positions: Sequence[int]) -> Iterator[tuple[Record, list[Record]]]:
        """Records with those that ride along, read a stretch at a time; `line` is the position."""
        for start in range(0, len(positions), STRETCH):
            asked = positions[start : start + STRETCH]
            wanted = {
                each for position in asked for each in (position, *self._riders.get(position, ()))
            }
            if self._is_first(asked[0]):
                wanted.update(self._leading)
            found = {record.line: record for record in self._plain_records(sorted(wanted))}
            for position in asked:
                riders = [found[each] for each in self._riders.get(position, ())]
                if self._is_first(position):
                    riders = [*(found[each] for each in self._leading), *riders]
                yield found[position], riders

    def _plain_records(self, positions: Sequence[int]) -> list[Record]:
        numbers = [self.conversation.members[position] for position in positions]
        names = map(self.conversation.names, positions)
        records = list(self.origin.records(numbers, names))
        for position, record in zip(positions, records, strict=True):
            record.line = position
        return records

    def _is_first(self, position: int) -> bool:
        return position == self.first

    @cached_property
    def first(self) -> int:
        """The record that carries what belongs to the whole source; -1 if there is none."""
        messages = (place for place in self.plan.order if self._bones.traits[place])
        return next(messages, self.plan.order[0] if self.plan.order else -1)

    # what the target holds

    def _held(self, position: int, record: Record) -> Held:
        other = self.plan.others.get(position)
        if other is not None:
            return self._held_other(position, other)
        message = self.source.get(record)
        assert isinstance(message, Message)
        return self.held(position, message)

    def held(self, position: int, message: Message) -> Held:
        """What the target makes of a message at a position."""
        draft = drafted(message, self.target.can, extra=self._extra)
        parent = self._new_parent(position, message)
        id = self.new_id(position)
        follows = self._new_name(draft.message.follows)
        wanted = replace(draft.message, id=id, parent=parent, follows=follows)
        moment = self._moments[position]
        adopted = self.target.adopt(wanted, self.about, moment=moment)
        value = as_written(self.target.put(adopted, None))
        seen = self.target.get(Record(value, parent=parent))
        assert isinstance(seen, Message)
        seams = settled_seams(draft, seen.parts)
        losses = message_losses(message, seen, seams, self.how, name=message.id)
        losses += self._place_losses(position, message, seen, parent)
        value = self.target.adopted(value, self._bones, position)
        return Held(value, seen, seams, losses)

    def _place_losses(
        self, position: int, message: Message, seen: Message, parent: str | None
    ) -> Iterator[Loss]:
        if seen.id != message.id:
            yield Loss("id", message.id, message.id[:80], self.how)
        if self._new_name(message.parent) != parent and message.parent is not None:
            yield Loss("parent", message.id, message.parent[:80], self.how)
        if message.follows is not None and seen.follows != self._new_name(message.follows):
            yield Loss("follows", message.id, message.follows[:80], self.how)

    def _held_other(self, position: int, entry: Entry) -> Held:
        if isinstance(entry, Head):
            entry = replace(entry, leaf=self._new_name(entry.leaf))
        elif isinstance(entry, Snapshot):
            entry = replace(entry, message=self._new_name(entry.message))
        value = as_written(self.target.put(entry, None))
        seen = self.target.get(Record(value, id=entry.id))
        was = self.conversation.entry(position)
        losses = self._other_losses(was, seen)
        return Held(self.target.adopted(value, self._bones, position), seen, (), losses)

    def _other_losses(self, was: Entry, seen: Entry) -> list[Loss]:
        kind = _KIND.get(type(was), "message")
        if type(was) is not type(seen):
            return [Loss(kind, was.id, kind, self.how)]
        gone = [
            name
            for name in was.__struct_fields__
            if getattr(was, name) != getattr(seen, name)
            and getattr(was, name) not in (None, "", ())
            and getattr(was, name) != {}
            and name not in ("leaf", "message", "size")
        ]
        return [Loss(kind, was.id, ", ".join(gone), self.how)] if gone else []

    def _rider_losses(self, riders: Iterable[Record]) -> Iterator[Loss]:
        for record in riders:
            why = self.plan.left.get(record.line, "other")
            entry = self.source.get(record)
            kind = _KIND.get(type(entry), "message")
            if isinstance(entry, Message):
                kind = "branch" if why == "branch" else "deleted" if why == "deleted" else "message"
            what = entry.kind if isinstance(entry, Head | Opaque) else kind
            name = record.id or getattr(entry, "message", None) or entry.id or f"@{record.line + 1}"
            yield Loss(kind, name, what, self.how)

    # what travels along

    def _loaded(
        self, held: Held, kept: Kept | None, riders: Sequence[Record], *, first: bool | None = None
    ) -> Json:
        is_first = kept is not None and self._carries_all(kept) if first is None else first
        carry = Carry(
            self.source.info.slug,
            kept=kept,
            seams=seaming.written(held.seams, _part_count(held.seen)),
            sum=checksum(held.seen),
            origin=self._source_note() if is_first else None,
            riders=[self._kept(record.line, record, None) for record in riders],
        )
        self.ledger.carried_bytes += size(carry)
        return self.target.with_carry(held.value, to_json(carry))

    def _carries_all(self, kept: Kept) -> bool:
        number = self.conversation.members[self.first]
        return kept.place == self.origin.sheet_of(number)

    def _kept(self, position: int, record: Record, held: Held | None) -> Kept:
        which, index = self.origin.sheet_of(self.conversation.members[position])
        sheet = self.origin.sheets[which]
        around = sheet.around(index)
        strings: Sequence[str] = () if held is None else self._strings(held)
        spelling = self._spelling
        hole = around.hole
        opens = around.gap + (record.raw if hole is None else record.raw[:hole])
        ends = b"" if hole is None else around.tail + record.raw[hole:]
        return Kept(
            [which, index],
            made(opens, strings, spelling),
            made(ends, strings, spelling) if ends else "",
            around.depth,
            self._file(which) if index == 0 else UNSET,
        )

    def _strings(self, held: Held) -> list[str]:
        return strings_of(unjoined(held.seen, held.seams))

    def _file(self, which: int) -> File:
        sheet = self.origin.sheets[which]
        lead, trail = sheet.ends()
        return File(sheet.path, made(lead, (), PLAIN), made(trail, (), PLAIN))

    def _source_note(self) -> SourceNote:
        source = self.origin.source
        files = {path: made(source.files[path].read(), (), PLAIN) for path in self._files}
        return SourceNote(source.name, source.folder, self.conversation.id, files)


def as_written(value: Json) -> Json:
    """A value as it is when its text is read: two halves of a character side by side are one."""
    if utf8_holds(value):
        return value
    if isinstance(value, str):
        return value.encode("utf-16", "surrogatepass").decode("utf-16", "surrogatepass")
    return decode(encode(value)).value


def utf8_holds(value: Json) -> bool:
    """Whether there is no half of a character in a value."""
    try:
        _plain(value)
    except (UnicodeEncodeError, OverflowError, RecursionError):
        return False
    return True


def _part_count(entry: Entry) -> int:
    return len(entry.parts) if isinstance(entry, Message) else 0


def unjoined(entry: Entry, seams: Sequence[seaming.Seam]) -> Entry:
    """An entry with its parts as they were before they were joined."""
    if not isinstance(entry, Message) or seaming.written(seams, len(entry.parts)) is None:
        return entry
    return replace(entry, parts=seaming.opened(entry.parts, seams).parts)
