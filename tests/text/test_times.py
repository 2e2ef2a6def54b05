"""Times survive their written forms."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from talktree.text.times import (
    EARLIEST,
    LATEST,
    MILLI,
    SECOND,
    from_iso,
    from_number,
    is_exact_in_millis,
    to_iso,
    to_millis,
)


@pytest.mark.parametrize("odd", [": 5.930Z", ":+5.930Z", ":05. 30Z", ":٠٥.930Z", ":60.930Z"])
def test_an_invalid_timestamp_is_refused_also_in_a_cached_minute(odd: str) -> None:
    assert from_iso("2025-12-09T19:47:42.930Z") is not None
    assert from_iso(f"2025-12-09T19:47{odd}") is None


@given(st.integers(EARLIEST, LATEST), st.sampled_from([0, 3, 6, 9]))
def test_written_time_reads_back(time: int, digits: int) -> None:
    assert from_iso(to_iso(time, digits=digits)) == time


@given(st.datetimes(timezones=st.just(UTC)))
def test_agrees_with_the_standard_library(moment: datetime) -> None:
    time = from_iso(moment.isoformat())
    assert time is not None
    assert time // 1000 == (moment - datetime(1970, 1, 1, tzinfo=UTC)) // (datetime.resolution)


@pytest.mark.parametrize(
    ("text", "time"),
    [
        ("1970-01-01T00:00:01Z", SECOND),
        ("1970-01-01T00:00:01.5Z", SECOND + SECOND // 2),
        ("1970-01-01T00:00:00.123456789Z", 123_456_789),
        ("1970-01-01T01:00:00+01:00", 0),
        ("1970-01-01 00:00:00", 0),
        ("1970-01-01T00:00", 0),
        ("yesterday", None),
        ("2025-13-40T00:00:00Z", None),
        ("2025-01-01T00:00:99.000Z", None),
        ("", None),
    ],
)
def test_known_forms(text: str, time: int | None) -> None:
    assert from_iso(text) == time


@given(st.integers(100_000_000_000, 4_000_000_000_000))
def test_milliseconds_read_back(number: int) -> None:
    time = from_number(number)
    assert time == number * MILLI
    assert is_exact_in_millis(time)
    assert to_millis(time) == number


def test_seconds_are_reported_from_milliseconds_by_size() -> None:
    assert from_number(1_732_588_756) == from_number(1_732_588_756_000)
    assert not is_exact_in_millis(SECOND * 86400 * 365)


@given(st.floats() | st.integers())
def test_any_number_is_answered(number: float) -> None:
    time = from_number(number)
    assert time is None or EARLIEST <= time <= LATEST
