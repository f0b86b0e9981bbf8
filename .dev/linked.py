# SPDX-License-Identifier: Apache-2.0
"""Finds third-party code in shipped libraries, from the linker's maps."""

from __future__ import annotations

import pathlib
import re

# File that a linker may take code from -> its project.
OWNERS = {
    "libstdc++.a": "libstdc++",
    "libgcc.a": "libgcc",
    "crtbeginS.o": "libgcc",
    "crtendS.o": "libgcc",
    "libc_nonshared.a": "glibc",
    "crti.o": "glibc",
    "crtn.o": "glibc",
}
OURS = re.compile(r"libtenon\w*\.a")
MEMBER = re.compile(r"^(\S+?)\(\S+\)$", re.M)
OBJECT = re.compile(r"^LOAD (/\S+\.o)$", re.M)
# The map of a target -> the library beside it.
PATTERNS = {
    "tenon": "libtenon.so.*.*.*",
    "tenon_cpu": "libtenon_cpu.so",
    "tenon_java": "libtenon_java.so",
    "tenon_python": "_tenon.*.so",
}


def others(linker_map: str) -> set[str]:
    """Returns the third-party projects whose files a linker's map lists as linked."""
    inside, _, rest = linker_map.partition("\nLOAD ")
    files = {path.rpartition("/")[2] for path in MEMBER.findall(inside)}
    files |= {
        path.rpartition("/")[2]
        for path in OBJECT.findall(f"LOAD {rest}")
        if "/CMakeFiles/" not in path
    }
    files = {name for name in files if not OURS.fullmatch(name)}
    unknown = sorted(files - OWNERS.keys())
    if unknown:
        raise ValueError(f"linked: OWNERS must say whose {', '.join(unknown)} is")
    return {OWNERS[name] for name in files}


def libraries(folders: list[pathlib.Path]) -> dict[pathlib.Path, set[str]]:
    """Maps each library that has a linker map in one of the folders to its third-party parts."""
    found = {}
    for folder in folders:
        for target, pattern in PATTERNS.items():
            linker_map = folder / f"{target}.map"
            for library in sorted(folder.glob(pattern)) if linker_map.exists() else ():
                found[library] = others(linker_map.read_text())
    return found
