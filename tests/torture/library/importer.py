"""A process that imports a folder into a library, in small transactions, to be killed at any point.

`python -m tests.torture.library.importer LIBRARY FOLDER` prints `ready` and begins.
"""

from __future__ import annotations

import sys
from pathlib import Path

from talktree.library.importing import import_run
from talktree.library.library import Library


def main() -> None:
    """Import a folder."""
    # Many small transactions and commits, so that kills hit everything between them.
    import_run.BATCH_BYTES, import_run.PUBLISH_BYTES, import_run.LARGE = 60_000, 150_000, 20_000
    root, folder = Path(sys.argv[1]), sys.argv[2]
    sys.stdout.write("ready\n")
    sys.stdout.flush()
    with Library.open(root, write=True) as library:
        library.import_([folder], wait=30)


if __name__ == "__main__":
    main()
