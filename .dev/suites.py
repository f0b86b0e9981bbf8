# SPDX-License-Identifier: Apache-2.0
"""The test suites: how each is run, and how its cases are counted."""

from __future__ import annotations

import dataclasses
import json
import pathlib
import re
import sys
import time
import xml.etree.ElementTree as xml

import environment
import interpreters
import machine
import native
import ui

RESULTS = ui.BUILD / "results"
FAILED_LINES = 40  # of the output of one failed case


@dataclasses.dataclass
class Outcome:
    """The result that a suite's runner reported. `status` is the runner's exit status."""

    passed: int = 0
    failed: int = 0
    skipped: int = 0
    status: int = 0
    seconds: float = 0.0
    note: str = ""

    @property
    def good(self) -> bool:
        return self.status == 0 and self.failed == 0 and self.passed > 0

    def add(self, other: "Outcome") -> None:
        self.passed += other.passed
        self.failed += other.failed
        self.skipped += other.skipped
        self.status = self.status or other.status


class Run:
    """One `./dev test`: the preset it tests and the variables the suites run with."""

    def __init__(
        self,
        preset: str,
        with_torch: bool = False,
        pattern: str = "",
        interpreter=None,
        programs: tuple = (),
    ):
        self.preset = preset
        self.programs = programs  # of the suite "programs"
        self.interpreter = interpreter  # for pytest; None: the private environment's
        self.pattern = pattern
        self.excluded = ""  # what ctest leaves out, a pattern
        self.env = environment.runtime(preset)
        self.with_torch = with_torch
        self.env["TENON_WITH_TORCH"] = "1" if with_torch else "0"


def sanitizer_options() -> dict:
    """Returns variables that make a sanitizer end the process on an error; no effect elsewhere."""
    # In GCC 13 and older, the interceptor of __tls_get_addr reads invalid memory when
    # LeakSanitizer's thread searches for leaks.
    asan = "detect_leaks=1:check_initialization_order=1:strict_string_checks=1"
    return {
        "ASAN_OPTIONS": f"{asan}:intercept_tls_get_addr=0",
        "LSAN_OPTIONS": f"suppressions={ui.ROOT / 'tests' / 'leaks.supp'}:print_suppressions=0",
        "UBSAN_OPTIONS": "print_stacktrace=1:halt_on_error=1",
        "TSAN_OPTIONS": "halt_on_error=1:second_deadlock_stack=1",
    }


def closing(log: str, pattern: str) -> None:
    """Prints the lines in which a runner summarizes its results."""
    text = (ui.LOGS / f"{log}.log").read_text(errors="replace")
    for line in text.splitlines():
        line = re.sub(r"\x1b\[[0-9;]*m", "", line)
        if re.search(pattern, line):
            print(f"    {line.strip()}", flush=True)


def complain(log: str, status: int) -> None:
    """Prints the end of a runner's output if it failed."""
    if status != 0:
        ui.say(f"status {status}; end of build/log/{log}.log:")
        ui.show_tail(ui.LOGS / f"{log}.log")


def read_junit(path: pathlib.Path, status: int) -> Outcome:
    """Counts the cases in a JUnit file of pytest, surefire, or ctest with one case per test."""
    if not path.exists():
        return Outcome(status=status or 1, note="wrote no results")
    outcome = Outcome(status=status)
    for case in xml.parse(path).getroot().iter("testcase"):
        kinds = {child.tag for child in case}
        if kinds & {"failure", "error"} or case.get("status") == "fail":
            outcome.failed += 1
        elif "skipped" in kinds or case.get("status") in ("notrun", "disabled"):
            outcome.skipped += 1
        else:
            outcome.passed += 1
    return outcome


def _ctest(run: Run, name: str, label: str) -> tuple:
    """Runs the ctest cases of one label; returns the path of the results and ctest's status."""
    pattern = ("-R", run.pattern) if run.pattern else ()
    if run.excluded:
        pattern += ("-E", run.excluded)
    path = RESULTS / f"{run.preset}-{name}.xml"
    status = native.ctest(f"test {name}", run.preset, path, ("-L", f"^{label}$", *pattern), run.env)
    if path.exists():
        _show_failed(path)
    elif status:
        ui.show_tail(ui.LOGS / f"test-{name}.log")
    closing(f"test-{name}", r"tests passed|tests failed|Total Test time|^\s+\d+ - .*\(")
    return path, status


