"""Damage to bytes and lines: L01 to L12, E01 to E07."""

from __future__ import annotations

import gzip
import json
from random import Random

from tests.conversion.trips import Files
from tests.damage.lines import ALL, JSON, LINES, Lines, main_file, numbers_in, text_place, with_file
from tests.damage.patterns import Case, pattern

WHOLE = ("studio", "muse", "studio-xml")


def _all(files: Files) -> frozenset[int]:
    found: set[int] = set()
    for data in files.files.values():
        found |= numbers_in(data.decode())
    return frozenset(found)


@pattern("L01", "torn-tail", LINES)
def truncated_tail(files: Files, slug: str, random: Random) -> Case:
    lines = Lines(files, slug)
    last = lines.messages[-1]
    del lines.raw[last + 1 :]
    touched = numbers_in(lines.raw[last].decode())
    lines.raw[last] = lines.raw[last][: random.randint(2, len(lines.raw[last]) - 3)]
    return Case(lines.done(), ["SYN101"], frozenset(touched))


@pattern("L01", "torn-document", WHOLE)
def truncated_document(files: Files, slug: str, random: Random) -> Case:
    path = main_file(files, slug)
    data = files.files[path]
    cut = random.randint(data.find(b"No. 1:"), len(data) - 12)
    left = numbers_in(data[:cut].decode("utf-8", "ignore"))
    # The message in which the file ends may be cut anywhere.
    gone = (_all(files) - left) | {max(left)}
    return Case(with_file(files, path, data[:cut]), ["SYN101"], frozenset(gone))


@pattern("L02", "splice", LINES)
def splice(files: Files, slug: str, random: Random) -> Case:
    lines = Lines(files, slug)
    at = lines.pick(random, last=1)
    touched = numbers_in(lines.raw[at].decode())
    lines.raw[at] = lines.raw[at][: random.randint(8, len(lines.raw[at]) - 4)]
    return Case(lines.done(), ["SYN104"], frozenset(touched))


@pattern("L03", "fused", LINES)
def fused(files: Files, slug: str, random: Random) -> Case:
    lines = Lines(files, slug)
    at = lines.pick(random, last=1)
    lines.raw[at] = lines.raw[at].rstrip(b"\n")
    return Case(lines.done(), ["SYN103"])


@pattern("L04", "bad-middle", LINES)
def bad_middle(files: Files, slug: str, random: Random) -> Case:
    lines = Lines(files, slug)
    at = lines.pick(random, first=1)
    junk = random.choice([b"%%% write error %%%\n", b"{]]\n", b'{"type":\n', b"undefined\n"])
    lines.raw.insert(at, junk)
    return Case(lines.done(), ["SYN101", "SYN102"])


@pattern("L05", "interleave", LINES)
def interleave(files: Files, slug: str, random: Random) -> Case:
    lines = Lines(files, slug)
    at = lines.pick(random, last=1)
    one, two = lines.raw[at], lines.raw[at + 1]
    cut = random.randint(12, len(one) - 12)
    lines.raw[at : at + 2] = [one[:cut] + two.rstrip(b"\n") + one[cut:]]
    touched = numbers_in((one + two).decode())
    return Case(lines.done(), ["SYN110", "SYN104"], frozenset(touched))


@pattern("L06", "nul-run", LINES)
def nul_run(files: Files, slug: str, random: Random) -> Case:
    lines = Lines(files, slug)
    at = lines.pick(random)
    nuls = bytes(random.randint(1, 600))
    place = random.choice(["before", "behind", "alone"])
    if place == "before":
        lines.raw[at] = nuls + lines.raw[at]
    elif place == "behind":
        lines.raw[-1] += nuls
    else:
        lines.raw.insert(at, nuls + b"\n")
    return Case(lines.done(), ["SYN105"])


@pattern("L07", "nul-file", ["sage"])
def nul_file(files: Files, slug: str, random: Random) -> Case:
    size = len(files.files["metadata.json"])
    return Case(with_file(files, "metadata.json", bytes(size)), ["SYN111", "SAG601"])


@pattern("L08", "empty", ALL)
def empty(files: Files, slug: str, random: Random) -> Case:
    path = random.choice(list(files.files)) if slug == "chatbuilder" else main_file(files, slug)
    gone = numbers_in(files.files[path].decode())
    return Case(with_file(files, path, b""), ["SYN107"], frozenset(gone))


