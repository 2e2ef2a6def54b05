"""What a format defines about companion files: files that belong to another file."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence

from talktree.files import Content, stem_of


class CompanionRules:
    """Where the companion files of a file are; by default there are none."""

    names: re.Pattern[str] | None = None
    """Names of files that may belong to another file beside them."""

    def list_folders(self, name: str) -> Sequence[str]:
        """Return folders, relative to that of a file with this name, whose files belong to it."""
        return ()

    def find_owner(self, name: str, content: Content) -> str | None:
        """Return the stem or alias of the file that a file with one of the `names` belongs to."""
        return None

    def find_aliases(self, name: str, content: Content) -> Collection[str]:
        """Return the names that companions use for a file: its stem, or names in its contents."""
        return (stem_of(name),)
