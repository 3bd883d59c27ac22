"""Build and validate the extension's zips with Blender's own tool: one a platform and Python generation.

`build_extension.py [--platform linux-x64] [--python 3.11] [--out dist] [--no-kernels]`; wheels are kept in
`.cache/wheels`. The zip for the platform that this runs on brings compiled kernels.
"""

import argparse
import re
import shutil
import subprocess
import sys
import sysconfig
import tempfile
import tomllib
import zipfile
from pathlib import Path

from compile_kernels import compile_kernels, this_platform
from docs_site import build_site

ROOT = Path(__file__).resolve().parent.parent
PACKAGE = ROOT / "redmax_blender"
PINS = ROOT / "requirements" / "run.txt"
WHEELS = ROOT / ".cache" / "wheels"

# Blender's name of a platform -> the newest wheel tags allowed. Blender itself needs glibc 2.28; SciPy has no
# wheel for Apple silicon before macOS 12.
PLATFORMS = {
    "linux-x64": ["manylinux_2_28_x86_64", "manylinux_2_17_x86_64", "manylinux2014_x86_64"],
    "macos-arm64": ["macosx_12_0_arm64"],
    "macos-x64": ["macosx_11_0_x86_64"],
    "windows-x64": ["win_amd64"],
}

# Python -> the Blenders that bundle it: from the first version, up to but without the second.
GENERATIONS = {"3.11": ("4.2.0", "5.1.0"), "3.13": ("5.1.0", None)}

PIP_SECONDS = 900
BUILDER_SECONDS = 600


class DownloadError(Exception):
    """The wheels are not in the cache and pip could not fetch them."""


def pinned() -> dict[str, str]:
    """Name -> version of everything the extension bundles."""
    lines = (line.partition("#")[0].strip() for line in PINS.read_text().splitlines())
    return dict(line.split("==") for line in lines if line)


def wheels(platform: str, python: str) -> list[Path]:
    """The bundled wheels, downloaded unless the cache has exactly these versions."""
    folder = WHEELS / f"python{python}-{platform}"

    def cached() -> list[Path]:
        return sorted(folder.glob("*.whl"))

    if dict(wheel.name.split("-")[:2] for wheel in cached()) != pinned():
        shutil.rmtree(folder, ignore_errors=True)
        command = [sys.executable, "-m", "pip", "download", "--quiet", "--disable-pip-version-check"]
        command += ["--no-deps", "--only-binary=:all:", "--implementation=cp", f"--python-version={python}"]
        command += [f"--platform={tag}" for tag in PLATFORMS[platform]]
        command += [f"--dest={folder}", f"--requirement={PINS}"]
        try:
            subprocess.run(command, check=True, timeout=PIP_SECONDS)
        except (subprocess.CalledProcessError, subprocess.TimeoutExpired) as error:
            shutil.rmtree(folder, ignore_errors=True)
            raise DownloadError(f"pip cannot download the wheels for {platform}, Python {python}") from error
    return cached()


def version() -> str:
    """The one version that pyproject.toml and the manifest both state."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["version"]
    manifest = tomllib.loads((PACKAGE / "blender_manifest.toml").read_text())["version"]
    if project != manifest:
        sys.exit(
            f"Make the versions agree: {project} in pyproject.toml, {manifest} in blender_manifest.toml."
        )
    return manifest


def manifest_for(platform: str, python: str, bundled: list[Path]) -> str:
    """The package's manifest, narrowed to one platform and Python, with the wheels listed."""
    first, end = GENERATIONS[python]
    lines = [f'blender_version_min = "{first}"']
    if end:
        lines.append(f'blender_version_max = "{end}"')
    lines.append(f'platforms = ["{platform}"]')
    lines += ["wheels = [", *(f'    "./wheels/{wheel.name}",' for wheel in bundled), "]"]
    text = (PACKAGE / "blender_manifest.toml").read_text()
    text, found = re.subn(r"(#.*\n)?blender_version_min = .*", "\n".join(lines), text)
    assert found == 1, "the manifest has one line blender_version_min"
    return text


def blender_ext(*arguments: str) -> None:
    """Run Blender's extension tool, which needs the files of bpy but not a running Blender."""
    installed = Path(sysconfig.get_path("platlib"))
    (tool,) = installed.glob("bpy/*/scripts/addons_core/bl_pkg/cli/blender_ext.py")
    subprocess.run([sys.executable, str(tool), *arguments], check=True, timeout=BUILDER_SECONDS)


def build(platform: str, python: str, out: Path, kernels: bool = False) -> Path:
    """One validated zip, its name saying the platform and the first Blender it is for; with compiled kernels."""
    bundled = wheels(platform, python)
    first = GENERATIONS[python][0].removesuffix(".0")
    zip_path = out / f"redmax-{version()}-blender{first}-{platform}.zip"
    out.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as temporary:
        source = Path(temporary) / "redmax"
        shutil.copytree(PACKAGE, source, ignore=shutil.ignore_patterns("__pycache__"))
        shutil.copy(ROOT / "LICENSE", source)
        build_site(source / "docs")
        if kernels:
            print(f"{compile_kernels(source, python)} files of compiled kernels", flush=True)
        (source / "wheels").mkdir()
        for wheel in bundled:
            shutil.copy(wheel, source / "wheels")
        (source / "blender_manifest.toml").write_text(manifest_for(platform, python, bundled))
        blender_ext("build", f"--source-dir={source}", f"--output-filepath={zip_path}")
        if kernels:
            with zipfile.ZipFile(zip_path) as archive:
                assert any(name.endswith(".nbc") for name in archive.namelist()), "the zip has no kernels"
    blender_ext("validate", str(zip_path))
    return zip_path


def main() -> None:
    """Build what the arguments ask for; an empty or absent one means all."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--platform", choices=["", *PLATFORMS], default="", help="this platform only")
    parser.add_argument("--python", choices=["", *GENERATIONS], default="", help="this Python only")
    parser.add_argument("--out", type=Path, default=ROOT / "dist", help="folder for the zips")
    parser.add_argument("--no-kernels", action="store_true", help="without compiled kernels, in a minute")
    arguments = parser.parse_args()
    for python in [arguments.python] if arguments.python else GENERATIONS:
        for platform in [arguments.platform] if arguments.platform else PLATFORMS:
            try:
                kernels = not arguments.no_kernels and platform == this_platform()
                zip_path = build(platform, python, arguments.out, kernels)
            except DownloadError as error:
                sys.exit(str(error))
            print(f"{zip_path}: {zip_path.stat().st_size / 1e6:.0f} MB", flush=True)


if __name__ == "__main__":
    main()
