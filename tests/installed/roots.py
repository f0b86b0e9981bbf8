# SPDX-License-Identifier: Apache-2.0
"""Each language's program in a root of its own: Debian without a build tool, and `dist/`.

`./dev test roots` runs this, as root. A root is entered by chroot in a mount namespace; all that is
typed in it, and how long each line took, is written to build/results/roots.txt.
"""

from __future__ import annotations

import dataclasses
import os
import pathlib
import shutil
import subprocess
import time

import pytest
import test_java
import test_native
import test_python
import test_rust
from conftest import DIST, ROOT

HERE = pathlib.Path(__file__).parent
ROOTS = ROOT / "build" / "roots"
REPORT = ROOT / "build" / "results" / "roots.txt"
MIRROR = "http://deb.debian.org/debian"
# Rust that is new enough is among Debian 12's updates.
SOURCES = {
    "bookworm": (
        f"deb {MIRROR} bookworm main\n"
        f"deb {MIRROR} bookworm-updates main\n"
        f"deb {MIRROR}-security bookworm-security main\n"
    ),
    "bullseye": f"deb {MIRROR} bullseye main\n",
}
APT = "apt-get install -y -q --no-install-recommends"
C = (
    f"{APT} gcc libc6-dev pkg-config",
    f"{APT} /dist/libtenon0_*.deb /dist/libtenon-dev_*.deb",
    "cc main.c -o consumer $(pkg-config --cflags --libs tenon)",
    "./consumer /plugins/libfrom_cpp.so",
)
GRADLE = "gradle -q --offline --no-daemon -Prepository=file:///dist/maven"
JAVA = (
    f"{APT} openjdk-17-jdk-headless",
    "javac -cp '/dist/maven/dev/tenon/tenon/0.1.0/*' Consumer.java",
    "java -cp '/dist/maven/dev/tenon/tenon/0.1.0/*:.' Consumer /plugins/*.so",
)


@dataclasses.dataclass(frozen=True)
class Case:
    """What a user of one language types, from nothing to a program that runs."""

    system: str
    language: str
    files: str  # of the program, in this folder
    lines: tuple
    prints: str


CASES = (
    Case("bookworm", "c", "c", C, test_native.WHAT_C_PRINTS),
    Case(
        "bookworm",
        "cpp",
        "cpp",
        (
            f"{APT} g++ cmake make",
            "tar -xf /dist/tenon-*-linux-*.tar.gz -C /opt",
            "cmake -S . -B build -DCMAKE_PREFIX_PATH=/opt/tenon-0.1.0-linux-$(uname -m)",
            "cmake --build build",
            "build/consumer /plugins/libfrom_c.so",
        ),
        test_native.WHAT_CPP_PRINTS,
    ),
    Case(
        "bookworm",
        "python",
        "use_python.py",
        (
            f"{APT} python3-venv",
            "python3 -m venv env",
            "env/bin/pip install -q --no-index --find-links /dist tenon",
            "env/bin/python use_python.py /plugins/*.so",
        ),
        test_python.PRINTS,
    ),
    Case(
        "bookworm",
        "rust",
        "rust",
        (
            f"{APT} rustc-web cargo-web gcc libc6-dev pkg-config",
            f"{APT} /dist/libtenon0_*.deb /dist/libtenon-dev_*.deb",
            "for crate in /dist/*.crate; do tar -xf $crate -C /opt; done",
            "cargo build --release"
            " --config \"patch.crates-io.tenon-sys.path='/opt/tenon-sys-0.1.0'\""
            " --config \"patch.crates-io.tenon.path='/opt/tenon-0.1.0'\"",
            "target/release/consumer /plugins/*.so",
        ),
        test_rust.PRINTS,
    ),
    Case("bookworm", "java", "java", JAVA, test_java.PRINTS),
    Case(
        "bookworm",
        "java-gradle",
        "java",
        (
            f"{APT} openjdk-17-jdk-headless gradle",
            f"{GRADLE} -Pload=$(echo /plugins/*.so | tr ' ' ,) run",
        ),
        test_java.PRINTS,
    ),
    # The same artefacts with glibc 2.31. Plugins of C++ that are built here want a newer C++
    # library than there is: the programs end where they ask for one.
    Case(
        "bullseye",
        "c",
        "c",
        (*C[:-1], "./consumer none 2>/dev/null || true"),
        "square 49\nrelu 0 0 2\n",
    ),
    Case(
        "bullseye",
        "java",
        "java",
        (*JAVA[:-1], f"{JAVA[-1].rpartition(' ')[0]} 2>/dev/null || true"),
        "square 49\nrelu [0.0, 0.0, 2.0]\n",
    ),
)

pytestmark = pytest.mark.skipif(
    os.geteuid() != 0 or shutil.which("debootstrap") is None,
    reason="a root is made by root, with debootstrap",
)


def base(system: str) -> pathlib.Path:
    """Debian as debootstrap makes it, once."""
    folder = ROOTS / f"base-{system}"
    if not folder.exists():
        fresh = ROOTS / f"new-{system}"
        shutil.rmtree(fresh, ignore_errors=True)
        fresh.mkdir(parents=True)
        included = "--include=ca-certificates"
        command = ["debootstrap", "--variant=minbase", included, system, fresh, MIRROR]
        with open(ROOTS / f"{system}.log", "w") as log:
            subprocess.run(command, check=True, stdout=log, stderr=log)
        (fresh / "etc/apt/sources.list").write_text(SOURCES[system])
        enter(fresh, "apt-get -q update")
        fresh.rename(folder)
    return folder


def enter(root: pathlib.Path, line: str) -> str:
    """What a line prints that is typed in a root."""
    inside = 'mount --bind /dev "$0/dev" && mount -t proc proc "$0/proc" && exec chroot "$0" "$@"'
    env = {"PATH": "/usr/sbin:/usr/bin:/sbin:/bin", "HOME": "/root", "LC_ALL": "C.UTF-8"}
    env["DEBIAN_FRONTEND"] = "noninteractive"
    typed = ["sh", "-c", f"cd /root && {line}"]
    command = ["unshare", "--mount", "--pid", "--fork", "sh", "-c", inside, root, *typed]
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
    root = ROOTS / f"{case.system}-{case.language}"
    shutil.rmtree(root, ignore_errors=True)
    subprocess.run(["cp", "-a", "--reflink=auto", base(case.system), root], check=True)
    for file in ("etc/resolv.conf", "etc/ssl/certs/ca-certificates.crt"):  # of this network
        shutil.copy(f"/{file}", root / file)
    shutil.copytree(DIST, root / "dist")
    (root / "plugins").mkdir()
    for plugin in (*plugins.values(), rust_release / "libfrom_rust.so"):
        shutil.copy(plugin, root / "plugins")
    source = HERE / case.files
    if source.is_dir():
        shutil.copytree(source, root / "root", dirs_exist_ok=True)
    else:
        shutil.copy(source, root / "root")
    times = []
    for line in case.lines:
        begin = time.monotonic()
        said = enter(root, line)
        times.append(time.monotonic() - begin)
    assert said == case.prints
    with open(report, "a") as out:
        out.write(f"{case.language}, {case.system}: {sum(times):.1f} s from nothing to a call\n")
        for line, seconds in zip(case.lines, times, strict=True):
            out.write(f"  {seconds:5.1f} s  {line}\n")
    shutil.rmtree(root)
