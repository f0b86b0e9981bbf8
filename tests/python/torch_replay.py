# SPDX-License-Identifier: Apache-2.0
"""Replays PyTorch's operator calls on Tenon, with copies of the arguments, and compares results.

A twin has the dtype, sizes, strides and elements of its tensor, in a copy of its whole storage;
twins of tensors that share memory share memory. Each result must have equal dtype, sizes, strides,
elements and device, and share memory with the same arguments.
"""

from __future__ import annotations

import collections
import dataclasses
import functools
from typing import Any

import tenon
import torch
import torch_replay_reasons as reasons
from torch.utils import _pytree as pytree
from torch.utils._python_dispatch import TorchDispatchMode

# Allows a few roundings in another order: |ours - theirs| <= bound * max(1, |theirs|).
BOUND = {
    torch.float16: 2**-9,
    torch.bfloat16: 2**-6,
    torch.float32: 2e-5,
    torch.complex32: 2**-9,
    torch.complex64: 4e-5,
    torch.float64: 1e-12,
    torch.complex128: 1e-12,
}
MOST_ELEMENTS = 20_000  # of one argument
# Without `stable`, PyTorch orders equal elements as its threads and vectors meet them. The indices
# of these may differ if they point at equal elements.
UNSTABLE = {  # the value is the position of `dim`
    "aten::sort": 1,
    "aten::topk": 2,
    "aten::mode": 1,
    "aten::kthvalue": 2,
}
# Operators whose results have no defined elements.
UNSET = (
    "empty",
    "empty_like",
    "empty_strided",
    "empty_permuted",
    "new_empty",
    "new_empty_strided",
    "_unsafe_view",
    "resize_",
)
# The errors that either library raises for a call that it refuses.
REFUSALS = (RuntimeError, IndexError, TypeError, ValueError, NotImplementedError)


def is_shared(dtype: torch.dtype) -> bool:
    """Returns true if both libraries have the dtype."""
    return hasattr(tenon, name_of(dtype))


def name_of(word: Any) -> str:
    """Returns the name of a dtype, layout or memory format, which both libraries share."""
    return str(word).partition(".")[2]


def full_name(func: Any) -> str:
    """Returns Tenon's name of one of PyTorch's overloads."""
    name = f"{func.namespace}::{func._opname}"
    return name if func._overloadname == "default" else f"{name}.{func._overloadname}"


def tensors_of(tree: Any) -> list:
    return [leaf for leaf in pytree.tree_leaves(tree) if isinstance(leaf, torch.Tensor)]


def twin(t: torch.Tensor, storages: dict | None = None) -> torch.Tensor:
    """Copies a tensor with its whole storage; the copy shares no memory with it."""
    storage = t.untyped_storage()
    copies = {} if storages is None else storages
    key = storage._cdata
    if key not in copies:
        copies[key] = storage.clone()
    return torch.empty(0, dtype=t.dtype).set_(copies[key], t.storage_offset(), t.size(), t.stride())


def twins_of(tree: Any) -> dict:
    """Returns twins of all tensors of a call, by id; twins share memory as the tensors do."""
    storages: dict = {}
    return {id(t): twin(t, storages) for t in tensors_of(tree)}


def ours(leaf: Any, twins: dict) -> Any:
    """Converts an argument for Tenon."""
    if isinstance(leaf, torch.Tensor):
        return twins[id(leaf)]
    if isinstance(leaf, torch.dtype | torch.memory_format | torch.layout):
        return getattr(tenon, name_of(leaf))
    if isinstance(leaf, torch.device):
        return tenon.device(str(leaf))
    return leaf


def leaves_of(result: Any) -> list:
    """Returns the results as a list; None is no result."""
    if result is None:
        return []
    return list(result) if isinstance(result, list | tuple) else [result]


def describe(leaf: Any) -> str:
    if not isinstance(leaf, torch.Tensor):
        return repr(leaf)
    return f"{name_of(leaf.dtype)}{list(leaf.shape)}/{list(leaf.stride())}+{leaf.storage_offset()}"


