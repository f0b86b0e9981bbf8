# SPDX-License-Identifier: Apache-2.0
"""PyTorch's operator samples (OpInfo), each called whole: also operators that only call others.

test_torch_samples.py replays what calls end in below autograd, which composites never are. Here the
operator of a sample's own name is called with the sample's arguments, and compared in dtype, shape
and elements. Skipped visibly where PyTorch is not installed; `./dev test --with-torch` installs it.
"""

from __future__ import annotations

import warnings
from typing import Any

import pytest
import tenon

torch = pytest.importorskip("torch", reason="PyTorch is not installed: ./dev test --with-torch")
pytest.importorskip("expecttest", reason="PyTorch's samples need expecttest")

from torch.testing._internal.common_methods_invocations import op_db  # noqa: E402
from torch.utils import _pytree as pytree  # noqa: E402

DTYPES = ["float32", "float64", "int64", "complex64"]
MOST = 25  # samples of one operator
# |ours - theirs| <= bound * max(1, |theirs|): what a few roundings in another order may do.
BOUND = {"float32": 1e-4, "float64": 1e-10, "complex64": 1e-4, "int64": 1e-4}
# By operator what its answer is not unique in, and how it is made so.
UNIQUE: dict[str, Any] = {
    "linalg_svd": lambda parts: (parts[0].abs(), parts[1], parts[2].abs()),
    "linalg_eigh": lambda parts: (parts[0], parts[1].abs()),
    "linalg_qr": lambda parts: (parts[0].abs(), parts[1].abs()),
    "svd": lambda parts: (parts[0].abs(), parts[1], parts[2].abs()),
}
# What equal elements, of which either may be meant, leave open is not compared: indices.
VALUES_ALONE = ("median", "nanmedian", "mode", "kthvalue", "sort", "topk", "msort")


def own_name(info: Any) -> str | None:
    """The name of the operator of aten that an entry of the database is about."""
    for name in (info.aten_name, info.name.replace(".", "_"), info.name):
        if name in NAMES:
            return name
    return None


tenon.empty(0)  # loads the operators
NAMES = {
    name.removeprefix("aten::").partition(".")[0] for name in tenon.introspect.operators("aten")
}
# Their samples call functions of Python's, which take other arguments than the operators.
OTHER_ARGUMENTS = {
    *(
        "einsum",
        "block_diag",
        "cartesian_prod",
        "meshgrid",
        "tensordot",
        "norm",
        "linalg_multi_dot",
    ),
}


def ours(leaf: Any) -> Any:
    if isinstance(leaf, torch.Tensor):
        return tenon.from_dlpack(leaf.detach().clone())
    if isinstance(leaf, torch.dtype | torch.memory_format | torch.layout):
        return getattr(tenon, str(leaf).partition(".")[2])
    if isinstance(leaf, torch.device):
        return tenon.device(str(leaf))
    return leaf


def leaves_of(result: Any) -> list:
    return list(result) if isinstance(result, list | tuple) else [result]


def plain(tensor: Any) -> Any:
    return torch.from_dlpack(tensor) if isinstance(tensor, tenon.Tensor) else tensor


def difference(mine: Any, theirs: Any, bound: float) -> str:
    """What differs, "" when nothing does."""
    if not isinstance(theirs, torch.Tensor):
        return "" if mine == theirs or mine != mine else f"got {mine!r}, expected {theirs!r}"
    if mine.dtype != theirs.dtype:
        return f"got {mine.dtype}, expected {theirs.dtype}"
    if mine.shape != theirs.shape:
        return f"got shape {list(mine.shape)}, expected {list(theirs.shape)}"
    if torch.isclose(mine, theirs, rtol=bound, atol=bound, equal_nan=True).all():
        return ""
    return f"got {mine.reshape(-1)[:4].tolist()}, expected {theirs.reshape(-1)[:4].tolist()}"


def compare(name: str, sample: Any, info: Any, bound: float) -> str:
    expected = info.op(sample.input, *sample.args, **sample.kwargs)
    args, kwargs = pytree.tree_map(ours, ((sample.input, *sample.args), sample.kwargs))
    got = getattr(tenon.ops.aten, name)(*args, **kwargs)
    mine, theirs = [plain(one) for one in leaves_of(got)], leaves_of(expected)
    if name in UNIQUE:
        mine, theirs = UNIQUE[name](mine), UNIQUE[name](theirs)
    if name in VALUES_ALONE:
        mine, theirs = mine[:1], theirs[:1]
    if len(mine) != len(theirs):
        return f"got {len(mine)} results, expected {len(theirs)}"
    found = [difference(a, b, bound) for a, b in zip(mine, theirs, strict=True)]
    return "; ".join(text for text in found if text)


def samples(info: Any, dtype: Any) -> list:
    if dtype not in info.supported_dtypes("cpu"):
        return []
    found, taken = [], iter(info.sample_inputs("cpu", dtype, requires_grad=False))
    while len(found) < MOST:
        try:
            found.append(next(taken))
        except StopIteration:
            break
        except Exception:  # noqa: BLE001 - samples that this build of PyTorch cannot make
            break
    return found
