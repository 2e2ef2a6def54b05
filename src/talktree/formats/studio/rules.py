"""What comments must be like, in whichever of the three encodings."""

from __future__ import annotations

from collections.abc import Sequence

from talktree.formats.rule import Rule, rules_in
from talktree.formats.studio import (
    rules_artifacts,
    rules_attachments,
    rules_comment,
    rules_hash,
    rules_names,
    rules_tree,
)


def comment_rules() -> Sequence[Rule]:
    """All rules about comments."""
    return rules_in(
        rules_comment, rules_hash, rules_tree, rules_names, rules_attachments, rules_artifacts
    )
