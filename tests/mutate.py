"""Mutants of changed files: small mistakes that the related tests should notice.

`make mutate` makes 40 of them in the files that changed since BASE, each in a copy of the checkout,
and runs the tests that are related to the file. It lists the mutants that no test noticed and fails
if fewer than 85 % are noticed in a part of the package.
"""

from __future__ import annotations

import argparse
import ast
import os
import random
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from queue import SimpleQueue
from typing import NamedTuple

ROOT = Path(__file__).parents[1]
SOURCES = Path("src", "talktree")
COPIED = ("src", "tests", "examples", "bench", "docs", "pyproject.toml", "README.md")
GOAL = 0.85
LONGEST_RUN = 300
"""Seconds after which tests are stopped; a mutant that never ends counts as noticed."""
COMPARISONS: dict[type[ast.cmpop], str] = {
    ast.Lt: "<=", ast.LtE: "<", ast.Gt: ">=", ast.GtE: ">", ast.Eq: "!=", ast.NotEq: "==",
    ast.In: "not in", ast.NotIn: "in", ast.Is: "is not", ast.IsNot: "is",
}  # fmt: skip
OPERATORS: dict[type[ast.operator], str] = {ast.Add: "-", ast.Sub: "+", ast.Mult: "//"}


class Mutant(NamedTuple):
    """A change of some characters of a file."""

    path: Path
    """Relative to the checkout."""
    line: int
    start: int
    stop: int
    before: str
    after: str

    def describe(self) -> str:
        """Return its place and its change on one line."""
        before, after = (" ".join(text.split())[:60] for text in (self.before, self.after))
        return f"{self.path}:{self.line}: {before} -> {after}"

    def apply(self, text: str) -> str:
        """Return the text of the file with the change."""
        return text[: self.start] + self.after + text[self.stop :]

    @property
    def area(self) -> str:
        """The part of the package that it is in."""
        return self.path.relative_to(SOURCES).parts[0].removesuffix(".py")


def mutants_of(path: Path, text: str) -> Iterator[Mutant]:
    """Yield all mutants of a file."""
    starts = [0]
    for line in text.splitlines(keepends=True):
        starts.append(starts[-1] + len(line))
    lines = text.splitlines(keepends=True)

    def place(line: int, column: int) -> int:
        """Return an offset in the text; columns are counted in bytes of UTF-8."""
        return starts[line - 1] + len(lines[line - 1].encode()[:column].decode())

    for node, after in _changes(ast.parse(text), text):
        assert node.end_lineno is not None
        assert node.end_col_offset is not None
        start = place(node.lineno, node.col_offset)
        stop = place(node.end_lineno, node.end_col_offset)
        yield Mutant(path, node.lineno, start, stop, text[start:stop], after)


def _changes(tree: ast.Module, text: str) -> Iterator[tuple[ast.expr | ast.stmt, str]]:
    """Yield nodes of a module, and their replacements."""
    for node in _code(tree):
        match node:
            case ast.Compare(left=left, ops=[op], comparators=[right]) if type(op) in COMPARISONS:
                yield node, f"{_part(text, left)} {COMPARISONS[type(op)]} {_part(text, right)}"
            case ast.BoolOp(op=op, values=[left, right]):
                word = "or" if isinstance(op, ast.And) else "and"
                yield node, f"({_part(text, left)} {word} {_part(text, right)})"
            case ast.UnaryOp(op=ast.Not(), operand=operand):
                yield node, f"({_part(text, operand)})"
            case ast.BinOp(left=left, op=op, right=right) if type(op) in OPERATORS:
                yield node, f"({_part(text, left)} {OPERATORS[type(op)]} {_part(text, right)})"
            case ast.Constant(value=bool() as value):
                yield node, str(not value)
            case ast.Constant(value=int() as number):
                yield node, str(number + 1)
            case ast.Return(value=ast.expr() as value) if not _is_none(value):
                yield node, "return None"
            case ast.Expr(value=ast.Call()):
                yield node, "pass"


def _code(tree: ast.AST) -> Iterator[ast.AST]:
    """Yield the nodes that run: no annotations, and nothing that is only for the type checker."""
    pending: list[ast.AST] = [tree]
    while pending:
        node = pending.pop()
        yield node
        match node:
            case ast.If(test=ast.Name(id="TYPE_CHECKING")) | ast.Assert():
                continue
            case ast.AnnAssign(value=value):
                pending += [value] if value else []
            case ast.FunctionDef() | ast.AsyncFunctionDef():
                pending += [*node.body, *node.args.defaults, *filter(None, node.args.kw_defaults)]
            case _:
                pending += ast.iter_child_nodes(node)


def _part(text: str, node: ast.expr) -> str:
    return f"({ast.get_source_segment(text, node)})"


