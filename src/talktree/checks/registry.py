"""The registry of all rules: the shared ones, those of each format, and those of plug-ins."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from importlib import import_module
from types import ModuleType

from msgspec.structs import replace

from talktree.errors import UsageError
from talktree.formats import GROUP as FORMATS
from talktree.formats import all_formats, get_format, is_built_in
from talktree.formats.format import Format
from talktree.formats.rule import Rule, find_rules
from talktree.model.findings import Severity
from talktree.plugins import Plugin, describe_failure, load_plugins, warn_once

ALL = "ALL"
"""The selector that means every rule."""
GROUP = "talktree.rules"
"""The entry points through which plug-ins add rules: modules with functions that are rules."""
SHARED = (
    "syntax",
    "encoding",
    "values",
    "files",
    "sizes",
    "identity",
    "tree",
    "time",
    "roles",
    "tools",
    "unsafe",
    "unsafe_files",
    "unsafe_links",
    "media_types",
    "attachment_threats",
    "secrets",
)
"""Modules of `checks.rules`."""


@cache
def all_rules() -> Sequence[Rule]:
    """Return every rule, by code."""
    shared = filter(None, map(_with_formats, _load_shared_rules()))
    return _sort_by_code(
        [*shared, *(rule for format in all_formats() for rule in _rules_of(format))]
    )


@cache
def rules_for(slug: str) -> Sequence[Rule]:
    """Return the rules that apply to a format, each with its severity there."""
    format = get_format(slug)
    found = _sort_by_code([*_load_shared_rules(), *_rules_of(format)])
    fitting = [rule for rule in found if _fits(rule, format)]
    spared = {code for rule in fitting for code in rule.instead_of}
    return [
        replace(
            rule,
            severity=format.severities.get(rule.code, rule.severity),
            formats=(slug,) if rule.optional else rule.formats,
        )
        for rule in fitting
        if rule.code not in spared
    ]


def _fits(rule: Rule, format: Format) -> bool:
    """Whether a rule applies to a format."""
    if rule.optional:
        return rule.code in format.optional_rules
    return not rule.formats or format.info.slug in rule.formats


def _with_formats(rule: Rule) -> Rule | None:
    """Return a rule limited to the formats that request it if it is optional, or None."""
    if not rule.optional:
        return rule
    formats = [each.info.slug for each in all_formats() if rule.code in each.optional_rules]
    return replace(rule, formats=tuple(formats), optional=False) if formats else None


def _rules_of(format: Format) -> Sequence[Rule]:
    """Return the rules of a format; those of a plug-in are left out if they cannot be loaded."""
    if is_built_in(format):
        return format.rules()
    try:
        return format.rules()
    except Exception as error:  # the code of another package may raise anything
        warn_once(describe_failure(FORMATS, format.info.slug, error))
        return ()


@cache
def severities_of(slug: str) -> Mapping[str, Severity]:
    """Return the severity of each rule in a format, by code."""
    return {rule.code: rule.severity for rule in rules_for(slug)}


def find_exceptions(rule: Rule) -> dict[str, Severity]:
    """Return the formats in which a rule has a different severity."""
    found = ((each.info.slug, each.severities.get(rule.code)) for each in all_formats())
    return {slug: other for slug, other in found if other not in (None, rule.severity)}


def format_severity(rule: Rule) -> str:
    """Return the severity of a rule as text, with the formats in which it differs."""
    others = ", ".join(f"{other} in {slug}" for slug, other in find_exceptions(rule).items())
    return f"{rule.severity} ({others})" if others else rule.severity


@cache
def _load_shared_rules() -> Sequence[Rule]:
    modules = [import_module(f"talktree.checks.rules.{name}") for name in SHARED]
    modules += [plugin.value for plugin in load_plugins(GROUP, _find_fault)]
    return find_rules(*modules)


def _find_fault(plugin: Plugin) -> str | None:
    """Return what is wrong with the rules of a plug-in."""
    if not isinstance(plugin.value, ModuleType):
        return f"it is {type(plugin.value).__name__}, not a module with rules"
    return None


def _sort_by_code(rules: Iterable[Rule]) -> list[Rule]:
    return sorted({rule.code: rule for rule in rules}.values(), key=lambda rule: rule.code)


def find_rule(name: str) -> Rule:
    """Return a rule by its code or name."""
    wanted = name.strip()
    for rule in all_rules():
        if wanted.upper() == rule.code or wanted.lower() == rule.name:
            return rule
    near = _suggest_name(wanted)
    raise UsageError(
        f"no rule {wanted[:60]}",
        hint=f"did you mean {near}?" if near else "`talktree rule` lists them all",
    )


def _suggest_name(name: str) -> str | None:
    from difflib import get_close_matches

    names = {rule.code: rule.code for rule in all_rules()}
    names |= {rule.name: rule.code for rule in all_rules()}
    found = get_close_matches(name.upper(), names, n=1) or get_close_matches(
        name.lower(), names, n=1
    )
    return names[found[0]] if found else None


def choose_rules(
    rules: Iterable[Rule], *, select: Sequence[str] = (), ignore: Sequence[str] = ()
) -> list[Rule]:
    """Return the selected rules, by name or the beginning of their code.

    The longest match decides: `TRE101` selected counts more than `TRE` ignored. If both are equally
    long, the rule is ignored.
    """
    return [rule for rule in rules if _is_chosen(rule, select, ignore)]


def refuse_unknown(names: Iterable[str]) -> None:
    """Raise an error if a name is neither the beginning of a code nor the name of a rule."""
    for each in names:
        if not any(_matches(rule, each) for rule in all_rules()):
            near = _suggest_name(each)
            hint = f"did you mean {near}?" if near else "`talktree rule` lists them all"
            raise UsageError(f"no rule {each[:60]}", hint=hint)


def _is_chosen(rule: Rule, select: Sequence[str], ignore: Sequence[str]) -> bool:
    wanted = max((_match_weight(rule, each) for each in select or (ALL,)), default=-1)
    return wanted > max((_match_weight(rule, each) for each in ignore), default=-1)


def _match_weight(rule: Rule, name: str) -> int:
    """Return how specifically a name matches a rule, or -1 if it does not match."""
    if name.upper() == ALL:
        return 0
    return len(rule.code if rule.name == name.lower() else name) if _matches(rule, name) else -1


def _matches(rule: Rule, name: str) -> bool:
    return name.upper() == ALL or rule.code.startswith(name.upper()) or rule.name == name.lower()
