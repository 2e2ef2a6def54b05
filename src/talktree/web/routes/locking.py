"""Lock and unlock an encrypted library from the page."""

from __future__ import annotations

from talktree.web.host import StudioHost
from talktree.web.routes.route import Route, RouteCall
from talktree.web.schemas.general import LockState, Unlock
from talktree.web.studio import StudioContext


def lock_state(studio: StudioContext | None, call: RouteCall) -> LockState:
    """Whether the library is encrypted and locked."""
    return _get_host(call).get_state()


def unlock(studio: StudioContext | None, call: RouteCall) -> LockState:
    """Unlock it for this studio."""
    host = _get_host(call)
    host.unlock(call.body)
    return host.get_state()


def lock(studio: StudioContext | None, call: RouteCall) -> LockState:
    """Lock it, for this studio and for commands."""
    host = _get_host(call)
    host.lock()
    return host.get_state()


def _get_host(call: RouteCall) -> StudioHost:
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
