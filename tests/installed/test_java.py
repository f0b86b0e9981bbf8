# SPDX-License-Identifier: Apache-2.0
"""The Maven repository: a program that uses its jars, and how natives are extracted from them."""

from __future__ import annotations

import concurrent.futures
import os
import pathlib
import shutil
import subprocess

import pytest
from conftest import DIST, run

HERE = pathlib.Path(__file__).parent
PRINTS = (
    "square 49\nrelu [0.0, 0.0, 2.0]\ntwice [-2.0, 0.0, 4.0]\nnegate -5\n"
    "error aten::relu: self must be Tensor, got str at position 0; "
    "schema: aten::relu(Tensor self) -> Tensor\n"
)
NATIVES = ["libtenon.so.0", "libtenon_cpu.so", "libtenon_java.so"]

HOME = os.environ.get("JAVA_HOME") or ""
PATH = f"{HOME}/bin{os.pathsep}{os.environ['PATH']}" if HOME else os.environ["PATH"]
JAVA, JAVAC, JAR = (shutil.which(name, path=PATH) for name in ("java", "javac", "jar"))

pytestmark = pytest.mark.skipif(JAVAC is None, reason="javac is not on PATH")


def jar(classifier: str = "") -> pathlib.Path:
    (folder,) = (DIST / "maven" / "dev" / "tenon" / "tenon").iterdir()
    return folder / f"tenon-{folder.name}{classifier}.jar"


@pytest.fixture(scope="session")
def classes(tmp_path_factory):
    folder = tmp_path_factory.mktemp("classes")
    run(JAVAC, "-Xlint:all", "-cp", jar(), "-d", folder, HERE / "java" / "Consumer.java")
    return folder


@pytest.fixture
def java(classes, plugins):
    """Returns a function that runs the program on the jars, with options and variables."""
    (natives,) = jar().parent.glob("tenon-*-linux-*.jar")
    path = f"{jar()}:{natives}:{classes}"

    def call(*options: str, env: dict | None = None, within: list[str] | None = None) -> str:
        command = [*(within or []), JAVA, *options, "-cp", path, "Consumer", *plugins.values()]
        return run(*command, env=env or {})

    return call


def unpacked(cache: pathlib.Path) -> pathlib.Path:
    """Returns the only folder in a cache, in which nothing else may be left."""
    (folder,) = (cache / "tenon").iterdir()
    assert sorted(path.name for path in folder.iterdir()) == NATIVES
    return folder


def test_program(java, tmp_path):
    assert java(env={"XDG_CACHE_HOME": str(tmp_path)}) == PRINTS
    before = {path: path.stat().st_mtime_ns for path in unpacked(tmp_path).iterdir()}
    assert java(env={"XDG_CACHE_HOME": str(tmp_path)}) == PRINTS
    assert {path: path.stat().st_mtime_ns for path in unpacked(tmp_path).iterdir()} == before


def test_processes_at_once(java, tmp_path):
    env = {"XDG_CACHE_HOME": str(tmp_path)}
    with concurrent.futures.ThreadPoolExecutor(4) as pool:
        said = list(pool.map(lambda _: java(env=env), range(4)))
    assert said == [PRINTS] * 4
    unpacked(tmp_path)


