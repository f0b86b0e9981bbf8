# SPDX-License-Identifier: Apache-2.0
"""The Java artefacts, in a folder that Maven and Gradle take as a repository."""

from __future__ import annotations

import hashlib
import pathlib
import platform
import shutil
import time
import zipfile

import artefacts
import environment
import machine
import ui

JAVA = ui.ROOT / "bindings" / "java"
# Licences in the META-INF of jars. The jar of natives also has those of third-party code.
LICENCE = ui.ROOT / "LICENSE"
OTHERS = ui.ROOT / "capi" / "THIRD_PARTY_LICENSES.txt"
POM = """\
<?xml version="1.0" encoding="UTF-8"?>
<project xmlns="http://maven.apache.org/POM/4.0.0">
  <modelVersion>4.0.0</modelVersion>
  <groupId>dev.tenon</groupId>
  <artifactId>tenon</artifactId>
  <version>{version}</version>
  <name>Tenon</name>
  <description>Operator dispatcher and tensor core: Java binding</description>
  <licenses>
    <license>
      <name>Apache-2.0</name>
      <url>https://www.apache.org/licenses/LICENSE-2.0</url>
    </license>
  </licenses>
</project>
"""


def make(repository: pathlib.Path, version: str, seconds: int) -> None:
    """Makes the jars of classes, natives, sources and Javadoc; files get the time `seconds`."""
    folder = repository / "dev" / "tenon" / "tenon" / version
    folder.mkdir(parents=True)
    name = f"tenon-{version}"
    build = environment.build_dir("release")
    work = build / "packages-java"
    shutil.rmtree(work, ignore_errors=True)
    _repack(build / "bindings" / "java" / "tenon.jar", folder / f"{name}.jar", seconds)
    classifier = f"linux-{platform.machine()}"
    natives = _natives(work / "natives", classifier)
    module = "Automatic-Module-Name: dev.tenon.natives\r\n"
    _jar(folder / f"{name}-{classifier}.jar", natives, seconds, module, (LICENCE, OTHERS))
    _jar(folder / f"{name}-sources.jar", _sources(work / "sources", build), seconds)
    _jar(folder / f"{name}-javadoc.jar", javadoc(work / "javadoc", build), seconds)
    (folder / f"{name}.pom").write_text(POM.format(version=version))
    for path in sorted(folder.iterdir()):
        digest = hashlib.sha1(path.read_bytes()).hexdigest()
        path.with_name(path.name + ".sha1").write_text(digest)


def _natives(content: pathlib.Path, classifier: str) -> pathlib.Path:
    """Copies the stripped libraries and writes the index of SHA-256 sums that the loader checks."""
    lib = environment.build_dir("release") / "shipped"
    folder = content / "dev" / "tenon" / "native" / classifier
    folder.mkdir(parents=True)
    (libtenon,) = (path for path in lib.glob("libtenon.so.*") if path.name.count(".") == 2)
    index = ""
    for path in (libtenon, lib / "libtenon_cpu.so", lib / "libtenon_java.so"):
        target = folder / path.name
        shutil.copy(path, target)
        ui.run(f"strip {path.name}", ["strip", target], quiet=True)
        index += f"{artefacts.sha256(target.read_bytes())}  {path.name}\n"
    (folder / "index").write_text(index)
    return content


def _sources(content: pathlib.Path, build: pathlib.Path) -> pathlib.Path:
    shutil.copytree(JAVA / "src" / "main" / "java", content)
    shutil.copytree(build / "bindings" / "java" / "swig", content, dirs_exist_ok=True)
    shutil.copytree(build / "generated" / "java", content, dirs_exist_ok=True)
    return content


def javadoc(content: pathlib.Path, build: pathlib.Path) -> pathlib.Path:
    """Writes the reference of the built classes into a folder."""
    home = machine.java_home()
    program = home / "bin" / "javadoc" if home else "javadoc"
    classes = build / "bindings" / "java" / "classes"
    command = [program, "-quiet", "-Xdoclint:all,-missing", "-notimestamp", "-d", content]
    command += ["-encoding", "UTF-8", "-charset", "UTF-8", "-cp", classes]
    sources = f"{JAVA / 'src' / 'main' / 'java'}:{build / 'generated' / 'java'}"
    command += ["-sourcepath", sources, "dev.tenon"]
    ui.run("write Javadoc", command)
    return content


def _repack(built: pathlib.Path, jar: pathlib.Path, seconds: int) -> None:
    """Rewrites a jar of the JDK with sorted entries and one timestamp, without folder entries."""
    stamp = time.gmtime(max(seconds, 315532800))[:6]
    with zipfile.ZipFile(built) as source, zipfile.ZipFile(jar, "w") as target:
        content = {name: source.read(name) for name in source.namelist() if name[-1] != "/"}
        content["META-INF/LICENSE"] = LICENCE.read_bytes()
        for name in sorted(content, key=lambda name: (name != "META-INF/MANIFEST.MF", name)):
            entry = zipfile.ZipInfo(name, stamp)
            entry.compress_type = zipfile.ZIP_DEFLATED
            target.writestr(entry, content[name])


def _jar(
    jar: pathlib.Path,
    content: pathlib.Path,
    seconds: int,
    manifest: str = "",
    licences: tuple = (LICENCE,),
) -> None:
    """Packs files reproducibly: sorted, all with the same timestamp."""
    stamp = time.gmtime(max(seconds, 315532800))[:6]  # zip timestamps start at 1980
    files = {str(path.relative_to(content)): path for path in content.rglob("*") if path.is_file()}
    files |= {f"META-INF/{path.name}": path for path in licences}
    name = "META-INF/MANIFEST.MF"
    lines = f"Manifest-Version: 1.0\r\n{manifest}\r\n"
    with zipfile.ZipFile(jar, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr(zipfile.ZipInfo(name, stamp), lines)
        for member, path in sorted(files.items()):
            entry = zipfile.ZipInfo(member, stamp)
            entry.compress_type = zipfile.ZIP_DEFLATED
            archive.writestr(entry, path.read_bytes())
