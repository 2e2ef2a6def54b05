"""JSON documents are detected whatever follows them."""

from __future__ import annotations

from pathlib import Path

import pytest

from talktree import api
from talktree.files import Source

DEMO = Path(__file__).parents[2] / "demo"


@pytest.mark.parametrize("rest", ["x", "\ufffd", "\nnot JSON", "1 2"])
@pytest.mark.parametrize("name", ["muse.json", "studio.json"])
def test_text_after_a_document_does_not_hide_it(name: str, rest: str) -> None:
    data = (DEMO / name).read_bytes()
    whole = api.read(Source.of_bytes(data, name=name))
    found = api.read(Source.of_bytes(data + rest.encode(), name=name))
    assert found.format == whole.format == name.removesuffix(".json")
    assert [*map(len, found.conversations)] == [*map(len, whole.conversations)]
