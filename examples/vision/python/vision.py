# SPDX-License-Identifier: Apache-2.0
"""The Python part of the vision example: the schema of to_srgb, the kernel of ink, and a caller."""

from __future__ import annotations

import tenon
from tenon.library import Library

_library: Library | None = None
_caller: Library | None = None


def ink(image, edges, strength):
    """Darkens a linear-light picture [h, w, 3] where the edges [h, w] in [0, 1] are strong."""
    return image * (1.0 - edges.unsqueeze(-1) * strength)


def pipeline(image):
    """Runs the five operators; returns the blurred picture, the edges and the result."""
    ops = tenon.ops.vision
    linear = ops.to_linear(image)
    blurred = ops.gaussian_blur(linear)
    edges, _ = ops.edges(blurred, gain=4.0)
    inked = ops.ink(linear, edges, strength=0.9)
    return blurred, edges, ops.to_srgb(inked)


def register() -> None:
    """Registers schema, kernel and caller."""
    global _library, _caller
    _library = Library("vision", "FRAGMENT")
    _library.define("to_srgb(Tensor image) -> Tensor")
    _library.impl("ink", ink, "CPU")
    _caller = Library("vision_python", "DEF")
    _caller.define("pipeline(Tensor image) -> (Tensor, Tensor, Tensor)")
    _caller.impl("pipeline", pipeline, "CompositeImplicitAutograd")


def unregister() -> None:
    """Removes them again."""
    global _library, _caller
    for library in (_caller, _library):
        if library is not None:
            library._destroy()
    _library = _caller = None


register()
