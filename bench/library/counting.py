"""Counting tokens: from the library and directly from the files, against ccusage."""

from __future__ import annotations

import json

from bench.library.stand import Stand
from bench.measure import Row
from bench.peers.contestants import Ccusage
from bench.peers.install import CCUSAGE, found
from bench.programs import in_turns, must

NAMES = ("input", "output", "cache_write", "cache_read")


def rows(stand: Stand) -> list[Row]:
    """Compare the totals of all sessions; all three must give the true total."""
    program = found(CCUSAGE)
    if program is None:
        absent = "ccusage NOT RUN: `make bench-peers` installs it"
        return [Row("usage totals", "", absent, "", "≤ 0.3×")]
    peer = Ccusage(program, stand.work / "ccusage")
    env = {**peer.env, "CLAUDE_CONFIG_DIR": str(stand.history)}
    counts = {"ccusage": lambda: must(peer.count(), env=env)}
    counts["library"] = lambda: must(stand.ours.count())
    counts["files"] = lambda: must(stand.ours.count_files(stand.projects))
    ran = dict(zip(counts, in_turns(*counts.values(), rounds=5), strict=True))
    spent = {name: getattr(stand.truth.total, name) for name in NAMES}
    details = {
        "ccusage": peer.tokens(ran["ccusage"].output),
        "library": of_library(ran["library"].output),
        "files": _of_files(ran["files"].output),
    }
    exact = {name: "exact" if tokens == spent else "NOT EXACT" for name, tokens in details.items()}
    other = ran["ccusage"]
    return [
        Row(
            f"usage totals {where}, {exact[name]}",
            ran[name].details(),
            f"ccusage {other.details()}, {exact['ccusage']}",
            f"{ran[name].seconds / other.seconds:.2f}×, CPU {ran[name].cpu / other.cpu:.2f}×",
            bar,
        )
        for name, where, bar in (
            ("library", "from the library", "≤ 0.3×"),
            ("files", "straight from the files", "≤ 1.2×"),
        )
    ]


def of_library(output: str) -> dict[str, int]:
    """Return the tokens in the output of `talktree stats --json`."""
    totals = json.loads(output)["totals"]
    return {name: totals[f"{name}_tokens"] for name in NAMES}


def _of_files(output: str) -> dict[str, int]:
    totals = json.loads(output)
    return {name: totals[name] for name in NAMES}
