"""There and back again, byte for byte."""

from __future__ import annotations

import random
from itertools import permutations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from talktree.formats import by_slug
from talktree.formats.engine import read
from tests.conversion.trips import PAIRS, SLUGS, golden, into, kept, native_files, random_source

TRIPLES = [
    triple for triple in permutations(SLUGS, 3) if random.Random(str(triple)).random() < 0.12
]


@pytest.mark.parametrize(("source", "target"), PAIRS)
def test_golden_files_come_back_as_they_were(source: str, target: str) -> None:
    for name, files in golden(source):
        there = into(read(files, by_slug(source)), target)
        back = into(there.read_back(target), source)
        assert back == kept(files, by_slug(source)), name


@pytest.mark.parametrize("source", SLUGS)
@given(data=native_files(), choice=st.data())
def test_random_conversations_come_back_as_they_were(
    source: str, data: bytes, choice: st.DataObject
) -> None:
    target = choice.draw(st.sampled_from([slug for slug in SLUGS if slug != source]))
    files = random_source(data, source)
    there = into(files.read_as(source), target)
    assert into(there.read_back(target), source) == files


@pytest.mark.parametrize(("source", "over", "target"), TRIPLES)
def test_a_way_over_two_formats_leads_back_too(source: str, over: str, target: str) -> None:
    for name, files in golden(source, "good"):
        first = into(read(files, by_slug(source)), over)
        second = into(first.read_back(over), target)
        assert into(second.read_back(target), source) == kept(files, by_slug(source)), name