def _is_none(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and node.value is None


def related_tests(path: Path) -> list[list[str]]:
    """Return the tests for a file: those that name its module first, then those of its part."""
    module = ".".join(path.with_suffix("").parts[1:]).removesuffix(".__init__")
    near = [
        str(test.relative_to(ROOT))
        for test in sorted((ROOT / "tests").rglob("test_*.py"))
        if f"{module} import" in test.read_text() and "browser" not in test.parts
    ]
    parts = path.relative_to(SOURCES).parts[:-1]
    folders = [Path("tests", *parts[:depth]) for depth in range(len(parts), 0, -1)]
    found = next((folder for folder in folders if (ROOT / folder).is_dir()), Path("tests", "cli"))
    return [*([near] if near else []), [str(found)]]


class Checkout:
    """A copy of the checkout in which files are changed and tests are run."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._sound: dict[tuple[str, ...], bool] = {}
        ignored = shutil.ignore_patterns("__pycache__", "node_modules", "static")
        for name in COPIED:
            path = ROOT / name
            if path.is_dir():
                shutil.copytree(path, folder / name, ignore=ignored, symlinks=True)
            else:
                shutil.copy2(path, folder / name)
        static = ROOT / SOURCES / "web" / "static"
        if static.is_dir():
            (folder / SOURCES / "web" / "static").symlink_to(static)

    def notices(self, mutant: Mutant) -> bool:
        """Whether a related test fails with the mutant and passes without it."""
        path = self._folder / mutant.path
        text = path.read_text()
        groups = [tests for tests in related_tests(mutant.path) if self._passes_unchanged(tests)]
        path.write_text(mutant.apply(text))
        try:
            return any(not self.passes(tests) for tests in groups)
        finally:
            path.write_text(text)

    def _passes_unchanged(self, tests: Sequence[str]) -> bool:
        """Whether some tests pass in the unchanged copy; failing ones prove nothing."""
        found = self._sound.get(key := tuple(tests))
        if found is None:
            found = self._sound[key] = self.passes(tests)
            if not found:
                print(f"left out, because they fail without a mutant: {' '.join(tests)}")
        return found

    def passes(self, tests: Sequence[str]) -> bool:
        """Whether some tests pass in the copy."""
        command = [sys.executable, "-m", "pytest", "-x", "-q", "-p", "no:cacheprovider"]
        environment = {
            **os.environ,
            "PYTHONPATH": str(self._folder / "src"),
            "PYTHONDONTWRITEBYTECODE": "1",
            "HYPOTHESIS_PROFILE": "quick",
        }
        try:
            done = subprocess.run(
                [*command, "-m", "not slow", *tests], cwd=self._folder, env=environment,
                capture_output=True, timeout=LONGEST_RUN,
            )  # fmt: skip
        except subprocess.TimeoutExpired:
            return False
        # No test of a folder may be left when the slow ones are not run.
        return done.returncode in (0, 5)


def changed_files(base: str) -> list[Path]:
    """Return the modules of the package that changed since a commit."""
    command = ["git", "diff", "--name-only", "--diff-filter=d", base, "--", str(SOURCES)]
    listed = subprocess.run(command, cwd=ROOT, check=True, capture_output=True, text=True)
    return [Path(name) for name in listed.stdout.splitlines() if name.endswith(".py")]


def chosen_mutants(paths: Sequence[Path], count: int, seed: int) -> list[Mutant]:
    """Return some mutants of some files, at random."""
    found = [mutant for path in paths for mutant in mutants_of(path, (ROOT / path).read_text())]
    return random.Random(seed).sample(found, min(count, len(found)))


def run(mutants: Sequence[Mutant], jobs: int) -> list[tuple[Mutant, bool]]:
    """Yield each mutant, and whether it was noticed."""
    with tempfile.TemporaryDirectory(prefix="talktree-mutants-") as folder:
        free: SimpleQueue[Checkout] = SimpleQueue()
        for number in range(jobs):
            (path := Path(folder, str(number))).mkdir()
            free.put(Checkout(path))

        def judge(mutant: Mutant) -> bool:
            """Run the tests in a copy that no other mutant uses."""
            checkout = free.get()
            try:
                return checkout.notices(mutant)
            finally:
                free.put(checkout)

        with ThreadPoolExecutor(jobs) as pool:
            return list(zip(mutants, pool.map(judge, mutants), strict=True))


def report(results: Sequence[tuple[Mutant, bool]]) -> bool:
    """Print which mutants were not noticed and the rates; return whether each part has enough."""
    for mutant, noticed in results:
        if not noticed:
            print(f"not noticed: {mutant.describe()}")
    enough = True
    for area in sorted({mutant.area for mutant, _ in results}):
        judged = [noticed for mutant, noticed in results if mutant.area == area]
        share = sum(judged) / len(judged)
        enough = enough and share >= GOAL
        print(f"{area:12} {sum(judged)} of {len(judged)} mutants noticed ({share:.0%})")
    return enough


def main() -> int:
    """Make mutants and run their tests; exit code 1 if too few are noticed."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("files", nargs="*", type=Path, help="instead of the changed files")
    parser.add_argument("--base", default="HEAD~1", help="the commit since which files changed")
    parser.add_argument("--count", type=int, default=40)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1)
    given = parser.parse_args()
    paths = [path.resolve().relative_to(ROOT) for path in given.files] or changed_files(given.base)
    mutants = chosen_mutants(paths, given.count, given.seed)
    if not mutants:
        print(f"no module of the package changed since {given.base}")
        return 0
    print(f"{len(mutants)} mutants in {len(paths)} files, seed {given.seed}", flush=True)
    return 0 if report(run(mutants, given.jobs)) else 1


if __name__ == "__main__":
    sys.exit(main())
