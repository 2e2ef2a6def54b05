"""A rule: one thing that can be wrong, how it is detected, and how it is fixed.

A rule is a function with a permanent code. Its docstring has four parts: what is wrong, `Why:` it
matters, `Bad:` an example, and `Fix (safe):`, `Fix (unsafe):` or `Fix: none` with the reason.
`talktree rule` and the docs show the same text.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from inspect import cleandoc
from typing import Any, Literal, NamedTuple, TypeVar

from msgspec import Struct

from talktree.model.findings import Finding, Safety, Severity
from talktree.model.parts import Part

Subject = Literal["reading", "source", "record", "message", "snapshot", "head", "part", "talk"]
"""What a rule checks: the findings of reading, a source as a whole, each record, each message,
snapshot or head, each part of a message, or a conversation after all of its records."""


class Diagnostic(NamedTuple):
    """One place where a rule is broken."""

    message: str
    way: str = ""
    """The path of the value in the record, like `message/content/0`; empty for the whole record."""
    position: int = -1
    """The position of the entry in the conversation, if the rule looks at more than one."""
    path: str | None = None
    line: int | None = None
    fixable: bool = True
    """False if the rule's fix does not help."""
    about: object = None
    """Data that the fix needs."""
    name: str | None = None
    """The name of its subject, if that is not an entry of a conversation."""
    at: int = -1
    """The offset in the record's bytes, if no value can be named."""
    sought: str = ""
    """A text of the record, if only the name of its value in the model is known."""


Check = Callable[..., Iterable[Diagnostic]]
Gate = Callable[[Any], object]
"""From a record to what is found in it; a rule gets the result as `seen.gated`."""
Glance = Callable[[Any], Sequence[Any]]
"""From a batch of records (`formats.rule_batch`) to those, or those parts, that may break a rule.
"""
RepairFunction = Callable[..., Iterable[Any]]
"""From the subject of a rule and its diagnostics to changes; see `formats.fixes`."""


class Fix(NamedTuple):
    """How a broken rule is fixed."""

    safety: Safety
    repair: RepairFunction


def make_safe_fix(repair: RepairFunction) -> Fix:
    """Return a fix that loses and invents nothing."""
    return Fix("safe", repair)


def make_unsafe_fix(repair: RepairFunction) -> Fix:
    """Return a fix that loses or invents something; it is only applied on request."""
    return Fix("unsafe", repair)


class RuleExplanation(NamedTuple):
    """The parts of a rule's docstring."""

    what: str
    why: str
    bad: str
    fix: str


class Rule(Struct, frozen=True, kw_only=True):
    """One rule."""

    code: str
    name: str
    severity: Severity
    on: Subject
    check: Check
    fix: Fix | None = None
    formats: tuple[str, ...] = ()
    """The formats that it applies to; empty for all."""
    optional: bool = False
    """Whether it only applies to formats that name it in `optional_rules`."""
    parts: tuple[type[Part], ...] = ()
    """The kinds of parts that it checks, if it checks parts."""
    gate: Gate | None = None
    """A check of the record that several rules share; they only run if it finds anything."""
    glance: Glance | None = None
    """A quick prefilter for many records, messages or parts; only those it returns are checked. It
    must return everything in which the rule would find something."""
    instead_of: tuple[str, ...] = ()
    """Codes of shared rules that are skipped where this one applies, because it says more."""

    @property
    def text(self) -> str:
        """Its docstring."""
        return cleandoc(self.check.__doc__ or "")

    @property
    def explanation(self) -> RuleExplanation:
        """Its docstring, split into parts."""
        return _parse_docstring(self.text)


def to_diagnostics(found: Finding) -> list[Diagnostic]:
    """Return the diagnostic of a finding of reading, unchanged."""
    return [
        Diagnostic(
            found.message,
            path=found.path,
            line=found.line,
            name=found.entry,
            at=found.at,
            fixable=found.fixable,
        )
    ]


F = TypeVar("F", bound=Check)
RULE = "__talktree_rule__"


def rule(
    code: str,
    name: str,
    severity: Severity,
    *,
    on: Subject,
    fix: Fix | None = None,
    formats: Sequence[str] = (),
    optional: bool = False,
    parts: Sequence[type[Part]] = (),
    gate: Gate | None = None,
    glance: Glance | None = None,
    instead_of: Sequence[str] = (),
) -> Callable[[F], F]:
    """Make a function a rule; the function is unchanged, and the module's `find_rules` finds it."""

    def _decorate(check: F) -> F:
        made = Rule(
            code=code,
            name=name,
            severity=severity,
            on=on,
            check=check,
            fix=fix,
            formats=tuple(formats),
            optional=optional,
            parts=tuple(parts),
            gate=gate,
            glance=glance,
            instead_of=tuple(instead_of),
        )
        setattr(check, RULE, made)
        return check

    return _decorate


def find_rules(*modules: object) -> list[Rule]:
    """Return the rules of some modules, in source order."""
    return [
        found
        for module in modules
        for each in vars(module).values()
        if isinstance(found := getattr(each, RULE, None), Rule)
        and getattr(each, "__module__", None) == getattr(module, "__name__", None)
    ]


def _parse_docstring(text: str) -> RuleExplanation:
    parts: dict[str, list[str]] = {"what": [], "Why": [], "Bad": [], "Fix": []}
    current = "what"
    for line in text.splitlines():
        head, colon, rest = line.partition(":")
        label = head.split(" ")[0]
        if colon and label in parts and not line.startswith(" "):
            current = label
            parts[current].append(line if label == "Fix" else rest.strip())
        else:
            parts[current].append(line)
    what, why, bad, fix = ("\n".join(lines).strip("\n") for lines in parts.values())
    return RuleExplanation(what, why, _unindent(bad), fix)


def _unindent(text: str) -> str:
    return "\n".join(line.removeprefix("    ") for line in text.splitlines()).strip("\n")
