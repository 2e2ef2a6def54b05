"""The same texts where nobody takes care."""

# ruff: noqa: E501  (texts that cannot be broken)
from __future__ import annotations

from collections.abc import Sequence

import comrak
from playwright.sync_api import Browser

from tests.browser.hostile.canary import Canary

TOGETHER = 30
NOWHERE = "http://nowhere.example"
SHOW = """async (pages) => {
  const frames = pages.map(([name, html]) => {
    const frame = document.createElement('iframe')
    frame.name = name
    frame.srcdoc = html
    document.body.append(frame)
    return frame
  })
  await Promise.all(frames.map((frame) => new Promise((done) => { frame.onload = done; setTimeout(done, 3000) })))
  for (const frame of frames) {
    try {
      for (const each of frame.contentDocument.querySelectorAll('*')) {
        for (const { name } of each.attributes) if (name.startsWith('on')) each.dispatchEvent(new Event(name.slice(2)))
        if (each.protocol === 'javascript:') each.click()
      }
    } catch { /* it went elsewhere */ }
  }
  await new Promise((done) => setTimeout(done, 600))
  for (const frame of frames) frame.remove()
}"""


def careless(text: str) -> tuple[str, ...]:
    """A text as a page without care would show it: as it is, as Markdown, as an address."""
    return text, _unguarded(text), f'<a href="{text}">x</a>'


def _unguarded(text: str) -> str:
    """Markdown by a parser that lets HTML and all links pass."""
    render = comrak.RenderOptions()
    render.unsafe_ = True
    sound = text.encode("utf-8", "replace").decode()
    return comrak.render_markdown(sound, None, None, render)


def fired(browser: Browser, texts: Sequence[str]) -> tuple[set[int], int]:
    """Which texts run something where nothing stops them; and how much was asked of elsewhere."""
    context = browser.new_context()
    canary = Canary(context, NOWHERE)
    # Nothing leaves this machine even here.
    context.route(
        "**/*", lambda route: route.fulfill(body="<body></body>", content_type="text/html")
    )
    page = context.new_page()
    numbered = list(enumerate(texts))
    for start in range(0, len(numbered), TOGETHER):
        together = numbered[start : start + TOGETHER]
        page.goto(f"{NOWHERE}/")
        pages = [(f"n{number}", html) for number, text in together for html in careless(text)]
        page.evaluate(SHOW, pages)
    context.close()
    ran = {int(name[1:]) for each in canary.ran if (name := each.split("|")[0]).startswith("n")}
    return ran, len(canary.asked)
