# SPDX-License-Identifier: Apache-2.0
"""The ABI gate: describes the C ABI from its headers and compares with capi/abi/tenon.abi.json.

The description holds functions with signatures and since, sizes and offsets of open structs as a
compiler lays them out, values of constants, and typedefs. Any difference to the committed one fails
until `abi.py --update` writes it, with a verdict: added, changed, removed.
"""

from __future__ import annotations

import argparse
import json
import pathlib
import re
import subprocess
import sys
import tempfile

import cheader

COMMITTED = cheader.ROOT / "capi" / "abi" / "tenon.abi.json"
# Macros that are code, or whose value depends on the compiler.
NOT_CONSTANT = re.compile(
    r"TENON_(API|CALL_API|EXPORT|BEGIN_DECLS|END_DECLS|SANITIZER_CURRENT|ABI_VERSION|"
    r"VERSION_\w+|DEPRECATED)$"
)
KINDS = ("functions", "structs", "constants", "typedefs")


class AbiError(Exception):
    """The headers do not compile or cannot be described."""


def _layout(parsed: list, include: pathlib.Path, compiler: str) -> tuple:
    """Returns struct layouts and constant values, which a small program of this compiler prints."""
    structs = [struct for header in parsed for struct in header.structs]
    constants = [
        (name, text)
        for header in parsed
        for name, text in header.constants
        if not NOT_CONSTANT.match(name)
    ]
    lines = ["#include <stddef.h>", "#include <stdio.h>"]
    lines += [f'#include "tenon/{header.name}"' for header in parsed]
    lines.append("int main(void) {")
    for struct in structs:
        lines.append(f'printf("S {struct.name} %zu\\n", sizeof({struct.name}));')
        for field in struct.fields:
            lines.append(
                f'printf("F {struct.name} {field} %zu %zu\\n", '
                f"offsetof({struct.name}, {field}), "
                f"sizeof((({struct.name}*)0)->{field}));"
            )
    for name, text in constants:
        if text.startswith('"'):
            lines.append(f'printf("T {name} %s\\n", {name});')
        else:
            lines.append(f'printf("C {name} %lld\\n", (long long)({name}));')
    lines += ["return 0;", "}"]
    with tempfile.TemporaryDirectory() as folder:
        source = pathlib.Path(folder) / "layout.c"
        program = pathlib.Path(folder) / "layout"
        source.write_text("\n".join(lines) + "\n")
        built = subprocess.run(
            [compiler, "-std=c11", f"-I{include}", str(source), "-o", str(program)],
            capture_output=True,
            text=True,
        )
        if built.returncode != 0:
            raise AbiError(f"the headers must compile, got:\n{built.stderr}")
        output = subprocess.run([str(program)], capture_output=True, text=True, check=True).stdout
    layouts = {struct.name: {"kind": struct.kind, "size": 0, "fields": {}} for struct in structs}
    values = {}
    for line in output.splitlines():
        kind, name, rest = line.split(" ", 2)
        if kind == "S":
            layouts[name]["size"] = int(rest)
        elif kind == "F":
            field, offset, size = rest.split()
            layouts[name]["fields"][field] = f"offset {offset} size {size}"
        else:
            values[name] = rest if kind == "T" else int(rest)
    return layouts, values


def describe(include: pathlib.Path = cheader.INCLUDE, compiler: str = "cc") -> dict:
    parsed = cheader.parse_all(include)
    layouts, values = _layout(parsed, include, compiler)
    functions = {}
    for header in parsed:
        for function in header.functions:
            if function.name in functions:
                raise AbiError(
                    f"{function.name} must be declared once, got a second in {header.name}"
                )
            functions[function.name] = {"signature": function.signature, "since": function.since}
    major = next(
        (
            int(text)
            for header in parsed
            for name, text in header.constants
            if name == "TENON_ABI_MAJOR"
        ),
        0,
    )
    return {
        "abi_major": major,
        "functions": dict(sorted(functions.items())),
        "structs": dict(sorted(layouts.items())),
        "constants": dict(sorted(values.items())),
        "typedefs": dict(
            sorted((name, text) for header in parsed for name, text in header.typedefs)
        ),
    }


