"""Aliases: a second name of a format works like its slug, wherever a format is named."""

from __future__ import annotations

import json
from pathlib import Path

import click
import pytest

from talktree import api
from talktree.cli.main import run
from talktree.cli.params import FORMAT
from talktree.errors import NotFound
from talktree.formats import all_formats, get_format, resolve_alias, slugs
from talktree.library.library import Library

DATA = Path(__file__).parent.parent / "data"
ALIASES = {
    "message-history": "muse",
    "conversation-studio": "studio",
    "chat-builder": "chatbuilder",
    "claude-spec": "claude-messages",
    "sage-agent": "sage",
}
HISTORY = DATA / "muse" / "good" / "analytics.json"
SESSION = DATA / "claude-code" / "good" / "one-session.jsonl"


def output(capfd: pytest.CaptureFixture[str], *arguments: str) -> str:
    """Run a command that must succeed, and return its output."""
    assert run(arguments) == 0, capfd.readouterr().err
    return capfd.readouterr().out


def test_each_alias_is_its_format() -> None:
    assert {alias: get_format(alias).info.slug for alias in ALIASES} == ALIASES
    assert {alias: resolve_alias(alias) for alias in ALIASES} == ALIASES
    assert [resolve_alias(slug) for slug in (*slugs(), "nonesuch")] == [
        *slugs(),
        "nonesuch",
    ]
    with pytest.raises(NotFound):
        get_format("nonesuch")


def test_no_alias_is_a_slug_or_the_alias_of_two() -> None:
    named = [name for each in all_formats() for name in (each.info.slug, *each.info.aliases)]
    assert len(set(named)) == len(named)


def test_every_format_says_where_it_comes_from(capfd: pytest.CaptureFixture[str]) -> None:
    listed = json.loads(output(capfd, "formats", "--json"))["formats"]
    assert all(each["origin"] for each in listed)
    assert {alias: each["slug"] for each in listed for alias in each["aliases"]} == ALIASES
    shown = output(capfd, "formats")
    assert all(each["origin"] in shown for each in listed)
    assert all(alias in shown for alias in ALIASES)


def test_the_shell_completes_aliases() -> None:
    context = click.Context(click.Command("convert"))
    option = click.Option(["-t"], type=FORMAT)
    found = {each.value for each in FORMAT.shell_complete(context, option, "s")}
    assert found == {"studio", "studio-text", "studio-xml", "sage", "sage-agent"}


@pytest.mark.parametrize("alias", ALIASES)
def test_converting_to_an_alias_writes_the_format(
    alias: str, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    slug = ALIASES[alias]
    for name in (alias, slug):
        output(capfd, "convert", str(SESSION), "-t", name, "-o", str(tmp_path / name))
    assert api.read(tmp_path / alias).format == slug
    assert _bytes(tmp_path / alias) == _bytes(tmp_path / slug)


def _bytes(path: Path) -> dict[str, bytes]:
    if path.is_file():
        return {"": path.read_bytes()}
    return {
        str(each.relative_to(path)): each.read_bytes() for each in path.rglob("*") if each.is_file()
    }


def test_a_format_converted_to_its_own_alias_stays_as_it_is(tmp_path: Path) -> None:
    document = api.read(HISTORY, format="message-history")
    api.convert(document, tmp_path / "copy.json", to="message-history")
    assert (tmp_path / "copy.json").read_bytes() == HISTORY.read_bytes()


def test_a_batch_goes_on_under_either_name(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "in").mkdir()
    for name in ("one.json", "two.json"):
        (tmp_path / "in" / name).write_bytes(HISTORY.read_bytes())
    call = ("convert", str(tmp_path / "in"), "-o", str(tmp_path / "out"), "--json", "-t")
    output(capfd, *call, "sage-agent")
    output(capfd, *call, "sage")
    kept = sorted(path.name for path in (tmp_path / "out").iterdir() if path.name[0] != ".")
    assert kept == ["one", "two"]


def test_every_option_that_names_a_format_takes_an_alias(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    kept = str(tmp_path / "library")
    output(capfd, "import", str(HISTORY), str(SESSION), "--library", kept)
    for call in (
        ("show", str(HISTORY), "--json", "-f"),
        ("stats", str(HISTORY), "--json", "-f"),
        ("tree", str(HISTORY), "--json", "-f"),
        ("list", "--library", kept, "--json", "--format"),
        ("stats", "--library", kept, "--json", "-f"),
    ):
        by_alias, by_name = (output(capfd, *call, name) for name in ("message-history", "muse"))
        assert by_alias == by_name
        assert by_alias
    for verb in ("export", "migrate"):
        pages = []
        for name in ("message-history", "muse"):
            out = tmp_path / f"{verb}-{name}.json"
            output(capfd, verb, str(SESSION), "--to", name, "-o", str(out))
            pages.append(out.read_bytes())
        assert pages[0] == pages[1]
        assert api.detect(out).format.info.slug == "muse"


def test_the_library_takes_aliases(tmp_path: Path) -> None:
    with Library.open(tmp_path / "library", write=True) as library:
        library.import_([HISTORY, SESSION])
        listed = [each.format for each in library.conversations(format="message-history")]
        assert listed == ["muse"]
        assert library.stats(format="message-history").messages == 3
        by_alias = library.search("format:message-history")
        assert {hit.format for hit in by_alias.hits} == {"muse"}
