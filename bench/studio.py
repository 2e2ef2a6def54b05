"""The studio: the first screen of long and short conversations, and the memory of a server."""

from __future__ import annotations

import json
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from uuid import UUID

from bench.corpus import FOLDER, session
from bench.measure import Row, peak_memory, side_by_side, table
from talktree import api
from talktree.library.database.schema import SCHEMA
from talktree.text.times import SECOND, to_iso
from talktree.web.actions.previews import Previews
from talktree.web.documents.cache import DocumentCache
from talktree.web.documents.tail import read_tail
from talktree.web.job_runner import Jobs
from talktree.web.routes import conversation, rows
from talktree.web.routes.route import RouteCall
from talktree.web.routes.rows import RowsQuery
from talktree.web.studio import StudioContext

SHORT, LONG = 1_000, 100_000
SHOWN = 50
START = 1_760_000_000
_SERVES = """
import sys
from pathlib import Path
from bench.studio import opened, screen
desk = opened(Path(sys.argv[1]))
screen(desk)
"""


def measured(megabytes: int) -> list[Row]:
    """Return the rows of the table."""
    short, long = (opened(library(talk(count))) for count in (SHORT, LONG))
    large = session(megabytes)
    kept = library(large)
    cold_long, cold_short = side_by_side(partial(cold, long), partial(cold, short), rounds=9)
    warm_long, warm_short = side_by_side(partial(screen, long), partial(screen, short), rounds=9)
    end, once = side_by_side(partial(cold, opened(kept)), partial(api.read, large), rounds=5)
    memory = peak_memory(_SERVES, str(kept))
    reader = peak_memory("import sys\nfrom talktree import api\napi.read(sys.argv[1])", str(large))
    return [
        _ratio(f"first screen of {LONG:,} messages: the last {SHOWN}, nothing open yet",
               cold_long, cold_short, f"{SHORT:,} messages", "≤ 2×"),
        _ratio(f"conversation and {SHOWN} rows of {LONG:,} messages, once it is open",
               warm_long, warm_short, f"{SHORT:,} messages", "≤ 2×"),
        _ratio(f"the last {SHOWN} of {megabytes} MB, nothing open yet",
               end, once, "reading the file once", "≤ 0.05×"),
        Row(f"memory of a server that has {megabytes} MB open", f"{memory >> 20} MiB",
            f"reading it: {reader >> 20} MiB", f"{memory / reader:.1f}×", ""),
    ]  # fmt: skip


def _ratio(what: str, ours: float, other: float, against: str, bar: str) -> Row:
    details = f"{against}: {1000 * other:.1f} ms"
    return Row(what, f"{1000 * ours:.1f} ms", details, f"{ours / other:.2f}×", bar)


def opened(root: Path) -> DocumentCache:
    """Return a document cache over a library."""
    return DocumentCache(root, write=True)


def cold(cache: DocumentCache) -> None:
    """Read the last rows while nothing is open, without the background work."""
    cache.forget_source("1")
    cache.prepare = lambda cid: None  # type: ignore[method-assign]
    read_tail(cache, "1", SHOWN)


def screen(cache: DocumentCache) -> None:
    """Read what the page requests once a conversation is open."""
    studio = StudioContext(cache, Jobs(), Path(), Previews())
    path = {"cid": "1"}
    asked = {route.path: route.answer for route in (*conversation.ROUTES, *rows.ROUTES)}
    details = asked["/c/{cid}"](studio, RouteCall(path, None, None, None))  # type: ignore[arg-type]
    last = RowsQuery(start=max(0, details.rows - SHOWN), limit=SHOWN)
    asked["/c/{cid}/rows"](studio, RouteCall(path, last, None, None))  # type: ignore[arg-type]


# measurements


def library(path: Path) -> Path:
    """Return a library of one file, made if it does not exist yet."""
    root = FOLDER / f"studio-{SCHEMA}-{path.stem}"
    if not root.exists():
        unfinished = root.with_suffix(".part")
        with DocumentCache(unfinished, write=True).open_for_writing() as writing:
            writing.import_([path])
        unfinished.rename(root)
    return root


def talk(count: int) -> Path:
    """Return a conversation of this many equal messages, so that only their number differs."""
    path = FOLDER / f"talk-{count}.jsonl"
    if not path.exists():
        FOLDER.mkdir(exist_ok=True)
        unfinished = path.with_suffix(".part")
        with open(unfinished, "w", encoding="utf-8") as file:
            file.writelines(_lines(count))
        unfinished.rename(path)
    return path


def _lines(count: int) -> Iterator[str]:
    before: str | None = None
    for number in range(count):
        id = str(UUID(int=number + 1))
        role = ("user", "assistant")[number % 2]
        text = f"Message **{number}** says `this` and that, " * 6
        said = {"role": role, "content": text}
        if role == "assistant":
            usage = {"input_tokens": 10, "output_tokens": 20}
            blocks = [{"type": "text", "text": text}]
            said = {**said, "content": blocks, "id": f"m{number}", "model": "x", "usage": usage}  # type: ignore[dict-item]
        line = {
            "type": role,
            "uuid": id,
            "parentUuid": before,
            "sessionId": "00000000-0000-4000-8000-000000000001",
            "timestamp": to_iso((START + number) * SECOND),
            "message": said,
        }
        before = id
        yield json.dumps(line) + "\n"


if __name__ == "__main__":
    print(table(measured(300)), end="")
