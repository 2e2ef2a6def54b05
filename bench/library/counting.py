"""Counting tokens: from the library and straight from the files, against ccusage."""

from __future__ import annotations

from bench.library.stand import Stand
from bench.measure import Row
from bench.peers.contestants import Ccusage
from bench.peers.install import CCUSAGE, found
from bench.programs import in_turns, must


def rows(stand: Stand) -> list[Row]:
    """Totals of all sessions; all three must say what was spent."""
    program = found(CCUSAGE)
    if program is None:
        absent = "ccusage NOT RUN: `make bench-peers` installs it"
        return [Row("usage totals", "", absent, "", "≤ 0.3×")]
    peer = Ccusage(program, stand.work / "ccusage")
    env = {**peer.env, "CLAUDE_CONFIG_DIR": str(stand.history)}
    other, ours, straight = in_turns(
        lambda: must(peer.count(), env=env),
        lambda: must(stand.ours.count()),
        lambda: must(stand.ours.count_files(stand.projects)),
        rounds=5,
    )
    total = stand.truth.total
    told = peer.tokens(other.output)
    exact = all(told[name] == getattr(total, name) for name in told)
    against = f"ccusage {other.told()}, {'exact' if exact else 'NOT exact'}"
    return [
        Row(
            f"usage totals {where}, {_judged(ran.output, told)}",
            ran.told(),
            against,
            f"{ran.seconds / other.seconds:.2f}×, CPU {ran.cpu / other.cpu:.2f}×",
            bar,
        )
        for where, ran, bar in (
            ("from the library", ours, "≤ 0.3×"),
            ("straight from the files", straight, "≤ 1.2×"),
        )
    ]


def _judged(output: str, told: dict[str, int]) -> str:
    """Whether all four numbers stand in what was printed."""
    return "exact" if all(str(number) in output for number in told.values()) else "NOT exact"
