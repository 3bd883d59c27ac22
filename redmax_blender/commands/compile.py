"""`compile`: everything that simulations need is compiled, and kept for later runs of this machine's user."""

from __future__ import annotations

import argparse
import json
import sys
import time

from ..engine.jit import prepared
from ..engine.jit.cache import root

NOT_THERE = 1
"""Exit code of --check."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--check", action="store_true", help="only say whether all is there: exit code 0 if so, 1 if not"
    )
    parser.add_argument(
        "--json",
        action="store_true",
        help="progress as lines of JSON on standard output: done, parts, name, heard",
    )


def run(args: argparse.Namespace) -> int:
    if args.check:
        there = prepared.is_prepared()
        print(f"{'all' if there else 'not all'} of the engine is compiled in {root()}")
        return 0 if there else NOT_THERE
    from ..engine.run.prepare import prepare

    begin = time.perf_counter()
    heard = 0

    def hear(_function: str) -> None:
        nonlocal heard
        heard += 1
        if args.json:
            print(json.dumps({"heard": heard}), flush=True)

    for at in prepare(hear):
        if args.json:
            print(json.dumps({"done": at.done, "parts": at.parts, "name": at.name}), flush=True)
        elif at.name:
            print(f"{at.done + 1:2} of {at.parts}: {at.name} ...", file=sys.stderr, flush=True)
    if not args.json:
        print(f"compiled {heard} functions in {time.perf_counter() - begin:.1f} s; all is in {root()}")
    return 0
