"""The files of a history: sessions, their agents, forks, resumes and copies."""

from __future__ import annotations

import shutil
from pathlib import Path
from random import Random

import numpy

from bench.history.project import Project, munged
from bench.history.session import Session
from bench.history.truth import Truth
from bench.history.words import Prose, vocabulary

MEGABYTE = 1_000_000
DAYS = 440
RARE = "xylochrysal"
LARGEST = 30 * MEGABYTE


def made(folder: Path, megabytes: int) -> None:
    """Write a history of about this size; the folder appears only when it is complete."""
    unfinished = folder.with_name(folder.name + ".unfinished")
    shutil.rmtree(unfinished, ignore_errors=True)
    maker = _Maker(unfinished, megabytes)
    maker.run()
    maker.truth.save(unfinished / "truth.json")
    shutil.rmtree(folder, ignore_errors=True)
    unfinished.rename(folder)


class _Maker:
    def __init__(self, folder: Path, megabytes: int) -> None:
        self._folder = folder
        self._random = Random(f"history {megabytes}")
        numbers = numpy.random.default_rng(megabytes)
        words = vocabulary(self._random, 40_000)
        self._prose = Prose(self._random, numbers, words)
        count = max(3, megabytes // 25)
        self._projects = [Project(self._random, numbers, words) for _ in range(count)]
        self._sizes = _sizes(self._random, megabytes)
        self._written: dict[str, list[Path]] = {}
        self.truth = Truth(rare=RARE)

    def run(self) -> None:
        """Write all files, in the order of their days."""
        last = None
        for number, size in enumerate(self._sizes):
            day = number * DAYS // len(self._sizes)
            chance = self._random.random()
            if last is not None and size < 400_000 and chance < 0.28:
                self._agent(last, size, older=day < 200)
            elif last is not None and size < 2 * MEGABYTE and chance < 0.36:
                last = self._fork(day, size, whole=chance > 0.33)
            elif last is not None and size < MEGABYTE and chance < 0.37:
                self._copy(self._random.choice(self._written[last.project.cwd]))
            else:
                last = self._session(day, size, number)

    def _session(self, day: int, size: int, number: int) -> Session:
        session = self._new(day)
        if number == len(self._sizes) // 2 or (not self.truth.rare_file and number > 60):
            session.plant(RARE)
            self.truth.rare_file = str(self._path(session).relative_to(self._folder))
        if size > 10 * MEGABYTE:
            session.large(self._random.randint(2, 5) * MEGABYTE)
        session.fill(size)
        if self._random.random() < 0.4:
            session.summary()
        self._save(session)
        return session

    def _agent(self, parent: Session, size: int, *, older: bool) -> None:
        agent = Session(
            self._random,
            parent.project,
            self._prose,
            self.truth,
            day=parent.day,
            id=parent.id,
            agent=f"{self._random.getrandbits(32):08x}",
        )
        agent.fill(size)
        path = self._path(parent).with_suffix("") / "subagents" / f"agent-{agent.agent}.jsonl"
        if older:
            path = self._path(parent).with_name(path.name)
        self._put(path, bytes(agent.data))

    def _fork(self, day: int, size: int, *, whole: bool) -> Session:
        session = self._new(day)
        earlier = self._written.get(session.project.cwd)
        if earlier:
            data = self._random.choice(earlier[-20:]).read_bytes()
            if len(data) < 3 * MEGABYTE:
                share = 1.0 if whole else self._random.uniform(0.2, 0.9)
                session.copied(data, max(int(len(data) * share), 20_000))
        session.fill(max(size, len(session.data) + 5_000))
        self._save(session)
        return session

    def _copy(self, path: Path) -> None:
        backup = path.parent.with_name(path.parent.name + "-backup") / path.name
        if path.stat().st_size < 2 * MEGABYTE and not backup.exists():
            self._put(backup, path.read_bytes())

    def _new(self, day: int) -> Session:
        project = self._random.choice(self._projects)
        return Session(self._random, project, self._prose, self.truth, day=day)

    def _path(self, session: Session) -> Path:
        return self._folder / "projects" / munged(session.project.cwd) / f"{session.id}.jsonl"

    def _save(self, session: Session) -> None:
        path = self._path(session)
        self._put(path, bytes(session.data))
        self._written.setdefault(session.project.cwd, []).append(path)

    def _put(self, path: Path, data: bytes) -> None:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)
        self.truth.wrote(data)


def _sizes(random: Random, megabytes: int) -> list[int]:
    """Return the file sizes: two files per megabyte, most of 20 KB to 2 MB, a few of 10 to 30."""
    count = megabytes * 2
    large = [random.randint(10, 30) * MEGABYTE for _ in range(megabytes // 200)] or [10 * MEGABYTE]
    small = [
        min(max(random.lognormvariate(12.2, 1.2), 20_000), 2_200_000)
        for _ in range(count - len(large))
    ]
    scale = (megabytes * MEGABYTE - sum(large)) / sum(small)
    sizes = large + [int(max(20_000, size * scale)) for size in small]
    random.shuffle(sizes)
    return sizes
