"""The names that stand in headers, in lower case as they are compared."""

from __future__ import annotations

UUID = "block-uuid"
CREATED = "created-at"
AUTHORS = "authors"
ROLE = "role"

REQUIRED = (
    "Block-UUID",
    "Component",
    "Version",
    "Description",
    "Language",
    "Created-at",
    "Authors",
)
"""The fields the format's document demands, in its order and spelling."""
KNOWN = frozenset({*(name.lower() for name in REQUIRED), ROLE, "visibility", "parent-uuid"})
ROLES = ("user", "assistant", "system")
PROPER = {name.lower(): name for name in (*REQUIRED, ROLE, "visibility", "Parent-UUID")}
"""Known keys as they are spelt, by what they are compared by."""


def known(key: str) -> str:
    """What a key is compared by: known ones in lower case, others as they are."""
    lower = key.lower()
    return lower if lower in KNOWN else key
