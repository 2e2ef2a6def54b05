"""Damage to values, sizes, versions and times: E08, N01-N04, S01-S05, V01-V03, M01-M03."""

from __future__ import annotations

import base64
import struct
from random import Random
from typing import Any

from tests.conversion.trips import Files
from tests.damage.lines import JSON, LINES, Lines, main_file, text_place, with_file
from tests.damage.patterns import Case, pattern


def _with_member(files: Files, slug: str, random: Random, member: bytes) -> Files:
    """Return the files with one more member in some message, before its words."""
    path = main_file(files, slug)
    data = files.files[path]
    name = b'"id":' if slug in ("native", "studio", "muse") else b'"uuid":'
    at = data.rfind(name, 0, text_place(data, random))
    if at < 0:
        at = data.find(name)
    return with_file(files, path, data[:at] + member + b"," + data[at:])


@pattern("E08", "control", JSON)
def control(files: Files, slug: str, random: Random) -> Case:
    path = main_file(files, slug)
    data = files.files[path]
    at = text_place(data, random)
    byte = random.choice([b"\t", b"\x01", b"\x1b", b"\x0c"])
    return Case(with_file(files, path, data[:at] + byte + data[at:]), ["SYN204"])


@pattern("N01", "nan", JSON)
def nan(files: Files, slug: str, random: Random) -> Case:
    member = random.choice([b'"score":NaN', b'"score":-Infinity', b'"score":[1,Infinity]'])
    return Case(_with_member(files, slug, random, member), ["SYN206"])


@pattern("N02", "big-number", JSON)
def big_number(files: Files, slug: str, random: Random) -> Case:
    number = random.choice([b"9007199254740993", b"1" * 30, b"7" * 5000, b"1e999"])
    return Case(_with_member(files, slug, random, b'"score":' + number), ["SYN207"])


@pattern("N03", "dup-key", JSON)
def dup_key(files: Files, slug: str, random: Random) -> Case:
    return Case(_with_member(files, slug, random, b'"score":1,"score":2'), ["SYN205"])


@pattern("N04", "deep", LINES)
def deep(files: Files, slug: str, random: Random) -> Case:
    lines = Lines(files, slug)
    at = lines.pick(random, first=1)
    touched = frozenset({lines.number(at)})
    depth = random.randint(300, 5000)
    value = b'"score":' + b"[" * depth + b"]" * depth
    name = b'"id":' if slug == "native" else b'"uuid":'
    lines.raw[at] = lines.raw[at].replace(name, value + b"," + name, 1)
    return Case(lines.done(), ["SYN208"], touched)


@pattern("S01", "huge-file", ["claude-code", "native"])
def huge_file(files: Files, slug: str, random: Random) -> Case:
    return Case(files, ["SYN501"], limits={"talktree.checks.rules.sizes.HUGE_FILE": 1000})


@pattern("S02", "huge-line", LINES)
def huge_line(files: Files, slug: str, random: Random) -> Case:
    return Case(files, ["SYN502"], limits={"talktree.checks.rules.sizes.HUGE_RECORD": 100})


def png(width: int, height: int) -> bytes:
    """Return the beginning of a picture of that size."""
    header = struct.pack(">II", width, height) + b"\x08\x02\x00\x00\x00"
    return b"\x89PNG\r\n\x1a\n" + struct.pack(">I", 13) + b"IHDR" + header + bytes(32)


@pattern("S03", "image-poison", ["claude-code"])
def image_poison(files: Files, slug: str, random: Random) -> Case:
    lines = Lines(files, slug)
    questions = [at for at in lines.messages if lines.value(at)["type"] == "user"]
    value = lines.value(at := random.choice(questions))
    data = base64.b64encode(png(random.randint(9000, 30000), 100)).decode()
    source = {"type": "base64", "media_type": "image/png", "data": data}
    content: Any = value["message"]["content"]
    said = [{"type": "text", "text": content}] if isinstance(content, str) else content
    value["message"]["content"] = [*said, {"type": "image", "source": source}]
    lines.put(at, value)
    return Case(lines.done(), ["SYN503"])


