# SPDX-License-Identifier: Apache-2.0
"""Calls every overload through every layer, and compares each result with the plain call's.

    ./dev stress layers
    ./dev stress layers --filter aten::roll --variants all

The calls are the conformance cases, unchanged and in variants: other dtypes, a strided layout, and
larger tensors for two threads. Through each layer a call must return equal elements, dtypes and
sizes, change its arguments equally, and be refused if the plain call is. A layer without elements
may refuse a call whose result depends on elements. layers_reasons.py explains the known
differences; an explanation that no call needs any more fails the run.
"""

from __future__ import annotations

import argparse
import copy
import pathlib
import sys
import time
import warnings
from collections.abc import Callable, Iterator
from typing import Any

TESTS = pathlib.Path(__file__).resolve().parents[1]
sys.path[:0] = [str(TESTS / "conformance"), str(TESTS / "python")]

import cases  # noqa: E402
import tenon  # noqa: E402
import watched  # noqa: E402
from graph_calls import REFUSALS, UNSET, CallOfOperator, Outcome, fresh  # noqa: E402
from graph_programs import same_elements  # noqa: E402
from layers_reasons import REASONS  # noqa: E402
from tenon.overrides import TorchFunctionMode  # noqa: E402
from tenon.utils.pytree import tree_flatten, tree_map, tree_unflatten  # noqa: E402

LIMIT_S = 120.0  # of CPU time, for all calls of an overload
DTYPES = ("float64", "bfloat16", "complex64", "int64")
LARGE = 100_000  # elements of the largest tensor, where two threads share the work
# Refusals of calls with data-dependent results: the error, and a part of its text.
ASKS_ELEMENTS = (
    ("DataDependentError", ""),
    ("NotSupportedError", "vmap does not support operators"),
    ("NotSupportedError", "must not be a mask that the vmap maps"),
)


# ---- Calls ---------------------------------------------------------------------------------------


def of_dtype(dtype: str) -> Callable[[Any], Any]:
    def convert(tensor: Any) -> Any:
        return tensor.to(getattr(tenon, dtype)) if tensor.dtype is tenon.float32 else tensor

    return convert


def strided(tensor: Any) -> Any:
    """Returns equal elements in memory that has an unused element after each."""
    if tensor.dim() == 0 or tensor.device.type == "meta" or 0 in tensor.stride():
        return tensor
    wide = tenon.zeros([*tensor.shape[:-1], 2 * tensor.shape[-1]], dtype=tensor.dtype)
    view = wide[..., ::2]
    view.copy_(tensor)
    return view


def large(sample: list) -> Callable[[Any], Any]:
    """Repeats tensors along all their dims, equal sizes by the same factor."""
    tensors = [one for one in tree_flatten(sample)[0] if is_tensor(one)]
    factor = LARGE
    for one in tensors:
        dims = sum(size > 1 for size in one.shape)
        if dims and one.numel():
            factor = min(factor, int((LARGE / one.numel()) ** (1 / dims)))

    def repeat(tensor: Any) -> Any:
        if tensor.device.type == "meta" or tensor.numel() == 0 or factor < 2:
            return tensor
        return tensor.repeat([factor if size > 1 else 1 for size in tensor.shape])

    return repeat


def is_tensor(value: Any) -> bool:
    return isinstance(value, tenon.Tensor)


class Sample(CallOfOperator):
    """A conformance case in one variant; its generators restart in each call."""

    def __init__(self, case: dict, variant: str) -> None:
        self.case = case
        self.variant = variant
        args, kwargs = cases.arguments(case)
        change = {
            "plain": lambda tensor: tensor,
            "strided": strided,
            "large": large([args, kwargs]),
            **{dtype: of_dtype(dtype) for dtype in DTYPES},
        }[variant]
        changed: dict = {}

        def change_once(one: Any) -> Any:
            if not is_tensor(one):
                return one
            if id(one) not in changed:
                changed[id(one)] = one, change(one)
            return changed[id(one)][1]

        args, kwargs = tree_map(change_once, (args, kwargs))
        super().__init__(case["op"], tuple(args), kwargs)
        self.has_generator = any(isinstance(leaf, tenon.Generator) for leaf in self.leaves)
        self.is_unset = case["op"].partition("::")[2].startswith(UNSET)
        self.written = set()
        for at, one in enumerate(self.op._schema.arguments):
            if one.is_write:
                given = args[at] if at < len(args) else kwargs.get(one.name)
                self.written |= {id(leaf) for leaf in tree_flatten(given)[0]}

    def of_sizes(self, outcome: Outcome) -> Sample:
        """Returns this call on tensors that already have the sizes to which it resizes them."""
        made = copy.copy(self)
        made.given = dict(self.given)
        for key, after in zip(self.given, outcome.tensors, strict=True):
            if self.given[key].shape != after.shape:
                made.given[key] = tenon.zeros_like(after)
        return made

    def outcome(self, function: Any, tensors: list) -> Outcome:
        """Calls the function; returns its results and the tensors afterwards, or its error."""
        for leaf in self.leaves:
            if isinstance(leaf, tenon.Generator):
                leaf.manual_seed(5)
        numbers: list = []

        def keep_numbers(*given: Any) -> Any:
            result = function(*given)
            numbers.extend(one for one in tree_flatten(result)[0] if not is_tensor(one))
            return result

        outcome = super().outcome(keep_numbers, tensors)
        outcome.numbers = [repr(one) for one in numbers]
        return outcome


