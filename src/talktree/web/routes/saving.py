"""Saving: into the source if it is unchanged, or as a file of any format."""

from __future__ import annotations

from talktree.web.actions.edit import open_edits, read_history
from talktree.web.actions.save import make_save_work
from talktree.web.actions.summary import build_summary
from talktree.web.routes.route import Route, RouteCall
from talktree.web.schemas.edits_and_moves import SaveAs, SaveResult, StateReference
from talktree.web.schemas.general import JobState
from talktree.web.studio import StudioContext


def save(studio: StudioContext, call: RouteCall) -> SaveResult:
    """Write the edits into the source."""
    cid, cache = call.path["cid"], studio.cache
    with cache.open_for_writing() as library:
        opened = cache.require(cid, call.body.stamp)
        written = open_edits(library, opened.kept.source, call.body.stamp).save()
        cache.forget_source(cid)
        after = cache.open(cid)
    return SaveResult(
        stamp=after.stamp,
        written=tuple(map(str, written)),
        conversation=build_summary(studio, after),
        history=read_history(studio, cid),
    )


def save_as(studio: StudioContext, call: RouteCall) -> JobState:
    """Return a job that writes the conversation in a format."""
    opened = studio.cache.open(call.path["cid"])
    work = make_save_work(opened, call.body, studio.scratch)
    return studio.jobs.start("convert", work, source=opened.kept.source)


ROUTES = (
    Route(
        "POST", "/c/{cid}/save", save, "Write the edits into the source, if nobody changed it.",
        body=StateReference, gives=SaveResult, effects=True,
    ),
    Route(
        "POST", "/c/{cid}/save-as", save_as, "Write it in any format, to be downloaded.",
        body=SaveAs, gives=JobState,
    ),
)  # fmt: skip
