"""Evidence for a format: what single records show, and what a file of them shows.

Many programs write the same envelope around a message (`type`, `uuid`, `sessionId`), so the
envelope alone proves little. If messages can be read, their bodies decide: if most of them do not
have the format's shape, the file belongs to another program and is refused with a reason. Broken or
unknown records are not evidence.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Literal, NamedTuple

from talktree.formats.probe import Detection, Probe
from talktree.text.json.value import Json

SURE = 0.95
NAMED_MEMBERS = 4
"""Maximum number of foreign members that a reason names."""


class Clue(NamedTuple):
    """The evidence of one record.

    `body` is a message in the format's own shape, `envelope` any other record of the format, and
    `misfit` a message whose body has another shape. A misfit without a reason is the ordinary shape
    of another known format, which needs no explanation.
    """

    kind: Literal["body", "envelope", "misfit"]
    reason: str = ""


Judge = Callable[[dict[str, Json]], Clue | None]
"""Returns the evidence of a record; None if it is broken or unknown."""


class Evidence(NamedTuple):
    """The evidence of several records."""

    bodies: list[str]
    envelopes: list[str]
    misfits: list[str]
    first: str
    """The reason of the first record that shows the format."""
    seen: int

    def make_detection(self, *, sure: float = SURE) -> Detection | None:
        """Return how sure the format is; a refusal if most messages do not fit."""
        if len(self.misfits) > len(self.bodies):
            return self._make_refusal()
        if not self.first:
            return None
        votes = len(self.bodies) + len(self.envelopes)
        reason = f"{votes} of {self.seen} records: {self.first}"
        return Detection(0.5 + (sure - 0.5) * votes / self.seen, reason)

    def _make_refusal(self) -> Detection | None:
        reason = next(filter(None, self.misfits), None)
        if reason is None:
            return None
        messages = len(self.misfits) + len(self.bodies)
        return make_refusal(f"{len(self.misfits)} of {messages} messages do not fit: {reason}")


def make_refusal(reason: str) -> Detection:
    """Return the answer of a format that knows the envelope, but not its content."""
    return Detection(0.0, reason)


def collect_evidence(records: Iterable[dict[str, Json]], judge: Judge) -> Evidence:
    """Return the evidence of some records."""
    reasons: dict[str, list[str]] = {"body": [], "envelope": [], "misfit": []}
    first, clues = "", [judge(value) for value in records]
    for clue in clues:
        if clue is None:
            continue
        reasons[clue.kind].append(clue.reason)
        if clue.kind != "misfit":
            first = first or clue.reason
    return Evidence(reasons["body"], reasons["envelope"], reasons["misfit"], first, len(clues))


def weigh_file(
    probe: Probe, judge: Judge, name: str | None = None, *, sure: float = SURE
) -> Detection | None:
    """Return how sure a format is of a file, judged by its first records."""
    return collect_from_probe(probe, judge, name).make_detection(sure=sure)


def collect_from_probe(probe: Probe, judge: Judge, name: str | None = None) -> Evidence:
    """Return the evidence of a file's first records; more of them if those hold no message."""
    found = collect_evidence(probe.sample(name), judge)
    if found.envelopes and not found.bodies and not found.misfits:
        deeper = collect_evidence(probe.deep_sample(name), judge)
        if deeper.bodies or deeper.misfits:
            found = deeper
    return found


def weigh_folder(probe: Probe, judge: Judge, names: Iterable[str]) -> Detection | None:
    """Return how sure a format is of some files of a folder; a refusal if most do not fit."""
    found = [collect_from_probe(probe, judge, name) for name in names]
    best = choose_surest(each.make_detection() for each in found)
    if best is None or not best.confidence:
        return best
    bodies = sum(len(each.bodies) for each in found)
    misfits = sum(len(each.misfits) for each in found)
    if misfits > bodies:
        reasons = (reason for each in found for reason in each.misfits if reason)
        total = bodies + misfits
        why = next(reasons, "they are another format's")
        return make_refusal(f"{misfits} of {total} messages do not fit: {why}")
    return best


def choose_surest(answers: Iterable[Detection | None]) -> Detection | None:
    """Return the first answer that is not a refusal, or the first refusal."""
    refused = None
    for answer in answers:
        if answer is not None and answer.confidence:
            return answer
        refused = refused or answer
    return refused


def find_foreign_members(body: Mapping[str, Json], known: frozenset[str]) -> list[str]:
    """Return the members of a message body that hold something and are not the format's own."""
    return [
        name
        for name, item in body.items()
        if name not in known and isinstance(item, (str, list, dict)) and item
    ]


def make_misfit_clue(member: str, foreign: list[str]) -> Clue:
    """Return the evidence of a message whose content is not in the format's member."""
    return Clue("misfit", f"{', '.join(foreign[:NAMED_MEMBERS])} instead of {member}")
