"""The numbers of a compaction, in the words of any format.

A conversion keeps the data of a compaction unchanged, so a file may hold the words of another
format.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache

from talktree.formats import all_formats
from talktree.model.compaction import CompactionNumbers, read_numbers
from talktree.model.parts import Event
from talktree.text.json.value import Json


@cache
def _field_names() -> Mapping[str, str]:
    return {name: field for each in all_formats() for name, field in each.compaction_names.items()}


def read_compaction_numbers(event: Event) -> CompactionNumbers:
    """Return the number of tokens before and after a compaction, as far as they are recorded."""
    return read_numbers(event, _field_names())


def get_other_data(event: Event) -> Json:
    """Return the other data of a compaction, without these numbers."""
    if not isinstance(event.data, dict):
        return None
    return {name: item for name, item in event.data.items() if name not in _field_names()}
