"""Work in several processes: many jobs, or one long one in shares."""

from talktree.processes.crew import AHEAD, in_processes

__all__ = ["AHEAD", "in_processes"]
