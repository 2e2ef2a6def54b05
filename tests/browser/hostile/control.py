"""The same texts where nobody takes care: as the HTML they are, and as Markdown that lets it pass."""

from __future__ import annotations

from collections.abc import Sequence

import comrak
from playwright.sync_api import Browser

from tests.browser.hostile.canary import Canary

TOGETHER = 60
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
  const pokes = ['click', 'mouseover', 'pointerenter', 'focus', 'wheel', 'animationstart', 'toggle', 'transitionend', 'scrollend', 'begin']
  for (const frame of frames) {
    try {
      for (const each of frame.contentDocument.querySelectorAll('*')) {
        for (const name of pokes) each.dispatchEvent(new MouseEvent(name, { cancelable: true }))
        if (each.protocol === 'javascript:') each.click()
      }
    } catch { /* it went elsewhere */ }
  }
  await new Promise((done) => setTimeout(done, 300))
  for (const frame of frames) frame.remove()
}"""


def unguarded(text: str) -> str:
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
    context.route("**/*", lambda route: route.fulfill(body="<body></body>", content_type="text/html"))
    page = context.new_page()
    numbered = list(enumerate(texts))
    for start in range(0, len(numbered), TOGETHER):
        together = numbered[start : start + TOGETHER]
        page.goto(f"{NOWHERE}/")
        pages = [(f"n{number}", html) for number, text in together for html in (text, unguarded(text))]
        page.evaluate(SHOW, pages)
    context.close()
    ran = {int(name[1:]) for each in canary.ran if (name := each.split("|")[0]).startswith("n")}
    return ran, len(canary.asked)
