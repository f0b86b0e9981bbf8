# SPDX-License-Identifier: Apache-2.0
"""The developer command counts what runners report, and never takes missing output for success."""

from __future__ import annotations

import contextlib
import io
import json
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest
import unittest.mock
import zipfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / ".dev"))

import apt  # noqa: E402
import build_times  # noqa: E402
import coverage  # noqa: E402
import fuzzing  # noqa: E402
import interpreters  # noqa: E402
import machine  # noqa: E402
import native  # noqa: E402
import needs  # noqa: E402
import reproducible  # noqa: E402
import stress  # noqa: E402
import suites  # noqa: E402
import systems  # noqa: E402
import ui  # noqa: E402


def write(name: str, text: str) -> pathlib.Path:
    path = pathlib.Path(tempfile.mkdtemp()) / name
    path.write_text(text)
    return path


class ReproducibleTest(unittest.TestCase):
    def test_differences_are_named_down_to_the_member(self):
        with tempfile.TemporaryDirectory() as name:
            folders = [pathlib.Path(name) / part for part in ("one", "other")]
            for number, folder in enumerate(folders):
                folder.mkdir()
                (folder / "same.txt").write_text("same")
                with zipfile.ZipFile(folder / "a.jar", "w") as jar:
                    jar.writestr(zipfile.ZipInfo("equal"), "text")
                    jar.writestr(zipfile.ZipInfo("built"), f"in folder {number}")
            (folders[0] / "alone").write_text("")
            said = io.StringIO()
            with contextlib.redirect_stdout(said):
                self.assertEqual(1, reproducible.compare(*folders))
            self.assertIn("1 of 3 artefacts are equal", said.getvalue())
            self.assertRegex(said.getvalue(), r"a\.jar +differs: built\n")
            self.assertRegex(said.getvalue(), r"alone +missing in ")
            with contextlib.redirect_stdout(io.StringIO()):
                self.assertEqual(0, reproducible.compare(folders[0], folders[0]))


class CtestTest(unittest.TestCase):
    def test_the_ctest_of_the_cmake_that_configured_the_tree_runs_its_tests(self):
        cache = write("CMakeCache.txt", "CMAKE_CTEST_COMMAND:INTERNAL=/opt/cmake-4/bin/ctest\n")
        self.assertEqual(native.ctest_program(cache.parent), "/opt/cmake-4/bin/ctest")

    def test_a_tree_never_configured_asks_for_the_ctest_on_the_path(self):
        self.assertEqual(native.ctest_program(pathlib.Path("/nowhere")), "ctest")


class InterpreterTest(unittest.TestCase):
    def facts(self, **changes):
        facts = {"path": "python", "version": (3, 13), "implementation": "cpython"}
        facts |= {"free_threaded": False, "headers": True, "suffix": ".so"}
        return interpreters.Interpreter(**{**facts, **changes})

    def test_one_with_the_gil_and_headers_gets_a_wheel(self):
        self.assertEqual((self.facts().refusal, self.facts().tag), ("", "cp313"))

    def test_others_are_refused_with_the_reason(self):
        self.assertIn("with the GIL", self.facts(free_threaded=True).refusal)
        self.assertIn("3.10 or newer", self.facts(version=(3, 9)).refusal)
        self.assertIn("CPython", self.facts(implementation="pypy").refusal)
        self.assertIn("headers", self.facts(headers=False).refusal)

    def test_the_one_that_runs_this_is_read(self):
        self.assertEqual(interpreters.read(sys.executable).version, sys.version_info[:2])

    def test_programs_that_are_not_python_are_refused(self):
        with self.assertRaisesRegex(ui.Failure, "--python: PATH must be a Python"):
            interpreters.read("/nowhere/python")


