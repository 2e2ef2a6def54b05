"""Errors of the studio, and how the page receives them: a status and an `ErrorDetails`."""

from __future__ import annotations

import os
import traceback
from collections.abc import Mapping

from talktree.errors import (
    INTERNAL,
    AttachmentTooLarge,
    ChangedMeanwhile,
    DangerousAttachment,
    LibraryLocked,
    LockHeld,
    NotFound,
    NotSaved,
    NotUndoable,
    PathEscapes,
    SuspiciousAttachment,
    TalktreeError,
    UsageError,
    WrongKey,
)
from talktree.web.schemas.general import ErrorDetails


class StaleState(ChangedMeanwhile):
    """The request was based on another state than the current one."""

    def __init__(self, stamp: str) -> None:
        super().__init__(
            "the conversation has changed meanwhile, nothing was done",
            hint="look at it as it is now, then do it again",
        )
        self.stamp = stamp
        """The current state."""


class NotEntered(TalktreeError):
    """The request did not contain the token of this start."""

    exit_code = 2
    kind = "not-entered"


class ForeignOrigin(TalktreeError):
    """The request does not come from the studio's own page."""

    exit_code = 2
    kind = "foreign"


class ForeignHost(ForeignOrigin):
    """The request's host is not a name of the studio."""


class ReadOnly(TalktreeError):
    """A read-only studio received a request to change something."""

    exit_code = 2
    kind = "read-only"


class WrongMethod(UsageError):
    """The address exists, but not for this method."""


class TooManyGuesses(TalktreeError):
    """A passphrase was tried too soon after wrong ones."""

    exit_code = 2
    kind = "too-many-guesses"

    def __init__(self, message: str, *, wait: int) -> None:
        super().__init__(f"{message}; wait {wait} s", hint="then try again")


class TooLarge(TalktreeError):
    """The request is larger than the limit."""

    exit_code = 2
    kind = "too-large"


STATUS: Mapping[type[TalktreeError], int] = {
    ForeignHost: 400,
    WrongMethod: 405,
    UsageError: 400,
    PathEscapes: 400,
    NotEntered: 401,
    ForeignOrigin: 403,
    ReadOnly: 403,
    WrongKey: 403,
    NotFound: 404,
    ChangedMeanwhile: 409,
    LockHeld: 409,
    NotUndoable: 409,
    LibraryLocked: 423,
    TooManyGuesses: 429,
    TooLarge: 413,
    AttachmentTooLarge: 413,
    DangerousAttachment: 422,
    SuspiciousAttachment: 409,
    NotSaved: 500,
    TalktreeError: 422,
}
"""If several match, the most specific class counts."""

INTERNAL_STATUS = 500


def find_status(error: Exception) -> int:
    """Return the HTTP status of an error; unexpected ones are 500."""
    if isinstance(error, OSError):
        return 422
    return next((STATUS[kind] for kind in type(error).__mro__ if kind in STATUS), INTERNAL_STATUS)


def print_internal_error(error: Exception) -> None:
    """Print an internal error on stderr if debugging is on."""
    if os.environ.get("TALKTREE_DEBUG") and find_status(error) == INTERNAL_STATUS:
        traceback.print_exception(error)


def describe_error(error: Exception) -> ErrorDetails:
    """Return an error as the page receives it."""
    match error:
        case TalktreeError():
            return ErrorDetails(
                kind=error.kind,
                message=error.message,
                hint=error.hint,
                exit_code=error.exit_code,
                stamp=error.stamp if isinstance(error, StaleState) else None,
            )
        case OSError():
            where = f"{str(error.filename)[:200]}: " if error.filename else ""
            return ErrorDetails(
                kind="unreadable",
                message=f"{where}{error.strerror or error}",
                hint="check the path",
                exit_code=3,
            )
        case _:
            return ErrorDetails(
                kind="internal",
                message=f"internal error: {type(error).__name__}: {error}"[:500],
                hint="this is a mistake in talktree; start it again with TALKTREE_DEBUG=1 and "
                "report what that prints",
                exit_code=INTERNAL,
            )
