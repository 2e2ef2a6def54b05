"""From findings to changes: which bytes, records and files a round of repair touches.

Broken bytes are mended alone, since records may be found anew once they are. Several changes of
one record are made one after the other, each on what the one before left.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from talktree.checks.run import Found
from talktree.formats.engine import Origin
from talktree.formats.fixes import Drop, Insert, Patch, Remake, Revalue
from talktree.formats.record_file import Sheet
from talktree.formats.rule_context import Seen, Talk
from talktree.repairs.action import Action, action, brief_bytes, differing
from talktree.text.json.value import Json


class Gathered:
    """The changes of one round, by file and record."""

    def __init__(self, origin: Origin) -> None:
        self.origin = origin
        self._mended: set[tuple[str, str]] = set()
        self._patched: set[Patch] = set()
        self.patches: dict[str, list[tuple[Patch, Found]]] = {}
        self.values: dict[int, list[tuple[Revalue, Found]]] = {}
        self.drops: dict[int, tuple[Drop, Found]] = {}
        self.inserts: dict[int, list[tuple[Insert, Found]]] = {}
        self.remakes: dict[str, tuple[Remake, Found]] = {}

    def take(self, found: Found) -> None:
        """Add what mends a finding."""
        fix = found.rule.fix
        assert fix is not None
        if found.finding.path in self.origin.damaged:
            # To write it anew would hide that a part of it is missing.
            return
        subject: object = found.subject
        if found.rule.on == "reading":
            # The bytes of a file are mended for a rule once, wherever it is broken there.
            path = found.finding.path or ""
            if (path, found.rule.code) in self._mended:
                return
            self._mended.add((path, found.rule.code))
            subject = self.origin.by_path.get(path)
        for change in fix.mend(subject, found.told):
            self._add(change, found)

    def _add(self, change: object, found: Found) -> None:
        match change:
            case Patch():
                if change not in self._patched:
                    self._patched.add(change)
                    self.patches.setdefault(change.path, []).append((change, found))
            case Revalue():
                self.values.setdefault(_number(change.talk, change.position), []).append(
                    (change, found)
                )
            case Drop():
                self.drops.setdefault(_number(change.talk, change.position), (change, found))
            case Insert():
                self.inserts.setdefault(_number(change.talk, change.after), []).append(
                    (change, found)
                )
            case Remake():
                self.remakes.setdefault(change.path, (change, found))
            case _:
                raise TypeError(f"{change!r} is no change")

    def paths(self) -> set[str]:
        """The files in which records change."""
        numbers = [*self.values, *self.drops, *self.inserts]
        return {self.origin.path_of(number) for number in numbers}


def _number(talk: Talk, position: int) -> int:
    return talk.conversation.members[position]


def revalued(changes: Iterable[tuple[Revalue, Found]]) -> tuple[Json, list[Action]]:
    """A record's value after all its changes, and the steps."""
    actions: list[Action] = []
    seen: Seen | None = None
    for change, found in changes:
        if seen is None:
            seen = change.talk.seen(change.position)
        old = seen.record.value
        new = change.make(seen)
        before, after = differing(old, new)
        if before or after:
            made_up = change.invented
            actions.append(action(found.finding, before=before, after=after, invented=made_up))
        seen.record.value = new
        # From here on its names are those it has now, not those the skeleton knew.
        seen.record.id, seen.record.parent = "", None
        seen = Seen(seen.record, change.talk.format.get(seen.record), seen.position, seen.talk)
    assert seen is not None
    return seen.record.value, actions


def patch_actions(sheet: Sheet, patches: Iterable[tuple[Patch, Found]]) -> Iterator[Action]:
    """The steps of changes to bytes."""
    for patch, found in patches:
        old = sheet.content.read(patch.start, patch.stop)
        yield action(found.finding, before=brief_bytes(old), after=brief_bytes(patch.new))