def _show_failed(path: pathlib.Path) -> None:
    """Prints the last lines of output of each failed case in a ctest JUnit file."""
    for case in xml.parse(path).getroot().iter("testcase"):
        if case.get("status") == "fail":
            ui.say(f"FAILED {case.get('name')}:")
            for line in (case.findtext("system-out") or "").splitlines()[-FAILED_LINES:]:
                print(f"    {line}")


def gtest(run: Run) -> Outcome:
    """Runs GoogleTest programs under ctest; a ctest case runs one GoogleTest case or a shard."""
    return read_gtest(*_ctest(run, "gtest", "gtest"))


def read_gtest(path: pathlib.Path, status: int) -> Outcome:
    """Like read_junit(), but if one ctest case ran several test cases, counts those instead."""
    outcome = read_junit(path, status)
    if not path.exists():
        return outcome
    for case in xml.parse(path).getroot().iter("testcase"):
        text = case.findtext("system-out") or ""
        ran = re.search(r"^\[=+\] (\d+) tests from .* ran", text, re.M)
        if ran is None or "[ RUN      ]" in text:
            continue
        failed, skipped = (
            sum(int(number) for number in re.findall(rf"^\[  {word} *\] (\d+) test", text, re.M))
            for word in ("FAILED", "SKIPPED")
        )
        kept = 1 if case.get("status") == "fail" else 0
        outcome.passed += int(ran[1]) - failed - skipped - (1 - kept)
        outcome.failed += failed - kept
        outcome.skipped += skipped
    return outcome


def programs(run: Run) -> Outcome:
    """Runs test programs by name. Each GoogleTest case and each cmocka program counts as one."""
    return read_gtest(*_ctest(run, "programs", f"({'|'.join(run.programs)})"))


def cuda(run: Run) -> Outcome:
    """Runs the CUDA plugin's GoogleTest cases; those that need a GPU are skipped without one."""
    return read_junit(*_ctest(run, "cuda", "cuda"))


def examples(run: Run) -> Outcome:
    """Runs the programs of examples/ and docs, which are built as tests."""
    return read_junit(*_ctest(run, "examples", "example"))


def cmocka(run: Run) -> Outcome:
    """Runs cmocka programs under ctest; counts the cases in cmocka's output."""
    return read_cmocka(*_ctest(run, "cmocka", "cmocka"))


def read_cmocka(path: pathlib.Path, status: int) -> Outcome:
    """Counts cases from the summaries of cmocka programs in ctest's JUnit file."""
    if not path.exists():
        return Outcome(status=status or 1, note="wrote no results")
    outcome = Outcome(status=status)
    for case in xml.parse(path).getroot().iter("testcase"):
        text = case.findtext("system-out") or ""
        passed, failed, skipped = (
            sum(int(number) for number in re.findall(rf"\[  {word}\s*\] (\d+) test\(s\)", text))
            for word in ("PASSED", "FAILED", "SKIPPED")
        )
        # A program that died before its summary counts as one failure.
        if case.get("status") == "fail" and failed == 0:
            failed = 1
        outcome.add(Outcome(passed, failed, skipped))
    return outcome


def pytest(run: Run) -> Outcome:
    """Runs pytest on tests/python, tests/behaviour, tests/acceptance and conformance cases."""
    return _pytest(run, "pytest", "python", "behaviour", "acceptance")


def installed(run: Run) -> Outcome:
    """Runs pytest on tests/installed: users' projects built on the artefacts of ./dev dist."""
    found = {one.name: one.path for one in interpreters.find()}
    run.env["TENON_PYTHONS"] = json.dumps(found)
    return _pytest(run, "installed", "installed", groups=("dist",))


def roots(run: Run) -> Outcome:
    """Runs the installed programs in clean Debian roots; records commands and run times."""
    machine.ensure(("debootstrap",))
    outcome = _pytest(run, "roots", "installed/roots.py", case_limit=3000)  # pip may compile Tenon
    report = RESULTS / "roots.txt"
    if report.exists():
        print(report.read_text(), end="")
    return outcome


