# SPDX-License-Identifier: Apache-2.0
"""Calls of shipped operators that PyTorch's own operator samples (OpInfo) lead to, replayed.

Each sample runs in PyTorch under a dispatch mode that sees every operator of ATen it ends in. Calls
of operators that Tenon ships run again here on twins of the arguments: dtype, shape, strides and
elements of results and of written arguments must be equal, and what PyTorch refuses was never
sampled. Skipped visibly where PyTorch is not installed; `./dev test --with-torch` installs it.
"""

from __future__ import annotations

import collections
import warnings
from typing import Any

import pytest
import tenon

torch = pytest.importorskip("torch", reason="PyTorch is not installed: ./dev test --with-torch")
pytest.importorskip("expecttest", reason="PyTorch's samples need expecttest")

from torch.testing._internal.common_methods_invocations import op_db  # noqa: E402
from torch.utils import _pytree as pytree  # noqa: E402
from torch.utils._python_dispatch import TorchDispatchMode  # noqa: E402

DTYPES = ["float32", "float64", "bfloat16", "float16", "int64", "uint8", "bool", "complex64"]
# |ours - theirs| <= bound * max(1, |theirs|): what a few roundings in another order may do.
BOUND = {
    torch.float16: 2**-9,
    torch.bfloat16: 2**-6,
    torch.float32: 2e-5,
    torch.complex64: 4e-5,
    torch.float64: 1e-12,
    torch.complex128: 1e-12,
}
MOST_ELEMENTS = 20_000  # of one argument
MOST_OF_A_KIND = 40  # calls of one operator with one tuple of dtypes
# PyTorch orders equal elements as its threads and vectors meet them, unless `stable` is asked for:
# here their indices may differ where they lead to equal elements.
UNSTABLE = {"aten::sort": 1, "aten::topk": 2}  # and where their `dim` stands
# No elements to see.
UNSET = ("empty", "empty_like", "empty_strided", "new_empty", "new_empty_strided", "_unsafe_view")


class Seen(TorchDispatchMode):
    """Replays each call of a shipped operator beside PyTorch's own."""

    def __init__(self) -> None:
        super().__init__()
        self.shipped = set(tenon.introspect.operators("aten"))
        self.counts: collections.Counter = collections.Counter()
        self.calls: set = set()
        self.wrong: list[str] = []

    def __torch_dispatch__(self, func, types, args=(), kwargs=None):
        kwargs = kwargs or {}
        name = f"{func.namespace}::{func._opname}"
        if func._overloadname != "default":
            name += f".{func._overloadname}"
        if name not in self.shipped or not self.is_wanted(name, args, kwargs):
            return func(*args, **kwargs)
        tensors = pytree.tree_leaves((args, kwargs))
        # An in-place view changes the tensor and no memory, which is all that another library's
        # tensors share: its twin is Tenon's own.
        own = tenon.from_dlpack if torch.Tag.inplace_view in func.tags else lambda t: t
        twins = {id(t): own(twin(t)) for t in tensors if isinstance(t, torch.Tensor)}
        state = torch.random.get_rng_state()
        result = func(*args, **kwargs)
        if all(is_shared(one.dtype) for one in leaves_of(result) if isinstance(one, torch.Tensor)):
            self.replay(name, (args, kwargs), twins, state, result)
        return result

    def is_wanted(self, name: str, args: tuple, kwargs: dict) -> bool:
        """Whether a call is small, of plain tensors on the CPU, and not one of many alike."""
        leaves = pytree.tree_leaves((args, kwargs))
        tensors = [leaf for leaf in leaves if isinstance(leaf, torch.Tensor)]
        for t in tensors:
            if type(t) is not torch.Tensor or t.layout is not torch.strided:
                return False
            if not is_shared(t.dtype):
                return False
            if t.device.type != "cpu" or t.is_conj() or t.is_neg() or t.is_quantized:
                return False
            if t.untyped_storage().nbytes() > 8 * MOST_ELEMENTS:
                return False
            # Memory of another library begins where its tensor does.
            if name.startswith("aten::as_strided") and t.storage_offset() != 0:
                return False
        for leaf in leaves:
            if isinstance(leaf, torch.dtype) and not is_shared(leaf):
                return False
            if isinstance(leaf, torch.device) and leaf.type != "cpu":
                return False
        looks = tuple(
            (t.dtype, tuple(t.shape), t.stride(), t.storage_offset())
            if isinstance(t, torch.Tensor)
            else repr(t)
            for t in leaves
        )
        kind = (name, tuple(t.dtype for t in tensors))
        if (name, looks) in self.calls or self.counts[kind] >= MOST_OF_A_KIND:
            return False
        self.calls.add((name, looks))
        self.counts[kind] += 1
        return True

    def replay(self, name: str, given: tuple, twins: dict, state, expected) -> None:
        """Calls Tenon and notes what differs."""
        tensors = [t for t in pytree.tree_leaves(given) if isinstance(t, torch.Tensor)]
        written = [(twins[id(t)], t) for t in tensors]
        args, kwargs = pytree.tree_map(lambda leaf: ours(leaf, twins), given)
        tenon.default_generator().set_state(bytes(state.tolist()))
        try:
            got = tenon.find_op(name)(*args, **kwargs)
            pairs = [*zip(leaves_of(got), leaves_of(expected), strict=True), *written]
            if name in UNSTABLE:
                at = UNSTABLE[name]
                dim = args[at] if at < len(args) else kwargs.get("dim", -1)
                pairs[1] = [torch.gather(args[0], dim, plain(indices)) for indices in pairs[1]]
            for mine, theirs in pairs:
                difference = compare(mine, theirs, values=name.partition(".")[0][6:] not in UNSET)
                assert not difference, difference
        except Exception as error:  # noqa: BLE001 - all are reported, by call
            told = ", ".join(describe(leaf) for leaf in pytree.tree_leaves(given))
            self.wrong.append(f"{name}({told}): {type(error).__name__}: {error}")


