"""From findings to changes: which bytes, records and files a round of repair changes.

Broken bytes are repaired in a round of their own, because records may be split differently
afterwards. Several changes of one record are made in order, each on the result of the one before.

A file may refuse a change: its dialect has no place for the new value, or its brackets are broken
beyond repair. Then all other changes are made, and the refused one is left out.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from typing import NamedTuple

from msgspec import Struct

from talktree.checks.run import RuleFinding
from talktree.errors import DamagedRecord, WouldLose
from talktree.files.splice import Splice
from talktree.formats.engine import DocumentOrigin
from talktree.formats.fixes import BytePatch, DropRecord, InsertRecord, RemakeFile, ReplaceValue
from talktree.formats.record_file import Item, Sheet
from talktree.formats.rule_context import CheckedConversation, RuleRecord
from talktree.model.findings import Finding, Safety
from talktree.text.json.encode import encode_json
from talktree.text.json.strings import Trail, write_trail
from talktree.text.json.value import Json, is_same
from talktree.text.secrets import mask_secrets

MOST_SHOWN = 80
MOST_MEMBERS = 4
MOST_READ = 1 << 12
"""Number of bytes that are searched for secrets, so that none is shown in part."""


class RepairAction(Struct, frozen=True, kw_only=True):
    """What a fix changes, and for which finding."""

    code: str
    name: str
    safety: Safety
    message: str
    """What is wrong."""
    path: str | None = None
    line: int | None = None
    entry: str | None = None
    before: str = ""
    after: str = ""
    invented: str = ""
    """Invented content, and what it was derived from."""


def make_action(finding: Finding, *, before: str, after: str, invented: str = "") -> RepairAction:
    """Return the step that fixes a finding."""
    assert finding.fix is not None
    return RepairAction(
        code=finding.code,
        name=finding.name,
        safety=finding.fix,
        message=finding.message,
        path=finding.path,
        line=finding.line,
        entry=finding.entry,
        before=before,
        after=after,
        invented=invented,
    )


def describe_differences(old: Json, new: Json) -> tuple[str, str]:
    """Return a short description of the members in which two values differ, before and after."""
    found = list(islice(_find_differences(old, new), MOST_MEMBERS + 1))
    shown = found[:MOST_MEMBERS]
    more = ", …" if len(found) > len(shown) else ""
    before = ", ".join(f"{_shorten_value(way, was)}" for way, was, _ in shown)
    after = ", ".join(f"{_shorten_value(way, now)}" for way, _, now in shown)
    return before + more, after + more


ABSENT = object()


def _find_differences(old: Json, new: Json) -> Iterator[tuple[str, object, object]]:
    pending: list[tuple[Trail, object, object]] = [(None, old, new)]
    while pending:
        trail, was, now = pending.pop()
        if was is now:
            continue
        if isinstance(was, dict) and isinstance(now, dict):
            names = [*was, *(name for name in now if name not in was)]
            deeper = [(name, was.get(name, ABSENT), now.get(name, ABSENT)) for name in names]
        elif isinstance(was, list) and isinstance(now, list) and len(was) == len(now):
            deeper = [(str(at), was[at], now[at]) for at in range(len(was))]
        elif ABSENT in (was, now) or not is_same(was, now):  # type: ignore[arg-type]
            yield write_trail(trail) or "it", was, now
            continue
        else:
            continue
        pending += [((trail, name), one, two) for name, one, two in deeper[::-1]]


def _shorten_value(way: str, value: object) -> str:
    if value is ABSENT:
        return f"{way}: (absent)"
    # A plan is printed and pasted elsewhere, so it must not contain secrets. Some are recognized
    # only by their names.
    text = mask_secrets(f"{way}: {encode_json(value).decode('utf-8', 'replace')}")  # type: ignore[arg-type]
    most = len(way) + 2 + MOST_SHOWN
    return text if len(text) <= most else f"{text[:most]}…"


def shorten_bytes(data: bytes) -> str:
    """Return a short description of some bytes."""
    if not data:
        return "nothing"
    text = mask_secrets(data[:MOST_READ].decode("utf-8", "backslashreplace"))
    return text if len(data) <= MOST_SHOWN else f"{text[:MOST_SHOWN]}… ({len(data):,} bytes)"


class GatheredChanges:
    """The changes of one round, by file and record."""

    def __init__(self, origin: DocumentOrigin) -> None:
        self.origin = origin
        self._repaired: set[tuple[str, str]] = set()
        self._patched: set[BytePatch] = set()
        self.patches: dict[str, list[tuple[BytePatch, RuleFinding]]] = {}
        self.values: dict[int, list[tuple[ReplaceValue, RuleFinding]]] = {}
        self.drops: dict[int, tuple[DropRecord, RuleFinding]] = {}
        self.inserts: dict[int, list[tuple[InsertRecord, RuleFinding]]] = {}
        self.remakes: dict[str, tuple[RemakeFile, RuleFinding]] = {}

    def add_finding(self, found: RuleFinding) -> None:
        """Add the fix of a finding."""
        fix = found.rule.fix
        assert fix is not None
        if found.finding.path in self.origin.damaged_files:
            # Rewriting it would hide that a part of it is missing.
            return
        subject: object = found.subject
        if found.rule.on == "reading":
            # A rule repairs the bytes of a file once, for all its findings there.
            path = found.finding.path or ""
            if (path, found.rule.code) in self._repaired:
                return
            self._repaired.add((path, found.rule.code))
            subject = self.origin.by_path.get(path)
        for change in fix.repair(subject, found.diagnostic):
            self._add_change(change, found)

    def _add_change(self, change: object, found: RuleFinding) -> None:
        match change:
            case BytePatch():
                if change not in self._patched:
                    self._patched.add(change)
                    self.patches.setdefault(change.path, []).append((change, found))
            case ReplaceValue():
                self.values.setdefault(_record_number(change.talk, change.position), []).append(
                    (change, found)
                )
            case DropRecord():
                self.drops.setdefault(_record_number(change.talk, change.position), (change, found))
            case InsertRecord():
                self.inserts.setdefault(_record_number(change.talk, change.after), []).append(
                    (change, found)
                )
            case RemakeFile():
                self.remakes.setdefault(change.path, (change, found))
            case _:
                raise TypeError(f"{change!r} is no change")

    def paths(self) -> set[str]:
        """The files in which records change."""
        numbers = [*self.values, *self.drops, *self.inserts]
        return {self.origin.path_of(number) for number in numbers}


def _record_number(talk: CheckedConversation, position: int) -> int:
    return talk.conversation.members[position]


def apply_changes(
    changes: Iterable[tuple[ReplaceValue, RuleFinding]],
) -> tuple[Json, list[RepairAction]]:
    """Return a record's value after all its changes, and the steps."""
    actions: list[RepairAction] = []
    seen: RuleRecord | None = None
    for change, found in changes:
        if seen is None:
            seen = change.talk.read_record(change.position)
        old = seen.record.value
        new = change.make(seen)
        before, after = describe_differences(old, new)
        if before or after:
            made_up = change.invented
            actions.append(make_action(found.finding, before=before, after=after, invented=made_up))
        seen.record.value = new
        # From here on its names are the new ones, not those in the skeleton.
        seen.record.id, seen.record.parent = "", None
        seen = RuleRecord(
            seen.record, change.talk.format.get(seen.record), seen.position, seen.talk
        )
    assert seen is not None
    return seen.record.value, actions


