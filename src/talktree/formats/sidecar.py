"""The file beside a conversation for data that belongs to none of its messages."""

from __future__ import annotations

import msgspec

from talktree.files import Content
from talktree.formats.jsonl_file import NO_NODE, LineDialect, LineSheet
from talktree.model.outline import LineOutline
from talktree.text.json.value import Json


class _Nothing(LineOutline):
    """None of its lines takes part in the tree."""


_decode = msgspec.json.Decoder(_Nothing).decode


class _Dialect(LineDialect):
    def skim(self, line: bytes | memoryview) -> LineOutline:
        return _decode(line)

    def outline(self, value: Json) -> LineOutline:
        return NO_NODE

    def is_record(self, value: Json) -> bool:
        return isinstance(value, dict)


def open_sidecar(path: str, content: Content, *, group: str) -> LineSheet:
    """Return a record file for such a file."""
    return LineSheet(path, content, _Dialect(), group=group)
