"""`talktree rule`: explain a code."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import click

from talktree.checks.registry import (
    all_rules,
    choose_rules,
    find_exceptions,
    find_rule,
    format_severity,
    refuse_unknown,
)
from talktree.cli import output, params
from talktree.cli.commands.check import split_codes
from talktree.cli.group import Verb
from talktree.formats.rule import Rule
from talktree.text.json.value import Json
from talktree.views.findings import FIXES, STYLES
from talktree.views.lines import EMPTY, Line, indent_lines, line, style_lines
from talktree.views.shapes import format_document
from talktree.views.width import wrap_text


@click.command("rule", cls=Verb)
@click.argument("codes", nargs=-1, metavar="[CODE]...")
@params.as_json
@params.color
@params.no_pager
def command(
    codes: Sequence[str],
    as_json: bool,  # noqa: FBT001
    color: str,
    no_pager: bool,  # noqa: FBT001
) -> None:
    """Explain a rule: what is wrong, why it matters, a bad example, and its fix.

    Without a code, or with the beginning of one, all rules are listed.
    """
    rules = _select_rules(codes)
    if as_json:
        output.print_text([format_document({"rules": [_build_shape(rule) for rule in rules]})])
        return
    explained = bool(codes) and all(_is_exact_code(code) for code in codes)
    lines = _format_explanations(rules) if explained else _format_rule_list(rules)
    output.print_lines(lines, color=output.use_color(color), paged=not no_pager)


command.examples = ("talktree rule TRE101", "talktree rule dangling-parent", "talktree rule SYN")


def _select_rules(codes: Sequence[str]) -> list[Rule]:
    if not codes:
        return list(all_rules())
    if all(_is_exact_code(code) for code in codes):
        return [find_rule(code) for code in codes]
    wanted = split_codes(codes)
    refuse_unknown(wanted)
    return choose_rules(all_rules(), select=wanted)


def _is_exact_code(code: str) -> bool:
    """Whether a full code or a name is given, and not only a prefix of codes."""
    known = any(rule.code.startswith(code.upper()) for rule in all_rules())
    return not known or any(rule.code == code.upper() for rule in all_rules())


def _format_rule_list(rules: Sequence[Rule]) -> Iterator[Line]:
    widest = max(len(rule.name) for rule in rules)
    for rule in rules:
        fix = FIXES[rule.fix.safety] if rule.fix else "no fix"
        yield line(
            (rule.code, STYLES[rule.severity]),
            f"  {rule.name.ljust(widest)}  ",
            (f"{rule.severity.ljust(7)}  {fix}", "faint"),
        )


def _format_explanations(rules: Sequence[Rule]) -> Iterator[Line]:
    width = min(output.get_terminal_width() or 100, 100)
    for number, rule in enumerate(rules):
        if number:
            yield EMPTY
        what, why, bad, fix = rule.explanation
        yield line((rule.code, STYLES[rule.severity]), (f" {rule.name}", "title"))
        formats = ", ".join(rule.formats) or "every format"
        yield line((f"{format_severity(rule)}; {formats}", "faint"))
        yield EMPTY
        yield from style_lines(wrap_text(_join_lines(what), width))
        yield from (EMPTY, line(("Why is this bad?", "title")))
        yield from style_lines(wrap_text(_to_sentence(why), width))
        yield from (EMPTY, line(("Example", "title")))
        yield from indent_lines(style_lines(bad.splitlines(), "faint"))
        label, _, text = fix.partition(":")
        yield from (EMPTY, line((label, "title")))
        yield from style_lines(wrap_text(_to_sentence(text), width))


def _to_sentence(text: str) -> str:
    flowing = _join_lines(text)
    return flowing[:1].upper() + flowing[1:]


def _join_lines(text: str) -> str:
    """Return paragraphs without the line breaks of the source."""
    return "\n\n".join(" ".join(each.split()) for each in text.split("\n\n"))


def _build_shape(rule: Rule) -> Json:
    what, why, bad, fix = rule.explanation
    return {
        "code": rule.code,
        "name": rule.name,
        "severity": rule.severity,
        "severities": dict(find_exceptions(rule)),
        "formats": list(rule.formats),
        "fix": rule.fix.safety if rule.fix else None,
        "what": _join_lines(what),
        "why": _join_lines(why),
        "bad": bad,
        "mended": _join_lines(fix.partition(":")[2]),
    }
