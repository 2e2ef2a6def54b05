"""Files: what a source is, how it is loaded, and how output is written atomically."""

from talktree.files.compression import (
    UnpackedContent,
    encode_as_named,
    encode_as_stored,
    encode_text,
    find_text_form,
    is_compressed_name,
    read_plain_head,
    stem_of,
    strip_compression_suffix,
    unpack_source,
)
from talktree.files.content import Content, MemoryContent, OnDisk
from talktree.files.outputs import OutputGate, input_paths
from talktree.files.save import save
from talktree.files.source import Source, load, load_stream, park_pieces
from talktree.files.utf16 import encode_utf16, is_utf16_form

__all__ = [
    "Content",
    "MemoryContent",
    "OnDisk",
    "OutputGate",
    "Source",
    "UnpackedContent",
    "encode_as_named",
    "encode_as_stored",
    "encode_text",
    "encode_utf16",
    "find_text_form",
    "input_paths",
    "is_compressed_name",
    "is_utf16_form",
    "load",
    "load_stream",
    "park_pieces",
    "read_plain_head",
    "save",
    "stem_of",
    "strip_compression_suffix",
    "unpack_source",
]
