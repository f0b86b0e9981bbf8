# SPDX-License-Identifier: Apache-2.0
"""Checks built libraries: names and versions, needed libraries, thread-locals, statics, size."""

from __future__ import annotations

import argparse
import dataclasses
import pathlib
import re
import subprocess
import sys
import tempfile

import cheader

NEEDED = re.compile(r"^(libc|libm|libstdc\+\+|libgcc_s|ld-linux[\w-]*)\.so\.\d+$")
# Older versions of glibc have threads and the loader in separate libraries.
NEEDED_SHIPPED = re.compile(r"^(libc|libm|libpthread|libdl|libgcc_s|ld-linux[\w-]*)\.so\.\d+$")
NEWEST_GLIBC = (2, 28)  # newest version that a shipped library may require
OURS = re.compile(r"^libtenon\.so\.\d+$")
VENDOR = re.compile(r"^(libcudart|libcublas|libcublasLt|libdnnl|libopenblas|libgomp)\.so\.\d+$")


@dataclasses.dataclass(frozen=True)
class Limits:
    """Limits on libtenon's dependencies and size."""

    needed: re.Pattern = NEEDED
    thread_local_bytes: int = 8
    stripped: int = 1_500_000  # docs/design.md#layers


# The statically linked C++ library needs more: docs/platforms.md.
SHIPPED = Limits(NEEDED_SHIPPED, Limits.thread_local_bytes + 16, Limits.stripped + 270_000)


def _run(*command: str) -> str:
    return subprocess.run(
        [str(part) for part in command], capture_output=True, text=True, check=True
    ).stdout


def exported(library: pathlib.Path) -> dict:
    """Returns the defined dynamic symbols as {name: (type letter, version)}."""
    symbols = {}
    for line in _run("nm", "-D", "--defined-only", "--with-symbol-versions", library).splitlines():
        parts = line.split()
        letter, name = parts[-2], parts[-1]
        base, _, version = name.partition("@")
        symbols[base] = (letter, version.lstrip("@"))
    return symbols


def needed(library: pathlib.Path) -> list:
    return re.findall(r"\(NEEDED\).*\[(.+)\]", _run("readelf", "-d", library))


def soname(library: pathlib.Path) -> str:
    found = re.search(r"\(SONAME\).*\[(.+)\]", _run("readelf", "-d", library))
    return found.group(1) if found else ""


def thread_local_bytes(library: pathlib.Path) -> int:
    found = re.search(
        r"^\s+TLS\s+\S+ \S+ \S+ \S+ (0x[0-9a-f]+)", _run("readelf", "-lW", library), re.M
    )
    return int(found.group(1), 16) if found else 0


def foreign_thread_locals(library: pathlib.Path) -> list:
    """Lists thread-locals of other libraries that a library accesses by a fixed offset.

    Such a library must fit into the process's static TLS block. Whether it does depends on the
    packages that are loaded first: after `import torch`, libstdc++ no longer fits.
    """
    relocations = _run("readelf", "-rW", library)
    return re.findall(r"R_\S*TPOFF\S*\s+\S+\s+(\w+)@", relocations)


def waits_for_a_static(library: pathlib.Path) -> list:
    """Complains if a function's static variable is initialized at its first use, under a lock.

    If a process forks while another thread initializes the variable, the child would wait for that
    thread forever. base::singleton() and LazyOp are safe in a forked child.
    """
    if "__cxa_guard_acquire" not in _run("nm", "-D", "--undefined-only", library):
        return []
    names = re.findall(r"guard variable for (.+)", _run("nm", "-C", library))
    which = ", ".join(names) or "some (the library is stripped)"
    return [f"must have no static variable that is made at its first use, got {which}"]


def stripped_size(library: pathlib.Path) -> int:
    with tempfile.TemporaryDirectory() as folder:
        copy = pathlib.Path(folder) / "stripped.so"
        _run("strip", "-o", copy, library)
        return copy.stat().st_size


def check_shipped(library: pathlib.Path) -> list:
    """Complains about a library that must run on older systems, whatever C++ library they have."""
    asked = re.findall(r"\bGLIBC_(\d+)\.(\d+)", _run("readelf", "-VW", library))
    newest = max((tuple(map(int, version)) for version in asked), default=NEWEST_GLIBC)
    found = [f"must not need {name}" for name in needed(library) if name.startswith("libstdc++.")]
    if newest > NEWEST_GLIBC:
        most, got = (".".join(map(str, version)) for version in (NEWEST_GLIBC, newest))
        found.append(f"must ask for glibc {most} at most, got {got}")
    return found


