"""All populations in one library, and a studio that shows it."""

from __future__ import annotations

from pathlib import Path

import talktree
from tests.agreement import surfaces
from tests.web.running import Running


class World:
    """All populations in one library, and a studio that shows it."""

    def __init__(self, folder: Path, paths: dict[str, Path], studio: Running) -> None:
        self.folder = folder
        self.paths = paths
        self.studio = studio
        self.root = studio.studio.cache.root
        self.listed = surfaces.listed(self.root)
        self.cards = surfaces.cards(studio)
        self.usage, self.counted = surfaces.usage_table(self.root)


def read_facts(path: Path) -> surfaces.Said:
    """Return the result of reading a path; nothing if it is not a conversation."""
    try:
        return surfaces.python(path)
    except talktree.TalktreeError:
        return {}
