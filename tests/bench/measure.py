# SPDX-License-Identifier: Apache-2.0
"""Runs the benchmark programs of each language and gives what they measured."""

from __future__ import annotations

import importlib.util
import json
import os
import pathlib
import shutil
import statistics
import subprocess
import sys

import instructions
from table import Sample

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[1]


class Bench:
    """One run: where the build is, how long to measure, what was left out and why."""

    def __init__(self, quick: bool, with_torch: bool) -> None:
        self.quick = quick
        self.with_torch = with_torch
        self.build = pathlib.Path(os.environ.get("TENON_BUILD_DIR", ROOT / "build" / "release"))
        self.work = self.build / "bench"
        self.work.mkdir(parents=True, exist_ok=True)
        self.plugin = self.build / "lib" / "libtenon_bench_operators.so"
        self.samples: dict[str, Sample] = {}
        self.skipped: list[str] = []

    def skip(self, what: str, why: str) -> None:
        self.skipped.append(f"{what}: {why}")
        print(f"skipped {what}: {why}", file=sys.stderr)

    def run(self, command: list, env: dict | None = None, cwd: pathlib.Path = ROOT) -> str:
        """Runs a program that must succeed and returns what it printed."""
        done = subprocess.run(
            [str(part) for part in command],
            capture_output=True,
            text=True,
            env={**os.environ, **(env or {})},
            cwd=cwd,
        )
        if done.returncode != 0:
            text = " ".join(str(part) for part in command)
            raise SystemExit(
                f"bench: {text} failed ({done.returncode}):\n"
                f"{done.stdout[-4000:]}{done.stderr[-4000:]}"
            )
        return done.stdout

    # ---- C and C++ ---------------------------------------------------------------------------

    def _peer(self, package: str, arguments) -> pathlib.Path | None:
        """Builds the library of a peer's loops, against the headers in its Python package."""
        spec = importlib.util.find_spec(package)
        if spec is None or spec.origin is None:
            self.skip(f"{package} from C", "its Python package is not installed")
            return None
        home = pathlib.Path(spec.origin).parent
        sources = sorted((HERE / "peers").glob(f"{package}*.cpp"))
        out = self.work / f"peer_{package}.so"
        command = [
            shutil.which("c++") or "g++",
            "-O2",
            "-shared",
            "-fPIC",
            "-fvisibility=hidden",
            *arguments(home),
            *sources,
            "-o",
            out,
            f"-L{home / 'lib'}",
            f"-Wl,-rpath,{home / 'lib'}",
            *PEERS[package],
        ]
        stamp = out.with_suffix(".command")
        text = " ".join(str(part) for part in command)
        text += "".join(source.read_text() for source in sources)
        if not out.exists() or not stamp.exists() or stamp.read_text() != text:
            self.run(command)
            stamp.write_text(text)
        return out

    def c(self) -> None:
        peers = [self._peer("tvm_ffi", lambda home: ["-std=c++17", f"-I{home / 'include'}"])]
        if self.with_torch:
            api = "include/torch/csrc/api/include"
            peers.append(
                self._peer(
                    "torch",
                    lambda home: [
                        "-std=c++20",
                        "-isystem",
                        home / "include",
                        "-isystem",
                        home / api,
                    ],
                )
            )
        else:
            self.skip("libtorch", "not asked for (--with-torch)")
        out = self.work / "call_bench.json"
        rounds = 3 if self.quick else 20
        env = {"TENON_BENCH_PEERS": ":".join(str(peer) for peer in peers if peer)}
        self.run(
            [
                self.build / "bin" / "call_bench",
                f"--benchmark_repetitions={rounds}",
                "--benchmark_enable_random_interleaving=true",
                "--benchmark_min_time=0.005",
                f"--benchmark_out={out}",
                "--benchmark_out_format=json",
            ],
            env,
        )
        times: dict[str, list[float]] = {}
        for one in json.loads(out.read_text())["benchmarks"]:
            if one["run_type"] == "iteration":
                times.setdefault(one["run_name"], []).append(one["cpu_time"])
        for name in sorted(times):
            self.samples[f"c:{name}"] = least(times[name])
        adds = (
            self.samples["c:boxed_2_tensors_one_redispatch"].value
            - self.samples["c:boxed_2_tensors"].value
        )
        self.samples["c:redispatch_adds"] = Sample(adds)
        many = [
            json.loads(
                self.run([self.build / "bin" / "many_operators", 2000 if self.quick else 100000])
            )
            for _ in range(1 if self.quick else 3)
        ]
        for name in many[0]:
            self.samples[f"many:{name}"] = least([one[name] for one in many])
        stripped = self.work / "libtenon.stripped"
        self.run(["strip", "-o", stripped, self.build / "lib" / "libtenon.so"])
        self.samples["size:libtenon"] = Sample(stripped.stat().st_size / 1e6)

    def count(self) -> None:
        if shutil.which("valgrind") is None:
            self.skip("instruction counts", "valgrind is not installed")
            return
        for path, calls in instructions.count().items():
            self.samples[f"count:{path}"] = Sample(calls)

    # ---- Python ------------------------------------------------------------------------------

    def python(self) -> None:
        rounds, milliseconds = (3, 1) if self.quick else (25, 4)
        without = [] if self.with_torch else ["torch"]
        out = json.loads(
            self.run(
                [
                    sys.executable,
                    HERE / "python_bench.py",
                    self.plugin,
                    rounds,
                    milliseconds,
                    *without,
                ]
            )
        )
        for name, why in out["skipped"].items():
            self.skip(f"{name} from Python", why)
        for name, one in out["rows"].items():
            self.samples[f"python:{name}"] = Sample(one["ns"], one["noise"])
        self._import_time("tenon", ("numpy",))
        for package in ("numpy", *(("torch",) if self.with_torch else ())):
            if package not in out["skipped"]:
                self._import_time(package, ())

    def _import_time(self, package: str, without: tuple) -> None:
        """Milliseconds that the import takes in a new process, with compiled modules cached."""
        code = (
            f"import time, sys; start = time.perf_counter(); import {package}; "
            f"print((time.perf_counter() - start) * 1000); "
            f"sys.exit(any(one in sys.modules for one in {without!r}))"
        )
        env = {"PYTHONPYCACHEPREFIX": str(self.work / "pycache"), "PYTHONDONTWRITEBYTECODE": ""}
        rounds = 3 if self.quick or package == "torch" else 15
        self.run([sys.executable, "-c", code], env)
        self.samples[f"python:import_{package}"] = least(
            [float(self.run([sys.executable, "-c", code], env)) for _ in range(rounds)]
        )

    # ---- Rust --------------------------------------------------------------------------------

    def rust(self) -> None:
        cargo = shutil.which("cargo") or shutil.which(
            "cargo", path=str(pathlib.Path.home() / ".cargo" / "bin")
        )
        if cargo is None:
            self.skip("Rust", "cargo is not installed")
            return
        target = os.environ.get("CARGO_TARGET_DIR", str(ROOT / "build" / "rust"))
        env = {"CARGO_TARGET_DIR": target, "TENON_LIB_DIR": str(self.build / "lib")}
        command = [
            cargo,
            "bench",
            "-q",
            "--locked",
            "--manifest-path",
            ROOT / "bindings" / "rust" / "Cargo.toml",
            "-p",
            "tenon",
            "--bench",
            "calls",
            "--",
            "--json",
        ]
        times: dict[str, list[float]] = {}
        for _ in range(1 if self.quick else 3):
            for one in json.loads(self.run(command, env))["benchmarks"]:
                times.setdefault(one["name"], []).append(one["cpu_time"])
        for name, all_times in times.items():
            self.samples[f"rust:{name}"] = least(all_times)

    # ---- Java --------------------------------------------------------------------------------

    def java(self) -> None:
        home = os.environ.get("JAVA_HOME")
        javac = pathlib.Path(home) / "bin" / "javac" if home else shutil.which("javac")
        jar = self.build / "bindings" / "java" / "tenon.jar"
        if javac is None or shutil.which("mvn") is None or not jar.exists():
            self.skip("Java", f"javac, mvn and {jar.name} are needed")
            return
        bin_dir = pathlib.Path(javac).resolve().parent
        jars = self.work / "jmh"
        pom = HERE / "java" / "pom.xml"
        if not list(jars.glob("jmh-core-*.jar")):
            self.run(
                [
                    "mvn",
                    "-B",
                    "-ntp",
                    "-q",
                    "-f",
                    pom,
                    "dependency:copy-dependencies",
                    f"-DoutputDirectory={jars}",
                ]
            )
        classes = self.work / "java"
        shutil.rmtree(classes, ignore_errors=True)
        path = os.pathsep.join(str(one) for one in (jar, *sorted(jars.glob("*.jar"))))
        self.run(
            [bin_dir / "javac", "-cp", path, "-d", classes, *sorted((HERE / "java").glob("*.java"))]
        )
        natives = self.work / "libtenon_bench_natives.so"
        include = bin_dir.parent / "include"
        self.run(
            [
                shutil.which("cc") or "gcc",
                "-O2",
                "-shared",
                "-fPIC",
                f"-I{include}",
                f"-I{include / 'linux'}",
                f"-I{ROOT / 'capi' / 'include'}",
                HERE / "java" / "natives.c",
                "-o",
                natives,
                f"-L{self.build / 'lib'}",
                "-ltenon",
                f"-Wl,-rpath,{self.build / 'lib'}",
            ]
        )
        out = self.work / "jmh.json"
        # Many iterations so short that some are left alone by what else runs on the machine.
        length = (
            ["-wi", "2", "-w", "100ms", "-i", "3", "-r", "50ms"]
            if self.quick
            else ["-wi", "30", "-w", "50ms", "-i", "250", "-r", "4ms"]
        )
        self.run(
            [
                bin_dir / "java",
                "-cp",
                f"{classes}{os.pathsep}{path}",
                f"-Dtenon.library.path={self.build / 'lib'}",
                f"-Dtenon.bench.natives={natives}",
                f"-Dtenon.bench.plugin={self.plugin}",
                "org.openjdk.jmh.Main",
                "-f",
                "1",
                *length,
                "-foe",
                "true",
                "-rf",
                "json",
                "-rff",
                out,
            ]
        )
        for one in json.loads(out.read_text()):
            name = one["benchmark"].rpartition(".")[2]
            raw = [value for fork in one["primaryMetric"]["rawData"] for value in fork]
            self.samples[f"java:{name}"] = least(raw)


# What the library of a peer's loops is linked with.
PEERS = {
    "tvm_ffi": ["-ltvm_ffi"],
    "torch": ["-Wl,--no-as-needed", "-ltorch_cpu", "-ltorch", "-lc10"],
}


def least(times: list[float]) -> Sample:
    """The least of several measurements; the median shows how disturbed they were."""
    noise = statistics.median(times) / min(times) - 1 if len(times) > 1 else None
    return Sample(min(times), noise)
