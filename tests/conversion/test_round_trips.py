"""Conversions there and back are byte-identical."""

from __future__ import annotations

import random
from itertools import permutations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from talktree.formats import get_format
from talktree.formats.engine import read_document
from tests.conversion.trips import PAIRS, SLUGS, golden, into, kept, native_files, random_source

TRIPLES = [
    triple for triple in permutations(SLUGS, 3) if random.Random(str(triple)).random() < 0.12
]


@pytest.mark.parametrize(("source", "target"), PAIRS)
def test_golden_files_come_back_as_they_were(source: str, target: str) -> None:
    for name, files in golden(source):
        there = into(read_document(files, get_format(source)), target)
        back = into(there.read_back(target), source)
        assert back == kept(files, get_format(source)), name


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
        first = into(read_document(files, get_format(source)), over)
        second = into(first.read_back(over), target)
        assert into(second.read_back(target), source) == kept(files, get_format(source)), name


@pytest.mark.parametrize("ways", [*permutations(("studio", "studio-text", "studio-xml"), 2)])
@pytest.mark.parametrize("source", ["native", "chatbuilder"])
def test_a_source_that_embeds_two_others_comes_back(source: str, ways: tuple[str, str]) -> None:
    over, last = ways
    (target,) = {"studio", "studio-text", "studio-xml"}.difference(ways)
    for name, files in golden(source, "good"):
        first = into(read_document(files, get_format(source)), over)
        second = into(first.read_back(over), last)
        third = into(second.read_back(last), target)
        # The way back ends at the second one, which has its own embedded data.
        back = into(third.read_back(target), last)
        assert [*back.files.values()] == [*second.files.values()], name