def difference(got: Outcome, want: Outcome, equal: Callable[[Any, Any], bool]) -> str:
    """Describes how the outcome of a layer differs from the plain call's, "" if it does not."""
    if bool(got.refusal) != bool(want.refusal):
        return f"refused: {got.refusal}" if got.refusal else f"not refused: {want.refusal}"
    if want.refusal:
        return ""
    if len(got.results) != len(want.results):
        return f"{len(got.results)} results, not {len(want.results)}"
    for what in ("results", "tensors"):
        for k, (x, y) in enumerate(zip(getattr(got, what), getattr(want, what), strict=True)):
            if not equal(x, y):
                return f"{what}[{k}] is {told(x)}, not {told(y)}"
    if got.numbers != want.numbers:
        return f"returned {got.numbers}, not {want.numbers}"
    return ""


def told(tensor: Any) -> str:
    text = f"{tensor.dtype} {list(tensor.shape)} of strides {list(tensor.stride())}"
    if tensor.device.type == "meta" or isinstance(tensor, tenon.FakeTensor):
        return text
    return f"{text} {str(tensor.tolist())[:300]}"


# ---- What is compared ----------------------------------------------------------------------------


def same_kind(x: Any, y: Any) -> bool:
    return x.dtype is y.dtype and x.shape == y.shape and x.device == y.device


def same_values(x: Any, y: Any) -> bool:
    if not same_kind(x, y):
        return False
    return x.device.type == "meta" or same_elements(x.detach(), y.detach())


def nearly_same(x: Any, y: Any) -> bool:
    """Returns true if results are equal up to the order of sums, which vmap and threads change."""
    if not same_kind(x, y) or same_values(x, y):
        return same_kind(x, y)
    if not (x.dtype.is_floating_point or x.dtype.is_complex) or x.device.type == "meta":
        return False
    scale = float(y.detach().abs().max())
    rounding = 1e-9 if x.dtype in (tenon.float64, tenon.complex128) else 1e-5
    rounding = 2e-2 if x.dtype in (tenon.bfloat16, tenon.float16) else rounding
    return bool(tenon.allclose(x.detach(), y.detach(), rounding, rounding * scale, equal_nan=True))


def same_layout(x: Any, y: Any) -> bool:
    return same_kind(x, y) and (x.stride(), x.storage_offset()) == (y.stride(), y.storage_offset())


def same_meta(x: Any, y: Any) -> bool:
    sizes = x.dtype is y.dtype and x.shape == y.shape
    return sizes and (x.stride(), x.storage_offset()) == (y.stride(), y.storage_offset())


def same_all(x: Any, y: Any) -> bool:
    return same_layout(x, y) and same_values(x, y)


# ---- Layers --------------------------------------------------------------------------------------


def is_float(tensor: Any) -> bool:
    on_cpu = tensor.device.type == "cpu"
    return on_cpu and (tensor.dtype.is_floating_point or tensor.dtype.is_complex)


def run_fake(sample: Sample) -> Outcome:
    mode = tenon.FakeTensorMode()
    tensors = sample.tensors(lambda one: mode.from_tensor(fresh(one)))
    with mode:
        return sample.outcome(sample.run, tensors)


def run_meta(sample: Sample) -> Outcome:
    def on_meta(one: Any) -> Any:
        memory = one.untyped_storage().nbytes() // one.element_size()
        whole = tenon.empty([memory], dtype=one.dtype, device="meta")
        view = tenon.ops.aten.as_strided
        return view(whole, list(one.shape), list(one.stride()), one.storage_offset())

    return sample.outcome(sample.run, sample.tensors(on_meta))


def run_tracked(sample: Sample) -> Outcome:
    def track(one: Any) -> Any:
        made = fresh(one)
        # A leaf that requires grad cannot be written.
        is_tracked = is_float(made) and id(one) not in sample.written
        return made.requires_grad_() if is_tracked else made

    return sample.outcome(sample.run, sample.tensors(track))


