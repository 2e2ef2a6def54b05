"""Detection of comments."""

from __future__ import annotations

from itertools import islice

from talktree.formats.detect_sample import iterate_document_objects
from talktree.formats.evidence import make_refusal
from talktree.formats.format import Detection
from talktree.text.json.value import Json

SIGNS = {
    "userId": str,
    "contentHash": str,
    "content": str,
    "children": list,
    "attachments": list,
}
"""Members that together make an object a comment."""
ENOUGH = 3
TELLING = ("userId", "contentHash")
"""Members that other trees of texts do not have."""
LOOKED_AT = 50


def detect_comments(head: bytes) -> Detection | None:
    """Return how sure the first part of a file holds comments, and the reason."""
    if not any(f'"{sign}"'.encode() in head for sign in TELLING):
        return None
    seen = list(islice(iterate_document_objects(head), LOOKED_AT))
    found = [signs for value in seen if (signs := _find_signs(value))]
    foreign = sum(_is_foreign(value) for value in seen)
    if foreign > len(found):
        return make_refusal(f"{foreign} of {len(seen)} comments do not fit: content is not text")
    if not found:
        return None
    share = len(found) / len(seen)
    best = max(found, key=len)
    reason = f"{len(found)} of {len(seen)} objects with {', '.join(best)}"
    return Detection(0.3 + 0.4 * share + 0.05 * len(best), reason)


def _find_signs(comment: dict[str, Json]) -> list[str]:
    """Return the members that identify a comment, if there are enough of them."""
    if isinstance(comment.get("content"), (list, dict)):
        return []
    signs = [name for name, type in SIGNS.items() if isinstance(comment.get(name), type)]
    return signs if len(signs) >= ENOUGH and any(name in signs for name in TELLING) else []


def _is_foreign(comment: dict[str, Json]) -> bool:
    """Whether an object is like a comment, but its content is not text."""
    if not isinstance(comment.get("content"), (list, dict)):
        return False
    return len(_find_signs({**comment, "content": ""})) >= ENOUGH
