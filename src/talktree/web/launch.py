"""Start a studio: its address, its login, and its end.

Heavy modules are loaded after the address was printed: while the browser starts, the socket queues
its requests.

Also: what a studio serves (the whole library, or a library of some paths), and opening it: its
library, its documents, its jobs, and the watcher of its sources.
"""

from __future__ import annotations

import gc
import os
import signal
import sys
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from types import FrameType
from typing import NamedTuple

from talktree.errors import LibraryLocked
from talktree.home import data_home
from talktree.library.database.cipher import derive_database_key, load_cipher_module
from talktree.library.database.connection import remove_empty_log
from talktree.library.encryption.state import DATABASE, is_encrypted
from talktree.library.encryption.unlocking import find_library_key
from talktree.library.library import Library
from talktree.library.retention.schedule import RetentionSchedule
from talktree.library.sources.scan import to_existing_places
from talktree.library.temporary import (
    UnsavedFile,
    hold_in_use,
    scratch_folder,
    tidy_leftovers,
    tidy_library,
)
from talktree.library.unsaved_edits import UnsavedEdits, find_kept_edits, find_library
from talktree.web.actions.leftovers import drop_forgotten
from talktree.web.actions.previews import Previews
from talktree.web.actions.scratch import keep_private, release
from talktree.web.actions.upload import erase_kept_files
from talktree.web.documents.cache import DocumentCache
from talktree.web.job_runner import Jobs
from talktree.web.page import is_built
from talktree.web.security.keys import Keys
from talktree.web.server import bind_port, bind_usual_port
from talktree.web.studio import StudioContext
from talktree.web.watcher import Follower, start_import

LIBRARY = "library"


class ServedPaths(NamedTuple):
    """The paths that were named, and whether changes are allowed."""

    given: tuple[Path, ...] = ()
    read_only: bool = False
    temporary: Path | None = None
    """A folder for a library of the paths that is removed with the studio."""
    kept: Path | None = None
    """A library of the paths that may be kept, for unsaved edits."""
    locked: bool = False
    """Whether it was locked at the start, so that nothing is prepared."""

    @property
    def root(self) -> Path | None:
        """The library's folder; None is the default one."""
        return self.kept if self.temporary is None else self.temporary / LIBRARY

    @property
    def follows(self) -> bool:
        """Whether sources are imported; a library that other processes maintain is left alone if
        requested."""
        return bool(self.given) or not self.read_only

    def prepare(self) -> None:
        """Create or migrate the library; raise if there is none to read."""
        if self.root is not None:
            share_key(data_home() / LIBRARY, self.root)
        Library.open(self.root, write=self.follows).close()

    def find_encrypted_root(self) -> Path | None:
        """Return the library whose key unlocks what is served; None if nothing is encrypted.

        A library of some paths that does not exist yet will have the key of the user's own one.
        """
        main = data_home() / LIBRARY
        root = main if self.root is None else self.root
        if is_encrypted(root):
            return root
        return main if not (root / DATABASE).exists() and is_encrypted(main) else None


@contextmanager
def serve(
    given: Sequence[Path], *, read_only: bool, unsaved: Callable[[list[UnsavedFile]], None]
) -> Iterator[ServedPaths]:
    """Return what a studio serves, with its library prepared.

    A locked library is prepared when it is unlocked.

    The library of some paths is removed at the end; unsaved edits are reported and kept. A
    read-only studio of some paths has a library in a temporary folder.
    """
    with ExitStack() as ends:
        served = ServedPaths(tuple(given), read_only)
        if given and read_only:
            served = served._replace(temporary=ends.enter_context(scratch_folder()))
        elif read_only:
            ends.callback(_remove_log, data_home() / LIBRARY)
        elif given:
            root = find_library(given)
            served = served._replace(kept=root)
            ends.callback(_remove_library, root, unsaved)
            ends.enter_context(hold_in_use(root))
        try:
            served.prepare()
        except LibraryLocked:
            load_cipher_module()  # the page asks for the passphrase, if it can be used
            served = served._replace(locked=True)
        yield served


def _remove_log(root: Path) -> None:
    """Remove the empty log that reading made, when all connections are closed."""
    gc.collect()  # threads may have left connections
    try:
        key = find_library_key(root) if is_encrypted(root) else None
    except LibraryLocked:
        return
    remove_empty_log(root / DATABASE, key=derive_database_key(key))


def _remove_library(root: Path, report: Callable[[list[UnsavedFile]], None]) -> None:
    """Remove the library of the opened files, and return what was not saved."""
    left = tidy_library(root)
    if left:
        report(left)


