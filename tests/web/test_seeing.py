"""Every source, valid or broken, gives an answer to every request, or a clear refusal."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import quote

import httpx
import pytest

from tests.web.caches import DATA
from tests.web.running import Running, running

API = "/api/v1"
FORMATS = sorted(each.name for each in DATA.iterdir() if (each / "good").is_dir())
PLAIN = (
    "", "/rows", "/tail", "/graph", "/findings", "/files", "/todos", "/usage", "/find?text=the",
    "/rows?show=role:user", "/usage?as=csv", "/usage?as=json",
)  # fmt: skip


def asked(studio: Running, path: str) -> httpx.Response:
    """Return an answer that is not an internal error."""
    answer = studio.client.get(API + path)
    assert answer.status_code < 500, (path, answer.text[:500])
    if answer.status_code >= 400:
        assert answer.json()["error"]["message"]
    return answer


def cards(studio: Running) -> Iterator[dict[str, Any]]:
    """Return all conversations."""
    start = 0
    while found := studio.get("/conversations", **{"from": start, "limit": 100})["cards"]:
        yield from found
        start += len(found)


@pytest.mark.parametrize("format", FORMATS)
def test_every_question_about_every_source_is_answered(format: str) -> None:
    places = [DATA / format / kind for kind in ("good", "bad") if (DATA / format / kind).is_dir()]
    with running(places) as studio:
        found = list(cards(studio))
        assert found
        for card in found:
            _ask_all(studio, f"/c/{card['cid']}")


def _ask_all(studio: Running, base: str) -> None:
    reported = {path: asked(studio, base + path) for path in PLAIN}
    if reported[""].status_code != 200:
        return
    conversation, rows = reported[""].json(), reported["/rows"].json()
    assert rows["total"] == conversation["rows"]
    for row in rows["rows"][:4]:
        id = quote(row["id"], safe="")
        assert asked(studio, f"{base}/messages/{id}").json()["id"] == row["id"]
        asked(studio, f"{base}/messages/{id}/raw")
        for number in (0, 1, 999, 1000, "x"):
            asked(studio, f"{base}/messages/{id}/blobs/{number}")
        place = asked(studio, f"{base}/place?id={id}").json()
        assert (place["number"], place["id"]) == (row["number"], row["id"])
    leaves = [quote(each["leaf"], safe="") for each in conversation["branches"][:3]]
    for leaf in leaves:
        asked(studio, f"{base}/compare?a={leaves[0]}&b={leaf}")
        assert asked(studio, f"{base}/rows?leaf={leaf}").status_code == 200
    for segment in reported["/graph"].json()["segments"][:4]:
        run = asked(studio, f"{base}/run?first={quote(segment['first'], safe='')}").json()
        assert run["total"] == segment["messages"]
    for file in reported["/files"].json()["files"][:4]:
        for mode in ("unified", "split"):
            path = quote(file["path"], safe="")
            asked(studio, f"{base}/files/diff?path={path}&mode={mode}")


@pytest.mark.parametrize(
    "path",
    [
        "/c/9999", "/c/1.77", "/c/nothing", "/c/1/rows?from=-1", "/c/1/rows?show=colour:red",
        "/c/1/rows?leaf=nobody", "/c/1/find", "/c/1/compare", "/c/1/files/diff",
        "/c/1/files/diff?path=never.txt", "/c/1/messages/nobody", "/c/1/run?first=nobody",
        "/conversations?sort=colour", "/search?query=%22&sort=colour", "/c/1/place?id=",
        "/c/1/rows?limit=many", "/c/1/rows?other=1",
    ],
)  # fmt: skip
def test_invalid_requests_are_refused(seen: Running, path: str) -> None:
    answer = asked(seen, path)
    assert answer.status_code in (400, 404), answer.text


def test_never_more_is_sent_than_can_be_shown(seen: Running, demo: Path) -> None:
    assert demo.is_dir()
    for card in cards(seen):
        rows = seen.get(f"/c/{card['cid']}/rows", limit=10_000)
        assert len(rows["rows"]) <= 200
        part = seen.get(f"/c/{card['cid']}/rows", **{"from": 2, "limit": 3})
        assert part["rows"] == rows["rows"][2:5]
