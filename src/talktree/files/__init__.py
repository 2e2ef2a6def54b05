"""Files in and out: what a source is, how it is loaded, how output appears atomically."""

from talktree.files.compression import (
    Unpacked,
    as_named,
    as_stored,
    bare_name,
    encode_text,
    form_of,
    is_named_so,
    plain_head,
    stem_of,
    unpacked,
)
from talktree.files.content import Content, Memory, OnDisk
from talktree.files.outputs import OutputGate, input_paths
from talktree.files.save import save
from talktree.files.source import Source, load, load_stream, parked
from talktree.files.utf16 import as_utf16, is_utf16_form

__all__ = [
    "Content",
    "Memory",
    "OnDisk",
    "OutputGate",
    "Source",
    "Unpacked",
    "as_named",
    "as_stored",
    "as_utf16",
    "bare_name",
    "encode_text",
    "form_of",
    "input_paths",
    "is_named_so",
    "is_utf16_form",
    "load",
    "load_stream",
    "parked",
    "plain_head",
    "save",
    "stem_of",
    "unpacked",
]
