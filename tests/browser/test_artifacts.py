"""Artifacts: their source is shown first; they run only on request, isolated."""

from __future__ import annotations

from pathlib import Path

from playwright.sync_api import FrameLocator, Locator, expect

from talktree import api
from talktree.export.choice import ExportOptions
from talktree.export.export import export_document
from talktree.model.edit import append
from talktree.model.message import Message
from talktree.model.parts import Artifact
from tests.browser.conftest import Open
from tests.browser.screen import Screen
from tests.export.talks import document, said
from tests.web.running import running
from tests.web.working import cid_of

REACT = """import { useState } from 'react'
export default function Lamp() {
  const [on, turn] = useState(false)
  return <button onClick={() => turn(!on)}>{on ? 'The lamp is lit' : 'Light it'}</button>
}"""
BROKEN = "export default function Lamp() { throw new Error('the wick is wet') }"
PAGE = "<!doctype html><h1>Tide</h1><p id=p>ebb</p><script>p.textContent = 'flood'</script>"
SVG = (
    "<svg xmlns='http://www.w3.org/2000/svg' width='40' height='40'>"
    "<circle r='20' cx='20' cy='20' fill='red'/><script>parent.fired = true</script></svg>"
)
ARTIFACTS = {
    "react": ("Lamp", "application/vnd.ant.react", REACT),
    "broken": ("Wick", "application/vnd.ant.react", BROKEN),
    "html": ("Tide", "text/html", PAGE),
    "svg": ("Sun", "image/svg+xml", SVG),
    "mermaid": ("Way", "application/vnd.ant.mermaid", "graph TD\n  Quay-->Tower"),
    "code": ("Count", "application/vnd.ant.code", "def count(steps):\n    return len(steps)"),
    "markdown": ("Notes", "text/markdown", "# Pears\n\nWater **them**. <script>x</script>"),
}
"""Title, type and source of each."""


def talk(folder: Path) -> Path:
    """Start a studio with one message for each artifact."""
    (made,) = export_document(
        document(said("user", "u1", None, "hello")), ExportOptions(to="native")
    ).files.values()
    start = folder / "start.jsonl"
    start.write_bytes(b"".join(made))
    read = api.read(start)
    conversation, parent = read.conversation, read.conversation.skeleton.ids[1]
    for id, (title, media_type, content) in ARTIFACTS.items():
        parts = (Artifact(media_type=media_type, title=title, content=content),)
        message = Message(id=f"a-{id}", parent=parent, role="assistant", parts=parts)
        conversation = append(conversation, message)
        parent = message.id
    path = folder / "talk.jsonl"
    api.write(read.with_conversation(conversation), path)
    start.unlink()
    return path


def artifact(screen: Screen, cid: str, id: str) -> Locator:
    """Return an artifact in its message."""
    screen.open(cid, f"a-{id}")
    expect(screen.message(f"a-{id}")).to_have_attribute("aria-current", "true")
    return screen.message(f"a-{id}").get_by_role("region", name=ARTIFACTS[id][0], exact=True)


def run(shown: Locator) -> FrameLocator:
    """Run it and return the content of its frame."""
    expect(shown.locator("iframe")).to_have_count(0)
    shown.get_by_role("button", name="Run").click()
    frame = shown.locator("iframe")
    expect(frame).to_have_attribute("sandbox", "allow-scripts")
    return shown.frame_locator("iframe")


def test_each_kind_is_shown_and_runs_only_when_asked(tmp_path: Path, open_window: Open) -> None:
    path = talk(tmp_path)
    with running([path]) as studio:
        screen = open_window(studio)
        asked: list[str] = []
        screen.page.on("request", lambda request: asked.append(request.url))
        cid = cid_of(studio, path)
        for id in ARTIFACTS:
            expect(artifact(screen, cid, id)).to_be_visible()
        assert not [each for each in asked if "/artifact/" in each]
        lamp = artifact(screen, cid, "react")
        expect(lamp).to_contain_text("useState")
        inside = run(lamp)
        inside.get_by_role("button", name="Light it").click()
        expect(inside.get_by_role("button", name="The lamp is lit")).to_be_visible()
        lamp.get_by_role("button", name="Stop").click()
        expect(lamp.locator("iframe")).to_have_count(0)
        expect(lamp).to_contain_text("useState")
        expect(run(artifact(screen, cid, "html")).get_by_text("flood")).to_be_visible()
        expect(run(artifact(screen, cid, "mermaid")).get_by_text("Tower")).to_be_visible()
        sun = artifact(screen, cid, "svg")
        expect(sun.get_by_role("button", name="Run")).to_have_count(0)
        sun.get_by_role("button", name="Picture").click()
        picture = sun.get_by_role("img", name="Sun")
        expect(picture).to_have_js_property("naturalWidth", 40)
        assert screen.page.evaluate("window.fired") is None
        for id, words in (("code", "def count"), ("markdown", "Pears")):
            still = artifact(screen, cid, id)
            expect(still).to_contain_text(words)
            expect(still.get_by_role("button", name="Run")).to_have_count(0)
        screen.assert_quiet()


def test_an_artifact_that_fails_says_so_beside_its_frame(tmp_path: Path, open_window: Open) -> None:
    path = talk(tmp_path)
    with running([path]) as studio:
        screen = open_window(studio)
        wick = artifact(screen, cid_of(studio, path), "broken")
        run(wick)
        expect(wick.get_by_role("status")).to_contain_text("the wick is wet")
        wick.get_by_role("button", name="Stop").click()
        expect(wick.get_by_role("status")).to_have_count(0)
        assert screen.seen.elsewhere == []
