"""Source to document: find the records, sort them into conversations, link them."""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Iterator
from itertools import repeat

from msgspec.structs import replace

from talktree.files import Source, unpack_source
from talktree.formats.engine.duplicates import compute_identity_key, find_doubles
from talktree.formats.engine.origin import DocumentOrigin
from talktree.formats.format import CARRY, Format, Probe, SplitSource
from talktree.formats.record_file import Fields
from talktree.formats.secrets import without_secrets
from talktree.model.active_point import NOWHERE, find_newest_message, mark_active
from talktree.model.conversation import Conversation
from talktree.model.document import Document
from talktree.model.findings import Finding, make_finding
from talktree.model.habits import WriterHabits
from talktree.model.identity import SourceIndex
from talktree.model.outline import LineOutline
from talktree.model.skeleton import Skeleton

LARGE = 16 << 20
"""Sources larger than this are inspected in full only on request."""


class _ConversationBuilder:
    """A conversation that is being built."""

    def __init__(self, key: str, path: str, habits: WriterHabits) -> None:
        self.key = key
        self.path = path
        self.skeleton = Skeleton(habits)
        self.members = array("q")
        self.latest: int | None = None
        self.with_ids: set[str] | None = None
        """The files in which some message has an id, once computed."""


class _Sink:
    """Sorts outlines into conversations."""

    def __init__(self, habits: WriterHabits) -> None:
        self.habits = habits
        self.groups: dict[str, _ConversationBuilder] = {}
        self.path = ""
        self.count = 0

    def add(
        self, group: str, fields: Fields, *, container: int | None = None, chain: bool = False
    ) -> int:
        """Add a record; a container or the chain decides its parent if the record names none."""
        current = self.groups.get(group)
        if current is None:
            self.open(group)
            current = self.groups[group]
        skeleton = current.skeleton
        position = len(skeleton.ids)
        if chain and fields[0]:
            container, current.latest = current.latest, position
        if container is not None:
            trait, id, _, *rest = fields
            fields = (trait, id, None, *rest)
        skeleton.add(*fields)  # type: ignore[arg-type]
        if container is not None and skeleton.traits[container]:
            # By position, not by id: in broken files a reply may have the id of its parent.
            skeleton.parents[position] = container
        current.members.append(self.count)
        self.count += 1
        return position

    def extend(self, group: str, lines: Iterable[LineOutline]) -> None:
        """Add many records that name their parents themselves."""
        self.open(group)
        current = self.groups[group]
        before = len(current.skeleton)
        if before:
            current.skeleton.breaks.add(before)
        current.skeleton.extend(lines)
        fresh = len(current.skeleton) - before
        current.members.extend(range(self.count, self.count + fresh))
        self.count += fresh

    def open(self, group: str, habits: WriterHabits | None = None) -> None:
        """Register a conversation, though it may have no records."""
        if group not in self.groups:
            own = self.habits if habits is None else habits
            self.groups[group] = _ConversationBuilder(group, self.path, own)


def read_document(source: Source, format: Format) -> Document:
    """Return the document in a source."""
    source = without_secrets(source, [format])
    source = source.without_silently(format.find_transient_files(source))
    plain = unpack_source(source)
    origin = DocumentOrigin(source, format, _split_source(plain, format))
    sink = _Sink(format.habits)
    for sheet in origin.sheets:
        origin.firsts.append(sink.count)
        sink.path = sheet.main_path or sheet.path
        sheet.index(sink)
    origin.count = sink.count
    groups = list(sink.groups.values())
    index = SourceIndex()
    origin.conversations = [_make_conversation(group, origin, index) for group in groups]
    index.conversations = origin.conversations
    return Document(
        format=format.info.slug,
        name=source.name,
        shown=source.shown,
        conversations=origin.conversations,
        origin=origin,
        inspect=lambda: list(_inspect_sheets(origin, groups)),
        glance=lambda: list(_inspect_sheets(origin, groups, whole=_is_small(source))),
    )


def _split_source(source: Source, format: Format) -> SplitSource:
    """Return a source's record files; in a folder of single files, other files are foreign."""
    if not source.folder or format.info.layout != "file":
        return format.split(source)
    mine = {
        path: content
        for path, content in source.files.items()
        if _is_own(format, Probe(Source(path, {path: content}, folder=False)))
    }
    found = format.split(Source(source.name, mine, folder=True))
    foreign_files = [path for path in source.files if path not in mine]
    return SplitSource(found.sheets, [*found.foreign_files, *foreign_files])


def _is_own(format: Format, probe: Probe) -> bool:
    # A conversation without messages may consist of its embedded source data only.
    return format.detect(probe) is not None or CARRY.encode() in probe.read_head()


