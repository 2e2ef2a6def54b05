"""Converting a document to another format: every conversation, and the files it becomes."""

from __future__ import annotations

import re
from array import array
from collections.abc import Iterable, Iterator, Sequence
from itertools import chain
from pathlib import PurePosixPath
from typing import NamedTuple

from msgspec.structs import replace

from talktree.conversion.about import build_conversation_info, find_own_id
from talktree.conversion.attachments import AttachmentContents, FilesWithContents
from talktree.conversion.digests import PLACEHOLDER
from talktree.conversion.embed_write import RecordEmbedder
from talktree.conversion.ids import compute_source_id, make_target_id, make_uuid
from talktree.conversion.losses import LossReport
from talktree.conversion.map_entries import EntryMapper
from talktree.conversion.options import ConversionResult, Options
from talktree.conversion.plan import infer_links_for, plan_records
from talktree.conversion.proof import Proof
from talktree.conversion.refine import EmbeddedSources, Refinement
from talktree.errors import UsageError
from talktree.files import Source, stem_of
from talktree.formats.engine import DocumentOrigin, read_document, write_document
from talktree.formats.format import BESIDE, Format
from talktree.formats.record_file import Item
from talktree.model.conversation import Conversation
from talktree.model.document import Document
from talktree.model.entries import Entry
from talktree.model.message import Message
from talktree.model.parts import Text
from talktree.text.file_names import LONGEST_NAME, sanitize_name

Slot = int | Entry
"""A position, or an entry made for the target."""
_ODD = re.compile(r"[^\w.@+-]+", re.ASCII)


def convert_to_format(
    document: Document,
    target: Format,
    options: Options,
    loss_report: LossReport,
    *,
    processes: int = 1,
) -> ConversionResult:
    """Return a document as files of another format."""
    outside = AttachmentContents(options.attachments)
    outputs = _make_outputs(document, target, options, loss_report, outside, processes)
    made = _gather_result(outputs, target, loss_report)
    made.proof = Proof(
        format=target.info.slug,
        shown=[(each.conversation, each.packing.digests) for each in outputs],
    )
    if options.attachments == "beside":
        made.files, made.folder = FilesWithContents(made.files, outside), True
    return made


def digest_in_format(document: Document, target: Format, options: Options) -> Iterator[int]:
    """Return the digests of what a document would show in another format, without writing it."""
    outside = AttachmentContents(options.attachments)
    for each in _make_outputs(document, target, options, LossReport(), outside, 1):
        yield from each.digests()


def _make_outputs(
    document: Document,
    target: Format,
    options: Options,
    loss_report: LossReport,
    outside: AttachmentContents,
    processes: int,
) -> list[_Output]:
    """Return the outputs for each conversation, or for each branch of it."""
    document = encode_edits(document)
    origin = document.origin
    assert isinstance(origin, DocumentOrigin)
    document = document.with_these(
        [infer_links_for(target, each) for each in document.conversations]
    )
    conversations = document.conversations or _list_no_conversations(document)
    if options.id is not None and len(conversations) > 1:
        raise UsageError(
            f"{document.name} holds {len(conversations)} conversations, and an id is for one",
            hint="leave out the id, or convert them one by one",
        )
    outputs: list[_Output] = []
    stems = _Stems()
    # A format has a place for everything that its own conversations show.
    embedded = None if target is origin.format else EmbeddedSources(document, loss_report)
    src = compute_source_id(origin)
    setting = _Setting(origin, target, options, loss_report, outside, embedded, src, processes)
    for number, conversation in enumerate(conversations):
        files = list_files_without_records(origin) if number == 0 else ()
        mine: list[_Output] = []
        for leaf, stem in _list_branches(conversation, target, options, stems):
            part = len(outputs) + len(mine)
            mine.append(_Output(conversation, setting, leaf, stem, files, part=part))
            files = ()
        _share_embedded_data(mine)
        outputs += mine
    return outputs


def _share_embedded_data(outputs: Sequence[_Output]) -> None:
    """Avoid embedding in several branches what one of them holds."""
    if len(outputs) > 1:
        held = {position for each in outputs for position in each.plan.order}
        for number, each in enumerate(outputs):
            unattached = (
                [] if number else [place for place in each.packing.unattached if place not in held]
            )
            each.packing.unattached = unattached


def encode_edits(document: Document) -> Document:
    """Return the document as read again from its own files, so that each record has its bytes."""
    origin = document.origin
    assert isinstance(origin, DocumentOrigin)
    if not any(conversation.changed for conversation in document.conversations):
        return document
    files = {path: b"".join(pieces) for path, pieces in write_document(document).items()}
    source = Source.of_files(files, name=origin.source.name)
    source.folder = origin.source.folder
    return read_document(source, origin.format)


