"""System errors as Talktree's errors, so that callers of a session see one kind of error only."""

from __future__ import annotations

import functools
from collections.abc import Callable
from errno import EDQUOT, ENOSPC
from types import FunctionType
from typing import Any, ParamSpec, TypeVar

from talktree.errors import TalktreeError, Unreadable

P = ParamSpec("P")
R = TypeVar("R")
T = TypeVar("T", bound=type[Any])
_ALSO = frozenset({"__init__", "__enter__", "__exit__"})
_HINTS = {
    ENOSPC: "make room on the disk; nothing that was acknowledged is lost",
    EDQUOT: "make room within your quota; nothing that was acknowledged is lost",
}


def raise_plain_errors(cls: T) -> T:
    """Make all public methods of a class raise Talktree's errors for system errors."""
    for name, member in list(vars(cls).items()):
        if name.startswith("_") and name not in _ALSO:
            continue
        if isinstance(member, FunctionType):
            setattr(cls, name, _with_plain_errors(member))
        elif isinstance(member, property) and member.fget is not None:
            setattr(cls, name, property(_with_plain_errors(member.fget), doc=member.__doc__))
    return cls


def _with_plain_errors(work: Callable[P, R]) -> Callable[P, R]:
    @functools.wraps(work)
    def speaking(*args: P.args, **kwargs: P.kwargs) -> R:
        """Call the function and convert its errors."""
        try:
            return work(*args, **kwargs)
        except TalktreeError:
            raise
        except OSError as error:
            raise describe_os_error(error) from error

    return speaking


def describe_os_error(error: OSError) -> TalktreeError:
    """Return an error with the system's message, and a hint."""
    where = f"{error.filename}: " if isinstance(error.filename, str) else ""
    hint = _HINTS.get(error.errno or 0, "look at the disk, and at who may read and write there")
    return Unreadable(f"{where}{error.strerror or error}", hint=hint)
