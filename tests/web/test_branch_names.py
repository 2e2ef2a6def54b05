"""Names of branches: stored in the library, and removed with their branches."""

from __future__ import annotations

from pathlib import Path

from talktree.library.branch_names import list_branch_names
from tests.web.running import Running, running
from tests.web.working import cid_of, copied, document_of, done, refused, turned


def names(studio: Running, cid: str) -> dict[str, str]:
    opened = studio.studio.cache.open(cid)
    db = studio.studio.cache.get_library().db
    return list_branch_names(db, opened.kept.source, opened.conversation)


def test_a_name_goes_with_its_branch(tmp_path: Path) -> None:
    path = copied("native", tmp_path)
    with running([path]) as found:
        cid = cid_of(found, path)
        leaf = document_of(found, cid).conversations[0].path()[-1].id
        found.post(f"/c/{cid}/branch-names", {"leaf": leaf, "name": "  the good\n one "})
        assert names(found, cid) == {leaf: "the good one"}
        grown = done(found, cid, {"do": "reply", "parent": leaf, "text": "On"})["id"]
        assert names(found, cid) == {grown: "the good one"}
        other = done(found, cid, {"do": "reply", "parent": leaf, "text": "Else"})["id"]
        assert names(found, cid) == {other: "the good one"}, "the line that was written last"
        found.post(f"/c/{cid}/branch-names", {"leaf": grown, "name": "the other"})
        assert names(found, cid) == {other: "the good one", grown: "the other"}
        found.post(f"/c/{cid}/branch-names", {"leaf": other, "name": "again"})
        assert names(found, cid) == {other: "again", grown: "the other"}
        turned(found, cid, "undo")
        turned(found, cid, "undo")
        assert names(found, cid) == {}, "what is gone is not shown"
        turned(found, cid, "redo")
        turned(found, cid, "redo")
        assert names(found, cid) == {other: "again", grown: "the other"}
    with running([path]) as found:
        assert names(found, cid) == {other: "again", grown: "the other"}
        found.post(f"/c/{cid}/branch-names", {"leaf": other, "name": ""})
        assert names(found, cid) == {grown: "the other"}
        found.studio.cache.get_library()
        with found.studio.cache.open_for_writing() as library:
            library.forget(library.conversation(str(path)))
            assert library.db.read("SELECT * FROM branch_names") == []


def test_a_branch_that_is_not_there_has_no_name(tmp_path: Path) -> None:
    path = copied("native", tmp_path)
    with running([path]) as found:
        cid = cid_of(found, path)
        refused(found, f"/c/{cid}/branch-names", {"leaf": "nowhere", "name": "x"}, 404)
        leaf = document_of(found, cid).conversations[0].path()[-1].id
        refused(found, f"/c/{cid}/branch-names", {"leaf": leaf, "name": "x" * 201}, 400)
        refused(found, "/c/999/branch-names", {"leaf": leaf, "name": "x"}, 404)
