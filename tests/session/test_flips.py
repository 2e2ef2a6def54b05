"""One flipped bit anywhere: always detected, and every other line is served unchanged."""

from __future__ import annotations

import random
from pathlib import Path

from talktree.session.journal.lines import seal_line, verify_seal
from tests.cases import TORTURE
from tests.session.journals import served

FLIPS = 10_000 if TORTURE else 500


def test_one_flipped_bit(tmp_path: Path) -> None:
    chance = random.Random(7)
    bodies = [
        b'{"type":"user","uuid":"%d","text":"%s"}'
        % (at, chance.randbytes(chance.randrange(40)).hex().encode())
        for at in range(40)
    ]
    whole = [seal_line(body, at + 1) for at, body in enumerate(bodies)]
    data = b"".join(line + b"\n" for line in whole)
    path = tmp_path / "messages.jsonl"
    for _ in range(FLIPS):
        at, bit = chance.randrange(len(data)), chance.randrange(8)
        damaged = bytearray(data)
        damaged[at] ^= 1 << bit
        path.write_bytes(damaged)
        hit = data.count(b"\n", 0, at)
        found = served(tmp_path)
        good = [line.raw for line in found if verify_seal(line.raw).state == "good"]
        if data[at] == 0x0A:
            # The newline is not part of the line: both lines are there, and nothing is wrong.
            assert good == whole
        else:
            assert good == whole[:hit] + whole[hit + 1 :], (at, bit)
            assert any(verify_seal(line.raw).state != "good" for line in found)