@pattern("S04", "bloat", ["claude-code"])
def bloat(files: Files, slug: str, random: Random) -> Case:
    lines = Lines(files, slug)
    at = lines.messages[-1]
    base = {
        key: item for key, item in lines.value(at).items() if key not in ("message", "requestId")
    }
    for number in range(60):
        data = {"type": "hook_progress", "text": "x" * 2000}
        id = f"{number:08x}-aaaa-4000-8000-{random.getrandbits(40):012x}"
        lines.raw.append(b"")
        lines.put(
            len(lines.raw) - 1,
            {**base, "type": "progress", "uuid": id, "parentUuid": lines.id(at), "data": data},
        )
    return Case(lines.done(), ["SYN504"], limits={"talktree.checks.rules.sizes.LARGE": 50_000})


@pattern("S05", "deep-chain", ["native"])
def deep_chain(files: Files, slug: str, random: Random) -> Case:
    """A very long chain of messages, which is not damage and must not overflow anything."""
    lines = Lines(files, slug)
    last = lines.messages[-1]
    value, parent = lines.value(last), lines.id(last)
    value["message"].pop("usage", None)
    for number in range(2500):
        id = f"deep-{number}"
        inside = {**value["message"], "id": id, "parent": parent, "role": "user"}
        inside["parts"] = [{"part": "text", "text": f"and {number}"}]
        lines.raw.append(b"")
        lines.put(len(lines.raw) - 1, {"message": inside})
        parent = id
    return Case(lines.done(), [])


@pattern("V01", "unknown-type", ["claude-code", "claude-messages", "sage"])
def unknown_type(files: Files, slug: str, random: Random) -> Case:
    lines = Lines(files, slug)
    lines.insert(lines.pick(random, first=1), {"type": "hologram", "beam": [1, 2, 3]})
    return Case(lines.done(), ["SYN403"])


@pattern("V02", "drift", ["claude-code"])
def drift(files: Files, slug: str, random: Random) -> Case:
    lines = Lines(files, slug)
    touched = set()
    for at in lines.messages:
        value = lines.value(at)
        touched.add(lines.number(at))
        said = value.pop("message")
        lines.put(at, {**value, "payload": {"v": 9, "body": said}})
    return Case(lines.done(), ["SYN407"], frozenset(touched))


@pattern("V03", "mixed", ["claude-code", "sage"])
def mixed(files: Files, slug: str, random: Random) -> Case:
    lines = Lines(files, slug)
    for at in lines.messages[len(lines.messages) // 2 :]:
        lines.set(at, version="3.1.4")
    return Case(lines.done(), ["SYN408"])


@pattern("M01", "order", LINES)
def order(files: Files, slug: str, random: Random) -> Case:
    lines = Lines(files, slug)
    at = lines.pick(random, first=1)
    name = "time" if slug == "native" else "timestamp"
    lines.set(at, **{name: "2025-09-01T00:00:00.000Z"})
    return Case(lines.done(), ["TIM101"])


@pattern("M02", "skew", LINES)
def skew(files: Files, slug: str, random: Random) -> Case:
    lines = Lines(files, slug)
    name = "time" if slug == "native" else "timestamp"
    far = random.choice(["2999-01-01T00:00:00.000Z", "1970-01-01T00:00:00.000Z"])
    lines.set(lines.pick(random), **{name: far})
    return Case(lines.done(), ["TIM102"])


@pattern("M03", "units", ["studio", "muse"])
def units(files: Files, slug: str, random: Random) -> Case:
    path = main_file(files, slug)
    data = files.files[path]
    name = b'"timestamp":1760000' if slug == "studio" else b'"timestamp": 1760000'
    places = [at for at in range(len(data)) if data.startswith(name, at)]
    at = random.choice(places) + len(name)
    return Case(with_file(files, path, data[: at + 3] + data[at + 6 :]), ["TIM103", "MUS301"])
