"""The durable session store: record, branch, undo, redo (see docs/design/session.md).

    >>> from talktree.session import Store
    >>> with Store(".sage").create(title="Weather page") as session:     # doctest: +SKIP
    ...     session.user("Create a weather website")
    ...     reply = session.assistant("I will.", calls=[{"id": "c1", "name": "edit"}])
    ...     with session.step(paths=["index.html"]):
    ...         Path("index.html").write_text("<h1>Sun</h1>")
    ...     session.results({"call": "c1", "output": "written"})

Names are imported when they are first used.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from talktree.session.aio import AsyncSession, AsyncStore
    from talktree.session.capture.limits import Limits
    from talktree.session.session import Session
    from talktree.session.store import Store

_HOMES = {
    "AsyncSession": "aio",
    "AsyncStore": "aio",
    "Limits": "capture.limits",
    "Session": "session",
    "Store": "store",
}
__all__ = ["AsyncSession", "AsyncStore", "Limits", "Session", "Store"]


def __getattr__(name: str) -> object:
    from importlib import import_module

    if name not in _HOMES:
        raise AttributeError(f"module 'talktree.session' has no attribute {name!r}")
    found: object = getattr(import_module(f"talktree.session.{_HOMES[name]}"), name)
    globals()[name] = found
    return found


def __dir__() -> list[str]:
    return __all__
