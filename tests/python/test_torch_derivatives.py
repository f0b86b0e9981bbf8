# SPDX-License-Identifier: Apache-2.0
"""Derivatives and vmaps of shipped operators, compared with PyTorch.

Runs the operators that PyTorch's own operator samples (OpInfo) call, as in test_torch_samples.py:
with broadcast, 0-dim, empty and non-contiguous arguments, and in place. Gradients, second-order
gradients and tangents must be equal wherever PyTorch has them, and so must a vmap over two
examples. The number of derivatives that PyTorch lacks is printed. Skipped visibly if PyTorch is not
installed; `./dev test --with-torch` installs it.
"""

from __future__ import annotations

import collections
import warnings
from typing import Any

import pytest
import tenon

torch = pytest.importorskip("torch", reason="PyTorch is not installed: ./dev test --with-torch")
pytest.importorskip("expecttest", reason="PyTorch's samples need expecttest")

import test_torch_samples  # noqa: E402
import torch_replay as samples  # noqa: E402
from torch.testing._internal.common_methods_invocations import op_db  # noqa: E402
from torch.utils import _pytree as pytree  # noqa: E402

DTYPES = ["float32", "float64", "complex128", "bfloat16"]
MOST_OF_A_KIND = 6  # number of calls of one operator
# Operators that draw random numbers, or whose results have no defined elements.
NOT_COMPARED = (*samples.UNSET, "rand", "normal", "uniform", "bernoulli", "dropout")


def is_derived(leaf: Any) -> bool:
    return isinstance(leaf, torch.Tensor) and (leaf.is_floating_point() or leaf.is_complex())


# Results that are unique up to signs and phases: singular vectors and eigenvectors. Their squares
# are compared.
VECTORS = {"aten::_linalg_eigh": (1,), "aten::_linalg_svd": (0, 2)}
# These take Hermitian matrices, and samples are not Hermitian.
HERMITIAN = ("aten::_linalg_eigh",)
# The index of the triangular argument: PyTorch has gradients also for elements that are not read.
TRIANGLES = {"aten::cholesky_inverse": 0, "aten::cholesky_solve": 1}


class Call:
    """The arguments of a call, and in each library a function of those that have derivatives."""

    def __init__(self, func: Any, args: tuple, kwargs: dict) -> None:
        self.func = func
        self.leaves, self.spec = pytree.tree_flatten((args, kwargs))
        self.leaves = [
            samples.twin(leaf) if isinstance(leaf, torch.Tensor) else leaf for leaf in self.leaves
        ]
        self.at = [i for i, leaf in enumerate(self.leaves) if is_derived(leaf)]
        name = f"{func.namespace}::{func._opname}"
        overload = func._overloadname
        self.name = name if overload == "default" else f"{name}.{overload}"

    def __str__(self) -> str:
        return f"{self.name}({', '.join(samples.describe(leaf) for leaf in self.leaves)})"

    def run(self, library: Any, tensors: list) -> list:
        """Calls the operator with these tensors; returns the results that have derivatives."""
        leaves = list(self.leaves)
        if library is tenon:
            twins = {
                id(leaf): tenon.from_dlpack(samples.twin(leaf))
                for leaf in leaves
                if isinstance(leaf, torch.Tensor)
            }
            leaves = [samples.ours(leaf, twins) for leaf in leaves]
        for place, tensor in zip(self.at, tensors, strict=True):
            leaves[place] = tensor
            if self.name in HERMITIAN:
                leaves[place] = tensor + tensor.transpose(-2, -1).conj()
            if TRIANGLES.get(self.name) == place:
                is_upper = any(leaf is True for leaf in leaves)
                leaves[place] = tensor.triu() if is_upper else tensor.tril()
        args, kwargs = pytree.tree_unflatten(leaves, self.spec)
        call = tenon.find_op(self.name) if library is tenon else self.func
        results = [
            one
            for one in samples.leaves_of(call(*args, **kwargs))
            if not isinstance(one, bool | int | float | complex)
            and (one.is_floating_point() or one.is_complex())
        ]
        for place in VECTORS.get(self.name, ()):
            results[place] = results[place] * results[place].conj()
        return results

    def tensors(self, library: Any) -> list:
        twins = [samples.twin(self.leaves[place]) for place in self.at]
        return twins if library is torch else [tenon.from_dlpack(one) for one in twins]


def weigh(library: Any, tensors: list) -> Any:
    """Returns a sum of all elements with different weights."""
    total = 0
    for tensor in tensors:
        if tensor is None or not tensor.requires_grad:
            continue
        count = tensor.numel()
        weights = library.arange(1, count + 1, dtype=library.float64).reshape(tensor.shape)
        total = total + (tensor * (weights / (count + 1)).to(tensor.dtype)).sum()
    return total