def check_library(
    library: pathlib.Path, include: pathlib.Path = cheader.INCLUDE, limits: Limits = Limits()
) -> list:
    """Returns complaints about libtenon.so; [] if it meets all requirements."""
    parsed = cheader.parse_all(include)
    declared = {function.name for header in parsed for function in header.functions}
    major = next(
        text for header in parsed for name, text in header.constants if name == "TENON_ABI_MAJOR"
    )
    tag = f"TENON_{major}"
    found = []
    symbols = exported(library)
    for name, (letter, version) in sorted(symbols.items()):
        if letter == "A" and name == tag:
            continue
        if not name.startswith("tenon_"):
            found.append(f"must export tenon_* only, got {name}")
        elif version != tag:
            found.append(f"{name} must have version {tag}, got {version or 'none'}")
        elif letter == "u":
            found.append(f"{name} must not be a unique symbol")
        elif name not in declared:
            found.append(f"{name} is exported, but no public header declares it")
    found += [f"{name} is declared, but not exported" for name in sorted(declared - set(symbols))]
    found += [
        f"must need no library but the system's, got {name}"
        for name in needed(library)
        if not limits.needed.match(name)
    ]
    if soname(library) != f"libtenon.so.{major}":
        found.append(f"soname must be libtenon.so.{major}, got {soname(library) or 'none'}")
    local = thread_local_bytes(library)
    if local > limits.thread_local_bytes:
        most = limits.thread_local_bytes
        found.append(f"thread-locals must take {most} bytes at most, got {local}")
    found += [
        f"must use no thread-local of another library at a fixed offset, got {name}"
        for name in foreign_thread_locals(library)
    ]
    found += waits_for_a_static(library)
    size = stripped_size(library)
    if size > limits.stripped:
        found.append(f"stripped size must be {limits.stripped} bytes at most, got {size}")
    return found


def check_plugin(library: pathlib.Path) -> list:
    """Complains about a plugin with more exports than its query function, or a foreign runtime."""
    names = set(exported(library))
    found = [
        f"must export tenon_plugin_query only, got {name}"
        for name in sorted(names - {"tenon_plugin_query"})
    ]
    if "tenon_plugin_query" not in names:
        found.append("must export tenon_plugin_query, got none")
    found += [
        f"must not need {name}"
        for name in needed(library)
        if not any(pattern.match(name) for pattern in (NEEDED, NEEDED_SHIPPED, VENDOR, OURS))
    ]
    return found + waits_for_a_static(library)


def main(arguments: list | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=pathlib.Path, help="folder with libtenon.so and plugins")
    parser.add_argument(
        "--shipped", action="store_true", help="they ship: for older systems, by `./dev dist`"
    )
    options = parser.parse_args(arguments)
    folder = options.folder
    library = folder / "libtenon.so"
    if not library.exists():
        print(f"exports: {library} must be built, got none")
        return 1
    limits = SHIPPED if options.shipped else Limits()
    complaints = [f"libtenon.so: {text}" for text in check_library(library, limits=limits)]
    # A Java VM loads the JNI library, which exports the functions that the VM looks up.
    java = folder / "libtenon_java.so"
    plugins = sorted(set(folder.glob("libtenon_*.so")) - {java})
    if java.exists():
        complaints += [f"{java.name}: {text}" for text in waits_for_a_static(java)]
    for plugin in plugins:
        complaints += [f"{plugin.name}: {text}" for text in check_plugin(plugin)]
    for each in sorted(folder.glob("*.so")) if options.shipped else ():
        complaints += [f"{each.name}: {text}" for text in check_shipped(each)]
    for text in complaints:
        print(f"exports: {text}")
    print(
        f"exports: libtenon.so has {len(exported(library)) - 1} symbols, "
        f"{stripped_size(library)} bytes stripped, needs {' '.join(needed(library))}; "
        f"{len(plugins)} plugins; {len(complaints)} complaints"
    )
    return 1 if complaints else 0


if __name__ == "__main__":
    sys.exit(main())
