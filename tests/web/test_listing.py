"""The list, and what is found in it."""

from __future__ import annotations

import gzip
import shutil
from datetime import UTC, datetime
from pathlib import Path

from talktree import api
from tests.session_lines import ask, say, write
from tests.web.caches import DATA, Talk
from tests.web.running import Running, running, until
from tests.web.working import cid_of, copied, stamp_of

DEMO = Path(__file__).parent.parent.parent / "demo"


def test_every_conversation_of_a_source_is_listed_and_opens(tmp_path: Path) -> None:
    folder = tmp_path / "data"
    shutil.copytree(DATA / "native" / "bad", folder)
    with running([folder]) as studio:
        cards = studio.get("/conversations", limit=200)["cards"]
        for path in folder.iterdir():
            document = api.read(path)
            mine = [card for card in cards if card["path"] == str(path)]
            if len(document.conversations) == 1:
                assert len(mine) == 1
                continue
            by_cid = sorted(mine, key=lambda card: [int(n) for n in card["cid"].split(".")])
            assert [card["id"] for card in by_cid] == [each.id for each in document.conversations]
            for card in mine:
                reported = studio.get(f"/c/{card['cid']}")
                assert reported["id"] == card["id"]
                assert sorted(reported["siblings_in_source"]) == sorted(c["cid"] for c in mine)


def test_the_demo_has_no_file_that_is_not_imported(seen: Running) -> None:
    assert seen.get("/failures")["sources"] == []


def test_each_of_several_conversations_in_a_source_has_its_own_numbers(tmp_path: Path) -> None:
    head, *lines = (DEMO / "native.jsonl").read_text().splitlines()
    _, second = (at for at, each in enumerate(lines) if each.startswith('{"conversation"'))
    for name, some in (("both", lines), ("one", lines[:second]), ("two", lines[second:])):
        (tmp_path / f"{name}.jsonl").write_text("\n".join([head, *some]) + "\n")
    with running([tmp_path]) as studio:
        cards = studio.get("/conversations")["cards"]
        together = [card for card in cards if card["several"] == 2]
        alone = {card["title"]: card for card in cards if card["several"] == 1}
        assert {card["title"] for card in together} == alone.keys()
        for card in together:
            other = alone[card["title"]]
            for name in ("errors", "sidechains", "messages", "branches"):
                assert card[name] == other[name], name
            reported, own = (studio.get(f"/c/{each['cid']}") for each in (card, other))
            assert reported["tokens"] == own["tokens"]
            assert reported["findings"] == own["findings"]
        # The first has some of what the second lacks.
        assert {bool(card["errors"] and card["sidechains"]) for card in together} == {True, False}


def test_the_list_is_narrowed_down_and_sorted(seen: Running) -> None:
    everything = seen.get("/conversations", limit=200)
    assert everything["total"] == len(everything["cards"])
    assert sum(each["count"] for each in everything["formats"]) == everything["total"]
    for format in everything["formats"]:
        some = seen.get("/conversations", format=format["name"])
        assert some["total"] == format["count"]
        assert {card["format"] for card in some["cards"]} == {format["name"]}
    by_size = [card["size"] for card in seen.get("/conversations", sort="size")["cards"]]
    assert by_size == sorted(by_size, reverse=True)
    word = everything["cards"][0]["title"].split()[0]
    assert everything["cards"][0] in seen.get("/conversations", text=word.upper())["cards"]
    assert seen.get("/conversations", text="nobody says this")["total"] == 0


def test_results_can_be_opened(seen: Running) -> None:
    found = seen.get("/search", query="the", limit=50)
    assert found["total"] >= len(found["hits"]) > 0
    for hit in found["hits"]:
        assert any(span["mark"] for span in hit["excerpt"])
        if hit["message"]:
            place = seen.get(f"/c/{hit['cid']}/place", id=hit["message"])
            rows = seen.get(
                f"/c/{hit['cid']}/rows", leaf=place["leaf"], **{"from": place["number"]}
            )
            assert rows["rows"][0]["id"] == place["id"]
    part = seen.get("/search", query="the", limit=2, **{"from": 1})
    assert part["hits"] == found["hits"][1:3]
    assert seen.get("/search", query="  ")["total"] == 0


