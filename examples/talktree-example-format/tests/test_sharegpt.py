"""The laws of every format, tested for this one."""

from __future__ import annotations

from pathlib import Path

from hypothesis import strategies as st
from talktree_sharegpt import FORMAT

from talktree.model.message import Message
from talktree.model.parts import Text
from talktree.testing.format_tests import FormatTests
from talktree.testing.strategies import wild_text

SAMPLES = Path(__file__).with_name("samples")


class TestShareGpt(FormatTests):
    """Tests of the ShareGPT format."""

    format = FORMAT
    good = (SAMPLES / "two.json", SAMPLES / "lines.jsonl")
    bad = (SAMPLES / "broken.json",)
    messages = st.builds(
        Message,
        id=st.just(""),
        role=st.sampled_from(["user", "assistant", "system", "tool", "narrator"]),
        parts=st.builds(lambda text: (Text(text),), wild_text),
    )