def plain(tensor: Any) -> torch.Tensor:
    """Converts a tensor of either library to PyTorch's."""
    return tensor if isinstance(tensor, torch.Tensor) else torch.from_dlpack(tensor)


def at_places(given: torch.Tensor, dim: int, places: torch.Tensor) -> torch.Tensor:
    """Returns the elements at indices along a dim, which the indices may lack."""
    if places.dim() < given.dim():
        places = places.unsqueeze(dim)
    return torch.gather(given, dim, places)


def compare(mine: Any, theirs: Any, values: bool, computed: Any = None) -> str:
    """Describes the difference, "" if none; `computed` is the dtype that the call rounds to."""
    if not isinstance(theirs, torch.Tensor):
        if isinstance(theirs, torch.dtype):
            return "" if mine is getattr(tenon, name_of(theirs)) else f"got {mine}, not {theirs}"
        if isinstance(theirs, float) and isinstance(mine, float):
            close = abs(mine - theirs) <= 1e-12 * max(1.0, abs(theirs))
            return "" if mine == theirs or mine != mine or close else f"got {mine}, not {theirs}"
        is_same = type(mine) is type(theirs) and (mine == theirs or mine != mine)
        return "" if is_same else f"got {mine!r}, expected {theirs!r}"
    if isinstance(mine, tenon.Tensor) and str(mine.device) != str(theirs.device):
        return f"got device {mine.device}, expected {theirs.device}"
    mine = plain(mine)
    if mine.dtype != theirs.dtype:
        return f"got {mine.dtype}, expected {theirs.dtype}"
    if mine.shape != theirs.shape:
        return f"got shape {list(mine.shape)}, expected {list(theirs.shape)}"
    if theirs.numel() > 1 and mine.stride() != theirs.stride():
        return f"got strides {mine.stride()}, expected {theirs.stride()}"
    return compare_elements(mine, theirs, computed) if values else ""


def compare_elements(mine: torch.Tensor, theirs: torch.Tensor, computed: Any = None) -> str:
    """Describes how the elements of tensors with one dtype and shape differ."""
    bound = BOUND.get(theirs.dtype, 0)
    if bound:
        bound = max(bound, BOUND.get(computed, 0))
    close = torch.isclose(mine, theirs, rtol=bound, atol=bound, equal_nan=True)
    if theirs.is_complex():
        # A complex number with an infinite part is infinity. The other part depends in PyTorch too
        # on whether a loop fuses products and sums, which for x ** 2 depends on the strides of x.
        close |= torch.isinf(mine) & torch.isinf(theirs)
    if close.all():
        return ""
    wide = torch.complex128 if theirs.is_complex() else torch.float64
    apart = (mine.to(wide) - theirs.to(wide)).abs().nan_to_num(torch.inf).masked_fill(close, -1)
    at = int(apart.argmax())
    return f"got {mine.reshape(-1)[at]}, expected {theirs.reshape(-1)[at]} at {at}"


WIDER = {
    **dict.fromkeys((torch.float16, torch.bfloat16, torch.float32), torch.float64),
    torch.complex64: torch.complex128,
}


def widened(leaf: Any) -> Any:
    """Converts an argument to double precision."""
    if isinstance(leaf, torch.Tensor):
        return leaf.detach().to(WIDER.get(leaf.dtype, leaf.dtype))
    return WIDER.get(leaf, leaf) if isinstance(leaf, torch.dtype) else leaf


def is_as_exact(mine: Any, theirs: Any, exact: Any, is_rounded: bool) -> bool:
    """Returns true if a result is about as near to the double-precision result as PyTorch's."""
    if not is_rounded:
        return not compare(mine, theirs, values=True)
    mine = plain(mine)
    if mine.dtype != theirs.dtype or mine.shape != theirs.shape or exact.shape != theirs.shape:
        return False
    if theirs.numel() > 1 and mine.stride() != theirs.stride():
        return False
    mine, theirs = mine.to(exact.dtype), theirs.to(exact.dtype)
    known = torch.isfinite(exact) & torch.isfinite(theirs)
    if not torch.equal(mine[~known].nan_to_num(), theirs[~known].nan_to_num()):
        return False
    if not known.any():
        return True
    ours, its = ((one - exact)[known].abs() for one in (mine, theirs))
    # At most twice as far, and four times at the worst element: the order of the sums may differ.
    return bool(ours.mean() <= 2 * its.mean() and ours.max() <= 4 * its.max())


