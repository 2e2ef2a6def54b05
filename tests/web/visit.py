"""Request everything from a studio: `python visit.py FOLDER [alone]`.

With `alone` it first makes the loopback interface of an empty network namespace usable, and reports
whether anything beyond it can be reached.
"""

from __future__ import annotations

import fcntl
import socket
import struct
import sys
from pathlib import Path

from tests.web.every_route import questions
from tests.web.running import running

OUTSIDE = ("192.0.2.1", 80)
"""An address reserved for documentation."""
SET_FLAGS, UP, RUNNING = 0x8914, 0x1, 0x40


def lift_loopback() -> None:
    """Bring `lo` up without a program, since none may be installed."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as any_socket:
        fcntl.ioctl(any_socket, SET_FLAGS, struct.pack("16sh14x", b"lo", UP | RUNNING))


def outside() -> str:
    """Whether the network reaches beyond this machine."""
    try:
        socket.create_connection(OUTSIDE, timeout=1).close()
    except OSError as error:
        return "unreachable" if "unreachable" in str(error) else str(error)
    return "reachable"


def main(folder: Path, *, alone: bool) -> None:
    """Request everything."""
    if alone:
        lift_loopback()
        sys.stdout.write(f"outside: {outside()}\n")
    answers = 0
    with running([folder]) as studio:
        studio.client.get("/").read()
        for question in questions(studio):
            if question.route.path.endswith("/live"):
                continue
            answers += studio.client.get(question.path, params=question.query).status_code == 200
    sys.stdout.write(f"answers: {answers}\n")


if __name__ == "__main__":
    main(Path(sys.argv[1]), alone=sys.argv[2:] == ["alone"])
