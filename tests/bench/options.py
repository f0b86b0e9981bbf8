# SPDX-License-Identifier: Apache-2.0
"""The options of `./dev bench`: run.py parses them, and ./dev reads them to know what to build."""

from __future__ import annotations

import argparse
import pathlib

# Parts that can be measured separately, and the build targets that each needs besides the core.
PARTS = {
    "c": ("call_bench", "many_operators", "tenon_cpu"),
    "instructions": ("instructions", "tenon_cpu"),
    "python": ("tenon_python", "tenon_bench_operators", "tenon_cpu"),
    "layers": ("call_bench", "tenon_python", "tenon_cpu"),
    "kernels": ("tenon_python", "tenon_cpu"),
    "rust": ("tenon_cpu",),
    "java": ("tenon_java", "tenon_java_classes", "tenon_bench_operators", "tenon_cpu"),
    "weight": ("load_cost", "tenon_python", "tenon_java", "tenon_java_classes", "tenon_cpu"),
}

EXAMPLES = """
  ./dev bench                              everything that the machine has
  ./dev bench --quick                      shorter, to see that it works
  ./dev bench --only python --only rust    some parts
  ./dev bench --with-torch                 with PyTorch as a peer, installed when missing
  ./dev bench --only kernels --with-torch --write build/kernels.md
  ./dev bench --compare HEAD~3             before and after: builds that revision under build/
  ./dev bench --compare before.json        before and after: what --json wrote earlier
  ./dev bench --with-torch --write docs/performance.md
  ./dev bench --only c --json run.json && ./dev bench --only java --add run.json
"""


def parser() -> argparse.ArgumentParser:
    """Returns the command line parser of `./dev bench`."""
    top = argparse.ArgumentParser(
        prog="./dev bench",
        description="Measures calls beside peers and budgets, in one run on one machine.",
        epilog="examples:" + EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    top.add_argument(
        "--only",
        action="append",
        choices=tuple(PARTS),
        metavar="PART",
        help=f"one part, may be repeated: {' '.join(PARTS)}",
    )
    top.add_argument("--quick", action="store_true", help="shorter rounds: to see that it works")
    top.add_argument("--with-torch", action="store_true", help="compare with PyTorch too")
    top.add_argument(
        "--compare",
        metavar="REF",
        help="also measure a git revision, in turns with this one, or read an earlier --json file",
    )
    top.add_argument(
        "--add",
        action="append",
        type=pathlib.Path,
        default=[],
        metavar="FILE",
        help="take what --json wrote for the same revision and machine too, the least of both",
    )
    top.add_argument(
        "--json",
        nargs="?",
        const="-",
        metavar="FILE",
        help="write the measurements as JSON to FILE; without FILE print them, and no tables",
    )
    top.add_argument(
        "--write",
        type=pathlib.Path,
        metavar="PAGE",
        help="write the report as Markdown, its plots into the folder of the same name",
    )
    top.add_argument(
        "--python",
        type=pathlib.Path,
        metavar="PROGRAM",
        help="the Python to measure with, peers and all; of the version of the build's own",
    )
    return top
