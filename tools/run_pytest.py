"""pytest in a process that surely ends: `run_pytest.py SECONDS ARGUMENTS…`.

The bpy module may hang at interpreter exit, and a hang in compiled code ignores pytest's limit for one test.
So pytest runs in a process that leaves without the interpreter's clean-up, and is aborted, together with
everything it started, when the time is up.
"""

import contextlib
import os
import signal
import subprocess
import sys
from importlib.metadata import version
from pathlib import Path

PYTEST = """
import os, sys, pytest
code = pytest.main(sys.argv[1:])
sys.stdout.flush()
sys.stderr.flush()
os._exit(code)
"""


def kernels() -> Path:
    """Where compiled kernels are kept between runs, where REDMAX_CACHE names no other folder."""
    root = Path(__file__).resolve().parent.parent
    python = ".".join(map(str, sys.version_info[:2]))
    return root / ".cache" / f"kernels-python{python}-numpy{version('numpy')}"


def main() -> int:
    """Run the tests; pytest's exit code, or 124 when the time was up."""
    seconds, *arguments = sys.argv[1:]
    environment = {"REDMAX_CACHE": str(kernels())} | os.environ
    command = [sys.executable, "-c", PYTEST, *arguments]
    pytest = subprocess.Popen(command, env=environment, start_new_session=True)
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    try:
        return pytest.wait(int(seconds))
    except subprocess.TimeoutExpired:
        print(f"Aborted: the tests took more than {seconds} s.", file=sys.stderr, flush=True)
        os.killpg(pytest.pid, signal.SIGABRT)  # makes pytest print where each process was
        with contextlib.suppress(subprocess.TimeoutExpired):
            pytest.wait(10)
        return 124
    finally:  # also after Ctrl-C or a kill, and for workers or Blenders left behind
        signal.signal(signal.SIGTERM, signal.SIG_IGN)  # make sends a second one
        with contextlib.suppress(ProcessLookupError):
            os.killpg(pytest.pid, signal.SIGKILL)


if __name__ == "__main__":
    sys.exit(main())
