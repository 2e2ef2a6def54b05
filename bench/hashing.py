"""How fast the 32-bit content hash is: numpy, big integers, a plain loop, and Node."""

from __future__ import annotations

import shutil
import subprocess
import sys

from bench.measure import Row, side_by_side, table
from talktree.formats.studio.hashing import format_hash, hash_by_folding, hash_by_numpy

UNITS = 1_000_000
SCRIPT = """
const text = require("fs").readFileSync(0, "utf8");
function hashed(content) {
  let hash = 0;
  for (let i = 0; i < content.length; i++) hash = (Math.imul(hash, 31) + content.charCodeAt(i)) | 0;
  return Math.abs(hash).toString(16);
}
let best = Infinity, hash = "";
for (let round = 0; round < 20; round++) {
  const start = process.cpuUsage();
  for (let time = 0; time < 10; time++) hash = hashed(text);
  const spent = process.cpuUsage(start);
  best = Math.min(best, (spent.user + spent.system) / 1e7);
}
console.log(hash, best);
"""


def by_loop(units: bytes) -> int:
    """Hash one unit after the other, as the format's document does it."""
    total = 0
    for unit in memoryview(units).cast("H"):
        total = (total * 31 + unit) & 0xFFFFFFFF
    return total


def rows() -> list[Row]:
    """Hash a million UTF-16 units in each way; all must give the same hash."""
    sentence = "The quick brown fox jumps over the lazy dog. "
    text = (sentence * (UNITS // len(sentence) + 1))[:UNITS]
    hashes = {format_hash(form(_units(text))) for form in (hash_by_numpy, hash_by_folding, by_loop)}
    vectors, folded = side_by_side(
        lambda: hash_by_numpy(_units(text)), lambda: hash_by_folding(_units(text))
    )
    again, loop = side_by_side(lambda: hash_by_folding(_units(text)), lambda: by_loop(_units(text)))
    found = [
        _row("numpy", vectors, "big integers", folded, "≤ 0.1×"),
        _row("big integers", again, "a plain loop", loop, "≤ 0.5×"),
    ]
    if shutil.which("node"):
        hash, seconds = _in_node(text)
        hashes.add(hash)
        found.append(_row("numpy", vectors, "the same loop in Node", seconds, "≤ 1×"))
    if len(hashes) != 1:
        sys.exit(f"the forms disagree: {sorted(hashes)}")
    return found


def _units(text: str) -> bytes:
    return text.encode("utf-16-le", "surrogatepass")


def _row(ours: str, seconds: float, against: str, other: float, bar: str) -> Row:
    return Row(
        f"content hash of 1 MB with {ours}",
        f"{seconds * 1000:.2f} ms",
        f"{against} {other * 1000:.2f} ms",
        f"{seconds / other:.3f}×",
        bar,
    )


def _in_node(text: str) -> tuple[str, float]:
    done = subprocess.run(
        ["node", "-e", SCRIPT], input=text, capture_output=True, text=True, check=True
    )
    hash, seconds = done.stdout.split()
    return hash, float(seconds)


def main() -> None:
    """Print the table."""
    print(table(rows()))


if __name__ == "__main__":
    main()