def skim_records(source: Source, format: Format) -> Iterator[LineOutline]:
    """Yield ids, parents, times and usage of all records, in one pass that reads no contents."""
    source = unpack_source(without_secrets(source, [format]))
    for sheet in _split_source(source, format).sheets:
        yield from sheet.outlines()


def _is_small(source: Source) -> bool:
    return sum(content.size for content in source.files.values()) <= LARGE


def _make_conversation(
    group: _ConversationBuilder, origin: DocumentOrigin, index: SourceIndex
) -> Conversation:
    if group.skeleton.habits.replays and any(group.skeleton.native.values()):
        group.skeleton.copies = _find_copies(group, origin)
    group.skeleton.finish()
    _mark_active(group, origin)
    return Conversation(
        id=group.key,
        format=origin.format.info.slug,
        store=origin,
        members=group.members,
        skeleton=group.skeleton,
        main_file=group.path,
        index=index,
    )


def _mark_active(group: _ConversationBuilder, origin: DocumentOrigin) -> None:
    """Set the message that the conversation is at, if the source records it."""
    skeleton = group.skeleton
    newest = find_newest_message(skeleton.traits, skeleton.sidechain)
    if newest == NOWHERE or not skeleton.own_id(newest):
        return
    found = origin.format.find_active_message(origin.source, group.path, skeleton.own_id(newest))
    active = NOWHERE if found is None else skeleton.by_id.get(found, NOWHERE)
    if active != NOWHERE and skeleton.traits[active] and not skeleton.sidechain[active]:
        mark_active(skeleton.listings, active, newest)


def _find_copies(group: _ConversationBuilder, origin: DocumentOrigin) -> dict[int, int]:
    """Return the records that repeat an earlier one with their id, and which one."""
    skeleton, members = group.skeleton, group.members
    names = {native for native in skeleton.native.values() if native}
    wanted = [at for at, name in enumerate(skeleton.ids) if name and skeleton.own_id(at) in names]
    records = origin.records([members[at] for at in wanted], repeat(("", None)))
    first: dict[tuple[str, bytes], int] = {}
    found: dict[int, int] = {}
    for at, record in zip(wanted, records, strict=True):
        key = compute_identity_key(record, origin.format.identity_of)
        original = first.setdefault((skeleton.own_id(at), key), at)
        if original != at:
            found[at] = original
    return found


def _inspect_sheets(
    origin: DocumentOrigin, groups: Iterable[_ConversationBuilder], *, whole: bool = True
) -> Iterator[Finding]:
    """Yield the findings of reading, with the severities of the format."""
    severities = origin.format.severities
    for each in _iterate_findings(origin, groups, whole=whole):
        severity = severities.get(each.code, each.severity)
        yield each if severity == each.severity else replace(each, severity=severity)


def _iterate_findings(
    origin: DocumentOrigin, groups: Iterable[_ConversationBuilder], *, whole: bool
) -> Iterator[Finding]:
    yield from origin.report_damage()
    for sheet in origin.sheets:
        yield from sheet.inspect() if whole else sheet.glance()
    for path in origin.foreign_files:
        yield make_finding("foreign", "not a part of the conversation; kept as it is", path=path)
    for path in origin.source.withheld:
        yield make_finding("withheld", "it may hold keys; neither opened nor copied", path=path)
    for path in origin.source.skipped:
        yield make_finding(
            "skipped", "a link, a special file or a closed folder; not followed", path=path
        )
    for group, conversation in zip(groups, origin.conversations, strict=True):
        yield from _report_duplicate_ids(origin, group, conversation)


def _report_duplicate_ids(
    origin: DocumentOrigin, group: _ConversationBuilder, conversation: Conversation
) -> Iterator[Finding]:
    skeleton, doubles = group.skeleton, find_doubles(conversation, origin)
    for position, native in skeleton.native.items():
        name = skeleton.ids[position]
        path = origin.path_of(group.members[position])
        if position in doubles.copies:
            kind = "rewritten-copy" if position in doubles.rewritten else "exact-copy"
            yield make_finding(kind, f"a copy of {native or name}"[:80], path=path, entry=name)
        elif native:
            what = f"the id {native[:60]} is that of an earlier message"
            yield make_finding("duplicate-id", what, path=path, entry=name)
        elif origin.format.demands_ids or path in _find_paths_with_ids(origin, group):
            # If no message of a file has an id, none is required; if some have one, a missing id is
            # a gap.
            yield make_finding("missing-id", "it has no id", path=path, entry=name)


def _find_paths_with_ids(origin: DocumentOrigin, group: _ConversationBuilder) -> set[str]:
    """Return the files of a conversation in which some message has an id."""
    if group.with_ids is None:
        skeleton, members = group.skeleton, group.members
        named = (at for at, trait in enumerate(skeleton.traits) if trait and skeleton.own_id(at))
        group.with_ids = {origin.path_of(members[at]) for at in named}
    return group.with_ids
