"""The library with small limits: the laws for large files are tested with small ones."""

from __future__ import annotations

import os

import pytest
from hypothesis import HealthCheck, settings
from hypothesis.stateful import run_state_machine_as_test

from talktree.library.importing import import_run
from tests import limits
from tests.library.version_machine import Remembering

SHARE = settings(
    max_examples=int(os.environ.get("VERSION_EXAMPLES", "8")),
    stateful_step_count=12,
    deadline=None,
    suppress_health_check=list(HealthCheck),
)
WHOLE = settings(SHARE, max_examples=400, stateful_step_count=40)


@pytest.fixture
def small_limits(monkeypatch: pytest.MonkeyPatch) -> None:
    """Divide all sizes by 64, with transactions of a few kilobytes."""
    limits.shrink(monkeypatch)
    monkeypatch.setattr(import_run, "BATCH_BYTES", 1 << 13)


def test_every_size_is_known() -> None:
    known = {(module, name) for module, names in limits.SIZES.items() for name in names}
    fixed = {(module, name) for module, names in limits.FIXED.items() for name in names}
    unknown = {*limits.large_numbers()} - known - fixed
    assert not unknown, "a size belongs into SIZES of tests/limits.py, any other number into FIXED"


@pytest.mark.usefixtures("small_limits")
def test_every_version_is_what_the_file_was() -> None:
    run_state_machine_as_test(Remembering, settings=SHARE)


@pytest.mark.torture
@pytest.mark.usefixtures("small_limits")
def test_every_version_is_what_the_file_was_for_long() -> None:
    run_state_machine_as_test(Remembering, settings=WHOLE)
