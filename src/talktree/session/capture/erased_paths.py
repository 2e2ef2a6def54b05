"""Marks that replace the names of erased paths in the file history.

A mark says that a step changed a file whose history was erased. The name cannot be read from it,
but a given name can be compared with it.
"""

from __future__ import annotations

import os
from hashlib import blake2b

MARK = "erased-"
WHY = "the content of this file was erased"


def make_path_mark(session: str, path: bytes) -> str:
    """Return the mark that replaces the name of an erased path."""
    made = blake2b(session.encode() + b"\0" + os.path.normpath(path), digest_size=8)
    return MARK + made.hexdigest()
