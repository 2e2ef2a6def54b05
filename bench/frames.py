"""`python -m bench.frames [--messages N] [--show]`: how smoothly the studio's page scrolls.

Opens a conversation in Chromium, scrolls it slowly, fast and by leaps, and switches between
branches, while every frame is timed. A frame counts when the browser is ready to draw it, so the
number includes what the page does meanwhile, such as fetching and rendering. Next to it is the time
that the page itself worked for a frame, which other programs on the machine affect less.
"""

from __future__ import annotations

import argparse
import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

from playwright.sync_api import CDPSession, Page, sync_playwright

from bench.long_talk import long_talk

CHROMIUM = shutil.which("chromium") or shutil.which("google-chrome")
QUIET = ("--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-background-networking")
SECONDS = 4
ROW = "article[data-id]"
COUNT = """
([seconds, move]) => new Promise((done) => {
  const box = document.querySelector('.conv-scroll')
  const frames = []
  let last = performance.now()
  const end = last + seconds * 1000
  const frame = (now) => {
    frames.push(now - last)
    last = now
    if (move === 'leap') {
      if (frames.length % 12 === 0) box.scrollTop = Math.random() * box.scrollHeight
    } else if (move) {
      box.scrollTop += move
      if (move < 0 && box.scrollTop === 0) box.scrollTop = box.scrollHeight
    }
    if (now < end) requestAnimationFrame(frame)
    else done(frames.slice(1))
  }
  requestAnimationFrame(frame)
})
"""
FULL = f"[role=feed][aria-busy=false] {ROW}"


PLAIN = (
    "<div class='conv-scroll' style='height: 780px; overflow: auto; background: #fff'>"
    + "<p>Some words that fill about a line of the page, as a list of messages would.</p>" * 3000
    + "</div>"
)
"""The best that the machine can do: a page that only scrolls."""


class Frames(NamedTuple):
    """The frames of a period."""

    what: str
    per_second: float
    slowest: float
    """Milliseconds of the 99th percentile."""
    work: float
    """Milliseconds of CPU time of the page's main thread per frame."""

    def __str__(self) -> str:
        details = f"{self.per_second:6.1f} frames/s, slowest 1 %: {self.slowest:4.0f} ms"
        return f"{self.what:34} {details}, {self.work:4.1f} ms of work each"


def counted(page: Page, what: str, move: object = 0) -> Frames:
    """Return frames per second while the list moves, the slow end, and the work."""
    meter = page.context.new_cdp_session(page)
    meter.send("Performance.enable", {"timeDomain": "threadTicks"})
    before = _worked(meter)
    frames: list[float] = page.evaluate(COUNT, [SECONDS, move])
    work = (_worked(meter) - before) * 1000 / len(frames)
    meter.detach()
    slowest = sorted(frames)[int(len(frames) * 0.99)]
    return Frames(what, len(frames) / (sum(frames) / 1000), slowest, work)


def _worked(meter: CDPSession) -> float:
    metrics = meter.send("Performance.getMetrics")["metrics"]
    return float(next(each["value"] for each in metrics if each["name"] == "TaskDuration"))


@contextmanager
def studio(paths: list[Path]) -> Iterator[str]:
    """Start a studio; yield its address, including its key."""
    with tempfile.TemporaryDirectory() as home:
        command = [sys.executable, "-m", "talktree.cli.main", "studio", *map(str, paths)]
        server = subprocess.Popen(
            [*command, "--no-open", "--port", "0"],
            env={**os.environ, "TALKTREE_HOME": home},
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
        )
        try:
            assert server.stdout is not None
            addresses = (re.search(r"http://\S+", line) for line in server.stdout)
            found = next(filter(None, addresses), None)
            if found is None:
                raise SystemExit("the studio did not start")
            yield found.group(0)
        finally:
            server.terminate()
            server.wait()


def opened(page: Page, messages: int) -> str:
    """Wait until the conversation is imported, open it, and return its cid."""
    ask = "fetch('/api/v1/conversations').then((answer) => answer.json())"
    while True:
        cards: list[Any] = page.evaluate(ask).get("cards", [])
        for card in cards:
            if card["messages"] >= messages:
                page.evaluate("(cid) => { location.hash = `#/c/${cid}` }", card["cid"])
                page.wait_for_selector(FULL, timeout=120_000)
                return str(card["cid"])
        page.wait_for_timeout(200)


def scrolling(page: Page) -> Iterator[Frames]:
    """Scroll slowly up from the end, fast, and to random places."""
    moves: tuple[tuple[str, object], ...] = (
        ("doing nothing", 0),
        ("scrolling up slowly", -12),
        ("scrolling up, a screen in 8 frames", -100),
        ("scrolling up, a screen a frame", -800),
        ("leaping anywhere", "leap"),
    )
    for what, move in moves:
        page.wait_for_timeout(500)
        yield counted(page, what, move)


def switching(page: Page, cid: str) -> Frames | None:
    """Switch between the branches of a fork, four times a second."""
    graph = page.evaluate(f"fetch('/api/v1/c/{cid}/graph').then((answer) => answer.json())")
    forks = [each for each in graph["segments"] if each["kind"] == "fork"]
    if not forks:
        return None
    page.evaluate("(to) => { location.hash = to }", f"#/c/{cid}/m/{forks[-1]['first']}")
    page.wait_for_selector(f"{ROW}[aria-current] .conv-siblings")
    press = """() => { let n = 0; const t = setInterval(() => {
      document.dispatchEvent(new KeyboardEvent('keydown', {key: 'hl'[n++ % 2], bubbles: true}))
      if (n > 40) clearInterval(t) }, 250) }"""
    page.evaluate(press)
    return counted(page, "switching branches")


def measured(address: str, messages: int, *, show: bool) -> Iterator[Frames]:
    """Measure everything, in a browser."""
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=CHROMIUM, args=list(QUIET), headless=not show
        )
        page = browser.new_page(viewport={"width": 1280, "height": 800})
        page.set_content(PLAIN)
        page.evaluate("document.querySelector('.conv-scroll').scrollTop = 1e6")
        yield counted(page, "(a plain page, scrolled slowly)", -12)
        page.goto(address)
        page.wait_for_timeout(1000)
        cid = opened(page, messages)
        yield from scrolling(page)
        switched = switching(page, cid)
        if switched:
            yield switched
        browser.close()


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(prog="python -m bench.frames")
    parser.add_argument("--messages", type=int, default=100_000)
    parser.add_argument("--show", action="store_true", help="with a window")
    chosen = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        path = long_talk(Path(folder) / "talk.jsonl", chosen.messages)
        with studio([path]) as address:
            for frames in measured(address, chosen.messages, show=chosen.show):
                print(frames, flush=True)


if __name__ == "__main__":
    main()
