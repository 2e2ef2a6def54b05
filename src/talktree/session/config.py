"""Talktree's own settings in `<root>/config.json`; the rest of that file is not read.

The file belongs to another program and may hold keys: only the member `talktree` is read, no value
of another member ever leaves this module, and writing changes that one member in place. If the file
cannot be parsed, the settings go to a file of Talktree's own beside it.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Any

from talktree.errors import Unreadable, UsageError
from talktree.files.durable import replace
from talktree.files.sandbox import Anchor
from talktree.session.capture.budget import USUAL
from talktree.session.journal.journal import Durability
from talktree.session.recording.thinking import LEVELS, Level, parse_phrases
from talktree.text.json.decode import decode
from talktree.text.json.encode import PRETTY, encode_json
from talktree.text.json.patch import find_member, patch_json
from talktree.text.json.value import Json

NAME = b"config.json"
OWN_NAME = b"config.talktree.json"
MEMBER = "talktree"
KNOWN = ("agent", "budget", "durability", "thinking", "userType", "version")
LARGEST = 16 << 20


class Settings:
    """Talktree's settings in a store."""

    def __init__(self, value: Mapping[str, Any]) -> None:
        self._value = value

    @property
    def budget(self) -> int | None:
        """The size of a session's contents from which a warning is given; None if `false`."""
        found = self._value.get("budget")
        if found is False:
            return None
        return found if type(found) is int and found >= 0 else USUAL

    @property
    def agent(self) -> str | None:
        """The assistant's name in printed sessions."""
        found = self._value.get("agent")
        return found if isinstance(found, str) and found.strip() else None

    @property
    def durability(self) -> Durability:
        """`safe` or `fast`, the default for opened sessions."""
        return "fast" if self._value.get("durability") == "fast" else "safe"

    @property
    def phrases(self) -> Mapping[str, Level]:
        """The phrases that request thinking."""
        found = self._value.get("thinking")
        return parse_phrases(found.get("phrases") if isinstance(found, Mapping) else None)

    @property
    def thinking(self) -> Level:
        """The level of thinking for prompts that do not request any."""
        found = self._value.get("thinking")
        level = found.get("level") if isinstance(found, Mapping) else None
        return next((each for each in LEVELS if each == level), LEVELS[0])

    @property
    def user_type(self) -> str:
        """`external` or `internal`."""
        return "internal" if self._value.get("userType") == "internal" else "external"

    @property
    def version(self) -> str | None:
        """The version of the recording agent, if it is to be recorded."""
        found = self._value.get("version")
        return found if isinstance(found, str) and found else None


def read_settings(root: Anchor) -> Settings:
    """Return the settings of a store; the main file takes precedence over our own."""
    own = _read_members(_read_file(root, OWN_NAME))
    return Settings({**own, **_read_members(_read_file(root, NAME))})


def update_settings(root: Anchor, **changes: Json) -> None:
    """Change settings; None removes one. Every other byte of the file stays unchanged."""
    unknown = set(changes) - set(KNOWN)
    if unknown:
        raise UsageError(
            f"there is no setting {', '.join(sorted(unknown))}", hint=f"one of {', '.join(KNOWN)}"
        )
    text = _read_file(root, NAME)
    name = NAME if text is None or _is_object(text) else OWN_NAME
    if name == OWN_NAME:
        text = _read_file(root, OWN_NAME)
        text = text if text is not None and _is_object(text) else None
    merged = {**_read_members(text), **changes}
    kept: Json = {key: item for key, item in merged.items() if item is not None}
    if text is None:
        replace(root, name, encode_json({MEMBER: kept}, PRETTY) + b"\n")
        return
    whole = decode(text).value
    assert isinstance(whole, dict)
    replace(root, name, patch_json(text, {**whole, MEMBER: kept}))


def _read_members(text: bytes | None) -> dict[str, Json]:
    if text is None or not _is_object(text):
        return {}
    found = find_member(text, MEMBER)
    value = None if found is None else decode(text).value
    own = value.get(MEMBER) if isinstance(value, dict) else None
    return own if isinstance(own, dict) else {}


def _is_object(text: bytes) -> bool:
    """Whether a text is one valid JSON object."""
    read = decode(text)
    return isinstance(read.value, dict) and not read.problems


def _read_file(root: Anchor, name: bytes) -> bytes | None:
    try:
        fd = root.open(name, os.O_RDONLY)
    except FileNotFoundError:
        return None
    except OSError as error:
        raise Unreadable(
            f"{os.fsdecode(name)}: {error.strerror}", hint="make the store's settings readable"
        ) from None
    with os.fdopen(fd, "rb") as file:
        return file.read(LARGEST)