def _list_no_conversations(document: Document) -> Sequence[Conversation]:
    from talktree.model.skeleton import Skeleton

    origin = document.origin
    assert isinstance(origin, DocumentOrigin)
    stem = stem_of(document.name)
    return [
        Conversation(id=stem, format=document.format, store=origin, members=[], skeleton=Skeleton())
    ]


def list_files_without_records(origin: DocumentOrigin) -> list[str]:
    """Return the files in which no record was found."""
    read_from = {sheet.path for sheet in origin.sheets if len(sheet)}
    return [path for path in origin.source.files if path not in read_from]


def _list_branches(
    conversation: Conversation, target: Format, options: Options, stems: _Stems
) -> Iterator[tuple[str | None, str]]:
    """Yield the leaves to write to, each with the stem of its file."""
    own = target.stem_for(options.id or find_own_id(conversation) or "")
    stem = stems.take_name(own or conversation.id, conversation.main_file)
    if options.branch != "all" or target.can.branches:
        yield None if options.branch == "all" else options.branch, stem
        return
    for number, branch in enumerate(conversation.branches()):
        yield branch.leaf, stem if not number else stems.take_name(f"{stem}-{number + 1}")
    if not conversation.branches():
        yield None, stem


def _is_name_of(file: str, name: str) -> bool:
    """Whether a file, or a folder above it, has this name."""
    parts = PurePosixPath(file).parts
    return bool(parts) and (name in parts[:-1] or stem_of(parts[-1]) == name)


class _Stems:
    """Safe file names, each used once."""

    def __init__(self) -> None:
        self._taken: set[str] = set()

    def take_name(self, name: str, file: str = "") -> str:
        """Return a unique name, close to the one requested.

        The name of the file or folder that was read is kept as it is. Any other name is content,
        and only characters that are safe in a file name are kept.
        """
        stem = _ODD.sub("-", name.rpartition("/")[2]).strip("-.") or "conversation"
        if (
            _is_name_of(file, name)
            and sanitize_name(name) == name
            and len(name.encode("utf-8", "surrogatepass")) <= LONGEST_NAME
        ):
            stem = name
        stem = stem[:LONGEST_NAME]
        number, free = 2, stem
        while free.lower() in self._taken:
            free = f"{stem}-{number}"
            number += 1
        self._taken.add(free.lower())
        return free


class _Setting(NamedTuple):
    """What all conversations of a conversion share."""

    origin: DocumentOrigin
    target: Format
    options: Options
    loss_report: LossReport
    outside: AttachmentContents
    embedded: EmbeddedSources | None
    src: str
    """The identity of the source."""
    processes: int = 1


