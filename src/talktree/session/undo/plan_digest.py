"""The digest of a plan: of all its actions and of all states it was made from."""

from __future__ import annotations

from collections.abc import Iterable
from hashlib import blake2b
from typing import Any

import msgspec

from talktree.session.capture.file_state import FileContentState, State, to_json

LENGTH = 16


def compute_digest(*parts: Any) -> str:  # noqa: ANN401  (anything that JSON can hold)
    """Return a digest of values, the same for the same values in every process."""
    data = msgspec.json.encode(parts, order="sorted")
    return blake2b(data, digest_size=LENGTH).hexdigest()


def to_state_value(state: State) -> dict[str, Any]:
    """Return the value of a state for the digest, without how its content is stored."""
    value = to_json(state)
    if isinstance(state, FileContentState):
        value.pop("chunks", None)
    return value


def to_state_values(states: Iterable[State]) -> list[dict[str, Any]]:
    """Return the values of several states."""
    return [to_state_value(state) for state in states]
