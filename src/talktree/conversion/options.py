"""The options and the result of a conversion."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Literal

from msgspec import Struct

from talktree.conversion.losses import Loss, LossReport
from talktree.conversion.proof import Proof

Attachments = Literal["inline", "beside", "link"]


class Options(Struct, frozen=True, kw_only=True):
    """The options of a conversion."""

    carry: bool = True
    """Whether to embed what the target cannot hold."""
    id: str | None = None
    """The id of the conversation in the target, if that takes any; None for its own."""
    branch: str | None = None
    """`active`, `all`, the id of a leaf, or None for all that the target can hold."""
    attachments: Attachments = "inline"
    """Contents of attachments: in the record, as files beside it, or left out but for links."""
    strict: bool = False
    """Whether to fail if anything is lost."""
    allow: frozenset[str] = frozenset()
    """Kinds of loss that do not cause a failure."""
    forbid: frozenset[str] = frozenset()
    """Kinds of loss that cause a failure even if they are embedded or rendered."""


class ConversionResult(Struct):
    """The files of a conversion, made as they are read."""

    files: Mapping[str, Iterable[bytes]]
    folder: bool
    loss_report: LossReport
    main: str | None = None
    """The file that the others are companion files of, if there is one."""
    proof: Proof | None = None
    """What the files must show when they are read again."""

    @property
    def losses(self) -> Sequence[Loss]:
        """The reported losses; complete once the files were made."""
        return self.loss_report.losses
