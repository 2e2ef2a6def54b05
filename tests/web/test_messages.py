"""One message: its full content, its record, its files."""

from __future__ import annotations

import base64
import json
from pathlib import Path

from tests.web.caches import DATA, Talk
from tests.web.running import Running, running

PIXEL = base64.b64decode("R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7")
API = "/api/v1"


def test_the_record_is_what_the_file_has(tmp_path: Path) -> None:
    path = tmp_path / "talk.jsonl"
    lines = Talk(4).lines(30)
    path.write_text("\n".join(lines) + "\n")
    with running([path]) as studio:
        by_id = {json.loads(line)["uuid"]: number for number, line in enumerate(lines)}
        for row in studio.get("/c/1/rows")["rows"]:
            raw = studio.get(f"/c/1/messages/{row['id']}/raw")
            number = by_id[row["id"]]
            assert raw["line"] == number + 1
            assert raw["text"] == lines[number] + "\n"
            assert raw["path"] == path.name


def test_every_record_of_a_branch_belongs_to_a_row() -> None:
    path = DATA / "claude-code" / "good" / "steered.jsonl"
    said = [json.loads(line) for line in path.read_text().splitlines()]
    with running([path]) as studio:
        found = []
        for row in studio.get("/c/1/rows")["rows"]:
            beside = studio.get(f"/c/1/messages/{row['id']}/raw")["beside"]
            assert beside[0] == row["id"]
            found += beside
            for id in beside:
                raw = studio.get(f"/c/1/messages/{id}/raw")
                assert json.loads(raw["text"])["uuid"] == id
                assert raw["beside"] == beside
        assert found == [each["uuid"] for each in said if "uuid" in each]


def test_every_demo_returns_its_records(seen: Running, demo: Path) -> None:
    for card in seen.get("/conversations")["cards"]:
        base = f"/c/{card['cid']}"
        for row in seen.get(f"{base}/rows")["rows"]:
            raw = seen.get(f"{base}/messages/{row['id']}/raw")
            source = Path(card["path"])
            file = source / raw["path"] if source.is_dir() else source
            assert raw["text"].strip()[:40] in file.read_text()
            assert demo in file.parents


def test_long_texts_are_cut_in_rows_and_complete_on_request(tmp_path: Path) -> None:
    text = "word " * 20_000
    said = {
        "type": "user", "uuid": "a", "parentUuid": None, "sessionId": "s",
        "timestamp": "2026-01-01T00:00:00Z", "message": {"role": "user", "content": text},
    }  # fmt: skip
    path = tmp_path / "long.jsonl"
    path.write_text(json.dumps(said) + "\n")
    with running([path]) as studio:
        (row,) = studio.get("/c/1/rows")["rows"]
        assert row["blocks"][0].get("cut", 0) > 0
        assert len(row["text"]) == 20_000
        whole = studio.get("/c/1/messages/a")
        assert whole["blocks"][0].get("cut", 0) == 0
        assert whole["text"] == text


def _with_image(media_type: str, data: bytes) -> str:
    source = {"type": "base64", "media_type": media_type, "data": base64.b64encode(data).decode()}
    lines = [
        {
            "type": "user", "uuid": "a", "parentUuid": None, "sessionId": "s",
            "timestamp": "2026-01-01T00:00:00Z",
            "message": {"role": "user", "content": [{"type": "image", "source": source}]},
        },
        {
            "type": "assistant", "uuid": "b", "parentUuid": "a", "sessionId": "s",
            "timestamp": "2026-01-01T00:00:01Z",
            "message": {"role": "assistant", "id": "m", "model": "x", "content": [
                {"type": "tool_use", "id": "t", "name": "Shot", "input": {}}]},
        },
        {
            "type": "user", "uuid": "c", "parentUuid": "b", "sessionId": "s",
            "timestamp": "2026-01-01T00:00:02Z",
            "message": {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "t",
                "content": [{"type": "image", "source": source}]}]},
        },
    ]  # fmt: skip
    return "\n".join(map(json.dumps, lines)) + "\n"


def test_files_are_given_as_what_they_are(tmp_path: Path) -> None:
    path = tmp_path / "image.jsonl"
    path.write_text(_with_image("image/png", PIXEL))
    with running([path]) as studio:
        for place in ("a/blobs/0", "b/blobs/1000", "c/blobs/1000"):
            answer = studio.client.get(f"{API}/c/1/messages/{place}")
            assert answer.content == PIXEL
            assert answer.headers["content-type"] == "image/gif"
            assert answer.headers["content-disposition"].startswith("inline")


def test_attachments_that_are_not_pictures_are_only_downloaded(tmp_path: Path) -> None:
    path = tmp_path / "page.jsonl"
    page = b"<!doctype html><script>alert(1)</script>"
    path.write_text(_with_image("image/png", page))
    with running([path]) as studio:
        answer = studio.client.get(f"{API}/c/1/messages/a/blobs/0")
        assert answer.content == page
        assert answer.headers["content-type"] == "application/octet-stream"
        assert answer.headers["content-disposition"].startswith("attachment")


def test_a_record_that_is_nested_too_deep_is_shown_as_it_is() -> None:
    with running([DATA / "rules" / "SYN208" / "bad"]) as studio:
        (card,) = studio.get("/conversations")["cards"]
        for row in studio.get(f"/c/{card['cid']}/rows")["rows"]:
            raw = studio.get(f"/c/{card['cid']}/messages/{row['id']}/raw")
            assert raw["html"]
            assert raw["text"]
