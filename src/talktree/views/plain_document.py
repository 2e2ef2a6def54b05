"""Small JSON documents of texts, whole numbers and lists, as `shapes.format_document` writes them.

For commands that often find nothing to do: they should not wait for what writes any value there is.
"""

from __future__ import annotations

from json import dumps
from typing import TYPE_CHECKING

from talktree.text.escape import escape_json

if TYPE_CHECKING:
    from talktree.text.json.value import Json

SCHEMA_VERSION = 1


def format_plain_document(document: dict[str, Json]) -> str:
    """A result as one JSON document; it holds no fractions and nothing kept as it was written."""
    whole = {"schema_version": SCHEMA_VERSION, **document}
    return escape_json(dumps(whole, ensure_ascii=False, indent=2)) + "\n"