def _pytest(
    run: Run, name: str, *folders: str, groups: tuple = (), case_limit: int = 600
) -> Outcome:
    """Runs pytest; a case that exceeds the limit in seconds prints its stack and ends the run."""
    path = RESULTS / f"{run.preset}-{name}.xml"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.unlink(missing_ok=True)
    torch = ("torch",) if run.with_torch else ()
    interpreter = run.interpreter or environment.python("base", *groups, *torch)
    command = [
        interpreter,
        "-m",
        "pytest",
        "-q",
        "-rs",
        "-p",
        "no:cacheprovider",
        *("-o", f"faulthandler_timeout={case_limit}", "-o", "faulthandler_exit_on_timeout=true"),
        f"--junitxml={path}",
        *(["-k", run.pattern] if run.pattern else []),
        *(ui.ROOT / "tests" / folder for folder in folders),
    ]
    status = ui.run(f"test {name}", command, env=run.env, check=False)
    log = f"test-{name}"
    closing(log, r"^\d+ (passed|failed|error|skipped)|^=+ .*(passed|failed|error)|^FAILED")
    complain(log, status)
    return read_junit(path, status)


def cargo(run: Run) -> Outcome:
    """Runs cargo test on the workspace of bindings/rust, including documentation examples."""
    command = [
        machine.cargo(),
        "test",
        "--release",
        "--workspace",
        "--all-features",
        "--locked",
        "--no-fail-fast",
        "--manifest-path",
        ui.ROOT / "bindings" / "rust" / "Cargo.toml",
        *([run.pattern] if run.pattern else []),
    ]
    status = ui.run("test cargo", command, env=run.env, check=False)
    closing("test-cargo", r"^test result:|FAILED$")
    complain("test-cargo", status)
    return read_cargo((ui.LOGS / "test-cargo.log").read_text(errors="replace"), status)


def read_cargo(text: str, status: int) -> Outcome:
    """Adds up the "test result:" lines, one for each test binary and the documentation."""
    outcome = Outcome(status=status)
    for match in re.finditer(
        r"^test result: \w+\. (\d+) passed; (\d+) failed; (\d+) ignored", text, re.M
    ):
        outcome.add(Outcome(*(int(part) for part in match.groups())))
    return outcome


def junit(run: Run) -> Outcome:
    """JUnit 5 over bindings/java, run by Maven's surefire; again on a JDK 22 or newer, which takes
    the Foreign Function API's classes from the same jar."""
    outcome = _junit(run, "test junit")
    newer = machine.java_home(22)
    if newer is None:
        ui.say("no JDK 22 or newer found: the classes for those are not tested")
    elif newer != machine.java_home():
        outcome.add(
            _junit(
                run,
                "test junit 22",
                f"-Djvm={newer / 'bin/java'}",
                "-Dtenon.test.args=--enable-native-access=ALL-UNNAMED",
            )
        )
    return outcome


def _junit(run: Run, what: str, *settings: str) -> Outcome:
    reports = ui.BUILD / "java" / "surefire-reports"
    for old in reports.glob("TEST-*.xml"):
        old.unlink()
    pattern = [f"-Dtest={run.pattern}"] if run.pattern else []
    status = native.maven(what, run.preset, "test", *pattern, *settings, env=run.env, check=False)
    log = what.replace(" ", "-")
    closing(log, r"Tests run:.*(?<!\))$|BUILD ")
    complain(log, status)
    outcome = Outcome(status=status)
    for report in reports.glob("TEST-*.xml"):
        outcome.add(read_junit(report, 0))
    return outcome


def matrix(run: Run) -> Outcome:
    """Runs the language matrix: one process with all five languages.

    There are 125 combinations each of (define, implement, call), (kernel, gradient formula,
    backward pass), (kernel, cast rule, call in a region) and (kernel, overriding object, caller),
    and 25 each of (custom autograd function, caller) and (graph through all languages, caller).
    """
    program = environment.build_dir(run.preset) / "bin" / "tenon_matrix"
    if not program.exists():
        return Outcome(status=1, note="bin/tenon_matrix is not built")
    status = ui.run("test matrix", [program], env=run.env, check=False)
    closing("test-matrix", r"\d+ of \d+")
    complain("test-matrix", status)
    return read_matrix((ui.LOGS / "test-matrix.log").read_text(errors="replace"), status)


