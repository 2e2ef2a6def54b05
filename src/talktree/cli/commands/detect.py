"""`talktree detect`: the format of files."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import click

from talktree import api
from talktree.cli import output, params
from talktree.cli.errors import report_error
from talktree.cli.group import Verb
from talktree.errors import TalktreeError
from talktree.formats.detect import FormatGuess
from talktree.text.json.value import Json
from talktree.views.lines import Line, line
from talktree.views.shapes import format_document


class Answer(NamedTuple):
    """The result for one path."""

    path: str
    guess: FormatGuess | None
    error: TalktreeError | None


@click.command("detect", cls=Verb)
@params.many_paths
@params.as_json
@params.color
def command(paths: Sequence[str], as_json: bool, color: str) -> int:  # noqa: FBT001
    """Say which format each file or folder is in, how sure that is, and why.

    Exit code 3 if any of them is in no known format.
    """
    answers = [_detect_path(path) for path in paths]
    if as_json:
        results: list[Json] = [_build_shape(each) for each in answers]
        output.print_text([format_document({"results": results})])
    else:
        known = [_format_line(each.path, each.guess) for each in answers if each.guess]
        output.print_lines(known, color=output.use_color(color))
    errors = [each.error for each in answers if each.error]
    if not as_json:
        for error in errors:
            report_error(error, as_json=False)
    return max((error.exit_code for error in errors), default=0)


command.examples = (
    "talktree detect session.jsonl",
    "talktree detect exports/* --json",
    "cat unknown | talktree detect -",
)


def _detect_path(path: str) -> Answer:
    try:
        return Answer(path, api.detect(path), None)
    except TalktreeError as error:
        return Answer(path, None, error)


def _format_line(path: str, guess: FormatGuess) -> Line:
    return line(
        f"{path}: ",
        (guess.format.info.slug, "title"),
        (f" ({guess.confidence:.0%}, {guess.reason})", "faint"),
    )


def _build_shape(answer: Answer) -> dict[str, Json]:
    guess, error = answer.guess, answer.error
    if guess is None:
        details = [error.message, error.hint] if error else []
        reason = "; ".join(each for each in details if each)
        return {"path": answer.path, "format": None, "confidence": 0.0, "reason": reason}
    return {
        "path": answer.path,
        "format": guess.format.info.slug,
        "confidence": round(guess.confidence, 3),
        "reason": guess.reason,
    }
