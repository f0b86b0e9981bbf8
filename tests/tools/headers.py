# SPDX-License-Identifier: Apache-2.0
"""Compiles each public header alone with every language standard the compilers offer."""

from __future__ import annotations

import argparse
import concurrent.futures
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

import cheader

C_STANDARDS = ("c99", "c11", "c17", "c2x")
CXX_STANDARDS = ("c++11", "c++14", "c++17", "c++20", "c++2b")
# tenon.hpp needs C++20 and is compiled with newer standards too, its parts with C++20 only.
HPP_STANDARDS = ("c++20", "c++2b")
PARTS_STANDARD = "c++20"
WARNINGS = ("-Wall", "-Wextra", "-pedantic", "-Werror", "-fsyntax-only")
# Headers that a C header may include, besides those of tenon/.
SYSTEM_HEADERS = {"stdint.h", "stddef.h"}


def compilers() -> list:
    """Returns pairs of installed C and C++ compilers: gcc and the newest clang."""
    pairs = [("gcc", "g++")] if shutil.which("gcc") and shutil.which("g++") else []
    for suffix in ("", *[f"-{number}" for number in range(30, 10, -1)]):
        if shutil.which(f"clang{suffix}") and shutil.which(f"clang++{suffix}"):
            pairs.append((f"clang{suffix}", f"clang++{suffix}"))
            break
    return pairs


def _accepts(compiler: str, language: str, standard: str) -> bool:
    done = subprocess.run(
        [compiler, "-x", language, f"-std={standard}", "-fsyntax-only", "-"],
        input="",
        text=True,
        capture_output=True,
    )
    return done.returncode == 0


def jobs_for(pairs: list, include: pathlib.Path) -> tuple:
    """Returns all (compiler, language, standard, header) to compile, and the skipped standards."""
    jobs, refused = [], []
    plain = [f"tenon/{path.name}" for path in cheader.headers(include)]
    wide = [str(path.relative_to(include)) for path in sorted(include.rglob("*.hpp"))]
    for cc, cxx in pairs:
        for compiler, language, standards in ((cc, "c", C_STANDARDS), (cxx, "c++", CXX_STANDARDS)):
            for standard in standards:
                if not _accepts(compiler, language, standard):
                    refused.append(f"{compiler} -std={standard}")
                    continue
                names = list(plain)
                if standard == PARTS_STANDARD:
                    names += wide
                elif standard in HPP_STANDARDS:
                    names += [name for name in wide if "/hpp/" not in name]
                jobs += [(compiler, language, standard, name) for name in names]
    return jobs, refused


def compile_alone(job: tuple, includes: list, folder: pathlib.Path) -> str:
    """Compiles a file that includes one header twice; returns the compiler's complaint or ''."""
    compiler, language, standard, header = job
    source = folder / (re.sub(r"\W", "_", "-".join(job)) + (".c" if language == "c" else ".cpp"))
    # The second include tests the include guard. The typedef keeps the unit from being empty, which
    # C forbids.
    source.write_text(f'#include "{header}"\n#include "{header}"\ntypedef int tenon_not_empty;\n')
    strict = ["-Wstrict-prototypes"] if language == "c" else []
    done = subprocess.run(
        [compiler, f"-std={standard}", *WARNINGS, *strict, *includes, str(source)],
        capture_output=True,
        text=True,
    )
    return done.stderr if done.returncode else ""


def unguarded(include: pathlib.Path, folder: pathlib.Path) -> list:
    """Lists the C++ headers that fail under C++17 with other errors than that they need C++20."""
    found = []
    for path in sorted((include / "tenon").glob("hpp/*.hpp")):
        source = folder / f"{path.stem}_17.cpp"
        source.write_text(f'#include "tenon/hpp/{path.name}"\n')
        done = subprocess.run(
            ["g++", "-std=c++17", "-fsyntax-only", f"-I{include}", str(source)],
            capture_output=True,
            text=True,
        )
        errors = re.findall(r"error: (.*)", done.stderr)
        if not errors or any("needs C++20" not in one for one in errors):
            said = errors[0] if errors else "no error"
            found.append(f"{path.name}: must refuse C++17 with its own sentence alone, got {said}")
    return found


def foreign_includes(include: pathlib.Path) -> list:
    """Lists the includes of C headers other than stdint.h, stddef.h and tenon/."""
    found = []
    for path in cheader.headers(include):
        for number, line in enumerate(path.read_text().splitlines(), 1):
            match = re.match(r'\s*#\s*include\s*[<"]([^>"]+)[>"]', line)
            if (
                match
                and match.group(1) not in SYSTEM_HEADERS
                and not match.group(1).startswith("tenon/")
            ):
                found.append(f"{path.name}:{number}: includes {match.group(1)}")
    return found


def main(arguments: list | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--include", type=pathlib.Path, default=cheader.INCLUDE)
    parser.add_argument("--generated", type=pathlib.Path, help="folder with tenon/ops/aten.hpp")
    parser.add_argument("--standard", action="append", help="only these standards")
    args = parser.parse_args(arguments)
    pairs = compilers()
    if not pairs:
        print("headers: a C and a C++ compiler must be installed, got none")
        return 1
    jobs, refused = jobs_for(pairs, args.include)
    if args.standard:
        jobs = [job for job in jobs if job[2] in args.standard]
    failures = foreign_includes(args.include)
    includes = [f"-I{one}" for one in (args.include, args.generated) if one is not None]
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        failures += unguarded(args.include, folder)
        with concurrent.futures.ThreadPoolExecutor(os.cpu_count() or 2) as pool:
            for job, complaint in zip(
                jobs, pool.map(lambda job: compile_alone(job, includes, folder), jobs)
            ):
                if complaint:
                    failures.append(f"{job[3]} with {job[0]} -std={job[2]}:\n{complaint}")
    for failure in failures:
        print(f"headers: {failure}")
    names = ", ".join(f"{cc}/{cxx}" for cc, cxx in pairs)
    standards = sorted({job[2] for job in jobs})
    print(
        f"headers: {len(jobs)} compilations of {len({job[3] for job in jobs})} headers with "
        f"{names} as {' '.join(standards)}: {len(failures)} failed"
        + (f"; not offered: {', '.join(refused)}" if refused else "")
    )
    return 1 if failures or not jobs else 0


if __name__ == "__main__":
    sys.exit(main())
