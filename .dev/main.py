# SPDX-License-Identifier: Apache-2.0
"""The developer command's verbs; `./dev VERB --help` explains each."""

from __future__ import annotations

import argparse
import contextlib
import os
import pathlib
import shutil
import subprocess
import sys

import build_times
import coverage
import cross
import cuda
import dist
import docs
import environment
import fuzzing
import lint
import machine
import native
import needs
import reproducible
import stress
import suites
import systems
import ui

BENCH = ui.ROOT / "tests" / "bench"


def demo(args) -> int:
    """Builds everything and runs the five-language demos: on an image, and one that learns."""
    machine.ensure(native.NEEDS["release"])
    native.build("release", targets=("tenon_demo", "tenon_digits", "tenon_matrix"))
    programs = [
        environment.build_dir("release") / "bin" / name for name in ("tenon_demo", "tenon_digits")
    ]
    for program in programs:
        if not program.exists():
            raise ui.Failure(f"demo: bin/{program.name} must be built by examples/, got none")
    image = [str(pathlib.Path(args.image).resolve())] if args.image else []
    if image and not pathlib.Path(image[0]).is_file():
        raise ui.Failure(f"demo: IMAGE must be a readable file, got {args.image}")
    env = {**os.environ, **environment.runtime("release")}
    env["TENON_PYTHON"] = str(environment.python("base"))
    env["TENON_DEMO_OUTPUT"] = str(ui.BUILD / "demo")
    (ui.BUILD / "demo").mkdir(parents=True, exist_ok=True)
    ui.say("run the demo")
    status = 0
    for command in ([programs[0], *image], [programs[1]]):
        ended = subprocess.run(command, env=env, stdin=subprocess.DEVNULL)
        status = status or ended.returncode
    ui.say("demo: done" if status == 0 else f"demo: failed with status {status}")
    return status


def test(args) -> int:
    """Builds everything, runs every suite (or the named ones) and prints the counts."""
    unknown = [name for name in args.suite if name not in suites.NAMED]
    if unknown:
        raise ui.Failure(f"test: SUITE must be one of {', '.join(suites.NAMED)}, got {unknown[0]}")
    if args.python:
        return test_with_pythons(args)
    names = tuple(args.suite) or suites.DEFAULT
    if any(suites.SUITES[name][2] for name in names):
        machine.ensure(native.NEEDS[args.preset])
        native.build(args.preset)
    run = suites.Run(args.preset, with_torch=args.with_torch, pattern=args.filter)
    return 0 if suites.run_all(run, names) else 1


def test_with_pythons(args) -> int:
    """Builds the package for each named Python and runs the Python suite with it."""
    if args.suite not in ([], ["pytest"]) or args.with_torch:
        raise ui.Failure("test: --python must go with no suite but pytest and without --with-torch")
    good = True
    for path in args.python:
        name, interpreter = native.build_for_python(path)
        run = suites.Run(name, pattern=args.filter, interpreter=interpreter)
        version = ".".join(str(part) for part in environment.version_of(path))
        ui.say(f"test with Python {version}")
        good = suites.run_all(run, ("pytest",)) and good
    return 0 if good else 1


def build(args) -> int:
    """Builds a preset; with --cuda the CUDA plugin too, taking the toolkit from PyPI if need be."""
    if args.cuda:
        return build_cuda(args.cuda_architectures)
    elif args.preset in ("dev", "release"):
        native.build_all(args.preset)
    else:
        machine.ensure(native.NEEDS[args.preset])
        native.build(args.preset)
    if args.times:
        build_times.show(environment.build_dir(args.preset))
    return 0