class FuzzTest(unittest.TestCase):
    def test_the_last_line_that_counts_is_read(self):
        log = (
            "#2\tINITED cov: 10 ft: 11 corp: 1/1b exec/s: 0 rss: 30Mb\n"
            "#81\tNEW    cov: 12 ft: 14 corp: 3/8b lim: 4 exec/s: 0 rss: 30Mb L: 4/4\n"
            "Done 99 runs in 1 second(s)\n"
        )
        self.assertEqual(fuzzing.read_progress(log), ("81", "12", "3"))

    def test_a_program_that_never_began_counts_nothing(self):
        self.assertEqual(fuzzing.read_progress("no such file"), ("0", "0", "0"))

    def test_each_target_has_inputs_and_a_source(self):
        for name in fuzzing.TARGETS:
            self.assertTrue((fuzzing.FOLDER / f"{name}_fuzz.cpp").exists(), name)
            self.assertGreaterEqual(len(list((fuzzing.FOLDER / "corpus" / name).iterdir())), 8)
        self.assertEqual(len(fuzzing.TARGETS), 8)

    def test_programs_have_their_scripts(self):
        self.assertEqual(
            sorted(fuzzing.PROGRAMS), ["graph_programs", "programs", "transform_programs"]
        )
        for path in fuzzing.PROGRAMS.values():
            self.assertTrue(path.exists(), path)


class StressTest(unittest.TestCase):
    def test_runs_and_failures_are_summed_for_each_language_and_all(self):
        path = write("exits.txt", "Rust\tkernel calls exit\t20\t0\nC++\ta\t20\t3\nC++\tb\t2\t0\n")
        rows = stress.read_results(path)
        self.assertEqual(rows[0], ("kernel calls exit", "Rust", 20, 0))
        self.assertEqual(
            stress.sum_up(rows), [("C++", 2, 22, 3), ("Rust", 1, 20, 0), ("all", 3, 42, 3)]
        )

    def test_no_results_are_no_rows(self):
        self.assertEqual(stress.read_results(pathlib.Path("/nowhere/exits.txt")), [])


class CoverageTest(unittest.TestCase):
    def test_a_line_counts_once_and_files_outside_of_the_core_do_not(self):
        def report(count):
            lines = [{"line_number": 7, "count": count}, {"line_number": 8, "count": 0}]
            names = ("core/base/x.h", "capi/src/y.cpp", "/usr/include/z.h")
            return {
                "current_working_directory": str(ui.ROOT),
                "files": [{"file": name, "lines": lines} for name in names],
            }

        counts = {}
        for count in (0, 3, 1):
            coverage.add(counts, report(count))
        self.assertEqual(counts, {("core/base/x.h", 7): 4, ("core/base/x.h", 8): 0})
        self.assertEqual(
            coverage.sum_up(counts), [("core/base", 2, 1, "50.0"), ("all of core", 2, 1, "50.0")]
        )
        self.assertEqual(coverage.list_missing(counts), {"core/base/x.h": "8"})

    def test_neighbouring_lines_are_joined(self):
        self.assertEqual(coverage.join([1, 2, 3, 7, 9, 10]), "1-3 7 9-10")


