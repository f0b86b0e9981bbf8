# SPDX-License-Identifier: Apache-2.0
"""Checks the bill of materials against the files, and the licences in each of them."""

from __future__ import annotations

import json
import pathlib
import subprocess
import sys

import pytest
from conftest import DIST, ROOT, artefact
from cyclonedx.schema import SchemaVersion
from cyclonedx.validation.json import JsonStrictValidator

sys.path.append(str(ROOT / ".dev"))
import artefacts  # noqa: E402
import linked  # noqa: E402

OTHERS = "THIRD_PARTY_LICENSES.txt"


@pytest.fixture(scope="module")
def text() -> str:
    return artefact("tenon-*.cdx.json").read_text()


@pytest.fixture(scope="module")
def document(text) -> dict:
    return json.loads(text)


def shipped() -> list[pathlib.Path]:
    """Lists the files that a bill of materials covers: all but itself and its checksums."""
    return sorted(
        path
        for path in DIST.rglob("*")
        if path.is_file() and path.name != "SHA256SUMS" and not path.name.endswith(".cdx.json")
    )


def digests(document: dict) -> dict[str, str]:
    """Returns the references of files and libraries by SHA-256."""
    return {
        component["hashes"][0]["content"]: component["bom-ref"]
        for component in document["components"]
        if "hashes" in component
    }


def needs(document: dict) -> dict[str, list[str]]:
    return {one["ref"]: one.get("dependsOn", []) for one in document["dependencies"]}


def test_the_document_is_cyclonedx(text):
    assert JsonStrictValidator(SchemaVersion.V1_6).validate_str(text) is None
    spoilt = text.replace('"components"', '"compounds"')
    assert JsonStrictValidator(SchemaVersion.V1_6).validate_str(spoilt) is not None


def test_each_file_is_named_by_its_checksum(document):
    known = digests(document)
    for path in shipped():
        digest = artefacts.sha256(path.read_bytes())
        assert known.get(digest, "").startswith(f"{path.relative_to(DIST)}@"), path.name
    files = [one for one in document["components"] if one["type"] == "file"]
    assert len(files) == len({artefacts.sha256(path.read_bytes()) for path in shipped()})


def test_each_library_is_named_below_its_file(document):
    known, below = digests(document), needs(document)
    for path in shipped():
        own = known[artefacts.sha256(path.read_bytes())]
        inside = {known[artefacts.sha256(content)] for _, content in artefacts.libraries(path)}
        assert inside <= set(below[own]), path.name
        native = "-linux-" in path.name and path.suffix in (".jar", ".gz")
        if native or path.suffix == ".whl" or path.name.startswith("libtenon0_"):
            assert inside, path.name


def test_what_a_library_holds_is_what_it_does_not_ask_for(document, tmp_path):
    """The C++ library is contained in each library that does not load it as a file."""
    known, below = digests(document), needs(document)
    seen = 0
    for path in shipped():
        for name, content in artefacts.libraries(path):
            file = tmp_path / name
            file.write_bytes(content)
            asked = subprocess.check_output(["readelf", "-d", file], text=True)
            assert "libstdc++" not in asked, name
            parts = below[known[artefacts.sha256(content)]]
            if b"St9exception" in content:
                assert any(part.startswith("libstdc++@") for part in parts), name
                seen += 1
            assert any(part.startswith("libgcc@") for part in parts), name
    assert seen >= 4


def test_unknown_files_of_others_are_refused():
    said = "header\n\n/usr/lib/libother.a(part.o)\n    (f)\nLOAD /usr/lib/crti.o\n"
    with pytest.raises(ValueError, match="must say whose libother.a is"):
        linked.others(said)
    assert linked.others(said.replace("libother", "libstdc++")) == {"libstdc++", "glibc"}


def licences(path: pathlib.Path) -> dict[str, bytes]:
    names = ("LICENSE", OTHERS, "copyright", "jquery.md", "jqueryUI.md")
    return {
        name.rpartition("/")[2]: content
        for name, content in artefacts.members(path)
        if name.rpartition("/")[2] in names
    }


def test_each_archive_has_the_licences():
    own = (ROOT / "LICENSE").read_bytes()
    others = (ROOT / "capi" / OTHERS).read_bytes()
    for path in shipped():
        found = licences(path)
        if path.suffix == ".deb":
            assert found["copyright"].startswith(b"Format: https://www.debian.org/"), path.name
        elif path.suffix not in (".pom", ".sha1"):
            assert found["LICENSE"] == own, path.name
        if artefacts.libraries(path):
            assert found[OTHERS] == others, path.name


def test_the_javadoc_has_those_of_the_scripts_in_it(document):
    (jar,) = DIST.rglob("*-javadoc.jar")
    found = licences(jar)
    assert b"MIT" in found["jquery.md"] or b"Permission is hereby granted" in found["jquery.md"]
    assert b"Permission is hereby granted" in found["jqueryUI.md"]
    below = needs(document)[digests(document)[artefacts.sha256(jar.read_bytes())]]
    assert sorted(name.split("@")[0] for name in below) == ["jquery", "jquery-ui"]


def test_wheels_name_the_licences():
    for wheel in DIST.glob("*.whl"):
        (metadata,) = (
            content.decode()
            for name, content in artefacts.members(wheel)
            if name.endswith(".dist-info/METADATA")
        )
        head = metadata.split("\n\n", 1)[0].splitlines()
        assert {"License-File: LICENSE", f"License-File: {OTHERS}"} <= set(head), wheel.name