def exact_results(func: Any, given: tuple) -> list | None:
    """Returns PyTorch's results in double precision, None if it has no such call."""
    if func._schema.is_mutable:
        return None
    args, kwargs = pytree.tree_map(widened, given)
    try:
        return leaves_of(func(*args, **kwargs))
    except Exception:  # noqa: BLE001 - no doubles for it
        return None


def product_of_svd(parts: list) -> list:
    u, s, vh = parts
    if u.numel() == 0 or vh.numel() == 0:
        return parts
    count = s.shape[-1]
    whole = u[..., :count] * s.unsqueeze(-2).to(u.dtype) @ vh[..., :count, :]
    return [u.mH @ u, s, vh @ vh.mH, whole]


def product_of_eigh(parts: list) -> list:
    values, vectors = parts
    if vectors.numel() == 0:
        return parts
    whole = vectors * values.unsqueeze(-2).to(vectors.dtype) @ vectors.mH
    return [values, vectors.mH @ vectors, whole]


# Factors are unique up to a sign or phase, and less so if values are equal or missing. Compared are
# the product of the factors, and the products of the factors with themselves, which are 1.
FACTORS = {
    **dict.fromkeys(("_linalg_svd", "ops.aten.linalg_svd", "ops.aten.svd"), product_of_svd),
    **dict.fromkeys(("_linalg_eigh", "ops.aten.linalg_eigh"), product_of_eigh),
}


def sharing(result: Any, arguments: list) -> list:
    """Lists the arguments that a result shares memory with, by index, and its byte offset there."""
    if not isinstance(result, torch.Tensor | tenon.Tensor) or result.numel() == 0:
        return []
    at = result.data_ptr()
    found = []
    for place, argument in enumerate(arguments):
        storage = argument.untyped_storage()
        begin, size = storage.data_ptr(), storage.nbytes()
        if size and begin <= at < begin + size:
            found.append((place, at - argument.data_ptr()))
    return found


@dataclasses.dataclass
class Outcome:
    """The results of a call, or the error that refused it."""

    results: list
    error: Exception | None = None


def seeing_conjugates() -> Any:
    """Returns a guard under which calls inside PyTorch's modes resolve lazy conjugates."""
    hidden = torch._C._dispatch_tls_local_exclude_set()
    for key in (torch._C.DispatchKey.Conjugate, torch._C.DispatchKey.Negative):
        hidden = hidden.remove(key)
    return torch._C._ForceDispatchKeyGuard(torch._C._dispatch_tls_local_include_set(), hidden)


