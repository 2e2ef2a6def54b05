"""Repair: rounds of fixes, as splices of files, until nothing is left to fix.

A round makes all fixes that are compatible. The origin of every byte is tracked.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property
from typing import NamedTuple

from talktree.checks.reachability import Reach, measure_reach
from talktree.checks.registry import rules_for
from talktree.checks.run import RuleFinding, run_rules
from talktree.files import (
    Content,
    MemoryContent,
    Source,
    UnpackedContent,
    encode_as_stored,
    park_pieces,
)
from talktree.files.splice import Splice, apply_splices, trim_splice
from talktree.formats.engine import DocumentOrigin, read_document
from talktree.formats.fixes import BytePatch, RemakeFile
from talktree.formats.record_file import Item, Sheet
from talktree.formats.rule import Rule
from talktree.model.document import Document
from talktree.repairs.byte_origins import count_kept_bytes, extend_trace, first_trace
from talktree.repairs.plan import (
    GatheredChanges,
    RecordStep,
    RepairAction,
    apply_changes,
    make_action,
    make_patch_actions,
    select_acceptable,
    shorten_bytes,
)


class Round(NamedTuple):
    """What a round does to each file."""

    actions: list[RepairAction]
    splices: dict[str, list[Splice]]
    gone: set[str]
    """Files that are removed."""
    made: dict[str, bytes]
    """New files."""
    held_back: bool
    """Whether an unsafe repair would do more."""

    @property
    def is_empty(self) -> bool:
        """Whether nothing changes."""
        return not self.splices and not self.gone and not self.made


def plan_round(document: Document, findings: Iterable[RuleFinding], *, unsafe: bool) -> Round:
    """Return the next round of repair for the findings of a document."""
    origin = document.origin
    assert isinstance(origin, DocumentOrigin)
    wanted, held_back = list[RuleFinding](), False
    for each in findings:
        if each.finding.fix == "safe" or (unsafe and each.finding.fix == "unsafe"):
            wanted.append(each)
        else:
            held_back = held_back or each.finding.fix is not None
    # All findings are collected first: a fix may depend on the last one.
    gathered = GatheredChanges(origin)
    for each in wanted:
        gathered.add_finding(each)
    return _FileBuilder(gathered).build_round(held_back=held_back)


class _FileBuilder:
    def __init__(self, gathered: GatheredChanges) -> None:
        self._gathered = gathered
        self._origin = gathered.origin
        self._actions: list[RepairAction] = []
        self._splices: dict[str, list[Splice]] = {}
        self._gone: set[str] = set()
        self._made: dict[str, bytes] = {}

    def build_round(self, *, held_back: bool) -> Round:
        """Return all changes as splices."""
        gathered = self._gathered
        for path, patches in gathered.patches.items():
            sheet = self._origin.by_path.get(path)
            if sheet is not None:
                self._actions += make_patch_actions(sheet, patches)
            self._add_splices(path, _sort_patches(patch for patch, _ in patches))
        for path, (remake, because) in gathered.remakes.items():
            self._remake(path, remake, because)
        taken = gathered.patches.keys() | gathered.remakes.keys()
        for path in sorted(gathered.paths() - taken):
            self._add_record_changes(self._origin.by_path[path])
        return Round(self._actions, self._splices, self._gone, self._made, held_back)

    def _add_splices(self, path: str, splices: Iterable[Splice]) -> None:
        sheet, splices = self._origin.by_path.get(path), list(splices)
        if sheet is not None and splices and isinstance(sheet.content, UnpackedContent):
            # The file was unpacked or decoded for reading, so it is written whole.
            whole = b"".join(encode_as_stored(sheet.content, apply_splices(sheet.content, splices)))
            splices = [Splice(0, self._origin.source.files[path].size, whole)]
        self._splice(path, splices)

    def _splice(self, path: str, splices: Iterable[Splice]) -> None:
        content = self._origin.source.files[path]
        real = [
            each
            for splice in splices
            if (each := trim_splice(splice, content.read(splice.start, splice.stop)))
            and (each.start < each.stop or each.new)
        ]
        if real:
            self._splices[path] = real

    def _remake(self, path: str, remake: RemakeFile, because: RuleFinding) -> None:
        content, data = self._origin.source.files.get(path), remake.data
        if path in self._origin.by_path and not remake.stored:
            data = b"".join(encode_as_stored(self._origin.by_path[path].content, [data]))
        old = b"" if content is None else content.read()
        self._actions.append(
            make_action(because.finding, before=shorten_bytes(old), after=shorten_bytes(data))
        )
        if content is None:
            self._made[path] = data
        else:
            self._splice(path, [Splice(0, content.size, data)])

    def _add_record_changes(self, sheet: Sheet) -> None:
        """Add the changes to a file's records, except those that it refuses."""
        splices, steps = select_acceptable(sheet, list(self._iter_steps(sheet)))
        self._actions += [each for step in steps for each in step.actions]
        if self._origin.format.file_per_record and not any(step.items for step in steps):
            self._gone.add(sheet.path)
        else:
            self._add_splices(sheet.path, splices)

    def _iter_steps(self, sheet: Sheet) -> Iterator[RecordStep]:
        gathered = self._gathered
        first = self._origin.firsts[self._origin.sheets.index(sheet)]
        for index in range(len(sheet)):
            number = first + index
            depth = sheet.depth_of(index)
            same = [Item(index, depth=depth)]
            if number in gathered.drops:
                _, because = gathered.drops[number]
                raw = shorten_bytes(sheet.record(index).raw)
                gone = [make_action(because.finding, before=raw, after="quarantined")]
                yield RecordStep([], same, gone)
            elif number in gathered.values:
                value, actions = apply_changes(gathered.values[number])
                changed = [Item(index, value, changed=bool(actions), depth=depth)]
                yield RecordStep(changed, same, actions)
            else:
                yield RecordStep(same, same, [])
            for insert, because in gathered.inserts.get(number, ()):
                shown = shorten_bytes(repr(insert.value).encode())
                fresh = Item(None, insert.value, changed=True, depth=depth, group=insert.talk.id)
                yield RecordStep(
                    [fresh], [], [make_action(because.finding, before="", after=shown)]
                )


