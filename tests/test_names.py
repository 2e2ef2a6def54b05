"""Names are unique and formats separate: one class name, one module name, no format names
elsewhere.

Exceptions are listed in `names.json`, a list that only shrinks: an entry that is not needed any
more fails too. `python -m tests.test_names` removes such entries.
"""

from __future__ import annotations

import ast
import json
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from bench.names import (
    Package,
    code_lines,
    find_package,
    import_edges,
    module_names,
    parse,
    public_classes,
    repeated,
)
from talktree.formats import BUILT_IN
from tests import wordlist

ALLOWED = Path(__file__).with_name("names.json")
MOST_EDGES = 60
"""Import edges per 1,000 code lines; fava has 25."""
FIXED_WORDS = frozenset(
    ("detect", "parse", "lens", "write", "adopt", "migrate", "repair", "extract", "places")
)
"""Modules that every format folder may have."""
OWN_STUDIO = "studio"
"""The name of Talktree's own studio, and coincidentally of a format."""
SESSIONS = ("session", "sage")
"""A session store is a folder in this format, so it may name it."""


def allowed() -> dict[str, dict[str, int]]:
    """Return how often each law may still be broken, by name."""
    found: dict[str, dict[str, int]] = json.loads(ALLOWED.read_text())
    return found


def breaches(package: Package) -> dict[str, dict[str, int]]:
    """Return how often each law is broken now, by name."""
    return {
        "classes": repeated(public_classes(package)),
        "formats": dict(_format_names(package)),
        "modules": {
            f"{part}/{name}": count
            for part, counts in module_names(package).items()
            for name, count in repeated(counts).items()
            if part != "formats" or name not in FIXED_WORDS
        },
    }


def _format_names(package: Package) -> Iterator[tuple[str, int]]:
    """Count how often modules outside of `formats` name a format."""
    folders = {module: slug for slug, module in BUILT_IN.items()}
    for path in package.modules:
        part = path.relative_to(package.root).parts[0]
        if part == "formats":
            continue
        named = Counter(
            name for name in _mentions(parse(path), folders) if (part, name) != SESSIONS
        )
        if named:
            yield str(path.relative_to(package.root)), named.total()


def _mentions(tree: ast.Module, folders: dict[str, str]) -> Iterator[str]:
    for node in ast.walk(tree):
        match node:
            case ast.Constant(value=str() as text) if text in BUILT_IN and text != OWN_STUDIO:
                yield text
            case ast.ImportFrom(module=str() as module):
                base = ".".join(module.split(".")[:3])
                names = [base, *(f"{module}.{alias.name}" for alias in node.names)]
                yield from {folders[name] for name in names if name in folders}


def test_only_the_listed_names_break_the_laws() -> None:
    limits = allowed()
    found = breaches(find_package("talktree"))
    wrong = {
        law: {name: count for name, count in names.items() if count > limits[law].get(name, 0)}
        for law, names in found.items()
    }
    assert wrong == {law: {} for law in found}
    old = {
        law: {name for name, count in names.items() if found[law].get(name, 0) < count}
        for law, names in limits.items()
    }
    assert old == {law: set() for law in limits}, "python -m tests.test_names lowers names.json"


def test_modules_import_few_others() -> None:
    package = find_package("talktree")
    assert 1000 * len(import_edges(package)) / code_lines(package) <= MOST_EDGES


def test_the_words_are_those_of_the_field() -> None:
    limits = wordlist.allowed()
    counts = {path: len(list(wordlist.find_uses(path))) for path in wordlist.read_files()}
    wrong = {path: count for path, count in counts.items() if count > limits.get(path, 0)}
    assert wrong == {}, "python -m tests.wordlist lists them"
    old = {path for path, limit in limits.items() if counts.get(path, 0) < limit}
    assert old == set(), "python -m tests.wordlist --lower"


if __name__ == "__main__":
    now = breaches(find_package("talktree"))
    before = allowed() if ALLOWED.exists() else now
    kept = {
        law: {
            name: min(count, before[law][name])
            for name, count in names.items()
            if name in before[law]
        }
        for law, names in now.items()
    }
    ALLOWED.write_text(json.dumps(kept, indent=1, sort_keys=True) + "\n")
