"""Inputs and outputs of tools, with the repetitions that real sessions have.

The contents of a read file are in the result and again in the detail; an edit has the old and the
new lines, the file before it, and the patch; the output of a shell occurs twice.
"""

from __future__ import annotations

from random import Random
from typing import Any, NamedTuple

from bench.history.project import Project
from bench.history.words import Prose

Value = dict[str, Any]


class Use(NamedTuple):
    """One call and its answer."""

    tool: str
    input: Value
    output: str
    detail: Value | str
    error: bool = False


class Toolbox:
    """The tools of one session; its edits change its own copies of the project's files."""

    def __init__(self, random: Random, project: Project, prose: Prose) -> None:
        self._random = random
        self._project = project
        self._prose = prose
        paths = random.sample(sorted(project.files), min(20, len(project.files)))
        self._files = {path: list(project.files[path]) for path in paths}
        self._todos: list[Value] = []

    def use(self) -> Use:
        """Return a tool call, with realistic frequencies."""
        chance = self._random.random()
        if chance < 0.25:
            return self._read()
        if chance < 0.37:
            return self._edit()
        if chance < 0.82:
            return self._bash()
        if chance < 0.91:
            return self._grep()
        if chance < 0.95:
            return self._todo()
        if chance < 0.98:
            return self._write()
        return self._fetch()

    def _file(self) -> tuple[str, list[str]]:
        path = self._random.choice(list(self._files))
        return path, self._files[path]

    def _read(self) -> Use:
        path, lines = self._file()
        if self._random.random() < 0.04:
            message = "<tool_use_error>File does not exist.</tool_use_error>"
            return Use("Read", {"file_path": path + "x"}, message, f"Error: {message}", True)
        start, count = 0, len(lines)
        input: Value = {"file_path": path}
        if count > 60 and self._random.random() < 0.6:
            start, count = self._random.randrange(count - 40), self._random.randint(20, 90)
            input |= {"offset": start + 1, "limit": count}
        shown = lines[start : start + count]
        file = {
            "filePath": path,
            "content": "\n".join(shown),
            "numLines": len(shown),
            "startLine": start + 1,
            "totalLines": len(lines),
        }
        return Use("Read", input, _numbered(shown, start), {"type": "text", "file": file})

    def _edit(self) -> Use:
        path, lines = self._file()
        before = "\n".join(lines)
        at = self._random.randrange(max(1, len(lines) - 8))
        old = lines[at : at + self._random.randint(1, 6)]
        new = [self._project.code_line() for _ in range(self._random.randint(1, 9))]
        input = {"file_path": path, "old_string": "\n".join(old), "new_string": "\n".join(new)}
        if self._random.random() < 0.05:
            message = "<tool_use_error>String to replace not found in file.</tool_use_error>"
            return Use("Edit", input, message, f"Error: {message}", True)
        lines[at : at + len(old)] = new
        snippet = _numbered(lines[max(0, at - 4) : at + len(new) + 4], max(0, at - 4))
        patch = {
            "oldStart": at + 1,
            "oldLines": len(old),
            "newStart": at + 1,
            "newLines": len(new),
            "lines": [*("-" + line for line in old), *("+" + line for line in new)],
        }
        detail: Value = {
            "filePath": path,
            "oldString": input["old_string"],
            "newString": input["new_string"],
            "originalFile": before,
            "structuredPatch": [patch],
            "userModified": False,
            "replaceAll": False,
        }
        return Use("Edit", input, f"The file {path} has been updated.\n{snippet}", detail)

    def _write(self) -> Use:
        path = f"{self._project.cwd}/src/{self._project.name()}.py"
        lines = [self._project.code_line() for _ in range(self._random.randint(10, 150))]
        self._files[path] = lines
        text = "\n".join(lines)
        detail = {"type": "create", "filePath": path, "content": text, "structuredPatch": []}
        input = {"file_path": path, "content": text}
        return Use("Write", input, f"File created successfully at: {path}", detail)

    def _bash(self) -> Use:
        name = self._project.name()
        command = self._random.choice(
            (
                f"pytest -q tests/test_{name}.py",
                f"git diff --stat HEAD~{self._random.randint(1, 9)} -- src/{name}",
                f"ls -la src/{name} && wc -l src/{name}/*.py",
                f"npm run build --workspace {name}",
                f"python -m {name} --verbose --limit {self._random.randint(1, 500)}",
                f"cargo test -p {name} 2>&1 | tail -{self._random.randint(10, 90)}",
            )
        )
        input = {"command": command, "description": self._prose.take(30)}
        output = self._project.outputs(self._lines())
        if self._random.random() < 0.12:
            text = f"Exit code 1\nTraceback (most recent call last):\n{output}"
            return Use("Bash", input, text, f"Error: {text}", True)
        detail = {"stdout": output, "stderr": "", "interrupted": False, "isImage": False}
        return Use("Bash", input, output, detail)

    def _lines(self) -> int:
        chance = self._random.random()
        if chance < 0.7:
            return self._random.randint(1, 25)
        return self._random.randint(25, 90) if chance < 0.95 else self._random.randint(90, 450)

    def _grep(self) -> Use:
        name = self._project.name()
        found: list[str] = []
        for path, lines in self._files.items():
            for number, line in enumerate(lines, 1):
                if name in line and len(found) < 60:
                    found.append(f"{path}:{number}:{line}")
        output = "\n".join(found) or "No matches found"
        detail = {
            "mode": "content",
            "numFiles": len(found),
            "filenames": [],
            "content": output,
            "numLines": len(found),
        }
        input = {"pattern": name, "path": self._project.cwd, "output_mode": "content", "-n": True}
        return Use("Grep", input, output, detail)

    def _todo(self) -> Use:
        old = list(self._todos)
        statuses = self._random.choices(("completed", "in_progress", "pending"), k=4)
        self._todos = [
            {"content": text, "status": status, "activeForm": f"Doing {text}"}
            for status in statuses
            for text in [self._prose.take(40)]
        ]
        details = "Todos have been modified successfully. Ensure that you continue to use the list."
        detail = {"oldTodos": old, "newTodos": self._todos}
        return Use("TodoWrite", {"todos": self._todos}, details, detail)

    def _fetch(self) -> Use:
        url = f"https://docs.example.org/{self._project.name()}/{self._random.randint(1, 99)}"
        text = self._prose.take(self._random.randint(800, 6000))
        detail: Value = {
            "bytes": len(text) * 4,
            "code": 200,
            "codeText": "OK",
            "result": text,
            "durationMs": self._random.randint(300, 4000),
            "url": url,
        }
        return Use("WebFetch", {"url": url, "prompt": self._prose.take(80)}, text, detail)


def _numbered(lines: list[str], start: int) -> str:
    return "\n".join(f"{number:6}→{line}" for number, line in enumerate(lines, start + 1))
