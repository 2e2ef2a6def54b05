"""`python -m bench.names [PACKAGE…]`: how distinct the names of a package are, in numbers.

Without arguments: Talktree, and for comparison starlette and httpx, which are installed for the
tests. The guards in `tests/test_names.py` use the same functions.
"""

from __future__ import annotations

import argparse
import ast
import importlib.util
from collections import Counter
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import NamedTuple

BESIDE = ("talktree", "starlette", "httpx")


class Package(NamedTuple):
    """The source files of a package on the disk."""

    name: str
    root: Path

    @property
    def modules(self) -> list[Path]:
        """Every module of the package."""
        return sorted(self.root.rglob("*.py"))

    def dotted(self, path: Path) -> str:
        """Return the dotted name of a module."""
        parts = [self.name, *path.relative_to(self.root).with_suffix("").parts]
        return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def find_package(name: str) -> Package:
    """Find an installed package."""
    spec = importlib.util.find_spec(name)
    if spec is None or not spec.submodule_search_locations:
        raise SystemExit(f"{name}: not an installed package")
    return Package(name, Path(next(iter(spec.submodule_search_locations))))


@cache
def parse(path: Path) -> ast.Module:
    """Return the syntax tree of a module."""
    return ast.parse(path.read_text("utf-8"))


def public_classes(package: Package) -> Counter[str]:
    """Count the top-level classes of modules by public name."""
    return Counter(
        node.name
        for path in package.modules
        for node in parse(path).body
        if isinstance(node, ast.ClassDef) and not node.name.startswith("_")
    )


def module_names(package: Package) -> dict[str, Counter[str]]:
    """Count the modules by file name, for each top-level part of the package."""
    found: dict[str, Counter[str]] = {}
    for path in package.modules:
        parts = path.relative_to(package.root).parts
        if path.stem != "__init__" and len(parts) > 1:
            found.setdefault(parts[0], Counter())[path.stem] += 1
    return found


def import_edges(package: Package) -> set[tuple[str, str]]:
    """Return which module of the package imports which other one."""
    modules = {package.dotted(path) for path in package.modules}
    return {
        (package.dotted(path), target)
        for path in package.modules
        for target in _targets(package, path, modules)
        if target != package.dotted(path)
    }


def _targets(package: Package, path: Path, modules: set[str]) -> Iterator[str]:
    here = package.dotted(path.parent / "__init__.py")
    for node in ast.walk(parse(path)):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names if alias.name in modules)
        elif isinstance(node, ast.ImportFrom):
            base = _base(node, here)
            for alias in node.names:
                inner = f"{base}.{alias.name}"
                if inner in modules:
                    yield inner
                elif base in modules:
                    yield base


def _base(node: ast.ImportFrom, here: str) -> str:
    if not node.level:
        return node.module or ""
    parts = here.split(".")
    above = ".".join(parts[: len(parts) - node.level + 1])
    return f"{above}.{node.module}" if node.module else above


def code_lines(package: Package) -> int:
    """Return how many lines have code: neither blank, nor only a comment, nor a docstring."""
    return sum(_code_lines(path) for path in package.modules)


def _code_lines(path: Path) -> int:
    lines = path.read_text("utf-8").splitlines()
    kept = {
        number
        for number, line in enumerate(lines, 1)
        if line.strip() and not line.lstrip().startswith("#")
    }
    for node in ast.walk(parse(path)):
        match node:
            case ast.Expr(value=ast.Constant(value=str())):
                kept -= set(range(node.lineno, (node.end_lineno or node.lineno) + 1))
    return len(kept)


def repeated(counts: Counter[str]) -> dict[str, int]:
    """Return the names that are used more than once."""
    return {name: count for name, count in counts.items() if count > 1}


def _measures(package: Package) -> dict[str, str]:
    classes = public_classes(package)
    modules = Counter(path.stem for path in package.modules if path.stem != "__init__")
    lines, edges = code_lines(package), len(import_edges(package))
    return {
        "modules": f"{modules.total():,}",
        "code lines": f"{lines:,}",
        "module names used more than once": _share(modules),
        "public classes": f"{classes.total():,}",
        "class names used more than once": _share(classes),
        "import edges per 1,000 code lines": f"{1000 * edges / lines:.0f}",
    }


def _share(counts: Counter[str]) -> str:
    several = sum(repeated(counts).values())
    return f"{100 * several / max(1, counts.total()):.0f} %"


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(prog="python -m bench.names")
    parser.add_argument("packages", nargs="*", metavar="PACKAGE", default=BESIDE)
    names = parser.parse_args().packages
    columns = [_measures(find_package(name)) for name in names]
    print("| | " + " | ".join(names) + " |")
    print("|---|" + "--:|" * len(names))
    for row in columns[0]:
        print(f"| {row} | " + " | ".join(column[row] for column in columns) + " |")


if __name__ == "__main__":
    main()
