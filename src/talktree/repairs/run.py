"""One round of repair: the fixes that can be made at once, as splices of files.

Repair: rounds of fixes until nothing is left to mend, with an account of every byte.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property
from typing import NamedTuple

from talktree.checks.reachability import Reach, reach
from talktree.checks.registry import rules_for
from talktree.checks.run import Found, found
from talktree.files import Content, Memory, Source, Unpacked, as_stored, parked
from talktree.files.splice import Splice, spliced, trimmed
from talktree.formats.engine import Origin, read
from talktree.formats.fixes import Patch, Remake
from talktree.formats.record_file import Item, Sheet
from talktree.formats.rule import Rule
from talktree.model.document import Document
from talktree.repairs.byte_origins import first_trace, kept, traced
from talktree.repairs.plan import (
    Action,
    Gathered,
    Step,
    acceptable,
    action,
    brief_bytes,
    patch_actions,
    revalued,
)


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


MOST_ROUNDS = 12
"""Each round mends what the one before laid bare; real damage takes three or four."""


class Repair:
    """A repaired document, and what was done to it."""

    def __init__(
        self,
        before: Document,
        after: Document,
        rounds: Sequence[Round],
        sources: Sequence[Source],
        *,
        held_back: bool = False,
    ) -> None:
        self.before = before
        self.after = after
        self.rounds = rounds
        self.sources = sources
        """The source as it was before each round."""
        self.held_back = held_back
        """Whether an unsafe repair would have done more."""

    @property
    def plan(self) -> list[Action]:
        """Every step, in order."""
        return [each for done in self.rounds for each in done.actions]

    @property
    def changed(self) -> bool:
        """Whether there was anything to mend."""
        return bool(self.rounds)

    @property
    def source(self) -> Source:
        """The repaired files."""
        return _origin(self.after).source

    @cached_property
    def bytes(self) -> tuple[int, int]:
        """How many bytes of the input are kept, and how many are quarantined."""
        total = kept_bytes = 0
        for path, content in _origin(self.before).source.files.items():
            trace = first_trace(content.size)
            for done in self.rounds:
                trace = [] if path in done.gone else traced(trace, done.splices.get(path, ()))
            total += content.size
            kept_bytes += kept(trace)
        return kept_bytes, total - kept_bytes

    @cached_property
    def reach(self) -> tuple[Reach, Reach]:
        """How much could be reached before, and how much now."""
        return reach(self.before.conversations), reach(self.after.conversations)


def repaired(
    document: Document,
    *,
    unsafe: bool = False,
    rules: Iterable[Rule] | None = None,
    known: Iterable[Found] | None = None,
) -> Repair:
    """A document with its safe fixes made, or all of them.

    Whoever has just checked it gives what was found, and it is not gone through once more. Fixes
    note on the findings what they did, so these serve one repair only.
    """
    chosen = list(rules_for(document.format) if rules is None else rules)
    mending = [rule for rule in chosen if rule.fix is not None]
    current, rounds, sources, held_back = document, list[Round](), list[Source](), False
    while len(rounds) < MOST_ROUNDS:
        findings = found(current, mending) if known is None else _told_by(mending, known)
        done, known = one_round(current, findings, unsafe=unsafe), None
        held_back = held_back or done.held_back
        if done.is_empty:
            break
        source = _origin(current).source
        rounds.append(done)
        sources.append(source)
        notes = _origin(current).notes
        current = read(applied(source, done), _origin(current).format)
        _origin(current).notes = notes
    return Repair(document, current, rounds, sources, held_back=held_back)


def _told_by(rules: Sequence[Rule], findings: Iterable[Found]) -> Iterable[Found]:
    """What some rules found, out of what all did."""
    codes = {rule.code for rule in rules}
    return [each for each in findings if each.rule.code in codes]


def _origin(document: Document) -> Origin:
    found = document.origin
    assert isinstance(found, Origin)
    return found