def build_cuda(architectures: str) -> int:
    """Builds the CUDA plugin on the release build's libtenon, and tests it beside the CPU's."""
    machine.ensure(native.NEEDS["release"])
    native.build("release", targets=("tenon", "tenon_cpu"))
    release = environment.build_dir("release")
    # Plugins are found beside libtenon.
    folder = environment.build_dir("cuda") / "lib"
    folder.mkdir(parents=True, exist_ok=True)
    soname = (release / "lib" / "libtenon.so").readlink().name
    for name in (soname, "libtenon_cpu.so"):
        shutil.copy2(release / "lib" / name, folder)
    cmake, root, env = cuda.toolkit()
    settings = (
        f"-DCUDAToolkit_ROOT={root}",
        f"-DCMAKE_CUDA_ARCHITECTURES={architectures}",
        f"-DTENON_LIBRARY={folder / soname}",
        f"-DTENON_KERNELS_COMMON={release / 'kernels' / 'libtenon_kernels_common.a'}",
    )
    native.build("cuda", cmake, settings, env, targets=("tenon_cuda", "cuda_test"))
    plugin = folder / "libtenon_cuda.so"
    if not plugin.exists():
        raise ui.Failure(f"build: {plugin} must exist after the build, got none")
    ui.say(f"built {ui.short(plugin)}, {plugin.stat().st_size / 1024:.0f} KiB")
    # Tests that need no GPU run on any machine; all others are skipped and counted as such.
    return 0 if suites.run_all(suites.Run("cuda"), ("cuda",)) else 1


def make_dist(args) -> int:
    """Makes what users install: archive and Debian packages, with checksums, in dist/."""
    if args.check_reproducible:
        return reproducible.check(args.python)
    return dist.make(args.python)


def make_docs(args) -> int:
    """Builds a site in build/docs/html from the documents and the reference of each language."""
    return docs.make()


def sanitize(args) -> int:
    """Builds with a sanitizer and runs the native suites, or the named programs, under it.

    Assertions (TENON_DCHECK) are on in all of these builds.
    """
    preset = {"asan": "asan-ubsan"}.get(args.kind, args.kind)
    programs = tuple(name for name in args.only.split(",") if name)
    machine.ensure(native.NEEDS[preset])
    settings = (f"-DTENON_TEST_CUDA_ON_HOST={'ON' if args.cuda_on_host else 'OFF'}",)
    native.build(preset, settings=settings, targets=programs)
    run = suites.Run(preset, pattern=args.filter, programs=programs)
    run.env.update(suites.sanitizer_options())
    return 0 if suites.run_all(run, ("programs",) if programs else suites.NATIVE) else 1


def test_for_another_processor(args) -> int:
    """Compiles the native suites for another processor and runs them under QEMU."""
    return cross.run(args.processor, args.filter)


def run_systems(args) -> int:
    """Runs demo and tests, uses the packages, and tries compilers, on minimal Debian systems."""
    return systems.run(args.system, tuple(args.only.split(",")), args.keep)


def fuzz(args) -> int:
    """Runs one fuzz target, or all in turn: libFuzzer with ASan and UBSan, or random programs."""
    return fuzzing.run(args.target, args.seconds)


def run_stress(args) -> int:
    """Runs the long tests: threads, faults, process exits, extreme arguments, all layers."""
    options = ("filter", "call", "variants")
    more = [f"--{name}={text}" for name in options if (text := getattr(args, name))]
    return stress.run(args.part, args.seeds, tuple(more))


def measure_coverage(args) -> int:
    """Prints the lines of core/ that the native suites run, folder by folder."""
    return coverage.run(args.missing)


def check(args) -> int:
    """Runs formatters, linters and the project's own checks; --fix lets formatters write."""
    return lint.run(tuple(args.check), args.fix, args.list)


def bench(args) -> int:
    """Measures calls and compares them with peers and budgets; see ./dev bench --help."""
    sys.path.insert(0, str(BENCH))
    import options

    wanted = options.parser().parse_args(args.arguments)
    # Keep standard output for the measurements: a program may parse it.
    with contextlib.redirect_stdout(sys.stderr):
        machine.ensure(native.NEEDS["bench"])
        targets = {one for part in wanted.only or options.PARTS for one in options.PARTS[part]}
        native.build("bench", targets=("tenon", *sorted(targets)))
        groups = ("base", "bench", *(("torch",) if wanted.with_torch else ()))
        interpreter = wanted.python or environment.python(*groups)
    env = {**os.environ, **environment.runtime("bench")}
    return subprocess.run([interpreter, BENCH / "run.py", *args.arguments], env=env).returncode


