# SPDX-License-Identifier: Apache-2.0
"""Before and after: the measurements of another revision, or of an earlier --json file."""

from __future__ import annotations

import json
import os
import pathlib
import subprocess
import sys
import tempfile

from bench import ROOT, Bench
from report import table
from sample import Sample, from_json, quantity

# Relative changes below these count as noise: for times, and for counts and sizes.
SAME = 0.03
SAME_EXACT = 0.005
TIMES = ("ns", "µs", "ms", "CPU s")


class File:
    """Measurements that `./dev bench --json FILE` wrote."""

    def __init__(self, path: pathlib.Path) -> None:
        self.name = path.name
        self.samples = from_json(json.loads(path.read_text())["samples"])

    def measure(self, part: str) -> None:
        """Does nothing: the file has all measurements."""


class Revision:
    """A revision of this repository, checked out and built under build/, run by its own scripts."""

    def __init__(self, name: str, quick: bool) -> None:
        commit = _git("rev-parse", "--short", "--verify", f"{name}^{{commit}}")
        self.name = f"{name} ({commit})" if name != commit else name
        self.quick = quick
        self.samples: dict[str, Sample] = {}
        self.tree = ROOT / "build" / "compare" / commit
        if not (self.tree / "dev").exists():
            _git("worktree", "prune")
            _git("worktree", "add", "--detach", "--force", str(self.tree), commit)

    def measure(self, part: str) -> None:
        """Makes the revision measure one part; a part that it does not have stays empty."""
        # The revision's ./dev sets these itself; ours would point to our build.
        ours = ("TENON_", "LD_LIBRARY_PATH", "PYTHONPATH", "CARGO_TARGET_DIR")
        env = {name: value for name, value in os.environ.items() if not name.startswith(ours)}
        with tempfile.TemporaryDirectory() as folder:
            out = pathlib.Path(folder) / "before.json"
            command = ["./dev", "bench", "--only", part, "--json", str(out)]
            command += ["--quick"] if self.quick else []
            print(f"bench: {part}, {self.name}", file=sys.stderr)
            done = subprocess.run(command, cwd=self.tree, env=env, capture_output=True, text=True)
            if done.returncode == 2 and "invalid choice" in done.stderr:
                print(f"bench: {self.name} has no part {part}", file=sys.stderr)
                return
            if not out.exists():
                raise SystemExit(
                    f"bench: {' '.join(command)} failed ({done.returncode}) in {self.tree}:\n"
                    f"{done.stdout[-4000:]}{done.stderr[-4000:]}"
                )
            for name, sample in from_json(json.loads(out.read_text())["samples"]).items():
                before = self.samples.get(name)
                self.samples[name] = sample if before is None else before.merged(sample)


def opened(reference: str, quick: bool) -> File | Revision:
    """Opens REF: an existing file, or otherwise a revision."""
    path = pathlib.Path(reference)
    return File(path) if path.is_file() else Revision(reference, quick)


def text(bench: Bench, before: File | Revision) -> str:
    """Returns the table of rows measured in both, and the names that only one of them has."""
    rows = []
    for name, now in bench.samples.items():
        then = before.samples.get(name)
        if then is not None:
            rows.append([f"`{name}`", *_change(then, now)])
    parts = [f"## Before and after: {before.name} → now", ""]
    parts += [table(["measurement", "before", "after", "after / before", "verdict"], rows), ""]
    measured = {name.partition(":")[0] for name in bench.samples}
    gone = [
        name
        for name in before.samples
        if name not in bench.samples
        and name.partition(":")[0] in measured
        and bench.reason(name) is None
    ]
    added = [name for name in bench.samples if name not in before.samples]
    for title, names in (("Only before", gone), ("Only now", added)):
        if names:
            parts += [f"{title}: {', '.join(f'`{name}`' for name in names)}.", ""]
    return "\n".join(parts)


def _change(then: Sample, now: Sample) -> list[str]:
    before, after = quantity(then.least, then.unit), quantity(now.least, now.unit)
    if then.least <= 0 or then.unit != now.unit:
        return [before, after, "", ""]
    ratio = now.least / then.least
    # Minima vary less than rounds do: allow half the spread of the noisier side.
    spreads = [one.spread / 2 for one in (then, now) if one.spread is not None]
    doubt = max([SAME if now.unit in TIMES else SAME_EXACT, *spreads])
    verdict = "same" if abs(ratio - 1) <= doubt else ("less" if ratio < 1 else "**more**")
    return [before, after, f"{ratio:.3f}", verdict]


def _git(*arguments: str) -> str:
    command = ["git", "-C", str(ROOT), *arguments]
    refusal = "bench: --compare must be a file or a revision"
    try:
        done = subprocess.run(command, capture_output=True, text=True)
    except FileNotFoundError as error:
        raise SystemExit(f"{refusal}, and revisions need git, which is not installed") from error
    if done.returncode != 0:
        raise SystemExit(f"{refusal}: git {' '.join(arguments)} said {done.stderr.strip()}")
    return done.stdout.strip()
