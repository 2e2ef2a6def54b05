"""The laws of moving hold whatever happens in whatever order."""

from __future__ import annotations

import os

import pytest
from hypothesis import HealthCheck, settings
from hypothesis.stateful import run_state_machine_as_test

from tests.session.machine import Moving

TORTURE = os.environ.get("HYPOTHESIS_PROFILE") == "torture"
SHARE = settings(
    max_examples=int(os.environ.get("UNDO_EXAMPLES", "80")),
    stateful_step_count=30,
    deadline=None,
    suppress_health_check=list(HealthCheck),
)
ROUNDS = 20
WHOLE = settings(SHARE, max_examples=2000 // ROUNDS, stateful_step_count=50)


def test_moves_keep_their_laws() -> None:
    run_state_machine_as_test(Moving, settings=SHARE)


@pytest.mark.torture
@pytest.mark.parametrize("number", range(ROUNDS))
def test_moves_keep_their_laws_for_long(number: int) -> None:
    # In rounds: what is remembered of each case makes the process large, and each kill forks it.
    run_state_machine_as_test(Moving, settings=WHOLE)
