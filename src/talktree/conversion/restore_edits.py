"""Edits made in another format, applied to the source's own records, with nothing else changed.

An edit that the source's format has no place for is left out and reported; other edits are not
affected.

What the target held before the edit is compared with what it holds after it. Only the differences
are applied to the source's entry, and everything that the target never held stays.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Iterator, Mapping, Sequence
from difflib import SequenceMatcher
from functools import cached_property

from msgspec import Struct
from msgspec.structs import replace

from talktree.conversion import part_map
from talktree.conversion.about import build_conversation_info
from talktree.conversion.compare import find_message_losses
from talktree.conversion.embed import checksum, part_key
from talktree.conversion.embed_read import (
    At,
    EmbeddedIndex,
    EmbeddedPlace,
    LoadedRecord,
    load_records,
)
from talktree.conversion.fit import choose_role, fit_message, resolve_seams
from talktree.conversion.ids import make_target_id
from talktree.conversion.losses import Loss, LossReport
from talktree.conversion.map_entries import EntryMapper, HeldEntry
from talktree.conversion.part_map import Seam, SplitParts, split_parts
from talktree.conversion.plan import infer_links_for, plan_records
from talktree.conversion.refine import EmbeddedSources, Refinement
from talktree.conversion.restore import Restoration
from talktree.errors import DamagedRecord, TalktreeError, UsageError
from talktree.formats.engine import DocumentOrigin, write_document
from talktree.formats.format import TAGS, Format, Record
from talktree.model.conversation import Conversation
from talktree.model.document import Document
from talktree.model.entries import Entry
from talktree.model.message import Message, Usage
from talktree.model.parts import Part, Text
from talktree.text.json.decode import inspect
from talktree.text.json.value import is_equal
from talktree.text.times import MILLI

FIELDS = (
    "role",
    "time_ns",
    "authors",
    "session",
    "model",
    "usage",
    "api_message",
    "agent",
    "context",
    "todos",
    "thinking",
    "tags",
)
"""Fields that mean the same in every format; ids and places are handled elsewhere."""


def transplant_changes(
    entry: Message,
    before: tuple[Message, Sequence[Seam]],
    after: tuple[Message, Sequence[Seam]],
    *,
    extra: bool,
) -> Message:
    """Return the entry with the changes between two states; `extra` if members mean the same."""
    was, now = before[0], after[0]
    changed = {
        name: _merge_field(getattr(entry, name), getattr(was, name), getattr(now, name))
        for name in FIELDS
        if not is_equal(getattr(was, name), getattr(now, name))
    }
    if was.flags != now.flags:
        changed["flags"] = (entry.flags - (was.flags - now.flags)) | (now.flags - was.flags)
    if extra and not is_equal(was.extra, now.extra):
        changed["extra"] = _merge_members(entry, was, now)
    parts_before, parts_after = split_parts(was.parts, before[1]), split_parts(now.parts, after[1])
    if not is_equal(parts_before, parts_after):
        changed["parts"] = tuple(_merge_parts(entry.parts, parts_before, parts_after))
    return replace(entry, **changed)


def _merge_field(own: object, was: object, now: object) -> object:
    """Return a field with its change; of a struct only the fields that differ change."""
    if (
        isinstance(own, Struct)
        and type(own) is type(was) is type(now)
        and isinstance(was, Struct)
        and isinstance(now, Struct)
    ):
        fields = {
            name: getattr(now, name)
            for name in now.__struct_fields__
            if not is_equal(getattr(was, name), getattr(now, name))
        }
        return replace(own, **fields)
    return now


def _merge_members(entry: Message, was: Message, now: Message) -> dict[str, object]:
    gone = was.extra.keys() - now.extra.keys()
    kept = {key: item for key, item in entry.extra.items() if key not in gone}
    new = {
        key: item
        for key, item in now.extra.items()
        if key not in was.extra or not is_equal(was.extra[key], item)
    }
    return {**kept, **new}


def _merge_parts(own: Sequence[Part], before: SplitParts, after: SplitParts) -> Iterator[Part]:
    """Yield the entry's parts, changed as the split ones were."""
    seen = {number for number in before.of if number >= 0}
    waiting = [number for number in range(len(own)) if number not in seen]
    for at_before, at_after in _pair_parts(before, after):
        number = before.of[at_before] if at_before is not None else -1
        # Parts that the other format never held keep their place.
        while number >= 0 and waiting and waiting[0] < number:
            yield own[waiting.pop(0)]
        if at_after is None:
            continue
        new = after.parts[at_after]
        if at_before is None:
            yield new
        elif number < 0:
            if not is_equal(before.parts[at_before], new):
                yield new
        else:
            yield _apply_change(own[number], before.parts[at_before], new)
    for number in waiting:
        yield own[number]


