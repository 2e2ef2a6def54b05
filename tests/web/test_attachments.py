"""Files to attach in the studio: dangerous ones are refused, suspicious ones must be confirmed."""

from __future__ import annotations

import gzip
import sys
import zipfile
from collections.abc import Iterator
from io import BytesIO
from pathlib import Path
from typing import Any

import httpx
import pytest

from talktree.text.archive_scan import HEAVY
from talktree.text.attachment_scan import EICAR
from tests.checks.generated import SCANNER
from tests.web.running import Running, running
from tests.web.working import GIF, cid_of, copied, document_of, stamp_of, uploaded


@pytest.fixture(scope="module")
def studio(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Running]:
    with running([copied("native", tmp_path_factory.mktemp("talks"))]) as found:
        yield found


@pytest.fixture
def config(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("TALKTREE_HOME", str(tmp_path))
    return tmp_path / "config.toml"


def bring(found: Running, data: bytes, name: str, type: str = "") -> httpx.Response:
    asked = {"name": name, "attach": "true", "type": type}
    return found.client.post("/api/v1/uploads", params=asked, content=data)


def attach(found: Running, upload: str, **more: object) -> httpx.Response:
    cid = cid_of(found, found.studio.given[0])
    about = next(document_of(found, cid).conversations[0].messages()).id
    edit = {"do": "attach", "about": about, "upload": upload, **more}
    body = {"stamp": stamp_of(found, cid), "deed": edit}
    return found.client.post(f"/api/v1/c/{cid}/edits", json=body)


def macros() -> bytes:
    made = BytesIO()
    with zipfile.ZipFile(made, "w") as archive:
        archive.writestr("word/vbaProject.bin", b"x")
    return made.getvalue()


DANGEROUS = {
    "invoice.txt": (EICAR, "EICAR"),
    "photo.png": (b"\x7fELF\x02\x01\x01" + bytes(60), "Linux program"),
    "log.gz": (gzip.compress(bytes(HEAVY + (1 << 20))), "unpack"),
}
SUSPICIOUS = {
    "offer.docm": (macros(), "macros"),
    "plan.pdf": (b"%PDF-1.7\n<< /S /JavaScript /JS (1) >>", "JavaScript"),
    "setup.ps1": (b"Remove-Item pears", "script"),
    "photo.png": (b"%PDF-1.7\n", "said to be image/png, and is application/pdf"),
}


@pytest.mark.parametrize("name", DANGEROUS)
def test_dangerous_files_are_refused_and_not_kept(studio: Running, name: str) -> None:
    data, why = DANGEROUS[name]
    answer = bring(studio, data, name)
    assert answer.status_code == 422
    error = answer.json()["error"]
    assert error["kind"] == "dangerous-attachment"
    assert why in error["message"]
    assert name in error["message"]
    assert list((studio.studio.scratch / "uploads").iterdir()) == []
    # Also if it was uploaded under another type, and whatever is accepted.
    upload = uploaded(studio, data, name)["upload"]
    assert attach(studio, upload, accept=True).status_code == 422
    studio.client.delete(f"/api/v1/uploads/{upload}")


@pytest.mark.parametrize("name", SUSPICIOUS)
def test_suspicious_files_are_attached_only_if_confirmed(studio: Running, name: str) -> None:
    data, why = SUSPICIOUS[name]
    answer: dict[str, Any] = bring(studio, data, name).json()
    assert why in " ".join(answer["warnings"])
    asked = attach(studio, answer["upload"])
    assert asked.status_code == 409
    assert asked.json()["error"]["kind"] == "suspicious-attachment"
    assert asked.json()["error"]["stamp"] is None
    assert attach(studio, answer["upload"], accept=True).status_code == 200
    cid = cid_of(studio, studio.studio.given[0])
    first = next(document_of(studio, cid).conversations[0].messages())
    assert getattr(first.parts[-1], "name", None) == name


def test_a_harmless_file_needs_no_question(studio: Running) -> None:
    answer = bring(studio, GIF, "dot.gif", "image/gif").json()
    assert answer["warnings"] == []
    assert attach(studio, answer["upload"], type="image/gif").status_code == 200


def test_an_invalid_or_wrong_type_is_a_warning(studio: Running) -> None:
    for type, why in (("image/jpeg", "is image/gif"), ("picture", "is not a media type")):
        assert why in bring(studio, GIF, "dot", type).json()["warnings"][0]


def test_the_limit_is_that_of_the_configuration(studio: Running, config: Path) -> None:
    config.write_text("[attachments]\nmax-size = 10\n")
    answer = bring(studio, GIF, "dot.gif")
    assert answer.status_code == 413
    assert "an attachment may have 10" in answer.json()["error"]["message"]
    config.write_text("[attachments]\nmax-size = 'much'\n")
    answer = bring(studio, GIF, "dot.gif")
    assert answer.status_code == 400
    assert str(config) in answer.json()["error"]["message"]


def test_the_scanner_is_asked(studio: Running, config: Path) -> None:
    config.write_text(f"[attachments]\nscan-command = '{sys.executable} {SCANNER} {{path}}'\n")
    infected = bring(studio, b"a rotten pear", "pear.txt")
    assert infected.status_code == 422
    assert "Rotten.Pear FOUND" in infected.json()["error"]["message"]
    failed = bring(studio, b"an unripe pear", "pear.txt").json()
    assert "was not scanned" in failed["warnings"][0]
    assert bring(studio, b"a pear", "pear.txt").json()["warnings"] == []


def test_a_file_with_threats_in_a_conversation_is_looked_over(studio: Running) -> None:
    sample = Path(__file__).parent.parent / "data" / "rules" / "SEC121" / "bad" / "orchard.jsonl"
    upload = uploaded(studio, sample.read_bytes(), "orchard.jsonl")
    assert upload["findings"]["errors"] == 1
    assert upload["findings"]["examples"][0].startswith("SEC121")