def gradients(library: Any, call: Call) -> list[list]:
    """Returns the gradients of first and second order, None for those that are missing."""
    tensors = call.tensors(library)
    for tensor in tensors:
        tensor.requires_grad_()
    # Multiplied by 1, because operators refuse to write leaves in place.
    results = call.run(library, [tensor * 1 for tensor in tensors])
    value = weigh(library, results)
    if not isinstance(value, library.Tensor) or not value.requires_grad:
        return []
    value = value.real if value.is_complex() else value
    first = library.autograd.grad(value, tensors, create_graph=True, allow_unused=True)
    again = weigh(library, list(first))
    if not isinstance(again, library.Tensor) or not again.requires_grad:
        return [list(first)]
    again = again.real if again.is_complex() else again
    return [list(first), list(library.autograd.grad(again, tensors, allow_unused=True))]


def tangents(library: Any, call: Call) -> list[list]:
    """Returns the tangents of the results, for tangents proportional to the arguments."""
    forward = library.autograd.forward_ad
    with forward.dual_level():
        duals = [forward.make_dual(one, one * 0.5) for one in call.tensors(library)]
        results = call.run(library, [dual * 1 for dual in duals])
        return [[forward.unpack_dual(one).tangent for one in results]]


def mapped(library: Any, call: Call) -> list[list]:
    """Returns the results of a vmap over two examples, the second half of the first."""
    twice = [library.stack([one, one * 0.5]) for one in call.tensors(library)]
    return [list(library.func.vmap(lambda *ones: tuple(call.run(library, list(ones))))(*twice))]


