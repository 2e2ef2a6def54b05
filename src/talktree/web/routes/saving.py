"""Saving: into the source, if that is still what was seen, or as a file of any format."""

from __future__ import annotations

from talktree.web.actions.edit import edits_on, history
from talktree.web.actions.save import saving_as
from talktree.web.actions.summary import summary_of
from talktree.web.routes.route import Call, Route
from talktree.web.schemas.edits_and_moves import On, SaveAs, Saved
from talktree.web.schemas.general import Job
from talktree.web.studio import Studio


def save(studio: Studio, call: Call) -> Saved:
    """The edits, written into the source."""
    cid, desk = call.path["cid"], studio.desk
    with desk.writing() as library:
        opened = desk.require(cid, call.body.stamp)
        written = edits_on(library, opened.kept.source, call.body.stamp).save()
        desk.changed(cid)
        after = desk.open(cid)
    return Saved(
        stamp=after.stamp,
        written=tuple(map(str, written)),
        conversation=summary_of(studio, after),
        history=history(studio, cid),
    )


def save_as(studio: Studio, call: Call) -> Job:
    """A job that writes the conversation in a format."""
    opened = studio.desk.open(call.path["cid"])
    work = saving_as(opened, call.body, studio.scratch)
    return studio.jobs.start("convert", work, source=opened.kept.source)


ROUTES = (
    Route(
        "POST", "/c/{cid}/save", save, "Write the edits into the source, if nobody changed it.",
        body=On, gives=Saved, effects=True,
    ),
    Route(
        "POST", "/c/{cid}/save-as", save_as, "Write it in any format, to be downloaded.",
        body=SaveAs, gives=Job,
    ),
)  # fmt: skip
