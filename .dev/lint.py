# SPDX-License-Identifier: Apache-2.0
"""The checks of ./dev lint: formatters, linters and the scripts of tests/tools."""

from __future__ import annotations

import dataclasses
import json
import os
import pathlib
import subprocess
import time

import environment
import machine
import native
import ui

TOOLS = ui.ROOT / "tests" / "tools"
CXX = (".h", ".hpp", ".c", ".cpp", ".cu", ".cuh")
RUST = ui.ROOT / "bindings" / "rust" / "Cargo.toml"


@dataclasses.dataclass(frozen=True)
class Check:
    what: str
    function: object
    needs: tuple = ()


def _tracked(*suffixes: str) -> list:
    """Sources that git tracks or would track, generated ones left out."""
    listed = subprocess.run(
        ["git", "-C", str(ui.ROOT), "ls-files", "-co", "--exclude-standard"],
        capture_output=True,
        text=True,
        check=True,
    ).stdout.splitlines()
    found = []
    for name in listed:
        path = ui.ROOT / name
        if not name.endswith(suffixes) or not path.is_file():
            continue
        with open(path, errors="replace") as file:
            if "generated" not in file.readline().lower():
                found.append(path)
    return found


def _script(name: str, *arguments) -> int:
    return _run(f"lint {name}", [environment.python(), "-B", TOOLS / f"{name}.py", *arguments])


def _run(what: str, command: list, env: dict | None = None) -> int:
    """Runs one checker; prints its whole output if it fails, otherwise only the last line."""
    log = what.replace(" ", "-")
    status = ui.run(what, command, env=env, log=log, check=False, quiet=True)
    ui.show_tail(ui.LOGS / f"{log}.log", 60 if status else 1)
    return status


def clang_format(fix: bool) -> int:
    files = _tracked(*CXX)
    mode = ["-i"] if fix else ["--dry-run", "-Werror"]
    # From PyPI, since each version formats differently and no system has them all.
    program = environment.python("base", "lint").parent / "clang-format"
    status = _run("lint clang-format", [program, "--style=file", *mode, *files])
    print(f"    {len(files)} C, C++ and CUDA files")
    return status


def ruff(fix: bool) -> int:
    interpreter = environment.python("base", "lint")
    files = [*_tracked(".py", ".pyi")]
    check = _run(
        "lint ruff-check",
        [interpreter, "-m", "ruff", "check", "--no-cache", *(["--fix"] if fix else []), *files],
    )
    style = _run(
        "lint ruff-format",
        [interpreter, "-m", "ruff", "format", "--no-cache", *([] if fix else ["--check"]), *files],
    )
    return check or style


def _cargo_manifests() -> list:
    """Workspaces and single crates: the binding, and plugins of examples and tests."""
    found = []
    for path in sorted(_tracked("Cargo.toml")):
        above = [up / "Cargo.toml" for up in path.parent.parents if up.is_relative_to(ui.ROOT)]
        if not any(item.exists() and "[workspace]" in item.read_text() for item in above):
            found.append(path)
    return found


def rustfmt(fix: bool) -> int:
    status = 0
    for manifest in _cargo_manifests():
        command = [machine.cargo(), "fmt", "--all", "--manifest-path", manifest]
        status |= _run("lint rustfmt", [*command, *([] if fix else ["--check"])])
    return status


def clippy(fix: bool) -> int:
    native.build_all("release")
    status = 0
    # Projects of users are built on dist/ alone: tests/installed.
    users = ui.ROOT / "tests" / "installed"
    for manifest in (path for path in _cargo_manifests() if not path.is_relative_to(users)):
        # Code that is unused under one set of features may be used under the other.
        for features in ([], ["--all-features"]):
            command = [machine.cargo(), "clippy", "--workspace", "--all-targets", "--locked"]
            command += [*features, "--manifest-path", manifest, "--", "-D", "warnings"]
            status |= _run("lint clippy", command, environment.runtime("release"))
    return status


