"""All laws of a format as tests: a class to inherit from. Needs pytest and hypothesis.

```python
class TestShareGpt(FormatTests):
    format = FORMAT
    good = sorted((Path(__file__).parent / "samples").glob("*.json"))
    messages = st.builds(Message, role=st.just("user"), parts=...)
```
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import ClassVar

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from talktree.files import Source, load
from talktree.formats import BUILT_IN, get_format
from talktree.formats.engine import read_document
from talktree.formats.format import Format
from talktree.model.message import Message
from talktree.testing import contract, conversion_contract
from talktree.testing.strategies import damage_bytes

any_machine = settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])
"""A busy machine is slow at drawing and checking, which is not the format's fault."""


class FormatTests:
    """The laws of one format, on its samples and on random messages and damage."""

    format: ClassVar[Format]
    good: ClassVar[Sequence[Path]]
    """Valid samples, files or folders."""
    bad: ClassVar[Sequence[Path]] = ()
    """Samples that are damaged or odd."""
    messages: ClassVar[st.SearchStrategy[Message]]
    """Random messages within what the format can hold."""

    @pytest.fixture(autouse=True)
    def is_registered(self) -> None:
        """Check that conversions find the format by its slug."""
        assert get_format(self.format.info.slug) is self.format, "its package is not installed"

    def pytest_generate_tests(self, metafunc: pytest.Metafunc) -> None:
        """Run the tests of samples for each of them."""
        if "sample" in metafunc.fixturenames:
            samples = [*self.good, *self.bad]
            metafunc.parametrize("sample", samples, ids=[path.name for path in samples])
        if "other" in metafunc.fixturenames:
            metafunc.parametrize("other", [*BUILT_IN])

    # reading and writing

    def test_a_sample_is_recognized(self, sample: Path) -> None:
        contract.check_detection(self.format, load(sample))

    def test_an_unchanged_sample_is_written_as_it_was(self, sample: Path) -> None:
        contract.check_unchanged_document_writes_identical_bytes(self.format, load(sample))

    def test_records_know_their_places(self, sample: Path) -> None:
        contract.check_record_positions(self.format, load(sample))

    def test_putting_back_changes_nothing(self, sample: Path) -> None:
        contract.check_put_get(self.format, load(sample))

    def test_an_edit_changes_one_record(self, sample: Path) -> None:
        contract.check_edit_changes_one_record(self.format, load(sample), text="changed\nü")

    def test_good_samples_have_no_findings(self) -> None:
        for path in self.good:
            found = read_document(load(path), self.format).findings
            assert [each for each in found if each.severity != "note"] == [], path

    @any_machine
    @given(data=st.data())
    def test_a_new_message_reads_back(self, data: st.DataObject) -> None:
        contract.check_new_entry_reads_back(self.format, data.draw(self.messages))

    @any_machine
    @given(data=st.data())
    def test_an_appended_message_is_read(self, data: st.DataObject) -> None:
        source = _load_in_memory(load(data.draw(st.sampled_from(self.good))))
        contract.check_appended_entry(self.format, source, data.draw(self.messages))

    @any_machine
    @given(data=st.data())
    def test_damaged_bytes_get_an_answer(self, data: st.DataObject) -> None:
        source = load(data.draw(st.sampled_from([*self.good, *self.bad])))
        files = source.as_bytes()
        path = data.draw(st.sampled_from(sorted(files)))
        files[path] = data.draw(damage_bytes(files[path]))
        broken = contract.make_source(files, folder=source.folder)
        contract.check_any_bytes(self.format, broken)

    @any_machine
    @given(raw=st.binary(max_size=300))
    def test_random_bytes_get_an_answer(self, raw: bytes) -> None:
        name = f"random{self.format.info.suffixes[0]}"
        contract.check_any_bytes(self.format, Source.of_bytes(raw, name=name))

    # conversion

    def test_a_round_trip_gives_the_same_bytes(self, sample: Path, other: str) -> None:
        conversion_contract.check_round_trip(self.format, load(sample), get_format(other))

    def test_an_edit_elsewhere_comes_back_alone(self, other: str) -> None:
        for path in self.good:
            conversion_contract.check_edit_round_trip(
                self.format, load(path), get_format(other), text="edited elsewhere"
            )


def _load_in_memory(source: Source) -> Source:
    files = source.as_bytes()
    return contract.make_source(files, folder=source.folder, name=source.name)
