"""A library that followed its files equals one that is made from them now."""

from __future__ import annotations

import pytest
from hypothesis import HealthCheck, seed, settings
from hypothesis.stateful import run_state_machine_as_test

from tests.cases import SEED, examples
from tests.library.machine import Following

SHARE = examples(12, torture=12, stateful_step_count=15, suppress_health_check=list(HealthCheck))
WHOLE = settings(SHARE, max_examples=500, stateful_step_count=40)


def test_imports_in_between_make_no_difference() -> None:
    run_state_machine_as_test(Following, settings=SHARE)


@pytest.mark.torture
def test_imports_in_between_make_no_difference_for_long() -> None:
    run_state_machine_as_test(seed(SEED)(Following), settings=WHOLE)
