"""Artifacts in their sandbox, and images: what is sent, under which rules."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from talktree.web.artifacts import artifact_page as pages
from talktree.web.artifacts.dimensions import is_too_large, read_dimensions
from talktree.web.artifacts.kinds import find_kind
from tests.export.talks import PICTURE, document, said
from tests.web.running import Running, running

BREAKOUT = "export default () => <p>{'</script><script>parent.x=1</script><!--'}</p>"


SOURCES = {
    "react": ("application/vnd.ant.react", BREAKOUT),
    "mermaid": ("application/vnd.ant.mermaid", "graph TD\nA-->B"),
    "html": ("text/html", "<!doctype html><h1>Hi</h1><script>document.title='x'</script>"),
    "svg": ("image/svg+xml", "<svg xmlns='http://www.w3.org/2000/svg' onload='alert(1)'/>"),
    "markdown": ("text/markdown", "# Pears\n<script>alert(1)</script>"),
    "code": ("text/x-python", "print('</script>')"),
}


@pytest.fixture
def frames(tmp_path: Path) -> Path:
    for name in ("react", "mermaid", "plain"):
        (tmp_path / f"{name}.js").write_text(f"/* {name} */")
    return tmp_path


@pytest.fixture(scope="module")
def studio(tmp_path_factory: pytest.TempPathFactory) -> Running:  # type: ignore[misc]
    from talktree import api
    from talktree.export.choice import ExportOptions
    from talktree.export.export import export_document
    from talktree.model.edit import append
    from talktree.model.message import Message
    from talktree.model.parts import Artifact, Attachment, Text

    start = document(said("user", "u1", None, "hello"))
    (made,) = export_document(start, ExportOptions(to="native")).files.values()
    folder = tmp_path_factory.mktemp("artifacts")
    first = folder / "first.jsonl"
    first.write_bytes(b"".join(made))
    read = api.read(first)
    talk, parent = read.conversation, read.conversation.skeleton.ids[1]
    for name, (media_type, content) in SOURCES.items():
        part = Artifact(media_type=media_type, title=name, content=content)
        talk = append(talk, Message(id=name, parent=parent, role="assistant", parts=(part,)))
        parent = name
    drawing = "data:image/svg+xml;base64,PHN2Zy8+"
    parts = (
        Text("pictures"),
        Attachment("a.png", "image/png", f"data:image/png;base64,{PICTURE}"),
        Attachment("b.svg", "image/svg+xml", drawing),
        Attachment("c.html", "text/html", "data:text/html;base64,PHNjcmlwdD4="),
        Attachment("d.png", "image/png", "https://elsewhere.example/d.png"),
    )
    talk = append(talk, Message(id="pictures", parent=parent, role="user", parts=parts))
    path = folder / "talk.jsonl"
    api.write(read.with_conversation(talk), path)
    first.unlink()
    with running([path]) as found:
        yield found


@pytest.fixture
def built(frames: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Return the frame's page, as if it were built."""
    monkeypatch.setattr(pages.read_runtime, "__defaults__", (frames,))
    monkeypatch.setattr(pages.build_artifact_page, "__defaults__", (frames,))


@pytest.mark.usefixtures("built")
@pytest.mark.parametrize("kind", SOURCES)
def test_an_artifact_is_sent_only_into_the_sandbox(studio: Running, kind: str) -> None:
    answer = studio.client.get(f"/artifact/1/{kind}/0")
    assert answer.status_code == 200
    assert answer.headers["content-type"].startswith("text/html")
    rules = dict(
        rule.strip().partition(" ")[::2]
        for rule in answer.headers["content-security-policy"].split(";")
    )
    assert rules["sandbox"] == "allow-scripts"
    assert rules["default-src"] == "'none'"
    assert rules["img-src"] == "data: blob:"
    assert rules["form-action"] == "'none'"
    assert rules["frame-ancestors"] == "'self'"
    assert "connect-src" not in rules
    assert "allow-same-origin" not in str(answer.headers)
    assert answer.headers["connection-allowlist"] == "();webrtc=block"
    assert answer.headers["x-content-type-options"] == "nosniff"
    assert answer.headers["referrer-policy"] == "no-referrer"
    assert answer.headers["cache-control"] == "no-store"


