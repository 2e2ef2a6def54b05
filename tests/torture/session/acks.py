"""Reports of writers outside the store: what they tried, and what they were acknowledged.

Sent by `writev`, which the store itself never calls, so that faults injected in its calls do not
affect the reports.
"""

from __future__ import annotations

import os
from typing import NamedTuple


class Reporter:
    """The writer's end."""

    def __init__(self, descriptor: int) -> None:
        self._descriptor = descriptor

    def tried(self, token: str) -> None:
        """Report that a text is going to be written."""
        self._report("try", token)

    def acked(self, token: str, id: str) -> None:
        """Report that the store has acknowledged it."""
        self._report("ack", token, id)

    def wrong(self, what: str) -> None:
        """Report something that must never happen."""
        self._report("bug", what.replace("\n", "\\n"))

    def _report(self, *words: str) -> None:
        os.writev(self._descriptor, [(" ".join(words) + "\n").encode()])


class WriterReports(NamedTuple):
    """The reports of all writers."""

    tried: set[str]
    acked: dict[str, str]
    """By token, the id that the store gave."""
    bugs: list[str]


def parse_reports(data: bytes) -> WriterReports:
    """Parse reports; a last line that was truncated by a kill does not count."""
    reported = WriterReports(set(), {}, [])
    for line in data.decode().split("\n")[:-1]:
        kind, _, rest = line.partition(" ")
        if kind == "try":
            reported.tried.add(rest)
        elif kind == "ack":
            token, _, id = rest.partition(" ")
            reported.acked[token] = id
        elif kind == "bug":
            reported.bugs.append(rest)
    return reported
