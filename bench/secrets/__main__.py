"""`python -m bench.secrets [--write]`: planted secrets and lookalikes, through real exports."""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator, Sequence
from functools import cache
from pathlib import Path

from bench.page import written
from bench.peers.install import Package, installed
from bench.secrets.contexts import Planted, planted
from bench.secrets.lookalikes import lookalikes

SEEDS = (1, 2)
TARGETS = ("md", "html", "native", "claude-code", "studio")
PLACES = ("message", "call", "result")
DETECT_SECRETS = Package("detect-secrets", "bin/detect-secrets", pip="detect-secrets==1.5.0")
SECTION = "Redaction"
INTRODUCTION = (
    "Written by `python -m bench.secrets`: secrets by the rules of their issuers, each in several\n"
    "contexts, are planted into messages, tool calls and tool results. `talktree export` "
    "writes the\n"
    "conversations, and the bytes of the output are searched for each secret. Lookalikes "
    "(hashes, ids,\n"
    "placeholders, labels, code) must stay. detect-secrets reads the same texts as files, one each."
)
GROUP = 40
"""Texts per conversation; there are many, so that no text helps to find another's secret."""


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(prog="python -m bench.secrets")
    parser.add_argument("--write", action="store_true", help="into docs/benchmarks.md")
    parser.add_argument("--kinds", action="store_true", help="a row for each kind, not only totals")
    chosen = parser.parse_args()
    lines = list(_table(kinds=chosen.kinds))
    print("\n".join(lines))
    if chosen.write:
        written(SECTION, f"{INTRODUCTION}\n\n" + "\n".join(lines))


def _table(*, kinds: bool) -> Iterator[str]:
    program = installed(DETECT_SECRETS)
    yield "| kind | planted | talktree finds | detect-secrets finds |"
    yield "|---|---|---|---|"
    false = []
    for seed in SEEDS:
        texts = list(planted(seed))
        missed = _missed(texts)
        peer = _found_by_peer(program, [each.text for each in texts]) if program else None
        total = len(texts)
        if kinds:
            yield from _by_kind(texts, missed, peer)
        theirs = "NOT RUN" if peer is None else _share(len(peer), total)
        label = f"all of seed {seed} ({len({each.kind for each in texts})} kinds)"
        yield f"| {label} | {total} | {_share(total - len(missed), total)} | {theirs} |"
        harmless = [text for _, text in lookalikes(seed)]
        ours = _false_positives(harmless)
        peer_false = "NOT RUN" if not program else f"{len(_found_by_peer(program, harmless))}"
        false.append(
            f"| lookalikes of seed {seed} | {len(harmless)} | {ours} replaced "
            f"| {peer_false} reported |"
        )
    yield from false


def _by_kind(texts: Sequence[Planted], missed: set[int], peer: set[int] | None) -> Iterator[str]:
    counts = Counter(each.kind for each in texts)
    lost = Counter(texts[number].kind for number in missed)
    theirs = Counter(texts[number].kind for number in peer or ())
    for kind, count in counts.items():
        found = "" if peer is None else theirs[kind]
        yield f"| {kind} | {count} | {count - lost[kind]} | {found} |"


def _share(count: int, total: int) -> str:
    return f"{count / total:.1%}"


def _missed(texts: Sequence[Planted]) -> set[int]:
    """Return the numbers of texts whose secret is in the bytes of any export, in any place."""
    missed: set[int] = set()
    with tempfile.TemporaryDirectory() as folder:
        for start in range(0, len(texts), GROUP):
            group = texts[start : start + GROUP]
            for place in PLACES:
                source = Path(folder) / f"{place}.jsonl"
                source.write_text(_conversation([each.text for each in group], place))
                for target in TARGETS:
                    data = _exported(source, target)
                    without = _without_texts(len(group), place, target)
                    missed |= {
                        start + number
                        for number, each in enumerate(group)
                        if any(data.count(f) > without.count(f) for f in _forms(each.secret))
                    }
    return missed


@cache
def _without_texts(count: int, place: str, target: str) -> bytes:
    """Return an export of that size without the texts: three characters may be in any style."""
    with tempfile.TemporaryDirectory() as folder:
        source = Path(folder) / f"{place}.jsonl"
        source.write_text(_conversation(["…"] * count, place))
        return _exported(source, target)


def _false_positives(texts: Sequence[str]) -> int:
    """Return how many texts an export changes."""
    changed: set[int] = set()
    with tempfile.TemporaryDirectory() as folder:
        for place in PLACES:
            source = Path(folder) / f"{place}.jsonl"
            for start in range(0, len(texts), GROUP):
                group = texts[start : start + GROUP]
                source.write_text(_conversation(group, place))
                kept = _exported(source, "claude-code").decode()
                strings = "\n".join(kept.splitlines())
                changed |= {
                    start + number
                    for number, text in enumerate(group)
                    if json.dumps(text, ensure_ascii=False)[1:-1] not in strings
                    and json.dumps(text)[1:-1] not in strings
                }
    return len(changed)


def _forms(secret: str) -> tuple[bytes, ...]:
    """Return the forms of a secret in any of the formats."""
    escaped = json.dumps(secret)[1:-1]
    html = secret.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
    return tuple({form.encode() for form in (secret, escaped, html, html.replace("'", "&#x27;"))})


def _exported(source: Path, target: str) -> bytes:
    command = [sys.executable, "-m", "talktree.cli.main", "export", str(source)]
    done = subprocess.run(
        [*command, "--to", target, "-o", "-", "--quiet"], capture_output=True, check=True
    )
    return done.stdout


def _conversation(texts: Sequence[str], place: str) -> str:
    """Return a Claude Code session with a message, a call and a result for each text."""
    lines = []
    above = None
    for number, text in enumerate(texts):
        said = {
            "message": [{"type": "text", "text": text}],
            "call": [{"type": "text", "text": "I try it."}],
            "result": [{"type": "text", "text": "I look."}],
        }[place]
        given = {"command": text if place == "call" else "cat notes.txt"}
        call = {"type": "tool_use", "id": f"t{number}", "name": "Bash", "input": given}
        shown = text if place == "result" else "done"
        answer = {"type": "tool_result", "tool_use_id": f"t{number}", "content": shown}
        for role, id, content in (
            ("assistant", f"a{number}", [*said, call]),
            ("user", f"u{number}", [answer]),
        ):
            lines.append(
                json.dumps(
                    {
                        "type": role,
                        "uuid": id,
                        "parentUuid": above,
                        "sessionId": "s1",
                        "timestamp": "2026-03-02T09:00:00.000Z",
                        "message": {"role": role, "content": content},
                    }
                )
            )
            above = id
    return "\n".join(lines) + "\n"


def _found_by_peer(program: Path, texts: Sequence[str]) -> set[int]:
    """Return the numbers of the texts in which detect-secrets reports something."""
    with tempfile.TemporaryDirectory() as folder:
        for number, text in enumerate(texts):
            (Path(folder) / f"{number}.txt").write_text(text)
        command = [str(program), "scan", "--all-files", "--no-verify", "."]
        done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=True)
        results = json.loads(done.stdout)["results"]
        return {int(Path(name).stem) for name in results}


if __name__ == "__main__":
    main()
