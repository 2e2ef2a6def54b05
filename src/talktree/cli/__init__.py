"""The command line: results on stdout, everything else on stderr, and an exit code."""
