"""`talktree library retention`: show what the user's retention rules forget, and forget it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from talktree.cli import library_arguments, output, params
from talktree.cli.errors import print_stderr
from talktree.cli.group import Verb
from talktree.cli.open_library import open_library_at
from talktree.cli.unfinished_erasures import report_unfinished
from talktree.errors import UsageError
from talktree.home import config_file
from talktree.library.retention.apply import find_clock_refusal
from talktree.views.retention import (
    build_plan_shape,
    build_result_shape,
    format_case_line,
    format_plan_lines,
    format_result_line,
)
from talktree.views.shapes import format_document
from talktree.views.width import format_size

if TYPE_CHECKING:
    from talktree.library.retention.apply import RetentionResult
    from talktree.library.retention.plan import RetentionPlan

RULE = '[[retention]] with forget-after = "180d"'


@click.command("retention", cls=Verb)
@click.option("-y", "--yes", is_flag=True, help="Forget them, and confirm these rules.")
@click.option(
    "--trust-clock", is_flag=True, help="With --yes: the clock is right although it jumped."
)
@params.as_json
@library_arguments.at
@params.color
def retention(
    yes: bool,  # noqa: FBT001
    trust_clock: bool,  # noqa: FBT001
    as_json: bool,  # noqa: FBT001
    library: str | None,
    color: str,
) -> int:
    """List what the retention rules of your configuration let go; with --yes, forget it.

    Rules that were confirmed with --yes are applied by `talktree import` and `talktree watch` from
    then on. A rule that you change has to be confirmed again. The age of a conversation counts from
    its last message. Its file is not touched. Exit code 1 if something of it is left to erase.
    """
    if trust_clock and not yes:
        raise UsageError("--trust-clock means nothing without --yes", hint="add --yes")
    with open_library_at(library, write=yes) as kept:
        plan = kept.retention()
        if not plan.rules.rules:
            _report_no_rules(plan, as_json=as_json)
            return 0
        done = kept.apply_retention(trust_clock=trust_clock) if yes else None
        refusal = None if yes else find_clock_refusal(kept)
    if as_json:
        why_not = None if refusal is None else refusal.message
        shape = build_plan_shape(plan, why_not) if done is None else build_result_shape(done)
        output.print_text([format_document(shape)])
        return _exit_code(done)
    cases = plan.cases if done is None else done.cases
    output.print_lines(map(format_case_line, cases), color=output.use_color(color))
    if done is not None:
        print_stderr(f"talktree: {format_result_line(done)}")
        report_unfinished(done.left)
        return _exit_code(done)
    count = sum(case.conversations for case in plan.cases)
    share = f"{count:,} of {plan.total:,} conversations"
    print_stderr(f"talktree: {share} would be forgotten ({format_size(plan.bytes)})")
    for each in format_plan_lines(plan):
        print_stderr(f"talktree: {each}")
    if refusal is not None:
        print_stderr(f"talktree: --yes is refused: {refusal.message}")
        print_stderr(f"hint: {refusal.hint}")
        return 0
    print_stderr("hint: --yes forgets them, and confirms these rules for the imports to come")
    return 0


def _exit_code(done: RetentionResult | None) -> int:
    """Return 1 if something that was forgotten is left."""
    return 1 if done is not None and done.left else 0


def _report_no_rules(plan: RetentionPlan, *, as_json: bool) -> None:
    if as_json:
        output.print_text([format_document(build_plan_shape(plan))])
        return
    print_stderr("talktree: there are no retention rules, so everything is kept")
    print_stderr(f"hint: write {RULE} into {config_file()}")


retention.examples = (
    "talktree library retention",
    "talktree library retention --yes",
    "talktree library retention --json | jq '.forget[].id'",
)
