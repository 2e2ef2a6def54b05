"""Small documents are written like all others."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from talktree.text.json.value import Json
from talktree.views.plain_document import format_plain_document
from talktree.views.shapes import format_document

TEXTS = st.text(st.characters(exclude_categories=())) | st.sampled_from(
    ["\x1b[31m", "\u202e", "\ud83d", 'a "b" \\ \n', "\U000e0041"]
)
SCALARS = st.none() | st.booleans() | st.integers() | TEXTS
VALUES = st.recursive(
    SCALARS, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXTS, inner, max_size=3)
)


@given(st.dictionaries(TEXTS.filter(lambda key: key != "schema_version"), VALUES, max_size=4))
def test_a_plain_document_is_what_any_document_of_its_values_is(document: dict[str, Json]) -> None:
    assert format_plain_document(document) == format_document(document)
