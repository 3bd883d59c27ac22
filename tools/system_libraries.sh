#!/usr/bin/env bash
# The bpy module links to X11 and OpenGL libraries even when it runs without a window. Where they are missing, install
# them if we may (root on Debian or Ubuntu: a fresh container), or else say what to install.
#
#   tools/system_libraries.sh PYTHON    the interpreter of an environment that has bpy
set -euo pipefail
python=$1
[[ $(uname) == Linux ]] || exit 0

# libEGL is opened at run time only, for Workbench and EEVEE renders, so ldd does not name it.
missing() {
    local bpy
    bpy=$("$python" -c 'import importlib.util; print(importlib.util.find_spec("bpy").origin)')
    ldd "$bpy" | awk '/not found/ { print $1 }'
    "$python" -c 'import ctypes; ctypes.CDLL("libEGL.so.1")' 2>/dev/null || echo libEGL.so.1
}

packages="libegl1 libgl1 libgl1-mesa-dri libgomp1 libice6 libsm6 libx11-6 libxext6 libxfixes3 libxi6 libxkbcommon0
    libxrender1 libxxf86vm1"
lacking=$(missing | sort -u | xargs)
[[ -z $lacking ]] && exit 0

echo "Blender needs these system libraries: $lacking"
if [[ $(id -u) == 0 ]] && command -v apt-get >/dev/null; then
    apt-get update -qq &&
        DEBIAN_FRONTEND=noninteractive apt-get install -qq --no-install-recommends $packages >/dev/null || true
    lacking=$(missing | sort -u | xargs)
    [[ -z $lacking ]] && exit 0
    echo "Still missing: $lacking"
fi
echo "On Debian or Ubuntu: sudo apt-get install" $packages >&2
echo "Elsewhere install the packages that hold the libraries named above, then run make setup again." >&2
exit 1