def is_shared(dtype) -> bool:
    """Whether both libraries have the dtype."""
    return hasattr(tenon, str(dtype).partition(".")[2])


def twin(t):
    """A tensor like another in all, memory around it included, that shares nothing with it."""
    return torch.empty(0, dtype=t.dtype).set_(
        t.untyped_storage().clone(), t.storage_offset(), t.size(), t.stride()
    )


def ours(leaf: Any, twins: dict) -> Any:
    """An argument as Tenon takes it."""
    if isinstance(leaf, torch.Tensor):
        return twins[id(leaf)]
    if isinstance(leaf, torch.dtype):
        return getattr(tenon, str(leaf).partition(".")[2])
    if isinstance(leaf, torch.device):
        return tenon.device(str(leaf))
    if isinstance(leaf, torch.memory_format):
        return getattr(tenon, str(leaf).partition(".")[2])
    if isinstance(leaf, torch.layout):
        return getattr(tenon, str(leaf).partition(".")[2])
    return leaf


def leaves_of(result: Any) -> list:
    """Results, one by one; None is none."""
    if result is None:
        return []
    return list(result) if isinstance(result, list | tuple) else [result]


def describe(leaf: Any) -> str:
    if not isinstance(leaf, torch.Tensor):
        return repr(leaf)
    dtype = str(leaf.dtype).partition(".")[2]
    return f"{dtype}{list(leaf.shape)}/{list(leaf.stride())}+{leaf.storage_offset()}"


def plain(tensor: Any):
    """A tensor of either library as PyTorch's."""
    return tensor if isinstance(tensor, torch.Tensor) else torch.from_dlpack(tensor)


def compare(mine: Any, theirs: Any, values: bool) -> str:
    """What differs, "" when nothing does."""
    if not isinstance(theirs, torch.Tensor):
        return "" if mine == theirs or mine != mine else f"got {mine!r}, expected {theirs!r}"
    mine = plain(mine)
    if mine.dtype != theirs.dtype:
        return f"got {mine.dtype}, expected {theirs.dtype}"
    if mine.shape != theirs.shape:
        return f"got shape {list(mine.shape)}, expected {list(theirs.shape)}"
    if theirs.numel() > 1 and mine.stride() != theirs.stride():
        return f"got strides {mine.stride()}, expected {theirs.stride()}"
    if not values:
        return ""
    bound = BOUND.get(theirs.dtype, 0)
    close = torch.isclose(mine, theirs, rtol=bound, atol=bound, equal_nan=True)
    if theirs.is_complex():
        # Any number with an infinite part is infinity. What the other part is depends in PyTorch
        # too on whether a loop joins products with sums: of x ** 2, on the strides of x.
        close |= torch.isinf(mine) & torch.isinf(theirs)
    if close.all():
        return ""
    wide = torch.complex128 if theirs.is_complex() else torch.float64
    apart = (mine.to(wide) - theirs.to(wide)).abs().nan_to_num(torch.inf).masked_fill(close, -1)
    at = int(apart.argmax())
    return f"got {mine.reshape(-1)[at]}, expected {theirs.reshape(-1)[at]} at {at}"


def samples(info, dtype):
    """Sample inputs of an operator, none where PyTorch has none for the dtype."""
    if dtype not in info.supported_dtypes("cpu"):
        return
    yield from info.sample_inputs("cpu", dtype, requires_grad=False)
    yield from info.reference_inputs("cpu", dtype, requires_grad=False)


@pytest.mark.parametrize("dtype", DTYPES)
def test_calls_inside_samples(dtype):
    seen = Seen()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for info in op_db:
            torch.manual_seed(0)
            taken = iter(samples(info, getattr(torch, dtype)))
            for _ in range(30):
                try:
                    sample = next(taken, None)
                    if sample is None:
                        break
                    with seen:
                        info.op(sample.input, *sample.args, **sample.kwargs)
                except Exception:  # noqa: BLE001 - samples that this build of PyTorch cannot run
                    continue
    calls = sum(seen.counts.values())
    operators = {name for name, _ in seen.counts}
    print(f"{dtype}: {calls} calls of {len(operators)} operators replayed")
    assert len(operators) >= 30
    assert not seen.wrong, f"{len(seen.wrong)} of {calls} calls differ:\n" + "\n".join(
        sorted(seen.wrong)
    )
