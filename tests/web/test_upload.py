"""Uploaded files: previewed, stored under a plain name, or discarded."""

from __future__ import annotations

import gzip
import http.client
import json
import random
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest
from hypothesis import given
from hypothesis import strategies as st

from talktree import Library, api
from talktree.formats import get_format
from talktree.formats.blocks import make_attach_file_operation
from talktree.library.dropped_files import dropped_files_folder
from talktree.text.file_names import to_portable_name
from talktree.text.media import data_size, decode_data_url, parse_data_url
from talktree.web.actions import upload
from talktree.web.actions.edit import read_content
from talktree.web.actions.upload import UploadedFiles, Uploads
from tests.web.running import LONGEST, Running, running, until
from tests.web.working import (
    DEMO,
    DEMOS,
    GIF,
    bytes_of,
    cid_of,
    copied,
    document_of,
    done,
    refused,
    stamp_of,
    uploaded,
)

FILES = {slug: name for slug, name in DEMOS.items() if "." in name}
EVIL = (
    "../../../etc/passwd",
    "/etc/passwd",
    "..\\..\\windows\\win.ini",
    "C:\\boot.ini",
    ".bashrc",
    "con.json",
    "a\0b.json",
    "\u202egnp.exe",
    "x" * 5000 + ".json",
    "",
    ".",
    "..",
    "~/x",
    "$(touch x).json",
    "a\r\nSet-Cookie: x",
    "ünïcödé – 漢字.json",
    "-rf",
    "messages.jsonl",
    "12.jsonl",
)


@pytest.fixture(scope="module")
def studio(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Running, Path]]:
    path = copied("native", tmp_path_factory.mktemp("talks"))
    with running([path]) as found:
        yield found, dropped_files_folder(found.studio.cache.root)


@pytest.mark.parametrize("slug", FILES)
def test_a_file_is_recognised_looked_over_and_kept(studio: tuple[Running, Path], slug: str) -> None:
    found, folder = studio
    data = (DEMO / FILES[slug]).read_bytes()
    upload = uploaded(found, data, FILES[slug])
    document = api.read(DEMO / FILES[slug])
    assert (upload["format"], upload["size"]) == (slug, len(data))
    assert upload["conversations"] == len(document.conversations)
    assert upload["messages"] == sum(len(list(each.messages())) for each in document.conversations)
    assert upload["findings"]["errors"] == api.check(document).counts()["error"]
    loss_report = found.get(f"/uploads/{upload['upload']}/ledger", to="muse")
    assert loss_report["to"] == "muse"
    job = found.ended(found.post(f"/uploads/{upload['upload']}/keep", {})["id"])
    assert (job["state"], job["error"]) == ("done", None)
    kept = Path(found.studio.cache.open(job["cid"]).kept.raw_path.decode())
    assert kept.parent == folder
    assert (kept.read_bytes(), kept.stat().st_mode & 0o777) == (data, 0o600)
    assert found.client.get(f"/api/v1/uploads/{upload['upload']}/ledger?to=muse").status_code == 404


def test_a_packed_file_stays_packed(studio: tuple[Running, Path]) -> None:
    found, folder = studio
    data = gzip.compress((DEMO / "native.jsonl").read_bytes())
    upload = uploaded(found, data, "sent.jsonl.gz")
    assert (upload["format"], upload["findings"]["warnings"]) == ("native", 0)
    job = found.ended(found.post(f"/uploads/{upload['upload']}/keep", {})["id"])
    assert (job["state"], job["error"]) == ("done", None)
    assert (folder / "sent.jsonl.gz").read_bytes() == data
    assert found.get(f"/c/{job['cid']}/rows", **{"from": 0})["total"] > 0


@pytest.mark.parametrize("to", ["native", "chatbuilder", "sage", "studio-xml"])
def test_a_file_can_be_kept_as_another_format(studio: tuple[Running, Path], to: str) -> None:
    found, folder = studio
    upload = uploaded(found, (DEMO / "studio.json").read_bytes(), f"to-{to}.json")
    job = found.ended(found.post(f"/uploads/{upload['upload']}/keep", {"to": to})["id"])
    assert (job["state"], job["error"]) == ("done", None)
    opened = found.studio.cache.open(job["cid"])
    assert opened.document.format == to
    assert Path(opened.kept.raw_path.decode()).is_relative_to(folder)


@pytest.mark.parametrize("name", EVIL)
def test_a_name_is_never_a_path(studio: tuple[Running, Path], name: str) -> None:
    found, folder = studio
    upload = uploaded(found, (DEMO / "native.jsonl").read_bytes(), name)
    job = found.ended(found.post(f"/uploads/{upload['upload']}/keep", {})["id"])
    assert (job["state"], job["error"]) == ("done", None)
    kept = Path(found.studio.cache.open(job["cid"]).kept.raw_path.decode())
    assert kept.parent == folder
    assert kept.name == to_portable_name(kept.name)


