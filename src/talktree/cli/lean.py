"""What a search from the shell leaves out: it is over sooner than loading that takes."""

from __future__ import annotations

import gc
import os
import sys
from typing import NoReturn

_EXTRAS = "typing_extensions"
_SELDOM = 100_000
"""After so many new objects cycles are looked for; loading modules makes many, and none to drop."""


def load_msgspec() -> None:
    """Load msgspec without more types than Python has, none of which we use.

    It takes them from a module of which loading takes as long as msgspec itself, where another
    package brought that.
    """
    if "msgspec" in sys.modules or _EXTRAS in sys.modules:
        return
    sys.modules[_EXTRAS] = None  # type: ignore[assignment]  # so that it cannot be imported
    try:
        import msgspec  # noqa: F401
    finally:
        del sys.modules[_EXTRAS]


def collect_seldom() -> None:
    """Look for cycles of objects that nobody needs less often than Python does."""
    gc.set_threshold(_SELDOM)


def leave(code: int) -> NoReturn:
    """End this process at once: what it holds is not taken apart, the system takes it all.

    Only for verbs that have let go of everything they opened, and whose output is flushed.
    """
    os._exit(code)
