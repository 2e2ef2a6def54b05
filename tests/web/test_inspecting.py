"""Tasks, tokens, problems, comparison, statistics."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path

from tests.web.caches import Talk
from tests.web.running import Running, running
from tests.web.test_files import Work

API = "/api/v1"


def test_tasks_are_reported_as_they_were_at_a_message(tmp_path: Path) -> None:
    work = Work()
    work.add("user", "do three things")
    todo = {"content": "sweep", "status": "pending", "activeForm": "Sweeping"}
    first = work.call("TodoWrite", todos=[todo])
    second = work.call("TodoWrite", todos=[{**todo, "status": "completed"}, todo])
    with running([work.write(tmp_path / "work.jsonl")]) as studio:
        now = studio.get("/c/1/todos")
        assert (now["at"], [each["status"] for each in now["items"]]) == (
            second,
            ["completed", "pending"],
        )
        assert [(each["done"], each["total"]) for each in now["steps"]] == [(0, 1), (1, 2)]
        then = studio.get("/c/1/todos", at=first)
        assert (then["at"], len(then["items"])) == (first, 1)
        rows = {row["id"]: row for row in studio.get("/c/1/rows")["rows"]}
        assert rows[second]["todos"] == {"done": 1, "total": 2}


def test_each_reply_is_counted_once_and_points_add_up(tmp_path: Path) -> None:
    path = tmp_path / "talk.jsonl"
    lines = Talk(2).lines(900)
    path.write_text("\n".join(lines) + "\n")
    with running([path]) as studio:
        reported = studio.get("/c/1/usage")
        assert len(reported["points"]) <= 400
        for kind in ("input", "output"):
            assert sum(p["tokens"][kind] for p in reported["points"]) == reported["totals"][kind]
        rows = csv.DictReader(io.StringIO(studio.client.get(f"{API}/c/1/usage?as=csv").text))
        assert sum(int(row["output"]) for row in rows) == reported["totals"]["output"]
        listed = studio.client.get(f"{API}/c/1/usage?as=json")
        assert "attachment" in listed.headers["content-disposition"]
        assert sum(row["output"] for row in listed.json()) == reported["totals"]["output"]
        assert reported["tools"][0]["name"] == "Bash"


def test_no_spreadsheet_reads_a_name_as_a_formula(tmp_path: Path) -> None:
    work = Work()
    work.add("user", "hello")
    work.add("assistant", [{"type": "text", "text": "hi"}])
    line = json.loads(work.lines[-1])
    line["message"] |= {
        "model": '=HYPERLINK("http://evil")',
        "usage": {"input_tokens": 1, "output_tokens": 1},
    }
    work.lines[-1] = json.dumps(line)
    with running([work.write(tmp_path / "work.jsonl")]) as studio:
        text = studio.client.get(f"{API}/c/1/usage?as=csv").text
        (row,) = csv.DictReader(io.StringIO(text))
        assert row["model"].startswith("'=")


def test_problems_are_reported_with_their_weight(tmp_path: Path) -> None:
    path = tmp_path / "talk.jsonl"
    lines = Talk(2).lines(20)
    broken = [*lines[:5], lines[5][:40], *lines[6:]]
    path.write_text("\n".join(broken) + "\n")
    with running([path]) as studio:
        reported = studio.get("/c/1/findings", limit=2)
        assert (
            reported["total"] == sum(reported["counts"].values()) >= len(reported["findings"]) > 0
        )
        assert reported["counts"]["errors"]
        assert reported["messages"] >= reported["reachable"]
        rest = studio.get("/c/1/findings", **{"from": 2})
        assert len(rest["findings"]) == reported["total"] - len(reported["findings"])


def test_problems_of_what_was_edited_are_those_of_the_file(tmp_path: Path) -> None:
    path = tmp_path / "talk.jsonl"
    path.write_text("\n".join(Talk(2).lines(20)) + "\n")
    with running([path]) as studio:
        before = studio.get("/c/1/findings")
        row = studio.get("/c/1/rows")["rows"][0]
        edit = {"do": "revise", "about": row["id"], "text": "other words"}
        studio.post("/c/1/edits", {"stamp": before["stamp"], "deed": edit})
        after = studio.get("/c/1/findings")
        assert after["stamp"] != before["stamp"]
        assert after["total"] == before["total"]


def test_two_branches_side_by_side(tmp_path: Path) -> None:
    work = Work()
    work.add("user", "hello")
    shared = work.add("assistant", [{"type": "text", "text": "hi"}])
    work.add("user", "tell me of ships")
    left = work.add("assistant", [{"type": "text", "text": "ships float"}])
    work.add("user", "tell me of boats", parent=shared)
    work.add("assistant", [{"type": "text", "text": "ships float"}])
    right = work.add("user", "thanks")
    with running([work.write(tmp_path / "work.jsonl")]) as studio:
        reported = studio.get("/c/1/compare", a=left, b=right)
        assert (reported["ancestor"], reported["shared"]) == (shared, 2)
        assert [row["kind"] for row in reported["rows"]] == ["changed", "same", "added"]
        assert (reported["a"]["messages"], reported["b"]["messages"]) == (2, 3)
        itself = studio.get("/c/1/compare", a=left, b=left)
        assert (itself["rows"], itself["shared"]) == ([], 4)


def test_statistics_of_all(seen: Running) -> None:
    reported = seen.get("/statistics")
    assert reported["conversations"] == seen.get("/conversations")["total"]
    assert reported["messages"] > 0
    assert sum(day["tokens"]["output"] for day in reported["days"]) == reported["tokens"]["output"]
    assert len(reported["hours"]) == 168
    chosen = seen.get("/statistics", format="claude-code")
    assert chosen["conversations"] == 1
    assert chosen["hours"] == []
