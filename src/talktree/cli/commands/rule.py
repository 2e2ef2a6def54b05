"""`talktree rule`: what a code means."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import click

from talktree.checks.registry import (
    all_rules,
    chosen,
    exceptions_of,
    refuse_unknown,
    rule_named,
    severity_text,
)
from talktree.cli import output, params
from talktree.cli.commands.check import chosen_codes
from talktree.cli.group import Verb
from talktree.formats.rule import Rule
from talktree.text.json.value import Json
from talktree.views.findings import FIXES, STYLES
from talktree.views.lines import EMPTY, Line, indented, line, styled
from talktree.views.shapes import document_text
from talktree.views.width import wrapped


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
    rules = _asked(codes)
    if as_json:
        output.print_text([document_text({"rules": [_shape(rule) for rule in rules]})])
        return
    explained = bool(codes) and all(_is_whole(code) for code in codes)
    lines = _explained(rules) if explained else _listed(rules)
    output.print_lines(lines, color=output.use_color(color), paged=not no_pager)


command.examples = ("talktree rule TRE101", "talktree rule dangling-parent", "talktree rule SYN")


def _asked(codes: Sequence[str]) -> list[Rule]:
    if not codes:
        return list(all_rules())
    if all(_is_whole(code) for code in codes):
        return [rule_named(code) for code in codes]
    wanted = chosen_codes(codes)
    refuse_unknown(wanted)
    return chosen(all_rules(), select=wanted)


def _is_whole(code: str) -> bool:
    """Whether a code or a name is given, and not just the beginning of codes."""
    known = any(rule.code.startswith(code.upper()) for rule in all_rules())
    return not known or any(rule.code == code.upper() for rule in all_rules())


def _listed(rules: Sequence[Rule]) -> Iterator[Line]:
    widest = max(len(rule.name) for rule in rules)
    for rule in rules:
        fix = FIXES[rule.fix.safety] if rule.fix else "no fix"
        yield line(
            (rule.code, STYLES[rule.severity]),
            f"  {rule.name.ljust(widest)}  ",
            (f"{rule.severity.ljust(7)}  {fix}", "faint"),
        )


def _explained(rules: Sequence[Rule]) -> Iterator[Line]:
    width = min(output.width() or 100, 100)
    for number, rule in enumerate(rules):
        if number:
            yield EMPTY
        what, why, bad, fix = rule.explained
        yield line((rule.code, STYLES[rule.severity]), (f" {rule.name}", "title"))
        formats = ", ".join(rule.formats) or "every format"
        yield line((f"{severity_text(rule)}; {formats}", "faint"))
        yield EMPTY
        yield from styled(wrapped(_flowing(what), width))
        yield from (EMPTY, line(("Why is this bad?", "title")))
        yield from styled(wrapped(_sentence(why), width))
        yield from (EMPTY, line(("Example", "title")))
        yield from indented(styled(bad.splitlines(), "faint"))
        label, _, text = fix.partition(":")
        yield from (EMPTY, line((label, "title")))
        yield from styled(wrapped(_sentence(text), width))


def _sentence(text: str) -> str:
    flowing = _flowing(text)
    return flowing[:1].upper() + flowing[1:]


def _flowing(text: str) -> str:
    """Paragraphs without the line breaks of the source."""
    return "\n\n".join(" ".join(each.split()) for each in text.split("\n\n"))


def _shape(rule: Rule) -> Json:
    what, why, bad, fix = rule.explained
    return {
        "code": rule.code,
        "name": rule.name,
        "severity": rule.severity,
        "severities": dict(exceptions_of(rule)),
        "formats": list(rule.formats),
        "fix": rule.fix.safety if rule.fix else None,
        "what": _flowing(what),
        "why": _flowing(why),
        "bad": bad,
        "mended": _flowing(fix.partition(":")[2]),
    }
