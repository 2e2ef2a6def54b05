"""A tool-using agent without a model, which shows what the session store does for a real one.

It works in a folder on a small script: it edits, runs a shell command, makes a mistake, undoes it,
redoes it, tries another way on a new branch, asks a sub-agent, and continues the next day.
Everything it does is recorded, and every change to a file can be undone.

    python examples/agent.py FOLDER
"""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

from talktree.session import Session, Store

AGENT = "Robin"
FOLDER = ".robin"
"""The assistant's name, and the folder of its sessions. You choose both."""
GREETING = 'print("Good morning")\n'
MISTAKE = 'prnt("Good morning, Ada")\n'
BETTER = 'import sys\n\nprint("Good morning,", sys.argv[1])\n'


class Agent:
    """Two tools, and a record of everything they do."""

    def __init__(self, session: Session, folder: Path) -> None:
        self.session = session
        self.folder = folder
        self.calls = 0

    def edit(self, words: str, path: str, content: str) -> str:
        """Write a file. The session keeps the old content before the first byte is written."""
        return self._use("edit", words, {"path": path}, lambda: self._write(path, content), [path])

    def shell(self, words: str, command: str) -> str:
        """Run a command. It may touch any file, so the whole folder is watched."""
        return self._use("shell", words, {"command": command}, lambda: self._run(command))

    def _use(
        self,
        tool: str,
        words: str,
        input: dict[str, str],
        work: Callable[[], str],
        paths: list[str] | None = None,
    ) -> str:
        self._ask_model()
        self.calls += 1
        call = f"{self.session.id[:8]}-{self.calls}"
        asked = self.session.assistant(
            words,
            calls=[{"id": call, "name": tool, "input": input}],
            usage={"input": 900, "output": 60},
            model="scripted-1",
        )
        with self.session.step(asked, paths=paths or (), watch=() if paths else ["."]) as step:
            output = work()
        answered = self.session.results({"call": call, "output": output})
        changed = ", ".join(change.path.decode() for change in step.changed)
        print(f"  {tool}: {words} (changed: {changed or 'nothing'})")
        return answered

    def _ask_model(self) -> None:
        """Print what a model would be sent: messages, thinking level, and moves."""
        sent = len(self.session.context_messages())
        print(f"  to the model: {sent} messages, thinking {self.session.thinking().level}")
        for move in self.session.moves_since_reply():
            print(f"  and a note: {move.text}")

    def _write(self, path: str, content: str) -> str:
        (self.folder / path).write_text(content)
        return f"{path}: {len(content)} characters"

    def _run(self, command: str) -> str:
        done = subprocess.run(
            command, shell=True, cwd=self.folder, capture_output=True, text=True, check=False
        )
        return (done.stdout + done.stderr).strip()


def undo_turn(session: Session) -> None:
    """Look at the plan for an undo, then execute exactly that plan."""
    undo = session.undo(turn=True)
    for action in undo.plan().actions:
        print(f"    {action.action} {action.path.decode()}")
    print(f"    -> exit code {undo.apply().exit_code}")


def first_day(store: Store, folder: Path) -> str:
    """Record some work with a mistake in it, and two ways of continuing."""
    with store.create(title="A friendly script", workspace=folder) as session:
        agent = Agent(session, folder)
        print("A prompt, two tools, tasks")
        session.user("Write a script that greets people. Think hard about names.")
        session.todos(["greet", "greet by name"])
        agent.edit("First a plain greeting.", "greet.py", GREETING)
        session.todos([{"content": "greet", "status": "completed"}, "greet by name"])
        good = agent.shell("Now a note of how to run it.", "mkdir -p docs && echo run > docs/use")

        print("A mistake, and the way back")
        session.user("Now greet by name.")
        agent.edit("With a name.", "greet.py", MISTAKE)
        agent.shell("Does it run?", "python3 -B greet.py")
        session.error("tool", "greet.py does not run")
        undo_turn(session)
        assert (folder / "greet.py").read_text() == GREETING
        print("Undone; redone to look at it again; and undone once more")
        session.redo().apply()
        assert (folder / "greet.py").read_text() == MISTAKE
        undo_turn(session)

        print("Another way, on a branch with a name")
        session.user("Take the name from the command line.")
        agent.edit("From the command line.", "greet.py", BETTER)
        agent.shell("Does it run?", "python3 -B greet.py Ada")
        session.name("arguments")

        print("A fork from before, where only the talk goes back")
        session.fork(good)
        session.user("What did we have so far?")
        session.assistant("A plain greeting, and a note of how to run it.")
        session.switch("arguments").apply()

        print("A sub-agent in a session of its own, and one beside the main line")
        with session.child(agent="reviewer", title="Review") as child:
            child.user("Is greet.py fine?")
            child.assistant("It fails without an argument.")
        beside = session.sidechain()
        beside.user("Count the lines of greet.py.")
        beside.assistant("3")

        print("The talk grows long: a summary stands for it, and nothing is lost")
        session.record_compaction_start(tokens=12_000)
        session.record_compaction(
            "The script greets by name.", tokens_before=12_000, tokens_after=700
        )
        session.user("What is left to do?")
        details = len(session.context_messages()), len(session.full_messages())
        print(f"  the model sees {details[0]} messages of {details[1]}")
        return session.id


def next_day(store: Store, id: str) -> None:
    """Open the session again and look back."""
    print("The next day")
    with store.open(id) as session:
        session.record_restoration_start()
        session.record_restoration()
        print(f"  {len(session.context_messages())} messages are back in the context")
        for branch in session.branches():
            here = "*" if branch.current else " "
            print(f"  {here} {branch.name or branch.leaf[:8]}: {branch.messages} messages")
        for progress in session.todo_progress():
            print(f"  {progress.done} of {len(progress.todos)} done: {'; '.join(progress.changed)}")
        first = session.full_messages()[0].id
        comparison = session.diff(first)
        print(f"  since the first prompt: {', '.join(f.path.decode() for f in comparison.files)}")
        print("Everything goes back to before the first tool, tasks too, and forth again")
        session.restore(first).apply()
        assert session.current_todos() == ()
        session.undo(operation="last").apply()
        assert len(session.current_todos()) == 2
        session.close(state="completed")


def main(folder: Path) -> None:
    """Run the whole example."""
    folder.mkdir(parents=True, exist_ok=True)
    store = Store(folder / FOLDER, agent=AGENT)
    next_day(store, first_day(store, folder))
    assert (folder / "greet.py").read_text() == BETTER


if __name__ == "__main__":
    main(Path(sys.argv[1] if len(sys.argv) > 1 else "agent-example"))