@given(st.text(max_size=300))
def test_a_plain_name_is_one_everywhere(name: str) -> None:
    made = to_portable_name(name)
    assert made == to_portable_name(made)
    assert 0 < len(made.encode("utf-8", "surrogatepass")) <= 255
    assert not set('/\\\0\n\r:*?"<>|') & set(made)
    assert not made.startswith((".", " "))
    assert not made.endswith((".", " "))


def test_the_same_name_twice_is_two_files(studio: tuple[Running, Path]) -> None:
    found, folder = studio
    data = (DEMO / "native.jsonl").read_bytes()
    for _ in range(2):
        upload = uploaded(found, data, "twice.jsonl")
        found.ended(found.post(f"/uploads/{upload['upload']}/keep", {})["id"])
    assert {"twice.jsonl", "twice-2.jsonl"} <= {each.name for each in folder.iterdir()}


def test_unknown_files_are_reported_and_not_kept(studio: tuple[Running, Path]) -> None:
    found, folder = studio
    before = bytes_of(folder) if folder.exists() else {}
    upload = uploaded(found, random.Random(1).randbytes(5000), "noise.bin")
    assert (upload["format"], upload["findings"]) == (None, None)
    assert "no known conversation format" in upload["reason"]
    refused(found, f"/uploads/{upload['upload']}/keep", {}, 422)
    found.client.delete(f"/api/v1/uploads/{upload['upload']}")
    refused(found, f"/uploads/{upload['upload']}/keep", {}, 404)
    assert (bytes_of(folder) if folder.exists() else {}) == before


@pytest.mark.parametrize("id", ["../x", "..%2f..", "0" * 32, "x" * 32, "*"])
def test_an_unknown_upload_is_reported(studio: tuple[Running, Path], id: str) -> None:
    found, _ = studio
    assert found.client.get(f"/api/v1/uploads/{id}/ledger?to=muse").status_code == 404
    assert found.client.delete(f"/api/v1/uploads/{id}").status_code == 404


