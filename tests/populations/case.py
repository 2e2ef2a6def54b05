"""One population, converted: `python -m tests.populations.case NUMBER [FOLDER]` shows it."""

from __future__ import annotations

import re
import shutil
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from random import Random
from typing import NamedTuple

from tests.oracle import messages
from tests.oracle.shown import Shown
from tests.populations.command import REFUSED, Report, convert
from tests.populations.laws import contents, unreported
from tests.populations.members import SLUGS, Member, draw_member, keeps_names

SIZES = {1: 35, 2: 30, 3: 20, 4: 8, 5: 4, 6: 3}
OPTIONS = ((), (), (), ("--strict",), ("--strict",), ("--clean",), ("--clean", "--strict"))
UNION = 2
"""One in this many populations is also converted member by member."""
BACK = 2
"""One in this many populations is also converted back."""
PROCESS = 100
"""One in this many populations is converted by a separate process."""
INTERNAL = 70
"""The exit code of an internal error."""
PLACEHOLDER = "(No messages; Talktree keeps the records of the source here.)"
"""The message shown in formats that need one, for a conversation without messages."""

NESTED = ("muse", "studio", "studio-text", "studio-xml")
"""Formats whose records are not lines or files."""

_ID = re.compile(rb"[0-9a-f]{8}-0000-4000-8000-[0-9]{12}|@[0-9]+")


class Case(NamedTuple):
    """Members in one folder, and the target of their conversion."""

    number: int
    members: list[Member]
    mixed: bool
    target: str
    options: tuple[str, ...]

    def lay(self, root: Path) -> Path:
        """Write all members to one folder, and each one to a separate folder."""
        for number, member in enumerate(self.members):
            member.lay(root / "source" / (f"part-{number}" if self.mixed else ""), f"s{number}")
            member.lay(self.alone(root, number), f"s{number}")
        return root / "source"

    def alone(self, root: Path, number: int) -> Path:
        """Return the folder that holds only this member."""
        return root / f"alone-{number}"

    def story(self) -> str:
        """Describe the population in one line."""
        reported = "; ".join(f"{each.slug} {', '.join(each.story)}" for each in self.members)
        kind = "mixed" if self.mixed else "one format"
        return (
            f"case {self.number} ({kind}): [{reported}] -> {self.target} {' '.join(self.options)}"
        )


def draw_case(number: int) -> Case:
    """Return the population of a number; the same one each time."""
    random = Random(number)
    (size,) = random.choices(list(SIZES), list(SIZES.values()))
    mixed = size > 1 and random.random() < 0.3
    slug = random.choice(SLUGS)
    slugs = [random.choice(SLUGS) if mixed else slug for _ in range(size)]
    members: list[Member] = []
    for slug in slugs:
        member = draw_member(random, slug)
        while keeps_names(member) and any(map(keeps_names, members)):
            # A second project would replace files of the first.
            member = draw_member(random, slug)
        members.append(member)
    if size > 1 and random.random() < 0.15 and len(members[0].files) == 1:
        members[-1] = members[0].then("again", members[0].files)
    return Case(number, members, mixed, random.choice(SLUGS), random.choice(OPTIONS))


def judge(case: Case, root: Path) -> Iterator[str]:
    """Convert a population and yield the laws that are broken."""
    source = case.lay(root)
    report = convert(
        source, case.target, root / "out", *case.options, process=case.number % PROCESS == 0
    )
    shown = [
        each
        for number, member in enumerate(case.members)
        for each in messages(member.slug, case.alone(root, number))
    ]
    if report.code == INTERNAL:
        yield f"exit 70: {report.errors.strip()[:300]}"
    if report.code != 0:
        if shown and report.code != REFUSED:
            yield f"{len(shown)} messages are refused: {report.errors.strip()[:200]}"
        return
    output = messages(case.target, root / "out") if (root / "out").exists() else []
    if left := unreported(shown, output, report, _swallowed(case, report)):
        yield f"{len(left)} of {len(shown)} messages are missing: {_words(left)}"
    if "--strict" in case.options and any(loss["kept"] == "lost" for loss in report.losses):
        yield "--strict accepts a loss"
    if case.number % UNION == 0 and len(case.members) > 1:
        yield from _judge_union(case, root, output)
    whole = not any(loss["kept"] == "lost" for loss in report.losses)
    if case.number % BACK == 0 and whole and not case.mixed and "--clean" not in case.options:
        yield from _judge_back(case, root, source)


