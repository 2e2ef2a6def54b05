"""The page that tells, for each pair of formats, what happens to what. Used by `generate.py`.

Nothing here is claimed: the golden files of each format are converted into each other format
without carry, and the ledger says what was held, rendered or lost.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

from talktree import api
from talktree.conversion.losses import KINDS
from talktree.conversion.options import Options
from talktree.formats import BUILT_IN
from talktree.model.document import Document
from talktree.model.entries import Entry
from talktree.model.message import Message

DATA = Path(__file__).parent.parent / "tests" / "data"
CLEAN = Options(carry=False)
WHOLE = {"branch", "deleted", "message"}
"""Kinds that stand for a message that is not there at all."""
FIELDS = (
    "authors",
    "session",
    "flags",
    "model",
    "usage",
    "api_message",
    "follows",
    "agent",
    "context",
    "todos",
    "tags",
    "extra",
    "time",
    "role",
    "id",
)
INTRODUCTION = """# What each pair of formats holds

Written by `make docs`: every golden file of the source format is converted into the target with
`--clean`, and the ledger of those conversions is summed up here. *Held* is there in the target's
own words. *Rendered* is shown as text. *Carried* travels along unseen and is lost under `--clean`;
what is rendered is carried as well, so that going back restores it. A kind may stand in several
columns: a target that holds some tool calls may have to render others. Titles, snapshots and other
records that are no messages are in the last column where the target has no place for them.

| kind | what it is |
|---|---|
"""


def conversions() -> str:
    """The page."""
    kinds = "".join(f"| `{kind}` | {what} |\n" for kind, what in KINDS.items())
    return INTRODUCTION + kinds + "".join(_section(source) for source in BUILT_IN)


def _section(source: str) -> str:
    good = sorted((DATA / source / "good").iterdir())
    documents = [api.read(path, format=source) for path in good]
    rows = [_row(documents, target) for target in BUILT_IN if target != source]
    head = "| to | held | rendered | carried (lost under `--clean`) |\n|---|---|---|---|\n"
    return f"\n## From {source}\n\n{head}{''.join(rows)}"


def _row(documents: list[Document], target: str) -> str:
    held: set[str] = set()
    lost: set[str] = set()
    rendered: set[str] = set()
    for document in documents:
        loss_report = api.preview(document, to=target, options=CLEAN)
        gone: dict[str, set[str]] = {}
        for loss in loss_report.losses:
            gone.setdefault(loss.entry, set()).add(loss.kind)
            (lost if loss.kept == "lost" else rendered).add(loss.kind)
        for conversation in document.conversations:
            for entry in conversation.entries:
                held.update(_held(entry, gone))
    return f"| {target} | {_listed(held)} | {_listed(rendered)} | {_listed(lost)} |\n"


def _held(entry: Entry, gone: dict[str, set[str]]) -> set[str]:
    """What of an entry is held as it is; nothing if the whole of it is not there."""
    there, details = set(_kinds(entry)), gone.get(entry.id, set())
    return set() if details & WHOLE or there <= details else there - details


def _listed(kinds: set[str]) -> str:
    return ", ".join(kind for kind in KINDS if kind in kinds) or "–"


def _kinds(entry: Entry) -> Iterator[str]:
    if not isinstance(entry, Message):
        return
    yield "message"
    yield from (name for name in FIELDS if getattr(entry, name))
    yield from (str(part.__struct_config__.tag) for part in entry.parts)
    if entry.parent is not None:
        yield "parent"
    if entry.thinking is not None:
        yield "thinking_setting"


if __name__ == "__main__":
    sys.stdout.write(conversions())
