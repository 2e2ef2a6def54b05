"""Contents of attachments: in the record, beside the file, or left out; all are restored."""

from __future__ import annotations

import base64
from typing import Any

import pytest

from talktree.conversion.attachments import FOLDER
from talktree.conversion.losses import LossReport
from talktree.conversion.options import Options
from talktree.formats.detect import detect
from talktree.formats.native.lens import put
from talktree.formats.native.lens_fields import encode_line
from talktree.model.message import Message
from talktree.model.parts import Attachment, Text, ToolResult
from tests.conversion.trips import SLUGS, Files, into

PICTURE = bytes(range(256)) * 20
CONTENT = base64.b64encode(PICTURE).decode()
URL = f"data:image/png;base64,{CONTENT}"
TARGETS = [slug for slug in SLUGS if slug != "native"]


def album() -> Files:
    """Return a conversation with a picture from the user and the same one from a tool."""
    first = Message(
        id="11111111-1111-4111-8111-111111111111",
        role="user",
        parts=(Text("Look at this"), Attachment("cat.png", "image/png", URL)),
    )
    second = Message(
        id="22222222-2222-4222-8222-222222222222",
        parent=first.id,
        role="user",
        parts=(ToolResult((Attachment("cat.png", "image/png", URL),), call="c1"),),
    )
    lines: list[Any] = [
        {"talktree": {"version": 1}},
        *(put(each, None) for each in (first, second)),
    ]
    data = b"".join(encode_line(each) + b"\n" for each in lines)
    return Files({"album.jsonl": data}, folder=False)


@pytest.mark.parametrize("policy", ["inline", "beside", "link"])
@pytest.mark.parametrize("target", TARGETS)
def test_contents_come_back_whatever_the_policy(target: str, policy: str) -> None:
    options = Options(attachments=policy)  # type: ignore[arg-type]
    there = into(album().read_as("native"), target, options)
    assert detect(there.source()).format.info.slug == target
    assert into(there.read_as(target), "native") == album()


@pytest.mark.parametrize("target", ["chatbuilder", "studio", "studio-text", "studio-xml", "muse"])
def test_a_content_beside_the_file_is_one_file(target: str) -> None:
    there = into(album().read_as("native"), target, Options(attachments="beside"))
    contents = [data for path, data in there.files.items() if FOLDER in path]
    assert contents == [PICTURE]
    rest = b"".join(data for path, data in there.files.items() if FOLDER not in path)
    assert CONTENT.encode() not in rest


@pytest.mark.parametrize("target", ["studio", "claude-code", "studio-xml"])
def test_a_content_in_the_record_is_there_once(target: str) -> None:
    there = into(album().read_as("native"), target)
    whole = b"".join(there.files.values())
    # Once for the user's message, once for the tool's.
    assert whole.count(CONTENT.encode()) == 2


def test_without_embedded_data_a_link_loses_the_content_and_reports_it() -> None:
    loss_report = LossReport()
    into(album().read_as("native"), "studio", Options(attachments="link", carry=False), loss_report)
    assert any(
        "attachment" in loss.what or loss.kind == "attachment" for loss in loss_report.losses
    )