class CountTest(unittest.TestCase):
    def test_ctest_junit_counts_each_kind(self):
        path = write(
            "r.xml",
            """<testsuite>
            <testcase name="a" status="run"/>
            <testcase name="b" status="fail"><failure message=""/></testcase>
            <testcase name="c" status="notrun"><skipped/></testcase></testsuite>""",
        )
        outcome = suites.read_junit(path, 0)
        self.assertEqual((outcome.passed, outcome.failed, outcome.skipped), (1, 1, 1))
        self.assertFalse(outcome.good)

    def test_googletest_counts_cases_inside_a_share_of_a_program(self):
        path = write(
            "r.xml",
            """<testsuite><testcase name="a" status="run"><system-out>
[==========] Running 1 test from 1 test suite.
[ RUN      ] A.a
[==========] 1 test from 1 test suite ran. (0 ms total)
[  PASSED  ] 1 test.
            </system-out></testcase>
            <testcase name="b.0" status="run"><system-out>
[==========] 5 tests from 2 test suites ran. (9 ms total)
[  PASSED  ] 4 tests.
[  SKIPPED ] 1 test, listed below:
            </system-out></testcase>
            <testcase name="b.1" status="fail"><failure/><system-out>
[==========] 6 tests from 2 test suites ran. (9 ms total)
[  PASSED  ] 4 tests.
[  FAILED  ] 2 tests, listed below:
            </system-out></testcase>
            <testcase name="b.2" status="fail"><failure/>
            <system-out>==1==ERROR: AddressSanitizer</system-out></testcase></testsuite>""",
        )
        outcome = suites.read_gtest(path, 8)
        self.assertEqual((outcome.passed, outcome.failed, outcome.skipped), (9, 3, 1))

    def test_missing_result_file_is_a_failure(self):
        outcome = suites.read_junit(pathlib.Path("/nowhere/r.xml"), 0)
        self.assertFalse(outcome.good)

    def test_cmocka_counts_cases_inside_a_program(self):
        path = write(
            "r.xml",
            """<testsuite><testcase name="a" status="run"><system-out>
            [==========] 3 test(s) run.
            [  PASSED  ] 2 test(s).
            [  SKIPPED ] 1 test(s), listed below:
            </system-out></testcase></testsuite>""",
        )
        outcome = suites.read_cmocka(path, 0)
        self.assertEqual((outcome.passed, outcome.failed, outcome.skipped), (2, 0, 1))
        self.assertTrue(outcome.good)

    def test_cmocka_program_that_dies_is_one_failure(self):
        path = write(
            "r.xml",
            """<testsuite><testcase name="a" status="fail"><failure/>
            <system-out>Segmentation fault</system-out></testcase></testsuite>""",
        )
        outcome = suites.read_cmocka(path, 8)
        self.assertEqual((outcome.passed, outcome.failed), (0, 1))

    def test_cargo_adds_up_all_binaries(self):
        text = (
            "test result: ok. 4 passed; 0 failed; 1 ignored; 0 measured\n"
            "test result: FAILED. 2 passed; 1 failed; 0 ignored; 0 measured\n"
        )
        outcome = suites.read_cargo(text, 101)
        self.assertEqual((outcome.passed, outcome.failed, outcome.skipped), (6, 1, 1))

    def test_unittest_closing_lines(self):
        good = suites.read_unittest("Ran 5 tests in 0.1s\n\nOK (skipped=1)", 0)
        self.assertEqual((good.passed, good.failed, good.skipped), (4, 0, 1))
        bad = suites.read_unittest("Ran 5 tests in 0.1s\n\nFAILED (failures=1, errors=1)", 1)
        self.assertEqual((bad.passed, bad.failed), (3, 2))

    def test_matrix_counts_cells(self):
        outcome = suites.read_matrix("... 124 of 125 cells passed, live handles back\n", 1)
        self.assertEqual((outcome.passed, outcome.failed), (124, 1))
        self.assertFalse(suites.read_matrix("nothing", 0).good)

    def test_suite_without_a_passing_case_is_not_good(self):
        self.assertFalse(suites.Outcome(passed=0, status=0).good)
        self.assertFalse(suites.Outcome(passed=5, status=1).good)
        self.assertTrue(suites.Outcome(passed=5, skipped=2).good)


class PresetTest(unittest.TestCase):
    @unittest.skipUnless(shutil.which("cmake") and shutil.which("ninja"), "no CMake or no Ninja")
    def test_every_native_preset_configures(self):
        # Presets leave out different targets: coverage the kernels, sanitizers the plugins of other
        # compilers.
        for preset in ("asan-ubsan", "tsan", "ubsan", "coverage"):
            with self.subTest(preset), tempfile.TemporaryDirectory() as folder:
                command = ["cmake", "--preset", preset, "-B", folder]
                run = subprocess.run(command, cwd=ui.ROOT, capture_output=True, text=True)
                self.assertEqual(run.returncode, 0, run.stderr[-2000:])

    def test_presets_for_finding_faults_have_the_assertions_on(self):
        presets = json.loads((ui.ROOT / "CMakePresets.json").read_text())["configurePresets"]
        by_name = {preset["name"]: preset["cacheVariables"] for preset in presets}
        for name in ("dev", "asan-ubsan", "tsan", "ubsan", "fuzz"):
            with self.subTest(name):
                self.assertEqual(by_name[name]["CMAKE_BUILD_TYPE"], "Debug")
                self.assertNotIn("NDEBUG", json.dumps(by_name[name]))


