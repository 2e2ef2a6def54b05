"""The studio itself, the login, and long-running jobs."""

from __future__ import annotations

from typing import Annotated, Literal

from msgspec import Meta, Struct

LONGEST_SECRET = 1 << 16
"""Maximum number of characters of a passphrase or an identity file."""


class Login(Struct, frozen=True):
    """The token from the address, to be exchanged for a cookie and the page key.

    A remembered browser sends its id and a signed challenge instead.
    """

    token: str = ""
    browser: str = ""
    nonce: str = ""
    proof: str = ""


class Challenge(Struct, frozen=True, kw_only=True):
    """What a remembered browser signs; valid once, for a minute."""

    nonce: str


class RememberBrowser(Struct, frozen=True, kw_only=True):
    """The public key of a browser: a point of the curve P-256, base64url."""

    public_key: str
    label: str = ""
    """A label by which the user recognises the browser."""


class BrowserName(Struct, frozen=True, kw_only=True):
    """The name that the browser sends at its next login."""

    browser: str


class LoginResult(Struct, frozen=True, kw_only=True):
    """What the page needs besides the cookie, because other ports of this host receive the cookie
    too."""

    key: str
    """Sent as `X-Talktree-Key` with every request, and used to sign addresses."""


class Unlock(Struct, frozen=True):
    """What opens an encrypted library: its passphrase, or the text of an age identity file."""

    passphrase: Annotated[str, Meta(max_length=LONGEST_SECRET)] = ""
    identity: Annotated[str, Meta(max_length=LONGEST_SECRET)] = ""

    def __repr__(self) -> str:
        """Without the secret, wherever it may be printed."""
        return "Unlock(…)"


class LockState(Struct, frozen=True, kw_only=True):
    """Whether the library is encrypted, whether it is locked, and what unlocks it."""

    encrypted: bool = False
    locked: bool = False
    passphrase: bool = False
    """Whether a passphrase unlocks it."""
    identity: bool = False
    """Whether an age identity unlocks it."""
    wait: int = 0
    """Seconds until the next attempt is possible."""
    ending: int = 0
    """How many jobs still hold the key and are about to end."""


class FormatSummary(Struct, frozen=True, kw_only=True):
    """A format that can be read, and maybe written."""

    slug: str
    title: str
    folder: bool
    writes: bool
    aliases: tuple[str, ...] = ()
    """Other names for it."""
    origin: str = ""
    """The program that writes its files."""


class LibraryInfo(Struct, frozen=True, kw_only=True):
    """How much the library holds."""

    conversations: int
    bytes: int
    stored: int
    """Its size on disk in bytes."""
    places: tuple[str, ...]
    failures: int
    """How many files were not imported, or only in part; `GET /failures` lists them."""
    last_import: int | None
    """Milliseconds since 1970, like all times of the API."""


class StudioInfo(Struct, frozen=True, kw_only=True):
    """What the page needs before anything else."""

    version: str
    read_only: bool
    encrypted: bool
    """Whether the library is encrypted, so that it can be locked."""
    given: tuple[str, ...]
    """The paths named at the start; empty if the whole library is served."""
    formats: tuple[FormatSummary, ...]
    library: LibraryInfo
    retention: str | None
    """Why the configured retention rules are not applied, if there are any."""
    job: str | None
    """The import that is still running."""


class ErrorDetails(Struct, frozen=True, kw_only=True):
    """What went wrong, for the user."""

    kind: str
    message: str
    hint: str | None = None
    exit_code: int = 1
    stamp: str | None = None
    """The current stamp, if the request was based on another one."""


class ErrorBody(Struct, frozen=True):
    """The body of every error."""

    error: ErrorDetails


class JobState(Struct, frozen=True, kw_only=True):
    """A running or finished job."""

    id: str
    kind: Literal["import", "upload", "convert", "share"]
    state: Literal["running", "done", "failed", "cancelled"]
    done: int = 0
    total: int | None = None
    """The total for `done`; None while it is unknown."""
    text: str = ""
    """What it is doing."""
    file: str | None = None
    """The name of the file it made; `GET /jobs/{job}/file` returns it."""
    size: int | None = None
    cid: str | None = None
    """The conversation it made."""
    error: ErrorDetails | None = None
