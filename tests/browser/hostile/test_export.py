"""The shared page, opened from disk: every text in every place, and nothing acts, even unguarded.

The page forbids itself to load or run anything. That is taken out here, so that nothing but the
renderer stands between the texts and the browser.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path

import pytest
from playwright.sync_api import Browser

from talktree import api
from talktree.export.choice import Choice
from talktree.export.export import exported
from tests.browser.hostile.canary import Canary
from tests.browser.hostile.talks import marker, same, write_talk
from tests.browser.hostile.walk import LOOK
from tests.views.html.vectors import VECTORS

POLICY = re.compile(rb'<meta http-equiv="Content-Security-Policy"[^>]*>')
TOGETHER = 60
SHARES = [VECTORS[::70]]
WHOLE = [VECTORS[start : start + TOGETHER] for start in range(0, len(VECTORS), TOGETHER)]
LOOKED = """async () => {
  for (const each of document.querySelectorAll('details')) each.open = true
  await hostile.frame()
  return hostile.look(document.querySelector('main'))
}"""


def _page(texts: Sequence[str], folder: Path, number: int) -> Path:
    said = [marker, *map(same, texts)]
    talk = write_talk(folder / f"talk{number}.jsonl", said, texts[0])
    made = b"".join(*exported(api.read(talk), Choice(to="html")).files.values())
    bare, found = POLICY.subn(b"", made)
    assert found == 1
    path = folder / f"page{number}.html"
    path.write_bytes(bare)
    return path


@pytest.mark.parametrize(
    "shares",
    [pytest.param(SHARES, id="share"), pytest.param(WHOLE, id="whole", marks=pytest.mark.torture)],
)
def test_from_disk(browser: Browser, tmp_path: Path, shares: Sequence[Sequence[str]]) -> None:
    for number, texts in enumerate(shares):
        path = _page(texts, tmp_path, number)
        for script in (True, False):
            context = browser.new_context(java_script_enabled=script)
            canary = Canary(context, tmp_path.as_uri())
            page = context.new_page()
            page.goto(path.as_uri())
            if script:
                page.evaluate(LOOK)
                said = page.evaluate(LOOKED)
                assert said["faults"] == []
                assert marker("text") in said["marks"]
            canary.assert_silent()
            context.close()
        path.unlink()