class StepTest(unittest.TestCase):
    def test_failing_command_raises_with_its_log(self):
        with self.assertRaises(ui.Failure):
            ui.run("test of a failing step", ["false"], quiet=True)

    def test_missing_program_is_named(self):
        with self.assertRaisesRegex(ui.Failure, "no-such-program"):
            ui.run("test of a missing program", ["no-such-program"], quiet=True)


class MachineTest(unittest.TestCase):
    def need(self, program: str, minimum: tuple = ()):
        return needs.Need("x", "a test", (("x",),), program=program, minimum=minimum)

    def test_program_that_is_too_old_counts_as_missing(self):
        self.assertIsNotNone(machine.locate(self.need(sys.executable, (3, 10))))
        self.assertIsNone(machine.locate(self.need(sys.executable, (99,))))
        self.assertIsNone(machine.locate(self.need("no-such-program")))

    def test_newest_of_numbered_programs_is_found(self):
        with tempfile.TemporaryDirectory() as name:
            for number in (14, 9, 22):
                program = pathlib.Path(name) / f"tool-{number}"
                program.write_text(f"#!/bin/sh\necho tool version {number}.1.0\n")
                program.chmod(0o755)
            with unittest.mock.patch.dict("os.environ", {"PATH": name}):
                newest = machine.locate(self.need("tool-*", (14,)))
                self.assertEqual(newest, f"{name}/tool-22")
                self.assertIsNone(machine.locate(self.need("tool-*", (23,))))

    def test_every_need_names_its_packages_for_every_manager(self):
        for key in needs.ALL:
            self.assertEqual(len(needs.NEEDS[key].elsewhere), len(needs.PACKAGE_MANAGERS), key)

    def test_without_apt_the_packages_of_each_manager_are_named(self):
        with unittest.mock.patch("shutil.which", return_value=None):
            with self.assertRaises(ui.Failure) as raised:
                machine.ensure(("cmake", "onednn", "rust"))
        text = str(raised.exception)
        self.assertIn("missing: CMake 3.25+", text)
        for manager in needs.PACKAGE_MANAGERS:
            self.assertRegex(text, rf"  {manager} \S+ .*cmake")

    def test_only_the_installed_manager_is_named(self):
        found = {"dnf": "/usr/bin/dnf"}
        with unittest.mock.patch("shutil.which", found.get):
            text = machine.elsewhere(["gtest"])
        self.assertIn("dnf install gtest-devel", text)
        self.assertNotIn("pacman", text)


