"""`make docs`: write the generated parts of the pages, check every link, and build the site into out/docs.

With --check nothing is written: says which pages are stale, and fails.
"""

from __future__ import annotations

import argparse
import os
import sys
import tempfile
from pathlib import Path

from docs_pages import ROOT, broken_links, generated, pages, unused_pictures
from docs_site import build_site


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--check", action="store_true", help="write nothing")
    parser.add_argument("--out", type=Path, default=ROOT / "out" / "docs", help="folder for the site")
    arguments = parser.parse_args()
    stale = []
    for page in pages():
        text = page.read_text()
        made = generated(page, text)
        if made != text:
            stale.append(str(page.relative_to(ROOT)))
            if not arguments.check:
                page.write_text(made)
    problems = [f"leads nowhere: {link}" for link in broken_links()]
    problems += [f"no page shows it: {picture}" for picture in unused_pictures()]
    if arguments.check:
        problems += [f"stale: {page}; run make docs" for page in stale]
    else:
        print(f"{len(stale)} pages written anew" if stale else "All pages are as generated")
        print(f"{len(build_site(arguments.out))} pages in {arguments.out}")
    for problem in problems:
        print(problem, file=sys.stderr)
    return 1 if problems else 0


if __name__ == "__main__":
    sys.path.insert(0, str(ROOT))
    os.environ["BLENDER_USER_RESOURCES"] = tempfile.mkdtemp(
        prefix="redmax-docs-"
    )  # not the user's own Blender
    import redmax_blender

    redmax_blender.register()
    code = main()
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(code)  # the bpy module may hang at interpreter exit
