"""One step of a repair, as people are shown it before it is made."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice

from msgspec import Struct

from talktree.model.findings import Finding, Safety
from talktree.text.json.strings import Trail, write_trail
from talktree.text.json.value import Json, same
from talktree.text.json_write import encode
from talktree.text.secrets import masked

MOST_SHOWN = 80
MOST_MEMBERS = 4
MOST_READ = 1 << 12
"""How far bytes are looked at for secrets, so that none is shown in part."""


class Action(Struct, frozen=True, kw_only=True):
    """What a fix changes, and because of which finding."""

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
    """What was made up, and from what."""


def action(finding: Finding, *, before: str, after: str, invented: str = "") -> Action:
    """The step that mends a finding."""
    assert finding.fix is not None
    return Action(
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


def differing(old: Json, new: Json) -> tuple[str, str]:
    """The members in which two values differ, before and after, in a few words."""
    found = list(islice(_differing(old, new), MOST_MEMBERS + 1))
    shown = found[:MOST_MEMBERS]
    more = ", …" if len(found) > len(shown) else ""
    before = ", ".join(f"{_brief(way, was)}" for way, was, _ in shown)
    after = ", ".join(f"{_brief(way, now)}" for way, _, now in shown)
    return before + more, after + more


ABSENT = object()


def _differing(old: Json, new: Json) -> Iterator[tuple[str, object, object]]:
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
        elif ABSENT in (was, now) or not same(was, now):  # type: ignore[arg-type]
            yield write_trail(trail) or "it", was, now
            continue
        else:
            continue
        pending += [((trail, name), one, two) for name, one, two in deeper[::-1]]


def _brief(way: str, value: object) -> str:
    if value is ABSENT:
        return f"{way}: (absent)"
    # What a plan shows is printed and pasted elsewhere; a secret may not travel with it. Some are
    # known by their names only.
    text = masked(f"{way}: {encode(value).decode('utf-8', 'replace')}")  # type: ignore[arg-type]
    most = len(way) + 2 + MOST_SHOWN
    return text if len(text) <= most else f"{text[:most]}…"


def brief_bytes(data: bytes) -> str:
    """Some bytes in a few words."""
    if not data:
        return "nothing"
    text = masked(data[:MOST_READ].decode("utf-8", "backslashreplace"))
    return text if len(data) <= MOST_SHOWN else f"{text[:MOST_SHOWN]}… ({len(data):,} bytes)"
