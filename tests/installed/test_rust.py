# SPDX-License-Identifier: Apache-2.0
"""The crates: a program and a plugin that use them, with an installed and a built libtenon."""

from __future__ import annotations

import os
import pathlib
import shutil

import pytest
from conftest import CARGO, PATH, built_program, run

PRINTS = (
    "square 49\nrelu [0.0, 0.0, 2.0]\ntwice [-2.0, 0.0, 4.0]\nnegate -5\nhalve [-0.5, 0.0, 1.0]\n"
    "error aten::relu: self must be Tensor, got str at position 0; "
    "schema: aten::relu(Tensor self) -> Tensor\n"
)

pytestmark = pytest.mark.skipif(CARGO is None, reason="cargo is not on PATH")


def prints(release: pathlib.Path, plugins: dict) -> str:
    plugin = release / "libfrom_rust.so"
    names = run("nm", "-D", "--defined-only", plugin).split("\n")
    assert "tenon_plugin_query" in [line.split()[-1] for line in names if line]
    # No environment variable leads to libtenon; the program's own path finds it.
    return run(release / "consumer", *plugins.values(), plugin)


def test_on_an_installed_libtenon(rust_release, plugins):
    assert prints(rust_release, plugins) == PRINTS


def test_on_a_vendored_libtenon(crates, plugins, tmp_path):
    if shutil.which("cmake") is None:
        pytest.skip("cmake is not installed")
    release = built_program(crates, tmp_path, "--features", "vendored", env={})
    assert prints(release, plugins) == PRINTS


def test_metadata(crates):
    for name, folder in crates.items():
        manifest = (folder / "Cargo.toml").read_text()
        assert 'license = "Apache-2.0"' in manifest, name
        assert 'rust-version = "1.70"' in manifest, name
        for file in ("LICENSE", "README.md", "src/lib.rs"):
            assert (folder / file).is_file(), f"{name}: {file}"


@pytest.fixture
def without_compilers(tmp_path) -> str:
    """Returns a PATH on which programs that build or find libtenon fail, as on docs.rs."""
    folder = tmp_path / "programs"
    folder.mkdir()
    for name in ("cmake", "c++", "g++", "pkg-config"):
        (folder / name).write_text(f"#!/bin/sh\necho {name} was called >&2\nexit 1\n")
        (folder / name).chmod(0o755)
    return f"{folder}{os.pathsep}{PATH}"


def test_docs_rs_can_build_the_reference(crates, without_compilers, tmp_path):
    """The features that the manifest requests for docs.rs build without library and compiler."""
    manifest = (crates["tenon"] / "Cargo.toml").read_text()
    features = 'features = [\n    "ndarray",\n    "ndarray-0_16",\n    "ndarray-0_15",\n]'
    assert f"[package.metadata.docs.rs]\n{features}" in manifest
    env = {"DOCS_RS": "1", "CARGO_TARGET_DIR": str(tmp_path / "target"), "PATH": without_compilers}
    env["RUSTDOCFLAGS"] = "--cap-lints=warn"
    patch = f"patch.crates-io.tenon-sys.path='{crates['tenon-sys']}'"
    command = [CARGO, "--config", patch, "doc", "--no-deps"]
    run(*command, "--features", "ndarray,ndarray-0_16,ndarray-0_15", cwd=crates["tenon"], env=env)
    page = (tmp_path / "target" / "doc" / "tenon" / "struct.Tensor.html").read_text()
    assert "to_ndarray" in page or "ndarray" in page
    run(CARGO, "doc", "--no-deps", cwd=crates["tenon-sys"], env=env)
    assert (tmp_path / "target" / "doc" / "tenon_sys" / "fn.tenon_version.html").exists()