def doctor(args) -> int:
    """Prints which tools are found, their versions, and which are missing; installs nothing."""
    names = tuple(dict.fromkeys((*needs.ALL, "benchmark", *needs.FUZZ, *needs.LINT)))
    nvcc = shutil.which("nvcc") or "none: ./dev build --cuda takes the toolkit from PyPI"
    extra = [
        f"Python of this command: {sys.executable} {sys.version.split()[0]}",
        f"JDK home: {machine.java_home() or 'none'}",
        f"JDK 22 or newer, for the Foreign Function API: {machine.java_home(22) or 'none'}",
        f"nvcc: {nvcc}",
    ]
    lacking = machine.doctor(names, extra)
    print(f"{lacking} missing" + (": ./dev test installs what it needs" if lacking else ""))
    return 1 if lacking else 0


def python(args) -> int:
    """Runs Python with the built tenon package importable."""
    module = environment.build_dir("release") / "bindings" / "python" / "tenon"
    if not module.exists():
        native.build_all("release")
    interpreter = environment.python("base")
    env = {**os.environ, **environment.runtime("release")}
    sys.stdout.flush()
    os.execve(interpreter, [str(interpreter), *args.arguments], env)


def clean(args) -> int:
    """Removes built files; with --all also the downloaded Python environments."""
    keep = set() if args.all else {"venv", "cuda-venv"}
    removed = 0
    for path in sorted(ui.BUILD.iterdir()) if ui.BUILD.exists() else ():
        if path.name not in keep:
            shutil.rmtree(path) if path.is_dir() and not path.is_symlink() else path.unlink()
            removed += 1
    ui.say(f"clean: removed {removed} entries of build/")
    return 0


