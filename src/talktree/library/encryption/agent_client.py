"""Requests to the key agent, and starting it."""

from __future__ import annotations

import os
import socket
import subprocess
import sys

import msgspec

from talktree.errors import NotSaved, TalktreeError
from talktree.files.private import make_private
from talktree.library.encryption.agent_protocol import (
    LONGEST,
    AgentAnswer,
    Request,
    agent_folder,
    is_private,
    is_same_user,
    short_path,
)

_PATIENCE = 10.0
_DECODER = msgspec.json.Decoder(AgentAnswer)
_MODULE = "talktree.library.encryption.agent"


def fetch_key(id: str) -> bytes | None:
    """Return the key with that id, if the agent holds it."""
    answer = _send_request(Request("get", id))
    return bytes.fromhex(answer.key) if answer is not None and answer.key else None


def fetch_key_state(id: str) -> AgentAnswer | None:
    """Return how long the agent holds the key with that id; None if it does not hold it."""
    answer = _send_request(Request("state", id))
    return answer if answer is not None and answer.count else None


def store_key(id: str, key: bytes, idle: float) -> None:
    """Make the agent hold a key until it was not used for this many seconds."""
    request = Request("put", id, key.hex(), idle)
    if _send_request(request) is None:
        _start_agent()
        if _send_request(request) is None:
            raise NotSaved(
                f"{agent_folder()}: the key agent does not answer",
                hint="see whether the folder can be written to, or name the passphrase file for "
                "each command: TALKTREE_PASSPHRASE_FILE=FILE talktree …",
            )


def drop_keys(id: str = "") -> int:
    """Make the agent drop the key with that id, or all; return how many it dropped."""
    answer = _send_request(Request("drop", id))
    return 0 if answer is None else answer.count


def _send_request(request: Request) -> AgentAnswer | None:
    """Return the agent's answer; None if there is no agent."""
    folder = agent_folder()
    if not hasattr(socket, "AF_UNIX") or not is_private(folder):
        return None
    try:
        with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as connection:
            connection.settimeout(_PATIENCE)
            with short_path(folder) as path:
                connection.connect(path)
            if not is_same_user(connection):
                return None
            connection.sendall(msgspec.json.encode(request) + b"\n")
            data = b""
            while not data.endswith(b"\n") and len(data) < LONGEST:
                if not (more := connection.recv(LONGEST)):
                    return None
                data += more
        return _DECODER.decode(data)
    except (OSError, TalktreeError, msgspec.MsgspecError, UnicodeDecodeError):
        return None


def _start_agent() -> None:
    """Start an agent that outlives this process, and wait until it listens."""
    folder = agent_folder().absolute()
    try:
        make_private(folder)
    except OSError as error:
        raise NotSaved(f"{folder}: {error.strerror}", hint="check its permissions") from None
    if not is_private(folder):
        raise NotSaved(
            f"{folder}: others can enter this folder", hint="make it your own: chmod 700"
        )
    # -P: a module in the current folder must not take the place of one of ours.
    command = [sys.executable, "-P", "-m", _MODULE, os.fspath(folder)]
    with subprocess.Popen(
        command,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
        cwd="/",
    ) as started:
        assert started.stdout is not None
        started.stdout.readline()
        # It runs on its own; leaving the block must not wait for it.
        started.returncode = 0
