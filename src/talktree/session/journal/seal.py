"""Seals of lines; they are the format's, whose rules verify them, too."""

from talktree.formats.sage.checksum import LONGEST, SEAL, Verdict, judged, number_at_end, sealed

__all__ = ["LONGEST", "SEAL", "Verdict", "judged", "number_at_end", "sealed"]
