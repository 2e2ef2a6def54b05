"""Dangerous content of files is found by their bytes, with little unpacked and in linear time."""

from __future__ import annotations

import bz2
import gzip
import lzma
import tracemalloc
import zipfile
import zlib
from io import BytesIO

import pytest
from hypothesis import given
from hypothesis import strategies as st

from talktree.text.archive_scan import HEAVY
from talktree.text.attachment_scan import EICAR, scan_attachment


def zipped(members: dict[str, bytes]) -> bytes:
    made = BytesIO()
    with zipfile.ZipFile(made, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as archive:
        for name, data in members.items():
            archive.writestr(name, data)
    return made.getvalue()


def kinds(data: bytes, **more: str) -> list[str]:
    return [each.kind for each in scan_attachment(data, **more)]


ZEROS = bytes(HEAVY + (1 << 20))


@pytest.mark.parametrize("pack", [gzip.compress, bz2.compress, lzma.compress])
def test_streams_that_grow_are_bombs_and_little_of_them_is_held(pack: object) -> None:
    data = pack(ZEROS)  # type: ignore[operator]
    tracemalloc.start()
    assert kinds(data) == ["archive-bomb"]
    assert tracemalloc.get_traced_memory()[1] < 24 << 20
    tracemalloc.stop()
    assert kinds(pack(b"pear " * 100_000)) == []  # type: ignore[operator]


def test_an_archive_that_grows_is_a_bomb_also_in_another_one() -> None:
    bomb = zipped({"zeros": ZEROS})
    assert kinds(bomb) == ["archive-bomb"]
    assert kinds(zipped({"inner.zip": bomb})) == ["archive-bomb"]
    assert kinds(zipped({"pears.json": b'{"pear": 1}' * 10_000})) == []


def test_broken_archives_are_not_a_threat() -> None:
    bomb = zipped({"zeros": bytes(10_000)})
    for data in (bomb[: len(bomb) // 2], b"PK\x03\x04", b"\x1f\x8b\x08", b"BZh9", b"\xfd7zXZ\x00"):
        assert kinds(data) == []


@pytest.mark.parametrize(
    ("data", "kind"),
    [
        (EICAR, "test-virus"),
        (b"\xef\xbb\xbf\n" + EICAR + b"\n", "test-virus"),
        (b"\x7fELF\x02\x01\x01" + bytes(60), "program"),
        (b"\xcf\xfa\xed\xfe" + bytes(28), "program"),
        (b"\xca\xfe\xba\xbe\0\0\0\x02" + bytes(20), "program"),
        (b"\xca\xfe\xba\xbe\0\0\0\x41" + bytes(20), "program"),
        (b"#!/usr/bin/env python3\n", "script"),
    ],
)
def test_the_kind_of_a_file_is_detected_by_its_bytes(data: bytes, kind: str) -> None:
    assert kinds(data) == [kind]
    assert kinds(data, name="pear.txt", media_type="text/plain") == [kind]


@pytest.mark.parametrize("name", ["a.bat", "a.PS1", "a.vbs", "a.js", "a.txt.cmd", "a.hta. "])
def test_scripts_are_known_by_their_names(name: str) -> None:
    assert kinds(b"words", name=name) == ["script"]


@pytest.mark.parametrize("name", ["a.json", "a.bat.txt", "js", "a.csv", "notes.jsx"])
def test_other_names_are_no_scripts(name: str) -> None:
    assert kinds(b"words", name=name) == []


def pdf(body: bytes) -> bytes:
    return b"%PDF-1.5\n" + body + b"\n%%EOF\n"


@pytest.mark.parametrize(
    "body",
    [
        b"<< /S /JavaScript /JS (1) >>",
        b"<</S/J#61v#61Script/JS(1)>>",
        b"<< /Names << /JavaScript 5 0 R >> >>",
        b"<< /S /Launch /F (a.exe) >>",
        b"<< /OpenAction 2 0 R >> 2 0 obj << /S /SubmitForm /F (https://a.example) >> endobj",
        b"<< /Type /ObjStm /Filter /FlateDecode >> stream\n"
        + zlib.compress(b"<< /S /JavaScript >>")
        + b"\nendstream",
        b"<< /Type /ObjStm /Filter [/Fl] >> stream\r\n"
        + zlib.compress(bytes(1000) + b"<< /JS 7 0 R >>")
        + b"\r\nendstream",
    ],
)
def test_scripts_in_a_pdf_are_found(body: bytes) -> None:
    assert kinds(pdf(body)) == ["pdf-script"]


@pytest.mark.parametrize(
    "body",
    [
        b"<< /OpenAction [3 0 R /Fit] >>",
        b"<< /OpenAction 2 0 R >> 2 0 obj << /S /GoTo /D [3 0 R /Fit] >> endobj",
        b"<< /Title (How /JavaScript and /JS \\(1\\) work) >>",
        b"% /JavaScript\n<< /Type /Catalog >>",
        b"<< /Length 30 >> stream\n/JavaScript /JS (1) Tj\nendstream",
        b"<< /JavaScriptNotes 1 >>",
    ],
)
def test_a_pdf_that_only_shows_something_is_harmless(body: bytes) -> None:
    assert kinds(pdf(body)) == []


def test_compressed_objects_are_unpacked_only_to_a_limit() -> None:
    bomb = zlib.compress(ZEROS, 9)
    body = b"<< /Type /ObjStm /Filter /FlateDecode >> stream\n" + bomb + b"\nendstream "
    tracemalloc.start()
    assert kinds(pdf(body * 20 + b"<< /S /Launch >>")) == ["pdf-script"]
    assert tracemalloc.get_traced_memory()[1] < 64 << 20
    tracemalloc.stop()


STARTS = (b"", b"PK\x03\x04", b"%PDF-1", b"MZ", b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1")


@given(st.binary(max_size=300), st.sampled_from(STARTS))
def test_nothing_breaks_the_scan(data: bytes, start: bytes) -> None:
    scan_attachment(start + data)
