"""Repair a source: plan its safe fixes, or apply them after a verified backup."""

from __future__ import annotations

from pathlib import Path

import msgspec

from talktree import api
from talktree.errors import UsageError
from talktree.formats import get_format
from talktree.formats.engine import read_document
from talktree.library.library import Library
from talktree.library.versions.editing import WAIT, Versions
from talktree.repairs.plan import RepairAction
from talktree.repairs.run import Repair
from talktree.web.actions.edit import read_history, refuse_stale
from talktree.web.actions.summary import build_summary
from talktree.web.errors import ReadOnly
from talktree.web.schemas.edits_and_moves import Fixes, FixRequest, FixStep
from talktree.web.studio import StudioContext

MOST_STEPS = 500
"""Maximum number of plan steps shown."""


def repair_conversation(studio: StudioContext, cid: str, asked: FixRequest) -> Fixes:
    """Return the plan, or the applied fixes with `apply`."""
    if not asked.apply:
        opened = studio.cache.require(cid, asked.stamp)
        return _to_fixes(
            _plan_repair(studio.cache.get_library(), opened.kept.source, asked), opened.stamp
        )
    if studio.read_only:
        raise ReadOnly("this studio is read-only", hint="start it without --read-only")
    cache = studio.cache
    with cache.open_for_writing() as library, library.lock.hold(WAIT):
        source = cache.require(cid, asked.stamp).kept.source
        refuse_stale(library, source, asked.stamp)
        repair = _plan_repair(library, source, asked)
        path = Versions(library, source).path
        written = api.repair_in_place(repair, path) if repair.changed else []
        library.import_([path])
        cache.forget_source(cid)
        after = cache.open(cid)
    return msgspec.structs.replace(
        _to_fixes(repair, after.stamp, written),
        conversation=build_summary(studio, after),
        history=read_history(studio, cid),
    )


def _plan_repair(library: Library, source: int, asked: FixRequest) -> Repair:
    """Plan the repair of a source on disk, if the page shows the same state."""
    edits = Versions(library, source)
    if not edits.history.is_saved:
        raise UsageError(
            "there are edits that are not saved", hint="save them or undo them, then mend the file"
        )
    return api.repair(
        read_document(edits.load_from_disk(), get_format(edits.format)), select=asked.codes
    )


def _to_fixes(repair: Repair, stamp: str, written: list[Path] | None = None) -> Fixes:
    kept, quarantined = repair.bytes
    before, after = repair.reach
    plan = repair.plan
    backups = [path for path in written or () if path.name.endswith(".backup")]
    return Fixes(
        stamp=stamp,
        applied=written is not None,
        steps=tuple(map(_to_step, plan[:MOST_STEPS])),
        total=len(plan),
        kept_bytes=kept,
        quarantined_bytes=quarantined,
        reachable_before=before.reachable,
        reachable_after=after.reachable,
        backup=str(backups[0]) if backups else None,
    )


def _to_step(action: RepairAction) -> FixStep:
    return FixStep(
        code=action.code,
        entry=action.entry,
        before=action.before,
        after=action.after,
        safety=action.safety,
    )
