"""The file that a browser is started with: it leads to the studio, with a link that works once.

All users of a machine can read the arguments of all processes, so the link is not an argument. Only
the owner can read the file, and it is removed as soon as the link was used. The link expires with
the file.
"""

from __future__ import annotations

import os
import secrets
import sys
import threading
from html import escape
from pathlib import Path

from talktree.files.private import PRIVATE_FILE, make_private
from talktree.home import data_home
from talktree.web.security.keys import ONCE_VALID

SNAPS = Path("/snap/bin")
_NEW = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
_PAGE = """<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>Talktree</title>
<meta name="referrer" content="no-referrer">
<meta http-equiv="refresh" content="0;url={address}"></head>
<body><p><a href="{address}" rel="noreferrer">Open the studio</a></p></body></html>
"""


class EntryFile:
    """A page on disk that leads to an address; it is removed after use."""

    def __init__(self, address: str) -> None:
        self.path = _find_folder() / f"talktree-{secrets.token_hex(16)}.html"
        with os.fdopen(os.open(self.path, _NEW, PRIVATE_FILE), "w", encoding="utf-8") as file:
            file.write(_PAGE.format(address=escape(address)))
        self._timer = threading.Timer(ONCE_VALID, self.remove)
        self._timer.daemon = True
        self._timer.start()

    @property
    def url(self) -> str:
        """The address for the browser; it contains no secret."""
        return self.path.absolute().as_uri()

    def exists(self) -> bool:
        """Whether the file still exists."""
        return self.path.exists()

    def remove(self) -> None:
        """Remove the file if it still exists."""
        self._timer.cancel()
        self.path.unlink(missing_ok=True)


def _find_folder() -> Path:
    """Return a folder in which a browser can read the file: snaps cannot see hidden folders."""
    if sys.platform.startswith("linux") and SNAPS.is_dir():
        return Path.home()
    home = data_home()
    make_private(home)
    return home
