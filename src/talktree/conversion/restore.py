"""Back to the source's own format: untouched records byte for byte, edits put into the old ones."""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Mapping

from msgspec.structs import replace

from talktree.conversion import seams as seaming
from talktree.conversion.about import about as about_of
from talktree.conversion.carry import checksum
from talktree.conversion.cross import Crossing
from talktree.conversion.fit import drafted, role_for
from talktree.conversion.ids import id_for
from talktree.conversion.index import At, Index, Loaded, Place, records
from talktree.conversion.plan import planned
from talktree.conversion.rebuild import rebuilt
from talktree.conversion.transplant import transplanted
from talktree.errors import Damaged, UsageError
from talktree.files import Source, parked, stem_of
from talktree.files.save import beneath
from talktree.formats import by_slug
from talktree.formats.base import TAGS
from talktree.formats.engine import Origin, read, write
from talktree.model.conversation import Conversation
from talktree.model.document import Document
from talktree.model.entries import Entry
from talktree.model.message import Message, Usage
from talktree.model.parts import Text
from talktree.text.times import MILLI

Files = Mapping[str, Iterable[bytes]]


class Restoration:
    """One source, as a document carries it."""

    def __init__(self, document: Document, index: Index, *, onto: Document | None = None) -> None:
        self.document = document
        self.onto = onto
        """The source itself; then an edited message becomes a sibling of the old one in it."""
        self.index = index
        self.format = by_slug(index.format)
        self.folder = index.folder
        if onto is not None:
            assert isinstance(onto.origin, Origin)
            self.folder = onto.origin.source.folder
        self._base, self._order = rebuilt(document, index, self.format)

    @property
    def stem(self) -> str:
        """What to call it among others."""
        return stem_of(beneath(self.index.name or "conversation").name)

    @property
    def edited(self) -> bool:
        """Whether anything was changed or added since it was written."""
        return bool(self.index.touched or self.index.fresh or self.onto)

    def files(self) -> Files:
        """The files of the source, with the edits in them."""
        return write(self.source_document()) if self.edited else self._base

    def source_document(self) -> Document:
        """The source as a document of its own, with the edits in it."""
        if self.onto is not None:
            return _Edits(self, self.onto, None).applied()
        name = self.index.name or "conversation"
        contents = {path: parked(pieces) for path, pieces in self._base.items()}
        source = Source(name, contents, folder=self.folder)
        found = read(source, self.format)
        return _Edits(self, found, self._order).applied() if self.edited else found


