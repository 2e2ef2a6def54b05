"""A stand-in for a virus scanner: code 1 for what is rotten, code 2 for what is unripe."""

import sys
from pathlib import Path

data = Path(sys.argv[1]).read_bytes()
if b"rotten" in data:
    print(f"{sys.argv[1]}: Rotten.Pear FOUND")
    sys.exit(1)
sys.exit(2 if b"unripe" in data else 0)
