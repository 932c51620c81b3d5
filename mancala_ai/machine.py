"""What a measurement depends on besides the program: the machine, and the versions of what runs on it."""

from __future__ import annotations

import os
import platform
from pathlib import Path
from typing import Any

import numba
import numpy as np

import mancala_ai


def versions() -> dict[str, str]:
    """Returns the versions of this package, Python, Numba and NumPy."""
    return {
        "mancala-ai": mancala_ai.__version__,
        "python": platform.python_version(),
        "numba": numba.__version__,
        "numpy": np.__version__,
    }


def machine() -> dict[str, Any]:
    """Returns system, processor and number of cores."""
    return {"system": platform.platform(), "processor": _processor(), "cores": os.cpu_count()}


def _processor() -> str:
    # Python's own answer is empty on Linux.
    try:
        for line in Path("/proc/cpuinfo").read_text().splitlines():
            if line.startswith("model name"):
                return line.partition(":")[2].strip()
    except OSError:
        pass
    return platform.processor() or platform.machine()
