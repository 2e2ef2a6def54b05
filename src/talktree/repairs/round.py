"""One round of repair: the fixes that can be made at once, as splices of files."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import NamedTuple

from talktree.checks.run import Found
from talktree.files import Content, Memory, Source, Unpacked, as_stored, parked
from talktree.files.splice import Splice, spliced, trimmed
from talktree.formats.engine import Origin
from talktree.formats.fixes import Patch, Remake
from talktree.formats.record_file import Item, Sheet
from talktree.model.document import Document
from talktree.repairs.action import Action, action, brief_bytes
from talktree.repairs.gather import Gathered, patch_actions, revalued
from talktree.repairs.steps import Step, acceptable


class Round(NamedTuple):
    """What a round does to each file."""

    actions: list[Action]
    splices: dict[str, list[Splice]]
    gone: set[str]
    """Files that are taken out whole."""
    made: dict[str, bytes]
    """Files that were not there before."""
    held_back: bool
    """Whether an unsafe repair would do more."""

    @property
    def is_empty(self) -> bool:
        """Whether nothing changes."""
        return not self.splices and not self.gone and not self.made


def one_round(document: Document, findings: Iterable[Found], *, unsafe: bool) -> Round:
    """The next round of repair, given what is wrong with a document."""
    origin = document.origin
    assert isinstance(origin, Origin)
    wanted, held_back = list[Found](), False
    for each in findings:
        if each.finding.fix == "safe" or (unsafe and each.finding.fix == "unsafe"):
            wanted.append(each)
        else:
            held_back = held_back or each.finding.fix is not None
    # Gone through to the end first: what a fix needs to know may come last.
    gathered = Gathered(origin)
    for each in wanted:
        gathered.take(each)
    return _Making(gathered).round(held_back=held_back)


class _Making:
    def __init__(self, gathered: Gathered) -> None:
        self._gathered = gathered
        self._origin = gathered.origin
        self._actions: list[Action] = []
        self._splices: dict[str, list[Splice]] = {}
        self._gone: set[str] = set()
        self._made: dict[str, bytes] = {}

    def round(self, *, held_back: bool) -> Round:
        """All changes as splices."""
        gathered = self._gathered
        for path, patches in gathered.patches.items():
            sheet = self._origin.by_path.get(path)
            if sheet is not None:
                self._actions += patch_actions(sheet, patches)
            self._add(path, _in_order(patch for patch, _ in patches))
        for path, (remake, because) in gathered.remakes.items():
            self._remake(path, remake, because)
        taken = gathered.patches.keys() | gathered.remakes.keys()
        for path in sorted(gathered.paths() - taken):
            self._records(self._origin.by_path[path])
        return Round(self._actions, self._splices, self._gone, self._made, held_back)

    def _add(self, path: str, splices: Iterable[Splice]) -> None:
        sheet, splices = self._origin.by_path.get(path), list(splices)
        if sheet is not None and splices and isinstance(sheet.content, Unpacked):
            # What was read is not what lies there, so the file is written whole.
            whole = b"".join(as_stored(sheet.content, spliced(sheet.content, splices)))
            splices = [Splice(0, self._origin.source.files[path].size, whole)]
        self._splice(path, splices)

    def _splice(self, path: str, splices: Iterable[Splice]) -> None:
        content = self._origin.source.files[path]
        real = [
            each
            for splice in splices
            if (each := trimmed(splice, content.read(splice.start, splice.stop)))
            and (each.start < each.stop or each.new)
        ]
        if real:
            self._splices[path] = real

    def _remake(self, path: str, remake: Remake, because: Found) -> None:
        content, data = self._origin.source.files.get(path), remake.data
        if path in self._origin.by_path and not remake.stored:
            data = b"".join(as_stored(self._origin.by_path[path].content, [data]))
        old = b"" if content is None else content.read()
        self._actions.append(
            action(because.finding, before=brief_bytes(old), after=brief_bytes(data))
        )
        if content is None:
            self._made[path] = data
        else:
            self._splice(path, [Splice(0, content.size, data)])

    def _records(self, sheet: Sheet) -> None:
        """The changes to a file's records, those left out that it cannot take."""
        splices, steps = acceptable(sheet, list(self._steps(sheet)))
        self._actions += [each for step in steps for each in step.actions]
        if self._origin.format.file_per_record and not any(step.items for step in steps):
            self._gone.add(sheet.path)
        else:
            self._add(sheet.path, splices)

    def _steps(self, sheet: Sheet) -> Iterator[Step]:
        gathered = self._gathered
        first = self._origin.firsts[self._origin.sheets.index(sheet)]
        for index in range(len(sheet)):
            number = first + index
            depth = sheet.depth_of(index)
            same = [Item(index, depth=depth)]
            if number in gathered.drops:
                _, because = gathered.drops[number]
                raw = brief_bytes(sheet.record(index).raw)
                gone = [action(because.finding, before=raw, after="quarantined")]
                yield Step([], same, gone)
            elif number in gathered.values:
                value, actions = revalued(gathered.values[number])
                changed = [Item(index, value, changed=bool(actions), depth=depth)]
                yield Step(changed, same, actions)
            else:
                yield Step(same, same, [])
            for insert, because in gathered.inserts.get(number, ()):
                shown = brief_bytes(repr(insert.value).encode())
                fresh = Item(None, insert.value, changed=True, depth=depth, group=insert.talk.id)
                yield Step([fresh], [], [action(because.finding, before="", after=shown)])


def _in_order(patches: Iterable[Patch]) -> Iterator[Splice]:
    """Patches as splices in order; of two that overlap only the first is made this time."""
    at = 0
    for patch in sorted(patches, key=lambda each: (each.start, -each.stop)):
        if patch.start >= at:
            yield Splice(patch.start, patch.stop, patch.new)
            at = patch.stop


def applied(source: Source, done: Round) -> Source:
    """A source with a round's changes made; large files are parked on disk."""
    files: dict[str, Content] = {}
    for path, content in source.files.items():
        if path in done.gone:
            continue
        splices = done.splices.get(path)
        files[path] = parked(spliced(content, splices)) if splices else content
    files |= {path: Memory(data) for path, data in done.made.items()}
    return Source(
        source.name,
        files,
        folder=source.folder,
        skipped=source.skipped,
        withheld=source.withheld,
        shown=source.shown,
        place=source.place,
    )
