"""All steps by the schema number they lead to; each is in its own module here."""

from __future__ import annotations

from collections.abc import Callable

from talktree.library.database.connection import Database
from talktree.library.database.migrations import (
    v2_branch_names,
    v3_roles,
    v4_verified_versions,
    v5_checksums,
    v6_conversations,
    v7_reply_names,
    v8_message_measures,
    v9_compactions,
    v10_forgotten,
)

STEPS: dict[int, Callable[[Database], None]] = {
    2: v2_branch_names.step,
    3: v3_roles.step,
    4: v4_verified_versions.step,
    5: v5_checksums.step,
    6: v6_conversations.step,
    7: v7_reply_names.step,
    8: v8_message_measures.step,
    9: v9_compactions.step,
    10: v10_forgotten.step,
}
"""A step may only use statements: the surrounding code will have changed when it runs."""
