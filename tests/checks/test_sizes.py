"""Sizes: images are measured from their first bytes, and limits apply."""

from __future__ import annotations

from base64 import b64encode
from struct import pack

import pytest
from hypothesis import given
from hypothesis import strategies as st

from talktree.checks.registry import choose_rules, rules_for
from talktree.checks.report import make_report
from talktree.checks.rules import sizes
from talktree.checks.support.image_sizes import find_image
from talktree.model.document import Document
from talktree.model.message import SIDECHAIN
from talktree.model.parts import Attachment, Text
from talktree.repairs.run import repair_document
from tests.checks.session import Session

RULES = choose_rules(rules_for("claude-code"), select=["SYN5"])


def png(width: int, height: int) -> bytes:
    return b"\x89PNG\r\n\x1a\n" + pack(">I4sII", 13, b"IHDR", width, height) + bytes(9)


def gif(width: int, height: int) -> bytes:
    return b"GIF89a" + pack("<HH", width, height) + bytes(9)


def jpeg(width: int, height: int) -> bytes:
    camera = b"\xff\xe1" + pack(">H", 2002) + bytes(2000)
    frame = b"\xff\xc2" + pack(">HBHH", 17, 8, height, width) + bytes(10)
    return b"\xff\xd8" + camera + frame


def webp_lossy(width: int, height: int) -> bytes:
    return b"RIFF\0\0\0\0WEBPVP8 " + bytes(10) + pack("<HH", width, height) + bytes(9)


def webp_lossless(width: int, height: int) -> bytes:
    bits = width - 1 | height - 1 << 14
    return b"RIFF\0\0\0\0WEBPVP8L\0\0\0\0\x2f" + pack("<I", bits) + bytes(9)


def webp_extended(width: int, height: int) -> bytes:
    sides = (width - 1).to_bytes(3, "little") + (height - 1).to_bytes(3, "little")
    return b"RIFF\0\0\0\0WEBPVP8X" + bytes(8) + sides + bytes(9)


KINDS = [png, gif, jpeg, webp_lossy, webp_lossless, webp_extended]


def url(data: bytes, kind: str = "image/png") -> str:
    return f"data:{kind};base64,{b64encode(data).decode()}"


@pytest.mark.parametrize("kind", KINDS)
@given(width=st.integers(1, 16_383), height=st.integers(1, 16_383))
def test_the_first_bytes_give_the_size(kind: object, width: int, height: int) -> None:
    found = find_image(Attachment(url=url(kind(width, height))))  # type: ignore[operator]
    assert found is not None
    assert (found.width, found.height) == (width, height)


@given(st.binary(max_size=80), st.sampled_from(KINDS), st.integers(0, 60))
def test_broken_images_have_no_size_and_do_no_harm(junk: bytes, kind: object, cut: int) -> None:
    for data in (junk, kind(9000, 9000)[:cut] + junk):  # type: ignore[operator]
        found = find_image(Attachment(url=url(data)))
        assert found is not None
        assert found.length == len(b64encode(data))


@pytest.mark.parametrize(
    "link", [None, "", "https://example.org/bed.png", "data:image/png,x", "data:image/png;base64"]
)
def test_text_that_looks_like_an_image_is_not_one(link: str | None) -> None:
    assert find_image(Attachment(url=link)) is None


def image(data: bytes) -> dict[str, object]:
    source = {"type": "base64", "media_type": "image/png", "data": b64encode(data).decode()}
    return {"type": "image", "source": source}


def shown(data: bytes) -> Document:
    session = Session()
    session.say([{"type": "text", "text": "Look."}, image(png(10, 10)), image(data)])
    session.reply()
    return session.document()


def test_an_image_of_too_many_bytes_gives_way_to_a_text(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sizes, "LARGEST_IMAGE", 1000)
    assert make_report(shown(png(10, 10) + bytes(500)), RULES).findings == []
    document = shown(png(10, 10) + bytes(2000))
    (found,) = make_report(document, RULES).findings
    assert (found.code, found.fix) == ("SYN503", "unsafe")
    after = repair_document(document, unsafe=True, rules=RULES).after
    first = next(after.conversation.messages())
    assert [type(part) for part in first.parts] == [Text, Attachment, Text]
    assert "10 x 10 pixels" in first.text


def test_a_sub_agents_own_file_is_not_bloat(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sizes, "LARGE", 1000)
    session = Session()
    for _ in range(30):
        session.say(isSidechain=True)
    document = session.document()
    assert all(SIDECHAIN in each.flags for each in document.conversation.messages())
    assert make_report(document, RULES).findings == []
    session.say(parent=None)
    assert [each.code for each in make_report(session.document(), RULES).findings] == ["SYN504"]
