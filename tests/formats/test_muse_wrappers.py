"""Ids and times wrapped as in a database export: unwrapped on reading, preserved on writing."""

from __future__ import annotations

import pytest

from talktree.formats.muse.lens import read_text, read_time, write_text_like, write_time_like
from talktree.text.json.value import Json

DAY = 1_732_782_425_694 * 1_000_000


@pytest.mark.parametrize(
    ("value", "inside"),
    [
        ("plain", "plain"),
        ("ObjectId('123')", "123"),
        ('ObjectId("123")', "123"),
        ({"$oid": "6748"}, "6748"),
        ({"$uuid": "7f0c"}, "7f0c"),
    ],
)
def test_ids_are_read_through_their_wrapper_and_keep_it(value: Json, inside: str) -> None:
    assert read_text(value) == inside
    assert write_text_like(inside, value) == value
    assert read_text(write_text_like("other", value)) == "other"
    assert type(write_text_like("other", value)) is type(value)


@pytest.mark.parametrize("value", [5, None, True, [], {"$oid": 5}, {"$oid": "a", "b": 1}, {}])
def test_invalid_ids_are_left_alone(value: Json) -> None:
    assert read_text(value) is None


@pytest.mark.parametrize(
    "value",
    [
        1732782425694,
        1732782425694.0,
        1732782425.694,
        {"$numberLong": "1732782425694"},
        {"$numberDouble": "1732782425694.0"},
        {"$date": "2024-11-28T08:27:05.694Z"},
        {"$date": 1732782425694},
        {"$date": {"$numberLong": "1732782425694"}},
        "2024-11-28T08:27:05.694Z",
    ],
)
def test_times_are_read_through_their_form_and_keep_it(value: Json) -> None:
    assert read_time(value) == DAY
    later = DAY + 61_000_000_000
    changed = write_time_like(later, value)
    assert read_time(changed) == later
    assert type(changed) is type(value)
    assert isinstance(value, dict) == isinstance(changed, dict)
    if isinstance(value, dict) and isinstance(changed, dict):
        assert list(value) == list(changed)
        assert [type(each) for each in value.values()] == [type(each) for each in changed.values()]


def test_a_time_the_old_form_cannot_hold_becomes_plain_milliseconds() -> None:
    assert write_time_like(DAY, 1732782425) == 1732782425694
    assert write_time_like(DAY, {"$numberInt": "1732782425"}) == {"$numberLong": "1732782425694"}
    assert write_time_like(1_732_782_426 * 10**9, {"$numberInt": "17"}) == {
        "$numberLong": "1732782426000"
    }
    assert write_time_like(1_732_782_426 * 10**9, 1732782425) == 1732782426


@pytest.mark.parametrize(
    "value",
    [
        None,
        True,
        "yesterday",
        10**30,
        float("inf"),
        {"$numberLong": "1e9999"},
        {"$numberLong": 5},
        {"$date": {"$date": 5}},
        {"$timestamp": {"t": 1}},
        [],
    ],
)
def test_invalid_times_are_left_alone(value: Json) -> None:
    assert read_time(value) is None
