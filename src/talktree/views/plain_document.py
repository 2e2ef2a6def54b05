"""Small JSON documents of texts, integers and lists, in the form of `shapes.format_document`.

Used by commands that often have nothing to do: importing the general JSON writer takes longer.
"""

from __future__ import annotations

from json import dumps
from typing import TYPE_CHECKING

from talktree.text.escape import escape_json

if TYPE_CHECKING:
    from talktree.text.json.value import Json

SCHEMA_VERSION = 1


def format_plain_document(document: dict[str, Json]) -> str:
    """Return a result as one JSON document; it contains no fractions and no verbatim values."""
    whole = {"schema_version": SCHEMA_VERSION, **document}
    return escape_json(dumps(whole, ensure_ascii=False, indent=2)) + "\n"