class _Edits:
    """Edits made in the other format, applied to the source as it was."""

    def __init__(
        self, what: Restoration, base: Document, order: dict[str, list[At]] | None
    ) -> None:
        self._document = what.document
        self._index = what.index
        self._format = what.format
        self._branch = what.onto is not None
        self._base = base
        origin, other = base.origin, what.document.origin
        assert isinstance(origin, Origin)
        assert isinstance(other, Origin)
        self._origin = origin
        self._other = other
        self._numbers = self._as_ever() if order is None else self._find(order)
        self._where = {
            number: (conversation, position)
            for conversation in base.conversations
            for position, number in enumerate(conversation.members)
        }
        self._changed: dict[str, dict[int, Entry]] = {}
        self._added: dict[str, list[tuple[int | None, int]]] = {}
        """New entries by conversation: the number they stand behind, and their own."""
        self._crossings: dict[str, Crossing] = {}
        self._fresh_numbers: dict[tuple[int, int], int] = {}
        """New entries by conversation and position over there."""
        self._names: dict[tuple[int, str], tuple[str, str]] = {}
        """Conversation and id over there to conversation and id here."""

    def _as_ever(self) -> dict[At, int]:
        """The numbers of the records in the source itself, which must be what it was."""
        firsts, sheets = self._origin.firsts, self._origin.sheets
        numbers = {}
        for at in self._index.places:
            if at[0] >= len(sheets) or at[1] >= len(sheets[at[0]]):
                raise UsageError(
                    f"{self._base.name} is not what {self._document.name} was made from",
                    hint="name the source it was converted from, unchanged or grown",
                )
            numbers[at] = firsts[at[0]] + at[1]
        return numbers

    def _find(self, order: dict[str, list[At]]) -> dict[At, int]:
        numbers: dict[At, int] = {}
        first = 0
        for sheet in self._origin.sheets:
            row = order.get(sheet.path, [])
            if len(row) != len(sheet):
                raise Damaged(
                    f"{sheet.path} cannot be put together again: {len(row)} records were kept, "
                    f"{len(sheet)} are read",
                    hint="undo the edits of its records in the other format, or convert anew",
                )
            numbers |= {at: first + place for place, at in enumerate(row)}
            first += len(sheet)
        return numbers

    def _place(self, at: At) -> tuple[Conversation, int]:
        found = self._where.get(self._numbers.get(at, -1))
        if found is None:
            raise Damaged(
                "a file of the source cannot be put together again",
                hint="the record that named it was removed",
            )
        return found

    def applied(self) -> Document:
        """The source document with all edits."""
        self._learn_names()
        for at in sorted(self._index.touched):
            self._touch(at)
        for number, position in self._index.fresh:
            self._add(number, position)
        document = self._base
        for conversation in document.conversations:
            changed = self._changed.get(conversation.id)
            if changed:
                members = self._members(conversation)
                document = document.with_conversation(conversation.with_entries(members, changed))
        return document

    def _learn_names(self) -> None:
        for at, place in self._index.places.items():
            if place.rider < 0:
                there = self._document.conversations[place.conversation]
                here, position = self._place(at)
                self._names[place.conversation, there.skeleton.ids[place.position]] = (
                    here.id,
                    here.skeleton.ids[position],
                )

    # changed messages

    def _touch(self, at: At) -> None:
        place = self._index.places[at]
        found = self._load(place.conversation, place.position)
        here, position = self._place(at)
        old = here.entry(position)
        if not isinstance(old, Message) or not isinstance(found.entry, Message):
            return
        carry = found.carry
        assert carry is not None
        crossing = self._crossing(here)
        held = crossing.held(position, old)
        assert isinstance(held.seen, Message)
        if self._branch and checksum(held.seen) == carry.sum and held.seen == found.entry:
            return
        seams = seaming.read(carry.seams, len(found.entry.parts))
        was, now = held.seen, found.entry
        if was.role != now.role:
            now = replace(now, role=role_for(now.role, self._format.can))
        extra = self._format.lens is self._other.format.lens or self._other.format.can.everything
        new = transplanted(old, (was, held.seams), (now, seams), extra=extra)
        before = held.seen if carry.under is None else replace(held.seen, parent=carry.under)
        new = self._moved(new, before, found.entry, place.conversation)
        if new != old:
            new = self._fitted(new, old)
            if self._branch:
                self._add_sibling(here, new, place)
            else:
                self._changed.setdefault(here.id, {})[here.members[position]] = new

    def _fitted(self, new: Message, old: Message) -> Message:
        """A changed message as its format can hold it."""
        fitted = drafted(new, self._format, extra=True).message
        texts = sum(isinstance(part, Text) for part in new.parts)
        can = self._format.can
        known = all(part in old.parts or TAGS[type(part)] in can.parts for part in new.parts)
        # What the source holds itself it can hold, whatever it takes from elsewhere.
        if known and (can.texts == "many" or texts <= 1):
            return replace(fitted, parts=new.parts)
        return fitted

    def _add_sibling(self, here: Conversation, new: Message, place: Place) -> None:
        """The edited message as a branch of its own; edits below it follow it there."""
        if self._origin.links(here) == "chain":
            raise UsageError(
                f"{here.main_file} has no place for branches",
                hint="convert without --onto: edits then go into the messages themselves",
            )
        own = id_for(f"{new.id}+{checksum(new)}", here.id, self._format.can)
        there = self._document.conversations[place.conversation]
        above = there.skeleton.parents[place.position]
        parent = new.parent
        if above >= 0:
            name = self._names.get((place.conversation, there.skeleton.ids[above]))
            parent = parent if name is None else name[1]
        self._names[place.conversation, there.skeleton.ids[place.position]] = (here.id, own)
        # No piece of the reply it was made from: that cost its tokens once, at another moment.
        time = None if new.time is None else new.time + MILLI
        usage = None if new.usage is None else Usage()
        sibling = replace(new, id=own, parent=parent, time=time, api_message=None, usage=usage)
        self._append(here, sibling, behind=None)

    def _append(self, here: Conversation, entry: Entry, *, behind: int | None) -> int:
        changed = self._changed.setdefault(here.id, {})
        own = min(-1, min(changed, default=0) - 1)
        changed[own] = entry
        self._added.setdefault(here.id, []).append((behind, own))
        return own

    def _moved(self, new: Message, was: Message, now: Message, number: int) -> Message:
        if was.parent == now.parent or not self._other.format.can.branches:
            return new
        parent = None if now.parent is None else self._names.get((number, now.parent))
        if now.parent is not None and parent is None:
            return new
        return replace(new, parent=None if parent is None else parent[1])

    def _crossing(self, conversation: Conversation) -> Crossing:
        """The way a conversation took into the other format."""
        if conversation.id not in self._crossings:
            target = self._other.format
            about = about_of(conversation, target.can)
            plan = planned(conversation, self._format, target, about, None)
            self._crossings[conversation.id] = Crossing(
                conversation,
                self._origin,
                target,
                about,
                plan,
                carry=False,
            )
        return self._crossings[conversation.id]

    def _load(self, number: int, position: int) -> Loaded:
        conversation = self._document.conversations[number]
        return next(iter(records(self._other, conversation, [position])))

    # new messages

    def _add(self, number: int, position: int) -> None:
        there = self._document.conversations[number]
        message = self._load(number, position).entry
        assert isinstance(message, Message)
        here, parent = self._home(number, position)
        about = about_of(here, self._format.can)
        draft = drafted(message, self._format, extra=False).message
        id = id_for(message.id, there.id, self._format.can)
        wanted = replace(draft, id=id, parent=parent, session=draft.session)
        moment = message.time or about.updated or 0
        new = self._format.adopt(wanted, about, moment=moment)
        self._names[number, message.id] = (here.id, new.id)
        own = self._append(here, new, behind=self._behind(number, position))
        self._fresh_numbers[number, position] = own

    def _home(self, number: int, position: int) -> tuple[Conversation, str | None]:
        """The conversation a new message belongs to, and the message it answers."""
        there = self._document.conversations[number]
        above = there.skeleton.parents[position]
        name = self._names.get((number, there.skeleton.ids[above])) if above >= 0 else None
        if name is None:
            known = [each for (which, _), each in self._names.items() if which == number]
            home = known[0][0] if known else self._base.conversations[0].id
            return self._base.find(home), None
        return self._base.find(name[0]), name[1]

    def _behind(self, number: int, position: int) -> int | None:
        """The record a new one stands behind; None for the end."""
        if self._format.can.branches:
            return None
        kept = {
            place.position: at
            for at, place in self._index.places.items()
            if place.conversation == number and place.rider < 0
        }
        for before in range(position - 1, -1, -1):
            if (number, before) in self._fresh_numbers:
                return self._fresh_numbers[number, before]
            if before in kept:
                return self._numbers[kept[before]]
        return None

    def _members(self, conversation: Conversation) -> array[int]:
        members = list(conversation.members)
        for behind, own in self._added.get(conversation.id, []):
            at = len(members) if behind is None else members.index(behind) + 1
            members.insert(at, own)
        return array("q", members)
