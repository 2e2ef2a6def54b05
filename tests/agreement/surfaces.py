"""One function for each surface: what it reports about the conversations at a path.

A surface that is added to the product gets its function here. What a surface does not report is
left out; everything that two surfaces report must be equal.
"""

from __future__ import annotations

import contextlib
import html
import io
import json
import os
import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import talktree
from talktree.cli.main import run
from tests.web.running import Running

Facts = dict[str, Any]
"""What a surface reports about one conversation."""
Said = Mapping[str, Facts]
"""The same by conversation id."""
COUNTS = ("messages", "threads", "branches", "sidechains")
TOKENS = ("input", "output", "cache_read", "cache_write")


def command(*arguments: str | Path) -> Any:
    """Return what a command prints as JSON."""
    out, errors = (io.TextIOWrapper(io.BytesIO(), encoding="utf-8") for _ in range(2))
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(errors):
        run([*map(str, arguments)])
    out.flush()
    written = out.buffer
    assert isinstance(written, io.BytesIO)
    return json.loads(written.getvalue())


# the file itself


def python(path: Path) -> Said:
    """`talktree.read(path)`."""
    return {
        each.native_id: {
            "messages": len(each),
            "roles": dict(Counter(message.role for message in each.messages())),
            "roles in counts": each.counts.roles,
            "threads": each.counts.threads,
            "branches": each.counts.branches,
            "sidechains": each.counts.sidechains,
            "first": milliseconds(each.counts.first_ns),
            "last": milliseconds(each.counts.last_ns),
            "records": sum(1 for _ in each.entries),
        }
        for each in talktree.read(path).conversations
    }


def show(path: Path | str, *options: str) -> Said:
    """Return what `talktree show --json` reports: the numbers and the texts of the current
    branch."""
    return {
        each["id"]: {
            **{name: each["counts"][name] for name in (*COUNTS, "records")},
            "main line": [message["id"] for message in each["messages"]],
        }
        for each in command("show", "--json", path, *options)["conversations"]
    }


def tree(path: Path | str, *options: str) -> Said:
    """Count all messages and branches in `talktree tree --json`."""
    return {
        each["id"]: {
            "messages": len(each["messages"]),
            "roles": dict(Counter(message["role"] for message in each["messages"])),
            "branches": sum(branch["kind"] != "sidechain" for branch in each["branches"]),
            "sidechains": sum(branch["kind"] == "sidechain" for branch in each["branches"]),
            "on branches": sum(branch["messages"] for branch in each["branches"]),
        }
        for each in command("tree", "--json", path, *options)["conversations"]
    }


def file_totals(paths: Iterable[Path]) -> Facts:
    """`talktree stats --json PATH…`."""
    found = command("stats", "--json", *paths)
    return _totals(found["totals"], found["by_role"])


def file_tokens(paths: Iterable[Path]) -> Facts:
    """The replies and tokens in `talktree stats --json PATH…`."""
    return _tokens(command("stats", "--json", *paths)["totals"])


def page(path: Path, kind: str, folder: Path) -> str:
    """Return the single page of `talktree export --to`, with everything on it."""
    target = folder / f"page.{kind}"
    all_of_it = ("--no-redact", "--include-deleted")
    run(["export", str(path), "--to", kind, *all_of_it, "-q", "--force", "-o", str(target)])
    return target.read_text()


def page_facts(page: str) -> Facts:
    """Return the numbers at the top of a page; a page that names no branches has one per
    conversation."""
    head = re.sub(r"<style>.*?</style>", "", page, flags=re.DOTALL)[:20_000]
    found = dict.fromkeys(("conversations", "branches"), 1) | {"messages": 0, "sidechains": 0}
    named = r"\b([\d,]+) (conversation|message|branche?|sidechain)s?\b"
    for number, word in re.findall(named, head):
        name = {"branch": "branches", "branche": "branches"}.get(word, f"{word}s")
        found[f"{name} named"] = found.get(f"{name} named", int(number.replace(",", "")))
    return {name: found.get(f"{name} named", value) for name, value in found.items()}


def articles(page: str) -> int:
    """Return the messages on an HTML page, results together with their calls."""
    return len(re.findall(r"<article class=\"tt-x-row", page))


def letters(text: str) -> str:
    """Return text without what rendering changes: markup, spaces, entities and terminal colours."""
    return "".join(filter(str.isalnum, re.sub(r"\[[0-9;]*m", "", html.unescape(text))))


def page_letters(page: str) -> str:
    """Return the text of a page in its order, without markup."""
    if page.startswith("<!"):
        page = re.sub(r"<style>.*?</style>|<[^>]*>", "", page, flags=re.DOTALL)
    return letters(page)


def said(path: Path) -> list[str]:
    """Return the beginnings of the texts on the current branches, from `talktree show --json`."""
    return [
        re.sub(r"^\d+\.", "", part["text"].strip().partition("\n")[0])
        for each in command("show", "--json", path)["conversations"]
        for message in each["messages"]
        for part in message["parts"]
        if part["type"] == "text"
    ]


def silent(path: Path) -> int:
    """Return the messages on the current branches that have nothing to show."""
    return sum(
        not any(part["type"] != "text" or part["text"].strip() for part in message["parts"])
        for each in command("show", "--json", path)["conversations"]
        for message in each["messages"]
    )


# the library


def listed(root: Path, *options: str) -> dict[Path, dict[str, Facts]]:
    """`talktree list --json`, by the path of the file."""
    found: dict[Path, dict[str, Facts]] = {}
    for each in command("list", "--json", "--library", root, *options)["conversations"]:
        found.setdefault(Path(each["path"]), {})[each["id"]] = {
            **{name: each[name] for name in COUNTS},
            "first": _stamp(each["started"]),
            "last": _stamp(each["updated"]),
        }
    return found


