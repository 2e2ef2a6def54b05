"""A search from the shell skips imports that it does not need, without changing its results."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from tests.cli.test_library import run
from tests.cli.transcript import environment
from tests.library.made import small

_AFTERWARDS = """
import sys
from talktree.cli.fast_start import load_msgspec
load_msgspec()
assert "typing_extensions" not in sys.modules, "it was loaded"
import typing_extensions
from typing import Annotated, Literal, NotRequired, TypedDict
import msgspec
class Told(TypedDict):
    kind: Literal["a", "b"]
    count: NotRequired[Annotated[int, msgspec.Meta(ge=0)]]
class Held(msgspec.Struct):
    told: Told
    more: Annotated[list[int], msgspec.Meta(max_length=2)] = []
decoder = msgspec.json.Decoder(Held)
assert decoder.decode(b'{"told": {"kind": "a", "count": 1}}').told["count"] == 1
for bad in (b'{"told": {"kind": "c"}}', b'{"told": {"kind": "a"}, "more": [1, 2, 3]}'):
    try:
        decoder.decode(bad)
    except msgspec.ValidationError:
        continue
    raise AssertionError(bad)
"""


def test_msgspec_works_as_ever_and_the_module_it_did_without_can_be_had() -> None:
    subprocess.run([sys.executable, "-c", _AFTERWARDS], check=True, env=environment())


def test_a_search_that_exits_immediately_has_written_everything(tmp_path: Path) -> None:
    small(tmp_path / "claude")
    run(tmp_path, "import", "claude", "-q")
    found = run(tmp_path, "search", "plain", "-n", "1000")
    # The same through the parser, which exits as Python usually does.
    again = run(tmp_path, "search", "plain", "--limit=1000")
    assert found.returncode == 0
    assert (found.stdout, found.stderr) == (again.stdout, again.stderr)
    assert found.stdout
    nothing = run(tmp_path, "search", "quizzaciously")
    assert (nothing.returncode, nothing.stdout) == (1, "")
    assert nothing.stderr == "talktree: nothing found\n"
