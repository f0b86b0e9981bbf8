#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs programs of third-party packages on PyTorch and on Tenon and compares what they print.

    python tests/programs/run.py                    all drivers, then a table
    python tests/programs/run.py timm gp            only these
    python tests/programs/run.py --list             the drivers, with what each runs

It makes two environments outside the source tree: one with PyTorch, and one without. Both get the
pinned packages of requirements.txt, without their dependencies, so that nothing installs torch.
On the second one, each driver runs unchanged by `python -m tenon run`. The network is needed the
first time, and a run takes many minutes: this is a nightly check and no part of the test suites.
"""

from __future__ import annotations

import argparse
import ast
import dataclasses
import json
import math
import os
import subprocess
import sys
import time
from pathlib import Path

HERE = Path(__file__).resolve().parent
TORCH = "torch==2.15.0"
TORCH_INDEX = "https://download.pytorch.org/whl/cpu"
CACHE = Path(os.environ.get("XDG_CACHE_HOME", Path.home() / ".cache"), "tenon-programs")
RELATIVE, ABSOLUTE = 1e-4, 1e-5
# Drivers whose steps amplify differences of rounding.
LOOSE = {"optimizers": 2e-3, "makemore": 2e-3}


@dataclasses.dataclass
class Run:
    """The results of one driver on one side, by name, and what its process said."""

    values: dict[str, list[float | str]]
    errors: dict[str, str]
    code: int
    seconds: float
    log: str


@dataclasses.dataclass
class Comparison:
    """How the results of a driver on Tenon differ from those on PyTorch."""

    name: str
    same: int
    total: int
    differences: list[str]
    ratio: float

    @property
    def equal(self) -> bool:
        """Returns true if PyTorch printed results and Tenon printed the same ones."""
        return self.total > 0 and not self.differences


def drivers() -> dict[str, str]:
    """Returns the drivers by name, with the first line of each one's docstring."""
    found = {}
    for path in sorted(HERE.glob("drivers/with_*.py")):
        text = ast.get_docstring(ast.parse(path.read_text())) or ""
        found[path.stem.removeprefix("with_")] = text.partition("\n")[0]
    return found


def command(*words: object) -> None:
    """Runs a command and raises its failure."""
    subprocess.run([str(word) for word in words], check=True)


def environment(folder: Path, site: str | None, torch: bool) -> Path:
    """Makes an environment if it is absent or was made for other packages; returns its Python."""
    python, stamp = folder / "bin" / "python", folder / "packages.txt"
    wanted = (HERE / "requirements.txt").read_text() + (site or "")
    if stamp.exists() and stamp.read_text() == wanted:
        return python
    command(sys.executable, "-m", "venv", "--clear", folder)
    pip = (python, "-m", "pip", "install", "-q")
    if torch and site is None:
        command(*pip, "--index-url", TORCH_INDEX, TORCH)
    elif torch:
        target = next(folder.glob("lib/python*/site-packages"))
        (target / "zz_torch.pth").write_text(f"{site}\n")
    command(*pip, "--no-deps", "-r", HERE / "requirements.txt")
    stamp.write_text(wanted)
    return python


def run(name: str, python: Path, tenon: str | None, limit: int) -> Run:
    """Runs a driver on one side and reads the results that it prints."""
    side = ["-m", "tenon", "run"] if tenon else []
    path = HERE / "drivers" / f"with_{name}.py"
    environ = {**os.environ, "OMP_NUM_THREADS": "1", "HF_HUB_OFFLINE": "1", "MPLBACKEND": "Agg"}
    environ["PYTHONPATH"] = tenon or ""
    environ["TENON_NUM_THREADS"] = "1"
    begin = time.perf_counter()
    try:
        done = subprocess.run(
            [str(python), *side, str(path)],
            capture_output=True, text=True, timeout=limit, env=environ, check=False,
        )  # fmt: skip
        code, out, log = done.returncode, done.stdout, done.stderr
    except subprocess.TimeoutExpired as expired:
        out = (expired.stdout or b"").decode() if isinstance(expired.stdout, bytes) else ""
        code, log = 124, f"took longer than {limit} s"
    run = Run({}, {}, code, time.perf_counter() - begin, log)
    for line in out.splitlines():
        if line.startswith('{"name": '):
            found = json.loads(line)
            if "error" in found:
                run.errors[found["name"]] = found["error"]
            else:
                run.values[found["name"]] = found["value"]
    return run


def near(one: float | str, two: float | str, relative: float) -> bool:
    """Returns true if two printed values are equal or differ by rounding only."""
    if isinstance(one, str) or isinstance(two, str):
        return one == two
    if math.isnan(one) or math.isnan(two):
        return math.isnan(one) and math.isnan(two)
    return one == two or abs(one - two) <= ABSOLUTE + relative * abs(one)


