"""A library that followed its files is the one that would be made of them now."""

from __future__ import annotations

import os

import pytest
from hypothesis import HealthCheck, settings
from hypothesis.stateful import run_state_machine_as_test

from tests.library.machine import Following

SHARE = settings(
    max_examples=int(os.environ.get("FOLLOW_EXAMPLES", "12")),
    stateful_step_count=15,
    deadline=None,
    suppress_health_check=list(HealthCheck),
)
WHOLE = settings(SHARE, max_examples=500, stateful_step_count=40)


def test_imports_in_between_make_no_difference() -> None:
    run_state_machine_as_test(Following, settings=SHARE)


@pytest.mark.torture
def test_imports_in_between_make_no_difference_for_long() -> None:
    run_state_machine_as_test(Following, settings=WHOLE)
