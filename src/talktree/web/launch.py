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

from talktree.library.sources.scan import existing
from talktree.library.temporary import Unsaved, tidy_leftovers
from talktree.library.unsaved_edits import KeptEdits, find_kept_edits, find_library
from talktree.web.binding import bound, bound_as_usual
from talktree.web.built import is_built
from talktree.web.security.keys import Keys
from talktree.web.served import serve

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
    port: int | None,
    read_only: bool,
    open_browser: bool,
    told: Callable[[Started], None],
    unsaved: Callable[[list[Unsaved]], None],
    kept: Callable[[list[KeptEdits], Path | None], None],
) -> int:
    """Serve until it is ended; the exit code.

    `kept` is called with the edits that studios before it have left, and the library of its paths.
    """
    os.umask(0o077)
    for each in (signal.SIGTERM, signal.SIGHUP):
        if signal.getsignal(each) != signal.SIG_IGN:  # `nohup` ignores one of them
            signal.signal(each, _leave)
    given = [Path(os.fsdecode(path)) for path in existing(paths)]
    if not read_only:
        tidy_leftovers()
        edits = [each for each in find_kept_edits() if not each.is_open]
        if edits:
            kept(edits, find_library(given) if given else None)
    with ExitStack() as open_:
        served = open_.enter_context(serve(given, read_only=read_only, unsaved=unsaved))
        socket = open_.enter_context(bound_as_usual() if port is None else bound(port))
        keys = Keys(socket.getsockname()[1])
        told(Started(keys.address(keys.token), is_built()))
        if open_browser and _has_screen():
            _show(keys, open_)

        from talktree.web.app import application
        from talktree.web.host import StudioHost
        from talktree.web.serving import Server

        ending = threading.Event()
        host = StudioHost(served)
        open_.callback(host.close)
        server = Server(application(host, keys, ending=ending), ending)
        server.run(sockets=[socket])
    return SIGNALLED + (server.signal or signal.SIGINT)


def _leave(number: int, frame: FrameType | None) -> None:
    """End as after Ctrl-C: everything is put away."""
    if number == signal.SIGHUP:
        # A closed terminal sends it more than once; the second must not end the cleanup.
        signal.signal(number, signal.SIG_IGN)
    sys.exit(SIGNALLED + number)


def _has_screen() -> bool:
    """Whether there is a screen; a text browser in this terminal is not meant."""
    return not sys.platform.startswith("linux") or any(map(os.environ.get, DISPLAYS))


def _show(keys: Keys, ends: ExitStack) -> None:
    """Start the browser with a file that leads to a link, so that no argument holds a secret."""
    import webbrowser

    from talktree.web.entry_file import EntryFile

    token = keys.once()
    try:
        file = EntryFile(keys.address(token))
    except OSError:
        return  # the address is printed in any case
    ends.callback(file.remove)
    keys.when_used(token, file.remove, is_valid=file.is_there)
    threading.Thread(target=webbrowser.open, args=(file.url,), daemon=True).start()
