# SPDX-License-Identifier: Apache-2.0
"""Printing of tensors: PyTorch's options, and the printer for options other than the defaults.

With the default options, the core prints tensors. `set_printoptions` installs the printer below for
any other options, and removes it when the options are the defaults again.
"""

from __future__ import annotations

import math
import re
from contextlib import contextmanager
from dataclasses import dataclass, replace

from . import _tenon
from ._tenon import Tensor

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any


@dataclass
class _Options:
    """The number of decimals, how much of a tensor is printed, and the width of lines."""

    precision: int = 4
    threshold: float = 1000
    edgeitems: int = 3
    linewidth: int = 80
    sci_mode: bool | None = None


_PROFILES = {
    "default": _Options(),
    "short": _Options(precision=2, edgeitems=2),
    "full": _Options(threshold=math.inf),
}

PRINT_OPTS = _Options()


class _Numbers:
    """Formats the elements of a tensor, or their real or imaginary parts, in one width."""

    def __init__(self, values: list[Any], floating: bool) -> None:
        """Finds the notation and width from the elements that are printed."""
        self.floating, self.width = floating, 1
        self.whole = self.scientific = False
        if not floating:
            self.width = max((len(str(value)) for value in values), default=1)
            return
        finite = [abs(value) for value in values if math.isfinite(value) and value != 0]
        self.whole = all(value == math.ceil(value) for value in finite)
        if finite:
            low, high = min(finite), max(finite)
            self.scientific = high / low > 1000 or high > 1e8 or (not self.whole and low < 1e-4)
        if PRINT_OPTS.sci_mode is not None:
            self.scientific = PRINT_OPTS.sci_mode
        if finite:
            shown = [value for value in values if math.isfinite(value) and value != 0]
            self.width = max(len(self.text(value)) for value in shown)

    def text(self, value: Any) -> str:
        """Returns one number without padding."""
        if not self.floating:
            return str(value)
        if self.scientific:
            return f"{value:.{PRINT_OPTS.precision}e}"
        if self.whole:
            return f"{value:.0f}" + ("." if math.isfinite(value) else "")
        return f"{value:.{PRINT_OPTS.precision}f}"

    def __call__(self, value: Any) -> str:
        return self.text(value).rjust(self.width)


class _Complex:
    """Formats complex numbers by the formats of their parts."""

    def __init__(self, values: list[complex]) -> None:
        """Finds the formats of both parts."""
        self.real = _Numbers([value.real for value in values], True)
        self.imag = _Numbers([value.imag for value in values], True)
        self.width = self.real.width + self.imag.width + 1

    def __call__(self, value: complex) -> str:
        imag = self.imag(value.imag).lstrip()
        return self.real(value.real) + ("" if value.imag < 0 else "+") + imag + "j"


def _leaves(data: Any) -> Iterator[Any]:
    if not isinstance(data, list):
        if data is not Ellipsis:
            yield data
        return
    for item in data:
        yield from _leaves(item)


def _shown(tensor: Tensor, summarize: bool) -> Any:
    """Returns the elements as nested lists, with Ellipsis where some are left out."""
    edge = PRINT_OPTS.edgeitems
    if not summarize or tensor.ndim == 0:
        return tensor.tolist()
    if tensor.shape[0] <= 2 * edge:
        return [_shown(row, summarize) for row in tensor]
    head = [_shown(tensor[i], summarize) for i in range(edge)]
    tail = [_shown(tensor[tensor.shape[0] - edge + i], summarize) for i in range(edge)]
    return [*head, Ellipsis, *tail]


def _body(data: Any, ndim: int, indent: int, form: Any) -> str:
    if ndim == 0:
        return form(data)
    if ndim > 1:
        rows = [
            "..." if row is Ellipsis else _body(row, ndim - 1, indent + 1, form) for row in data
        ]
        return "[" + ("," + "\n" * (ndim - 1) + " " * (indent + 1)).join(rows) + "]"
    items = [" ..." if item is Ellipsis else form(item) for item in data]
    step = max(1, (PRINT_OPTS.linewidth - indent) // (form.width + 2))
    lines = [", ".join(items[i : i + step]) for i in range(0, len(items), step)]
    return "[" + (",\n" + " " * (indent + 1)).join(lines) + "]"


# The text after the elements when the core prints a tensor.
_SUFFIX = re.compile(
    r", (device='[^']*'|size=\([^)]*\)|dtype=[\w.]+|requires_grad=True|grad_fn=<[^>]*>)"
)


def _print(tensor: Tensor, usual: str) -> str:
    """Prints a tensor by the options; `usual` is what the core prints."""
    plain = tensor.detach()
    if not usual.startswith("tensor(") or "..." in usual[:11] or plain.numel() == 0:
        return usual
    indent = len("tensor(")
    data = _shown(plain, plain.numel() > PRINT_OPTS.threshold)
    values = list(_leaves(data))
    form: Any = (
        _Complex(values) if plain.is_complex() else _Numbers(values, plain.is_floating_point())
    )
    text = "tensor(" + _body(data, plain.ndim, indent, form)
    last = len(text) - text.rfind("\n") + 1
    for suffix in _SUFFIX.findall(usual.replace(",\n" + " " * indent, ", ")):
        if last + len(suffix) + 2 > PRINT_OPTS.linewidth:
            text += ",\n" + " " * indent + suffix
            last = indent + len(suffix)
        else:
            text += ", " + suffix
            last += len(suffix) + 2
    return text + ")"


def set_printoptions(
    precision: int | None = None,
    threshold: float | None = None,
    edgeitems: int | None = None,
    linewidth: int | None = None,
    profile: str | None = None,
    sci_mode: bool | None = None,
) -> None:
    """Sets how tensors print.

    Args:
        precision: The number of decimals: 4.
        threshold: The number of elements above which only the edges are printed: 1000.
        edgeitems: The number of items at each edge of a dim: 3.
        linewidth: The number of characters in a line: 80.
        profile: "default", "short" or "full": options to begin with. Any other value keeps the
            current options.
        sci_mode: Whether numbers have exponents; None, also where it is left out, chooses.
    """
    if profile in _PROFILES:
        vars(PRINT_OPTS).update(vars(_PROFILES[profile]))
    given = {
        "precision": precision,
        "threshold": threshold,
        "edgeitems": edgeitems,
        "linewidth": linewidth,
    }
    for name, value in given.items():
        if value is not None:
            setattr(PRINT_OPTS, name, value)
    PRINT_OPTS.sci_mode = sci_mode
    _tenon.set_tensor_printer(None if _PROFILES["default"] == PRINT_OPTS else _print)


def get_printoptions() -> dict[str, Any]:
    """Returns the options by name."""
    return dict(vars(PRINT_OPTS))


@contextmanager
def printoptions(**options: Any) -> Iterator[None]:
    """Sets options in a `with` block and restores them after it."""
    before = replace(PRINT_OPTS)
    set_printoptions(**options)
    try:
        yield
    finally:
        set_printoptions(**vars(before))


__all__ = ["PRINT_OPTS", "get_printoptions", "printoptions", "set_printoptions"]
