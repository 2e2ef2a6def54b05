"""Starting a studio: where it is, who may enter, and how it ends.

What is heavy is loaded after the address was told: while the browser starts, the socket holds its
questions back.
"""

from __future__ import annotations

import os
import signal
import sys
import threading
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from pathlib import Path
from types import FrameType
from typing import NamedTuple

from talktree.library.importing.places import existing
from talktree.library.temporary import Unsaved, in_use, tidy, tidy_leftovers
from talktree.web.binding import bound
from talktree.web.built import is_built
from talktree.web.security.keys import Keys
from talktree.web.served import Served

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
    unsaved: Callable[[list[Unsaved]], None],
) -> int:
    """Serve until somebody ends it; the exit code."""
    os.umask(0o077)
    signal.signal(signal.SIGTERM, _leave)
    served = Served(tuple(Path(os.fsdecode(path)) for path in existing(paths)), read_only)
    tidy_leftovers()
    with ExitStack() as open_:
        if served.root is not None:
            open_.callback(_put_away, served.root, unsaved)
            open_.enter_context(in_use(served.root))
        served.prepare()
        socket = open_.enter_context(bound(port))
        keys = Keys(socket.getsockname()[1])
        told(Started(keys.address(keys.token), is_built()))
        if open_browser:
            _show(keys.address(keys.once()))

        from talktree.web.app import application
        from talktree.web.opening import opened
        from talktree.web.serving import Server

        ending = threading.Event()
        studio = open_.enter_context(opened(served))
        server = Server(application(studio, keys, ending=ending), ending)
        server.run(sockets=[socket])
    return SIGNALLED + (server.signal or signal.SIGINT)


def _put_away(root: Path, report: Callable[[list[Unsaved]], None]) -> None:
    """Remove the library of the files that were opened, and name what was not saved."""
    left = tidy(root)
    if left:
        report(left)


def _leave(number: int, frame: FrameType | None) -> None:
    """End as after Ctrl-C: everything is put away."""
    sys.exit(SIGNALLED + number)


def _show(address: str) -> None:
    """Open the browser, if there is a screen; a text browser in this terminal is not meant."""
    if sys.platform.startswith("linux") and not any(map(os.environ.get, DISPLAYS)):
        return
    import webbrowser

    threading.Thread(target=webbrowser.open, args=(address,), daemon=True).start()
