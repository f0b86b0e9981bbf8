# SPDX-License-Identifier: Apache-2.0
"""Makes what users install: all artefacts into dist/, with checksums."""

from __future__ import annotations

import hashlib
import os
import pathlib
import re
import shutil
import subprocess

import dist_java
import dist_rust
import environment
import machine
import native
import ui

DIST = ui.ROOT / "dist"


def make() -> int:
    """Builds the release preset and packs it anew."""
    machine.ensure(native.NEEDS["release"])
    targets = ("tenon", "tenon_cpu", "tenon_python", "tenon_java", "tenon_java_classes")
    native.build("release", targets=targets)
    shutil.rmtree(DIST, ignore_errors=True)
    DIST.mkdir()
    _native()
    _wheel()
    dist_java.make(DIST / "maven", version(), int(_last_change()))
    dist_rust.make(DIST)
    _checksums()
    for path in _artefacts():
        ui.say(f"{ui.short(path)}, {path.stat().st_size / 1024:.0f} KiB")
    return 0


def _native() -> None:
    """The archive and, where Debian's tools are, its packages."""
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
    for path in (*work.glob("*.tar.gz"), *work.glob("*.deb")):
        shutil.copy2(path, DIST)


# Writes the folder of metadata that the build backend makes of pyproject.toml.
METADATA = (
    "import sys; from scikit_build_core.build import prepare_metadata_for_build_wheel as prepare; "
    "prepare(sys.argv[1])"
)


def _wheel() -> None:
    """The Python package, for the Python that runs this, under the oldest glibc that it works with.

    Packed from the release build: `pip wheel bindings/python` compiles the same files once more.
    """
    interpreter = environment.python("base", "dist")
    work = environment.build_dir("release") / "wheel"
    shutil.rmtree(work, ignore_errors=True)
    content = work / "content"
    env = {"SOURCE_DATE_EPOCH": _last_change()}
    install = ["cmake", "--install", environment.build_dir("release"), "--component", "python"]
    ui.run("install the Python package", [*install, "--prefix", content, "--strip"])
    (library,) = (content / "tenon").glob("libtenon.so.*")  # a plain file for cmake
    ui.run("strip libtenon", ["strip", library])
    project = ui.ROOT / "bindings" / "python"
    ui.run("write the wheel's metadata", [interpreter, "-c", METADATA, content], cwd=project)
    (metadata,) = content.glob("*.dist-info")
    (metadata / "licenses").mkdir()
    shutil.copy(ui.ROOT / "LICENSE", metadata / "licenses")
    ui.run("pack the wheel", [interpreter, "-m", "wheel", "pack", content, "-d", work], env=env)
    (built,) = work.glob("*.whl")
    tag = _glibc_tag(interpreter, built)
    command = [interpreter, "-m", "wheel", "tags", "--remove", "--platform-tag", tag, built]
    ui.run("tag the wheel", command, env=env)
    (tagged,) = work.glob("*.whl")
    shutil.copy2(tagged, DIST)


def _glibc_tag(interpreter: pathlib.Path, wheel: pathlib.Path) -> str:
    """What auditwheel says the wheel may be called, such as manylinux_2_35_x86_64."""
    command = [interpreter, "-m", "auditwheel", "show", wheel]
    said = " ".join(subprocess.run(command, capture_output=True, text=True).stdout.split())
    found = re.search(r'following platform tag: "(manylinux_\w+)"', said)
    if found is None:
        raise ui.Failure(
            f"dist: auditwheel must find a manylinux tag for {wheel.name}, said {said}"
        )
    return found[1]


def _last_change() -> str:
    """Seconds of the last commit: the time that all files in artefacts bear."""
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
    return hashlib.sha256(path.read_bytes()).hexdigest()
