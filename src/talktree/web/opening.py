"""Opening a studio: its library, its documents, its jobs, and the watcher of its sources."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

from talktree.library.encryption.state import is_encrypted
from talktree.library.library import Library
from talktree.library.retention.schedule import RetentionSchedule
from talktree.library.temporary import in_use, scratch_folder
from talktree.web.actions.dropped import erase_kept_files
from talktree.web.actions.leftovers import drop_forgotten
from talktree.web.actions.previews import Previews
from talktree.web.actions.scratch import keep_private, release
from talktree.web.documents.desk import Desk
from talktree.web.job_runner import Jobs
from talktree.web.served import Served
from talktree.web.studio import Studio
from talktree.web.watcher import Follower, taking_in


@contextmanager
def opened(served: Served) -> Iterator[Studio]:
    """A studio with all that works behind it; everything ends with it."""
    with ExitStack() as ends:
        if served.root is not None:
            ends.enter_context(in_use(served.root))
        scratch = ends.enter_context(scratch_folder())
        ends.callback(release, scratch)
        desk = Desk(served.root, write=not served.read_only)
        ends.callback(desk.close)
        if is_encrypted(desk.root):
            keep_private(scratch)
            if not served.read_only:
                erase_kept_files(desk.root)
        jobs = Jobs()
        ends.callback(jobs.close)
        studio = Studio(desk, jobs, scratch, Previews(), served.read_only, served.given)
        if served.follows:
            ends.callback(_followed(studio, served.root))
        yield studio


def _followed(studio: Studio, root: Path | None) -> Callable[[], None]:
    """Take in what is there, then follow it; gives what ends that."""
    jobs, given = studio.jobs, studio.given
    with Library.open(root) as library:
        places = bool(library.places())
    # Rules are for the library of the user, not for files that are opened directly.
    rules = None if given else RetentionSchedule()
    follower = Follower(root, given, retention=rules, looked=lambda: drop_forgotten(studio))
    if given or places:
        job = jobs.start("import", taking_in(root, given, retention=not given))
        follower.after(lambda: jobs.get(job.id).state != "running")
    follower.start()
    return follower.end