def test_growth_is_reported_while_a_page_is_open(tmp_path: Path) -> None:
    path = tmp_path / "talk.jsonl"
    lines = Talk(5).lines(60)
    path.write_text("\n".join(lines[:30]) + "\n")
    with running([path]) as studio:
        before = studio.get("/c/1")
        with studio.client.stream("GET", "/api/v1/c/1/live") as live:
            events = live.iter_lines()
            assert next(events).startswith(":")
            path.write_text("\n".join(lines) + "\n")
            with studio.studio.cache.open_for_writing() as library:
                library.import_([path])
            reported = next(line for line in events if line.startswith("data:"))
        after = studio.get("/c/1")
        assert after["stamp"] in reported
        assert before["stamp"] not in reported
        assert f'"rows":{after["rows"]}' in reported
        assert '"cause":"file","edited":false' in reported


def test_changes_before_the_watch_are_reported_to_a_page_that_has_not_seen_them(
    tmp_path: Path,
) -> None:
    path = copied("native", tmp_path)
    with running([path]) as studio:
        cid = cid_of(studio, path)
        last = studio.get(f"/c/{cid}/rows")["rows"][-1]["id"]
        seen = stamp_of(studio, cid)
        edit = {"do": "reply", "parent": last, "text": "And then?"}
        made = studio.post(f"/c/{cid}/edits", {"stamp": seen, "deed": edit})
        with studio.client.stream("GET", f"/api/v1/c/{cid}/live", params={"stamp": seen}) as live:
            events = (line for line in live.iter_lines() if line.startswith("data:"))
            assert f'{made["stamp"]}","cause":"edit","edited":true' in next(events)


def test_an_edit_and_a_save_are_reported_as_what_they_are(tmp_path: Path) -> None:
    path = copied("native", tmp_path)
    with running([path]) as studio:
        cid = cid_of(studio, path)
        last = studio.get(f"/c/{cid}/rows")["rows"][-1]["id"]
        edit = {"do": "reply", "parent": last, "text": "And then?"}
        with studio.client.stream("GET", f"/api/v1/c/{cid}/live") as live:
            events = (line for line in live.iter_lines() if line.startswith("data:"))
            made = studio.post(f"/c/{cid}/edits", {"stamp": stamp_of(studio, cid), "deed": edit})
            assert f'{made["stamp"]}","cause":"edit","edited":true' in next(events)
            saved = studio.post(f"/c/{cid}/save", {"stamp": made["stamp"]})
            assert f'{saved["stamp"]}","cause":"save","edited":false' in next(events)
            back = studio.post(f"/c/{cid}/undo", {"stamp": saved["stamp"]})
            assert f'{back["stamp"]}","cause":"edit","edited":true' in next(events)
        assert saved["conversation"]["stamp"] == saved["history"]["stamp"] == saved["stamp"]


def test_files_that_were_not_imported_are_listed_with_the_reason(tmp_path: Path) -> None:
    folder = tmp_path / "data"
    folder.mkdir()
    whole = gzip.compress((DEMO / "claude-code.jsonl").read_bytes())
    (folder / "cut.jsonl.gz").write_bytes(whole[: len(whole) * 3 // 4])
    (folder / "notes.txt").write_text("Buy apples.")
    with running([folder]) as studio:
        reported = studio.get("/failures")
        found = {Path(each["path"]).name: each for each in reported["sources"]}
        assert found["cut.jsonl.gz"]["state"] == "damaged"
        assert "gzip" in found["cut.jsonl.gz"]["reason"]
        assert found["notes.txt"]["state"] == "unrecognized"
        assert found["notes.txt"]["reason"]
        assert reported["total"] == len(found) == studio.get("/about")["library"]["failures"] == 2
        (card,) = (each for each in studio.get("/conversations")["cards"] if "cut" in each["path"])
        assert (card["state"], card["messages"] > 0) == ("damaged", True)


def test_a_copied_file_is_not_at_work_and_one_that_grows_is(tmp_path: Path) -> None:
    copied = Path(shutil.copyfile(DEMO / "claude-code.jsonl", tmp_path / "copied.jsonl"))
    now = datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%S.000Z")
    fresh = (ask(0, None, "Now?", timestamp=now), say(1, 0, "Now.", timestamp=now))
    write(fresh, tmp_path)
    with running([tmp_path]) as studio:

        def live() -> dict[str, bool]:
            cards = studio.get("/conversations")["cards"]
            return {Path(each["path"]).name: each["live"] for each in cards}

        assert sorted(live().values()) == [False, True]
        assert not live()[copied.name]
        with copied.open("a") as file:
            file.write(copied.read_text().splitlines()[-1].replace('"uuid":"', '"uuid":"z') + "\n")
        until(lambda: live()[copied.name])
