"""The pages of rules, written from the rules' own docstrings."""

from __future__ import annotations

from collections.abc import Sequence

from talktree.checks.registry import all_rules, format_severity
from talktree.formats.rule import Rule

FAMILIES = {
    "SYN": "bytes and syntax",
    "IDS": "identity",
    "TRE": "the tree",
    "TIM": "time",
    "ROL": "roles",
    "TOL": "tool calls and results",
    "SEC": "unsafe content and secrets",
    "CHB": "ChatBuilder message files",
    "STU": "Conversation Studio, all encodings",
    "STT": "Conversation Studio, text",
    "STX": "Conversation Studio, XML",
    "CLM": "Claude messages",
    "CLC": "Claude Code sessions",
    "MUS": "Muse",
    "SAG": "Sage",
    "NAT": "Talktree's own format",
}
"""Every family of rules by the letters of its codes."""
FIX = {"safe": "safe", "unsafe": "unsafe", None: "–"}


def pages() -> dict[str, str]:
    """Every page by its name."""
    found = {"index.md": _index()}
    for family, title in FAMILIES.items():
        rules = [rule for rule in all_rules() if rule.code.startswith(family)]
        if rules:
            found[f"{family}.md"] = _family(family, title, rules)
    return found


def _index() -> str:
    head = (
        "# Rules\n\n"
        "What `talktree check` looks for. Codes never change their meaning. A *safe* fix loses\n"
        "and invents nothing; an *unsafe* one needs `--unsafe`. Written by `make docs` from\n"
        "the rules themselves; `talktree rule CODE` says the same.\n"
    )
    blocks = []
    for family, title in FAMILIES.items():
        rules = [rule for rule in all_rules() if rule.code.startswith(family)]
        rows = "".join(
            f"| [{rule.code}]({family}.md#{rule.code.lower()}-{rule.name}) | {rule.name} "
            f"| {format_severity(rule)} | {_safety(rule)} |\n"
            for rule in rules
        )
        if rows:
            table = f"| code | name | severity | fix |\n|---|---|---|---|\n{rows}"
            blocks.append(f"\n## {family}: {title}\n\n{table}")
    return head + "".join(blocks)


def _safety(rule: Rule) -> str:
    return FIX[rule.fix.safety if rule.fix else None]


def _family(family: str, title: str, rules: Sequence[Rule]) -> str:
    return f"# {family}: {title}\n\n[All rules](index.md)\n\n" + "\n".join(map(_rule, rules))


def _rule(rule: Rule) -> str:
    what, why, bad, fix = rule.explanation
    formats = ", ".join(f"`{slug}`" for slug in rule.formats) or "every format"
    label, _, text = fix.partition(":")
    return (
        f"## {rule.code} {rule.name}\n\n"
        f"*{format_severity(rule)}; {formats}*\n\n{what}\n\n"
        f"**Why.** {_sentence(why)}\n\n"
        f"```text\n{bad}\n```\n\n"
        f"**{label}.** {_sentence(text)}\n"
    )


def _sentence(text: str) -> str:
    text = text.strip()
    return text[:1].upper() + text[1:]