def compare(name: str, torch: Run, tenon: Run) -> Comparison:
    """Compares every result that the driver printed on PyTorch with Tenon's."""
    relative, different = LOOSE.get(name, RELATIVE), []
    for key, value in torch.values.items():
        if key not in tenon.values:
            part = key.split(".")[0]
            reason = tenon.errors.get(key) or tenon.errors.get(part) or "not printed"
            different.append(f"{key}: {reason}")
            continue
        other = tenon.values[key]
        if len(value) != len(other):
            different.append(f"{key}: {len(other)} numbers for {len(value)}")
            continue
        for i, (a, b) in enumerate(zip(value, other, strict=True)):
            if not near(a, b, relative):
                different.append(f"{key}[{i}]: {b!r} for {a!r}")
                break
    if tenon.code != 0 and torch.code == 0:
        last = (tenon.log.strip().splitlines() or [""])[-1]
        different.append(f"exit {tenon.code}: {last}")
    total = len(torch.values)
    wrong = {text.partition(":")[0].partition("[")[0] for text in different}
    ratio = tenon.seconds / torch.seconds if torch.seconds else 0.0
    return Comparison(name, total - len(wrong & set(torch.values)), total, different, ratio)


def table(found: list[Comparison], texts: dict[str, str]) -> str:
    """Returns the comparisons as a table in Markdown."""
    lines = ["| driver | what it runs | results the same | time |", "|---|---|---|---|"]
    for one in found:
        mark = "**all**" if one.equal else "not all"
        lines.append(
            f"| {one.name} | {texts[one.name]} | {mark}: {one.same} of {one.total} "
            f"| {one.ratio:.2f} |"
        )
    same, total = sum(one.same for one in found), sum(one.total for one in found)
    equal = sum(one.equal for one in found)
    lines.append(f"\n{equal} of {len(found)} drivers, {same} of {total} results are the same.")
    return "\n".join(lines)


def measure(name: str, options: argparse.Namespace, sides: tuple[Path, Path]) -> Comparison:
    """Runs a driver on both sides, or takes what PyTorch printed from an earlier run."""
    kept = options.folder / "torch-results" / f"{name}.json"
    needed = (
        HERE / f"drivers/with_{name}.py",
        HERE / "drivers/report.py",
        HERE / "requirements.txt",
    )
    source = "\n".join(path.read_text() for path in needed)
    stored = json.loads(kept.read_text()) if kept.exists() else {}
    if stored.get("source") != source:
        torch = run(name, sides[0], None, options.limit)
        kept.parent.mkdir(parents=True, exist_ok=True)
        stored = {"source": source, "run": dataclasses.asdict(torch)}
        kept.write_text(json.dumps(stored))
    torch = Run(**stored["run"])
    tenon = run(name, sides[1], options.tenon, options.limit)
    (options.folder / f"{name}.log").write_text(tenon.log)
    (options.folder / f"{name}.torch.log").write_text(torch.log)
    one = compare(name, torch, tenon)
    print(f"{name}: {one.same} of {one.total} the same, time x {one.ratio:.2f}", flush=True)
    for key, error in torch.errors.items():
        print(f"    on PyTorch: {key}: {error[:150]}")
    if not torch.values:
        print(f"    on PyTorch: {torch.log.strip()[-300:]}")
    for text in one.differences:
        print(f"    {text[:300]}", flush=True)
    return one


def tenon_path() -> str:
    """Returns the folder that has the tenon package of this interpreter."""
    import tenon

    return str(Path(str(tenon.__file__)).parents[1])


def main() -> int:
    """Runs the drivers that the command line names; returns 1 if too few agree."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("names", nargs="*", help="drivers; all if none is named")
    parser.add_argument("--list", action="store_true", help="list the drivers and exit")
    parser.add_argument("--folder", type=Path, default=CACHE, help="where the environments are")
    parser.add_argument("--torch-site", help="site-packages of an environment that has PyTorch")
    parser.add_argument("--tenon", help="folder with the tenon package; this Python's one if unset")
    parser.add_argument("--limit", type=int, default=900, help="seconds for one run of a driver")
    parser.add_argument("--least", type=int, default=36, help="drivers that must agree")
    options = parser.parse_args()
    texts = drivers()
    if options.list:
        print("\n".join(f"{name:16} {text}" for name, text in texts.items()))
        return 0
    names = options.names or list(texts)
    for name in names:
        if name not in texts:
            parser.error(f"run.py: driver must be one of {', '.join(texts)}, got {name}")
    options.tenon = options.tenon or tenon_path()
    sides = (
        environment(options.folder / "torch", options.torch_site, torch=True),
        environment(options.folder / "tenon", None, torch=False),
    )
    found = [measure(name, options, sides) for name in names]
    print("\n" + table(found, texts))
    return 0 if sum(one.equal for one in found) >= min(options.least, len(found)) else 1


if __name__ == "__main__":
    sys.exit(main())
