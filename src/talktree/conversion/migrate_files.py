"""A document in the current version of its format: the files, with the old ones embedded.

Files keep their places and names, and files without records stay unchanged. Only where the current
version has another layout, as for Sage's older sessions, records move to new files.

A variant of the format reads and writes the embedded data under the name that migration uses.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Iterator, Mapping, Sequence
from copy import copy

from msgspec.structs import replace

from talktree.conversion.embed_write import RecordEmbedder
from talktree.conversion.ids import compute_source_id
from talktree.conversion.losses import LossReport
from talktree.conversion.migrate_records import ANY_MESSAGE, MigrationMapper, build_own_info
from talktree.conversion.options import ConversionResult, Options
from talktree.conversion.plan import RecordPlan
from talktree.files import Content, Source
from talktree.formats.engine import DocumentOrigin, write_document
from talktree.formats.format import Format, Record, SplitSource
from talktree.formats.jsonl_format import compose_lines
from talktree.formats.migration import BESIDE_WAS, WAS, Renewal
from talktree.formats.record_file import Item
from talktree.formats.sidecar import open_sidecar
from talktree.model.conversation import Conversation
from talktree.model.document import Document
from talktree.model.entries import Entry, Head, Opaque
from talktree.model.skeleton import ROOT
from talktree.text.json.value import Json


def make_twin_format(format: Format, renewal: Renewal) -> Format:
    """Return the format with another member for the embedded old records."""

    def _get(record: Record) -> Entry:
        entry = format.get(record)
        # The number of bytes depends on how it was written, not on its content.
        return replace(entry, size=0) if isinstance(entry, Opaque) else entry

    def _carrier(carry: Json) -> Json:
        return {WAS: carry} if renewal.carrier_lines else {"type": WAS, WAS: carry}

    def _split(source: Source) -> SplitSource:
        return _split_with_kept(format.split(source), source)

    twin = copy(format)
    vars(twin).update(
        get=_get,
        take_carry=renewal.extract_source,
        with_carry=renewal.embed_source,
        make_carrier_record=_carrier,
        split=_split,
    )
    return twin


def _split_with_kept(found: SplitSource, source: Source) -> SplitSource:
    """Read the files beside the conversations of a folder as well."""
    groups = {_parent_folder(sheet.path): sheet.group for sheet in found.sheets}
    kept = [path for path in source.files if path.rpartition("/")[2] == BESIDE_WAS]
    sheets = [
        open_sidecar(path, source.files[path], group=groups.get(_parent_folder(path), source.name))
        for path in kept
    ]
    foreign_files = [path for path in found.foreign_files if path not in kept]
    return SplitSource([*found.sheets, *sheets], foreign_files)


def _parent_folder(path: str) -> str:
    return path.rpartition("/")[0]


Files = dict[str, Iterable[bytes]]
Slot = int | Entry
"""A position, or a new entry."""


def migrate_files(
    document: Document, renewal: Renewal, options: Options, loss_report: LossReport
) -> ConversionResult:
    """Return the files of a document in the current version of its format."""
    origin = document.origin
    assert isinstance(origin, DocumentOrigin)
    folder = renewal.is_folder(origin.source, origin.sheets)
    outputs = [
        _Renewed(conversation, origin, renewal, options, loss_report, folder=folder, part=part)
        for part, conversation in enumerate(document.conversations)
        if conversation.record_count
    ]
    if not folder and any(each.is_empty for each in outputs):
        # Nothing in it can be rewritten, and there is no place for embedded data.
        return ConversionResult(write_document(document), folder=False, loss_report=loss_report)
    if not folder:
        (path,) = origin.source.files
        pieces = [each.encode_whole(path, first=not number) for number, each in enumerate(outputs)]
        return ConversionResult(
            {path: renewal.combine_conversations(pieces)}, folder=False, loss_report=loss_report
        )
    files, main = _gather_folder(origin, outputs), origin.source.main
    return ConversionResult(
        files, folder=True, loss_report=loss_report, main=main if main in files else None
    )


def _gather_folder(origin: DocumentOrigin, outputs: Sequence[_Renewed]) -> Files:
    taken = {path for each in outputs for path in each.slots}
    beside = find_files_without_records(origin) if origin.source.folder else {}
    in_the_way = [path for path in beside if path in taken]
    if outputs:
        outputs[0].embed_files(in_the_way)
    files: Files = {path: content.blocks() for path, content in beside.items() if path not in taken}
    for each in outputs:
        files |= each.files()
    return files


def find_files_without_records(origin: DocumentOrigin) -> dict[str, Content]:
    """Return the files in which no record was found."""
    read_from = {sheet.path for sheet in origin.sheets if len(sheet)}
    files = origin.source.files
    return {path: content for path, content in files.items() if path not in read_from}


def heads_of(conversation: Conversation) -> list[Head]:
    """Return the entries of a conversation that describe all of it."""
    others = [position for position, trait in enumerate(conversation.skeleton.traits) if not trait]
    return [entry for entry in conversation.entries_at(others) if isinstance(entry, Head)]


def make_mapper(
    conversation: Conversation, origin: DocumentOrigin, renewal: Renewal, *, carry: bool
) -> MigrationMapper:
    """Return the mapper of a conversation to the current version, without a plan of its records."""
    about = build_own_info(conversation, heads_of(conversation), renewal)
    return MigrationMapper(
        conversation,
        origin,
        make_twin_format(renewal.format, renewal),
        about,
        RecordPlan(array("q"), {}, {}, {}),
        renewal,
        carry=carry,
        folder=origin.source.folder,
    )


class _Renewed:
    """One conversation."""

    def __init__(
        self,
        conversation: Conversation,
        origin: DocumentOrigin,
        renewal: Renewal,
        options: Options,
        loss_report: LossReport,
        *,
        folder: bool,
        part: int,
    ) -> None:
        self._renewal = renewal
        self._origin = origin
        self._carry = options.carry
        self._loss_report = loss_report
        self._crossing = make_mapper(conversation, origin, renewal, carry=options.carry)
        self._about = self._crossing.about
        self._kinds = self._fill_plan(conversation)
        headed = any(isinstance(entry, Head) for entry in self._kinds.values())
        self._opening = renewal.make_opening_entries(self._about, headed=headed, folder=folder)
        self._identity = compute_source_id(origin), part
        self._packing = self._make_embedder(())
        self._depths: dict[int, int] = {}
        self.slots = self._group_by_file() if folder else {}
        """The slots of each file, if it is a folder."""

    @property
    def is_empty(self) -> bool:
        """Whether there is no record that could hold embedded data."""
        carries = self._renewal.carrier_lines or self._opening
        return not carries and not self._crossing.plan.order

    def embed_files(self, paths: Sequence[str]) -> None:
        """Embed files whose paths new files need."""
        self._packing = self._make_embedder(paths)

    def _make_embedder(self, files: Sequence[str]) -> RecordEmbedder:
        src, part = self._identity
        return RecordEmbedder(
            self._crossing, self._loss_report, carry=self._carry, src=src, part=part, files=files
        )

    # which records, in which files

    def _fill_plan(self, conversation: Conversation) -> Mapping[int, Entry]:
        """Fill the plan and return the entries that are not messages and have a place."""
        crossing, plan = self._crossing, self._crossing.plan
        traits = conversation.skeleton.traits
        others = [position for position, trait in enumerate(traits) if not trait]
        kinds: dict[int, Entry] = {}
        numbers = [conversation.members[position] for position in others]
        found = self._origin.records(numbers, map(conversation.names, others))
        for position, record in zip(others, found, strict=True):
            if crossing.has_place(position, record):
                kinds[position] = crossing.source.get(crossing.strip_embedded(record))
            else:
                plan.left[position] = "other"
        first: list[int] = []
        if self._renewal.one_head:
            heads = [position for position, entry in kinds.items() if isinstance(entry, Head)]
            first = heads[:1]
            for position in heads[1:]:
                plan.left[position] = "other"
                del kinds[position]
        places: Iterable[int] = range(len(traits))
        if crossing.target.nests:
            places = conversation.tree.order
        plan.order.extend(first)
        plan.order.extend(
            place for place in places if place not in plan.left and place not in first
        )
        return kinds

    def _group_by_file(self) -> dict[str, list[Slot]]:
        homes: dict[str, list[Slot]] = {}
        for entry in self._opening:
            homes.setdefault(self._crossing.choose_file(0, entry), []).append(entry)
        for position in self._crossing.plan.order:
            home = self._crossing.choose_file(position, self._kinds.get(position, ANY_MESSAGE))
            homes.setdefault(home, []).append(position)
        if self._carry:
            first = next(iter(homes), "")
            homes[f"{first.rpartition('/')[0]}/{BESIDE_WAS}".removeprefix("/")] = []
        return homes

    # bytes

    def files(self) -> Files:
        """Return the files of a conversation in a folder."""
        if not self._carry:
            self._packing.report_rest()
        found: Files = {}
        for path, slots in self.slots.items():
            if path.rpartition("/")[2] == BESIDE_WAS:
                found[path] = compose_lines(self._packing.iter_carriers())
            else:
                items = self._iter_items(slots, loaded=False)
                found[path] = self._renewal.compose(
                    path, self._about, items, first=True, sheet=self._origin.by_path.get(path)
                )
        return found

    def encode_whole(self, path: str, *, first: bool) -> Iterable[bytes]:
        """Return the bytes of a conversation that is a file, or a part of one."""
        slots: list[Slot] = [*self._opening, *self._crossing.plan.order]
        items = self._iter_items(slots, loaded=not self._renewal.carrier_lines)
        if self._renewal.carrier_lines:
            items = _chain_items(items, self._packing.iter_carriers())
        sheet = self._origin.by_path[path]
        return self._renewal.compose(path, self._about, items, first=first, sheet=sheet)

    def _iter_items(self, slots: Sequence[Slot], *, loaded: bool) -> Iterator[Item]:
        """Yield the records; the first one embeds everything that has no other place."""
        for number, slot in enumerate(slots):
            if not isinstance(slot, int):
                yield self._packing.make_opening(slot, loaded=loaded and not number)
        places = [slot for slot in slots if isinstance(slot, int)]
        first = places[0] if loaded and len(places) == len(slots) and places else -1
        for place, item in zip(places, self._packing.iter_items(places, loaded=first), strict=True):
            yield item._replace(depth=self._find_depth(place))

    def _find_depth(self, position: int) -> int:
        if not self._crossing.target.nests:
            return 0
        above = self._crossing.skeleton.parents[position]
        depth = 0 if above == ROOT else self._depths[above] + 1
        self._depths[position] = depth
        return depth


def _chain_items(*items: Iterator[Item]) -> Iterator[Item]:
    for each in items:
        yield from each
