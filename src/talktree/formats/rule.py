"""A rule: one thing that can be wrong, how it is seen, and how it is mended.

A rule is a function with a permanent code. Its docstring has four parts: what is wrong, `Why:` it
matters, `Bad:` an example, and `Fix (safe):`, `Fix (unsafe):` or `Fix: none` with the reason. The
same text is the answer of `talktree rule` and the page in the docs.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from inspect import cleandoc
from typing import Any, Literal, NamedTuple, TypeVar

from msgspec import Struct

from talktree.model.findings import Finding, Safety, Severity
from talktree.model.parts import Part

Subject = Literal["reading", "source", "record", "message", "snapshot", "head", "part", "talk"]
"""What a rule looks at: what reading noticed, a source as a whole, each record, each message,
snapshot or head, each part of a message, or a conversation once all of it was seen."""


class Diagnostic(NamedTuple):
    """One place where a rule is broken."""

    message: str
    way: str = ""
    """Which value of the record it is, like `message/content/0`; empty for all of it."""
    position: int = -1
    """Which entry of the conversation it is, where the rule looks at more than one."""
    path: str | None = None
    line: int | None = None
    fixable: bool = True
    """False where the rule's fix does not help."""
    about: object = None
    """What the fix needs to know."""
    name: str | None = None
    """What it is called, if it is no entry of a conversation."""
    at: int = -1
    """Where in the bytes of the record it is, if no value of it can be named."""
    sought: str = ""
    """A text of the record that is meant, where only the model's word for it is known."""


Check = Callable[..., Iterable[Diagnostic]]
Gate = Callable[[Any], object]
"""From a record as rules see it to what is found there; a rule has it as `seen.gated`."""
Glance = Callable[[Any], Sequence[Any]]
"""From many records (`formats.stretch`) to those, or those parts, that may break a rule."""
RepairFunction = Callable[..., Iterable[Any]]
"""From what the rule looked at and what it told to changes; see `formats.change`."""


class Fix(NamedTuple):
    """How a broken rule is mended."""

    safety: Safety
    repair: RepairFunction


def make_safe_fix(repair: RepairFunction) -> Fix:
    """A fix that loses and invents nothing."""
    return Fix("safe", repair)


def make_unsafe_fix(repair: RepairFunction) -> Fix:
    """A fix that loses or invents something; it is made only if asked for."""
    return Fix("unsafe", repair)


class RuleExplanation(NamedTuple):
    """The parts of a rule's text."""

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
    """The formats it is for; empty for all."""
    optional: bool = False
    """Whether it is only for the formats that name it in `optional_rules`."""
    parts: tuple[type[Part], ...] = ()
    """The kinds of parts it looks at, if it looks at parts."""
    gate: Gate | None = None
    """A look at the record that several rules share; only if it finds anything are they asked."""
    glance: Glance | None = None
    """A quick look at many records, messages or parts; only what it picks is looked at further.
    It leaves out only what the rule would find nothing in."""
    instead_of: tuple[str, ...] = ()
    """Codes of shared rules that need not look where this one does, because it says more."""

    @property
    def text(self) -> str:
        """Its docstring."""
        return cleandoc(self.check.__doc__ or "")

    @property
    def explanation(self) -> RuleExplanation:
        """Its docstring taken apart."""
        return _parse_docstring(self.text)


def to_diagnostics(found: Finding) -> list[Diagnostic]:
    """What reading noticed, told as it is."""
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
    """Make a function a rule; it stays what it is, and the module's `find_rules` finds it."""

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
    """The rules of some modules, as they are written there."""
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
