"""A step as callers use it: with the paths they have at hand.

Paths are relative to the workspace, wherever the process was started; an absolute one must lead
into it.
"""

from __future__ import annotations

import os
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path
from typing import Literal, TypeAlias

from talktree.files.sandbox import Anchor, checked
from talktree.session.capture.step import Step
from talktree.session.errors import plainly
from talktree.session.handle import Opened

FilePath: TypeAlias = str | bytes | os.PathLike[str]
Unprotected: TypeAlias = Literal["refuse", "mark"]
HERE = b"."


def inside(workspace: Anchor | None, path: FilePath) -> bytes:
    """A path as the session has it; a refusal if it leads elsewhere."""
    raw = os.fsencode(path)
    if workspace is not None and raw.startswith(b"/"):
        with suppress(ValueError):
            raw = os.fsencode(Path(os.fsdecode(raw)).relative_to(workspace.path))
    raw = raw.removeprefix(b"./").rstrip(b"/") or raw
    return raw if raw == HERE else checked(raw)


@plainly
class Work(Step):
    """A step, made by `Session.step`."""

    def __init__(
        self,
        opened: Opened,
        message: str,
        paths: Iterable[FilePath],
        watch: Iterable[FilePath],
        unprotected: Unprotected,
    ) -> None:
        self._place = opened.workspace
        super().__init__(
            opened,
            message,
            [inside(self._place, path) for path in paths],
            [inside(self._place, path) for path in watch],
            unprotected,
        )

    def __enter__(self) -> Work:
        super().__enter__()
        return self

    def track(self, *paths: FilePath) -> None:
        """More paths that the tool is going to change: safe to be changed when this returns."""
        super().track(*(inside(self._place, path) for path in paths))
