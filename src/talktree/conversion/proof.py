"""What the output of a conversion must show, recorded while it is made."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeAlias

from msgspec import Struct

from talktree.conversion.digests import DigestLog, digest_conversation
from talktree.model.conversation import Conversation
from talktree.model.document import Document

Shown: TypeAlias = tuple[Conversation, DigestLog]
"""A conversation, and the digests of what it shows."""


class Proof(Struct, kw_only=True):
    """What the output must show; the digests are complete once the output is made."""

    format: str
    """The format of the output."""
    shown: list[Shown] = []
    """For each conversation that is written, what the target's format shows of it."""
    restored: list[Shown] = []
    """For each conversation that is restored from embedded source data, what it shows itself."""
    copied: Document | None = None
    """The document, if it is written in its own format."""

    def finish(self) -> None:
        """Compute the digests that are not known from making the output."""
        if self.copied is not None:
            self.shown = [(each, digest_conversation(each)) for each in self.copied.conversations]

    @property
    def has_messages(self) -> bool:
        """Whether there is a message to be found."""
        return any(log.digests for _, log in (*self.shown, *self.restored))


def join_proofs(format: str, proofs: Sequence[Proof | None]) -> Proof | None:
    """Return one proof for several outputs written together; None if one of them has none."""
    joined = Proof(format=format)
    for proof in proofs:
        if proof is None:
            return None
        if proof.copied is not None:
            proof.finish()
        joined.shown = [*joined.shown, *proof.shown]
        joined.restored = [*joined.restored, *proof.restored]
    return joined
