# SPDX-License-Identifier: Apache-2.0
"""Sizes and start-up: stripped sizes, loading, the first call of a JVM, compile times."""

from __future__ import annotations

import os
import pathlib
import re
import resource
import shutil
import tempfile

import peer
from bench import HERE, ROOT, Bench
from parts import java
from sample import Sample

# Typical user programs, compiled to measure the cost of the headers.
PROGRAMS = {
    "c_header": ("c", "#include <tenon/tenon.h>\n"),
    "cpp_plugin": (
        "cpp",
        "#include <tenon/tenon.hpp>\n"
        "static tenon::Tensor first(const tenon::Tensor& a, const tenon::Tensor&) { return a; }\n"
        "TENON_LIBRARY(compiled, m) {\n"
        '  m.def("first(Tensor a, Tensor b) -> Tensor");\n'
        '  m.impl("first", TENON_KEY_CPU, &first);\n'
        "}\n"
        'TENON_PLUGIN("compiled", "1");\n',
    ),
    "torch_library": (
        "cpp",
        "#include <torch/library.h>\n"
        "static at::Tensor first(const at::Tensor& a, const at::Tensor&) { return a; }\n"
        "TORCH_LIBRARY(compiled, m) {\n"
        '  m.def("first(Tensor a, Tensor b) -> Tensor");\n'
        '  m.impl("first", c10::DispatchKey::CPU, &first);\n'
        "}\n",
    ),
}


def measure(bench: Bench) -> None:
    libraries = _libraries(bench)
    for name, path in libraries.items():
        _size(bench, name, path)
    core = libraries["libtenon"]
    for name, path in libraries.items():
        # The Java library cannot be loaded without libjvm.
        if name != "libtenon_java":
            _load(bench, name, path, *(() if name in ALONE else (core,)))
    _java(bench)
    _compile(bench)


# Libraries that are measured without libtenon in the process.
ALONE = ("libtenon", "libtvm_ffi", "libtorch_cpu")


def _libraries(bench: Bench) -> dict[str, pathlib.Path]:
    found = {
        "libtenon": bench.lib / "libtenon.so",
        "libtenon_cpu": bench.lib / "libtenon_cpu.so",
        "libtenon_java": bench.lib / "libtenon_java.so",
    }
    extension = sorted((bench.build / "bindings" / "python" / "tenon").glob("_tenon*.so"))
    if not extension:
        raise SystemExit("bench: bindings/python/tenon must have the extension _tenon, got none")
    found["_tenon"] = extension[0]
    for package, name in (("tvm_ffi", "libtvm_ffi"), ("torch", "libtorch_cpu")):
        folder = peer.home(package)
        if folder is None or (package == "torch" and not bench.with_torch):
            why = "not asked for (--with-torch)" if package == "torch" else "not installed"
            bench.skip(f"size:{name}", why)
            bench.skip(f"start:load_{name}", why)
        else:
            found[name] = folder / "lib" / f"{name}.so"
    return found


def _size(bench: Bench, name: str, path: pathlib.Path) -> None:
    with tempfile.TemporaryDirectory(dir=bench.work) as folder:
        stripped = pathlib.Path(folder) / path.name
        bench.run(["strip", "-o", stripped, path])
        bench.put(f"size:{name}", Sample(stripped.stat().st_size / 1e6, unit="MB"))


def _load(bench: Bench, name: str, path: pathlib.Path, *before: pathlib.Path) -> None:
    """Loads each library in a new process; _tenon needs Python's symbols in the process."""
    if name == "_tenon":
        return  # `import tenon` in the Python part measures it.
    command = [bench.build / "bin" / "load_cost", path, *before]
    rounds = 2 if bench.quick or name == "libtorch_cpu" else 15
    turns = [[float(word) for word in bench.run(command).split()] for _ in range(rounds)]
    bench.add(f"start:load_{name}", [one[0] for one in turns])
    bench.put(f"start:load_{name}/faults", Sample(min(one[1] for one in turns), unit="faults"))
    bench.put(f"start:load_{name}/private", Sample(min(one[2] for one in turns), unit="KiB"))


def _java(bench: Bench) -> None:
    """Measures time and classes from the first use of the package to the end of the first call."""
    jar = bench.build / "bindings" / "java" / "tenon.jar"
    home = java.home()
    if home is None or not jar.exists():
        bench.skip("start:java", f"a JDK and {jar.name} are needed")
        return
    classes = bench.work / "java-start"
    shutil.rmtree(classes, ignore_errors=True)
    source = HERE / "java" / "start" / "FirstCall.java"
    bench.run([home / "bin" / "javac", "-cp", jar, "-d", classes, source])
    command = [home / "bin" / "java", "-Xshare:auto", "-Xlog:class+load:stdout"]
    command += ["-cp", f"{classes}{os.pathsep}{jar}", f"-Dtenon.library.path={bench.lib}"]
    turns = []
    for _ in range(2 if bench.quick else 10):
        text = bench.run([*command, "FirstCall"])
        begin, _, text = text.partition("FirstCall begins\n")
        text, _, end = text.partition("FirstCall took ")
        ours = len(re.findall(r" dev\.tenon\.", text))
        turns.append((float(end.split()[0]) / 1e6, ours, len(re.findall(r" source: ", text))))
        if not begin or not ours:
            raise SystemExit("bench: FirstCall must log classes of dev.tenon, got none")
    bench.add("start:java_first_call", [one[0] for one in turns], "ms")
    bench.put("start:java_first_call/own_classes", Sample(turns[0][1], unit="classes"))
    bench.put("start:java_first_call/all_classes", Sample(turns[0][2], unit="classes"))


def _compile(bench: Bench) -> None:
    """Returns the processor seconds of compiling a file that includes the headers, unoptimized."""
    tenon = [f"-I{ROOT / 'capi' / 'include'}"]
    for name, (suffix, text) in PROGRAMS.items():
        include, standard = tenon, ["-std=c99"] if suffix == "c" else ["-std=c++20"]
        if name == "torch_library":
            folder = peer.home("torch") if bench.with_torch else None
            if folder is None:
                bench.skip(f"start:compile_{name}", "torch is not there, or not asked for")
                continue
            include = [f"-I{folder / 'include'}"]
        source = bench.work / f"compile_{name}.{suffix}"
        source.write_text(text)
        compiler = shutil.which("cc") if suffix == "c" else peer.compiler()
        command = [compiler, *standard, "-O0", "-c", *include, source, "-o", os.devnull]
        seconds = []
        for _ in range(1 if bench.quick else 3):
            before = resource.getrusage(resource.RUSAGE_CHILDREN)
            # Bypass the compiler cache to measure compilation itself.
            bench.run(command, {"CCACHE_DISABLE": "1"})
            after = resource.getrusage(resource.RUSAGE_CHILDREN)
            seconds.append(after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)
        bench.add(f"start:compile_{name}", seconds, "CPU s")
