"""pytest in a process that surely ends: `run_pytest.py SECONDS ARGUMENTS…`.

The bpy module may hang at interpreter exit, and a hang in compiled code ignores pytest's limit for one
test. So the process leaves without the interpreter's clean-up, and has a limit of its own that needs no
Python to fire.
"""

import faulthandler
import os
import sys

import pytest


def main() -> None:
    """Run the tests and leave with pytest's exit code, or with 1 when the time is up."""
    # Compiled kernels are kept between runs, but NumPy differs between environments.
    os.environ["REDMAX_CACHE"] = os.path.join(sys.prefix, "redmax-cache")

    # A copy of stderr, because pytest redirects the original while a test runs. pytest's faulthandler
    # plugin is off, because it would cancel the limit after the first failing test.
    stderr = os.fdopen(os.dup(2), "w")
    faulthandler.enable(stderr)
    faulthandler.dump_traceback_later(int(sys.argv[1]), exit=True, file=stderr)
    code = pytest.main(["-p", "no:faulthandler", *sys.argv[2:]])
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(code)


if __name__ == "__main__":
    main()
