"""What is given to others, and the secrets in it."""

from __future__ import annotations

from typing import Literal

from msgspec import Struct


class FindSecrets(Struct, frozen=True, kw_only=True):
    """What would be shared: a branch, some messages, or all; and what is looked for in it."""

    leaf: str | None = None
    ids: tuple[str, ...] = ()
    include_deleted: bool = False
    words: tuple[str, ...] = ()
    personal: bool = False


class SecretPlace(Struct, frozen=True, kw_only=True):
    """A secret, without showing it."""

    message: str
    number: int | None
    kind: str
    what: str
    shown: str
    """How it begins and ends."""
    placeholder: str


class RedactionTarget(Struct, frozen=True, kw_only=True):
    """What is looked for in order to replace it."""

    kinds: int
    """Kinds of keys, tokens and passwords."""
    words: int
    """Words, those of the user's configuration included."""
    patterns: int
    personal: bool
    """Whether personal data is looked for."""


class Secrets(Struct, frozen=True, kw_only=True):
    """The secrets in what would be shared."""

    looked_for: RedactionTarget

    total: int
    distinct: int
    places: tuple[SecretPlace, ...]
    """At most 500."""
    hidden: dict[str, int]
    """Deleted messages, messages that are not shown to the user and hidden artifacts, by kind.

    They are left out, unless they are asked for."""


class Share(Struct, frozen=True, kw_only=True):
    """How to share what."""

    to: str
    """html, md, text, or a format."""
    leaf: str | None = None
    """One branch; without it and without ids all of it."""
    ids: tuple[str, ...] = ()
    """Just these messages."""
    everything: bool = False
    """All branches."""
    detail: Literal["full", "high", "low", "minimal", "user-only"] = "full"
    redact: bool = True
    words: tuple[str, ...] = ()
    """Words to replace besides secrets."""
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
    """How it begins, as it is; null if it is not text, and of a page, which is shown in a frame."""


class SharePreview(Struct, frozen=True, kw_only=True):
    """How the file begins that would be shared: the same bytes."""

    files: tuple[PreviewFile, ...]
    """The file, or the first ones of a folder."""
    page: str | None
    """Of an HTML page the address at which it is shown in a frame."""
    is_whole: bool
    """Whether that is all of it."""
    replaced: int
    """How many different values are replaced."""
