#!/usr/bin/env bash
# Make a virtual environment, or leave it alone when its pins have not changed.
#
#   tools/venv.sh FOLDER            for development; Python 3.11 (Blender 4.5) or else 3.13 (Blender 5.2),
#                                   or the one that $PYTHON names
#   tools/venv.sh FOLDER BLENDER    to test under one Blender: 4.2, 4.5, 5.0 or 5.2
set -euo pipefail
cd "$(dirname "$0")/.."
folder=$1
blender=${2:-}

# A pyenv shim named python3.13 may exist and still refuse to run, so every candidate is tried.
find_python() {
    local candidate
    for candidate in "python$1" "${PYENV_ROOT:-$HOME/.pyenv}"/versions/"$1".*/bin/"python$1"; do
        if "$candidate" -c "import venv, ensurepip" 2>/dev/null; then
            echo "$candidate"
            return
        fi
    done
    return 1
}

case $blender in
"")
    python=${PYTHON:-$(find_python 3.11 || find_python 3.13 || true)}
    wanted="Python 3.11 or 3.13"
    names="run test dev"
    ;;
4.2 | 4.5 | 5.0 | 5.2)
    version=3.11
    [[ $blender == 5.2 ]] && version=3.13
    python=$(find_python $version || true)
    wanted="Python $version"
    names="run test"
    ;;
*)
    echo "Blender '$blender' is not among the supported 4.2, 4.5, 5.0, 5.2." >&2
    exit 2
    ;;
esac
if [[ -z $python ]]; then
    echo "$wanted (with its venv module) was not found. Install it (Debian: apt install python3.11-venv; any" \
        "system: pyenv install 3.11 or 3.13, or python.org) or, for 'make setup', name it: make setup PYTHON=/path/to/it" >&2
    exit 2
fi

version=$("$python" -c 'import sys; print("%d.%d" % sys.version_info[:2])')
if [[ -z $blender ]]; then
    case $version in
    3.11) blender=4.5 ;;
    3.13) blender=5.2 ;;
    *)
        echo "$python is Python $version; Blender's bpy module needs Python 3.11 or 3.13." >&2
        exit 2
        ;;
    esac
fi

pins=("requirements/blender-$blender.txt")
for name in $names; do
    pins+=("requirements/$name.txt")
done
stamp=$folder/setup-done
key="Python $version, Blender $blender, $names, $(cat "${pins[@]}" | cksum)"
if [[ -f $stamp && $(<"$stamp") == "$key" ]]; then
    exit 0
fi

echo "Setting up $folder: Python $version, Blender $blender"
if [[ $("$folder/bin/python" -c 'import sys; print("%d.%d" % sys.version_info[:2])' 2>/dev/null) != "$version" ]]; then
    "$python" -m venv --clear "$folder"
fi
# The lists are complete, so nothing is left to a resolver and every machine gets the same versions.
"$folder/bin/python" -m pip install --quiet --disable-pip-version-check --no-deps --only-binary=:all: "${pins[@]/#/-r}"
tools/system_libraries.sh "$folder/bin/python"
echo "$key" >"$stamp"
