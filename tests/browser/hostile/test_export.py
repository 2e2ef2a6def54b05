"""The shared page, opened from disk: no text acts in any place, even without the policy.

The page forbids itself to load or run anything. That policy is removed here, so that only the
renderer protects the browser from the texts.
"""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from playwright.sync_api import Browser

from talktree import api
from talktree.export.choice import ExportOptions
from talktree.export.export import export_document
from tests.browser.hostile.canary import Canary
from tests.browser.hostile.conftest import RecordPlace
from tests.browser.hostile.talks import marker, same, write_talk
from tests.browser.hostile.texts import Numbered, amounts
from tests.browser.hostile.walk import LOOK

POLICY = re.compile(rb'<meta http-equiv="Content-Security-Policy"[^>]*>')
FEW = 100
LOOKED = """async () => {
  for (const each of document.querySelectorAll('details')) each.open = true
  await hostile.frame()
  return hostile.look(document.querySelector('main'))
}"""


def _page(texts: Numbered, folder: Path) -> Path:
    said = [marker, *map(same, texts.values())]
    talk = write_talk(folder / "talk.jsonl", said, next(iter(texts.values())))
    made = b"".join(*export_document(api.read(talk), ExportOptions(to="html")).files.values())
    bare, found = POLICY.subn(b"", made)
    assert found == 1
    path = folder / "page.html"
    path.write_bytes(bare)
    return path


@pytest.mark.parametrize("texts", amounts(60, 7, 220))
def test_from_disk(
    browser: Browser, tmp_path: Path, texts: Numbered, record_place: RecordPlace
) -> None:
    path = _page(texts, tmp_path)
    for script in (True, False) if len(texts) < FEW else (True,):
        context = browser.new_context(java_script_enabled=script)
        canary = Canary(context, tmp_path.as_uri())
        page = context.new_page()
        canary.watch(page)
        page.set_default_timeout(120_000)
        page.goto(path.as_uri())
        if script:
            page.evaluate(LOOK)
            said = page.evaluate(LOOKED)
            assert said["faults"] == []
            assert marker("text") in said["marks"]
            record_place("exported page", len(texts), canary)
        canary.assert_silent()
        context.close()
    path.unlink()