def make_patch_actions(
    sheet: Sheet, patches: Iterable[tuple[BytePatch, RuleFinding]]
) -> Iterator[RepairAction]:
    """Return the steps of changes to bytes."""
    for patch, found in patches:
        old = sheet.content.read(patch.start, patch.stop)
        yield make_action(found.finding, before=shorten_bytes(old), after=shorten_bytes(patch.new))


MOST_TRIES = 200
"""Maximum number of attempts to assemble a file while searching for the changes it refuses."""


class RecordStep(NamedTuple):
    """The step for one record."""

    items: list[Item]
    """The items in the file afterwards; empty if the record is removed."""
    otherwise: list[Item]
    """The items in the file if the step is not made."""
    actions: list[RepairAction]

    @property
    def refused(self) -> RecordStep:
        """The same step, not made."""
        return RecordStep(self.otherwise, self.otherwise, [])


def select_acceptable(
    sheet: Sheet, steps: Sequence[RecordStep]
) -> tuple[list[Splice], list[RecordStep]]:
    """Return the splices for as many of the steps as a file accepts, and the steps themselves."""
    found = _make_splices(sheet, steps)
    if found is not None:
        return found, list(steps)
    made = [step.refused for step in steps]
    splices: list[Splice] = []
    places = [place for place, step in enumerate(steps) if step.actions]
    pending = [places[len(places) // 2 :], places[: len(places) // 2]]
    tries = 0
    while pending and tries < MOST_TRIES:
        group = pending.pop()
        if not group:
            continue
        tries += 1
        chosen = set(group)
        tried = [steps[at] if at in chosen else step for at, step in enumerate(made)]
        found = _make_splices(sheet, tried)
        if found is not None:
            made, splices = tried, found
        elif len(group) > 1:
            pending += [group[len(group) // 2 :], group[: len(group) // 2]]
    return splices, made


def _make_splices(sheet: Sheet, steps: Sequence[RecordStep]) -> list[Splice] | None:
    try:
        return list(sheet.splices([item for step in steps for item in step.items]))
    except (DamagedRecord, WouldLose):
        return None