def library_totals(root: Path) -> Facts:
    """Return `talktree stats --json` of the library."""
    found = command("stats", "--json", "--library", root)
    return _totals(found["totals"], found["by_role"])


def library_tokens(root: Path) -> Facts:
    """Return the replies and tokens in `talktree stats --json` of the library."""
    return _tokens(command("stats", "--json", "--library", root)["totals"])


def usage_table(root: Path) -> tuple[dict[tuple[int, str], Facts], Facts]:
    """Return the tokens in the table of replies: by source and conversation, and of those that
    count."""
    with talktree.open_library(root, write=False) as library:
        rows = library.table("usage", failed=lambda *_: None).read_all().to_pylist()
    by_conversation: dict[tuple[int, str], Facts] = {}
    for row in rows:
        _add(by_conversation.setdefault((row["source"], row["conversation"]), {}), row)
    counted: Facts = dict.fromkeys(("replies", *TOKENS), 0)
    for row in rows:
        if row["counted"]:
            _add(counted, row)
    return by_conversation, counted


def _add(facts: Facts, row: Mapping[str, Any]) -> None:
    facts["replies"] = facts.get("replies", 0) + 1
    for name in TOKENS:
        facts[name] = facts.get(name, 0) + row[name]


def table(root: Path) -> dict[str, int]:
    """Return rows of the table of messages, by conversation."""
    with talktree.open_library(root, write=False) as library:
        rows = library.table("messages", failed=lambda *_: None).read_all()
        return dict(Counter(rows.column("conversation").to_pylist()))


# the studio


def cards(studio: Running) -> dict[Path, dict[str, Facts]]:
    """Return the cards of the library's list, by the path of the file."""
    found: dict[Path, dict[str, Facts]] = {}
    start, total = 0, 1
    while start < total:
        page = studio.get("/conversations", **{"from": start, "limit": 100})
        total = page["total"]
        start += len(page["cards"])
        for each in page["cards"]:
            found.setdefault(Path(each["path"]), {})[each["id"]] = {
                **{name: each[name] for name in ("messages", "branches", "sidechains", "cid")},
                "first": each["first"],
                "last": each["last"],
                "title": each["title"],
            }
    return found


def header(studio: Running, cid: str) -> tuple[str, Facts]:
    """Return the header of the open conversation, which the status bar and the share dialog count
    from."""
    found = studio.get(f"/c/{cid}")
    kinds = [branch["kind"] for branch in found["branches"]]
    return found["id"], {
        "messages": found["messages"],
        "branches": found["branches_total"],
        "sidechains": found["sidechains_total"],
        "branches listed": len(kinds) - kinds.count("sidechain"),
        "first": found["first"],
        "last": found["last"],
        "title": found["title"],
    }


def header_tokens(studio: Running, cid: str) -> Facts:
    """Return the tokens of the open conversation."""
    found = studio.get(f"/c/{cid}")["tokens"]
    return {name: found[name] for name in TOKENS}


def branch_tokens(studio: Running, cid: str) -> Facts:
    """Return the tokens of its current branch."""
    found = studio.get(f"/c/{cid}/usage")["totals"]
    return {name: found[name] for name in TOKENS}


def overview_tokens(studio: Running) -> Facts:
    """Return the tokens in the overview of all conversations."""
    found = studio.get("/statistics")["tokens"]
    return {name: found[name] for name in TOKENS}


def overview(studio: Running) -> Facts:
    """Return the overview of all conversations."""
    found = studio.get("/statistics")
    return {"conversations": found["conversations"], "messages": found["messages"]}


# shared helpers


def disagreements(said: Mapping[str, Said]) -> list[str]:
    """Return what surfaces, by name, report differently about conversations."""
    names = list(said)
    ids = sorted(said[names[0]])
    out = [
        f"ids: {names[0]} {ids}, {surface} {sorted(said[surface])}"
        for surface in names[1:]
        if sorted(said[surface]) != ids
    ]
    known: dict[tuple[str, str], tuple[str, object]] = {}
    for surface in names:
        for id, facts in said[surface].items():
            for name, value in facts.items():
                before = known.setdefault((id, name), (surface, value))
                if before[1] != value:
                    out.append(f"{name} of {id}: {before[0]} {before[1]}, {surface} {value}")
    return out


def sums(said: Sequence[Facts]) -> Facts:
    """Return the totals that some conversations must add up to."""
    roles: Counter[str] = Counter()
    for facts in said:
        roles.update(facts["roles"])
    return {
        "conversations": len(said),
        **{name: sum(facts[name] for facts in said) for name in COUNTS},
        "roles": dict(roles),
    }


def _totals(totals: Any, roles: Any) -> Facts:
    return {
        **{name: totals[name] for name in ("conversations", *COUNTS)},
        "roles": {each["role"]: each["messages"] for each in roles},
    }


def _tokens(totals: Any) -> Facts:
    return {"replies": totals["replies"]} | {name: totals[f"{name}_tokens"] for name in TOKENS}


def milliseconds(nanoseconds: int | None) -> int | None:
    """Return a time as the studio's API has it."""
    return None if nanoseconds is None else nanoseconds // 1_000_000


def _stamp(text: str | None) -> int | None:
    if text is None:
        return None
    moment = datetime.fromisoformat(text).astimezone(UTC)
    return int(moment.timestamp()) * 1000 + moment.microsecond // 1000


def below(found: Mapping[Path, dict[str, Facts]], path: Path) -> dict[str, Facts]:
    """Return what is reported about all conversations at a path or below it."""
    out: dict[str, Facts] = {}
    for each, facts in found.items():
        if os.path.commonpath([each, path]) == str(path):
            out |= facts
    return out
