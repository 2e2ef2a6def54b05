"""Prices of tokens: a dated table that comes with Talktree, and the user's own next to it.

Sums are whole numbers: a dollar per million tokens is a millionth of a dollar for each, so a price
with six decimals is a whole number of `UNIT`s per token, and the order of adding never changes a
cost.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping, Sequence
from datetime import date
from decimal import Decimal
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any

from msgspec import Struct

from talktree.errors import Unreadable, UsageError

UNIT = 10**12
"""Units per dollar."""
PER_TOKEN = 10**6
"""A price of one dollar per million tokens, in units per token."""
BANDS = (100_000, 200_000)
"""Lengths of prompts above which some models cost more."""
OWN = "prices.toml"
"""The user's file in the data folder."""
KINDS = ("input", "output", "cache_read", "cache_write", "cache_write_hour")
_BEFORE = re.compile(r"^(?:.*/)?(?:[a-z]+\.)?(?:anthropic\.)?")
_BEHIND = re.compile(r"(?:\[1m\]|-v\d+(?::\d+)?|[-@]\d{8}|-latest)$")
_EPOCH = date(1970, 1, 1).toordinal()


class Price(Struct, frozen=True, gc=False):
    """The cost in units of one token of each kind, for some models from a day on."""

    models: tuple[str, ...]
    start: int | None
    """The number of its first day since 1970; None if it has no start."""
    above: int
    """Only for prompts with more tokens than this."""
    input: int
    output: int
    cache_read: int
    cache_write: int
    cache_write_hour: int

    def compute_cost(
        self, input: int, output: int, cache_read: int, cache_write: int, cache_write_hour: int
    ) -> int:
        """Return the price of some tokens; cache writes include those for an hour."""
        return (
            input * self.input
            + output * self.output
            + cache_read * self.cache_read
            + (cache_write - cache_write_hour) * self.cache_write
            + cache_write_hour * self.cache_write_hour
        )


class Prices:
    """All known prices; those of the user come first."""

    def __init__(self, tables: Sequence[Sequence[Price]], checked: str) -> None:
        self._tables = tables
        self.checked = checked
        """The day on which the table that comes with Talktree was compared with its sources."""
        self._known: dict[str, list[list[Price]]] = {}
        self._found: dict[tuple[str, int | None, int], Price | None] = {}

    def find_price(self, model: str | None, day: int | None, band: int = 0) -> Price | None:
        """Return the price of a model on a day (the newest one without a day), or None if unknown.

        `band` is how many of `BANDS` the prompt is longer than.
        """
        if model is None:
            return None
        key = (model, day, band)
        if key not in self._found:
            self._found[key] = self._look_up_price(model, day, band)
        return self._found[key]

    def _look_up_price(self, model: str, day: int | None, band: int) -> Price | None:
        longest = BANDS[band - 1] if band else 0
        for known in self._find_model_prices(model):
            fitting = [
                price
                for price in known
                if price.above <= longest
                and (day is None or price.start is None or price.start <= day)
            ]
            if fitting:
                return max(fitting, key=_rank)
        return None

    def _find_model_prices(self, model: str) -> list[list[Price]]:
        """Return the prices of a model in each table."""
        found = self._known.get(model)
        if found is None:
            names = (model.lower(), strip_model_name(model))
            found = self._known[model] = [
                [price for price in table if _is_price_of(price, names)] for table in self._tables
            ]
        return found


def _is_price_of(price: Price, names: tuple[str, ...]) -> bool:
    return any(fnmatchcase(name, each) for each in price.models for name in names)


def _rank(price: Price) -> tuple[int, int]:
    """Return the rank of a price: the longest prompts first, and of those the newest price."""
    return price.above, -1 if price.start is None else price.start


def strip_model_name(model: str) -> str:
    """Return a model's name without the platform before it and the date or version after it."""
    name = _BEFORE.sub("", model.lower()).replace(".", "-")
    while (shorter := _BEHIND.sub("", name)) != name:
        name = shorter
    return name


def load_prices(home: Path | None = None) -> Prices:
    """Load the table that comes with Talktree, and the one in the data folder if there is one."""
    text = (Path(__file__).parent / OWN).read_text("utf-8")
    facts = tomllib.loads(text, parse_float=Decimal)
    tables = [_parse_table(facts, "prices.toml")]
    own = None if home is None else home / OWN
    if own is not None and own.exists():
        tables.insert(0, _load_own_prices(own))
    return Prices(tables, str(facts["checked"]))


def _load_own_prices(path: Path) -> list[Price]:
    try:
        return _parse_table(tomllib.loads(path.read_text("utf-8"), parse_float=Decimal), str(path))
    except OSError as error:
        raise Unreadable(f"{path}: cannot read: {error.strerror or error}") from None
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise UsageError(f"{path}: not a TOML file: {error}") from None


def _parse_table(facts: Mapping[str, Any], where: str) -> list[Price]:
    listed = facts.get("price", [])
    if not isinstance(listed, list):
        raise UsageError(f"{where}: `price` is not a list", hint="write [[price]]")
    return [_parse_price(each, f"{where}: price {number}") for number, each in enumerate(listed, 1)]


def _parse_price(facts: Any, where: str) -> Price:  # noqa: ANN401
    if not isinstance(facts, dict):
        raise UsageError(f"{where}: not a table", hint="write [[price]]")
    models, start, above = facts.get("models"), facts.get("from"), facts.get("above", 0)
    if not isinstance(models, list) or not all(isinstance(name, str) for name in models):
        raise UsageError(f"{where}: `models` is not a list of names")
    if start is not None and type(start) is not date:
        raise UsageError(f"{where}: `from` is not a day", hint="write from = 2026-01-31")
    if above not in (0, *BANDS):
        raise UsageError(
            f"{where}: `above` is {above}", hint=f"it can be {' or '.join(map(str, BANDS))}"
        )
    if wrong := sorted(set(facts) - {"models", "from", "above", *KINDS}):
        raise UsageError(f"{where}: nothing is known of `{wrong[0]}`")
    return Price(
        tuple(name.lower() for name in models),
        None if start is None else start.toordinal() - _EPOCH,
        above,
        *(_parse_amount(facts, kind, where) for kind in KINDS),
    )


def _parse_amount(facts: Mapping[str, Any], kind: str, where: str) -> int:
    value = facts.get(kind)
    if type(value) is int:
        value = Decimal(value)
    if not isinstance(value, Decimal) or not value.is_finite() or value < 0:
        raise UsageError(f"{where}: `{kind}` is not an amount of dollars per million tokens")
    units = value * PER_TOKEN
    if units != int(units):
        raise UsageError(f"{where}: `{kind}` has more than six decimals")
    return int(units)
