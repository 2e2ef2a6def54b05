"""Locking an encrypted library and unlocking it, from the page."""

from __future__ import annotations

from talktree.web.host import StudioHost
from talktree.web.routes.route import Call, Route
from talktree.web.schemas.general import LockState, Unlock
from talktree.web.studio import Studio


def lock_state(studio: Studio | None, call: Call) -> LockState:
    """Whether the library is encrypted and locked."""
    return _host(call).state()


def unlock(studio: Studio | None, call: Call) -> LockState:
    """Unlock it for this studio."""
    host = _host(call)
    host.unlock(call.body)
    return host.state()


def lock(studio: Studio | None, call: Call) -> LockState:
    """Lock it, for this studio and for commands."""
    host = _host(call)
    host.lock()
    return host.state()


def _host(call: Call) -> StudioHost:
    host: StudioHost = call.request.app.state.host
    return host


ROUTES = (
    Route(
        "GET", "/lock", lock_state, "Whether the library is encrypted, and whether it is locked.",
        gives=LockState, when_locked=True,
    ),
    Route(
        "POST", "/unlock", unlock, "Unlock the library for this studio, not for commands.",
        body=Unlock, gives=LockState, when_locked=True,
    ),
    Route(
        "POST", "/lock", lock, "Lock the library: for this studio, and for commands.",
        gives=LockState, when_locked=True,
    ),
)  # fmt: skip
