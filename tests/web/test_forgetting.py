"""Forgetting in the studio: what is announced, what goes, and what other windows are shown."""

from __future__ import annotations

from pathlib import Path

from talktree.web.routes.live import Watch
from tests.web.running import running
from tests.web.working import cid_of, copied, refused


def test_the_studio_says_what_goes_and_forgets_it(tmp_path: Path) -> None:
    path, other = copied("claude-code", tmp_path), copied("muse", tmp_path)
    before = path.read_bytes()
    with running([path, other]) as found:
        cid = cid_of(found, path)
        preview = found.get(f"/c/{cid}/forget")
        assert (preview["path"], preview["on_disk"]) == (str(path), True)
        assert preview["versions"] == 1
        watch = Watch(found.studio.desk, cid)
        watch.look()
        count = found.get("/conversations")["total"]
        done = found.post(f"/c/{cid}/forget", None)
        assert done["left"] == []
        news = watch.look()
        assert news is not None
        assert news.cause == "forgotten"
        assert watch.look() is None
        assert found.get("/conversations")["total"] == count - 1
        refused(found, f"/c/{cid}/forget", None, 404)
        with found.studio.desk.writing() as library:
            assert library.import_([path, other]).forgotten == 1
        assert found.get("/conversations")["total"] == count - 1
        assert found.get(f"/c/{cid_of(found, other)}")["messages"] > 0
    assert path.read_bytes() == before


def test_a_studio_that_only_shows_forgets_nothing(tmp_path: Path) -> None:
    path = copied("native", tmp_path)
    with running([path], read_only=True) as found:
        cid = cid_of(found, path)
        assert found.get(f"/c/{cid}/forget")["conversations"] == 2
        refused(found, f"/c/{cid}/forget", None, 403)
        assert found.get(f"/c/{cid}")["messages"] > 0