def difference(kind: Any, call: Call, tally: collections.Counter) -> str:
    """Describes how the libraries differ, "" if they agree or PyTorch fails; counts which."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            # PyTorch warns if a vmap falls back to a loop, which counts as unsupported.
            warnings.filterwarnings("error", message=".*batching rule.*")
            theirs = kind(torch, call)
    except Exception:  # noqa: BLE001 - PyTorch has no such derivative
        tally[f"{kind.__name__} that PyTorch has not"] += 1
        return ""
    tally[f"{kind.__name__} compared"] += 1
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # warnings about a vmap by a loop
            ours = kind(tenon, call)
    except Exception as error:  # noqa: BLE001 - all are reported, by call
        return f"{type(error).__name__}: {error}"
    for number, (a, b) in enumerate(zip(ours, theirs, strict=False)):
        for mine, other in zip(a, b, strict=True):
            if mine is None and other is None:
                continue
            # None means zeros: libraries differ in what they track.
            if other is None:
                other = torch.zeros_like(samples.plain(mine.detach()))
            if mine is None:
                mine = tenon.from_dlpack(torch.zeros_like(other))
            precision = torch.float32 if call.name in SINGLE else other.dtype
            told = compare(samples.plain(mine.detach()), other.detach(), precision)
            if told:
                return f"order {number + 1}: {told}"
    return ""


# PyTorch computes these gradients of float64 with float32 precision, or to about ten digits.
SINGLE = (
    "aten::celu",
    "aten::binary_cross_entropy",
    "aten::hardsigmoid",
    "aten::ldexp.Tensor",
    "aten::lgamma",
    "aten::logcumsumexp",
    "aten::mvlgamma",
    "aten::special_bessel_j0",
    "aten::special_bessel_j1",
    "aten::special_bessel_y0",
    "aten::special_bessel_y1",
)
# PyTorch rounds each step of these in small floats.
ROUNDED = ("aten::logcumsumexp", "aten::grid_sampler_2d", "aten::grid_sampler_3d")
# Known differences, by kind and operator, and why.
KNOWN = {
    ("mapped", "aten::linalg_eig"): "a vector is one by any phase: LAPACK's have their own",
    ("gradients", "aten::linalg_householder_product"): (
        "samples are no reflectors: undoing them loses digits"
    ),
    ("mapped", "aten::linalg_lstsq"): "how many residuals there are depends on the elements",
    ("gradients", "aten::linalg_cholesky_ex"): "that of a Hermitian matrix is Hermitian",
    ("tangents", "aten::silu"): "PyTorch's is no derivative of a complex function",
    ("tangents", "aten::frexp.Tensor"): "PyTorch's is a float, whatever the mantissa is",
    ("tangents", "aten::renorm"): "PyTorch's is a float, of small floats too",
    ("gradients", "aten::grid_sampler_2d"): "PyTorch rounds places of small floats, to other ones",
    ("gradients", "aten::grid_sampler_3d"): "PyTorch rounds places of small floats, to other ones",
    ("tangents", "aten::grid_sampler_2d"): "PyTorch rounds places of small floats, to other ones",
    ("tangents", "aten::grid_sampler_3d"): "PyTorch rounds places of small floats, to other ones",
    ("tangents", "aten::rrelu_with_noise"): "factors are drawn, by each library its own",
    ("gradients", "aten::logcumsumexp"): "PyTorch's logarithms of small floats are rounded",
    ("tangents", "aten::cholesky_inverse"): "ours is -A^-1 dA A^-1, PyTorch's is not",
    ("gradients", "aten::digamma"): "infinite at poles, which PyTorch's sine misses",
    ("tangents", "aten::digamma"): "infinite at poles, which PyTorch's sine misses",
}


def compare(mine: Any, theirs: Any, precision: Any) -> str:
    """Describes the difference; "" if it is within the rounding of a few operations."""
    if mine.shape != theirs.shape or mine.dtype != theirs.dtype:
        return f"got {samples.describe(mine)}, expected {samples.describe(theirs)}"
    bound = 16 * max(samples.BOUND[theirs.dtype], samples.BOUND[precision])
    size = theirs.abs().nan_to_num(0, 0, 0).max().item() if theirs.numel() else 0.0
    apart = ~torch.isclose(
        mine, theirs, rtol=bound, atol=bound * max(1.0, size), equal_nan=True
    ).flatten()
    # PyTorch has NaN where its formula multiplies zero by infinity
    apart &= ~theirs.isnan().flatten()
    if not apart.any():
        return ""
    at = int(apart.int().argmax())
    return f"got {mine.flatten()[at]}, expected {theirs.flatten()[at]} at {at}"


def reason_of(kind: Any, call: Call, told: str) -> str:
    """Returns why a call is known to differ, "" if it is not; some differ in some dtypes."""
    tensors = [leaf for leaf in call.leaves if isinstance(leaf, torch.Tensor)]
    is_complex = any(leaf.is_complex() for leaf in tensors)
    if call.name in ("aten::linalg_cholesky_ex", "aten::silu") and not is_complex:
        return ""
    is_small = any(leaf.dtype is torch.bfloat16 for leaf in tensors)
    if call.name in (*ROUNDED, "aten::renorm") and not is_small:
        return ""
    if call.name == "aten::linalg_householder_product" and "order 2" not in told:
        return ""
    if call.name == "aten::digamma" and "got inf" not in told and "got -inf" not in told:
        return ""
    return KNOWN.get((kind.__name__, call.name), "")


class Collected(samples.Replay):
    """Collects calls of shipped operators with floating-point arguments."""

    def __init__(self) -> None:
        super().__init__()
        self.kept: list[Call] = []
        self.of_a_kind: dict[str, int] = {}

    def __torch_dispatch__(self, func, types, args=(), kwargs=None):
        kwargs = kwargs or {}
        call = Call(func, args, kwargs)
        short = call.name.partition("::")[2].partition(".")[0]
        is_out = any(one.is_out for one in func._schema.arguments)
        wanted = (
            call.name in self.shipped
            and call.at
            and not is_out
            and not any(word in short for word in NOT_COMPARED)
            and self.of_a_kind.get(call.name, 0) < MOST_OF_A_KIND
            and self.is_wanted(call.name, args, kwargs)
        )
        if wanted:
            self.of_a_kind[call.name] = self.of_a_kind.get(call.name, 0) + 1
            self.kept.append(call)
        return func(*args, **kwargs)


def collect(dtype: str) -> list[Call]:
    seen = Collected()
    for info in op_db:
        torch.manual_seed(0)
        taken = iter(test_torch_samples.samples(info, getattr(torch, dtype)))
        for _ in range(12):
            try:
                sample = next(taken, None)
                if sample is None:
                    break
                with seen:
                    info.op(sample.input, *sample.args, **sample.kwargs)
            except Exception:  # noqa: BLE001 - samples that this build of PyTorch cannot run
                continue
    return seen.kept


@pytest.mark.parametrize("dtype", DTYPES)
def test_derivatives_and_vmaps(dtype):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        calls = collect(dtype)
    wrong = []
    tally: collections.Counter = collections.Counter()
    for call in calls:
        for kind in (gradients, tangents, mapped):
            told = difference(kind, call, tally)
            if told and (reason := reason_of(kind, call, told)):
                tally[f"{kind.__name__} different: {reason}"] += 1
            elif told:
                wrong.append(f"{kind.__name__} of {call}: {told}")
    operators = {call.name for call in calls}
    print(f"{dtype}: {len(calls)} calls of {len(operators)} operators")
    for what, count in sorted(tally.items()):
        print(f"  {count} {what}")
    assert len(operators) >= 150
    for kind in (gradients, tangents, mapped):
        assert tally[f"{kind.__name__} compared"] >= 500
    assert not wrong, f"{len(wrong)} differ:\n" + "\n".join(sorted(wrong))
