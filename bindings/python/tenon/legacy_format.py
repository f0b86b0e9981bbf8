# SPDX-License-Identifier: Apache-2.0
"""PyTorch's format of files before zip archives: pickles one after the other, then memory.

A file begins with a magic number, a version and facts about the machine, then comes the object, the
keys of its storages, and for each storage the number of its elements and its bytes.
"""

from __future__ import annotations

import io
import pickle
import struct
import sys

from .error import NotSupportedError, StateError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

HEAD = 64  # bytes, of which the magic number is the first
MAGIC = 0x1950A86A20F9469CFC6C
VERSION = 1001


def is_legacy(data: bytes) -> bool:
    """Returns true if data begins with a pickle of the magic number."""
    try:
        return bool(_Plain(io.BytesIO(data[:HEAD])).load() == MAGIC)
    except Exception:
        return False


def write(f: Any, pickled: bytes, storages: list[tuple[str, int, bytes]]) -> None:
    """Writes an object that is pickled already, and its storages: key, element size, bytes."""
    facts = {
        "protocol_version": VERSION,
        "little_endian": sys.byteorder == "little",
        "type_sizes": {"short": 2, "int": 4, "long": 4},
    }
    for part in (MAGIC, VERSION, facts):
        pickle.dump(part, f, protocol=2)
    f.write(pickled)
    pickle.dump([key for key, _, _ in storages], f, protocol=2)
    for _, size, data in storages:
        f.write(struct.pack("<q", len(data) // size))
        f.write(data)


class _Plain(pickle.Unpickler):
    """Reads numbers, texts and containers."""

    def find_class(self, module: str, name: str) -> Any:
        raise pickle.UnpicklingError(
            f"load: the file must begin with a dict of facts, got {module}.{name}"
        )


def read(data: bytes, reader: Any) -> Any:
    """Reads a file of this format.

    Args:
        data: The file.
        reader: Makes an unpickler of a stream; it has `storages`, which `fill` fills with bytes.
    """
    stream = io.BytesIO(data)
    for wanted in (MAGIC, VERSION):
        if _Plain(stream).load() != wanted:
            raise StateError("load: the file must be of version 1001, got another")
    facts = _Plain(stream).load()
    if facts.get("little_endian", True) != (sys.byteorder == "little"):
        raise NotSupportedError("load: the file must have the byte order of this machine")
    unpickler = reader(stream)
    found = unpickler.load()
    for key in _Plain(stream).load():
        (count,) = struct.unpack("<q", stream.read(8))
        unpickler.fill(str(key), count, stream)
    return found


__all__ = ["HEAD", "MAGIC", "VERSION", "is_legacy", "read", "write"]
