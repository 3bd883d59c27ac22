"""`python tests/engine/oracle write FILE` and `… compare FILE`: see README.md."""

from __future__ import annotations

import argparse
import sys
import time
import warnings
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path[:1] = [str(HERE.parents[2]), str(HERE.parent)]


def main() -> int:
    from oracle.cases import all_cases
    from oracle.compare import compare, table
    from oracle.files import read, record, write

    parser = argparse.ArgumentParser(prog="oracle", description=__doc__)
    parser.add_argument("what", choices=("write", "compare", "list"))
    parser.add_argument("file", nargs="?", type=Path)
    parser.add_argument("--only", default="", help="cases whose names contain this")
    parser.add_argument(
        "--at-most", type=float, help="end with 1 where a tight step's velocities differ by more"
    )
    asked = parser.parse_args()
    warnings.simplefilter("ignore")  # of scenes that overlap at the start
    if asked.what == "list":
        print("\n".join(all_cases()))
        return 0
    if asked.file is None:
        parser.error("give the file")
    began = time.process_time()
    if asked.what == "write":
        records = {}
        for name, case in all_cases().items():
            if asked.only in name:
                since = time.process_time()
                records[name] = record(case)
                print(f"{time.process_time() - since:7.2f} s  {name}", flush=True)
        write(asked.file, records)
        print(f"{len(records)} cases in {time.process_time() - began:.0f} s of CPU")
        return 0
    differences = {}
    for name, old in read(asked.file):
        if asked.only in name:
            differences[name] = compare(old, record(old.case, old.states))
    print(table(differences))
    print(f"{len(differences)} cases in {time.process_time() - began:.0f} s of CPU")
    worst = [each.largest.get(("tight", "qdot"), 0.0) for each in differences.values()]
    bad = asked.at_most is not None and (
        not max(worst) <= asked.at_most or any(d.said for d in differences.values())
    )
    return int(bad)


if __name__ == "__main__":
    sys.exit(main())