def _pair_parts(before: SplitParts, after: SplitParts) -> Iterator[tuple[int | None, int | None]]:
    if before.of == after.of:
        yield from ((at, at) for at in range(len(before.parts)))
        return
    one, two = list(map(part_key, before.parts)), list(map(part_key, after.parts))
    for tag, start, stop, other, end in SequenceMatcher(a=one, b=two).get_opcodes():
        if tag in ("equal", "replace"):
            common = min(stop - start, end - other)
            yield from ((start + step, other + step) for step in range(common))
            yield from ((at, None) for at in range(start + common, stop))
            yield from ((None, at) for at in range(other + common, end))
        elif tag == "delete":
            yield from ((at, None) for at in range(start, stop))
        else:
            yield from ((None, at) for at in range(other, end))


def _apply_change(own: Part, was: Part, now: Part) -> Part:
    if is_equal(was, now):
        return own
    if type(own) is not type(now) or type(was) is not type(now):
        return now
    fields = {
        name: getattr(now, name)
        for name in own.__struct_fields__
        if not is_equal(getattr(was, name), getattr(now, name))
    }
    return replace(own, **fields)


def restore_files(back: Restoration, loss_report: LossReport) -> Mapping[str, Iterable[bytes]]:
    """Return the files of a source with the edits in them; unedited ones byte for byte."""
    return write_document(restore_document(back, loss_report)) if back.is_edited else back.files


def restore_document(back: Restoration, loss_report: LossReport) -> Document:
    """Return a source as a document of its own, with the edits in it."""
    return Edits(back, loss_report).apply() if back.is_edited else back.base


def find_restoration(document: Document, index: EmbeddedIndex) -> Restoration | None:
    """Return the source that a document embeds; None if nothing of it matches what is shown."""
    back = Restoration(document, index)
    if not back.is_framed:
        raise DamagedRecord("the record that embeds the names and ends of its files is missing")
    wrong = Edits(back, LossReport()).find_contradicted() if index.doubtful else ()
    if wrong:
        index.discard_records(wrong)
        back = Restoration(document, index)
    # A source may have been empty; then only its name is embedded.
    known = index.places or index.name is not None
    if not known or (back.is_edited and not back.base.conversations):
        return None
    return back


BROKEN = ("syntax", "torn")
"""Problems with which no other program can read a record."""
Change = tuple[str, int]
"""A conversation and the number of an entry in it."""


