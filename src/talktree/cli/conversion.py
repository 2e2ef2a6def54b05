"""One source into one file or folder, or to stdout."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from msgspec import Struct

from talktree import api
from talktree.cli import output
from talktree.cli.errors import tell
from talktree.cli.ledgers import Account, ledger_document, save_ledger, tell_ledger
from talktree.cli.noticed import tell_findings
from talktree.cli.progress import Tick, bar, tell_step, wants_bar
from talktree.conversion.ledger import KINDS
from talktree.conversion.options import Made, Options
from talktree.conversion.verify import verify_made
from talktree.errors import UsageError, WouldLose
from talktree.files import OutputGate, input_paths
from talktree.model.document import Document
from talktree.text.json.value import Json
from talktree.views.lines import Line, line
from talktree.views.losses import ledger_lines
from talktree.views.measure import counted, size

LARGE = 2000
"""From so many records on it may take long enough for a bar."""
EACH = "--dry-run shows examples; --ledger FILE and --json tell each"
"""How to see more of a ledger."""


Written = tuple[str, int]
"""A file and its size."""


class Wish(Struct, frozen=True, kw_only=True):
    """What was asked for on the command line."""

    paths: tuple[str, ...]
    target: str
    out: str | None
    """None only if nothing is to be written."""
    options: Options
    gate: OutputGate
    """What may be written."""
    source_format: str | None = None
    dry_run: bool = False
    ledger: str | None = None
    onto: str | None = None
    """The source to which edits are added as new branches."""
    each: bool = False
    fresh: bool = False
    jobs: int | None = None
    progress: str = "auto"
    quiet: bool = False
    as_json: bool = False
    color: str = "auto"

    @property
    def speaks(self) -> bool:
        """Whether people are told on stderr what happens."""
        return not (self.quiet or self.as_json or self.progress == "json")


def convert_one(wish: Wish, document: Document) -> None:
    """Convert, tell what was written and what the target had no place for."""
    if wish.out is not None and wish.out != "-":
        wish.gate.protect(input_paths(api.source_of(document)))
        wish.gate.claim(wish.out)
    with _watched(wish, document) as tick:
        account = Account(
            each=wish.as_json or wish.ledger is not None, step=lambda: tick(document.name)
        )
        written, refusal = _converted(wish, document, account)
    if wish.ledger is not None:
        save_ledger(wish.ledger, _document(account, written), wish.gate)
    if wish.dry_run or refusal is None:
        _print(wish, document, account, written)
    if refusal is not None:
        raise refusal
    if wish.progress == "json" and not wish.dry_run:
        total = sum(count for _, count in written)
        tell_step({"done": 1, "total": 1, "path": wish.paths[0], "bytes": total})
    if wish.speaks:
        tell_findings(document)
        _tell_strangers(document)


def _tell_strangers(document: Document) -> None:
    """A folder may be taken for one source though it holds several."""
    count = sum(found.name == "unrelated-file" for found in document.noticed)
    if count:
        tell(f"hint: {counted(count, 'file')} travel along; --each converts every file alone")


def _converted(
    wish: Wish, document: Document, account: Account
) -> tuple[list[Written], WouldLose | None]:
    """What was written, or why nothing was."""
    options, ledger = wish.options, account.ledger
    written: list[Path] = []
    try:
        made = _made(wish, document, account)
        if wish.dry_run or wish.out is None:
            api.seen(made)
            ledger.check(strict=options.strict, allow=options.allow, forbid=options.forbid)
        elif wish.out == "-":
            _to_stdout(made, options)
        else:
            written, _ = api.keep(made, wish.out, options=options, gate=wish.gate)
    except WouldLose as error:
        return [], error
    return [(str(path), path.stat().st_size) for path in written], None


def _made(wish: Wish, document: Document, account: Account) -> Made:
    if wish.onto is None:
        return api.converted(
            document,
            to=wish.target,
            options=wish.options,
            ledger=account.ledger,
            processes=wish.jobs or len(os.sched_getaffinity(0)),
        )
    source = api.read(wish.onto, format=wish.target)
    wish.gate.protect(input_paths(api.source_of(source)))
    return api.grown(source, document, ledger=account.ledger)


def _to_stdout(made: Made, options: Options) -> None:
    """All is made before the first byte appears, for it may be refused."""
    if len(made.files) != 1:
        raise UsageError(
            f"{counted(len(made.files), 'file')} cannot go to stdout", hint="name a folder with -o"
        )
    (content,) = verify_made(made).values()
    made.ledger.check(strict=options.strict, allow=options.allow, forbid=options.forbid)
    with output.stdout() as sink:
        for block in content.blocks():
            sink.write(block)
        sink.flush()


def _print(wish: Wish, document: Document, account: Account, written: list[Written]) -> None:
    if wish.as_json:
        output.print_text(_document(account, written))
        return
    if wish.dry_run:
        lines = _preview_lines(wish, document, account)
        output.print_lines(lines, color=output.use_color(wish.color))
        return
    if wish.speaks:
        if wish.out != "-":
            tell(f"talktree: wrote {wish.out} ({_extent(written)})")
        tell_ledger(account.sums, hint=EACH)


def _preview_lines(wish: Wish, document: Document, account: Account) -> Iterator[Line]:
    yield line((document.name, "title"), f" ({document.format}) as {wish.target}")
    yield from ledger_lines(account.sums, KINDS, account.examples)


def _document(account: Account, written: list[Written]) -> Iterator[str]:
    shapes: list[Json] = [{"path": path, "bytes": count} for path, count in written]
    return ledger_document(shapes, account.losses(), account.sums)


def _extent(written: list[Written]) -> str:
    total = sum(count for _, count in written)
    files = "" if len(written) == 1 else f"{counted(len(written), 'file')}, "
    return f"{files}{size(total)}"


@contextmanager
def _watched(wish: Wish, document: Document) -> Iterator[Tick]:
    count = sum(each.record_count for each in document.conversations)
    if count < LARGE or not wants_bar(wish.progress, quiet=wish.quiet):
        yield lambda _: None
        return
    with bar(f"converting to {wish.target}", count) as tick:
        yield tick
