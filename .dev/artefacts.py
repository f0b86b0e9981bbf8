# SPDX-License-Identifier: Apache-2.0
"""Reads the members of the archives in dist/, whatever their format."""

from __future__ import annotations

import hashlib
import io
import pathlib
import re
import subprocess
import tarfile
import zipfile
from collections.abc import Iterator

SHARED = re.compile(r"\.so(\.\d+)*$")


def sha256(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()


def members(path: pathlib.Path) -> Iterator[tuple[str, bytes]]:
    """Yields the name and content of each plain file in an archive; nothing for other files."""
    if path.suffix in (".whl", ".jar"):
        with zipfile.ZipFile(path) as archive:
            for name in archive.namelist():
                if not name.endswith("/"):
                    yield name, archive.read(name)
    elif path.suffix in (".gz", ".crate"):
        with tarfile.open(path) as archive:
            yield from _plain(archive)
    elif path.suffix == ".deb":
        content = subprocess.check_output(["dpkg-deb", "--fsys-tarfile", path])
        with tarfile.open(fileobj=io.BytesIO(content)) as archive:
            yield from _plain(archive)


def _plain(archive: tarfile.TarFile) -> Iterator[tuple[str, bytes]]:
    for member in archive:
        file = archive.extractfile(member) if member.isreg() else None
        if file is not None:
            yield member.name, file.read()


def libraries(path: pathlib.Path) -> list[tuple[str, bytes]]:
    """Returns the shared libraries in an archive, by the last part of their names."""
    return [
        (name.rpartition("/")[2], content)
        for name, content in members(path)
        if SHARED.search(name) and content.startswith(b"\x7fELF")
    ]