def run_dual(sample: Sample) -> Outcome:
    with tenon.autograd.forward_ad.dual_level():

        def dual(one: Any) -> Any:
            made = fresh(one)
            if not is_float(made):
                return made
            return tenon.autograd.forward_ad.make_dual(made, tenon.ones_like(made))

        outcome = sample.outcome(sample.run, sample.tensors(dual))
        for tensors in (outcome.results, outcome.tensors):
            tensors[:] = [tenon.autograd.forward_ad.unpack_dual(one).primal for one in tensors]
        return outcome


def run_inference(sample: Sample) -> Outcome:
    def function(*tensors: Any) -> Any:
        with tenon.inference_mode():
            return sample.run(*tensors)

    return sample.outcome(function, sample.tensors(fresh))


def run_override(sample: Sample) -> Outcome:
    class Pass(TorchFunctionMode):
        def __torch_function__(self, func, types, args=(), kwargs=None):
            return func(*args, **(kwargs or {}))

    with Pass():
        return sample.outcome(sample.run, sample.tensors(fresh))


def traced(sample: Sample, **options: Any) -> Any:
    tenon.manual_seed(3)
    return tenon.graph.trace(sample.run, *sample.tensors(fresh), **options)


def run_graph(sample: Sample) -> Outcome:
    return sample.outcome(traced(sample), sample.tensors(fresh))


def run_composite_graph(sample: Sample) -> Outcome:
    return sample.outcome(traced(sample, below_autograd=False), sample.tensors(fresh))


def run_dynamic(sample: Sample) -> Outcome:
    return sample.outcome(traced(sample, dynamic=True), sample.tensors(fresh))


def run_bytes(sample: Sample) -> Outcome:
    graph = tenon.graph.Graph.from_bytes(traced(sample).to_bytes())
    return sample.outcome(graph, sample.tensors(fresh))


def run_bound(sample: Sample) -> Outcome:
    graph = traced(sample)
    graph.bind(*sample.tensors(fresh))
    return sample.outcome(graph, sample.tensors(fresh))


def run_functionalize(sample: Sample) -> Outcome:
    function = tenon.func.functionalize(sample.run)
    return sample.outcome(function, sample.tensors(fresh))


def run_vmap(sample: Sample) -> Outcome:
    """Runs two equal calls under vmap; returns the second one's outcome.

    Results that are not tensors are taken from inside the vmap.
    """
    calls: list = []

    def function(*tensors: Any) -> Any:
        result = sample.run(*tensors)
        calls.append(result)
        return [one for one in tree_flatten(result)[0] if is_tensor(one)] or list(tensors)

    def mapped(*tensors: Any) -> Any:
        results = tenon.func.vmap(function, randomness="different")(*tensors)
        leaves, spec = tree_flatten(calls[0])
        left = iter(results)
        return tree_unflatten([next(left) if is_tensor(one) else one for one in leaves], spec)

    tensors = sample.tensors(lambda one: tenon.stack([fresh(one), fresh(one)]))
    outcome = sample.outcome(mapped if tensors else sample.run, tensors)
    if tensors:
        for each in (outcome.results, outcome.tensors):
            each[:] = [one[1] for one in each]
    return outcome


def run_threads(sample: Sample) -> Outcome:
    tenon.set_num_threads(2)
    try:
        return sample.outcome(sample.run, sample.tensors(fresh))
    finally:
        tenon.set_num_threads(1)


LAYERS = {
    "fake": (run_fake, same_layout),
    "meta": (run_meta, same_meta),
    "tracked": (run_tracked, same_all),
    "dual": (run_dual, same_all),
    "inference": (run_inference, same_all),
    "override": (run_override, same_all),
    "graph": (run_graph, same_all),
    "composite graph": (run_composite_graph, same_all),
    "dynamic graph": (run_dynamic, same_all),
    "bytes": (run_bytes, same_all),
    "bound": (run_bound, same_all),
    "functionalize": (run_functionalize, same_values),
    "vmap": (run_vmap, nearly_same),
    "threads": (run_threads, nearly_same),
}


# ---- The sweep -----------------------------------------------------------------------------------


def layers_of(sample: Sample) -> list[str]:
    """Returns the layers that can run a sample."""
    if sample.variant == "large":
        return ["threads"]
    without = {"threads"}
    if "out" in sample.op.tags:  # these refuse arguments that require grad, as in PyTorch
        without |= {"tracked", "dual"}
    if sample.has_generator:  # a generator's state cannot be saved as text
        without.add("bytes")
    if sample.has_generator or "nondeterministic_seeded" in sample.op.tags:
        without.add("vmap")  # draws twice
    return [name for name in LAYERS if name not in without]


