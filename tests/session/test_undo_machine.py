"""The laws of moving hold for any actions in any order."""

from __future__ import annotations

import pytest
from hypothesis import HealthCheck, seed, settings
from hypothesis.stateful import run_state_machine_as_test

from tests.cases import SEED, examples
from tests.session.machine import Moving

SHARE = examples(30, torture=80, stateful_step_count=30, suppress_health_check=list(HealthCheck))
ROUNDS = 20
WHOLE = settings(SHARE, max_examples=2000 // ROUNDS, stateful_step_count=50)


def test_moves_keep_their_laws() -> None:
    run_state_machine_as_test(Moving, settings=SHARE)


@pytest.mark.torture
@pytest.mark.parametrize("number", range(ROUNDS))
def test_moves_keep_their_laws_for_long(number: int) -> None:
    # In rounds: each case adds to the memory of the process, and each kill forks it.
    run_state_machine_as_test(seed(SEED + number)(Moving), settings=WHOLE)
