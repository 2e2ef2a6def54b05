"""SYN1: lines and brackets, as reading finds them."""

from __future__ import annotations

from talktree.formats.mends import sound_bytes
from talktree.formats.rule import Told, as_noticed, rule, safe
from talktree.model.findings import Finding


@rule("SYN101", "torn-record", "error", on="reading", fix=safe(sound_bytes("torn")))
def torn_record(noticed: Finding) -> list[Told]:
    """A record ends in the middle: the last line of a file that was cut off while being written.

    Why: its writer was killed, or the disk was full. Programs that read the file line by line stop
    here or refuse the whole file, though everything before is sound.

    Bad:
        {"type":"user","uuid":"5f3c8a52-7d0e-4b7a-9f37-0c6f1d2e3a4b","message":{"role":"us

    Fix (safe): the torn bytes go to quarantine; all whole records stay as they are.
    """
    return as_noticed(noticed)


@rule("SYN102", "malformed", "error", on="reading", fix=safe(sound_bytes("syntax")))
def malformed(noticed: Finding) -> list[Told]:
    """Something stands in the file that is not written in its format, with sound records around it.

    Why: some programs silently stop reading here, so that all later messages seem to be gone.

    Bad:
        {"type":"user","uuid":"1"}
        %%% write error %%%
        {"type":"user","uuid":"2"}

    Fix (safe): what cannot be read goes to quarantine; the records around it stay.
    """
    return as_noticed(noticed)


@rule("SYN103", "fused-records", "error", on="reading", fix=safe(sound_bytes("fused")))
def fused_records(noticed: Finding) -> list[Told]:
    """Two whole records stand on one line, without a line break between them.

    Why: readers that take a line for a record lose both.

    Bad:
        {"type":"user","uuid":"1"}{"type":"user","uuid":"2"}

    Fix (safe): each record gets a line of its own.
    """
    return as_noticed(noticed)


@rule("SYN104", "spliced-record", "error", on="reading", fix=safe(sound_bytes("spliced")))
def spliced_record(noticed: Finding) -> list[Told]:
    """A record breaks off and the next one starts in the middle of the same line.

    Why: a writer was interrupted and went on without ending the line; readers lose both records.

    Bad:
        {"type":"user","uuid":"1","message":{"ro{"type":"user","uuid":"2"}

    Fix (safe): the second record gets the line, the piece of the first goes to quarantine.
    """
    return as_noticed(noticed)


@rule("SYN105", "nul-bytes", "error", on="reading", fix=safe(sound_bytes("nul")))
def nul_bytes(noticed: Finding) -> list[Told]:
    """A run of NUL bytes stands in the file, as a crash or a full disk leaves it.

    Why: no reader accepts them, so the line they stand in is lost though its text is whole.

    Bad:
        \\0\\0\\0\\0{"type":"user","uuid":"1"}

    Fix (safe): the NUL bytes go to quarantine; the text around them is read.
    """
    return as_noticed(noticed)
