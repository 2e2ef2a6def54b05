"""Source to document: find the records, sort them into conversations, hang them together."""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Iterator
from itertools import repeat

from msgspec.structs import replace

from talktree.files import Source, unpacked
from talktree.formats.engine.duplicates import find_doubles, identity_key
from talktree.formats.engine.origin import Origin
from talktree.formats.format import CARRY, Format, Probe, Split
from talktree.formats.record_file import Fields
from talktree.formats.secrets import without_secrets
from talktree.model.active_point import NOWHERE, mark_active, newest_message
from talktree.model.conversation import Conversation
from talktree.model.document import Document
from talktree.model.findings import Finding, finding
from talktree.model.habits import Habits
from talktree.model.identity import SourceIndex
from talktree.model.outline import LineOutline
from talktree.model.skeleton import Skeleton

LARGE = 16 << 20
"""Sources beyond this size are looked at in full only when that is asked for."""


class _Group:
    """A conversation in the making."""

    def __init__(self, key: str, path: str, habits: Habits) -> None:
        self.key = key
        self.path = path
        self.bones = Skeleton(habits)
        self.members = array("q")
        self.latest: int | None = None
        self.with_ids: set[str] | None = None
        """The files in which some message has an id, once that was asked for."""


class _Sink:
    """Sorts outlines into conversations."""

    def __init__(self, habits: Habits) -> None:
        self.habits = habits
        self.groups: dict[str, _Group] = {}
        self.path = ""
        self.count = 0

    def add(
        self, group: str, fields: Fields, *, container: int | None = None, chain: bool = False
    ) -> int:
        """Take one record; a container or the chain decides on its parent if it names none."""
        current = self.groups.get(group)
        if current is None:
            self.open(group)
            current = self.groups[group]
        bones = current.bones
        position = len(bones.ids)
        if chain and fields[0]:
            container, current.latest = current.latest, position
        if container is not None:
            trait, id, _, *rest = fields
            fields = (trait, id, None, *rest)
        bones.add(*fields)  # type: ignore[arg-type]
        if container is not None and bones.traits[container]:
            # By position, not by id: in broken files a reply may have the id of its parent.
            bones.parents[position] = container
        current.members.append(self.count)
        self.count += 1
        return position

    def extend(self, group: str, lines: Iterable[LineOutline]) -> None:
        """Take many records that name their parents themselves."""
        self.open(group)
        current = self.groups[group]
        before = len(current.bones)
        if before:
            current.bones.breaks.add(before)
        current.bones.extend(lines)
        fresh = len(current.bones) - before
        current.members.extend(range(self.count, self.count + fresh))
        self.count += fresh

    def open(self, group: str, habits: Habits | None = None) -> None:
        """Make a conversation known, though no record of it may follow."""
        if group not in self.groups:
            own = self.habits if habits is None else habits
            self.groups[group] = _Group(group, self.path, own)


def read(source: Source, format: Format) -> Document:
    """The document in a source."""
    source = without_secrets(source, [format])
    source = source.minus(format.fleeting(source))
    plain = unpacked(source)
    origin = Origin(source, format, _split(plain, format))
    sink = _Sink(format.habits)
    for sheet in origin.sheets:
        origin.firsts.append(sink.count)
        sink.path = sheet.main_path or sheet.path
        sheet.index(sink)
    origin.count = sink.count
    groups = list(sink.groups.values())
    index = SourceIndex()
    origin.conversations = [_conversation(group, origin, index) for group in groups]
    index.conversations = origin.conversations
    return Document(
        format=format.info.slug,
        name=source.name,
        shown=source.shown,
        conversations=origin.conversations,
        origin=origin,
        inspect=lambda: list(_inspect(origin, groups)),
        glance=lambda: list(_inspect(origin, groups, whole=_is_small(source))),
    )


def _split(source: Source, format: Format) -> Split:
    """The sheets of a source; in a folder of single files those that are not of the format stay."""
    if not source.folder or format.info.layout != "file":
        return format.split(source)
    mine = {
        path: content
        for path, content in source.files.items()
        if _is_own(format, Probe(Source(path, {path: content}, folder=False)))
    }
    found = format.split(Source(source.name, mine, folder=True))
    foreign_files = [path for path in source.files if path not in mine]
    return Split(found.sheets, [*found.foreign_files, *foreign_files])


def _is_own(format: Format, probe: Probe) -> bool:
    # A conversation without messages may be nothing but what it carries.
    return format.detect(probe) is not None or CARRY.encode() in probe.head()


