"""Saving through the API: to the source with a guard, or to a file of any format."""

from __future__ import annotations

import io
import os
import zipfile
from pathlib import Path

import pytest

from talktree import api
from talktree.files import Source
from talktree.formats import slugs
from tests.web.running import Running, running
from tests.web.working import (
    bytes_of,
    cid_of,
    copied,
    document_of,
    done,
    refused,
    stamp_of,
    turned,
)


def edited(studio: Running, cid: str) -> str:
    """Return a conversation with an edit, and its stamp then."""
    first = next(document_of(studio, cid).conversations[0].messages())
    return str(done(studio, cid, {"do": "replace", "about": first.id, "text": "Mine"})["stamp"])


def test_saved_edits_are_in_the_file(tmp_path: Path) -> None:
    path = copied("studio", tmp_path)
    with running([path]) as found:
        cid = cid_of(found, path)
        stamp = edited(found, cid)
        answer = found.post(f"/c/{cid}/save", {"stamp": stamp})
        assert answer["written"] == [str(path)]
        assert answer["stamp"] == stamp_of(found, cid)
        assert "Mine" in path.read_text()
        assert found.get(f"/c/{cid}/edits")["saved"]
        assert found.post(f"/c/{cid}/save", {"stamp": answer["stamp"]})["written"] == []


def test_a_file_that_someone_changed_is_not_written_over(tmp_path: Path) -> None:
    path = copied("claude-code", tmp_path)
    with running([path]) as found:
        cid = cid_of(found, path)
        stamp = edited(found, cid)
        other = path.read_bytes() + b"\n"
        path.write_bytes(other)
        assert refused(found, f"/c/{cid}/save", {"stamp": stamp}, 409)["kind"] == "changed"
        assert path.read_bytes() == other


def test_a_file_that_someone_writes_is_not_written_over(tmp_path: Path) -> None:
    path = copied("claude-code", tmp_path)
    before = path.read_bytes()
    with running([path]) as found:
        cid = cid_of(found, path)
        stamp = edited(found, cid)
        with open(path, "ab") as file:
            error = refused(found, f"/c/{cid}/save", {"stamp": stamp}, 409)
            assert "open for writing" in error["message"]
            assert not file.closed
        assert path.read_bytes() == before
        found.post(f"/c/{cid}/save", {"stamp": stamp})
        assert path.read_bytes() != before


def test_a_file_that_is_gone_is_reported(tmp_path: Path) -> None:
    path = copied("studio", tmp_path)
    with running([path]) as found:
        cid = cid_of(found, path)
        edited(found, cid)
        path.unlink()
        found.ended(found.post("/imports", {})["id"])
        answer = found.client.post(f"/api/v1/c/{cid}/save", json={"stamp": stamp_of(found, cid)})
        assert answer.status_code in (404, 409)
        assert not path.exists()


def test_edits_survive_the_end_of_the_studio(tmp_path: Path) -> None:
    path = copied("native", tmp_path)
    with running([path]) as found:
        cid = cid_of(found, path)
        stamp = edited(found, cid)
    with running([path]) as found:
        assert stamp_of(found, cid) == stamp
        assert "Mine" in [each.text for each in document_of(found, cid).conversations[0].messages()]
        turned(found, cid, "save")
        assert b"Mine" in path.read_bytes()


@pytest.fixture(scope="module")
def studio(tmp_path_factory: pytest.TempPathFactory) -> object:
    folder = tmp_path_factory.mktemp("talks")
    path = copied("claude-code", folder)
    with running([path]) as found:
        cid = cid_of(found, path)
        edited(found, cid)
        yield found, cid


def source_of(data: bytes, name: str) -> Source:
    """Return the download as a source."""
    if not name.endswith(".zip"):
        return Source.of_bytes(data, name=name)
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        assert archive.testzip() is None
        files = {each: archive.read(each) for each in archive.namelist()}
    inside = {each.partition("/")[2]: data for each, data in files.items()}
    return Source.of_files(inside)


@pytest.mark.parametrize("to", slugs())
def test_any_format_can_be_downloaded_and_its_loss_report_seen_before(
    studio: tuple[Running, str], to: str
) -> None:
    found, cid = studio
    loss_report = found.get(f"/c/{cid}/ledger", to=to)
    document = document_of(found, cid)
    expected = api.preview(document, to=to)
    assert loss_report["lost"] == sum(count for _, count in expected.count_by_kind())
    assert sum(each["count"] for each in loss_report["losses"]) == sum(expected.counts.values())
    job = found.ended(found.post(f"/c/{cid}/save-as", {"to": to})["id"])
    assert (job["state"], job["error"]) == ("done", None)
    answer = found.client.get(f"/api/v1/jobs/{job['id']}/file")
    assert answer.status_code == 200
    assert len(answer.content) == job["size"]
    assert "attachment" in answer.headers["content-disposition"]
    back = api.read(source_of(answer.content, job["file"]), format=to)
    assert "Mine" in [each.text for each in back.conversations[0].messages()]


def test_a_branch_is_saved_without_embedded_data(studio: tuple[Running, str]) -> None:
    found, cid = studio
    asked = {"to": "studio", "branch": "active", "clean": True}
    assert found.get(f"/c/{cid}/ledger", to="studio", branch="active", clean="true")["lost"] > 0
    job = found.ended(found.post(f"/c/{cid}/save-as", asked)["id"])
    content = found.client.get(f"/api/v1/jobs/{job['id']}/file").content
    assert b"x-talktree" not in content
    talk = api.read(Source.of_bytes(content, name="x.json")).conversations[0]
    active = document_of(found, cid).conversations[0].path()
    assert len(list(talk.messages())) == len(active)


@pytest.mark.parametrize("to", ["", "nothing", "../studio"])
def test_an_unknown_format_is_reported(studio: tuple[Running, str], to: str) -> None:
    found, cid = studio
    answer = found.client.get(f"/api/v1/c/{cid}/ledger", params={"to": to})
    assert answer.status_code in (400, 404)
    assert found.client.post(f"/api/v1/c/{cid}/save-as", json={"to": to}).status_code == 404


def test_a_title_is_not_a_path(tmp_path: Path) -> None:
    path = copied("native", tmp_path)
    with running([path]) as found:
        cid = cid_of(found, path)
        opened = found.studio.cache.open(cid)
        opened.__dict__["title"] = "../../../etc/\u202e cron\r\nX: y"
        job = found.ended(found.post(f"/c/{cid}/save-as", {"to": "native"})["id"])
        assert os.sep not in job["file"]
        assert not {"\r", "\n", "\u202e", ".."} & set(job["file"])
        made = found.client.get(f"/api/v1/jobs/{job['id']}/file")
        assert made.status_code == 200
        assert bytes_of(path)["native.jsonl"]
