"""Mending a source: the plan of its safe fixes, or these made after a verified backup."""

from __future__ import annotations

from pathlib import Path

import msgspec

from talktree import api
from talktree.errors import UsageError
from talktree.formats import by_slug
from talktree.formats.engine import read
from talktree.library.library import Library
from talktree.library.versions.editing import WAIT, Versions
from talktree.repairs.plan import Action
from talktree.repairs.run import Repair
from talktree.web.actions.edit import history, refuse_stale
from talktree.web.actions.summary import summary_of
from talktree.web.errors import ReadOnly
from talktree.web.schemas.edits_and_moves import Fix, Fixes, FixStep
from talktree.web.studio import Studio

MOST_STEPS = 500
"""How many steps of a plan are shown."""


def fixed(studio: Studio, cid: str, asked: Fix) -> Fixes:
    """The plan, or with `apply` what was done."""
    if not asked.apply:
        opened = studio.desk.require(cid, asked.stamp)
        return _told(_repair(studio.desk.library(), opened.kept.source, asked), opened.stamp)
    if studio.read_only:
        raise ReadOnly("this studio is read-only", hint="start it without --read-only")
    desk = studio.desk
    with desk.writing() as library, library.lock.held(WAIT):
        source = desk.require(cid, asked.stamp).kept.source
        refuse_stale(library, source, asked.stamp)
        repair = _repair(library, source, asked)
        path = Versions(library, source).path
        written = api.repair_in_place(repair, path) if repair.changed else []
        library.import_([path])
        desk.changed(cid)
        after = desk.open(cid)
    return msgspec.structs.replace(
        _told(repair, after.stamp, written),
        conversation=summary_of(studio, after),
        history=history(studio, cid),
    )


def _repair(library: Library, source: int, asked: Fix) -> Repair:
    """The repair of a source as it lies on the disk, if that is what the page shows of it."""
    edits = Versions(library, source)
    if not edits.history.is_saved:
        raise UsageError(
            "there are edits that are not saved", hint="save them or undo them, then mend the file"
        )
    return api.repair(read(edits.on_disk(), by_slug(edits.format)), select=asked.codes)


def _told(repair: Repair, stamp: str, written: list[Path] | None = None) -> Fixes:
    kept, quarantined = repair.bytes
    before, after = repair.reach
    plan = repair.plan
    backups = [path for path in written or () if path.name.endswith(".backup")]
    return Fixes(
        stamp=stamp,
        applied=written is not None,
        steps=tuple(map(_step, plan[:MOST_STEPS])),
        total=len(plan),
        kept_bytes=kept,
        quarantined_bytes=quarantined,
        reachable_before=before.reachable,
        reachable_after=after.reachable,
        backup=str(backups[0]) if backups else None,
    )


def _step(action: Action) -> FixStep:
    return FixStep(
        code=action.code,
        entry=action.entry,
        before=action.before,
        after=action.after,
        safety=action.safety,
    )
