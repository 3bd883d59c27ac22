"""The command line: which commands there are, and how their errors end.

A command is a module in `commands` with `add_arguments(parser)` and `run(args) -> exit code`. It is imported
only when it is asked for, so that the help appears at once.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from importlib import import_module

COMMANDS = {
    "run": "simulate a scene file, and write the result and a report",
    "check": "say what is wrong with a scene file, without running it",
    "info": "print the bodies and joints of a scene file as a tree",
    "inquire": "say what joints, springs, contacts and bodies of a scene file feel, as a table",
    "plot": "draw energy, angles or torques of a result to PNG",
    "schema": "print the JSON schema of the scene file",
    "optimise": "find what makes a scene meet its goals, or the gradient of what is wanted",
    "wedge": "simulate a scene file with many values at once, on all cores or a cluster",
    "shot": "build, simulate and render one of the shots that come with RedMax",
    "bake": "simulate a .blend file, bake the motion to keyframes, and save it",
    "muscles": "measure lengths and moment arms of an OpenSim model's muscles in poses",
    "convert": "write an OpenSim model as a scene file, with its joints, masses, muscles and surfaces",
    "inverse": "find the generalized forces of an OpenSim model's motion",
    "compile": "compile the whole engine ahead of time, so that nothing compiles later",
    "bench": "run benchmarks and print a table",
}

OK = 0
BAD_INPUT = 2
DIVERGED = 3
INTERRUPTED = 130


def main(argv: Sequence[str] | None = None) -> int:
    """Run a command; returns the exit code: 0 good, 2 bad input, 3 diverged, 130 interrupted."""
    arguments = list(sys.argv[1:] if argv is None else argv)
    parser = argparse.ArgumentParser(
        prog="redmax_blender",
        description="Physically based character animation: the engine without Blender.",
        epilog="`COMMAND --help` says more about a command.",
    )
    commands = parser.add_subparsers(dest="command", metavar="COMMAND", required=True)
    wanted = next((word for word in arguments if not word.startswith("-")), None)
    module = None
    for name, summary in COMMANDS.items():
        command = commands.add_parser(name, help=summary, description=f"{summary[0].upper()}{summary[1:]}.")
        if name == wanted:
            module = import_module(f".commands.{name}", __package__)
            module.add_arguments(command)
    args = parser.parse_args(arguments)
    assert module is not None  # argparse has refused everything else
    from .engine.errors import FAILURES, InputError

    try:
        return int(module.run(args))
    except InputError as error:
        print(f"redmax: {error}", file=sys.stderr)
        return BAD_INPUT
    except FAILURES as error:
        print(f"redmax: {error}", file=sys.stderr)
        return DIVERGED
    except KeyboardInterrupt:
        print("redmax: interrupted", file=sys.stderr)
        return INTERRUPTED
    except BrokenPipeError:  # the reader of our output, such as `head`, has seen enough
        sys.stderr.close()
        return OK
