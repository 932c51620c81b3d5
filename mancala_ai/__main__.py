"""``python -m mancala_ai`` is the command ``mancala-ai``."""

import os
import sys

from mancala_ai.cli import main

if __name__ == "__main__":
    # Python has put the current directory first on the path, where a folder of the user's that is called `engines` or
    # `experiments` would hide the installed package (pip does the same for the same reason).
    if sys.path[0] in ("", os.getcwd()):
        del sys.path[0]
    main()
