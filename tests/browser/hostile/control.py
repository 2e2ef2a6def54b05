"""The same texts on a page without protection."""

# ruff: noqa: E501  (texts that cannot be broken)
from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

import comrak
from playwright.sync_api import Browser

from tests.browser.hostile.canary import Canary
from tests.browser.hostile.texts import Numbered, encodable

TOGETHER = 50
RAN = re.compile(r"^n(\d+)\||alert\((\d+)\)")
ASKED = re.compile(r"//n(\d+)\.evil\.")
SHOW = """async (pages) => {
  const frames = pages.map(([name, html]) => {
    const frame = document.createElement('iframe')
    frame.name = name
    frame.srcdoc = html
    document.body.append(frame)
    return frame
  })
  await Promise.all(frames.map((frame) => new Promise((done) => { frame.onload = done; setTimeout(done, 8000) })))
  for (const frame of frames) {
    try {
      for (const each of frame.contentDocument.querySelectorAll('*')) {
        for (const { name } of each.attributes) if (name.startsWith('on')) each.dispatchEvent(new Event(name.slice(2)))
        if (/^javascript:/i.test(each.href?.animVal ?? each.protocol ?? '')) each.dispatchEvent(new MouseEvent('click', { bubbles: true, cancelable: true }))
        if (each.formAction !== undefined && each.hasAttribute('formaction')) each.click()
      }
    } catch { /* it went elsewhere */ }
  }
  await new Promise((done) => setTimeout(done, 400))
  for (const frame of frames) frame.remove()
}"""


def careless(text: str) -> set[str]:
    """Return a page that shows a text without protection: raw, as Markdown, as an address."""
    address = f'<a href="{text}">x</a><iframe src="{text}"></iframe>'
    return {text, _unguarded(text), text if "<" in text else address}


def _unguarded(text: str) -> str:
    """Render Markdown with a parser that allows HTML and all links."""
    render = comrak.RenderOptions()
    render.unsafe_ = True
    return comrak.render_markdown(text, None, None, render)


class Fired(NamedTuple):
    """Numbers of the texts that did something without protection."""

    ran: set[int]
    asked: set[int]


def fired(browser: Browser, texts: Numbered) -> Fired:
    """Return which texts run something, and which request something elsewhere."""
    context = browser.new_context()
    canary = Canary(context, "about:blank")
    asked: set[int] = set()
    context.on("request", lambda request: asked.update(_numbers(request.url, ASKED)))
    # Nothing leaves this machine even here.
    context.set_offline(True)
    page = context.new_page()
    canary.watch(page)
    numbered = [(number, encodable(text)) for number, text in texts.items()]
    for start in range(0, len(numbered), TOGETHER):
        page.goto("about:blank")
        together = numbered[start : start + TOGETHER]
        pages = [(f"n{number}", html) for number, text in together for html in careless(text)]
        page.evaluate(SHOW, pages)
    context.close()
    ran = {number for each in canary.ran for number in _numbers(each, RAN)}
    return Fired(ran, asked)


def _numbers(reported: str, pattern: re.Pattern[str]) -> Iterator[int]:
    for found in pattern.finditer(reported):
        yield from (int(each) for each in found.groups() if each)