def compare(old: dict, new: dict) -> dict:
    """Returns the differences as {"added": [...], "changed": [...], "removed": [...]} of lines."""
    verdict = {"added": [], "changed": [], "removed": []}
    for kind in KINDS:
        before, after = old.get(kind, {}), new.get(kind, {})
        for name in sorted({*before, *after}):
            label = f"{kind[:-1]} {name}"
            if name not in before:
                verdict["added"].append(label)
            elif name not in after:
                verdict["removed"].append(label)
            elif before[name] != after[name]:
                if kind == "structs":
                    _compare_struct(name, before[name], after[name], verdict)
                elif name.endswith("_COUNT") and int(before[name]) < int(after[name]):
                    # The number of constants of a kind grows as constants are appended.
                    verdict["added"].append(f"{label}: {before[name]} -> {after[name]}")
                else:
                    verdict["changed"].append(
                        f"{label}: {_show(before[name])} -> {_show(after[name])}"
                    )
    return verdict


def _compare_struct(name: str, before: dict, after: dict, verdict: dict) -> None:
    """Adds the differences between two layouts of a struct, one line per field."""
    fields, given = before["fields"], after["fields"]
    for field in dict.fromkeys((*fields, *given)):
        label = f"field {name}.{field}"
        if field not in fields:
            verdict["added"].append(f"{label}: {given[field]}")
        elif field not in given:
            heir = _heir(field, fields, given)
            verdict["added" if heir else "removed"].append(
                f"{label}: {fields[field]}" + (f" -> {heir}" if heir else "")
            )
        elif fields[field] != given[field]:
            taken = field == "reserved" and _gave_way(fields[field], given[field])
            verdict["added" if taken else "changed"].append(
                f"{label}: {fields[field]} -> {given[field]}"
            )
    if (before["kind"], before["size"]) != (after["kind"], after["size"]):
        # A struct that begins with its size may grow, because an older caller passes a smaller
        # size.
        grows = next(iter(fields), "") == "struct_size" and after["size"] > before["size"]
        verdict["added" if grows else "changed"].append(
            f"struct {name}: {before['kind']} of {before['size']} bytes -> "
            f"{after['kind']} of {after['size']} bytes"
        )


def _heir(field: str, fields: dict, given: dict) -> str:
    """Returns the new field that replaced a reserved word entirely; "" for a removed field."""
    new = (name for name in given if name not in fields and given[name] == fields[field])
    return next(new, "") if field.startswith("reserved") else ""


def _gave_way(before: str, after: str) -> bool:
    """Returns true if reserved words start later but end at the same offset, because new fields use
    the first ones.
    """
    begin, size = (int(word) for word in before.split()[1::2])
    later, less = (int(word) for word in after.split()[1::2])
    return later > begin and later + less == begin + size


def _show(item) -> str:
    return item if isinstance(item, str) else json.dumps(item)


def breaks(old: dict, verdict: dict, new: dict) -> bool:
    """Returns true if callers of the old ABI break without a new major version; 0 may break."""
    changed = bool(verdict["changed"] or verdict["removed"])
    return changed and old["abi_major"] > 0 and new["abi_major"] == old["abi_major"]


def main(arguments: list | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--update", action="store_true", help="write the committed description")
    parser.add_argument("--include", type=pathlib.Path, default=cheader.INCLUDE)
    parser.add_argument("--committed", type=pathlib.Path, default=COMMITTED)
    parser.add_argument("--compiler", default="cc")
    args = parser.parse_args(arguments)
    try:
        new = describe(args.include, args.compiler)
    except AbiError as error:
        print(f"abi: {error}")
        return 1
    missing = [name for name, entry in new["functions"].items() if not entry["since"]]
    for name in missing:
        print(f"abi: {name} must have a Since line, got none")
    old = json.loads(args.committed.read_text()) if args.committed.exists() else {"abi_major": 0}
    verdict = compare(old, new)
    for word, lines in verdict.items():
        for line in lines:
            print(f"abi: {word}: {line}")
    if breaks(old, verdict, new):
        print(
            f"abi: a change that breaks callers must raise TENON_ABI_MAJOR from {old['abi_major']}"
        )
        return 1
    if args.update:
        args.committed.parent.mkdir(parents=True, exist_ok=True)
        args.committed.write_text(json.dumps(new, indent=1) + "\n")
    counts = ", ".join(f"{len(lines)} {word}" for word, lines in verdict.items())
    print(
        f"abi: {len(new['functions'])} functions, {len(new['structs'])} structs, "
        f"{len(new['constants'])} constants: {counts}"
    )
    differs = any(verdict.values()) and not args.update
    if differs:
        print(
            "abi: the committed description differs; if this is meant, run "
            "python3 tests/tools/abi.py --update and add a CHANGELOG.md line"
        )
    return 1 if differs or missing else 0


if __name__ == "__main__":
    sys.exit(main())
