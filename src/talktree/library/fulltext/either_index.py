"""The two kinds of full text, for callers that take either."""

from __future__ import annotations

from typing import TypeAlias

from talktree.library.fulltext.encrypted_index import EncryptedFullText
from talktree.library.fulltext.encrypted_writer import EncryptedFullTextWriter
from talktree.library.fulltext.index import FullText
from talktree.library.fulltext.writer import FullTextWriter

AnyFullText: TypeAlias = FullText | EncryptedFullText
AnyWriting: TypeAlias = FullTextWriter | EncryptedFullTextWriter
