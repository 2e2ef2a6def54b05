"""Reading and writing, shared by all formats."""

from talktree.formats.engine.origin import DocumentOrigin
from talktree.formats.engine.read import read_document, skim_records
from talktree.formats.engine.write import write_document

__all__ = ["DocumentOrigin", "read_document", "skim_records", "write_document"]