@pattern("L09", "not-lines", ["claude-code", "claude-messages", "sage"])
def not_lines(files: Files, slug: str, random: Random) -> Case:
    """Only foreign programs write their lines as one list."""
    lines = Lines(files, slug)
    values = [json.loads(line) for line in lines.raw]
    data = json.dumps(values, ensure_ascii=False, indent=2).encode()
    return Case(with_file(files, lines.path, data), ["SYN106"])


@pattern("L10", "compressed", [*LINES, "studio", "muse", "studio-text", "studio-xml"])
def compressed(files: Files, slug: str, random: Random) -> Case:
    path = main_file(files, slug)
    return Case(with_file(files, path, gzip.compress(files.files[path])), ["SYN112"])


@pattern("L11", "blank", LINES)
def blank(files: Files, slug: str, random: Random) -> Case:
    lines = Lines(files, slug)
    lines.raw.insert(lines.pick(random), random.choice([b"\n", b"  \n", b"\t \n"]))
    return Case(lines.done(), ["SYN113"])


@pattern("L12", "crlf", LINES)
def crlf(files: Files, slug: str, random: Random) -> Case:
    lines = Lines(files, slug)
    lines.raw = [line.replace(b"\n", b"\r\n") for line in lines.raw]
    return Case(lines.done(), ["SYN108"])


@pattern("E01", "bom", [slug for slug in ALL if slug != "studio-xml"])
def bom(files: Files, slug: str, random: Random) -> Case:
    # XML may begin with one.
    path = main_file(files, slug)
    return Case(with_file(files, path, b"\xef\xbb\xbf" + files.files[path]), ["SYN201"])


@pattern("E01", "utf-16", [*LINES, "studio", "muse"])
def utf_16(files: Files, slug: str, random: Random) -> Case:
    path = main_file(files, slug)
    data = files.files[path].decode().encode("utf-16")
    return Case(with_file(files, path, data), ["SYN210"])


@pattern("E02", "bad-utf8", ALL)
def bad_utf8(files: Files, slug: str, random: Random) -> Case:
    path = main_file(files, slug)
    data = files.files[path]
    at = text_place(data, random)
    bad = random.choice([b"\xff", b"\xc3", b"\xe2\x82", b"\xf0\x9f"])
    return Case(with_file(files, path, data[:at] + bad + b" " + data[at:]), ["SYN202"])


@pattern("E03", "chunk-boundary", LINES)
def chunk_boundary(files: Files, slug: str, random: Random) -> Case:
    """A character crosses the end of a block, which is not damage."""
    path = main_file(files, slug)
    data = files.files[path]
    at = text_place(data, random)
    far = (1 << 20) - at - random.randint(0, 3)
    data = data[:at] + b"x" * far + "🌊".encode() * 3 + data[at:]
    return Case(with_file(files, path, data), [])


@pattern("E04", "lone-surrogate", JSON)
def lone_surrogate(files: Files, slug: str, random: Random) -> Case:
    path = main_file(files, slug)
    data = files.files[path]
    at = text_place(data, random)
    half = random.choice([rb"\ud83c ", rb" \udf0a", rb"\uDBFFx"])
    return Case(with_file(files, path, data[:at] + half + data[at:]), ["SYN203"])


@pattern("E05", "unicode-newline", [*LINES, "muse"])
def unicode_newline(files: Files, slug: str, random: Random) -> Case:
    """Some readers treat these as line ends, Talktree does not."""
    path = main_file(files, slug)
    data = files.files[path]
    at = text_place(data, random)
    newline = random.choice(["\u2028", "\u2029", "\u0085"]).encode()
    return Case(with_file(files, path, data[:at] + newline + data[at:]), [])


@pattern("E06", "nul-char", JSON)
def nul_char(files: Files, slug: str, random: Random) -> Case:
    path = main_file(files, slug)
    data = files.files[path]
    at = text_place(data, random)
    return Case(with_file(files, path, data[:at] + rb"\u0000" + data[at:]), ["SYN211"])


@pattern("E07", "codepage", ALL)
def codepage(files: Files, slug: str, random: Random) -> Case:
    """Characters of many scripts, in UTF-8 in any locale, which is not damage."""
    return Case(files, [])
