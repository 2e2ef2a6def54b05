"""Accessibility problems of a page, as axe-core reports them."""

from __future__ import annotations

from functools import cache
from pathlib import Path

from playwright.sync_api import BrowserContext, Page

SOURCE = Path(__file__).parents[2] / "frontend/node_modules/axe-core/axe.min.js"
GRAVE = ("serious", "critical")
RUN = """async ([where, only, grave, rules]) => {
  const options = { resultTypes: ['violations'], rules, ...(only ? { runOnly: only } : {}) }
  const { violations } = await axe.run(where, options)
  const why = (node) => [...node.any, ...node.all, ...node.none].map((check) => check.message)
  const told = (node) => `${node.html.slice(0, 160)} (${why(node).join('; ')})`
  return violations
    .filter((each) => grave === null || grave.includes(each.impact))
    .map((each) => `${each.id}: ${each.nodes.slice(0, 4).map(told).join(' | ')}`)
}"""


@cache
def source() -> str:
    """Return the script; it is not part of the page, only of the tests."""
    return SOURCE.read_text()


def bring(context: BrowserContext) -> None:
    """Load it in every page of a window; the page's policy does not allow adding scripts later."""
    context.add_init_script(source())


def grave_findings(page: Page, where: str, only: list[str] | None = None) -> list[str]:
    """Return serious and critical findings on the visible part; of some rules or all."""
    found: list[str] = page.evaluate(RUN, [where, only, list(GRAVE), {}])
    return found


def all_findings(page: Page, where: str = "body") -> list[str]:
    """Return findings of any severity, including target sizes (WCAG 2.2)."""
    rules = {"target-size": {"enabled": True}}
    found: list[str] = page.evaluate(RUN, [where, None, None, rules])
    return found