class Edits:
    """Edits made in the other format, applied to the source as it was."""

    def __init__(self, back: Restoration, loss_report: LossReport) -> None:
        self._loss_report = loss_report
        self._document = back.document
        self._index = back.index
        self._format = back.format
        self._branch = back.onto is not None
        self._base = back.base
        origin, other = back.base.origin, back.document.origin
        assert isinstance(origin, DocumentOrigin)
        assert isinstance(other, DocumentOrigin)
        self._origin = origin
        self._other = other
        self._numbers = back.find_numbers()
        self._where = {
            number: (conversation, position)
            for conversation in back.base.conversations
            for position, number in enumerate(conversation.members)
        }
        self._changed: dict[str, dict[int, Entry]] = {}
        self._added: dict[str, list[tuple[int | None, int]]] = {}
        """New entries by conversation: the number of the entry before, and their own."""
        self._crossings: dict[str, EntryMapper] = {}
        self._fresh_numbers: dict[tuple[int, int], int] = {}
        """New entries by conversation and position in the document."""
        self._names: dict[tuple[int, str], tuple[str, str]] = {}
        """Conversation and id in the document, with conversation and id in the source."""

    @cached_property
    def _embedded(self) -> EmbeddedSources:
        """What the records of the source embed in turn."""
        return EmbeddedSources(self._base, LossReport())

    def _find_place(self, at: At) -> tuple[Conversation, int] | None:
        return self._where.get(self._numbers.get(at, -1))

    def find_contradicted(self) -> list[At]:
        """Return records that show something other than the record that they embed."""
        wrong = []
        for at in sorted(self._index.doubtful):
            place, found = self._index.places[at], self._find_place(at)
            shown = self._load_record(place.conversation, place.position).entry
            old = None if found is None else found[0].entry(found[1])
            if found is None or type(old) is not type(shown) or self._is_broken(found):
                wrong.append(at)
            elif isinstance(old, Message) and isinstance(shown, Message):
                seen = self._make_mapper(found[0]).convert_message(found[1], old).seen
                assert isinstance(seen, Message)
                if seen.role != shown.role or not is_equal(seen.parts, shown.parts):
                    wrong.append(at)
        return wrong

    def _is_broken(self, place: tuple[Conversation, int]) -> bool:
        """Whether damage to the embedded data would make the record broken JSON."""
        conversation, position = place
        numbers, names = [conversation.members[position]], iter([conversation.names(position)])
        raw = next(iter(self._origin.records(numbers, names))).raw
        return raw.startswith(b"{") and any(each.code in BROKEN for each in inspect(raw))

    def apply(self) -> Document:
        """Return the source document with all edits that it has a place for."""
        self._learn_names()
        for at in sorted(self._index.touched):
            self._touch(at)
        for number, position in self._index.fresh:
            self._add_record(number, position)
        changes = [(id, number) for id, mine in self._changed.items() for number in mine]
        document = self._with_changes(changes)
        if not changes or _can_be_written(document):
            return document
        return self._with_changes(self._select_writable(changes))

    def _with_changes(self, changes: Sequence[Change]) -> Document:
        document = self._base
        chosen = set(changes)
        for conversation in document.conversations:
            id = conversation.id
            mine = self._changed.get(id, {})
            changed = {number: each for number, each in mine.items() if (id, number) in chosen}
            if changed:
                members = self._list_members(conversation, changed)
                document = document.with_conversation(conversation.with_entries(members, changed))
        return document

    def _select_writable(self, changes: Sequence[Change]) -> list[Change]:
        """Return the changes that the format can write; each of the others is reported."""
        fitting: list[Change] = []
        pending = [changes]
        while pending:
            some = pending.pop()
            if _can_be_written(self._with_changes([*fitting, *some])):
                fitting += some
            elif len(some) == 1:
                (id, number) = some[0]
                name = self._changed[id][number].id
                self._report_loss(name, f"{self._format.info.slug} cannot hold it")
            else:
                half = len(some) // 2
                pending += [some[half:], some[:half]]
        return fitting

    def _report_loss(self, name: str, why: str) -> None:
        self._loss_report.add([Loss("edit", name, why, "lost")])

    def _learn_names(self) -> None:
        for at, place in self._index.places.items():
            found = self._find_place(at) if place.unattached < 0 else None
            if found is not None:
                there = self._document.conversations[place.conversation]
                here, position = found
                self._names[place.conversation, there.skeleton.ids[place.position]] = (
                    here.id,
                    here.skeleton.ids[position],
                )

    # changed messages

    def _touch(self, at: At) -> None:
        place = self._index.places[at]
        loaded = self._load_record(place.conversation, place.position)
        found = self._find_place(at)
        if found is None:
            self._report_loss(loaded.entry.id, "its place in the source was not found")
            return
        here, position = found
        old, now, carry = here.entry(position), loaded.entry, loaded.carry
        assert carry is not None
        if not isinstance(old, Message) or not isinstance(now, Message):
            self._report_loss(now.id, "the source has another kind of record there")
            return
        held = self._make_mapper(here).convert_message(position, old)
        assert isinstance(held.seen, Message)
        if self._branch and checksum(held.seen) == carry.sum and is_equal(held.seen, now):
            return
        seams = part_map.parse_seams(carry.seams, len(now.parts))
        new = self._transplant_edits(here, position, held, (now, seams))
        before = held.seen if carry.under is None else replace(held.seen, parent=carry.under)
        new = self._update_parent(here, new, before, now, place.conversation)
        if not is_equal(new, old):
            new = self._fit_message(new, old)
            if self._branch:
                self._add_sibling(here, new, place)
            else:
                self._changed.setdefault(here.id, {})[here.members[position]] = new

    def _transplant_edits(
        self,
        here: Conversation,
        position: int,
        held: HeldEntry,
        after: tuple[Message, Sequence[part_map.Seam]],
    ) -> Message:
        """Return the source's message with the edits made in the other format."""
        old, was = here.entry(position), held.seen
        assert isinstance(old, Message)
        assert isinstance(was, Message)
        refinement = self._make_mapper(here).refinement
        if refinement is None or position not in refinement.where:
            return self._apply_difference(old, (was, held.seams), after, self._format)
        # The other format shows what the source embeds in turn, so the edit is made in that, and
        # what the source itself shows of it changes with it.
        embedded = refinement.find_messages([position])[position]
        edited = self._apply_difference(embedded, (was, held.seams), after, refinement.format)
        shown = [self._preview_in_source(refinement, position, each) for each in (embedded, edited)]
        one, two = ((each, part_map.make_whole_seams(len(each.parts))) for each in shown)
        return transplant_changes(old, one, two, extra=True)

    def _apply_difference(
        self,
        message: Message,
        before: tuple[Message, Sequence[part_map.Seam]],
        after: tuple[Message, Sequence[part_map.Seam]],
        format: Format,
    ) -> Message:
        was, now = before[0], after[0]
        if was.role != now.role:
            now = replace(now, role=choose_role(now.role, format.can))
        extra = format.lens is self._other.format.lens or self._other.format.can.everything
        return transplant_changes(message, (was, before[1]), (now, after[1]), extra=extra)

    def _preview_in_source(
        self, refinement: Refinement, position: int, message: Message
    ) -> Message:
        """Return what the source's format holds of a message that it embeds."""
        extra = refinement.format.lens is self._format.lens or self._format.can.everything
        draft = fit_message(message, self._format, extra=extra)
        here = refinement.where[position][0]
        moment = message.time_ns or 0
        adopted = self._format.adopt(
            draft.message, build_conversation_info(here, self._format), moment=moment
        )
        seen = self._format.get(Record(self._format.put(adopted, None), parent=message.parent))
        assert isinstance(seen, Message)
        return seen

    def _fit_message(self, new: Message, old: Message) -> Message:
        """Return a changed message as its format can hold it."""
        fitted = fit_message(new, self._format, extra=True).message
        texts = sum(isinstance(part, Text) for part in new.parts)
        can = self._format.can
        known = all(
            TAGS[type(part)] in can.parts or any(is_equal(part, each) for each in old.parts)
            for part in new.parts
        )
        # The source can hold what it already holds, even if it rejects it from other formats.
        if known and (can.texts == "many" or texts <= 1):
            return replace(fitted, parts=new.parts)
        return fitted

    def _add_sibling(self, here: Conversation, new: Message, place: EmbeddedPlace) -> None:
        """Add the edited message as a new branch; edits below it follow it there."""
        if self._origin.links(here) == "chain":
            raise UsageError(
                f"{here.main_file} has no place for branches",
                hint="convert without --onto: edits then go into the messages themselves",
            )
        own = make_target_id(f"{new.id}+{checksum(new)}", here.id, self._format)
        there = self._document.conversations[place.conversation]
        above = there.skeleton.parents[place.position]
        parent = new.parent
        if above >= 0:
            name = self._names.get((place.conversation, there.skeleton.ids[above]))
            parent = parent if name is None else name[1]
        self._names[place.conversation, there.skeleton.ids[place.position]] = (here.id, own)
        # It is not part of the old reply, whose tokens were used once, at another time.
        time = None if new.time_ns is None else new.time_ns + MILLI
        usage = None if new.usage is None else Usage()
        sibling = replace(new, id=own, parent=parent, time_ns=time, api_message=None, usage=usage)
        self._append_entry(here, sibling, behind=None)

    def _append_entry(self, here: Conversation, entry: Entry, *, behind: int | None) -> int:
        changed = self._changed.setdefault(here.id, {})
        own = min(-1, min(changed, default=0) - 1)
        changed[own] = entry
        self._added.setdefault(here.id, []).append((behind, own))
        return own

    def _update_parent(
        self, here: Conversation, new: Message, was: Message, now: Message, number: int
    ) -> Message:
        if was.parent == now.parent or not self._other.format.can.branches:
            return new
        parent = None if now.parent is None else self._names.get((number, now.parent))
        unknown = now.parent is not None and parent is None
        if unknown or self._origin.links(here) == "chain":
            self._report_loss(new.id, "its new place in the tree")
            return new
        return replace(new, parent=None if parent is None else parent[1])

    def _make_mapper(self, conversation: Conversation) -> EntryMapper:
        """Return the mapper with which a conversation was converted to the other format."""
        if conversation.id not in self._crossings:
            target = self._other.format
            conversation = infer_links_for(target, conversation)
            about = build_conversation_info(conversation, target)
            plan = plan_records(conversation, self._format, target, about, None)
            self._crossings[conversation.id] = EntryMapper(
                conversation,
                self._origin,
                target,
                about,
                plan,
                carry=False,
                refinement=self._embedded.refined.get(conversation.id),
            )
        return self._crossings[conversation.id]

    def _load_record(self, number: int, position: int) -> LoadedRecord:
        conversation = self._document.conversations[number]
        return next(iter(load_records(self._other, conversation, [position])))

    # new messages

    def _add_record(self, number: int, position: int) -> None:
        there = self._document.conversations[number]
        message = self._load_record(number, position).entry
        assert isinstance(message, Message)
        here, parent = self._find_home(number, position)
        about = build_conversation_info(here, self._format)
        draft = fit_message(message, self._format, extra=False)
        id = make_target_id(message.id, there.id, self._format)
        chained = self._origin.links(here) == "chain"
        wanted = replace(draft.message, id=id, parent=None if chained else parent)
        moment = message.time_ns or about.updated or 0
        new = self._format.adopt(wanted, about, moment=moment)
        seams = resolve_seams(draft, new.parts)
        self._loss_report.add(find_message_losses(message, new, seams, "lost", name=message.id))
        self._names[number, message.id] = (here.id, new.id)
        own = self._append_entry(here, new, behind=self._find_previous_record(number, position))
        self._fresh_numbers[number, position] = own

    def _find_home(self, number: int, position: int) -> tuple[Conversation, str | None]:
        """Return the conversation that a new message belongs to, and its parent."""
        there = self._document.conversations[number]
        above = there.skeleton.parents[position]
        name = self._names.get((number, there.skeleton.ids[above])) if above >= 0 else None
        if name is None:
            known = [each for (which, _), each in self._names.items() if which == number]
            home = known[0][0] if known else self._base.conversations[0].id
            return self._base.find(home), None
        return self._base.find(name[0]), name[1]

    def _find_previous_record(self, number: int, position: int) -> int | None:
        """Return the record before a new one, or None for the end."""
        if self._format.can.branches:
            return None
        kept = {
            place.position: at
            for at, place in self._index.places.items()
            if place.conversation == number and place.unattached < 0
        }
        for before in range(position - 1, -1, -1):
            if (number, before) in self._fresh_numbers:
                return self._fresh_numbers[number, before]
            if before in kept:
                return self._numbers[kept[before]]
        return None

    def _list_members(self, conversation: Conversation, changed: Mapping[int, Entry]) -> array[int]:
        members = list(conversation.members)
        for behind, own in self._added.get(conversation.id, []):
            if own in changed:
                at = len(members)
                if behind is not None and behind in members:
                    at = members.index(behind) + 1
                members.insert(at, own)
        return array("q", members)


def _can_be_written(document: Document) -> bool:
    try:
        for pieces in write_document(document).values():
            for _ in pieces:
                pass
    except TalktreeError:
        return False
    return True