def parser() -> argparse.ArgumentParser:
    top = argparse.ArgumentParser(
        prog="./dev",
        description="Everything a developer does here.",
        epilog="New here? ./dev demo, then ./dev test.",
    )
    top.add_argument("-v", "--verbose", action="store_true", help="show the output of every tool")
    verbs = top.add_subparsers(dest="verb", metavar="VERB", required=True)

    def verb(name, function, **more):
        one = verbs.add_parser(name, help=function.__doc__, description=function.__doc__, **more)
        one.set_defaults(function=function)
        return one

    one = verb("demo", demo)
    one.add_argument("image", nargs="?", metavar="IMAGE", help="a PNG or JPEG file of your own")
    one = verb("test", test)
    one.add_argument(
        "suite",
        nargs="*",
        metavar="SUITE",
        help=f"one or more of: {' '.join(suites.NAMED)} (default: all but installed and roots)",
    )
    one.add_argument("--preset", choices=("release", "dev"), default="release")
    one.add_argument(
        "--filter",
        default="",
        metavar="PATTERN",
        help="run only cases whose name matches, in the suite's own syntax",
    )
    one.add_argument(
        "--python",
        action="append",
        default=[],
        metavar="PATH",
        help="run pytest with this Python, for which the package is built; may be repeated",
    )
    one.add_argument(
        "--with-torch",
        action="store_true",
        help="install PyTorch and compare operator results with it",
    )
    one = verb("build", build)
    one.add_argument("--preset", choices=native.PRESETS, default="release")
    one.add_argument("--cuda", action="store_true", help="the cuda preset, with its toolkit")
    one.add_argument("--times", action="store_true", help="show where the build's time went")
    one.add_argument(
        "--cuda-architectures",
        default="80",
        metavar="LIST",
        help="CMake's list of GPU architectures (default: 80, real code and PTX)",
    )
    one = verb("dist", make_dist)
    one.add_argument(
        "--python",
        action="append",
        default=[],
        metavar="PATH",
        help="make a wheel for this Python; may be repeated (default: for each that is found)",
    )
    one.add_argument(
        "--check-reproducible",
        action="store_true",
        help="make it again in another folder, without a compiler cache, and compare",
    )
    verb("docs", make_docs)
    one = verb("bench", bench)
    one.add_argument(
        "arguments", nargs=argparse.REMAINDER, help="options of tests/bench/options.py"
    )
    one = verb("lint", check)
    one.add_argument("check", nargs="*", metavar="CHECK", help="checks to run (default: all)")
    one.add_argument("--fix", action="store_true", help="let the formatters write their output")
    one.add_argument("--list", action="store_true", help="name the checks and stop")
    one = verb("sanitize", sanitize)
    one.add_argument(
        "kind", choices=("asan", "tsan", "ubsan"), help="asan comes with UBSan; ubsan is it alone"
    )
    one.add_argument("--filter", default="", metavar="PATTERN", help="ctest -R pattern")
    one.add_argument(
        "--only",
        default="",
        metavar="PROGRAM,...",
        help="build and run only these test programs, such as core_dispatch_test,stress_test",
    )
    one.add_argument(
        "--cuda-on-host",
        action="store_true",
        help="test CUDA's kernels compiled for the host, too: that takes as long as the CPU's",
    )
    one = verb("cross", test_for_another_processor)
    one.add_argument("processor", choices=tuple(cross.PROCESSORS))
    one.add_argument("--filter", default="", metavar="PATTERN", help="ctest -R pattern")
    one = verb("systems", run_systems)
    one.add_argument(
        "system",
        nargs="*",
        metavar="SYSTEM",
        help=f"one or more of: {' '.join(systems.SYSTEMS)} (default: all)",
    )
    one.add_argument(
        "--only",
        default="demo,test",
        metavar="PART,...",
        help=f"parts to run, of: {' '.join(systems.PARTS)} (default: demo,test)",
    )
    one.add_argument("--keep", action="store_true", help="keep the systems in build/roots")
    one = verb("fuzz", fuzz)
    one.add_argument(
        "target", choices=(*fuzzing.TARGETS, *fuzzing.PROGRAMS, "all"), help="what to fuzz"
    )
    one.add_argument("--seconds", type=int, default=60, help="time for each target (default: 60)")
    one = verb("stress", run_stress)
    one.add_argument("part", nargs="?", choices=stress.PARTS, default="all", help="default: all")
    one.add_argument(
        "--seeds", type=int, default=100, metavar="N", help="of the extremes (default: 100)"
    )
    one.add_argument(
        "--filter", default="", metavar="TEXT", help="overloads of the extremes and layers"
    )
    one.add_argument("--call", default="", metavar="NAME", help="makes one call of the extremes")
    one.add_argument(
        "--variants", default="", metavar="LIST", help="dtypes and layouts of the layers, or all"
    )
    one = verb("coverage", measure_coverage)
    one.add_argument("--missing", action="store_true", help="name the lines that nothing ran")
    verb("doctor", doctor)
    one = verb("python", python)
    one.add_argument("arguments", nargs=argparse.REMAINDER, help="passed to Python")
    one = verb("clean", clean)
    one.add_argument("--all", action="store_true", help="remove build/ wholly")
    return top


def main() -> int:
    arguments = sys.argv[1:]
    # The arguments after these verbs belong to another program, options included.
    if arguments[:1] == ["bench"] or (
        arguments[:1] == ["python"] and arguments[1:2] not in (["-h"], ["--help"])
    ):
        arguments.insert(1, "--")
    args = parser().parse_args(arguments)
    if getattr(args, "arguments", [])[:1] == ["--"]:
        del args.arguments[0]
    ui.set_verbose(args.verbose)
    try:
        return args.function(args)
    except ui.Failure as failure:
        print(f"dev: {failure}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        print("dev: stopped", file=sys.stderr)
        return 130


if __name__ == "__main__":
    sys.exit(main())
