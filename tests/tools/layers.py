# SPDX-License-Identifier: Apache-2.0
"""Checks includes: the dependencies among core's layers, and that others use public headers.

With --objects it also checks object files: no layer of core may need a symbol that only a layer
above it defines, which includes would not show.
"""

from __future__ import annotations

import argparse
import dataclasses
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
SOURCES = {".h", ".hpp", ".c", ".cpp", ".cc", ".cu", ".cuh", ".i", ".inc"}
INCLUDE = re.compile(r'^\s*(?:#|%)\s*include\s*([<"])([^>"]+)[>"]')

# base ← {tensor, schema} ← value ← dispatch ← the layers, which never include each other (but fake
# may include symbol, gradcheck autograd, and opcheck all that it checks). core/init.cpp connects
# them all.
LAYERS = (
    "autograd",
    "transform",
    "autocast",
    "graph",
    "symbol",
    "fake",
    "override",
    "plugin",
    "introspect",
    "gradcheck",
    "opcheck",
)
BELOW = {
    "base": set(),
    "tensor": {"base"},
    "schema": {"base"},
    "value": {"base", "tensor", "schema"},
    "dispatch": {"base", "tensor", "schema", "value"},
}
BELOW.update({layer: {*BELOW["dispatch"], "dispatch"} for layer in LAYERS})
BELOW["fake"].add("symbol")
BELOW["gradcheck"].add("autograd")
BELOW["opcheck"].update(LAYERS)
CONNECTOR = "init.cpp"
BELOW[CONNECTOR] = set(BELOW)
BELOW["capi"] = set(BELOW)  # only for symbols; capi's includes are checked separately

# Folders that may include public headers only, and the siblings that each part of kernels/ may
# include.
OUTSIDERS = (
    "kernels",
    "bindings",
    "examples",
    "tests/abi",
    "tests/capi",
    "tests/hpp",
    "tests/kernels",
    "tests/plugins",
    "tests/matrix",
    "tests/bench",
)
KERNEL_PARTS = {
    "common": {"common"},
    "ops": {"common", "ops"},
    "cpu": {"common", "ops", "cpu"},
    "cuda": {"common", "ops", "cuda"},
}
# Targets that CMake files outside must not name, because linking bypasses the check of includes.
PRIVATE_TARGETS = re.compile(r"\b(tenon_core|tenon_capi_objects)\b|capi/src|\$\{\w*\}/core\b")


@dataclasses.dataclass(frozen=True)
class Violation:
    path: str
    line: int
    what: str

    def __str__(self) -> str:
        return f"{self.path}:{self.line}: {self.what}"


def _includes(path: pathlib.Path):
    for number, line in enumerate(path.read_text(errors="replace").splitlines(), 1):
        match = INCLUDE.match(line)
        if match:
            yield number, match.group(2)


def _files(folder: pathlib.Path, suffixes=SOURCES):
    skipped = {"target", "build", "__pycache__"}
    for path in sorted(folder.rglob("*")):
        if path.suffix in suffixes and path.is_file() and not skipped & set(path.parts):
            yield path


def check_core(root: pathlib.Path) -> list:
    """Checks that files of core/ include only their folder, folders below and public C headers."""
    found = []
    core = root / "core"
    for path in _files(core):
        layer = path.relative_to(core).parts[0]
        name = str(path.relative_to(root))
        if layer not in BELOW:
            found.append(
                Violation(name, 1, f"core/{layer} must be a layer that docs/design.md#layers names")
            )
            continue
        for line, target in _includes(path):
            first = target.split("/")[0]
            if ".." in target.split("/"):
                found.append(Violation(name, line, f"must not leave its folder, got {target}"))
            elif first == "tenon":
                if target.endswith(".hpp"):
                    found.append(
                        Violation(
                            name,
                            line,
                            f"core must not include {target}: it is made of the C ABI above core",
                        )
                    )
            elif "/" in target and first in BELOW:
                if first != layer and first not in BELOW[layer]:
                    found.append(
                        Violation(name, line, f"{layer} must not include {first}: {target}")
                    )
            elif (root / "capi" / "src" / target).exists() or first in ("capi", "kernels"):
                found.append(Violation(name, line, f"core must not include {target}"))
    return found


def check_capi(root: pathlib.Path) -> list:
    """Checks that capi/src includes core and the public C headers, never kernels or bindings."""
    found = []
    for path in _files(root / "capi"):
        for line, target in _includes(path):
            public = path.is_relative_to(root / "capi" / "include")
            inside = target.split("/")[0] in BELOW or (root / "capi" / "src" / target).exists()
            name = str(path.relative_to(root))
            if public and inside and not target.startswith("tenon/"):
                found.append(Violation(name, line, f"a public header must not include {target}"))
            if target.split("/")[0] in ("kernels", "bindings") or (
                not public and target.endswith("tenon.hpp")
            ):
                found.append(Violation(name, line, f"capi must not include {target}"))
    return found


