# SPDX-License-Identifier: Apache-2.0
"""Reasons why some calls in a layer differ from the plain call."""

from __future__ import annotations

import dataclasses
import re


@dataclasses.dataclass(frozen=True)
class Reason:
    """A known kind of difference.

    Attributes:
        layers: Layers that it occurs in.
        operators: Matches the names of the overloads.
        text: Matches the difference.
        why: The explanation.
    """

    layers: tuple[str, ...]
    operators: str
    text: str
    why: str

    def covers(self, layer: str, operator: str, text: str) -> bool:
        is_one = layer in self.layers and re.fullmatch(self.operators, operator)
        return bool(is_one and re.search(self.text, text))


VIEWS_IN_PLACE = r"aten::(as_strided|squeeze|swapaxes|swapdims|t|transpose|unsqueeze)_(\..*)?"

REASONS = (
    Reason(
        ("vmap",),
        r".*",
        "must have a batching rule .* it writes its result into the argument",
        "PyTorch has no batching rules of out= overloads either.",
    ),
    Reason(
        ("vmap",),
        r"aten::_fused_(adam|adamw|sgd)_(\..*)?",
        "it returns nothing",
        "An optimizer's step updates several lists at once.",
    ),
    Reason(
        ("vmap",),
        VIEWS_IN_PLACE,
        r"^tensors\[0\]",
        "The tensor inside of the vmap becomes another view; the one outside keeps its sizes.",
    ),
    Reason(
        ("vmap",),
        r"aten::as_strided(_|_copy)?",
        r"^results\[0\]",
        "Strides are counted in the memory of the stacked tensors, which is dense.",
    ),
    Reason(
        ("functionalize",),
        rf"{VIEWS_IN_PLACE}|aten::(tril_indices|triu_indices|randint|randperm)(\..*)?out"
        r"|aten::_fused_(adam|adamw|sgd)_",
        "must have a functional overload",
        "No functional overload takes the same arguments.",
    ),
    Reason(
        ("functionalize",),
        r"aten::linalg_matrix_power|tenon::strided_scatter",
        "only known view operators",
        "A graph records the view that their kernels write as part of a composite.",
    ),
    Reason(
        ("functionalize",),
        r"aten::one_hot",
        "^not refused",
        "The largest class is looked for in tensors with elements only.",
    ),
    Reason(
        ("functionalize",),
        r"aten::normal_",
        r"^results\[0\]",
        "16 elements and more that are dense are drawn in blocks; the functional result is dense.",
    ),
    Reason(
        ("dynamic graph",),
        r"aten::(_unique2|unique_consecutive|unique_dim|masked_select)(\..*)?",
        "must have (plain|concrete) sizes",
        "The sizes of the results depend on elements.",
    ),
    Reason(
        ("dual",),
        r".*",
        r"operator must have a tangent or a gradient formula|must not require grad|"
        r"must be True where a gradient is wanted|must not be prod for second derivatives|"
        r"not supported for dtype",
        "No derivative is known, or none for these arguments.",
    ),
    Reason(
        ("tracked", "dual", "dynamic graph"),
        r"aten::linalg_(cond|eigvalsh)",
        r"^results\[0\]",
        "With vectors, which derivatives need, LAPACK rounds the values in another way.",
    ),
    Reason(
        ("threads",),
        r"tenon::linalg_lu_solve_backward",
        r"^results\[0\]",
        "The large matrix is singular, so that rounding errors grow without bound.",
    ),
)
