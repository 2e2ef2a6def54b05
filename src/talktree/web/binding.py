"""The socket: on loopback, on a port that is free or the one that was asked for."""

from __future__ import annotations

import socket

from talktree.errors import Busy, UsageError

LOOPBACK = "127.0.0.1"


def bound_as_usual() -> socket.socket:
    """A socket on the port on which a browser was remembered, if it is free; else on any."""
    from talktree.web.security.browsers import usual_port

    port = usual_port()
    if port is not None:
        try:
            return bound(port)
        except (Busy, UsageError):
            pass
    return bound(0)


def bound(port: int) -> socket.socket:
    """A socket that only this machine reaches; port 0 is any that is free."""
    # The protocol is named because only then asyncio sends small answers at once.
    made = socket.socket(socket.AF_INET, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    made.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        made.bind((LOOPBACK, port))
        made.listen(128)
    except PermissionError:
        made.close()
        raise UsageError(f"port {port} is not for you", hint="take one above 1023") from None
    except OSError:
        made.close()
        raise Busy(
            f"port {port} is in use", hint="name another, or leave --port out for a free one"
        ) from None
    return made
