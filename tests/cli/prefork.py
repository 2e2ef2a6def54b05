"""Commands in forks of one process that has the program loaded, since loading takes longest.

`Prefork` puts a program called `talktree` into a folder. It hands its arguments, working folder,
environment and open files to the loaded process, which forks; the fork is the command, with these
files, and runs it as the installed program does. Signals reach the small program only, so commands
that are stopped from outside need the installed one.
"""

from __future__ import annotations

import gc
import json
import os
import signal
import socket
import subprocess
import sys
import tempfile
import time
from importlib import import_module
from pathlib import Path
from pkgutil import walk_packages
from typing import NamedTuple, NoReturn

import talktree
from talktree.checks.registry import all_rules
from talktree.cli.main import run

HOME = Path(__file__).parents[2]
CLIENT = """#!{python} -IS
import json, os, socket, sys
with socket.socket(socket.AF_UNIX) as server:
    server.connect({address!r})
    asked = {{"words": sys.argv[1:], "folder": os.getcwd(), "environment": dict(os.environ)}}
    socket.send_fds(server, [json.dumps(asked).encode() + b"\\n"], [0, 1, 2])
    os._exit(int(server.makefile().readline()))
"""


class Prefork:
    """The loaded process, and a folder with a program that sends requests to it."""

    def __init__(self, environment: dict[str, str]) -> None:
        # Not below a test's folder: socket addresses have at most a hundred characters.
        self._folder = tempfile.TemporaryDirectory(prefix="talktree-")
        self.programs = Path(self._folder.name)
        address = str(self.programs / "socket")
        program = self.programs / "talktree"
        program.write_text(CLIENT.format(python=sys.executable, address=address))
        program.chmod(0o755)
        command = [sys.executable, "-m", "tests.cli.prefork", address]
        self._server = subprocess.Popen(
            command, cwd=HOME, env=environment, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE
        )
        assert self._server.stdout is not None
        assert self._server.stdout.readline() == b"ready\n"

    def close(self) -> None:
        """Stop it."""
        self._server.terminate()
        self._server.communicate()
        self._folder.cleanup()


class Request(NamedTuple):
    """A command as the small program hands it over."""

    words: list[str]
    folder: str
    environment: dict[str, str]
    files: list[int]


def receive(connection: socket.socket) -> Request:
    """Return the command that is requested on a connection."""
    data, files, _, _ = socket.recv_fds(connection, 1 << 16, 3)
    while not data.endswith(b"\n"):
        data += connection.recv(1 << 16)
    asked = json.loads(data)
    return Request(asked["words"], asked["folder"], asked["environment"], files)


def serve(listening: socket.socket) -> Request:
    """Serve forever; return in a fork for each command, and only there."""
    while True:
        connection, _ = listening.accept()
        with connection:
            # The kernel reaps the forks; they must see the exits of their own children.
            signal.signal(signal.SIGCHLD, signal.SIG_IGN)
            answering = os.fork() == 0
            if not answering:
                continue
            signal.signal(signal.SIGCHLD, signal.SIG_DFL)
            listening.close()
            request = receive(connection)
            if (command := os.fork()) == 0:
                return request
            for file in request.files:
                os.close(file)
            code = os.waitstatus_to_exitcode(os.waitpid(command, 0)[1])
            # A shell reports an end by a signal as 128 plus its number.
            connection.sendall(f"{128 - code if code < 0 else code}\n".encode())
            os._exit(0)


def become(request: Request) -> None:
    """Take over the files, the folder and the environment of the small program."""
    for number, file in enumerate(request.files):
        os.dup2(file, number)
        os.close(file)
    os.chdir(request.folder)
    os.environ.clear()
    os.environ.update(request.environment)
    time.tzset()
    sys.argv = ["talktree", *request.words]


def load_program() -> None:
    """Import what any command needs, except the studio, which only its own command imports."""
    for module in walk_packages(talktree.__path__, "talktree."):
        if not module.name.startswith(("talktree.web", "talktree.testing", "talktree.cli.__")):
            import_module(module.name)
    all_rules()


def main(address: str) -> NoReturn:
    """Load the program, then run every requested command, each in a fork."""
    load_program()
    with socket.socket(socket.AF_UNIX) as listening:
        listening.bind(address)
        listening.listen(64)
        sys.stdout.write("ready\n")
        sys.stdout.flush()
        # Freeze what is loaded: the garbage collector of a fork need not scan or free it.
        gc.freeze()
        request = serve(listening)
    become(request)
    code = run()
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(code)


if __name__ == "__main__":
    main(sys.argv[1])
