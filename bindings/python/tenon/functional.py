# SPDX-License-Identifier: Apache-2.0
"""Operators of ATen as functions: `tenon.add(a, b)` is `tenon.ops.aten.add(a, b)`."""

from __future__ import annotations

from ._tenon import OpOverloadPacket
from .ops import _packet


def _aten(name: str) -> OpOverloadPacket:
    return _packet(f"aten::{name}")


abs = _aten("abs")
add = _aten("add")
amax = _aten("amax")
argmax = _aten("argmax")
bmm = _aten("bmm")
cat = _aten("cat")
clone = _aten("clone")
cos = _aten("cos")
detach = _aten("detach")
div = _aten("div")
eq = _aten("eq")
exp = _aten("exp")
ge = _aten("ge")
gt = _aten("gt")
le = _aten("le")
log = _aten("log")
lt = _aten("lt")
matmul = _aten("matmul")
maximum = _aten("maximum")
mean = _aten("mean")
minimum = _aten("minimum")
mm = _aten("mm")
mul = _aten("mul")
ne = _aten("ne")
neg = _aten("neg")
nonzero = _aten("nonzero")
permute = _aten("permute")
relu = _aten("relu")
reshape = _aten("reshape")
select = _aten("select")
sigmoid = _aten("sigmoid")
sin = _aten("sin")
sqrt = _aten("sqrt")
squeeze = _aten("squeeze")
sub = _aten("sub")
sum = _aten("sum")
tanh = _aten("tanh")
transpose = _aten("transpose")
unsqueeze = _aten("unsqueeze")
where = _aten("where")

__all__ = [
    "abs",
    "add",
    "amax",
    "argmax",
    "bmm",
    "cat",
    "clone",
    "cos",
    "detach",
    "div",
    "eq",
    "exp",
    "ge",
    "gt",
    "le",
    "log",
    "lt",
    "matmul",
    "maximum",
    "mean",
    "minimum",
    "mm",
    "mul",
    "ne",
    "neg",
    "nonzero",
    "permute",
    "relu",
    "reshape",
    "select",
    "sigmoid",
    "sin",
    "sqrt",
    "squeeze",
    "sub",
    "sum",
    "tanh",
    "transpose",
    "unsqueeze",
    "where",
]
