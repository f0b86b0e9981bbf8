# SPDX-License-Identifier: Apache-2.0
"""The folder in which programs keep the models that they download."""

from __future__ import annotations

import os
import re
from urllib.parse import urlparse

# Finds the first digits of a hash in the name of a file: "net-0123abcd.pth".
HASH_REGEX = re.compile(r"-([a-f0-9]*)\.")

_folder: str | None = None


def _get_torch_home() -> str:
    """Returns $TORCH_HOME, or the folder torch in the user's cache."""
    cache = os.environ.get("XDG_CACHE_HOME", os.path.join("~", ".cache"))
    return os.path.expanduser(os.environ.get("TORCH_HOME", os.path.join(cache, "torch")))


def get_dir() -> str:
    """Returns the folder of downloaded models: the one set, or `hub` in `$TORCH_HOME`."""
    return _folder if _folder is not None else os.path.join(_get_torch_home(), "hub")


def set_dir(d: str | os.PathLike[str]) -> None:
    """Sets the folder of downloaded models."""
    global _folder
    _folder = os.path.expanduser(os.fspath(d))


__all__ = ["HASH_REGEX", "_get_torch_home", "get_dir", "set_dir", "urlparse"]
