"""Install a zip as a user does, use it, disable it, remove it: `try_extension.py ZIP`, in a Python with bpy.

Set BLENDER_USER_RESOURCES to an empty folder first. The last line of the output is what was found, as JSON;
the test that calls this says what it should be.
"""

import importlib
import importlib.util
import json
import os
import pkgutil
import sys
from pathlib import Path

import bpy

BUNDLED = ["numba", "llvmlite", "scipy", "msgspec", "daqp", "cma"]
NAME = "bl_ext.user_default.redmax"


def registered() -> dict[str, list[str]]:
    """What of the extension Blender knows now."""
    return {
        "operators": dir(bpy.ops.redmax),
        "panels": [name for name in dir(bpy.types) if "_PT_redmax" in name],
    }


def libraries_run() -> None:
    """Call the compiled libraries once each, with the NumPy that is here."""
    import daqp
    import numba
    import numpy as np
    import scipy.sparse.linalg

    assert numba.njit(lambda x: x + 1)(1) == 2
    assert np.allclose(scipy.sparse.linalg.splu(scipy.sparse.eye(3, format="csc")).solve(np.ones(3)), 1)
    x = daqp.solve(np.eye(2), np.ones(2), np.eye(2), np.zeros(2), np.full(2, -9.0), np.zeros(2, np.intc))[0]
    assert np.allclose(x, -1), x


def import_all() -> list[str]:
    """Import every module of the installed package but its command line's entry."""
    package = importlib.import_module(NAME)
    modules = [
        module.name.removeprefix(NAME) for module in pkgutil.walk_packages(package.__path__, NAME + ".")
    ]
    modules.remove(".__main__")
    for module in modules:
        importlib.import_module(NAME + module)
    return modules


def main() -> None:
    """Run the whole life of an installation and report each stage."""
    report: dict[str, object] = {"before": [name for name in BUNDLED if importlib.util.find_spec(name)]}

    import addon_utils  # exists once bpy has been imported

    bpy.ops.extensions.package_install_files(filepath=sys.argv[1], repo="user_default")
    report["enabled"] = addon_utils.check(NAME)
    report["installed"] = registered()
    report["origins"] = {name: importlib.import_module(name).__file__ for name in BUNDLED}
    libraries_run()
    report["modules"] = import_all()

    with importlib.import_module(f"{NAME}.commands.shot")._blender() as scene:
        report["in a command"] = [scene.redmax.substeps > 0, len(bpy.data.objects)]
    report["after a command"] = registered()
    report["libraries after a command"] = [
        Path(importlib.import_module(name).__file__).exists() for name in BUNDLED
    ]

    bpy.ops.preferences.addon_disable(module=NAME)
    report["disabled"] = registered()
    bpy.ops.preferences.addon_enable(module=NAME)
    report["enabled again"] = registered()

    folder = Path(bpy.utils.user_resource("EXTENSIONS"))
    repos = [repo.module for repo in bpy.context.preferences.extensions.repos]
    bpy.ops.extensions.package_uninstall(repo_index=repos.index("user_default"), pkg_id="redmax")
    report["uninstalled"] = registered()
    report["left behind"] = [str(path) for path in [folder / "user_default" / "redmax"] if path.exists()]
    report["left behind"] += [str(path) for name in BUNDLED for path in folder.rglob(name + "*")]

    print(json.dumps(report), flush=True)
    os._exit(0)  # bpy may hang when the interpreter shuts down


if __name__ == "__main__":
    main()