@pytest.mark.usefixtures("built")
def test_a_source_cannot_end_the_element_it_is_handed_over_in(studio: Running) -> None:
    text = studio.client.get("/artifact/1/react/0?theme=dark").text
    (handed,) = re.findall(r'<script type="application/json" id="artifact">(.*?)</script>', text)
    assert "<" not in handed
    assert json.loads(handed) == {"kind": "react", "source": BREAKOUT}
    assert text.count("<script") == 2
    assert 'data-theme="dark"' in text


@pytest.mark.usefixtures("built")
def test_only_pages_are_sent_as_they_are(studio: Running) -> None:
    page = studio.client.get("/artifact/1/html/0").text
    assert page.endswith(SOURCES["html"][1])
    drawing = studio.client.get("/artifact/1/svg/0").text
    assert "<svg" not in drawing
    assert '<img alt="" src="data:image/svg+xml;base64,' in drawing
    for kind in ("markdown", "code"):
        assert studio.client.get(f"/artifact/1/{kind}/0").text.count("<script") == 1


def test_a_page_declares_no_tree_that_no_one_can_look_into(frames: Path) -> None:
    declared = "<p><template ShadowRootMode=closed><iframe></iframe></template>"
    page = pages.build_artifact_page("html", declared, "light", frames)
    assert page.endswith("<p><template data-ShadowRootMode=closed><iframe></iframe></template>")


@pytest.mark.parametrize(
    "address", ["/artifact/1/pictures/1", "/artifact/1/html/7", "/artifact/1/nobody/0",
                "/artifact/9/html/0", "/artifact/1/html/x", "/img/1/pictures/0",
                "/img/1/pictures/3", "/img/1/pictures/4", "/img/1/html/0"],
)  # fmt: skip
def test_only_artifacts_and_images_are_sent(studio: Running, address: str) -> None:
    answer = studio.client.get(address)
    assert answer.status_code == 404
    assert "error" in answer.json()


def test_images_are_sent_as_what_they_are(studio: Running) -> None:
    picture = studio.client.get("/img/1/pictures/1")
    assert picture.headers["content-type"] == "image/png"
    assert picture.content.startswith(b"\x89PNG")
    drawing = studio.client.get("/img/1/pictures/2")
    assert drawing.headers["content-type"] == "image/svg+xml"
    for answer in (picture, drawing):
        assert "sandbox" in answer.headers["content-security-policy"]
        assert "default-src 'none'" in answer.headers["content-security-policy"]
        assert "allow-" not in answer.headers["content-security-policy"]


def test_they_need_the_cookie(studio: Running) -> None:
    import httpx

    for address in ("/artifact/1/html/0", "/img/1/pictures/1"):
        answer = httpx.get(studio.origin + address)
        assert answer.status_code == 401


def test_without_what_was_built_nothing_runs(tmp_path: Path) -> None:
    from talktree.errors import NotFound

    with pytest.raises(NotFound, match="not built"):
        pages.build_artifact_page("react", "x", "light", tmp_path)


def test_kinds_are_known_by_their_types() -> None:
    assert find_kind("text/html; charset=utf-8") == "html"
    assert find_kind("IMAGE/SVG+XML") == "svg"
    assert find_kind(None) == find_kind("application/x-sh") == "code"


def test_the_size_of_an_image_is_reported_by_its_beginning() -> None:
    png = b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR" + (70000).to_bytes(4, "big") + (2000).to_bytes(4, "big")
    assert read_dimensions(png) == (70000, 2000)
    assert is_too_large(png)
    assert read_dimensions(b"GIF89a\x10\0\x20\0") == (16, 32)
    jpeg = b"\xff\xd8\xff\xe0\0\x04ab\xff\xc0\0\x11\x08\x01\x00\x02\x00\x03" + b"\0" * 8
    assert read_dimensions(jpeg) == (512, 256)
    assert read_dimensions(b"RIFF\0\0\0\0WEBPVP8X" + b"\0" * 8 + b"\x0f\0\0\x07\0\0") == (16, 8)
    for broken in (b"", b"\x89PNG\r\n\x1a\n", b"\xff\xd8\xff\xff", b"RIFF\0\0\0\0WEBP"):
        assert is_too_large(broken)
