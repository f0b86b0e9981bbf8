# SPDX-License-Identifier: Apache-2.0
"""Checks that C and C++ programs and plugins built against an old release run on the new one.

    abi_rehearsal.py OLD NEW

OLD and NEW are archives of `./dev dist`, or folders that contain one. Each project in
tests/installed is built against both; every program then runs on NEW's libraries with every plugin,
and must print the same as with everything from its own release.
"""

from __future__ import annotations

import os
import pathlib
import subprocess
import sys
import tempfile

PROJECTS = pathlib.Path(__file__).resolve().parents[1] / "installed"
# Project -> the plugin that it builds, and the project whose plugin its program needs.
PLUGINS = {"c": ("libfrom_c.so", "cpp"), "cpp": ("libfrom_cpp.so", "c")}


def run(*command, env: dict | None = None) -> subprocess.CompletedProcess:
    words = [str(word) for word in command]
    environment = {**os.environ, **(env or {})}
    return subprocess.run(words, capture_output=True, text=True, env=environment)


def must(*command) -> None:
    done = run(*command)
    if done.returncode:
        sys.exit(f"abi_rehearsal: {' '.join(map(str, command))}\n{done.stdout}{done.stderr}")


def unpacked(where: pathlib.Path, folder: pathlib.Path) -> pathlib.Path:
    """Returns the install prefix in an archive."""
    archives = [where] if where.is_file() else sorted(where.glob("tenon-*-linux-*.tar.gz"))
    if len(archives) != 1:
        sys.exit(f"abi_rehearsal: {where} must be or hold one archive, got {len(archives)}")
    folder.mkdir()
    must("tar", "-xf", archives[0], "-C", folder)
    (top,) = folder.iterdir()
    return top


def built(prefix: pathlib.Path, folder: pathlib.Path) -> dict:
    """Builds each project against an installed release; returns the build folder by project."""
    found = {}
    for project in PLUGINS:
        found[project] = folder / project
        settings = f"-DCMAKE_PREFIX_PATH={prefix}"
        must("cmake", "-S", PROJECTS / project, "-B", found[project], settings)
        must("cmake", "--build", found[project])
    return found


def libraries(prefix: pathlib.Path) -> pathlib.Path:
    return next(prefix.rglob("libtenon.so.*")).parent


def main() -> int:
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    with tempfile.TemporaryDirectory() as name:
        work = pathlib.Path(name)
        prefixes, projects = {}, {}
        for age, argument in zip(("old", "new"), sys.argv[1:], strict=True):
            prefixes[age] = unpacked(pathlib.Path(argument), work / age)
            projects[age] = built(prefixes[age], work / f"{age}-built")
        return rehearsed(prefixes, projects)


def rehearsed(prefixes: dict, projects: dict) -> int:
    failed = total = 0
    for client in ("old", "new"):
        for project, (_, other) in PLUGINS.items():
            program = projects[client][project] / "consumer"
            file = PLUGINS[other][0]
            # LD_LIBRARY_PATH comes before the folder that the program was built with.
            own = run(
                program,
                projects[client][other] / file,
                env={"LD_LIBRARY_PATH": str(libraries(prefixes[client]))},
            )
            for plugin in ("old", "new"):
                done = run(
                    program,
                    projects[plugin][other] / file,
                    env={"LD_LIBRARY_PATH": str(libraries(prefixes["new"]))},
                )
                good = own.returncode == done.returncode == 0 and done.stdout == own.stdout
                total += 1
                failed += not good
                verdict = "ok" if good else f"FAILED\n{done.stdout}{done.stderr}"
                print(f"{client} program in {project}, {plugin} plugin in {other}: {verdict}")
    print(f"abi_rehearsal: {total - failed} of {total} pairs run on the new libraries")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
