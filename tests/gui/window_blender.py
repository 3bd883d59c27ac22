"""A Blender with a window, for tests: the extension's zip for it, installed the way a user does, and scripts run in it.

REDMAX_BLENDER_GUI names a command with these verbs: `install ZIP`; `run SCRIPT`, which opens the window and runs a
script in it, with the current folder at /project and $OUT at /out; and `sh COMMAND…`, which runs a command beside that
Blender.
"""

import json
import os
import subprocess
import sys
from pathlib import Path

import build_extension
import pytest

COMMAND = os.environ.get("REDMAX_BLENDER_GUI", "")
NUMPY = "2.3.5"
PLATFORM = "linux-x64"

needs_window = pytest.mark.skipif(
    not COMMAND, reason="REDMAX_BLENDER_GUI does not name a command that runs a Blender with a window"
)


def call(*arguments: str, seconds: float, out: Path) -> str:
    """Run the command; what it printed."""
    environment = os.environ | {"OUT": str(out), "LIMIT": str(round(seconds))}
    run = subprocess.run(
        [COMMAND, *arguments],
        cwd=build_extension.ROOT,
        env=environment,
        capture_output=True,
        text=True,
        timeout=seconds + 60,
    )
    return run.stdout + run.stderr


def about(out: Path) -> dict[str, str]:
    """Python of that Blender, and whether it has NumPy, which some distributions leave out."""
    code = (
        "import importlib.util, json, sys; numpy = importlib.util.find_spec('numpy')\n"
        "own = numpy is not None and '/extensions/' not in (numpy.origin or '')  # not from an earlier zip of ours\n"
        "print('ABOUT', json.dumps({'python': '%d.%d' % sys.version_info[:2], 'numpy': own}))"
    )
    text = call("sh", "blender", "--factory-startup", "-b", "--python-expr", code, seconds=120, out=out)
    lines = [line for line in text.splitlines() if line.startswith("ABOUT ")]
    if not lines:
        pytest.fail(f"the Blender with a window does not start: {text[-2000:]}")
    return json.loads(lines[-1].removeprefix("ABOUT "))


def numpy_wheel(python: str) -> list[Path]:
    """NumPy for a Blender that has none of its own."""
    folder = build_extension.WHEELS / f"numpy-python{python}-{PLATFORM}"
    if not list(folder.glob("*.whl")):
        command = [
            sys.executable,
            "-m",
            "pip",
            "download",
            "--quiet",
            "--disable-pip-version-check",
            "--no-deps",
        ]
        command += ["--only-binary=:all:", "--implementation=cp", f"--python-version={python}"]
        command += [f"--platform={tag}" for tag in build_extension.PLATFORMS[PLATFORM]]
        command += ["--platform=manylinux_2_27_x86_64", f"--dest={folder}", f"numpy=={NUMPY}"]
        if subprocess.run(command, timeout=build_extension.PIP_SECONDS).returncode:
            pytest.skip("pip cannot download NumPy for the Blender with a window")
    return sorted(folder.glob("*.whl"))


def build_for_window(out: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The zip for that Blender, which may bundle another Python than Blender's own builds of that version do."""
    found = about(out)
    python = found["python"]
    monkeypatch.setattr(build_extension, "GENERATIONS", {python: ("4.2.0", None)})
    if not found["numpy"]:
        wheels = build_extension.wheels
        monkeypatch.setattr(build_extension, "wheels", lambda *which: [*wheels(*which), *numpy_wheel(python)])
    try:
        return build_extension.build(PLATFORM, python, out)
    except build_extension.DownloadError as error:
        pytest.skip(str(error))


def install(zip_path: Path, out: Path) -> None:
    text = call("install", str(zip_path), seconds=300, out=out)
    assert "nstalled" in text and "Traceback" not in text and "Exception" not in text, text[-3000:]


def play(script: Path, out: Path, seconds: float) -> dict:
    """Run a scenario of `driver.py` in the window; what it returned."""
    (out / "result.json").unlink(missing_ok=True)
    text = call("run", str(script), seconds=seconds, out=out)
    assert (out / "result.json").exists(), f"the scenario did not end: {text[-3000:]}"
    result = json.loads((out / "result.json").read_text())
    assert "error" not in result, result["error"]
    return result
