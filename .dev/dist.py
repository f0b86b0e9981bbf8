# SPDX-License-Identifier: Apache-2.0
"""Builds all release artefacts into dist/, with checksums."""

from __future__ import annotations

import gzip
import os
import pathlib
import platform
import re
import shutil
import subprocess
import tarfile

import artefacts
import dist_java
import dist_python
import dist_rust
import environment
import glibc
import interpreters
import machine
import native
import ui

DIST = ui.ROOT / "dist"


def make(pythons: list[str]) -> int:
    """Builds the release preset and packages it, with a wheel for each Python.

    `pythons` are paths; if empty, wheels are built for all interpreters found.
    """
    machine.ensure(native.NEEDS["release"])
    wanted = interpreters.named(pythons) if pythons else interpreters.find()
    stubs = glibc.stubs(platform.machine())
    shipped = (f"{name}_shipped" for name in ("tenon", "tenon_cpu", "tenon_python", "tenon_java"))
    targets = ("tenon", "tenon_cpu", "tenon_java_classes", *shipped)
    native.build("release", settings=(f"-DTENON_GLIBC_STUBS={stubs}",), targets=targets)
    _check_shipped()
    shutil.rmtree(DIST, ignore_errors=True)
    DIST.mkdir()
    _native()
    dist_python.make(DIST, _last_change(), wanted, stubs)
    dist_java.make(DIST / "maven", version(), int(_last_change()))
    dist_rust.make(DIST)
    _bill_of_materials([python.name for python in wanted])
    _checksums()
    for path in _artefacts():
        ui.say(f"{ui.short(path)}, {path.stat().st_size / 1024:.0f} KiB")
    return 0


def _check_shipped() -> None:
    """Checks exported symbols, and that older systems can load the libraries."""
    script = ui.ROOT / "tests" / "tools" / "exports.py"
    folder = environment.build_dir("release") / "shipped"
    command = [environment.python(), "-B", script, folder, "--shipped"]
    ui.run("check the shipped libraries", command)
    ui.show_tail(ui.LOGS / "check-the-shipped-libraries.log", 1)


def _native() -> None:
    """Packs the archive and, if Debian's tools are installed, the Debian packages."""
    generators = ["TGZ"]
    if shutil.which("dpkg-shlibdeps"):
        generators.append("DEB")
    else:
        ui.say("dist: no Debian packages: dpkg-shlibdeps is not installed")
    work = environment.build_dir("release") / "packages"
    shutil.rmtree(work, ignore_errors=True)
    config = environment.build_dir("release") / "CPackConfig.cmake"
    command = ["cpack", "--config", config, "-G", ";".join(generators), "-B", work]
    ui.run("pack native libraries", command, env={"SOURCE_DATE_EPOCH": _last_change()})
    for path in work.glob("*.deb"):
        shutil.copy2(path, DIST)
    for path in work.glob("*.tar.gz"):
        _settle(path, DIST / path.name, int(_last_change()))


def _settle(archive: pathlib.Path, target: pathlib.Path, seconds: int) -> None:
    """Rewrites an archive reproducibly: members sorted, with one timestamp and no owner."""
    with (
        tarfile.open(archive) as source,
        gzip.GzipFile(target, "wb", mtime=seconds) as packed,
        tarfile.open(fileobj=packed, mode="w", format=tarfile.GNU_FORMAT) as settled,
    ):
        for member in sorted(source.getmembers(), key=lambda one: one.name):
            member.mtime, member.uid, member.gid = seconds, 0, 0
            member.uname = member.gname = "root"
            settled.addfile(member, source.extractfile(member) if member.isreg() else None)


def _bill_of_materials(pythons: list[str]) -> None:
    """Writes a CycloneDX bill of materials beside the files, from the linker's maps."""
    interpreter = environment.python("base", "dist")
    builds = ["release", *(f"extension-{name}" for name in pythons)]
    folders = [environment.build_dir(name) / "shipped" for name in builds]
    command = [interpreter, "-B", pathlib.Path(__file__).parent / "sbom.py", DIST]
    command += [DIST / f"tenon-{version()}.cdx.json", "--version", version()]
    command += ["--seconds", _last_change(), "--glibc", glibc.OLDEST, "--linked"]
    ui.run("write the bill of materials", [*command, *(one for one in folders if one.is_dir())])


def _last_change() -> str:
    """Returns the time of the last commit in seconds, which all files in artefacts have."""
    if "SOURCE_DATE_EPOCH" in os.environ:
        return os.environ["SOURCE_DATE_EPOCH"]
    command = ["git", "-C", ui.ROOT, "log", "-1", "--format=%ct"]
    done = subprocess.run(command, capture_output=True, text=True)
    return done.stdout.strip() if done.returncode == 0 else "0"


def version() -> str:
    text = (ui.ROOT / "capi" / "include" / "tenon" / "common.h").read_text()
    return ".".join(
        re.search(rf"^#define TENON_VERSION_{part} (\d+)", text, re.M)[1]
        for part in ("MAJOR", "MINOR", "PATCH")
    )


def _artefacts() -> list[pathlib.Path]:
    return sorted(path for path in DIST.rglob("*") if path.is_file())


def _checksums() -> None:
    lines = [f"{_sha256(path)}  {path.relative_to(DIST)}\n" for path in _artefacts()]
    (DIST / "SHA256SUMS").write_text("".join(lines))


def _sha256(path: pathlib.Path) -> str:
    return artefacts.sha256(path.read_bytes())
