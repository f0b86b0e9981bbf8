# SPDX-License-Identifier: Apache-2.0
"""`tenon wrap`: writes wrappers, compiles them with warnings as errors, and calls them."""

from __future__ import annotations

import os
import pathlib
import re
import shutil
import subprocess
import sys

import pytest
import tenon
from tenon.__main__ import main
from tenon.library import Library
from tenon.wrap import LANGUAGES, c, cpp, java, operator, pyi, registry, rust, wrap

SOURCES = pathlib.Path(__file__).resolve().parents[1] / "wrap"
ROOT = SOURCES.parents[1]
PLUGIN = pathlib.Path(os.environ["TENON_LIB_DIR"]) / "libwrapped.so"
FILES = {"c": "{}.h", "cpp": "{}.hpp", "rust": "{}.rs", "java": "{}.java", "pyi": "{}.pyi"}
WARNINGS = ("-Wall", "-Wextra", "-Wshadow", "-Wconversion", "-pedantic", "-Werror")


def run(*command, **options):
    """Runs a program that must succeed; returns its output."""
    path = [str(SOURCES), os.environ.get("PYTHONPATH", "")]
    env = {**os.environ, "PYTHONPATH": os.pathsep.join(path), **options.pop("env", {})}
    done = subprocess.run(
        [str(part) for part in command], capture_output=True, text=True, env=env, **options
    )
    assert done.returncode == 0, done.stdout[-4000:] + done.stderr[-8000:]
    return done.stdout


def tool(*names):
    """Returns the first of these programs that is installed."""
    for name in names:
        found = shutil.which(name)
        if found:
            return found
    pytest.skip(f"{names[0]} is not installed")


def file_name(language, namespace):
    """Returns the file name of a namespace's wrappers; Java's file is named after its class."""
    return FILES[language].format(namespace.capitalize() if language == "java" else namespace)


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """Wrappers of `aten` and `wrapped`, written by the command."""
    made = tmp_path_factory.mktemp("wrapped")
    for language in LANGUAGES:
        for namespace, loads in (("aten", []), ("wrapped", ["--load", PLUGIN])):
            out = made / file_name(language, namespace)
            command = [sys.executable, "-m", "tenon", "wrap", namespace, "--lang", language]
            run(*command, *loads, "-o", out)
    return made


def test_who_defines_a_namespace_does_not_matter(folder):
    for language in LANGUAGES:
        command = [sys.executable, "-m", "tenon", "wrap", "wrapped", "--lang", language]
        text = run(*command, "--import", "defined")
        assert text == (folder / file_name(language, "wrapped")).read_text()


def compiled(folder, compilers, standard, source):
    """Compiles one file of calls into a shared library."""
    library = folder / f"calls_{standard.replace('+', 'p')}_{pathlib.Path(compilers[0]).name}.so"
    command = [tool(*compilers), f"-std={standard}", *WARNINGS, "-fPIC", "-shared", "-O1"]
    paths = [f"-I{ROOT / 'capi/include'}", f"-I{folder}", f"-L{os.environ['TENON_LIB_DIR']}"]
    run(*command, *paths, SOURCES / source, "-o", library, "-ltenon")
    return library


@pytest.mark.parametrize(
    ("compilers", "standard", "source"),
    [
        (("gcc",), "c99", "calls.c"),
        (("g++",), "c++20", "calls.cpp"),
        (("clang", "clang-14"), "c11", "calls.c"),
        (("clang++", "clang++-14"), "c++20", "calls.cpp"),
    ],
)
def test_calls_of_c_and_cpp(folder, compilers, standard, source):
    library = compiled(folder, compilers, standard, source)
    assert run(sys.executable, SOURCES / "host.py", library) == "0 answers were others\n"
    assert run(sys.executable, SOURCES / "host.py", library, PLUGIN) == "0 answers were others\n"


CARGO = """\
[package]
name = "wrapped_calls"
version = "0.1.0"
edition = "2021"

[lib]
crate-type = ["cdylib"]

[dependencies]
tenon = {{ path = "{}" }}

[workspace]
"""


def typed_forms(*files):
    """Writes a Rust module that takes the typed form of each operator that wrappers call typed."""
    lines = [
        "//! Typed forms.",
        "use tenon::*;",
        "/// Finds all.",
        "pub fn check() -> Result<()> {",
    ]
    for file in files:
        found = re.findall(
            r"static OP: LazyTyped<([^;]*?)>\s*=\s*LazyTyped::new\((\S+)\);", file.read_text()
        )
        assert len(found) > 5
        lines += [f"let _: TypedOp<{types}> = Op::find({name})?.typed()?;" for types, name in found]
    return "\n".join([*lines, "Ok(())", "}"])


