"""Lay out and import the populations once."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.agreement.populations import lay_out
from tests.agreement.world import World
from tests.web.running import running


@pytest.fixture(scope="session")
def world(tmp_path_factory: pytest.TempPathFactory) -> Iterator[World]:
    root = tmp_path_factory.mktemp("agreement").resolve()
    paths = lay_out(root)
    with running([root]) as studio:
        yield World(root, paths, studio)
