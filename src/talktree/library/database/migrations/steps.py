"""All steps by the number of the schema they lead to; each is a module of its own here."""

from __future__ import annotations

from collections.abc import Callable

from talktree.library.database.connection import Database
from talktree.library.database.migrations import (
    branch_names,
    checksums,
    compactions,
    conversations,
    forgotten,
    message_measures,
    reply_names,
    roles,
    verified_versions,
)

STEPS: dict[int, Callable[[Database], None]] = {
    2: branch_names.step,
    3: roles.step,
    4: verified_versions.step,
    5: checksums.step,
    6: conversations.step,
    7: reply_names.step,
    8: message_measures.step,
    9: compactions.step,
    10: forgotten.step,
}
"""A step may only use statements: the code around it will be another when it is needed."""