def test_calls_of_rust(folder):
    cargo = tool("cargo", os.path.expanduser("~/.cargo/bin/cargo"))
    crate = folder / "crate"
    (crate / "src").mkdir(parents=True)
    (crate / "Cargo.toml").write_text(CARGO.format(ROOT / "bindings/rust/tenon"))
    shutil.copy(SOURCES / "calls.rs", crate / "src/lib.rs")
    for name in ("aten.rs", "wrapped.rs"):
        shutil.copy(folder / name, crate / "src" / name)
    (crate / "src/typed.rs").write_text(typed_forms(folder / "aten.rs", folder / "wrapped.rs"))
    run(cargo, "build", "--offline", "--quiet", "--manifest-path", crate / "Cargo.toml")
    library = pathlib.Path(os.environ["CARGO_TARGET_DIR"]) / "debug/libwrapped_calls.so"
    assert run(sys.executable, SOURCES / "host.py", library) == "0 answers were others\n"
    assert run(sys.executable, SOURCES / "host.py", library, PLUGIN) == "0 answers were others\n"


def test_calls_of_java(folder):
    javac = pathlib.Path(tool(os.path.join(os.environ.get("JAVA_HOME", ""), "bin/javac"), "javac"))
    home = javac.resolve().parents[1]
    jar = pathlib.Path(os.environ["TENON_BUILD_DIR"]) / "bindings/java/tenon.jar"
    classes = folder / "classes"
    sources = [folder / "Aten.java", folder / "Wrapped.java", SOURCES / "Calls.java"]
    run(javac, "-Xlint:all", "-Werror", "-cp", jar, "-d", classes, *sources)
    library = folder / "java_host.so"
    include, jvm = home / "include", home / "lib/server"
    command = [tool("gcc"), "-std=c11", *WARNINGS, "-fPIC", "-shared", f"-I{include}"]
    paths = [f"-I{include / 'linux'}", f"-L{jvm}", f"-Wl,-rpath,{jvm}"]
    run(*command, *paths, SOURCES / "java_host.c", "-o", library, "-ljvm")
    env = {"TENON_TEST_CLASSPATH": f"{classes}{os.pathsep}{jar}"}
    for plugin in ([], [PLUGIN]):
        said = run(sys.executable, SOURCES / "host.py", library, *plugin, env=env)
        assert said == "0 answers were others\n"


def test_package_of_java():
    made = wrap("tenon", "java", "a.b")
    assert "package a.b;\n\nimport dev.tenon." in made and "\nimport dev.tenon.Tensor;\n" in made
    assert "import" not in wrap("tenon", "java", "dev.tenon")
    with pytest.raises(tenon.InvalidArgumentError, match="package must be given for java only"):
        wrap("tenon", "c", "a.b")


def test_c_wrappers_are_cpp_too(folder):
    for namespace in ("aten", "wrapped"):
        unit = folder / f"{namespace}_as_cpp.cpp"
        unit.write_text(f'#include "{namespace}.h"\n')
        include = f"-I{ROOT / 'capi/include'}"
        run(tool("g++"), "-std=c++11", *WARNINGS, "-fsyntax-only", include, unit)


@pytest.fixture(scope="module")
def typed(folder):
    """Writes the module that the stub describes."""
    (folder / "wrapped.py").write_text(
        "import sys\n\nimport tenon\n\nsys.modules[__name__] = tenon.ops.wrapped\n"
    )
    return {"PYTHONPATH": os.pathsep.join([str(folder), str(SOURCES), os.environ["PYTHONPATH"]])}


@pytest.mark.parametrize("definer", ["import defined", f"tenon.ops.load_library({str(PLUGIN)!r})"])
def test_calls_of_python(typed, definer):
    if definer != "import defined":
        code = f"import tenon; {definer}; import wrapped; assert wrapped.clash(1) == 'x=1'"
    else:
        code = f"{definer}, calls; calls.main()"
    run(sys.executable, "-c", code, env=typed)


def mypy(folder, *files):
    """Runs mypy on files that use the stubs in a folder; returns its output."""
    pytest.importorskip("mypy")
    path = os.pathsep.join([str(folder), str(ROOT / "bindings/python")])
    cache = f"--cache-dir={folder / 'mypy'}"
    command = [sys.executable, "-m", "mypy", "--strict", "--follow-imports=silent", cache, *files]
    done = subprocess.run(
        [str(part) for part in command],
        capture_output=True, text=True, env={**os.environ, "MYPYPATH": path},
    )  # fmt: skip
    return done.stdout + done.stderr


