"""The library on a large history, against the bare limits of each job and other programs."""
