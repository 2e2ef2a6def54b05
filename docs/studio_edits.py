"""Which edits each format can hold, tried on the demos: `reference/studio-edits.md`."""

from __future__ import annotations

import re
from pathlib import Path

from talktree import api
from talktree.testing.edits import KINDS, EditOutcome, try_edit

DEMO = Path(__file__).parent.parent / "demo"
SOURCES = (
    "claude-code.jsonl",
    "claude-messages.jsonl",
    "chatbuilder/messages/repair-cafe",
    "muse.json",
    "native.jsonl",
    "sage",
    "studio.json",
    "studio-text.txt",
    "studio-xml.xml",
)
HEAD = """# Edits by format

Written by `make docs` from the demos: each edit is made on the messages of a conversation, written,
read again and compared. The same edits are in the studio and in `talktree edit`.

- **yes**: on every message where it makes sense.
- **some**: on some messages; on others the format has no place for the result.
- **no**: refused before anything is written, with the reason below.

An edit is never half made: what is refused changes nothing, and what is made can be undone and
redone, also after it was saved.
"""


def page() -> str:
    """The whole page."""
    found = {source: _tried(source) for source in SOURCES}
    formats = [api.detect(DEMO / source).format.info.slug for source in SOURCES]
    lines = [f"| edit | {' | '.join(formats)} |", f"|---|{'---|' * len(formats)}"]
    lines += [
        f"| {kind} | {' | '.join(_word(found[source][kind]) for source in SOURCES)} |"
        for kind in KINDS
    ]
    why = [
        f"- {format}: {reason} ({', '.join(kinds)})"
        for format, source in zip(formats, SOURCES, strict=True)
        for reason, kinds in _reasons(format, found[source]).items()
    ]
    return "\n".join([HEAD, *lines, "", "## Why not", "", *why, ""])


def _tried(source: str) -> dict[str, list[EditOutcome]]:
    document = api.read(DEMO / source)
    talk = document.conversations[0]
    return {kind: _sensible(list(try_edit(document, talk, kind))) for kind in KINDS}


def _sensible(outcomes: list[EditOutcome]) -> list[EditOutcome]:
    """Without those that mean nothing at their message."""
    return [each for each in outcomes if not each.senseless]


def _word(outcomes: list[EditOutcome]) -> str:
    done = [each for each in outcomes if each.edited is not None]
    if len(done) == len(outcomes):
        return "yes"
    return "some" if done else "no"


def _reasons(format: str, found: dict[str, list[EditOutcome]]) -> dict[str, list[str]]:
    """Why which kinds of edits are refused."""
    details: dict[str, list[str]] = {}
    for kind, outcomes in found.items():
        for each in outcomes:
            if each.refusal is None:
                continue
            reason = re.sub(r" of \S+$", " of such a message", each.refusal)
            kinds = details.setdefault(reason.removeprefix(f"{format} "), [])
            if kind not in kinds:
                kinds.append(kind)
    return details