def test_mypy_accepts_stubs_and_calls(folder, typed):
    files = [folder / "wrapped.pyi", folder / "aten.pyi", SOURCES / "calls.py"]
    assert mypy(folder, *files).startswith("Success")


@pytest.mark.parametrize(
    ("call", "says"),
    [
        ("wrapped.twice(1)", "No overload variant"),
        ("wrapped.named(x)", "Missing named argument"),
        ("wrapped.named(x, 0.5)", "Too many positional"),
        ("wrapped.defaults(1, z=1)", "Unexpected keyword"),
        ("wrapped.class_(1, 2)", "no attribute"),
        ("wrapped.several(x)[1].upper()", 'has no attribute "upper"'),
    ],
)
def test_mypy_refuses(folder, typed, tmp_path, call, says):
    code = f"import tenon\nimport wrapped\n\nx = tenon.ones(2)\n{call}\n"
    (tmp_path / "wrong.py").write_text(code)
    found = mypy(folder, tmp_path / "wrong.py")
    assert "wrong.py:5: error" in found and says in found


# ---- Schemas without wrappers, and the command ---------------------------------------------------


@pytest.mark.parametrize("language", LANGUAGES)
def test_schemas_without_a_wrapper_are_named(language, library):
    library.define("plain(int x) -> int")
    library.define("endless() -> (int, ...)")
    library.impl("lost", lambda x: x, "CPU")
    text = wrap(library.ns, language)
    assert f"{library.ns}::lost is not wrapped: it has kernels but no schema" in text
    assert "endless() -> (int, ...)" in text or language == "pyi"


@pytest.mark.parametrize("language", LANGUAGES)
def test_same_answer_twice(language):
    assert wrap("aten", language) == wrap("aten", language)


@pytest.mark.parametrize("language", LANGUAGES)
def test_namespace_without_operators(language, ns):
    with pytest.raises(tenon.NotFoundError, match=f"namespace must be .* got '{ns}'"):
        wrap(ns, language)
    with Library(ns, "DEF"), pytest.raises(tenon.NotFoundError):
        wrap(ns, language)


def test_command_refuses(capsys, ns):
    assert main(["wrap", ns, "--lang", "c"]) == 1
    assert ns in capsys.readouterr().err
    assert main(["wrap", "aten", "--lang", "c", "--load", "/nowhere/lib.so"]) == 1
    assert "/nowhere/lib.so" in capsys.readouterr().err
    assert main(["wrap", "aten", "--lang", "c", "--import", "no_such_module"]) == 1
    assert "no_such_module" in capsys.readouterr().err
    assert main(["wrap", "aten", "--lang", "c", "-o", "/nowhere/aten.h"]) == 1
    assert "/nowhere/aten.h: No such file" in capsys.readouterr().err
    for wrong in (["wrap", "aten"], ["wrap", "aten", "--lang", "cobol"], ["wrap"]):
        with pytest.raises(SystemExit):
            main(wrong)
    assert "cobol" in capsys.readouterr().err


def test_help_shows_all_options(capsys):
    with pytest.raises(SystemExit):
        main(["wrap", "--help"])
    text = capsys.readouterr().out
    for word in (*LANGUAGES, "--load", "--import", "-o", "NAMESPACE".lower()):
        assert word in text


@pytest.fixture(scope="module")
def corpus(tmp_path_factory):
    """Wrappers of all schemas of PyTorch's ATen, most of which are not defined here."""
    made = tmp_path_factory.mktemp("corpus")
    lines = (ROOT / "tests/conformance/schemas/pytorch.txt").read_text().splitlines()
    schemas = [tenon.Schema.parse(line) for line in lines if line.startswith("aten::")]
    found = {op.full_name: op for op in (registry.of_schema(one, []) for one in schemas)}
    assert len(found) > 3000
    every = tuple(found[name] for name in sorted(found))
    space = operator.Namespace("corpus", every, ())
    (made / "corpus.h").write_text(c.emit(space))
    (made / "corpus.pyi").write_text(pyi.emit(space))
    (made / "Corpus.java").write_text(java.emit(space))
    # The other compilers would take a minute for all schemas.
    some = operator.Namespace("corpus", every[::12], ())
    (made / "corpus.hpp").write_text(cpp.emit(some))
    (made / "corpus.rs").write_text(rust.emit(some))
    return made


def test_every_schema_of_pytorch_in_c_and_some_in_cpp(corpus):
    include = (f"-I{ROOT / 'capi/include'}", f"-I{corpus}")
    for compiler, standard, header in (("gcc", "c99", "corpus.h"), ("g++", "c++20", "corpus.hpp")):
        unit = corpus / f"unit.{'c' if header.endswith('.h') else 'cpp'}"
        unit.write_text(f'#include "{header}"\ntypedef int corpus_not_empty;\n')
        run(tool(compiler), f"-std={standard}", *WARNINGS, "-fsyntax-only", *include, unit)


