"""Samples of rules: `tests/data/rules/CODE/bad*/` breaks just that rule, `good*/` breaks none.

Each holds one file or one folder, which is the source; a file named `format` beside them names the
format where it cannot be detected. Samples that cannot be stored like this are made by `generated`.
"""

from __future__ import annotations

from pathlib import Path

from talktree import api
from talktree.files import load
from talktree.model.document import Document
from tests.checks.generated import generated

RULES = Path(__file__).parent.parent / "data" / "rules"


def samples(code: str, kind: str) -> list[Path]:
    """Return the samples of a rule, `bad` or `good`."""
    folder = generated(code) or RULES / code
    return sorted(folder.glob(f"{kind}*"))


def sample(folder: Path) -> Document:
    """Return the document of a sample."""
    (inside,) = folder.iterdir()
    named = folder.parent / "format"
    return api.read(load(inside), format=named.read_text().strip() if named.exists() else None)
