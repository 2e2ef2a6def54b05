"""Time spans as options write them."""

from __future__ import annotations

import pytest

from talktree.cli.library_arguments import parse_since, parse_until
from talktree.errors import UsageError

DAY = 86_400 * 10**9


@pytest.mark.parametrize(
    ("said", "days"),
    [
        ("2026-01-31", 1),
        ("2026-02", 28),
        ("2024-02", 29),
        ("2026-12", 31),
        ("2026-12-31", 1),
        ("2026", 365),
    ],
)
def test_until_is_the_end_of_what_is_named(
    said: str, days: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TZ", "UTC")
    first, last = parse_since("--since", said), parse_until("--until", said)
    assert first is not None
    assert last is not None
    assert last - first == days * DAY


def test_so_long_ago_is_a_moment() -> None:
    first, last = parse_since("--since", "7d"), parse_until("--until", "7d")
    assert first is not None
    assert last is not None
    assert last - first < DAY


@pytest.mark.parametrize("said", ["someday", "2026-13", "2026-02-30", "", "2026-1-2-3", "9999999"])
def test_an_invalid_time_span_is_reported(said: str) -> None:
    with pytest.raises(UsageError, match="no such day"):
        parse_until("--until", said)
