"""Other packages can render their own parts; whatever they return passes the gate."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from talktree.model.message import Message
from talktree.model.parts import Event, Part, Text, ToolCall
from talktree.views.html.block import MessageBlock
from talktree.views.html.registry import load_registry
from talktree.views.html.rendering import RenderOptions, render_blocks
from talktree.views.transcript import fold_results

PLUGIN = """
from talktree.views.html.block import MessageBlock

def chart(call, result, look):
    html = '<p class="tt-chart x" onclick="alert(1)">7</p><script>alert(1)</script>'
    return MessageBlock(kind="call", title="chart", html=html)

def broken(part, look):
    raise RuntimeError("no")

def poem(message, look):
    return (MessageBlock(kind="text", html="<em>" + message.parts[0].text + "</em>"),)

def register(registry):
    registry.tool("DrawChart", chart)
    registry.part("weather", broken)
    registry.message("poet", poem)
"""
POINTS = (
    "[talktree.renderers]\ncharts = charts_for_talktree:register\ngone = no_such_module:register\n"
)


@pytest.fixture
def installed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Install a small distribution with an entry point, as pip would leave it."""
    (tmp_path / "charts_for_talktree.py").write_text(PLUGIN)
    info = tmp_path / "charts_for_talktree-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text(
        "Metadata-Version: 2.1\nName: charts-for-talktree\nVersion: 1.0\n"
    )
    (info / "entry_points.txt").write_text(POINTS)
    monkeypatch.syspath_prepend(tmp_path)
    load_registry.cache_clear()
    yield
    load_registry.cache_clear()


def only(part: Part, role: str = "assistant") -> MessageBlock:
    """Return the only block of a message with this part."""
    (step,) = fold_results([(0, Message(id="m", role=role, parts=(part,)))])
    (block,) = render_blocks(step, RenderOptions())
    return block


@pytest.mark.usefixtures("installed")
def test_a_tool_of_another_package() -> None:
    shown = only(ToolCall("draw_chart", {}))
    assert shown.title == "chart"
    assert shown.html == '<p class="tt-chart">7</p>'


@pytest.mark.usefixtures("installed")
def test_a_type_of_message_of_another_package() -> None:
    assert only(Text("<b onclick=x>roses</b>"), "poet").html == "<em><b>roses</b></em>"


@pytest.mark.usefixtures("installed")
def test_content_of_a_failing_plugin_is_shown_in_the_usual_way_and_reported() -> None:
    shown = only(Event("weather", "rain"))
    assert (shown.kind, shown.title, shown.detail) == ("chip", "weather", "rain")
    reported = " ".join(load_registry().troubles)
    assert "plug-in gone (charts-for-talktree 1.0) cannot be loaded" in reported
    assert "RuntimeError: no" in reported