class _Output:
    """One conversation, or one branch of it, as files."""

    def __init__(
        self,
        conversation: Conversation,
        setting: _Setting,
        leaf: str | None,
        stem: str,
        files: Iterable[str],
        *,
        part: int,
    ) -> None:
        origin, target, options, loss_report = setting[:4]
        embedded = setting.embedded
        refinement = None if embedded is None else embedded.refined.get(conversation.id)
        self.conversation = conversation
        self.target = target
        self.stem = stem
        active = conversation.tree.active_leaf()
        self.about = build_conversation_info(conversation, target, leaf=active, own_id=options.id)
        if refinement is not None:
            self.about = refinement.complete_info(self.about, target)
        self.plan = plan_records(conversation, origin.format, target, self.about, leaf)
        traits = conversation.skeleton.traits
        written = sum(1 for position in self.plan.order if traits[position])
        last = self._find_active_leaf(conversation, leaf, active, refinement)
        self.about = replace(self.about, count=written, leaf=last)
        self._traits = conversation.skeleton.traits
        self._opening: list[Entry] = list(target.make_opening_entries(self.about))
        self._depths: dict[int, int] = {}
        self.packing = RecordEmbedder(
            EntryMapper(
                conversation,
                origin,
                target,
                self.about,
                self.plan,
                carry=options.carry,
                outside=setting.outside,
                refinement=refinement,
            ),
            loss_report,
            carry=options.carry,
            src=setting.src,
            part=part,
            files=files,
            via=() if embedded is None else embedded.via.get(conversation.id, ()),
            processes=setting.processes,
        )

    def _find_active_leaf(
        self,
        conversation: Conversation,
        branch: str | None,
        active: int | None,
        refinement: Refinement | None,
    ) -> str | None:
        """Return the last written message of the active branch, by its new id."""
        named = branch not in (None, "active", "all")
        leaf = conversation.find_position(branch or "") if named else active
        parents = conversation.tree.skeleton.parents
        while leaf is not None and leaf >= 0 and leaf in self.plan.left:
            leaf = parents[leaf]
        if leaf is None or leaf < 0:
            return None
        name = conversation.skeleton.ids[leaf]
        if refinement is not None:
            name = refinement.find_name(leaf)
        return make_target_id(name, conversation.id, self.target)

    @property
    def is_folder(self) -> bool:
        """Whether the conversation is a folder of its own."""
        return self.target.starts_folder

    def files(self, prefix: str, *, first: bool = True) -> dict[str, Iterable[bytes]]:
        """Return the files by path."""
        homes = self._group_by_file([*self._opening, *self.plan.order], prefix)
        if self.target.keeper == "beside" and not self.packing.carry:
            self.packing.report_rest()
        return {
            path: self.target.compose(path, self.about, self._iter_items(slots), first=first)
            for path, slots in homes.items()
        }

    def digests(self) -> Sequence[int]:
        """The digests of all messages that the target shows, except a placeholder."""
        self.packing.digest_shown(self._opening, self.plan.order)
        return self.packing.digests.digests

    def _iter_items(self, slots: Sequence[Slot]) -> Iterator[Item]:
        keeper = self.target.keeper
        for number, slot in enumerate(slots):
            if not isinstance(slot, int):
                yield self.packing.make_opening(slot, loaded=keeper == "opening" and not number)
        places = array("q", (slot for slot in slots if isinstance(slot, int)))
        loaded = places[0] if keeper == "first" and places else -1
        yield from self.packing.iter_items(places, loaded=loaded, depth=self._find_depth)
        if keeper == "line" or (keeper == "beside" and not slots):
            yield from self.packing.iter_carriers()
        elif keeper == "first" and not places:
            yield self.packing.make_opening(self._make_placeholder(), loaded=True)

    def _find_depth(self, position: int) -> int:
        if not self.target.nests or not self._traits[position]:
            return self.target.depth_inside
        above = self.packing.crossing.find_parent_position(position)
        depth = self._depths[position] = self._depths.get(above, -1) + 1
        return depth

    def _make_placeholder(self) -> Message:
        """Return a message that embeds what has no other place, for an empty conversation."""
        roles = self.target.can.roles
        role = "system" if roles is None or "system" in roles else roles[0]
        id = make_uuid("placeholder", self.about.id)
        message = Message(id=id, role=role, parts=(Text(PLACEHOLDER),))
        return self.target.adopt(message, self.about, moment=self.about.started or 0)

    def _group_by_file(self, slots: Sequence[Slot], prefix: str) -> dict[str, list[Slot]]:
        main = prefix + self.target.path_for(self.about, self.stem)
        kinds = [self._find_entry(slot) for slot in slots]
        homes: dict[str, list[Slot]] = {}
        if self.target.file_per_record:
            names = self.target.assign_file_names(kinds, main_file=main)
            homes = {name: [slot] for name, slot in zip(names, slots, strict=True)}
        else:
            before: str | None = None
            home = main
            asked: tuple[Entry | None, str | None] = (None, None)
            for slot, kind in zip(slots, kinds, strict=True):
                # Nearly always it is a message after a message of the same file.
                if kind is not asked[0] or before != asked[1]:
                    asked = kind, before
                    home = before = self.target.choose_file(kind, main, before=before)
                homes.setdefault(home, []).append(slot)
        if self.target.keeper == "beside":
            if self.packing.carry:
                homes[f"{prefix}{BESIDE}"] = []
        elif not homes:
            homes[main] = []
        return homes

    def _find_entry(self, slot: Slot) -> Entry:
        if not isinstance(slot, int):
            return slot
        return self.plan.others.get(slot) or _ANY_MESSAGE


_ANY_MESSAGE = Message()


def _gather_result(
    outputs: Sequence[_Output], target: Format, loss_report: LossReport
) -> ConversionResult:
    if target.many_in_one:
        path = target.path_for(outputs[0].about, outputs[0].stem)
        pieces = [
            next(iter(each.files("", first=not number).values()))
            for number, each in enumerate(outputs)
        ]
        return ConversionResult(
            {path: chain.from_iterable(pieces)}, folder=False, loss_report=loss_report
        )
    if len(outputs) == 1:
        files = outputs[0].files("")
        return ConversionResult(files, folder=outputs[0].is_folder, loss_report=loss_report)
    files = {}
    for each in outputs:
        made = each.files(f"{each.stem}/" if each.is_folder else "")
        for path, content in made.items():
            # Two conversations may have the same session id.
            files[path if path not in files else f"{each.stem}/{path}"] = content
    return ConversionResult(files, folder=True, loss_report=loss_report)
