"""The exported page: self-contained, safe, complete, and with the same tree."""

from __future__ import annotations

import re
from base64 import b64encode
from hashlib import sha256
from html.parser import HTMLParser
from pathlib import Path

import pytest

from talktree import api
from talktree.errors import NotFound
from talktree.export.choice import DETAILS, ExportOptions, Scope
from talktree.export.export import export_document
from tests.export.talks import PICTURE, call, document, forked, made, said

DEMO = Path(__file__).parent.parent.parent / "demo"
VOID = {"meta", "br", "hr", "img", "input"}


class Seen(HTMLParser):
    """Tags as a browser finds them."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.open: list[str] = []
        self.unbalanced: list[str] = []
        self.feed(text)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))
        if tag not in VOID:
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        if not self.open or self.open.pop() != tag:
            self.unbalanced.append(tag)


@pytest.mark.parametrize("path", sorted(DEMO.iterdir()), ids=lambda path: path.name)
def test_every_demo_is_a_valid_page_that_loads_and_runs_nothing(path: Path) -> None:
    if path.suffix == ".py":
        return
    text = made(api.read(path), ExportOptions())
    seen = Seen(text)
    assert not seen.unbalanced
    assert not seen.open
    names = {tag for tag, _ in seen.tags}
    assert not names & {"script", "link", "iframe", "object", "embed", "form", "base", "svg"}
    for _, attributes in seen.tags:
        assert not any(name.startswith("on") or name == "style" for name in attributes)
        source = attributes.get("src")
        assert source is None or source.startswith("data:image/")


def test_the_policy_allows_just_the_styles_of_the_page() -> None:
    text = made(document(*forked()), ExportOptions())
    (style,) = re.findall(r"<style>(.*?)</style>", text, re.DOTALL)
    digest = b64encode(sha256(style.encode()).digest()).decode()
    (policy,) = re.findall(r'http-equiv="Content-Security-Policy" content="([^"]*)"', text)
    policy = policy.replace("&#39;", "'")
    assert f"style-src 'sha256-{digest}'" in policy
    assert policy.startswith("default-src 'none';")
    assert "script" not in policy
    assert text.index("Content-Security-Policy") < text.index("<title>")


def test_links_lead_to_places_of_the_page() -> None:
    text = made(document(*forked()), ExportOptions())
    places = set(re.findall(r' id="([^"]+)"', text))
    links = re.findall(r'href="#([^"]+)"', text)
    assert len(links) >= 6
    assert set(links) <= places
    assert len(places) == len(re.findall(r' id="', text))


def test_forks_sub_agents_and_prompts_are_shown() -> None:
    text = made(document(*forked()), ExportOptions())
    assert "Water the first" in text
    assert "Done second." in text
    assert text.index("Done second.") < text.index("Done first.")  # the current branch first
    assert "Other ways on from here" in text
    assert '<details class="tt-x-side"><summary>Sub-agent: 2 messages</summary>' in text
    assert f"data:image/png;base64,{PICTURE}" in text


def test_a_theme_can_be_fixed() -> None:
    read = document(*forked())
    assert '<html lang="en" data-theme="dark">' in made(read, ExportOptions(theme="dark"))
    assert '<html lang="en">' in made(read, ExportOptions())


HOSTILE = "</style></title><script>alert(1)</script><img src=x onerror=alert(1)>\"'>"


@pytest.mark.parametrize("to", ["html"])
def test_nothing_that_is_said_becomes_markup(to: str) -> None:
    read = document(
        said("user", "u1", None, HOSTILE, cwd=HOSTILE, gitBranch=HOSTILE, version=HOSTILE),
        said("assistant", "a1", "u1", [
            {"type": "tool_use", "id": HOSTILE, "name": HOSTILE, "input": {HOSTILE: HOSTILE}},
            {"type": HOSTILE, "x": HOSTILE},
            {"type": "thinking", "thinking": HOSTILE, "signature": HOSTILE},
        ]),
        {"type": "summary", "summary": HOSTILE, "leafUuid": "a1"},
        name=f"{HOSTILE}.jsonl".replace("/", "_"),
    )  # fmt: skip
    seen = Seen(made(read, ExportOptions(to=to)))
    assert not any(tag == "script" for tag, _ in seen.tags)
    assert not any("onerror" in attributes for _, attributes in seen.tags)
    assert [tag for tag, _ in seen.tags].count("style") == 1


# levels of detail


def test_a_branch_or_a_selection_is_exported_alone() -> None:
    read = document(*forked())
    branch = made(read, ExportOptions(to="md", scope=Scope(leaf="a3")))
    assert "Done first." in branch
    assert "Done second." not in branch
    active = made(read, ExportOptions(to="md", scope=Scope(leaf="active")))
    assert "Done second." in active
    assert "Done first." not in active
    some = made(read, ExportOptions(to="md", scope=Scope(ids=("u1", "a4"))))
    assert "Water the pears" in some
    assert "Two pears" not in some
    with pytest.raises(NotFound):
        export_document(read, ExportOptions(scope=Scope(ids=("nobody",))))


@pytest.mark.parametrize("to", ["html", "md", "text", "native", "claude-code"])
def test_each_level_of_detail_has_its_content(to: str) -> None:
    read = document(*forked())
    texts = {detail: made(read, ExportOptions(to=to, detail=detail)) for detail in DETAILS}
    reported = {
        "Water the pears": {"full", "high", "low", "minimal", "user-only"},
        "Two pears.": {"full", "high", "low", "minimal"},
        "ls orchard": {"full", "high", "low"},
        "pear-2": {"full", "high"},
        "Which pears?": {"full"},
    }
    for words, levels in reported.items():
        assert {detail for detail, text in texts.items() if words in text} == levels, words
    assert texts["full"].count("leaf leaf") > texts["high"].count("leaf leaf") > 0


@pytest.mark.parametrize(("images", "kept"), [("keep", True), ("link", False), ("drop", False)])
def test_images_are_kept_or_left_out(images: str, *, kept: bool) -> None:
    read = document(*forked())
    for to in ("html", "native"):
        text = made(read, ExportOptions(to=to, images=images))  # type: ignore[arg-type]
        assert (PICTURE in text) == kept


def test_only_one_conversation_of_several_is_exported() -> None:
    read = api.read(DEMO / "muse.json")
    assert len(read.conversations) == 2
    first = [message.text for message in read.conversations[0].messages()]
    one = made(read, ExportOptions(to="text"), only=[1])
    assert first[0][:30] not in one
    assert first[0][:30] in made(read, ExportOptions(to="text"))


# text for readers


def test_fences_are_longer_than_any_inside_and_open_ones_are_closed() -> None:
    read = document(
        said("user", "u1", None, "look:\n```python\nx = 1"),
        said("assistant", "a1", "u1", [
            call("t", "Write", content="````\ninside\n````"),
        ]),
        said("user", "u2", "a1", "next"),
    )  # fmt: skip
    text = made(read, ExportOptions(to="md"))
    assert "x = 1\n```\n" in text
    assert "\n`````\n" in text
    assert text.index("## Claude") > text.index("x = 1\n```")


def test_plain_text_holds_nothing_that_a_terminal_would_obey() -> None:
    read = document(said("user", "u1", None, "a \x1b]0;x\x07 b \x1b[31mred\x1b[0m \u202e c"))
    for to in ("text", "md", "html"):
        text = made(read, ExportOptions(to=to))
        assert not re.search("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202e]", text)


# large pages


def test_pages_come_in_pieces() -> None:
    lines = [
        said("user", f"u{n}", f"u{n - 1}" if n else None, f"pear {n} " * 60) for n in range(900)
    ]
    done = export_document(document(*lines), ExportOptions())
    (pieces,) = done.files.values()
    sizes = [len(piece) for piece in pieces]
    assert len(sizes) > 3
    assert max(sizes) < 200_000


def test_who_watches_can_stop_it(tmp_path: Path) -> None:
    class Enough(Exception):
        pass

    def report(done: int) -> None:
        if done > 100:
            raise Enough

    lines = [said("user", f"u{n}", f"u{n - 1}" if n else None, "pear") for n in range(500)]
    done = export_document(document(*lines), ExportOptions(), tell=report)
    with pytest.raises(Enough):
        done.save(tmp_path / "page.html")
    assert not list(tmp_path.iterdir())