def outcomes_of(samples: dict, variants: tuple[str, ...], name: str) -> list[tuple[str, str]]:
    """Makes the calls of an overload; returns (layer, text), with "" for success."""
    found = []
    for case in samples[name]:
        for variant in variants:
            for layer, text in outcomes_of_case(case, variant):
                found.append((layer, text and f"{text} [{case['name']}, {variant}]"))
    return found


def outcomes_of_case(case: dict, variant: str) -> Iterator[tuple[str, str]]:
    try:
        sample = Sample(case, variant)
    except REFUSALS:  # such as a dtype that the case's tensors cannot have
        return
    if variant == "large" and not is_affordable(sample):
        return
    want = sample.outcome(sample.run, sample.tensors(fresh))
    if want.refusal and variant != "plain":
        return
    for layer in layers_of(sample):
        if want.resizes and layer in WITHOUT_RESIZING and "out" in sample.op.tags:
            # These layers resize no inputs, so the call gets arguments that already have the final
            # sizes.
            sized = sample.of_sizes(want)
            text = failure_of(sized, layer, sized.outcome(sized.run, sized.tensors(fresh)))
        else:
            text = failure_of(sample, layer, want)
        yield layer, text


def is_affordable(sample: Sample) -> bool:
    """Returns true if a call's results are not much larger than its arguments."""
    outcome = run_meta(sample)
    return bool(outcome.results) and all(one.numel() <= 4 * LARGE for one in outcome.results)


def failure_of(sample: Sample, layer: str, want: Outcome) -> str:
    """Describes how a layer's outcome differs from the expected one; "" if it does not."""
    run, equal = LAYERS[layer]
    if sample.is_unset and equal in (same_all, same_values):
        equal = same_layout if equal is same_all else same_kind
    try:
        got = run(sample)
    except REFUSALS as error:
        got = Outcome([], [], [], f"{type(error).__name__}: {error}")
        got.numbers = []
    if any(got.refusal.startswith(kind) and text in got.refusal for kind, text in ASKS_ELEMENTS):
        return ""
    if want.refusal and layer in WITHOUT_ELEMENTS and not got.refusal:
        return ""
    return difference(got, want, equal)


WITHOUT_RESIZING = ("functionalize", "vmap")
# Layers without element values, which cannot refuse invalid elements.
WITHOUT_ELEMENTS = ("fake", "meta", "dynamic graph")
VARIANTS = ("plain", "strided", *DTYPES, "large")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--filter", default="", help="only overloads with this text in their names")
    parser.add_argument(
        "--variants",
        default="plain,large",
        help=f"of {', '.join(VARIANTS)}, or all (default: plain,large)",
    )
    watched.add_options(parser)
    options = parser.parse_args()
    variants = VARIANTS if options.variants == "all" else tuple(options.variants.split(","))
    if not set(variants) <= set(VARIANTS):
        parser.error(f"--variants must be of {', '.join(VARIANTS)}, got {options.variants}")
    warnings.simplefilter("ignore")
    tenon.ops.aten.add.overloads()  # loads the operators
    samples = cases.by_operator()
    if options.work:
        tenon.set_num_threads(1)
        return watched.work(options, lambda name: outcomes_of(samples, variants, name))
    overloads = [*tenon.introspect.operators("aten"), *tenon.introspect.operators("tenon")]
    names = [name for name in overloads if options.filter in name]
    begin = time.monotonic()
    arguments = (f"--variants={options.variants}",)
    found = watched.watch(__file__, names, options.processes, LIMIT_S, arguments)
    unused = set(REASONS)
    failures = 0
    counts = {layer: [0, 0, 0] for layer in LAYERS}
    for name, layer, text in found:
        reason = next((one for one in REASONS if one.covers(layer, name, text)), None)
        unused.discard(reason)
        if layer in counts:
            counts[layer][0 if not text else 1 if reason else 2] += 1
        if text and reason is None:
            failures += 1
            print(f"{layer}: {name}: {text}")
    print(f"\n{'layer':<16}{'equal':>8}{'explained':>11}{'failed':>8}")
    for layer, row in counts.items():
        print(f"{layer:<16}{row[0]:>8}{row[1]:>11}{row[2]:>8}")
    is_whole = not options.filter and options.variants == "all"
    for reason in unused if is_whole else ():
        failures += 1
        print(f"layers_reasons.py: no call needs the reason any more: {reason.why}")
    calls = sum(map(sum, counts.values()))
    print(
        f"{calls} calls, {len(names)} overloads, {failures} failures, "
        f"{time.monotonic() - begin:.0f} s"
    )
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
