# SPDX-License-Identifier: Apache-2.0
"""The native suites for another processor: compiled by Debian's cross compiler, run by QEMU."""

from __future__ import annotations

import pathlib
import shutil

import environment
import machine
import native
import suites
import ui

# CMake's name of a processor, which is the preset's too, and Debian's.
PROCESSORS = {"aarch64": "arm64"}
PACKAGES = ("libgtest-dev", "libcmocka-dev", "libcmocka0")
MIRROR = "http://deb.debian.org/debian"
KEYS = "/usr/share/keyrings/debian-archive-keyring.gpg"


# Features that QEMU's user mode does not emulate -> names of the tests that need them.
NOT_EMULATED = {
    "a program that starts itself again": ("Scenarios/Exit", "Recursion.MainThreadWithALater"),
    "seccomp": ("Seccomp",),
    "threads in the child of a process with threads": (
        "Forks.FromFourThreads",
        "ForkedProducts.ThreadsOfAChild",
        "ThreadPool.Fork",
    ),
}


def run(processor: str, pattern: str = "") -> int:
    machine.ensure((*native.NEEDS[processor], f"gcc-{processor}", "qemu"))
    _sysroot(processor)
    native.build(processor)
    tests = suites.Run(processor, pattern=pattern)
    tests.excluded = "|".join(f"^{name}" for names in NOT_EMULATED.values() for name in names)
    for what, names in NOT_EMULATED.items():
        ui.say(f"left out, for QEMU does not emulate {what}: {', '.join(names)}")
    return 0 if suites.run_all(tests, suites.NATIVE) else 1


def _sysroot(processor: str) -> None:
    """Extracts the processor's test libraries into the build folder, without installing them."""
    folder = environment.build_dir(processor) / "sysroot"
    if folder.exists():
        return
    release = dict(
        line.split("=", 1) for line in pathlib.Path("/etc/os-release").read_text().splitlines()
    )
    if release.get("ID") != "debian":
        raise ui.Failure(f"cross: the system must be Debian, got {release.get('ID')}")
    work = ui.BUILD / f"packages-{processor}"
    shutil.rmtree(work, ignore_errors=True)
    for name in ("lists/partial", "archives/partial", "root"):
        (work / name).mkdir(parents=True)
    architecture = PROCESSORS[processor]
    system = release["VERSION_CODENAME"]
    source = f"deb [arch={architecture} signed-by={KEYS}] {MIRROR} {system} main\n"
    (work / "sources.list").write_text(source)
    settings = {
        "APT::Architecture": architecture,
        "APT::Architectures": architecture,
        "APT::Sandbox::User": "root",
        "Dir::State::lists": work / "lists",
        "Dir::Etc::sourcelist": work / "sources.list",
        "Dir::Etc::sourceparts": "-",
        "Dir::Cache": work,
    }
    apt = ["apt-get", "-q", *(f"-o{name}={value}" for name, value in settings.items())]
    ui.run(f"look for packages of {architecture}", [*apt, "update"])
    ui.run(f"download packages of {architecture}", [*apt, "download", *PACKAGES], cwd=work)
    for package in sorted(work.glob("*.deb")):
        ui.run(f"unpack {package.name}", ["dpkg-deb", "-x", package, work / "root"], quiet=True)
    folder.parent.mkdir(parents=True, exist_ok=True)
    (work / "root").rename(folder)
