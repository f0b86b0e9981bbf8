# SPDX-License-Identifier: Apache-2.0
"""Builds a site from the documents and the reference of each language."""

from __future__ import annotations

import os
import pathlib
import shutil

import dist
import dist_java
import environment
import machine
import native
import ui

SITE = ui.ROOT / "docs" / "site"
WORK = ui.BUILD / "docs"
HTML = WORK / "html"


def make() -> int:
    """Builds the documented libraries, then the site in build/docs/html. Warnings are errors."""
    machine.ensure((*native.NEEDS["release"], "doxygen"))
    native.build("release", targets=("tenon", "tenon_cpu", "tenon_python", "tenon_java_classes"))
    interpreter = environment.python("base", "docs")
    shutil.rmtree(WORK, ignore_errors=True)
    extra = WORK / "extra"
    extra.mkdir(parents=True)
    shutil.copytree(
        ui.ROOT / "docs", WORK / "source", ignore=shutil.ignore_patterns("site", "__pycache__")
    )
    _doxygen()
    dist_java.javadoc(extra / "javadoc", environment.build_dir("release"))
    _rustdoc(extra / "rustdoc")
    env = {
        **environment.runtime(),
        "TENON_DOXYGEN_XML": WORK / "xml",
        "TENON_DOCS_EXTRA": extra,
        "TENON_DOCS_VERSION": dist.version(),
    }
    command = [interpreter, "-m", "sphinx", "-b", "html", "-W", "--keep-going", "-j", "auto"]
    command += ["-c", SITE, "-d", WORK / "doctrees", WORK / "source", HTML]
    ui.run("build the site", command, env=env)
    pages = sum(1 for _ in HTML.rglob("*.html"))
    ui.say(f"{ui.short(HTML)}/index.html, {pages} pages")
    return 0


def _doxygen() -> None:
    settings = (SITE / "Doxyfile").read_text() + (
        f"INPUT = {ui.ROOT}/capi/include/tenon\n"
        f"STRIP_FROM_PATH = {ui.ROOT}/capi/include\n"
        f"STRIP_FROM_INC_PATH = {ui.ROOT}/capi/include\n"
        f"OUTPUT_DIRECTORY = {WORK}\n"
    )
    path = WORK / "Doxyfile"
    path.write_text(settings)
    ui.run("read the C headers", ["doxygen", path])


def _rustdoc(out: pathlib.Path) -> None:
    manifest = ui.ROOT / "bindings" / "rust" / "Cargo.toml"
    command = ["cargo", "doc", "--no-deps", "-p", "tenon", "--manifest-path", manifest]
    env = {**os.environ, **environment.runtime(), "RUSTDOCFLAGS": "-D warnings"}
    ui.run("write rustdoc", command, env=env)
    shutil.copytree(ui.BUILD / "rust" / "doc", out)
