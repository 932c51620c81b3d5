"""``python -m benchmarks``: the same as ``mancala-ai bench``."""

from __future__ import annotations

import sys

from mancala_ai.cli import main

if __name__ == "__main__":
    main(["bench", *sys.argv[1:]])
