"""The architecture: imports point downward, files and functions stay small."""

from __future__ import annotations

import ast
import sys
from collections.abc import Iterator
from functools import cache
from pathlib import Path

PACKAGE = Path(__file__).parent.parent / "src" / "talktree"
LAYERS = [
    {"errors", "home"},
    {"plugins"},
    {"settings"},
    {"files", "text", "parallel"},
    {"model"},
    {"formats"},
    {"conversion", "checks", "session"},
    {"library"},
    {"repairs", "views"},
    {"export"},
    {"api"},
    {"authoring"},
    {"testing"},
    {"web"},
    {"cli"},
]
MODULES = sorted(PACKAGE.rglob("*.py"))
LONGEST_FILE = 650
LONGEST_FUNCTION = 60


@cache
def parsed(path: Path) -> ast.Module:
    """Return the syntax tree of a file."""
    return ast.parse(path.read_text())


def layer_of(name: str) -> int:
    return next(level for level, names in enumerate(LAYERS) if name in names)


def own_part(path: Path) -> str:
    """Return the top-level part of the package that a file belongs to."""
    return path.relative_to(PACKAGE).parts[0].removesuffix(".py")


def imports(path: Path) -> Iterator[str]:
    """Yield a module's imports from the package, as dotted names below it."""
    for node in ast.walk(parsed(path)):
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("talktree"):
            module = (node.module or "").removeprefix("talktree").lstrip(".")
            names = [alias.name for alias in node.names if not alias.name.startswith("__")]
            yield from [module] if module else names
        elif isinstance(node, ast.Import):
            yield from (
                alias.name.removeprefix("talktree.")
                for alias in node.names
                if alias.name.startswith("talktree.")
            )


def files() -> list[Path]:
    return [path for path in MODULES if path != PACKAGE / "__init__.py"]


def test_imports_point_downward() -> None:
    wrong = [
        f"{path.relative_to(PACKAGE)} imports {name}"
        for path in files()
        for name in imports(path)
        if not is_below(name.split(".")[0], own_part(path))
    ]
    assert wrong == []


def is_below(there: str, here: str) -> bool:
    """Whether a part of the package may be imported in another."""
    return there == here or layer_of(there) < layer_of(here) or {there, here} == {"text", "files"}


def test_the_studio_is_loaded_only_when_it_is_started() -> None:
    for path in [path for path in MODULES if own_part(path) != "web"]:
        named = [each for node in parsed(path).body for each in _loaded(node)]
        assert not [name for name in named if name.startswith("talktree.web")], path


def _loaded(node: ast.AST) -> list[str]:
    """Return what a statement imports."""
    match node:
        case ast.ImportFrom():
            return [node.module or ""]
        case ast.Import():
            return [alias.name for alias in node.names]
        case _:
            return []


def test_text_and_files_know_nothing_of_each_other() -> None:
    for path in [*(PACKAGE / "text").glob("*.py"), *(PACKAGE / "files").glob("*.py")]:
        other = "files" if own_part(path) == "text" else "text"
        assert not any(name.startswith(other) for name in imports(path)), path


SHARED_BY_ENCODINGS = {("studio_text", "studio"), ("studio_xml", "studio")}


def test_formats_do_not_know_each_other() -> None:
    folders = {
        path.name for path in (PACKAGE / "formats").iterdir() if (path / "__init__.py").exists()
    }
    folders -= {"engine"}
    for path in (PACKAGE / "formats").rglob("*.py"):
        here = path.relative_to(PACKAGE / "formats").parts[0]
        for name in imports(path):
            there = name.split(".")[1] if name.startswith("formats.") else ""
            if there in folders and there != here:
                assert (here, there) in SHARED_BY_ENCODINGS, f"{path} imports {name}"


def test_files_and_functions_are_small_and_explained() -> None:
    assert [
        f"{path.relative_to(PACKAGE)}: {what}" for path in MODULES for what in faults(path)
    ] == []


def faults(path: Path) -> Iterator[str]:
    """Yield what is too long in a file, or has no docstring."""
    tree = parsed(path)
    if (lines := len(path.read_text().splitlines())) > LONGEST_FILE:
        yield f"{lines} lines"
    if not ast.get_docstring(tree):
        yield "no word on what the module is for"
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            if (length := (node.end_lineno or 0) - node.lineno + 1) > LONGEST_FUNCTION:
                yield f"{node.name} has {length} lines"
            if not _explained(node, tree):
                yield f"{node.name} is not explained"


def _explained(function: ast.FunctionDef | ast.AsyncFunctionDef, tree: ast.Module) -> bool:
    """Whether a function has a docstring or needs none."""
    # The name of a test says which law it states.
    private = function.name.startswith(("_", "test_"))
    if private or isinstance(function, ast.AsyncFunctionDef):
        return True
    return bool(ast.get_docstring(function)) or _overrides(function, tree)


def _overrides(function: ast.FunctionDef, tree: ast.Module) -> bool:
    """Return methods that override others; they are documented where they are declared."""
    return any(
        function in node.body and node.bases
        for node in ast.walk(tree)
        if isinstance(node, ast.ClassDef)
    )


def test_no_module_is_a_drawer_for_odds_and_ends() -> None:
    names = {path.stem for path in MODULES}
    assert not names & {"utils", "util", "helpers", "common", "misc"}


def test_only_the_edges_print() -> None:
    for path in MODULES:
        if own_part(path) in {"cli"}:
            continue
        calls = [node for node in ast.walk(parsed(path)) if isinstance(node, ast.Call)]
        names = [call.func.id for call in calls if isinstance(call.func, ast.Name)]
        assert "print" not in names, path


def test_the_oracle_shares_nothing_with_what_it_judges() -> None:
    folder = Path(__file__).parent / "oracle"
    for path in folder.glob("*.py"):
        named = [each for node in ast.walk(ast.parse(path.read_text())) for each in _loaded(node)]
        for name in named:
            allowed = name.split(".")[0] in sys.stdlib_module_names or name.startswith(
                "tests.oracle"
            )
            assert allowed or (name == "pytest" and path.name.startswith("test_")), (
                f"{path}: {name}"
            )
        if not path.name.startswith(("test_", "relation")):
            assert len(path.read_text().splitlines()) <= LONGEST_FUNCTION, path
