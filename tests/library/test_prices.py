"""The cost of tokens: dated, exact, and never guessed."""

from __future__ import annotations

import tomllib
from datetime import date
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from talktree.errors import UsageError
from talktree.library.stats import prices as module
from talktree.library.stats.prices import UNIT, Prices, load_prices, strip_model_name

MILLION = 10**6
ENTRY = """
[[price]]
models = [{models}]
input = 1
output = 2.5
cache_read = 0.1
cache_write = 1.25
cache_write_hour = 2
"""


def day(text: str) -> int:
    return date.fromisoformat(text).toordinal() - date(1970, 1, 1).toordinal()


def own(folder: Path, text: str) -> Prices:
    (folder / "prices.toml").write_text(text)
    return load_prices(folder)


def cost(prices: Prices, model: str, when: str = "2026-06-01", band: int = 0) -> float | None:
    """Return the cost of a million input tokens, in dollars."""
    price = prices.find_price(model, day(when), band)
    return None if price is None else price.compute_cost(MILLION, 0, 0, 0, 0) / UNIT


def test_every_kind_of_token_has_its_price() -> None:
    price = load_prices().find_price("claude-sonnet-4-5-20250929", day("2025-10-01"))
    assert price is not None
    assert price.compute_cost(MILLION, 0, 0, 0, 0) == 3 * UNIT
    assert price.compute_cost(0, MILLION, 0, 0, 0) == 15 * UNIT
    assert price.compute_cost(0, 0, MILLION, 0, 0) == UNIT * 3 // 10
    assert price.compute_cost(0, 0, 0, MILLION, 0) == UNIT * 375 // 100
    assert price.compute_cost(0, 0, 0, MILLION, MILLION) == 6 * UNIT


@pytest.mark.parametrize(
    ("model", "plain"),
    [
        ("claude-opus-4-1-20250805", "claude-opus-4-1"),
        ("us.anthropic.claude-opus-4-1-20250805-v1:0", "claude-opus-4-1"),
        ("anthropic/claude-haiku-5.5", "claude-haiku-5-5"),
        ("claude-sonnet-4-5[1m]", "claude-sonnet-4-5"),
        ("claude-3-5-sonnet-latest", "claude-3-5-sonnet"),
        ("claude-opus-4@20250514", "claude-opus-4"),
        ("Claude-Opus-5", "claude-opus-5"),
    ],
)
def test_a_model_is_known_by_any_of_its_names(model: str, plain: str) -> None:
    assert strip_model_name(model) == plain
    assert load_prices().find_price(model, None) is not None


@pytest.mark.parametrize("model", ["claude-opus-9", "gpt-9", "<synthetic>", "", "claude"])
def test_a_model_that_is_not_listed_has_no_price(model: str) -> None:
    assert load_prices().find_price(model, None) is None
    assert load_prices().find_price(None, None) is None


def test_a_price_holds_from_its_day_on() -> None:
    prices = load_prices()
    before = prices.find_price("claude-sonnet-5-5", day("2026-10-06"))
    after = prices.find_price("claude-sonnet-5-5", day("2026-10-07"))
    newest = prices.find_price("claude-sonnet-5-5", None)
    assert before is not None
    assert after is not None
    assert (before.cache_read, after.cache_read) == (200_000, 100_000)
    assert newest == after


def test_long_prompts_may_cost_more() -> None:
    prices = load_prices()
    assert cost(prices, "claude-haiku-5-5", "2026-11-01", 0) == 0.1
    assert cost(prices, "claude-haiku-5-5", "2026-11-01", 1) == 0.5
    assert cost(prices, "claude-haiku-5-5", "2026-11-01", 2) == 0.5
    assert cost(prices, "claude-opus-4-6", "2026-02-20", 2) == 10
    assert cost(prices, "claude-opus-4-6", "2026-03-13", 2) == 5
    assert cost(prices, "claude-opus-5", "2026-09-01", 2) == 5


def test_own_prices_add_and_override(tmp_path: Path) -> None:
    prices = own(tmp_path, ENTRY.format(models='"house-model-*", "claude-opus-5"'))
    assert cost(prices, "house-model-7b") == 1
    assert cost(prices, "claude-opus-5") == 1
    assert cost(prices, "claude-opus-4-8") == 5


def test_own_prices_may_begin_some_day(tmp_path: Path) -> None:
    text = ENTRY.format(models='"claude-opus-5"') + "from = 2026-09-01\n"
    prices = own(tmp_path, text)
    assert cost(prices, "claude-opus-5", "2026-08-31") == 5
    assert cost(prices, "claude-opus-5", "2026-09-01") == 1


@pytest.mark.parametrize(
    ("text", "what"),
    [
        ("price = 3", "not a list"),
        ("[[price]]\nmodels = 'x'", "`models`"),
        (ENTRY.format(models='"x"') + "from = '2026-09-01'", "`from`"),
        (ENTRY.format(models='"x"') + "above = 5", "`above`"),
        (ENTRY.format(models='"x"') + "colour = 5", "`colour`"),
        (ENTRY.format(models='"x"').replace("= 1\n", "= -1\n"), "`input`"),
        (ENTRY.format(models='"x"').replace("= 1\n", "= nan\n"), "`input`"),
        (ENTRY.format(models='"x"').replace("= 1\n", "= 0.1234567\n"), "six decimals"),
        ("[[price", "TOML"),
    ],
)
def test_errors_in_own_prices_are_reported(tmp_path: Path, text: str, what: str) -> None:
    with pytest.raises(UsageError, match=what) as caught:
        own(tmp_path, text)
    assert str(tmp_path) in caught.value.message


def test_the_table_says_where_and_when_it_is_from() -> None:
    text = (Path(module.__file__).parent / "prices.toml").read_text()
    assert "https://platform.claude.com/docs/en/about-claude/pricing" in text
    assert tomllib.loads(text)["checked"] >= date(2026, 11, 16)
    assert load_prices().checked in text


COUNTS = st.lists(st.integers(0, 10**9), min_size=5, max_size=5)


@given(COUNTS, COUNTS)
def test_the_price_of_a_sum_is_the_sum_of_the_prices(one: list[int], other: list[int]) -> None:
    price = load_prices().find_price("claude-haiku-5-5", None)
    assert price is not None
    both = [left + right for left, right in zip(one, other, strict=True)]
    assert price.compute_cost(*both) == price.compute_cost(*one) + price.compute_cost(*other)
