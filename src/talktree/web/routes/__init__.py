"""The route table: every address of the studio and its handler, with one module for each noun."""

from __future__ import annotations

from typing import Final

from talktree.web.routes import (
    about,
    artifact,
    branch_names,
    compare,
    conversation,
    edits,
    entry,
    files,
    findings,
    fixes,
    forgetting,
    imports,
    jobs,
    listing,
    live,
    locking,
    losses,
    messages,
    rows,
    saving,
    search,
    sessions,
    share,
    statistics,
    todos,
    tree,
    uploads,
    usage,
)
from talktree.web.routes.route import Route

NOUNS = (
    entry,
    locking,
    about,
    jobs,
    imports,
    uploads,
    listing,
    search,
    statistics,
    conversation,
    rows,
    tree,
    messages,
    findings,
    fixes,
    files,
    todos,
    usage,
    compare,
    live,
    edits,
    saving,
    losses,
    forgetting,
    branch_names,
    sessions,
    share,
    artifact,
)
TABLE: Final[tuple[Route, ...]] = tuple(route for noun in NOUNS for route in noun.ROUTES)
