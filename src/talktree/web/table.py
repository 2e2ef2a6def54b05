"""The route table: every address of the studio, and who answers."""

from __future__ import annotations

from importlib import import_module
from importlib.util import find_spec
from typing import Final

from talktree.web.route import Route

NOUNS = (
    "entry", "about", "jobs",
    "listing", "search", "statistics", "conversation", "rows", "tree", "messages", "findings",
    "files", "todos", "usage", "compare", "live",
    "edits", "saving", "ledgers", "sessions", "uploads", "imports", "fixes", "branch_names",
    "share", "artifact",
)  # fmt: skip


def _routes() -> tuple[Route, ...]:
    found: list[Route] = []
    for noun in NOUNS:
        if find_spec(f"talktree.web.routes.{noun}") is not None:
            try:  # TEMPORARY, while they are being written
                found += import_module(f"talktree.web.routes.{noun}").ROUTES
            except (ImportError, AttributeError, SyntaxError, NameError):
                continue
    return tuple(found)


TABLE: Final = _routes()
