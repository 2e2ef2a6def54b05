"""Starting a studio: what it serves, where, who may enter, and how it ends."""

from __future__ import annotations

import hashlib
import os
import shutil
import signal
import sys
import tempfile
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import NamedTuple

from talktree.files.home import data_home
from talktree.library.importing.places import existing
from talktree.library.library import Library
from talktree.web.app import application
from talktree.web.desk.desk import Desk
from talktree.web.intake import Follower, taking_in
from talktree.web.jobs import Jobs
from talktree.web.page import Page
from talktree.web.security.keys import Keys
from talktree.web.serving import Server, bound
from talktree.web.studio import Studio

FOLDER = "studio"
DISPLAYS = ("DISPLAY", "WAYLAND_DISPLAY")
SIGNALLED = 128
"""What an exit code is more than the signal that ended the program."""


class Started(NamedTuple):
    """What is told when the studio is there."""

    address: str
    """With the token; whoever has it may enter."""
    built: bool
    """Whether the page is there."""


def launch(
    paths: Sequence[str],
    *,
    port: int,
    read_only: bool,
    open_browser: bool,
    told: Callable[[Started], None],
) -> int:
    """Serve until somebody ends it; the exit code."""
    os.umask(0o077)
    given = tuple(Path(os.fsdecode(path)) for path in existing(paths))
    ending = threading.Event()
    with ExitStack() as open_:
        socket = open_.enter_context(bound(port))
        studio = open_.enter_context(opened(given, read_only=read_only))
        keys = Keys(socket.getsockname()[1])
        page = Page()
        server = Server(application(studio, keys, page=page, ending=ending), ending)
        told(Started(keys.address(keys.token), page.built))
        if open_browser:
            _show(keys.address(keys.once()))
        server.run(sockets=[socket])
    return SIGNALLED + (server.signal or signal.SIGINT)


@contextmanager
def opened(given: Sequence[Path], *, read_only: bool = False) -> Iterator[Studio]:
    """A studio with all that works behind it; everything ends with it."""
    root = library_of(given) if given else None
    follows = bool(given) or not read_only
    # Made, or led to today's schema, before anybody reads; or told that there is none.
    Library.open(root, write=follows).close()
    with ExitStack() as ends:
        scratch = Path(tempfile.mkdtemp(prefix="talktree-studio-"))
        ends.callback(shutil.rmtree, scratch, ignore_errors=True)
        desk = Desk(root, write=not read_only)
        ends.callback(desk.close)
        jobs = Jobs()
        ends.callback(jobs.close)
        if follows:
            ends.callback(_followed(jobs, root, given))
        yield Studio(desk, jobs, scratch, read_only, tuple(given))


def library_of(given: Sequence[Path]) -> Path:
    """Where the library of some paths is; the same paths have the same one."""
    named = b"\0".join(sorted(os.fsencode(path) for path in given))
    return data_home() / FOLDER / hashlib.sha256(named).hexdigest()[:16]


def _followed(jobs: Jobs, root: Path | None, given: Sequence[Path]) -> Callable[[], None]:
    """Take in what is there, then follow it; gives what ends that."""
    with Library.open(root) as library:
        places = bool(library.places())
    follower = Follower(root, given)
    if given or places:
        job = jobs.start("import", taking_in(root, given))
        follower.after(lambda: jobs.get(job.id).state != "running")
    follower.start()
    return follower.end


def _show(address: str) -> None:
    """Open the browser, if there is a screen; a text browser in this terminal is not meant."""
    if sys.platform.startswith("linux") and not any(map(os.environ.get, DISPLAYS)):
        return
    import webbrowser

    threading.Thread(target=webbrowser.open, args=(address,), daemon=True).start()