def bindgen(fix: bool) -> int:
    env = {**environment.runtime("release"), "BINDGEN_ROOT": str(ui.BUILD / "bindgen")}
    script = RUST.parent / "regenerate.sh"
    # cargo may live outside PATH; the script calls it by name.
    env["PATH"] = f"{pathlib.Path(machine.cargo()).parent}{os.pathsep}{os.environ['PATH']}"
    return _run("lint bindgen", [script, *([] if fix else ["--check"])], env)


def exports(fix: bool) -> int:
    native.build_all("release")
    return _script("exports", environment.build_dir("release") / "lib")


def symbols(fix: bool) -> int:
    native.build_all("release")
    return _script("layers", "--objects", environment.build_dir("release"))


def abi(fix: bool) -> int:
    return _script("abi", *(["--update"] if fix else []))


def layouts(fix: bool) -> int:
    return _script("layouts", *([] if fix else ["--check"]))


def instructions(fix: bool) -> int:
    native.build("bench", targets=("instructions", "tenon_cpu"))
    script = ui.ROOT / "tests" / "bench" / "instructions.py"
    command = [environment.python(), "-B", script, "--write" if fix else "--check"]
    return _run("lint instructions", command, environment.runtime("release"))


def wrappers(fix: bool) -> int:
    native.build("release", targets=("tenon_wrappers",))
    operators = environment.build_dir("release") / "generated" / "operators.jsonl"
    script = [environment.python("base"), "-B", ui.ROOT / "bindings" / "wrappers" / "generate.py"]
    return _run("lint wrappers", [*script, operators, "--write" if fix else "--check"])


def with_wrappers(name: str):
    """A check that compiles headers, with the operators' headers that the build generates."""

    def check(fix: bool) -> int:
        native.build("release", targets=("tenon_wrappers",))
        return _script(name, "--generated", environment.build_dir("release") / "generated/include")

    return check


def behaviour(fix: bool) -> int:
    return _script("behaviour", *(["--update"] if fix else []))


def english(fix: bool) -> int:
    return _script("english", *(["--fix"] if fix else []))


def operators(fix: bool) -> int:
    return _script("operators", *(["--update"] if fix else []))


def types(fix: bool) -> int:
    """Runs mypy and Pyright over a user's program, with the types that the package ships."""
    interpreter = environment.python("base", "lint")
    program = ui.ROOT / "tests" / "installed" / "use_types.py"
    # The build's package has the generated types, too.
    native.build("release", targets=("tenon_wrappers",))
    package = environment.build_dir("release") / "bindings" / "python"
    command = [interpreter, "-m", "mypy", "--strict", "--follow-imports=silent"]
    command += ["--python-version=3.10", f"--cache-dir={ui.BUILD / 'mypy'}", program]
    status = _run("lint mypy", command, {"MYPYPATH": package})
    # Pyright resolves paths relative to its settings file.
    settings = ui.BUILD / "pyright.json"
    facts = {"include": [str(program)], "extraPaths": [str(package)], "pythonVersion": "3.10"}
    settings.write_text(json.dumps({**facts, "typeCheckingMode": "standard"}))
    return status | _run("lint pyright", [interpreter.parent / "basedpyright", "-p", settings])


# Names of code that codespell takes for misspelt words, in small letters.
NO_MISTAKES = "absout copyin fro kno kown nd nin overrideable statics te wih".split()
SPELLED = ("docs", "*.md", "capi", "core", "kernels", "bindings", "examples", "tests/installed")


def spelling(fix: bool) -> int:
    """Runs codespell over documents, headers, docstrings and comments."""
    listed = subprocess.check_output(["git", "-C", ui.ROOT, "ls-files", *SPELLED], text=True)
    suffixes = (".md", ".h", ".hpp", ".cpp", ".c", ".py", ".pyi", ".rs", ".java", ".i", ".txt")
    files = [ui.ROOT / name for name in listed.splitlines() if name.endswith(suffixes)]
    command = [environment.python("base", "lint").parent / "codespell"]
    command += [*(["-w"] if fix else []), "-L", ",".join(NO_MISTAKES), *files]
    status = _run("lint spelling", command)
    print(f"    {len(files)} files")
    return status