def skim(source: Source, format: Format) -> Iterator[LineOutline]:
    """Ids, parents, times and usage of all records, in one pass that reads no contents."""
    source = unpacked(without_secrets(source, [format]))
    for sheet in _split(source, format).sheets:
        yield from sheet.outlines()


def _is_small(source: Source) -> bool:
    return sum(content.size for content in source.files.values()) <= LARGE


def _conversation(group: _Group, origin: Origin, index: SourceIndex) -> Conversation:
    if group.bones.habits.replays and any(group.bones.native.values()):
        group.bones.copies = _copies(group, origin)
    group.bones.finish()
    _mark_active(group, origin)
    return Conversation(
        id=group.key,
        format=origin.format.info.slug,
        store=origin,
        members=group.members,
        skeleton=group.bones,
        main_file=group.path,
        index=index,
    )


def _mark_active(group: _Group, origin: Origin) -> None:
    """Note the message that the conversation is at, if the source says so."""
    bones = group.bones
    newest = newest_message(bones.traits, bones.sidechain)
    if newest == NOWHERE or not bones.own_id(newest):
        return
    found = origin.format.active_message(origin.source, group.path, bones.own_id(newest))
    active = NOWHERE if found is None else bones.by_id.get(found, NOWHERE)
    if active != NOWHERE and bones.traits[active] and not bones.sidechain[active]:
        mark_active(bones.listings, active, newest)


def _copies(group: _Group, origin: Origin) -> dict[int, int]:
    """Records that repeat one before them with their id, wherever and whenever it was written."""
    bones, members = group.bones, group.members
    names = {native for native in bones.native.values() if native}
    wanted = [at for at, name in enumerate(bones.ids) if name and bones.own_id(at) in names]
    records = origin.records([members[at] for at in wanted], repeat(("", None)))
    first: dict[tuple[str, bytes], int] = {}
    found: dict[int, int] = {}
    for at, record in zip(wanted, records, strict=True):
        key = identity_key(record, origin.format.identity_of)
        original = first.setdefault((bones.own_id(at), key), at)
        if original != at:
            found[at] = original
    return found


def _inspect(origin: Origin, groups: Iterable[_Group], *, whole: bool = True) -> Iterator[Finding]:
    """What reading noticed, each as severe as it is in the format."""
    severities = origin.format.severities
    for each in _notice(origin, groups, whole=whole):
        severity = severities.get(each.code, each.severity)
        yield each if severity == each.severity else replace(each, severity=severity)


def _notice(origin: Origin, groups: Iterable[_Group], *, whole: bool) -> Iterator[Finding]:
    yield from origin.damage()
    for sheet in origin.sheets:
        yield from sheet.inspect() if whole else sheet.glance()
    for path in origin.foreign_files:
        yield finding("foreign", "not a part of the conversation; kept as it is", path=path)
    for path in origin.source.withheld:
        yield finding("withheld", "it may hold keys; neither opened nor copied", path=path)
    for path in origin.source.skipped:
        yield finding(
            "skipped", "a link, a special file or a closed folder; not followed", path=path
        )
    for group, conversation in zip(groups, origin.conversations, strict=True):
        yield from _identity(origin, group, conversation)


def _identity(origin: Origin, group: _Group, conversation: Conversation) -> Iterator[Finding]:
    bones, doubles = group.bones, find_doubles(conversation, origin)
    for position, native in bones.native.items():
        name = bones.ids[position]
        path = origin.path_of(group.members[position])
        if position in doubles.copies:
            kind = "rewritten-copy" if position in doubles.rewritten else "exact-copy"
            yield finding(kind, f"a copy of {native or name}"[:80], path=path, entry=name)
        elif native:
            what = f"the id {native[:60]} is that of an earlier message"
            yield finding("duplicate-id", what, path=path, entry=name)
        elif origin.format.demands_ids or path in _paths_with_ids(origin, group):
            # Where no message of a file has an id, it does without; where some have, it is a gap.
            yield finding("missing-id", "it has no id", path=path, entry=name)


def _paths_with_ids(origin: Origin, group: _Group) -> set[str]:
    """The files of a conversation in which some message has an id."""
    if group.with_ids is None:
        bones, members = group.bones, group.members
        named = (at for at, trait in enumerate(bones.traits) if trait and bones.own_id(at))
        group.with_ids = {origin.path_of(members[at]) for at in named}
    return group.with_ids