def _sort_patches(patches: Iterable[BytePatch]) -> Iterator[Splice]:
    """Return patches as splices in order; of two that overlap only the first is made this time."""
    at = 0
    for patch in sorted(patches, key=lambda each: (each.start, -each.stop)):
        if patch.start >= at:
            yield Splice(patch.start, patch.stop, patch.new)
            at = patch.stop


def apply_round(source: Source, done: Round) -> Source:
    """Return a source with a round's changes made; large files are stored on disk."""
    files: dict[str, Content] = {}
    for path, content in source.files.items():
        if path in done.gone:
            continue
        splices = done.splices.get(path)
        files[path] = park_pieces(apply_splices(content, splices)) if splices else content
    files |= {path: MemoryContent(data) for path, data in done.made.items()}
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
"""Each round fixes what the previous one uncovered; real damage takes three or four rounds."""


class Repair:
    """A repaired document, and what was changed."""

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
    def plan(self) -> list[RepairAction]:
        """Every step, in order."""
        return [each for done in self.rounds for each in done.actions]

    @property
    def changed(self) -> bool:
        """Whether anything was fixed."""
        return bool(self.rounds)

    @property
    def source(self) -> Source:
        """The repaired files."""
        return _origin(self.after).source

    @cached_property
    def bytes(self) -> tuple[int, int]:
        """The number of bytes of the input that are kept, and that are quarantined."""
        total = kept_bytes = 0
        for path, content in _origin(self.before).source.files.items():
            trace = first_trace(content.size)
            for done in self.rounds:
                trace = [] if path in done.gone else extend_trace(trace, done.splices.get(path, ()))
            total += content.size
            kept_bytes += count_kept_bytes(trace)
        return kept_bytes, total - kept_bytes

    @cached_property
    def reach(self) -> tuple[Reach, Reach]:
        """The number of reachable messages before and after."""
        return measure_reach(self.before.conversations), measure_reach(self.after.conversations)


def repair_document(
    document: Document,
    *,
    unsafe: bool = False,
    rules: Iterable[Rule] | None = None,
    known: Iterable[RuleFinding] | None = None,
) -> Repair:
    """Return a document with its safe fixes made, or all of them.

    If the document was just checked, pass the findings to avoid a second pass. Fixes store what
    they did in the findings, so these can be used for one repair only.
    """
    chosen = list(rules_for(document.format) if rules is None else rules)
    repair = [rule for rule in chosen if rule.fix is not None]
    current, rounds, sources, held_back = document, list[Round](), list[Source](), False
    while len(rounds) < MOST_ROUNDS:
        findings = run_rules(current, repair) if known is None else _select_findings(repair, known)
        done, known = plan_round(current, findings, unsafe=unsafe), None
        held_back = held_back or done.held_back
        if done.is_empty:
            break
        source = _origin(current).source
        rounds.append(done)
        sources.append(source)
        notes = _origin(current).notes
        current = read_document(apply_round(source, done), _origin(current).format)
        _origin(current).notes = notes
    return Repair(document, current, rounds, sources, held_back=held_back)


def _select_findings(
    rules: Sequence[Rule], findings: Iterable[RuleFinding]
) -> Iterable[RuleFinding]:
    """Return the findings of some rules."""
    codes = {rule.code for rule in rules}
    return [each for each in findings if each.rule.code in codes]


def _origin(document: Document) -> DocumentOrigin:
    found = document.origin
    assert isinstance(found, DocumentOrigin)
    return found