def plain(name: str):
    """Returns a check that is one script without options."""
    return lambda fix: _script(name)


def writing(name: str):
    """Returns a check that is one script, which corrects what it finds if run with --write."""
    return lambda fix: _script(name, *(["--write"] if fix else []))


CHECKS = {
    "format": Check("C, C++ and CUDA formatting (clang-format 14)", clang_format),
    "ruff": Check("Python linting and formatting", ruff),
    "types": Check("a typed user's program, by mypy --strict and Pyright", types),
    "rustfmt": Check("Rust formatting", rustfmt, ("rust", "rustfmt")),
    "layers": Check("who includes whom", plain("layers")),
    "core_names": Check("core names no operator", plain("core_names")),
    "symbols": Check("who needs whose symbols", symbols),
    "sizes": Check("length of files and lines, licence lines", plain("sizes")),
    "pairs": Check("headers, sources and tests come in pairs", plain("pairs")),
    "version": Check("one version number everywhere", plain("version")),
    "spelling": Check("words of docs and comments, by codespell", spelling),
    "quickstarts": Check("code that the README and docs quote", writing("quickstarts")),
    "commits": Check("messages of new commits", plain("commits")),
    "claims": Check("numbers in prose against their source", writing("claims")),
    "prose": Check("length of lines and pages in Markdown", writing("prose")),
    "references": Check("links, pages and files that docs and code name", plain("references")),
    "english": Check("idioms per 1,000 words, a ceiling for each folder", english),
    "glossary": Check("the words of docs/glossary.md against the code", plain("glossary")),
    "contracts": Check("the contract on each public function", plain("contracts")),
    "wrappers": Check("what ships for the operators of ATen in Rust and Python", wrappers),
    "abi": Check("the committed ABI description", abi, ("gcc",)),
    "layouts": Check("the layout asserts written from the ABI description", layouts),
    "operators": Check("docs/operators.md against the facts of the operators", operators),
    "errors": Check("the catalogue of messages in docs/errors.md", writing("errors")),
    "behaviour": Check("a verdict for each numbered behaviour, docs/behaviour.md", behaviour),
    "headers": Check(
        "each public header alone, every standard, gcc and clang",
        with_wrappers("headers"),
        ("gcc", "clang"),
    ),
    "usages": Check("a usage example in each public header", with_wrappers("usages"), ("gcc",)),
    "exports": Check("exported names, needed libraries, size", exports),
    "instructions": Check(
        "instructions a call against tests/bench/instructions.json; needs valgrind",
        instructions,
        ("benchmark",),
    ),
    "bindgen": Check("the committed bindgen output", bindgen, ("rust", "libclang")),
    "clippy": Check("Rust lints as errors", clippy, ("rust", "clippy")),
}


def run(names: tuple, fix: bool, only_list: bool) -> int:
    if only_list:
        for name, check in CHECKS.items():
            print(f"{name:10} {check.what}")
        return 0
    unknown = [name for name in names if name not in CHECKS]
    if unknown:
        raise ui.Failure(f"lint: CHECK must be one of {', '.join(CHECKS)}, got {unknown[0]}")
    names = names or tuple(CHECKS)
    machine.ensure(tuple(dict.fromkeys(need for name in names for need in CHECKS[name].needs)))
    rows = []
    for name in names:
        ui.say(f"lint {name}: {CHECKS[name].what}")
        begin = time.monotonic()
        status = CHECKS[name].function(fix)
        rows.append((name, f"{time.monotonic() - begin:.1f}", "ok" if status == 0 else "FAILED"))
    print()
    ui.table(rows, ["check", "seconds", "verdict"])
    failed = sum(row[2] != "ok" for row in rows)
    print(f"{len(rows) - failed} of {len(rows)} checks passed")
    return 1 if failed else 0
