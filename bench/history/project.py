"""A project of a history: a directory, names, code files, and the output of its shell."""

from __future__ import annotations

from collections.abc import Callable
from random import Random

import numpy

from bench.history.words import Weighted

LINES: tuple[str, ...] = (
    "from {a}.{b} import {c}, {d}",
    "def {a}({b}: {C}, {c}: int = {n}) -> {D}:",
    "    if {a} is None or {b}.{c} > {n}:",
    "        return {a}.{b}({c}, {d}={n})",
    "    {a} = {b}({c}, {d})",
    "    {a}.{b} = {C}({c}={d}[{n}])",
    "    for {a} in {b}.{c}():",
    '        raise {C}Error(f"{a} of {{{b}}} is not {c}")',
    "class {C}({D}):",
    '    """The {a} of a {b}, with its {c} and {d}."""',
    "    # {a} must come before {b}, or {c} is lost",
    '        self._{a} = {b}.get("{c}", {n})',
    "        assert {a}({b}) == [{c}, {n}]",
    "",
    "",
    "export const {a} = async ({b}: {C}): Promise<{D}> => {{",
    "  const {a} = await {b}.{c}({{ {d}: {n} }});",
    "  return {a} ?? {b}.{c};",
    "}};",
)
OUTPUT: tuple[str, ...] = (
    "tests/test_{a}.py::test_{b}_{c} PASSED [ {p}%]",
    "-rw-r--r-- 1 ana ana {n} Mar {p} 12:{p} {a}_{b}.py",
    "2026-0{q}-1{q} 09:{p}:{p},{n} INFO {a}.{b}: {c} took {n} ms",
    'src/{a}/{b}.py:{n}: error: Argument {q} to "{c}" has type "{C}"',
    "+    {a} = {b}({c}, {d})",
    "-    {a} = {b}({c})",
    "@@ -{n},{q} +{n},{q} @@ def {a}({b}):",
    "diff --git a/src/{a}/{b}.py b/src/{a}/{b}.py",
    "index {h}..{h} 100644",
    "{h} {a} {b} {c}",
    '  File "/usr/lib/python3.11/{a}/{b}.py", line {n}, in {c}',
    "    return self.{a}({b}, {c})",
    '{{"{a}": {n}, "{b}": "{c}", "id": "{h}", "ok": true}},',
    "npm warn deprecated {a}-{b}@{q}.{p}.{q}: use {c} instead",
    "added {n} packages in {q}s",
    "warning: unused variable `{a}` in crates/{b}/src/{c}.rs:{n}:{p}",
)


class Project:
    """Names and files; the files are the same in all its sessions until a session edits them."""

    FILES = 80
    NAMES = 4_000
    OUTPUTS = 4_000

    def __init__(self, random: Random, numbers: numpy.random.Generator, words: list[str]) -> None:
        self._random = random
        title = "-".join(random.sample(words[150:3000], 2))
        self.cwd = f"/{random.choice(('home', 'Users'))}/{random.choice(('ana', 'mira'))}/{title}"
        self.branches = ["main", *(f"{random.choice(words[150:900])}-{n}" for n in range(4))]
        self._names = Weighted([self._name(words) for _ in range(self.NAMES)], 0.7, numbers)
        self._drawn: list[str] = []
        self.files = {self._path(): self._code(random.randint(15, 220)) for _ in range(self.FILES)}
        self._outputs = [self.output_line() for _ in range(self.OUTPUTS)]

    def name(self) -> str:
        """Return an identifier; some are very common."""
        if not self._drawn:
            self._drawn = self._names.draw(5_000)
        return self._drawn.pop()

    def code_line(self) -> str:
        """Return a line of a program."""
        return self._filled(self._random.choice(LINES))

    def output_line(self) -> str:
        """Return a line of a program's output."""
        return self._filled(self._random.choice(OUTPUT))

    def outputs(self, count: int) -> str:
        """Return the output of a command: repeated lines, every second one with its own numbers."""
        lines = self._random.choices(self._outputs, k=count)
        for at in range(0, count, 2):
            lines[at] = self.output_line()
        return "\n".join(lines)

    def _code(self, lines: int) -> list[str]:
        return [self.code_line() for _ in range(lines)]

    def _path(self) -> str:
        kind = self._random.choice(("src", "src", "tests", "lib", "docs"))
        end = self._random.choice(("py", "py", "ts", "rs", "md"))
        return f"{self.cwd}/{kind}/{self.name()}/{self.name()}.{end}"

    def _name(self, words: list[str]) -> str:
        parts = self._random.sample(words[60:6000], self._random.choice((1, 2, 2, 3)))
        return "_".join(parts) if self._random.random() < 0.7 else _camel(parts)

    def _filled(self, template: str) -> str:
        random = self._random
        found: dict[str, object] = {}
        fillers: dict[str, Callable[[], object]] = {
            "n": lambda: random.randint(2, 4000),
            "p": lambda: random.randint(10, 59),
            "q": lambda: random.randint(1, 9),
            "h": lambda: f"{random.getrandbits(36):09x}",
        }
        for key, filler in fillers.items():
            if f"{{{key}}}" in template:
                found[key] = filler()
        for key in "abcd":
            found[key] = self.name()
        found["C"] = _camel([self.name()])
        found["D"] = _camel([self.name()])
        return template.format(**found)


def _camel(parts: list[str]) -> str:
    return "".join(part.capitalize() for name in parts for part in name.split("_"))


def munged(cwd: str) -> str:
    """Return a directory as the name of a project's folder."""
    return "".join(letter if letter.isascii() and letter.isalnum() else "-" for letter in cwd)
