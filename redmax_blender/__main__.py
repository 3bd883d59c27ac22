"""`python -m redmax_blender`: the command line."""

from __future__ import annotations

import os
import sys

from .cli import main

if __name__ == "__main__":
    code = main()
    if "bpy" in sys.modules:
        # Blender as a module may hang or crash while the interpreter shuts down; everything is written by now.
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(code)
    sys.exit(code)