def _swallowed(case: Case, report: Report) -> set[str]:
    """Return the ids of messages that may be part of a record that is reported as unreadable.

    In a nested document a record that is not closed may hold everything that follows it. Lines and
    files are separate records, so damage does not affect others there.
    """
    reported = case.target == "native" or any(loss["kind"] == "opaque" for loss in report.losses)
    ids: set[str] = set()
    for member in case.members:
        if reported and member.damage and member.slug in NESTED:
            name, at = member.damage
            head, tail = member.files[name][:at], member.files[name][at:]
            # The damaged record names itself first and then its parent.
            ids.update(map(bytes.decode, [*_ID.findall(head)[-2:], *_ID.findall(tail)]))
    return ids


def _judge_union(case: Case, root: Path, output: list[Shown]) -> Iterator[str]:
    apart: list[Shown] = []
    for number in range(len(case.members)):
        out = root / f"out-{number}"
        report = convert(case.alone(root, number), case.target, out, *case.options)
        if report.code not in (0, REFUSED) and not _shows(case, root, number):
            continue
        if report.code != 0:
            yield f"member {number} alone: exit {report.code}, {report.errors.strip()[:200]}"
            return
        apart += messages(case.target, out) if out.exists() else []
    together, single = (
        Counter(_key(shown) for shown in each if shown.texts != (PLACEHOLDER,))
        for each in (output, apart)
    )
    if together != single:
        more, less = (list(each.elements()) for each in (together - single, single - together))
        yield f"the folder does not show what its members show: more {more[:2]}, less {less[:2]}"


def _shows(case: Case, root: Path, number: int) -> bool:
    return bool(messages(case.members[number].slug, case.alone(root, number)))


def _judge_back(case: Case, root: Path, source: Path) -> Iterator[str]:
    # A document that was converted from the target becomes its original, whatever happened since.
    if any("gz" in each.story or case.target in each.ancestry for each in case.members):
        return
    slug = case.members[0].slug
    report = convert(root / "out", slug, root / "back")
    if report.code != 0:
        yield f"back to {slug}: exit {report.code}, {report.errors.strip()[:200]}"
        return
    before, after = contents(source), contents(root / "back")
    if len(before) == len(after) == 1:
        before, after = ({"": next(iter(each.values()))} for each in (before, after))
    if before != after:
        gone, new = sorted(before.keys() - after.keys()), sorted(after.keys() - before.keys())
        other = sorted(name for name in before.keys() & after.keys() if before[name] != after[name])
        yield f"back to {slug}: without {gone[:3]}, with {new[:3]}, changed {other[:3]}"


def _key(shown: Shown) -> str:
    return repr((shown.role, shown.texts, shown.calls, shown.results))


def _words(left: list[Shown]) -> str:
    return ", ".join(repr((each.texts or each.results or each.calls)[:1])[:80] for each in left[:3])


def failures(number: int) -> list[str]:
    """Return the laws that the population of a number breaks, each with its description."""
    case = draw_case(number)
    root = Path(tempfile.mkdtemp())
    try:
        return [f"{case.story()}\n    {each}" for each in judge(case, root)]
    finally:
        shutil.rmtree(root)


if __name__ == "__main__":
    given = draw_case(int(sys.argv[1]))
    place = Path(sys.argv[2] if len(sys.argv) > 2 else tempfile.mkdtemp())
    sys.stdout.write("\n".join([given.story(), str(place), *judge(given, place), ""]))