def test_an_upload_that_is_too_large_leaves_nothing(
    studio: tuple[Running, Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    found, _ = studio
    place = found.studio.scratch / upload.FOLDER
    before = sorted(place.iterdir()) if place.exists() else []
    monkeypatch.setattr(upload, "LARGEST", 1 << 20)
    answer = found.client.post("/api/v1/uploads?name=x", content=b"x" * ((1 << 20) + 1))
    assert answer.status_code == 413
    monkeypatch.setattr(upload, "MOST", 100)
    answer = found.client.post("/api/v1/uploads?name=x", content=b"x" * 101)
    assert (answer.status_code, answer.json()["error"]["kind"]) == (413, "too-large")
    assert (sorted(place.iterdir()) if place.exists() else []) == before


def test_an_incomplete_upload_leaves_nothing(studio: tuple[Running, Path]) -> None:
    found, _ = studio
    place = found.studio.scratch / upload.FOLDER
    before = sorted(place.iterdir()) if place.exists() else []
    line = http.client.HTTPConnection("127.0.0.1", found.keys.port)
    line.putrequest("POST", "/api/v1/uploads?name=x")
    cookies = "; ".join(f"{name}={value}" for name, value in found.client.cookies.items())
    sent = {"Cookie": cookies, "X-Talktree": "1", "Sec-Fetch-Site": "same-origin"}
    for name, value in (*sent.items(), ("Content-Length", "1000000")):
        line.putheader(name, value)
    line.endheaders(b"x" * 1000)
    line.close()
    uploaded(found, b"x")  # by then the other one is given up, or will be
    stays = [each for each in place.iterdir() if each not in before]
    assert len([each for each in stays if (each / upload.ABOUT).exists()]) == 1


def test_a_kept_file_can_be_given_up(tmp_path: Path) -> None:
    path = copied("native", tmp_path)
    line = (DEMO / "claude-messages.jsonl").read_bytes()
    with running([path]) as found:
        kept = dropped_files_folder(found.studio.cache.root) / "long.jsonl"
        upload = uploaded(found, line * 400, "long.jsonl")
        # Its import waits for another one, so it can be cancelled while it runs.
        with Library.open(found.studio.cache.root) as library, library.lock.hold(LONGEST):
            job = found.post(f"/uploads/{upload['upload']}/keep", {})
            until(kept.exists)
            found.post(f"/jobs/{job['id']}/cancel")
        assert found.ended(job["id"])["state"] == "cancelled"
        assert not kept.exists()
        again = found.post(f"/uploads/{upload['upload']}/keep", {})
        assert found.ended(again["id"])["state"] == "done"
        assert kept.exists()


def test_a_file_goes_with_a_message(studio: tuple[Running, Path], tmp_path: Path) -> None:
    found, _ = studio
    (path,) = found.studio.given
    cid = cid_of(found, path)
    first = next(document_of(found, cid).conversations[0].messages())
    for data, name, media_type in (
        (GIF, "photo.html", "image/gif"),
        (b"<html><script>1</script>", "photo.png", "text/html"),
        (b"plain words", "x.exe", "text/plain"),
        (b"\0\1\2", "x.txt", "application/octet-stream"),
    ):
        upload = uploaded(found, data, name)["upload"]
        done(found, cid, {"do": "attach", "about": first.id, "upload": upload, "accept": True})
        part = document_of(found, cid).conversations[0][first.id].parts[-1]
        assert getattr(part, "media_type", None) == media_type
        assert getattr(part, "name", None) == name


def test_a_file_that_is_too_large_for_a_message_is_refused(
    studio: tuple[Running, Path], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    found, _ = studio
    (tmp_path / "config.toml").write_text("[attachments]\nmax-size = 10\n")
    monkeypatch.setenv("TALKTREE_HOME", str(tmp_path))
    (path,) = found.studio.given
    cid = cid_of(found, path)
    first = next(document_of(found, cid).conversations[0].messages())
    upload = uploaded(found, GIF)["upload"]
    edit = {"do": "attach", "about": first.id, "upload": upload}
    refused(found, f"/c/{cid}/edits", {"stamp": stamp_of(found, cid), "deed": edit}, 413)


@given(st.binary(max_size=200))
def test_attachments_equal_the_uploaded_files(tmp_path_factory: object, data: bytes) -> None:
    assert isinstance(tmp_path_factory, pytest.TempPathFactory)
    path = tmp_path_factory.getbasetemp() / "attached"
    path.write_bytes(data)
    file = UploadedFiles(id="", name="x", size=len(data), path=path)
    held, name = read_content(file)
    made = make_attach_file_operation(get_format("native"), "m", name, held)
    head = parse_data_url(made.url)
    assert head is not None
    assert (made.name, head.media_type) == ("x", made.media_type)
    assert decode_data_url(made.url, head, most=1000) == data
    assert data_size(made.url, head) == len(data)


FOLDERS = {slug: name for slug, name in DEMOS.items() if slug not in FILES}


def packed(files: dict[str, bytes], listed: object = None) -> bytes:
    """Return a folder as one request body."""
    said = [[path, len(data)] for path, data in files.items()] if listed is None else listed
    return json.dumps(said).encode() + b"\n" + b"".join(files.values())


def brought(found: Running, body: bytes, name: str = "folder") -> httpx.Response:
    asked = {"name": name, "folder": "true"}
    return found.client.post("/api/v1/uploads", params=asked, content=body)


@pytest.mark.parametrize("slug", FOLDERS)
@pytest.mark.parametrize("to", [None, "native"])
def test_a_folder_that_is_one_conversation_is_kept(
    studio: tuple[Running, Path], slug: str, to: str | None
) -> None:
    found, folder = studio
    files = bytes_of(DEMO / FOLDERS[slug])
    upload = brought(found, packed(files), f"a {slug}").json()
    assert (upload["format"], upload["size"]) == (slug, sum(map(len, files.values())))
    assert upload["conversations"] == 1
    job = found.ended(found.post(f"/uploads/{upload['upload']}/keep", {"to": to})["id"])
    assert (job["state"], job["error"]) == ("done", None)
    kept = Path(found.studio.cache.open(job["cid"]).kept.raw_path.decode())
    assert kept.parent == folder
    if to is None:
        assert (bytes_of(kept), kept.stat().st_mode & 0o777) == (files, 0o700)
    shown = document_of(found, job["cid"]).conversations[0]
    original = api.read(DEMO / FOLDERS[slug]).conversations[0]
    assert [each.id for each in shown.messages()] == [each.id for each in original.messages()]


@pytest.mark.parametrize(
    "listed",
    [
        [["../x", 1]], [["/x", 1]], [["a/../../x", 1]], [["a\\b", 1]], [["", 1]], [["a//b", 1]],
        [["a\0b", 1]], [["x", 1], ["x", 0]], [["x", -1]], [["x", 2]], [["x", 0]], [], {}, [["x"]],
        [["n" * 2000, 1]], [[str(number), 0] for number in range(10_001)],
    ],
    ids=lambda listed: json.dumps(listed)[:24],
)  # fmt: skip
def test_a_folder_that_lies_about_its_files_leaves_nothing(
    studio: tuple[Running, Path], listed: object
) -> None:
    found, _ = studio
    place = found.studio.scratch / upload.FOLDER
    before = sorted(place.iterdir()) if place.exists() else []
    answer = brought(found, packed({"x": b"1"}, listed))
    assert answer.status_code == 400, answer.text
    assert answer.json()["error"]["message"].startswith("this folder cannot be taken in")
    assert brought(found, b"no line").status_code == 400
    assert (sorted(place.iterdir()) if place.exists() else []) == before


def test_a_folder_does_not_go_with_a_message(studio: tuple[Running, Path]) -> None:
    found, _ = studio
    (path,) = found.studio.given
    cid = cid_of(found, path)
    first = next(document_of(found, cid).conversations[0].messages())
    upload = brought(found, packed({"x": b"1"})).json()["upload"]
    edit = {"do": "attach", "about": first.id, "upload": upload}
    refused(found, f"/c/{cid}/edits", {"stamp": stamp_of(found, cid), "deed": edit}, 400)


def test_no_upload_is_there_before_one_is_brought(tmp_path: Path) -> None:
    with pytest.raises(Exception, match="no such upload"):
        Uploads(tmp_path).get("0" * 32)
