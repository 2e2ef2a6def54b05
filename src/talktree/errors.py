"""The errors of Talktree.

Each class is one kind of failure with its exit code; the message says what happened, and the hint
what the user can do. Those that a wrong argument causes are also a `ValueError`. Damaged data is
not an error (see `model.findings`), and neither is a target that cannot hold something (a `Loss`).
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

INTERNAL = 70
"""The exit code of an internal error."""


class TalktreeError(Exception):
    """The base class of every error that a user can see."""

    exit_code = 3
    kind = "error"

    def __init__(self, message: str, *, hint: str | None = None) -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint


class UsageError(TalktreeError, ValueError):
    """The arguments do not make sense."""

    exit_code = 2
    kind = "usage"


class NotFound(TalktreeError, ValueError):
    """A path, a message or a format name that does not exist."""

    exit_code = 2
    kind = "not-found"


class Unreadable(TalktreeError):
    """The bytes cannot be read: permissions, I/O errors, limits."""

    exit_code = 3
    kind = "unreadable"


class LibraryLocked(Unreadable):
    """The library is encrypted, and its key is not available."""

    kind = "locked"


class WrongKey(TalktreeError):
    """The passphrase or the identity does not open the library."""

    exit_code = 3
    kind = "wrong-key"


class UnknownFormat(TalktreeError):
    """No format matches the input."""

    exit_code = 3
    kind = "unknown-format"

    def __init__(
        self,
        name: str,
        tried: Iterable[str],
        *,
        why: str = "no known conversation format",
        hint: str = "",
    ) -> None:
        super().__init__(
            f"{name}: {why}",
            hint=hint or f"tried {', '.join(tried)}; name one with --from if you know better",
        )


class BrokenPlugin(TalktreeError):
    """A plug-in of another package that cannot be loaded."""

    exit_code = 3
    kind = "broken-plugin"


class RefusedInput(TalktreeError):
    """The format is known, but deliberately not read, with the reason."""

    exit_code = 3
    kind = "refused"


class AttachmentTooLarge(TalktreeError):
    """A file is larger than an attachment may be."""

    exit_code = 2
    kind = "too-large"


class DangerousAttachment(TalktreeError):
    """A file that must not be attached to a message."""

    exit_code = 3
    kind = "dangerous-attachment"


class SuspiciousAttachment(TalktreeError):
    """A file that may be attached to a message only if that is confirmed."""

    exit_code = 3
    kind = "suspicious-attachment"


class DamagedRecord(TalktreeError):
    """An edit would have to rewrite a record that could not be read."""

    exit_code = 3
    kind = "damaged"


class WouldLose(TalktreeError):
    """The target cannot hold something, and the caller asked for no loss."""

    exit_code = 4
    kind = "would-lose"


class ChangedMeanwhile(TalktreeError):
    """The file has changed since it was read."""

    exit_code = 5
    kind = "changed"


class WorldMoved(ChangedMeanwhile):
    """The state that a plan or a handle was made from has changed."""


class LockHeld(TalktreeError):
    """Another program is using it and holds the lock."""

    exit_code = 5
    kind = "busy"


class NotSaved(TalktreeError):
    """Nothing was acknowledged: the line may not be on the disk and does not count."""

    exit_code = 3
    kind = "not-saved"


class NotUndoable(TalktreeError):
    """A change that could not be undone later, so it is refused before it happens."""

    exit_code = 2
    kind = "not-undoable"


class PathEscapes(TalktreeError, ValueError):
    """A path that leaves its root folder."""

    exit_code = 2
    kind = "escapes"


class MissingExtra(TalktreeError):
    """An optional dependency is not installed."""

    exit_code = 6
    kind = "missing-extra"

    def __init__(self, what: str, extra: str) -> None:
        super().__init__(
            f"{what} needs an optional dependency",
            hint=f"pip install 'talktree[{extra}]'",
        )


class Failure(NamedTuple):
    """A failure as a value: why one of many sources failed."""

    kind: str
    message: str
    hint: str | None
    exit_code: int


def did_you_mean(name: str, known: Iterable[str]) -> str:
    """Return the end of a message about an unknown name: the nearest known one, if any is near."""
    from difflib import get_close_matches  # only needed for mistakes

    near = get_close_matches(name.lower(), [*known], n=1)
    return f", did you mean {near[0]}?" if near else ""


def failure_of(error: TalktreeError) -> Failure:
    """Return a failure for an error."""
    return Failure(error.kind, error.message, error.hint, error.exit_code)


def describe_internal_error(where: str, error: Exception) -> Failure:
    """Return the failure for an internal error that one source caused."""
    return Failure(
        "internal",
        f"{where}: internal error: {type(error).__name__}: {error}",
        "this is a mistake in talktree; run it on this source alone with TALKTREE_DEBUG=1 and "
        "report what that prints",
        INTERNAL,
    )