def test_every_schema_of_pytorch_in_java(corpus):
    javac = tool(os.path.join(os.environ.get("JAVA_HOME", ""), "bin/javac"), "javac")
    jar = pathlib.Path(os.environ["TENON_BUILD_DIR"]) / "bindings/java/tenon.jar"
    run(javac, "-Xlint:all", "-Werror", "-cp", jar, "-d", corpus, corpus / "Corpus.java")


def test_every_schema_of_pytorch_in_python(corpus):
    assert mypy(corpus, corpus / "corpus.pyi").startswith("Success")


def test_some_schemas_of_pytorch_in_rust(corpus):
    cargo = tool("cargo", os.path.expanduser("~/.cargo/bin/cargo"))
    crate = corpus / "crate"
    (crate / "src").mkdir(parents=True)
    manifest = CARGO.format(ROOT / "bindings/rust/tenon").replace("wrapped_calls", "wrapped_corpus")
    (crate / "Cargo.toml").write_text(manifest)
    (crate / "src/lib.rs").write_text("//! Some.\n#![deny(warnings)]\npub mod corpus;\n")
    shutil.copy(corpus / "corpus.rs", crate / "src/corpus.rs")
    run(cargo, "check", "--offline", "--quiet", "--manifest-path", crate / "Cargo.toml")


# ---- Shipped wrappers of ATen --------------------------------------------------------------------


def shipped(*arguments):
    """Checks the shipped wrappers; returns the status and output."""
    generate = ROOT / "bindings" / "wrappers" / "generate.py"
    operators = pathlib.Path(os.environ["TENON_BUILD_DIR"]) / "generated" / "operators.jsonl"
    command = [sys.executable, "-B", generate, operators, *arguments]
    done = subprocess.run([str(part) for part in command], capture_output=True, text=True)
    return done.returncode, done.stdout


def test_check_of_shipped_wrappers_finds_drift(tmp_path):
    status, said = shipped("--root", tmp_path, "--check")
    assert status == 1 and "aten.rs must be what --write makes" in said
    assert shipped("--root", tmp_path, "--write")[0] == 0
    assert shipped("--root", tmp_path, "--check")[0] == 0
    (tmp_path / "bindings/python/tenon/functional.py").write_text("")
    status, said = shipped("--root", tmp_path, "--check")
    assert status == 1 and "functional.py" in said and said.endswith(" files, 1 stale\n")


def test_a_build_writes_what_the_command_writes(tmp_path):
    assert shipped("--out", tmp_path)[0] == 0
    for name, language, package in (
        ("include/tenon/ops/aten.h", "c", ""),
        ("include/tenon/ops/aten.hpp", "cpp", ""),
        ("java/dev/tenon/Aten.java", "java", "dev.tenon"),
    ):
        assert (tmp_path / name).read_text() == wrap("aten", language, package)


def test_a_build_does_not_touch_files_that_are_the_same(tmp_path):
    assert shipped("--out", tmp_path)[0] == 0
    path = tmp_path / "include/tenon/ops/aten.h"
    before = path.stat().st_mtime_ns
    assert shipped("--out", tmp_path)[0] == 0
    assert path.stat().st_mtime_ns == before


def test_every_function_is_the_package_s():
    names = [name for name in vars(tenon.functional) if isinstance(
        getattr(tenon.functional, name), tenon.ops.OpOverloadPacket
    )]  # fmt: skip
    assert len(names) > 40
    # Functions with a signature in Python replace the wrappers of their operators.
    own = set(vars(tenon.own_arguments))
    for name in names:
        if name not in own:
            assert getattr(tenon, name) is getattr(tenon.functional, name)
    assert "abs" not in tenon.__all__ and "exp" in tenon.__all__


def test_mypy_accepts_functions_methods_and_operators(tmp_path):
    (tmp_path / "use.py").write_text(
        "import tenon\n"
        "from tenon import ops\n"
        "\n"
        "x = tenon.ones(2)\n"
        "y: tenon.Tensor = x.add(x, alpha=2).exp().sum([0], True)\n"
        "z: tenon.Tensor = ops.aten.add(tenon.add(x, y), x, alpha=2.0)\n"
        "x.exp(1)\n"
        "ops.aten.mm(x)\n"
        "tenon.sum(x).nothing\n"
    )
    found = mypy(tmp_path, tmp_path / "use.py")
    assert re.findall(r"use.py:(\d+): error", found) == ["7", "8", "9"]
