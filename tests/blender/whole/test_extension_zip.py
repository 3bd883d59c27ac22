"""The zip that users get: what is in it, and its life inside a Blender from installation to removal."""

import json
import os
import platform
import re
import subprocess
import sys
import sysconfig
import venv
import zipfile
from pathlib import Path

import bpy
import build_extension
import pytest

SYSTEMS = {"Linux": "linux", "Darwin": "macos", "Windows": "windows"}
MACHINES = {"x86_64": "x64", "AMD64": "x64", "arm64": "arm64"}


@pytest.fixture(scope="module")
def extension_zip(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The zip for this platform and Python, built and validated by Blender's own tool."""
    this_platform = f"{SYSTEMS[platform.system()]}-{MACHINES[platform.machine()]}"
    this_python = "{}.{}".format(*sys.version_info[:2])
    try:
        return build_extension.build(this_platform, this_python, tmp_path_factory.mktemp("dist"))
    except build_extension.DownloadError as error:
        pytest.skip(str(error))


@pytest.fixture
def bare_python(tmp_path: Path) -> Path:
    """A Python with bpy and NumPy, as Blender has them, and none of the libraries that the zip brings."""
    venv.create(tmp_path / "bare", symlinks=True, with_pip=False)
    (site_packages,) = (tmp_path / "bare").glob("lib/python*/site-packages")
    for name in ["bpy", "numpy", "numpy.libs"]:
        (site_packages / name).symlink_to(Path(sysconfig.get_path("platlib"), name))
    return tmp_path / "bare" / "bin" / "python"


@pytest.mark.timeout(1200)  # the first run downloads 100 MB of wheels
def test_zip_holds_the_package_and_the_pinned_wheels_and_no_tests_or_caches(extension_zip: Path) -> None:
    with zipfile.ZipFile(extension_zip) as archive:
        names = archive.namelist()
    package = build_extension.PACKAGE
    sources = {
        path.relative_to(package).as_posix()
        for path in package.rglob("*.py")
        if "__pycache__" not in path.parts
    }
    bundled = [name for name in names if name.endswith(".whl")]
    assert dict(Path(name).name.split("-")[:2] for name in bundled) == build_extension.pinned()
    assert sources <= set(names)
    unwanted = re.compile(r"(^|/)(tests?/|test_|conftest|__pycache__|\.)|\.(pyc|nbi|nbc)$")
    assert [name for name in names if unwanted.search(name)] == []


@pytest.mark.timeout(1200)
def test_user_can_install_enable_disable_and_remove_the_extension(
    extension_zip: Path, bare_python: Path, tmp_path: Path
) -> None:
    resources = tmp_path / "resources"
    resources.mkdir()
    environment = os.environ | {
        "BLENDER_USER_RESOURCES": str(resources),
        "REDMAX_CACHE": str(tmp_path / "cache"),
    }
    script = build_extension.ROOT / "tools" / "try_extension.py"
    # -I: neither the current folder nor PYTHONPATH may lend it our sources or libraries.
    command = [str(bare_python), "-I", str(script), str(extension_zip)]
    run = subprocess.run(command, env=environment, cwd=tmp_path, capture_output=True, text=True, timeout=600)
    assert run.returncode == 0, run.stdout + run.stderr
    report = json.loads(run.stdout.splitlines()[-1])

    from_sources = {
        "operators": dir(bpy.ops.redmax),
        "panels": [name for name in dir(bpy.types) if "_PT_redmax" in name],
    }
    nothing = {"operators": [], "panels": []}
    assert from_sources["operators"] and from_sources["panels"]
    assert report["before"] == [], "the bare Python must not have the libraries already"
    assert report["enabled"] == [True, True]
    assert report["installed"] == report["enabled again"] == report["after a command"] == from_sources
    assert report["in a command"] == [True, 0]
    assert all(report["libraries after a command"]), "a command must not uninstall what it runs on"
    assert report["disabled"] == report["uninstalled"] == nothing
    assert report["left behind"] == []
    for name, origin in report["origins"].items():
        assert Path(origin).is_relative_to(resources / "extensions" / ".local"), f"{name} came from {origin}"
    assert ".engine.run.simulate" in report["modules"]
