"""The entries of a conversation, in source order: messages, heads, snapshots, opaque records."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Any, TypeAlias

from msgspec import Struct, field

from talktree.model.message import Message
from talktree.model.parts import NOTHING, Extra
from talktree.text.times import to_datetime


class Head(Struct, frozen=True, gc=False, kw_only=True, tag="head"):
    """Data about the whole conversation or one of its branches: titles, summaries."""

    id: str = ""
    kind: str = "head"
    title: str | None = None
    leaf: str | None = None
    """The message it refers to, if it names one."""
    time_ns: int | None = field(default=None, name="time")
    updated_ns: int | None = field(default=None, name="updated")
    extra: Extra = NOTHING

    @property
    def time(self) -> datetime | None:
        """Its time in UTC; `time_ns` is exact."""
        return to_datetime(self.time_ns)

    @property
    def updated(self) -> datetime | None:
        """When it was last changed, in UTC; `updated_ns` is exact."""
        return to_datetime(self.updated_ns)


class FileState(Struct, frozen=True, gc=False, kw_only=True):
    """The state of one file in a snapshot. Unknown values are None, never 'absent'."""

    state: str | None = None
    """created, modified, deleted, unchanged, or any other word the source uses."""
    backup: str | None = None
    """Where its earlier content is stored."""
    absent_before: bool = False
    """Whether the source says that the file did not exist before."""
    hash: str | None = None
    hash_before: str | None = None
    size: int | None = None
    content_before: str | None = None
    version: int | None = None
    time_ns: int | None = field(default=None, name="time")
    extra: Extra = NOTHING

    @property
    def time(self) -> datetime | None:
        """Its time in UTC; `time_ns` is exact."""
        return to_datetime(self.time_ns)


class Snapshot(Struct, frozen=True, gc=False, kw_only=True, tag="snapshot"):
    """The state of files at a message."""

    id: str = ""
    message: str | None = None
    """The message it belongs to."""
    time_ns: int | None = field(default=None, name="time")
    update: bool = False
    """Whether it only adds to an earlier snapshot of the same message."""
    files: Mapping[str, FileState] = NOTHING
    extra: Extra = NOTHING

    @property
    def time(self) -> datetime | None:
        """Its time in UTC; `time_ns` is exact."""
        return to_datetime(self.time_ns)


class Opaque(Struct, frozen=True, gc=False, kw_only=True, tag="opaque"):
    """A record that is not understood, kept in its place."""

    id: str = ""
    kind: str = "unreadable"
    value: Any = None
    """Its decoded value, if it has one."""
    size: int = 0


Entry: TypeAlias = Message | Head | Snapshot | Opaque
