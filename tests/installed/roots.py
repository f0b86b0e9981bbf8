# SPDX-License-Identifier: Apache-2.0
"""Each language's program and quick start on minimal Debian systems that have only `dist/`.

`./dev test roots` and `./dev systems` run this, as root. A system is a folder that is entered by
chroot; all lines that are typed in it, with their seconds, are written to build/results/roots.txt.
"""

from __future__ import annotations

import dataclasses
import pathlib
import shutil
import subprocess
import sys
import time

import pytest
import test_java
import test_native
import test_python
import test_rust
from conftest import DIST, ROOT

sys.path.insert(0, str(ROOT / ".dev"))
import debian_root  # noqa: E402

HERE = pathlib.Path(__file__).parent
QUICKSTART = ROOT / "examples" / "quickstart"
REPORT = ROOT / "build" / "results" / "roots.txt"
APT = "apt-get install -y -q --no-install-recommends"
DEBIAN_PACKAGES = f"{APT} /dist/libtenon0_*.deb /dist/libtenon-dev_*.deb"
JARS = "/dist/maven/dev/tenon/tenon/0.1.0/*"
# Names of a system's packages with a new enough Rust, and a JDK.
RUST = {"bookworm": "rustc-web cargo-web", "trixie": "rustc cargo", "sid": "rustc cargo"}
JDK = {
    "bullseye": "openjdk-17-jdk-headless",
    "bookworm": "openjdk-17-jdk-headless",
    "trixie": "openjdk-21-jdk-headless",
    "sid": "openjdk-25-jdk-headless",
}
# If `dist/` was built without a wheel for Python 3.14, pip compiles the sources there. pip must not
# use PyPI, where another project has this name.
WHEEL = "env/bin/pip install -q --no-index --find-links /dist tenon"
SOURCES = "env/bin/pip install -q /dist/tenon-0.1.0.tar.gz"


@dataclasses.dataclass(frozen=True)
class Case:
    """Returns a user's commands for one language, from an empty system to running programs."""

    system: str
    language: str
    files: tuple  # of the programs
    lines: tuple


def c(system: str) -> Case:
    return Case(
        system,
        "c",
        (HERE / "c", QUICKSTART / "quickstart.c"),
        (
            f"{APT} gcc libc6-dev pkg-config",
            DEBIAN_PACKAGES,
            "cc main.c -o consumer $(pkg-config --cflags --libs tenon)",
            ("./consumer /plugins/libfrom_cpp.so", test_native.WHAT_C_PRINTS),
            "cc quickstart.c -o quickstart $(pkg-config --cflags --libs tenon)",
            ("./quickstart", "42\n"),
        ),
    )


def cpp(system: str) -> Case:
    archive = "/opt/tenon-0.1.0-linux-$(uname -m)"
    return Case(
        system,
        "cpp",
        (HERE / "c", HERE / "cpp", QUICKSTART / "quickstart.cpp"),
        (
            f"{APT} g++ cmake make pkg-config",
            "tar -xf /dist/tenon-*-linux-*.tar.gz -C /opt",
            f"cmake -S . -B build -DCMAKE_PREFIX_PATH={archive}",
            "cmake --build build",
            ("build/consumer /plugins/libfrom_c.so", test_native.WHAT_CPP_PRINTS),
            f"PKG_CONFIG_PATH=$(echo {archive}/lib*/pkgconfig) && export PKG_CONFIG_PATH && "
            f'FLAGS="$(pkg-config --cflags --libs tenon) -Wl,-rpath,$(echo {archive}/lib)" && '
            "cc main.c -o from_c $FLAGS && c++ -std=c++20 quickstart.cpp -o quickstart $FLAGS",
            # A plugin in C++, built with this system's compiler.
            ("./from_c build/libfrom_cpp.so", test_native.WHAT_C_PRINTS),
            ("./quickstart", "tensor([2., 4.])\n"),
        ),
    )


def python(system: str) -> Case:
    compilers = " build-essential python3-dev" if system == "sid" else ""
    return Case(
        system,
        "python",
        (HERE / "use_python.py", QUICKSTART / "quickstart.py"),
        (
            f"{APT} python3-venv{compilers}",
            "python3 -m venv env",
            SOURCES if compilers else WHEEL,
            ("env/bin/python use_python.py /plugins/*.so", test_python.PRINTS),
            ("env/bin/python quickstart.py", "tensor([2., 4.])\n"),
        ),
    )