class Replay(TorchDispatchMode):
    """Repeats each call of a shipped operator on Tenon, and records the differences."""

    most_of_a_kind = 40  # calls of one operator with one tuple of dtypes
    kind = ""  # of all calls; selects known differences

    def __init__(self) -> None:
        super().__init__()
        tenon.ops.aten.add.overloads()  # loads the operators
        self.shipped = set(tenon.introspect.operators("aten"))
        self.counts: collections.Counter = collections.Counter()
        self.tally: collections.Counter = collections.Counter()
        self.calls: set = set()
        self.wrong: list[str] = []
        self.known: collections.Counter = collections.Counter()

    def __torch_dispatch__(self, func, types, args=(), kwargs=None):
        kwargs = kwargs or {}
        with seeing_conjugates():
            if not self.is_replayed(func, args, kwargs):
                return func(*args, **kwargs)
            return self.beside(func, args, kwargs)

    def is_replayed(self, func: Any, args: tuple, kwargs: dict) -> bool:
        name = full_name(func)
        return name in self.shipped and self.is_wanted(name, args, kwargs)

    def is_wanted(self, name: str, args: tuple, kwargs: dict) -> bool:
        """Returns true if a call is small, has plain CPU tensors, and is not one of many alike."""
        leaves = pytree.tree_leaves((args, kwargs))
        if not all(is_plain(leaf, name) for leaf in leaves):
            return False
        looks = tuple(
            (t.dtype, tuple(t.shape), t.stride(), t.storage_offset())
            if isinstance(t, torch.Tensor)
            else repr(t)
            for t in leaves
        )
        kind = (name, tuple(t.dtype for t in leaves if isinstance(t, torch.Tensor)))
        if (name, looks) in self.calls or self.counts[kind] >= self.most_of_a_kind:
            return False
        self.calls.add((name, looks))
        self.counts[kind] += 1
        return True

    def beside(self, func: Any, args: tuple, kwargs: dict) -> Any:
        """Calls both libraries; returns PyTorch's result or raises its error."""
        given = (args, kwargs)
        name = full_name(func)
        told = ", ".join(describe(leaf) for leaf in pytree.tree_leaves(given))
        twins = twins_of(given)
        if torch.Tag.inplace_view in func.tags:
            # An in-place view changes the tensor's sizes and not its memory. A tensor imported
            # from PyTorch shares only memory, so the twin must be a tensor of Tenon.
            twins = {key: tenon.from_dlpack(t) for key, t in twins.items()}
        state = torch.random.get_rng_state()
        tensors = tensors_of(given)
        try:
            theirs = Outcome(leaves_of(result := func(*args, **kwargs)))
        except Exception as error:
            theirs = Outcome([], error)
            self.note(name, told, self.judge(func, given, twins, state, theirs, tensors))
            raise
        if all(is_shared(one.dtype) for one in theirs.results if isinstance(one, torch.Tensor)):
            self.note(name, told, self.judge(func, given, twins, state, theirs, tensors))
        return result

    def note(self, name: str, told: str, difference: str) -> None:
        if difference:
            self.wrong.append(f"{name}({told}): {difference}")

    def judge(self, func, given, twins, state, theirs, tensors) -> str:
        """Describes how the results of a call differ."""
        name = full_name(func)
        args, kwargs = pytree.tree_map(lambda leaf: ours(leaf, twins), given)
        tenon.default_generator().set_state(bytes(state.tolist()))
        try:
            mine = Outcome(leaves_of(tenon.find_op(name)(*args, **kwargs)))
        except REFUSALS as error:
            mine = Outcome([], error)
        written = [(twins[id(t)], t) for t in tensors]
        exact = functools.partial(exact_results, func, given)
        return self.weigh(name, args, kwargs, mine, theirs, written, self.kind, exact=exact)

    def weigh(
        self, name, args, kwargs, mine, theirs, written, kind="", computed=None, exact=None
    ) -> str:
        """Describes how outcomes differ, "" if they do not or the difference is known.

        `exact` computes the call in double precision: roundings of sums that cancel may exceed a
        bound, but ours must not be larger than PyTorch's.
        """
        if theirs.error is not None and mine.error is not None:
            self.tally["refused by both"] += 1
            return ""
        if theirs.error is not None:
            return self.excuse("taken beyond PyTorch", reasons.TAKEN, name, kind, str(theirs.error))
        if mine.error is not None:
            told = f"{type(mine.error).__name__}: {mine.error}"
            return self.excuse("refused", reasons.REFUSED, name, kind, told)
        difference = self.difference(name, args, kwargs, mine, theirs, written, computed)
        if (
            difference
            and exact is not None
            and self.is_as_exact(mine, theirs, written, exact(), computed)
        ):
            self.tally["equal, as far as PyTorch is near to doubles"] += 1
            return ""
        if difference:
            return self.excuse("different", reasons.DIFFER, name, kind, difference)
        self.tally["equal"] += 1
        return ""

    def excuse(self, what: str, table: tuple, name: str, kind: str, told: str) -> str:
        """Counts a known difference by its reason; describes an unknown one."""
        if reason := reasons.why(table, name, kind, told):
            self.known[f"{what}: {reason}"] += 1
            return ""
        return f"{what}: {told.partition(chr(10))[0][:300]}"

    def difference(self, name, args, kwargs, mine, theirs, written, computed=None) -> str:
        if len(mine.results) != len(theirs.results):
            return f"got {len(mine.results)} results, expected {len(theirs.results)}"
        pairs = [*zip(mine.results, theirs.results, strict=True), *written]
        base = name.removeprefix("aten::").removeprefix("Tensor.")
        if (at := UNSTABLE.get(f"aten::{base}")) is not None:
            dim = args[at] if at < len(args) else kwargs.get("dim", -1)
            given = plain(args[0])
            pairs[1] = tuple(at_places(given, dim, plain(one)) for one in pairs[1])
        values = base.partition(".")[0] not in UNSET
        differences = []
        if product := FACTORS.get(base, FACTORS.get(base.partition(".")[0])):
            differences = [compare(*pair, values=False) for pair in pairs]
            made = [product([plain(one) for one in side.results]) for side in (mine, theirs)]
            results = {id(one) for one in theirs.results}
            pairs = [*zip(*made, strict=True), *(p for p in written if id(p[1]) not in results)]
        differences += [compare(*pair, values=values, computed=computed) for pair in pairs]
        differences += [
            self.compare_memory(*pair, written)
            for pair in zip(mine.results, theirs.results, strict=True)
        ]
        return next(filter(None, differences), "")

    def is_as_exact(self, mine, theirs, written, exact: list | None, computed: Any) -> bool:
        if exact is None or not len(mine.results) == len(theirs.results) == len(exact):
            return False
        for got, expected, wide in zip(mine.results, theirs.results, exact, strict=True):
            is_rounded = isinstance(expected, torch.Tensor) and (
                expected.dtype in WIDER or (expected.dtype in BOUND and computed in WIDER)
            )
            if not is_as_exact(got, expected, wide, is_rounded):
                return False
            if self.compare_memory(got, expected, written):
                return False
        results = {id(one) for one in theirs.results}
        return not any(
            compare(*pair, values=True) for pair in written if id(pair[1]) not in results
        )

    def compare_memory(self, mine, theirs, written) -> str:
        got = sharing(mine, [ours for ours, _ in written])
        expected = sharing(theirs, [theirs for _, theirs in written])
        return "" if got == expected else f"shares memory {got}, expected {expected}"

    def report(self, title: str) -> str:
        """Returns the counts as text."""
        operators = {name for name, _ in self.counts}
        lines = [f"{title}: {sum(self.counts.values())} calls of {len(operators)} operators"]
        lines += [f"  {count} {what}" for what, count in sorted(self.tally.items())]
        lines += [f"  {count} {what}" for what, count in sorted(self.known.items())]
        return "\n".join(lines)

    def check(self, title: str, least: int) -> None:
        """Prints the counts; fails if a difference has no reason or few operators were called."""
        print(self.report(title))
        assert len({name for name, _ in self.counts}) >= least
        assert not self.wrong, f"{len(self.wrong)} calls differ:\n" + "\n".join(sorted(self.wrong))


def is_plain(leaf: Any, name: str = "") -> bool:
    """Returns true if an argument is small and means the same to both libraries."""
    if isinstance(leaf, torch.dtype):
        return is_shared(leaf)
    if isinstance(leaf, torch.device):
        return leaf.type == "cpu"
    if isinstance(leaf, torch.Generator):
        return False
    if not isinstance(leaf, torch.Tensor):
        return True
    if type(leaf) is not torch.Tensor or leaf.layout is not torch.strided:
        return False
    if not is_shared(leaf.dtype) or leaf.device.type != "cpu" or leaf.is_quantized:
        return False
    if leaf.is_conj() or leaf.is_neg() or leaf.untyped_storage().nbytes() > 8 * MOST_ELEMENTS:
        return False
    # A tensor imported from PyTorch loses the memory in front of its first element.
    return "as_strided" not in name or leaf.storage_offset() == 0