def share_key(main: Path, other: Path) -> None:
    """Make a new library be encrypted like the user's own library."""
    if not is_encrypted(main) or (other / DATABASE).exists():
        return
    from talktree.library.encryption.key_file import read_key_file, write_key_file

    find_library_key(main)  # if it is locked, raise before anything is made
    other.mkdir(parents=True, exist_ok=True, mode=0o700)
    write_key_file(other, read_key_file(main))


DISPLAYS = ("DISPLAY", "WAYLAND_DISPLAY")
SIGNALLED = 128
"""Exit codes after a signal are its number plus this."""


class StudioStarted(NamedTuple):
    """What is reported when the studio has started."""

    address: str
    """With the token, which grants access."""
    built: bool
    """Whether the page is built."""


def launch(
    paths: Sequence[str],
    *,
    port: int | None,
    read_only: bool,
    open_browser: bool,
    details: Callable[[StudioStarted], None],
    unsaved: Callable[[list[UnsavedFile]], None],
    kept: Callable[[list[UnsavedEdits], Path | None], None],
) -> int:
    """Serve until the studio ends, and return the exit code.

    `kept` is called with the edits that previous studios have left, and the library of its paths.
    """
    os.umask(0o077)
    for each in (signal.SIGTERM, signal.SIGHUP):
        if signal.getsignal(each) != signal.SIG_IGN:  # `nohup` ignores one of them
            signal.signal(each, _handle_signal)
    given = [Path(os.fsdecode(path)) for path in to_existing_places(paths)]
    if not read_only:
        tidy_leftovers()
        edits = [each for each in find_kept_edits() if not each.is_open]
        if edits:
            kept(edits, find_library(given) if given else None)
    with ExitStack() as open_:
        served = open_.enter_context(serve(given, read_only=read_only, unsaved=unsaved))
        socket = open_.enter_context(bind_usual_port() if port is None else bind_port(port))
        keys = Keys(socket.getsockname()[1])
        details(StudioStarted(keys.build_address(keys.token), is_built()))
        if open_browser and _has_screen():
            _open_browser(keys, open_)

        from talktree.web.app import create_app
        from talktree.web.host import StudioHost
        from talktree.web.server import Server

        ending = threading.Event()
        host = StudioHost(served)
        open_.callback(host.close)
        server = Server(create_app(host, keys, ending=ending), ending)
        server.run(sockets=[socket])
    return SIGNALLED + (server.signal or signal.SIGINT)


def _handle_signal(number: int, frame: FrameType | None) -> None:
    """End as after Ctrl-C, with a complete cleanup."""
    if number == signal.SIGHUP:
        # A closed terminal sends it more than once; the second must not end the cleanup.
        signal.signal(number, signal.SIG_IGN)
    sys.exit(SIGNALLED + number)


def _has_screen() -> bool:
    """Whether there is a screen; a text browser in this terminal does not count."""
    return not sys.platform.startswith("linux") or any(map(os.environ.get, DISPLAYS))


def _open_browser(keys: Keys, ends: ExitStack) -> None:
    """Start the browser with a file that leads to a link, so that no argument contains a secret."""
    import webbrowser

    from talktree.web.entry_file import EntryFile

    token = keys.make_one_time_token()
    try:
        file = EntryFile(keys.build_address(token))
    except OSError:
        return  # the address is printed in any case
    ends.callback(file.remove)
    keys.call_when_used(token, file.remove, is_valid=file.exists)
    threading.Thread(target=webbrowser.open, args=(file.url,), daemon=True).start()


@contextmanager
def open_studio(served: ServedPaths) -> Iterator[StudioContext]:
    """Open a studio with all its background work, and close everything at the end."""
    with ExitStack() as ends:
        if served.root is not None:
            ends.enter_context(hold_in_use(served.root))
        scratch = ends.enter_context(scratch_folder())
        ends.callback(release, scratch)
        cache = DocumentCache(served.root, write=not served.read_only)
        ends.callback(cache.close)
        if is_encrypted(cache.root):
            keep_private(scratch)
            if not served.read_only:
                erase_kept_files(cache.root)
        jobs = Jobs()
        ends.callback(jobs.close)
        studio = StudioContext(cache, jobs, scratch, Previews(), served.read_only, served.given)
        if served.follows:
            ends.callback(_start_following(studio, served.root))
        yield studio


def _start_following(studio: StudioContext, root: Path | None) -> Callable[[], None]:
    """Import what is there, then follow it; return a function that ends this."""
    jobs, given = studio.jobs, studio.given
    with Library.open(root) as library:
        places = bool(library.places())
    # Retention rules are for the user's library, not for files that are opened directly.
    rules = None if given else RetentionSchedule()
    follower = Follower(root, given, retention=rules, looked=lambda: drop_forgotten(studio))
    if given or places:
        job = jobs.start("import", start_import(root, given, retention=not given))
        follower.begin_when(lambda: jobs.get(job.id).state != "running")
    follower.start()
    return follower.stop