def rust(system: str) -> Case:
    patches = (
        " --config \"patch.crates-io.tenon-sys.path='/opt/tenon-sys-0.1.0'\""
        " --config \"patch.crates-io.tenon.path='/opt/tenon-0.1.0'\""
    )
    return Case(
        system,
        "rust",
        (HERE / "rust", QUICKSTART),
        (
            f"{APT} {RUST[system]} gcc libc6-dev pkg-config",
            DEBIAN_PACKAGES,
            "for crate in /dist/*.crate; do tar -xf $crate -C /opt; done",
            f"cargo build --release{patches}",
            ("target/release/consumer /plugins/*.so", test_rust.PRINTS),
            "cd quickstart && sed -i 's|../../bindings/rust/tenon|/opt/tenon-0.1.0|' Cargo.toml"
            " && printf '%s\\n' [patch.crates-io] 'tenon-sys.path = \"/opt/tenon-sys-0.1.0\"'"
            " >>Cargo.toml && rm Cargo.lock && cargo build -q",
            ("quickstart/target/debug/quickstart", "tensor([2., 4.])\n"),
        ),
    )


def java(system: str) -> Case:
    return Case(
        system,
        "java",
        (HERE / "java", QUICKSTART / "Quickstart.java"),
        (
            f"{APT} {JDK[system]}",
            f"javac -cp '{JARS}' Consumer.java",
            (f"java -cp '{JARS}:.' Consumer /plugins/*.so", test_java.PRINTS),
            (f"java -cp '{JARS}' Quickstart.java", "tensor([2., 4.])\n"),
        ),
    )


GRADLE = "gradle -q --offline --no-daemon -Prepository=file:///dist/maven"
CASES = (
    *(make(system) for system in RUST for make in (c, cpp, python, rust, java)),
    # Debian's Gradle is old: it runs on JDK 17 and not on later ones.
    Case(
        "bookworm",
        "java-gradle",
        (HERE / "java",),
        (
            f"{APT} {JDK['bookworm']} gradle",
            (f"{GRADLE} -Pload=$(echo /plugins/*.so | tr ' ' ,) run", test_java.PRINTS),
        ),
    ),
    # Debian 11 has glibc 2.31 and a C++ library that is too old for C++ plugins built here: its
    # programs use C and Java only, and end before they would load such a plugin.
    Case(
        "bullseye",
        "c",
        (HERE / "c",),
        (
            *c("bookworm").lines[:3],
            ("./consumer none 2>/dev/null || true", "square 49\nrelu 0 0 2\n"),
        ),
    ),
    Case(
        "bullseye",
        "java",
        (HERE / "java", QUICKSTART / "Quickstart.java"),
        (
            *java("bullseye").lines[:2],
            (
                f"java -cp '{JARS}:.' Consumer 2>/dev/null || true",
                "square 49\nrelu [0.0, 0.0, 2.0]\n",
            ),
            java("bullseye").lines[3],
        ),
    ),
)

pytestmark = pytest.mark.skipif(
    debian_root.refusal() != "", reason=f"a system in a folder {debian_root.refusal()}"
)


def enter(root: pathlib.Path, line: str) -> str:
    """Runs a line in a root and returns its standard output; the line must succeed."""
    command = debian_root.command(root, line)
    env = debian_root.environment()
    done = subprocess.run(command, capture_output=True, text=True, env=env)
    assert done.returncode == 0, f"{line}\n{done.stdout[-4000:]}{done.stderr[-4000:]}"
    return done.stdout


@pytest.fixture(scope="session")
def report():
    REPORT.parent.mkdir(parents=True, exist_ok=True)
    REPORT.write_text("")
    return REPORT


@pytest.mark.parametrize("case", CASES, ids=lambda case: f"{case.system}-{case.language}")
def test_from_nothing_to_a_first_call(case, plugins, rust_release, report):
    root = debian_root.copy(case.system, case.language)
    shutil.copytree(DIST, root / "dist")
    (root / "plugins").mkdir()
    for plugin in (*plugins.values(), rust_release / "libfrom_rust.so"):
        shutil.copy(plugin, root / "plugins")
    for source in case.files:
        if source == QUICKSTART:
            shutil.copytree(source, root / "root/quickstart")
        elif source.is_dir():
            shutil.copytree(source, root / "root", dirs_exist_ok=True)
        else:
            shutil.copy(source, root / "root")
    times = []
    for line in case.lines:
        line, prints = line if isinstance(line, tuple) else (line, None)
        begin = time.monotonic()
        printed = enter(root, line)
        times.append((time.monotonic() - begin, line))
        assert prints in (None, printed), f"{line}\n{printed}"
    with open(report, "a") as out:
        seconds = sum(one for one, _ in times)
        out.write(f"{case.language}, {case.system}: {seconds:.1f} s from nothing to a call\n")
        for one, line in times:
            out.write(f"  {one:5.1f} s  {line}\n")
    shutil.rmtree(root)
