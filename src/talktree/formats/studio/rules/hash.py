"""STU104 and STU105: whether a content hash matches its text."""

from __future__ import annotations

import re
from collections.abc import Iterator

from talktree.formats.fixes import repair_value
from talktree.formats.rule import Diagnostic, make_safe_fix, rule
from talktree.formats.rule_context import RuleRecord
from talktree.formats.studio.hashing import (
    SHA256_10,
    UTF16_32,
    Algorithm,
    compute_digest,
    detect_algorithm,
    hash_text,
)
from talktree.formats.studio.schema import ENCODINGS
from talktree.text.json.value import Json

_SHAPE = re.compile(r"[0-9a-f]{1,8}|[0-9a-f]{10}", re.ASCII)
"""Up to eight digits are the document's hash or the app's short one, ten are the app's."""
LONG = 10
LONGEST_SHOWN = 40


def _find_mismatch(seen: RuleRecord, *, usual: bool = True) -> tuple[str, str] | None:
    """Return the text and the hash of a comment that do not match, or None.

    A hash of another form than the usual one is returned as well."""
    value = seen.value
    assert isinstance(value, dict)
    text, hash = value.get("content"), value.get("contentHash")
    if not isinstance(text, str) or not isinstance(hash, str):
        return None
    if (_SHAPE.fullmatch(hash) is not None) != usual or detect_algorithm(hash, text) is not None:
        return None
    if not text and value.get("deleted") is True:
        # The hash is all that is left of a text that was removed on purpose.
        return None
    return text, hash


def _choose_algorithm(hash: str) -> Algorithm:
    return SHA256_10 if len(hash) == LONG else UTF16_32


def _update_hash(seen: RuleRecord, diagnostic: Diagnostic) -> Json:
    found, value = _find_mismatch(seen), seen.value
    if found is None or not isinstance(value, dict):
        return value
    text, hash = found
    return {**value, "contentHash": compute_digest(text, _choose_algorithm(hash))}


@rule(
    "STU104",
    "content-hash-mismatch",
    "warning",
    on="message",
    formats=ENCODINGS,
    fix=make_safe_fix(repair_value(_update_hash)),
)
def content_hash_mismatch(seen: RuleRecord) -> Iterator[Diagnostic]:
    """The `contentHash` of a comment is the hash of another text.

    Why: the hash is there to show that a text is what was written. Often it is only stale, since
    the app keeps the old hash when a text is edited or a comment is cloned; but nothing in the file
    distinguishes that from a text changed on purpose. All three hashes that programs write are
    tried: the document's, and the first ten or seven digits of SHA-256. A deleted comment whose
    text is gone may keep the hash of it.

    Bad:
        {"id": "1733794702200ka59h", "content": "Here is an image", "contentHash": "50dcdf2c", …}

    Fix (safe): the hash is computed again from the text as it is, in the way the old one was made.
    The text is not touched, and the old hash stays in the record of the repair. Before you do so
    with a file whose origin matters, compare it with another copy: afterwards the hash proves
    nothing about the time before.
    """
    found = _find_mismatch(seen)
    if found is None:
        return
    text, hash = found
    right = compute_digest(text, _choose_algorithm(hash))
    changed = _explain_hash_change(text, hash)
    hint = f"; {changed}" if changed else ""
    yield Diagnostic(f"the hash is {hash}, that of the text is {right}{hint}", way="contentHash")


def _explain_hash_change(text: str, hash: str) -> str | None:
    """Return how a text was changed in transfer, if the hash proves it."""
    unix = text.replace("\r\n", "\n")
    guesses = {
        "its line ends were changed": (unix, unix.replace("\n", "\r\n")),
        "blanks around it were lost or added": (text.strip(), f"{text}\n", f"{text}\r\n"),
    }
    for what, texts in guesses.items():
        if any(each != text and detect_algorithm(hash, each) is not None for each in texts):
            return what
    return None


@rule("STU105", "unknown-content-hash", "note", on="message", formats=ENCODINGS)
def unknown_content_hash(seen: RuleRecord) -> Iterator[Diagnostic]:
    """The `contentHash` of a comment has a form that none of the known hashes has.

    Why: it cannot be verified. It may be right by an algorithm that only its writer knows, or be a
    mere placeholder; either way no other program can tell whether the text is what was written.

    Bad:
        {"id": "1733794702200ka59h", "content": "Hello", "contentHash": "md5:8b1a9953c4611296", …}

    Fix: none, because a hash that is right for its writer would be lost.
    """
    found = _find_mismatch(seen, usual=False)
    if found is not None:
        shown = found[1][:LONGEST_SHOWN]
        right = hash_text(found[0])
        what = f"{shown!r} is no hash that can be verified; the document's would be {right}"
        yield Diagnostic(what, way="contentHash")
