"""What is shared, and the secrets in it."""

from __future__ import annotations

from typing import Literal

from msgspec import Struct


class FindSecrets(Struct, frozen=True, kw_only=True):
    """What would be shared: a branch, some messages, or all; and what to search it for."""

    leaf: str | None = None
    ids: tuple[str, ...] = ()
    include_deleted: bool = False
    words: tuple[str, ...] = ()
    personal: bool = False


class SecretPlace(Struct, frozen=True, kw_only=True):
    """A secret, masked."""

    message: str
    number: int | None
    kind: str
    what: str
    shown: str
    """Its first and last characters."""
    placeholder: str


class RedactionTarget(Struct, frozen=True, kw_only=True):
    """What is searched for and replaced."""

    kinds: int
    """Number of kinds of keys, tokens and passwords."""
    words: int
    """Number of words, including those of the user's configuration."""
    patterns: int
    personal: bool
    """Whether personal data is searched for."""


class Secrets(Struct, frozen=True, kw_only=True):
    """The secrets in what would be shared."""

    looked_for: RedactionTarget

    total: int
    distinct: int
    places: tuple[SecretPlace, ...]
    """At most 500."""
    hidden: dict[str, int]
    """Number of deleted messages, messages that are not shown to the user and hidden artifacts, by
    kind.

    They are left out unless requested.
    """


class Share(Struct, frozen=True, kw_only=True):
    """What to share, and how."""

    to: str
    """`html`, `md`, `text`, or a format."""
    leaf: str | None = None
    """One branch; without it and without ids, the whole conversation."""
    ids: tuple[str, ...] = ()
    """Only these messages."""
    everything: bool = False
    """All branches."""
    detail: Literal["full", "high", "low", "minimal", "user-only"] = "full"
    redact: bool = True
    words: tuple[str, ...] = ()
    """Words to replace in addition to secrets."""
    personal: bool = False
    """Whether to replace personal data, too."""
    images: Literal["keep", "link", "drop"] = "keep"
    theme: Literal["light", "dark", "system"] = "system"
    include_deleted: bool = False
    """Also deleted messages, messages that are not shown to the user, and hidden artifacts."""


class PreviewFile(Struct, frozen=True, kw_only=True):
    """One of the files that would be shared."""

    name: str
    text: str | None
    """Its beginning, verbatim; null if it is not text, or is a page shown in a frame."""


class SharePreview(Struct, frozen=True, kw_only=True):
    """The beginning of the file that would be shared, with the same bytes."""

    files: tuple[PreviewFile, ...]
    """The file, or the first files of a folder."""
    page: str | None
    """The address at which an HTML page is shown in a frame."""
    is_whole: bool
    """Whether that is the whole file."""
    replaced: int
    """How many different values are replaced."""
