# SPDX-License-Identifier: Apache-2.0
"""The long tests: threads, forks, faults, process exits, extremes, all layers, Miri."""

from __future__ import annotations

import collections
import os
import pathlib
import subprocess

import environment
import machine
import native
import suites
import ui

PARTS = ("threads", "asan-ubsan", "tsan", "exits", "extremes", "layers", "miri", "all")

# Filter in each suite that selects its process-exit tests.
EXITS = {
    "gtest": "Scenarios/Exit",
    "pytest": "test_exit_is_quiet",
    "cargo": "exit::",
    "junit": "ExitTest",
}
# Programs of tests/stress, except the one for process exits. Sanitizer presets build all of them
# except the last.
PROGRAMS = (
    "stress_test",
    "stress_unload_test",
    "stress_seccomp_test",
    "stress_allocation_test",
)
SCRIPTS = ui.ROOT / "tests" / "stress"
FIGURES = r"^\d.*(events|forks|threads|allocations|calls)"


def run(part: str, seeds: int = 100, arguments: tuple[str, ...] = ()) -> int:
    """Runs one part, or "all"; returns status 1 if anything failed.

    `seeds` is for the part "extremes"; it and "layers" accept `arguments`.
    """
    good = True
    if part in ("threads", "all"):
        machine.ensure(native.NEEDS["release"])
        native.build("release", targets=PROGRAMS)
        good = threads("release") and good
    for preset in ("asan-ubsan", "tsan"):
        if part in (preset, "all"):
            machine.ensure(native.NEEDS[preset])
            native.build(preset, targets=PROGRAMS[:3])
            good = threads(preset) and good
    if part in ("exits", "all"):
        native.build_all("release")
        good = exits() and good
    if part in ("extremes", "all"):
        native.build_all("release")
        good = script("extremes", f"--seeds={seeds}", *arguments) and good
    if part in ("layers", "all"):
        native.build_all("release")
        variants = ("--variants=all",) if part == "all" else ()
        good = script("layers", *variants, *arguments) and good
    if part in ("miri", "all"):
        good = miri(skip=part == "all") and good
    return 0 if good else 1


def threads(preset: str) -> bool:
    """Runs the programs of tests/stress at full length and shows the figures that they print."""
    test = suites.Run(preset)
    test.env.update(suites.sanitizer_options(), TENON_STRESS="long")
    good = True
    for name in PROGRAMS:
        program = environment.build_dir(preset) / "bin" / name
        if not program.exists():
            continue
        log = f"stress-{preset}-{name}"
        status = ui.run(f"{name}, {preset}", [program], env=test.env, log=log, check=False)
        suites.closing(log, rf"{FIGURES}|PASSED|FAILED|SKIPPED")
        suites.complain(log, status)
        good = good and status == 0
    return good


def exits() -> bool:
    """Runs each suite's process-exit tests twenty times and prints a table of the results."""
    results = ui.BUILD / "results" / "exits.txt"
    results.parent.mkdir(parents=True, exist_ok=True)
    results.unlink(missing_ok=True)
    good = True
    for name, pattern in EXITS.items():
        test = suites.Run("release", pattern=pattern)
        test.env.update(TENON_STRESS="long", TENON_EXIT_RESULTS=str(results))
        good = suites.run_all(test, (name,)) and good
    lines = read_results(results)
    print()
    ui.table(lines, ["scenario", "language", "runs", "failures"])
    print()
    ui.table(sum_up(lines), ["language", "scenarios", "runs", "failures"])
    return good and bool(lines) and all(line[-1] == 0 for line in lines)


def script(name: str, *arguments: str) -> bool:
    """Runs a script of tests/stress, which calls every overload and prints each failure."""
    command = [environment.python("base"), SCRIPTS / f"{name}.py", *arguments]
    env = {**os.environ, **environment.runtime("release")}
    ui.say(" ".join([name, *arguments]))
    return subprocess.run(command, env=env, stdin=subprocess.DEVNULL).returncode == 0


def miri(skip: bool) -> bool:
    """Runs tests/rust/miri_test.rs under Miri with 32 thread schedules.

    Only nightly toolchains include Miri: without one, this part fails, or is skipped.
    """
    cargo = [machine.cargo(), "+nightly", "miri"]
    found = subprocess.run([*cargo, "--version"], capture_output=True)
    if found.returncode != 0:
        advice = "rustup toolchain install nightly --component miri,rust-src"
        ui.say(f"miri: a nightly Rust with Miri must be installed, got none; run {advice}")
        return skip
    native.build("release", targets=("tenon",))
    env = {
        **environment.runtime("release"),
        "CARGO_TARGET_DIR": str(ui.BUILD / "miri"),
        "MIRIFLAGS": "-Zmiri-many-seeds=0..32",
    }
    manifest = ui.ROOT / "bindings" / "rust" / "Cargo.toml"
    command = [*cargo, "test", "--locked", "--manifest-path", manifest]
    log = "stress-miri"
    status = ui.run(
        "miri", [*command, "--package", "tenon", "--test", "miri"], env=env, log=log, check=False
    )
    suites.complain(log, status)
    return status == 0


def read_results(path: pathlib.Path) -> list:
    """Returns rows (scenario, language, runs, failures) from the file that the suites append to."""
    rows = []
    for line in path.read_text().splitlines() if path.exists() else ():
        language, scenario, runs, failures = line.split("\t")
        rows.append((scenario, language, int(runs), int(failures)))
    return rows


def sum_up(lines: list) -> list:
    """Returns one row per language and a row of totals."""
    sums = collections.defaultdict(lambda: [0, 0, 0])
    for _, language, runs, failures in lines:
        for name in (language, "all"):
            total = sums[name]
            sums[name] = [total[0] + 1, total[1] + runs, total[2] + failures]
    return [(name, *sums[name]) for name in sorted(sums, key=lambda name: (name == "all", name))]
