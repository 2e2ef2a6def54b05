"""Repairs through the API: planned, made with a backup, and shown by the page."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from talktree import api
from tests.web.running import running
from tests.web.working import DEMO, bytes_of, cid_of, copied, document_of, done, refused, stamp_of

BAD = Path(__file__).parents[1] / "data"
BROKEN = BAD / "claude-code" / "bad" / "spliced-fused-cyclic.jsonl"


@pytest.mark.parametrize(
    "broken", [BROKEN, BAD / "native" / "bad" / "no-version-torn.jsonl"], ids=lambda path: path.stem
)
def test_a_plan_is_shown_and_then_made(tmp_path: Path, broken: Path) -> None:
    path = Path(shutil.copy(broken, tmp_path))
    expected = api.repair(path)
    before = bytes_of(tmp_path)
    with running([path]) as found:
        cid = cid_of(found, path)
        stamp = stamp_of(found, cid)
        plan = found.post(f"/c/{cid}/fixes", {"stamp": stamp})
        assert (plan["applied"], plan["stamp"], plan["backup"]) == (False, stamp, None)
        assert [step["code"] for step in plan["steps"]] == [each.code for each in expected.plan]
        assert {step["safety"] for step in plan["steps"]} == {"safe"}
        assert (plan["kept_bytes"], plan["quarantined_bytes"]) == expected.bytes
        assert bytes_of(tmp_path) == before
        made = found.post(f"/c/{cid}/fixes", {"stamp": stamp, "apply": True})
        assert made["applied"]
        assert made["steps"] == plan["steps"]
        assert Path(made["backup"]).read_bytes() == broken.read_bytes()
        assert path.read_bytes() == b"".join(
            content.read() for content in expected.source.files.values()
        )
        assert made["stamp"] == stamp_of(found, cid) != stamp
        reach = sum(len(list(each.messages())) for each in document_of(found, cid).conversations)
        assert made["reachable_after"] == plan["reachable_after"] <= reach
        again = found.post(f"/c/{cid}/fixes", {"stamp": made["stamp"]})
        assert again["total"] == 0
        nothing = found.post(f"/c/{cid}/fixes", {"stamp": made["stamp"], "apply": True})
        assert (nothing["backup"], nothing["stamp"]) == (None, made["stamp"])


def test_only_some_codes_are_repaired(tmp_path: Path) -> None:
    path = Path(shutil.copy(BROKEN, tmp_path))
    with running([path]) as found:
        cid = cid_of(found, path)
        stamp = stamp_of(found, cid)
        plan = found.post(f"/c/{cid}/fixes", {"stamp": stamp, "codes": ["SYN102"]})
        assert {step["code"] for step in plan["steps"]} == {"SYN102"}
        refused(found, f"/c/{cid}/fixes", {"stamp": stamp, "codes": ["XYZ999"]}, 400)


def test_edits_come_first(tmp_path: Path) -> None:
    path = copied("native", tmp_path)
    with running([path]) as found:
        cid = cid_of(found, path)
        first = next(document_of(found, cid).conversations[0].messages())
        stamp = done(found, cid, {"do": "replace", "about": first.id, "text": "x"})["stamp"]
        error = refused(found, f"/c/{cid}/fixes", {"stamp": stamp, "apply": True}, 400)
        assert "not saved" in error["message"]
        assert path.read_bytes() == (DEMO / "native.jsonl").read_bytes()


def test_a_file_that_is_another_by_now_is_not_repaired(tmp_path: Path) -> None:
    path = Path(shutil.copy(BROKEN, tmp_path))
    with running([path]) as found:
        cid = cid_of(found, path)
        stamp = stamp_of(found, cid)
        other = path.read_bytes() + b'{"type":"x"}\n'
        path.write_bytes(other)
        refused(found, f"/c/{cid}/fixes", {"stamp": stamp, "apply": True}, 409)
        assert path.read_bytes() == other


def test_a_plan_is_made_in_a_read_only_studio(tmp_path: Path) -> None:
    path = Path(shutil.copy(BROKEN, tmp_path))
    with running([path], read_only=True) as found:
        cid = cid_of(found, path)
        stamp = stamp_of(found, cid)
        assert found.post(f"/c/{cid}/fixes", {"stamp": stamp})["total"]
        refused(found, f"/c/{cid}/fixes", {"stamp": stamp, "apply": True}, 403)
        assert path.read_bytes() == BROKEN.read_bytes()
