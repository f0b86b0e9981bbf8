# SPDX-License-Identifier: Apache-2.0
"""Explains why the extension cannot be imported; loaded only after such a failure."""

from __future__ import annotations

import pathlib
import sys
import sysconfig


def explain(reason: ImportError) -> str:
    """Returns a text: what this Python needs, what the package was built for, and what to do."""
    wanted = sysconfig.get_config_var("EXT_SUFFIX")
    if sysconfig.get_config_var("Py_GIL_DISABLED"):
        return (
            "tenon: Python must be a build with the GIL, got a free-threaded one "
            f"({sys.version.split()[0]}, {wanted}), which Tenon does not support yet"
        )
    remedy = "run ./dev build in the source tree, or pip install its bindings/python"
    found = sorted(path.name for path in pathlib.Path(__file__).parent.glob("_tenon.*.so"))
    if f"_tenon{wanted}" in found:
        return f"tenon: the extension _tenon{wanted} must load, got: {reason}; {remedy}"
    return (
        f"tenon: the package must be built for this Python, as _tenon{wanted}, got "
        f"{', '.join(found) or 'no extension at all'}; {remedy}"
    )