def read_matrix(text: str, status: int) -> Outcome:
    found = re.findall(r"(\d+) of (\d+)", text)
    if not found:
        return Outcome(status=status or 1, note="printed no count")
    passed = sum(int(one) for one, _ in found)
    total = sum(int(all_of_them) for _, all_of_them in found)
    return Outcome(passed=passed, failed=total - passed, status=status)


def tools(run: Run) -> Outcome:
    """Runs unittest on tests/tools: every check must fail on a bad fixture."""
    command = [
        sys.executable,
        "-B",
        "-m",
        "unittest",
        "discover",
        "-v",
        "-s",
        ui.ROOT / "tests" / "tools",
        "-p",
        "*_test.py",
    ]
    status = ui.run("test tools", command, env=run.env, check=False)
    closing("test-tools", r"^Ran \d+ test|^(OK|FAILED)")
    complain("test-tools", status)
    text = (ui.LOGS / "test-tools.log").read_text(errors="replace")
    return read_unittest(text, status)


def read_unittest(text: str, status: int) -> Outcome:
    """Reads the counts in unittest's last lines: "Ran 5 tests", "FAILED (failures=1, errors=1)"."""
    ran = re.search(r"^Ran (\d+) tests?", text, re.M)
    counts = {
        word: int(number)
        for word, number in re.findall(
            r"(failures|errors|skipped)=(\d+)", text.splitlines()[-1] if text else ""
        )
    }
    failed = counts.get("failures", 0) + counts.get("errors", 0)
    skipped = counts.get("skipped", 0)
    passed = int(ran.group(1)) - failed - skipped if ran else 0
    return Outcome(max(passed, 0), failed, skipped, status or (0 if ran else 1))


# Suites in order of execution, fastest and lowest layer first: title, function, and whether a CMake
# preset must be built first (cargo and Maven build what they test).
SUITES = {
    "tools": ("project checks (unittest)", tools, False),
    "gtest": ("C++ (GoogleTest)", gtest, True),
    "cmocka": ("C (cmocka)", cmocka, True),
    "pytest": ("Python (pytest)", pytest, True),
    "cargo": ("Rust (cargo test)", cargo, True),
    "junit": ("Java (JUnit 5)", junit, True),
    "matrix": ("matrix (five languages)", matrix, True),
    "examples": ("examples", examples, True),
    "cuda": ("CUDA plugin (GoogleTest)", cuda, True),
    "programs": ("named test programs", programs, True),
    "installed": ("installed artefacts", installed, False),
    "roots": ("clean roots", roots, False),
}
# Suites that `./dev test` accepts by name, and the default ones.
NAMED = tuple(name for name in SUITES if name not in ("cuda", "programs"))
DEFAULT = tuple(name for name in NAMED if name not in ("installed", "roots"))
NATIVE = ("gtest", "cmocka")


def run_all(run: Run, names: tuple) -> bool:
    """Runs suites, prints the table of counts, and returns true if all passed."""
    outcomes = {}
    for name in names:
        title, function, _ = SUITES[name]
        begin = time.monotonic()
        outcomes[name] = function(run)
        outcomes[name].seconds = time.monotonic() - begin
    rows = []
    total = Outcome()
    for name, outcome in outcomes.items():
        verdict = (
            "ok"
            if outcome.good
            else outcome.note
            or ("no cases" if not outcome.passed and not outcome.failed else "FAILED")
        )
        rows.append(
            (
                SUITES[name][0],
                outcome.passed,
                outcome.failed,
                outcome.skipped,
                f"{outcome.seconds:.1f}",
                verdict,
            )
        )
        total.add(outcome)
        total.seconds += outcome.seconds
    good = all(outcome.good for outcome in outcomes.values())
    rows.append(
        (
            "total",
            total.passed,
            total.failed,
            total.skipped,
            f"{total.seconds:.1f}",
            "ok" if good else "FAILED",
        )
    )
    print()
    ui.table(rows, ["suite", "passed", "failed", "skipped", "seconds", "verdict"])
    return good
