"""The build hook: adds the studio's page to wheels, sdists and editable installs."""

from __future__ import annotations

import importlib.util
from pathlib import Path
from types import ModuleType
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

SCRIPT = Path("frontend") / "build.py"


class PageHook(BuildHookInterface[Any]):
    """Builds the page if it is missing; an sdist contains it, so installing one does not need
    Node."""

    def dependencies(self) -> list[str]:
        script = _script(Path(self.root))
        return [] if script.is_fresh() else [script.NODE]

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        _script(Path(self.root)).build()


def _script(root: Path) -> ModuleType:
    spec = importlib.util.spec_from_file_location("talktree_page", root / SCRIPT)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module
