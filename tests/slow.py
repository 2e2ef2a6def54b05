"""Tests that `make quick` skips: those that take long even with few random cases.

Each entry is the beginning of a test's id: a folder, a file or a function. The list was made from
measured processor time; runs do not measure it.
"""

from __future__ import annotations

SLOW = (
    "tests/browser/",
    "tests/damage/",
    "tests/torture/",
    "tests/checks/test_bytes.py::test_a_file_cut_off_anywhere_becomes_valid",
    "tests/checks/test_clean.py",
    "tests/checks/test_glances.py",
    "tests/checks/test_rules.py::test_a_fix_repairs_and_changes_nothing_when_repeated",
    "tests/cli/test_batches.py",
    "tests/cli/test_conversion.py",
    "tests/cli/test_library.py",
    "tests/cli/test_process.py",
    "tests/cli/test_sessions.py",
    "tests/cli/test_transcripts.py",
    "tests/conversion/test_round_trips.py::test_a_way_over_two_formats_leads_back_too",
    "tests/conversion/test_shares.py",
    "tests/conversion/test_structure.py",
    "tests/export/test_in_browser.py",
    "tests/formats/test_native.py::test_nesting_of_any_depth_survives",
    "tests/formats/test_sage_folders.py::test_every_cut_of_a_session_reads_and_writes_the_same_bytes",
    "tests/formats/test_studio_compose.py::test_a_chain_of_any_depth_is_written_and_read",
    "tests/formats/test_studio_shape.py::test_depth_and_breadth_do_not_matter",
    "tests/formats/test_studio_text.py::test_truncated_text_reads_as_far_as_it_goes",
    "tests/formats/test_studio_xml.py::test_every_beginning_of_a_file_is_read_and_written_back",
    "tests/formats/test_studio_xml.py::test_hostile_nesting_takes_linear_time",
    "tests/formats/test_studio_xml_own.py::test_a_very_long_chain_of_replies_is_written_read_and_edited",
    "tests/library/test_incremental.py",
    "tests/library/test_usage_straight.py::test_any_bytes_are_counted",
    "tests/library/test_watch.py",
    "tests/session/test_acknowledged.py",
    "tests/session/test_interrupted_steps.py",
    "tests/session/test_failed_sync.py",
    "tests/session/test_full_disk.py",
    "tests/session/test_power_cut.py",
    "tests/session/test_recording_faults.py",
    "tests/session/test_recording_killed.py",
    "tests/session/test_scale.py",
    "tests/session/test_undo_machine.py",
    "tests/session/test_writers.py",
    "tests/web/test_forgetting.py::test_a_reader_of_the_database_is_named_as_what_is_left",
    "tests/web/test_launch.py::test_the_file_and_its_link_end_after_two_minutes",
    "tests/web/test_offline.py",
)


def is_slow(test: str) -> bool:
    """Whether a test is skipped, by its id."""
    return test.startswith(SLOW)
