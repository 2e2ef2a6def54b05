"""The mixed-folder law: for any mix of sources, no message goes missing silently.

`python -m tests.populations.case NUMBER FOLDER` writes a population to a folder and checks it.
"""

from __future__ import annotations

import pytest

from tests.populations.case import failures
from tests.populations.command import UNCLOSED

SHARE = range(0, 300, 30)
REST = [pytest.param(start, marks=pytest.mark.torture) for start in range(300, 10_000, 30)]
pytestmark = UNCLOSED


@pytest.mark.parametrize("start", [*SHARE, *REST])
def test_nothing_goes_missing_silently(start: int) -> None:
    found = [each for number in range(start, start + 30) for each in failures(number)]
    assert not found, f"{len(found)} laws are broken:\n" + "\n".join(found[:5])
