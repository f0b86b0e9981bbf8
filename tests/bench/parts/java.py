# SPDX-License-Identifier: Apache-2.0
"""Measures calls from Java under JMH, compared with plain JNI; also on JDK 22+ if present."""

from __future__ import annotations

import glob
import json
import os
import pathlib
import re
import shutil
import subprocess

from bench import HERE, ROOT, Bench
from sample import Sample

SOURCES = HERE / "java"


def measure(bench: Bench) -> None:
    jar = bench.build / "bindings" / "java" / "tenon.jar"
    jdk = home()
    if jdk is None or shutil.which("mvn") is None or not jar.exists():
        bench.skip("java", f"a JDK, mvn and {jar.name} are needed")
        return
    jars = _jmh(bench)
    path = os.pathsep.join(str(one) for one in (jar, *jars))
    classes = bench.work / "java"
    shutil.rmtree(classes, ignore_errors=True)
    compile_them = [jdk / "bin" / "javac", "-cp", path, "-d", classes]
    bench.run([*compile_them, *sorted(SOURCES.glob("*.java"))])
    path = f"{classes}{os.pathsep}{path}"
    natives = _natives(bench, jdk)
    _calls(bench, jdk, path, natives, "java:")
    newer = _newer()
    if newer is None:
        bench.skip("java_ffm:", "no JDK of 22 or newer")
    else:
        _calls(bench, newer, path, natives, "java_ffm:")


def home() -> pathlib.Path | None:
    if os.environ.get("JAVA_HOME"):
        return pathlib.Path(os.environ["JAVA_HOME"])
    javac = shutil.which("javac")
    return pathlib.Path(javac).resolve().parents[1] if javac else None


def _newer() -> pathlib.Path | None:
    """Returns the home of a JDK that has the Foreign Function API."""
    for home in sorted(glob.glob("/usr/lib/jvm/*"), reverse=True):
        java = pathlib.Path(home) / "bin" / "java"
        if not java.exists() or java.parents[1].is_symlink():
            continue
        text = subprocess.run([java, "-version"], capture_output=True, text=True).stderr
        found = re.search(r'version "(\d+)', text)
        if found and int(found[1]) >= 22:
            return pathlib.Path(home)
    return None


def _jmh(bench: Bench) -> list[pathlib.Path]:
    """Returns JMH's jars, which Maven downloads once."""
    folder = bench.work / "jmh"
    if not list(folder.glob("jmh-core-*.jar")):
        goal = ["dependency:copy-dependencies", f"-DoutputDirectory={folder}"]
        bench.run(["mvn", "-B", "-ntp", "-q", "-f", SOURCES / "pom.xml", *goal])
    return sorted(folder.glob("*.jar"))


def _natives(bench: Bench, home: pathlib.Path) -> pathlib.Path:
    out = bench.work / "libtenon_bench_natives.so"
    include = home / "include"
    headers = (include, include / "linux", ROOT / "capi" / "include")
    command = [shutil.which("cc") or "gcc", "-O2", "-shared", "-fPIC"]
    command += [f"-I{one}" for one in headers]
    command += [SOURCES / "natives.c", "-o", out, f"-L{bench.lib}", "-ltenon"]
    command += [f"-Wl,-rpath,{bench.lib}"]
    return bench.made(out, command, [SOURCES / "natives.c"])


def _calls(bench: Bench, home: pathlib.Path, path: str, natives: pathlib.Path, prefix: str) -> None:
    """Runs every benchmark in a few JVMs, with iterations so short that some are undisturbed."""
    out = bench.work / "jmh.json"
    length = ["-wi", "30", "-w", "50ms", "-i", "120", "-r", "4ms"]
    if bench.quick:
        length = ["-wi", "2", "-w", "100ms", "-i", "3", "-r", "50ms"]
    options = [
        f"-Dtenon.library.path={bench.lib}",
        f"-Dtenon.bench.natives={natives}",
        f"-Dtenon.bench.plugin={bench.plugin}",
    ]
    if prefix != "java:":
        options.append("--enable-native-access=ALL-UNNAMED")
    command = [home / "bin" / "java", "-cp", path, *options, "org.openjdk.jmh.Main", "-f", "1"]
    command += [*length, "-foe", "true", "-prof", "gc", "-rf", "json", "-rff", out]
    rounds: dict[str, list[float]] = {}
    for _ in range(1 if bench.quick else 2):
        bench.run(command)
        for one in json.loads(out.read_text()):
            name = "/".join([one["benchmark"].rpartition(".")[2], *one.get("params", {}).values()])
            raw = [value for fork in one["primaryMetric"]["rawData"] for value in fork]
            rounds.setdefault(name, []).extend(raw)
            for key, metric in one.get("secondaryMetrics", {}).items():
                # Values below a hundredth of a byte are rounding errors of the profiler.
                if key.lstrip("·") == "gc.alloc.rate.norm" and isinstance(metric["score"], float):
                    sample = Sample(round(metric["score"], 1), unit="bytes")
                    bench.put(f"{prefix}{name}/allocated", sample)
    for name, values in rounds.items():
        bench.add(prefix + name, values)
