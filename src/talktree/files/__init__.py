"""Files in and out: what a source is, how it is loaded, how output appears atomically."""

from talktree.files.content import Content, Memory, OnDisk
from talktree.files.packed import (
    Unpacked,
    as_named,
    as_stored,
    bare_name,
    is_named_so,
    plain_head,
    stem_of,
    unpacked,
)
from talktree.files.save import save
from talktree.files.source import Source, load, load_stream, parked

__all__ = [
    "Content",
    "Memory",
    "OnDisk",
    "Source",
    "Unpacked",
    "as_named",
    "as_stored",
    "bare_name",
    "is_named_so",
    "load",
    "load_stream",
    "parked",
    "plain_head",
    "save",
    "stem_of",
    "unpacked",
]