def test_a_broken_file_is_unpacked_again(java, tmp_path):
    option = f"-Dtenon.cache.path={tmp_path}"
    assert java(option) == PRINTS
    broken = unpacked(tmp_path) / "libtenon.so.0"
    whole = broken.read_bytes()
    broken.write_bytes(whole[: len(whole) // 2])
    assert java(option) == PRINTS
    assert (unpacked(tmp_path) / "libtenon.so.0").read_bytes() == whole


def test_a_cache_that_cannot_be_written(java, tmp_path):
    """If a file blocks the cache folder's path, a temporary folder is used and then removed."""
    (tmp_path / "tenon").write_text("in the way")
    temporary = tmp_path / "temporary"
    temporary.mkdir()
    options = (f"-Djava.io.tmpdir={temporary}", f"-Dtenon.cache.path={tmp_path}")
    assert java(*options) == PRINTS
    assert not [path for path in temporary.iterdir() if path.name.startswith("tenon")]


def mounting(option: str, *folders: pathlib.Path) -> list[str]:
    """Returns a command prefix that mounts empty file systems on the folders for a program."""
    enter = ["unshare", "--user", "--map-root-user", "--mount"]
    probe = [*enter, "mount", "-t", "tmpfs", "-o", option, "none", str(folders[0])]
    if shutil.which("unshare") is None or subprocess.run(probe).returncode != 0:
        pytest.skip("unshare gives no namespace for mounts here")
    mounts = "".join(f"mount -t tmpfs -o {option} none {folder} && " for folder in folders)
    return [*enter, "sh", "-c", f'{mounts}exec "$@"', "sh"]


def test_a_cache_that_nothing_is_run_from(java, tmp_path):
    """A temporary folder is used; if it is noexec too, the error says what to do."""
    cache, temporary = (tmp_path / name for name in ("cache", "temporary"))
    cache.mkdir()
    temporary.mkdir()
    options = (f"-Dtenon.cache.path={cache}", f"-Djava.io.tmpdir={temporary}")
    assert java(*options, within=mounting("noexec", cache)) == PRINTS
    with pytest.raises(AssertionError, match="-Dtenon.cache.path=FOLDER names a folder"):
        java(*options, within=mounting("noexec", cache, temporary))


def test_a_home_that_cannot_be_written(java, tmp_path):
    option = f"-Duser.home={tmp_path}"
    assert java(option, env={"XDG_CACHE_HOME": ""}, within=mounting("ro", tmp_path)) == PRINTS


def test_modules(plugins, tmp_path):
    """Runs a program that is a module, with the two jars as modules."""
    package = tmp_path / "sources" / "consumer"
    package.mkdir(parents=True)
    text = (HERE / "java" / "Consumer.java").read_text()
    (package / "Consumer.java").write_text(f"package consumer;\n{text}")
    description = package.parent / "module-info.java"
    description.write_text("module consumer {\n  requires dev.tenon;\n}\n")
    classes = tmp_path / "classes"
    sources = [description, package / "Consumer.java"]
    run(JAVAC, "-Xlint:all", "--module-path", jar(), "-d", classes, *sources)
    (natives,) = jar().parent.glob("tenon-*-linux-*.jar")
    command = [JAVA, f"-Dtenon.cache.path={tmp_path}", "--add-modules", "dev.tenon.natives"]
    command += ["--module-path", f"{jar()}:{natives}:{classes}", "-m", "consumer/consumer.Consumer"]
    assert run(*command, *plugins.values()) == PRINTS
    described = run(JAR, "--describe-module", "--file", jar())
    assert described.startswith("dev.tenon@") or described.startswith("dev.tenon jar:")
    assert "contains dev.tenon.internal" in described


def test_without_natives(classes):
    with pytest.raises(AssertionError, match="in a jar of natives for linux-") as refused:
        run(JAVA, "-cp", f"{jar()}:{classes}", "Consumer")
    assert "-Dtenon.library.path=FOLDER" in str(refused.value)


def test_repository(tmp_path):
    names = {path.name for path in jar().parent.iterdir()}
    version = jar().parent.name
    for kind in ("", "-sources", "-javadoc"):
        assert {f"tenon-{version}{kind}.jar", f"tenon-{version}{kind}.jar.sha1"} <= names
    assert f"tenon-{version}.pom" in names
    listed = run(JAR, "--list", "--file", jar("-javadoc"))
    assert "dev/tenon/Tensor.html" in listed
    listed = run(JAR, "--list", "--file", jar())
    assert "dev/tenon/Tensor.class" in listed and "META-INF/versions/22/" in listed


@pytest.mark.skipif(shutil.which("mvn") is None, reason="mvn is not installed")
def test_maven_project(tmp_path):
    """Maven finds both jars in the repository, and compiles against them."""
    local = tmp_path / "local"
    command = [
        "mvn",
        "-B",
        "-q",
        "-f",
        HERE / "java" / "pom.xml",
        "test-compile",
        f"-Dout={tmp_path}",
    ]
    command += [f"-Drepository={(DIST / 'maven').as_uri()}", f"-Dmaven.repo.local={local}"]
    # Reuse Maven's own plugins, which the binding's tests have downloaded.
    known = pathlib.Path.home() / ".m2" / "repository"
    if known.is_dir():
        shutil.copytree(known, local, ignore=shutil.ignore_patterns("dev", "_remote.repositories"))
    run(*command, env={"JAVA_HOME": HOME} if HOME else {})
    assert (tmp_path / "classes" / "Consumer.class").exists()
    assert {path.name for path in (local / "dev" / "tenon" / "tenon").rglob("*.jar")} == {
        jar().name,
        next(jar().parent.glob("tenon-*-linux-*.jar")).name,
    }
