"""The numbers of a compaction, in whichever format's words its data is.

A conversion keeps the data of a compaction as it is, so a file may hold the words of another
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
    """How much was in the context before and after, as far as the event says."""
    return read_numbers(event, _field_names())


def get_other_data(event: Event) -> Json:
    """What the data of a compaction holds beside these numbers."""
    if not isinstance(event.data, dict):
        return None
    return {name: item for name, item in event.data.items() if name not in _field_names()}
