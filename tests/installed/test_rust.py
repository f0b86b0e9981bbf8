# SPDX-License-Identifier: Apache-2.0
"""The crates: a program and a plugin on them, with an installed libtenon and with a built one."""

from __future__ import annotations

import os
import pathlib
import shutil

import pytest
from conftest import artefact, run

HERE = pathlib.Path(__file__).parent
PATH = f"{os.environ['PATH']}{os.pathsep}{pathlib.Path.home()}/.cargo/bin"
CARGO = shutil.which("cargo", path=PATH)
PRINTS = (
    "square 49\nrelu [0.0, 0.0, 2.0]\ntwice [-2.0, 0.0, 4.0]\nnegate -5\nhalve [-0.5, 0.0, 1.0]\n"
    "error aten::relu: self must be Tensor, got str at position 0; "
    "schema: aten::relu(Tensor self) -> Tensor\n"
)

pytestmark = pytest.mark.skipif(CARGO is None, reason="cargo is not on PATH")


@pytest.fixture(scope="session")
def crates(tmp_path_factory):
    """Both packages, unpacked: name -> folder."""
    folder = tmp_path_factory.mktemp("crates")
    for name in ("tenon-sys", "tenon"):
        run("tar", "-xf", artefact(f"{name}-[0-9]*.crate"), "-C", folder)
    return {name: next(folder.glob(f"{name}-[0-9]*")) for name in ("tenon-sys", "tenon")}


def built(crates: dict, project: str, folder: pathlib.Path, *options: str, env: dict):
    """Builds a copy of a project of this folder; the crates stand in for those of crates.io."""
    copy = folder / project
    shutil.copytree(HERE / project, copy)
    patches = [
        word
        for name, path in crates.items()
        for word in ("--config", f"patch.crates-io.{name}.path='{path}'")
    ]
    # Both projects share what they build of the crates.
    env = {**env, "CARGO_TARGET_DIR": str(folder / "target")}
    run(CARGO, *patches, "build", "--release", *options, cwd=copy, env=env)
    return folder / "target" / "release"


def prints(crates: dict, plugins: dict, folder: pathlib.Path, *options: str, env: dict) -> str:
    release = built(crates, "rust_plugin", folder, *options, env=env)
    built(crates, "rust", folder, *options, env=env)
    plugin = release / "libfrom_rust.so"
    names = run("nm", "-D", "--defined-only", plugin).split("\n")
    assert "tenon_plugin_query" in [line.split()[-1] for line in names if line]
    # Nothing says where libtenon is but the program itself.
    return run(release / "consumer", *plugins.values(), plugin)


def test_on_an_installed_libtenon(crates, prefix, plugins, tmp_path):
    if shutil.which("pkg-config") is None:
        pytest.skip("pkg-config is not installed")
    (folder,) = prefix.glob("lib*/pkgconfig")
    assert prints(crates, plugins, tmp_path, env={"PKG_CONFIG_PATH": str(folder)}) == PRINTS


def test_on_a_vendored_libtenon(crates, plugins, tmp_path):
    if shutil.which("cmake") is None:
        pytest.skip("cmake is not installed")
    assert prints(crates, plugins, tmp_path, "--features", "vendored", env={}) == PRINTS


def test_metadata(crates):
    for name, folder in crates.items():
        manifest = (folder / "Cargo.toml").read_text()
        assert 'license = "Apache-2.0"' in manifest, name
        assert 'rust-version = "1.70"' in manifest, name
        for file in ("LICENSE", "README.md", "src/lib.rs"):
            assert (folder / file).is_file(), f"{name}: {file}"
