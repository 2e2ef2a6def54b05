"""Exported pages have the messages, numbers and texts that `show` and `stats` have."""

from __future__ import annotations

from pathlib import Path

import pytest

import talktree
from tests.agreement import surfaces
from tests.agreement.test_surfaces import NAMES
from tests.agreement.world import World, read_facts


@pytest.mark.parametrize("name", NAMES)
def test_a_page_has_all_messages_and_texts(name: str, world: World, tmp_path: Path) -> None:
    path = world.paths[name]
    read = read_facts(path)
    if not read or isinstance(talktree.read(path), talktree.Collection):
        return
    sums = surfaces.sums(list(read.values()))
    for kind in ("md", "html"):
        page = surfaces.page(path, kind, tmp_path)
        facts = surfaces.page_facts(page)
        assert facts["messages"] == sums["messages"], kind
        assert facts["sidechains"] == sums["sidechains"], kind
        assert facts["conversations"] == sums["conversations"], kind
        if facts["branches"] > 1:
            assert facts["branches"] == sums["branches"], kind
        rest = surfaces.page_letters(page)
        for text in surfaces.said(path):
            wanted = surfaces.letters(text)
            assert wanted in rest, (kind, text)
            rest = rest[rest.index(wanted) + len(wanted) :]
    whole = (sums["conversations"], sums["branches"], sums["sidechains"]) == (1, 1, 0)
    for id, card in surfaces.below(world.cards, path).items() if whole else ():
        header = world.studio.get(f"/c/{card['cid']}")
        # A message without content has no place on a page.
        shown = surfaces.articles(page)
        assert header["rows"] - surfaces.silent(path) <= shown <= header["rows"], id