class AptTest(unittest.TestCase):
    """Choices of packages on a system whose apt-cache is a script with the given packages."""

    def offering(self, **packages):
        contexts = contextlib.ExitStack()
        self.addCleanup(contexts.close)
        folder = pathlib.Path(contexts.enter_context(tempfile.TemporaryDirectory()))
        stanzas = "".join(
            f"{name.replace('_', '-')}:\n  Installed: (none)\n  Candidate: {version}\n"
            for name, version in packages.items()
        )
        names = "\n".join(name.replace("_", "-") for name in packages)
        (folder / "policy").write_text(stanzas)
        (folder / "pkgnames").write_text(names)
        script = folder / "apt-cache"
        script.write_text(f'#!/bin/sh\ncat "{folder}/$1"\n')
        script.chmod(0o755)
        path = f"{folder}:/usr/bin:/bin"
        contexts.enter_context(unittest.mock.patch.dict("os.environ", {"PATH": path}))

    def test_newest_jdk_is_chosen_and_a_preview_is_not(self):
        self.offering(
            openjdk_21_jdk_headless="21.0.13+9-1~deb13u2",
            openjdk_25_jdk_headless="25.0.5+8-1~deb13u1",
            openjdk_28_jdk_headless="28~18ea-1",
        )
        packages, too_old = machine.choose(["jdk"])
        self.assertEqual((packages, too_old), (["openjdk-25-jdk-headless"], []))

    def test_clang_is_the_oldest_that_is_new_enough(self):
        self.offering(clang_13="1:13.0.1-11", clang_14="1:14.0.6-12", clang_22="1:22.1.8-5~deb12u1")
        self.assertEqual(machine.choose(["clang"])[0], ["clang-14"])
        self.offering(clang_19="1:19.1.7-3", clang_22="1:22.1.8-5")
        self.assertEqual(machine.choose(["clang"])[0], ["clang-19"])

    def test_rust_comes_from_the_newer_of_two_packages(self):
        self.offering(
            rustc="1.63.0+dfsg1-2", cargo="0.66.0+ds1-1", rustc_web="1.96.0-1", cargo_web="1.96.0-1"
        )
        self.assertEqual(machine.choose(["rust"])[0], ["cargo-web", "rustc-web"])
        self.offering(rustc="1.85.1+dfsg1-1", cargo="1.85.1+dfsg1-1")
        self.assertEqual(machine.choose(["rust"])[0], ["cargo", "rustc"])

    def test_outdated_candidates_are_named_with_their_version(self):
        self.offering(cmake="3.22.1-1ubuntu1")
        self.assertEqual(machine.choose(["cmake"])[1], ["CMake 3.25+ is needed, cmake is 3.22.1"])

    def test_versions_are_compared_by_their_upstream_numbers(self):
        self.assertEqual(apt.version_numbers("1:19.1.7-3+b1"), (19, 1, 7))
        self.assertEqual(apt.version_numbers("4:14.2.0-1"), (14, 2, 0))


class SystemsTest(unittest.TestCase):
    def test_counts_of_a_run_are_those_of_its_table(self):
        outcome = {"demo": {"good": True, "minutes": 9.0}, "versions": {"gcc": "14.2.0"}}
        outcome["test"] = {"good": False, "minutes": 20.5, "passed": 7, "failed": 1, "skipped": 2}
        cells = systems.row("trixie", outcome)
        self.assertEqual(
            cells[:4], ["Debian 13", "gcc 14.2.0", "ok, 9.0 min", "FAILED 7 of 8, 20.5 min"]
        )

    def test_names_that_are_none_are_refused(self):
        with self.assertRaisesRegex(ui.Failure, "SYSTEM must be of bookworm, .*, got woody"):
            systems.run(["woody"], ("demo",), False)


class BuildTimesTest(unittest.TestCase):
    LOG = (
        "# ninja log v5\n"
        "0\t900\t1\tkernels/cpu/CMakeFiles/cpu.dir/Unity/unity_1_cxx.cxx.o\taa\n"
        "0\t4000\t2\tkernels/cpu/CMakeFiles/cpu.dir/Unity/unity_1_cxx.cxx.o\taa\n"
        "500\t1500\t3\ttests/core/base/CMakeFiles/base_test.dir/a.cpp.o\tbb\n"
        "1500\t1700\t3\tlib/libtenon.so.0.1.0\tcc\n"
        "1500\t1700\t3\tlib/libtenon.so\tcc\n"
        "cut of\n"
    )

    def test_steps_are_counted_once_by_their_last_run(self):
        rows = build_times.by_folder(build_times.read(self.LOG))
        wanted = [("kernels/cpu", 1, 4.0), ("tests/core", 1, 1.0), (build_times.LINKED, 1, 0.2)]
        self.assertEqual(rows, wanted)

    def test_folder_without_a_build_is_refused(self):
        with self.assertRaisesRegex(ui.Failure, "build --times: .* must hold a build, got none"):
            build_times.show(pathlib.Path(tempfile.mkdtemp()))


if __name__ == "__main__":
    unittest.main()