def check_outsiders(root: pathlib.Path) -> list:
    """Checks that kernels, bindings and examples include only tenon/ and their own files."""
    found = []
    for folder in OUTSIDERS:
        base = root / folder
        if not base.exists():
            continue
        for path in _files(base):
            name = str(path.relative_to(root))
            for line, target in _includes(path):
                what = _outsider_problem(root, base, path, target)
                if what:
                    found.append(Violation(name, line, what))
        for path in sorted(base.rglob("CMakeLists.txt")):
            for number, line in enumerate(path.read_text().splitlines(), 1):
                if PRIVATE_TARGETS.search(line.split("#")[0]):
                    found.append(
                        Violation(
                            str(path.relative_to(root)),
                            number,
                            f"must build on the tenon target only, got {line.strip()}",
                        )
                    )
    return found


def _outsider_problem(root, base, path, target) -> str:
    if target.startswith("tenon/"):
        # The build writes tenon/ops from the operators that kernels/ has.
        generated = target.startswith("tenon/ops/") and base.name != "kernels"
        known = generated or (root / "capi" / "include" / target).exists()
        return "" if known else f"must include public headers only, got {target}"
    if (path.parent / target).exists():
        resolved = (path.parent / target).resolve()
        inside = resolved.is_relative_to(base.resolve()) or resolved.is_relative_to(
            (root / "tests").resolve()
        )
        if not inside:
            return f"must not reach outside its folder, got {target}"
    elif (
        (root / "core" / target).exists()
        or (root / "capi" / "src" / target).exists()
        or target.startswith(("core/", "capi/"))
    ):
        if not (base / target).exists():
            return f"must include public headers only, got {target}"
    if base.name == "kernels":
        part = path.relative_to(base).parts[0]
        first = target.removeprefix("kernels/").split("/")[0]
        if (
            part in KERNEL_PARTS
            and first in KERNEL_PARTS
            and "/" in target
            and first not in KERNEL_PARTS[part]
        ):
            return f"kernels/{part} must not include kernels/{first}: {target}"
    return ""


def read_symbols(path: pathlib.Path) -> tuple:
    """Returns the names that an object file defines for others, and the names that it needs."""
    listing = subprocess.run(
        ["nm", "--format=posix", str(path)], check=True, capture_output=True, text=True
    ).stdout
    defined, needed = set(), set()
    for line in listing.splitlines():
        name, kind = line.split()[:2]
        if kind in "Uwv":
            needed.add(name)
        elif kind.isupper():
            defined.add(name)
    return defined, needed


def check_symbols(layers_of_objects: dict) -> list:
    """Checks that each needed symbol is in its own layer or below; {path: (layer, symbols)}."""
    definers = {}
    for layer, (defined, _) in layers_of_objects.values():
        for name in defined:
            definers.setdefault(name, set()).add(layer)
    found = []
    for path, (layer, (_, needed)) in sorted(layers_of_objects.items()):
        for name in sorted(needed):
            above = definers.get(name, set())
            if above and not above & {layer, *BELOW[layer]}:
                owners = ", ".join(sorted(above))
                found.append(Violation(path, 1, f"{layer} must not need {name}, of {owners}"))
    return found


def objects_of(build: pathlib.Path) -> dict:
    """Returns the object files of core and capi in a build folder."""
    found = {}
    for target in ("tenon_core.dir", "tenon_core_compact.dir"):
        folder = build / "core" / "CMakeFiles" / target
        for path in sorted(folder.rglob("*.o")):
            found[str(path.relative_to(build))] = (layer_of(path, folder), read_symbols(path))
    for path in sorted((build / "capi").rglob("*.o")):
        found[str(path.relative_to(build))] = ("capi", read_symbols(path))
    return found


def layer_of(path: pathlib.Path, folder: pathlib.Path) -> str:
    """Returns the folder of core that an object is from, also if it has several sources."""
    group = re.fullmatch(r"unity_(\w+)_cxx\.cxx\.o", path.name)
    return group[1] if group else path.relative_to(folder).parts[0].removesuffix(".o")


def check(root: pathlib.Path) -> list:
    return check_core(root) + check_capi(root) + check_outsiders(root)


def main(arguments: list | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--root", type=pathlib.Path, default=ROOT)
    parser.add_argument("--objects", type=pathlib.Path, help="a build folder to look into")
    options = parser.parse_args(arguments)
    root = options.root
    if options.objects:
        objects = objects_of(options.objects)
        violations = check_symbols(objects)
        for violation in violations:
            print(f"layers: {violation}")
        print(f"layers: symbols of {len(objects)} objects: {len(violations)} violations")
        return 1 if violations or not objects else 0
    violations = check(root)
    for violation in violations:
        print(f"layers: {violation}")
    counts = {
        folder: sum(1 for _ in _files(root / folder))
        for folder in ("core", "capi", "kernels", "bindings", "examples")
        if (root / folder).exists()
    }
    print(
        "layers: "
        + ", ".join(f"{name} {count} files" for name, count in counts.items())
        + f": {len(violations)} violations"
    )
    return 1 if violations or not counts.get("core") else 0


if __name__ == "__main__":
    sys.exit(main())
