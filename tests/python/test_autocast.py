# SPDX-License-Identifier: Apache-2.0
"""Autocast: regions, rules, the cache, handwritten wrappers, custom functions, threads."""

from __future__ import annotations

import threading
import warnings

import pytest
import tenon
from tenon import amp, custom_op, library
from tenon.thread_state import ThreadState


def region(dtype=tenon.bfloat16, **options):
    return tenon.autocast("cpu", dtype=dtype, **options)


def on() -> bool:
    return tenon.is_autocast_enabled("cpu")


@pytest.fixture
def lib(library):
    """The library under a name that does not hide the module `library`."""
    return library


def define(lib, schema: str, kernel):
    name = lib.define(f"f{schema}")
    lib.impl(name, kernel, "CompositeExplicitAutograd")
    return tenon.find_op(f"{lib.ns}::{name}")


def note(seen: list, result=None):
    def kernel(*args):
        seen.append([getattr(arg, "dtype", arg) for arg in args] + [on()])
        return args[0].clone() if result is None else result

    return kernel


# ---- Regions -------------------------------------------------------------------------------------


def test_names_are_torch_s():
    assert amp.autocast is tenon.autocast
    assert amp.is_autocast_available("cpu") and amp.is_autocast_available("cuda")
    assert not amp.is_autocast_available("meta") and not amp.is_autocast_available("nosuch")
    assert tenon.get_autocast_dtype("cuda") == tenon.float16
    assert tenon.is_autocast_cache_enabled()


def test_region_can_be_entered_inside_itself_and_again():
    one = region()
    with one:
        with one:
            assert on()
        assert on()
    assert not on()
    with one:
        assert on()
    with pytest.raises(tenon.StateError, match="entered before it is left"):
        one.__exit__()


def test_region_left_out_of_order_stays():
    outer, inner = region(), region(tenon.float16)
    outer.__enter__()
    inner.__enter__()
    with pytest.raises(tenon.StateError, match="innermost"):
        outer.__exit__()
    assert tenon.get_autocast_dtype("cpu") == tenon.float16
    inner.__exit__()
    outer.__exit__()
    assert not on()


def test_other_dtype_on_the_cpu_warns_and_disables():
    with pytest.warns(UserWarning, match=r"dtype must be bfloat16 or float16 on cpu, got .*int32"):
        off = tenon.autocast("cpu", dtype=tenon.int32)
    with off:
        assert not on()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        tenon.autocast("cpu", dtype=tenon.int32, enabled=False)


@pytest.mark.parametrize("wrong", [None, 3, "nosuch", "meta"])
def test_device_types_without_autocast_are_refused(wrong):
    with pytest.raises((ValueError, LookupError)):
        tenon.autocast(wrong)


def test_generators_are_decorated_step_by_step():
    @region()
    def steps():
        yield on()
        yield on()

    generator = steps()
    assert next(generator) and not on() and next(generator) and not on()


def test_dtype_and_cache_setters():
    try:
        tenon.set_autocast_cache_enabled(False)
        assert not tenon.is_autocast_cache_enabled()
        with region(cache_enabled=True):
            assert tenon.is_autocast_cache_enabled()
        assert not tenon.is_autocast_cache_enabled()
        with pytest.raises(TypeError, match=r"must be floating point, got int64"):
            tenon.set_autocast_dtype("cpu", tenon.int64)
        with pytest.raises(TypeError, match="must be dtype, got str"):
            tenon.set_autocast_dtype("cpu", "half")
    finally:
        tenon.set_autocast_cache_enabled(True)


def test_regions_are_of_a_thread_and_travel_with_its_state():
    a, found = tenon.ones(2, 2), []
    with region(tenon.float16):
        bound = ThreadState().bind(lambda: found.append((a @ a).dtype))
        for work in (lambda: found.append((a @ a).dtype), bound):
            thread = threading.Thread(target=work)
            thread.start()
            thread.join()
    assert found == [tenon.float32, tenon.float16]


# ---- Shipped rules -------------------------------------------------------------------------------


def test_products_run_in_the_lower_precision():
    a, v = tenon.ones(2, 2), tenon.ones(3, 2, 2)
    F = tenon.nn.functional
    with region():
        results = [a @ a, tenon.mm(a, a), tenon.bmm(v, v), F.linear(a, a), tenon.matmul(v, a)]
        results.append(tenon.conv2d(tenon.ones(1, 1, 3, 3), tenon.ones(1, 1, 2, 2)))
    assert {result.dtype for result in results} == {tenon.bfloat16}


def test_cpu_sums_and_exponentials_are_not_cast():
    """PyTorch casts these on accelerators only."""
    h = tenon.ones(2, 2, dtype=tenon.bfloat16)
    with region():
        results = [h.sum(), h.exp(), h.log(), h.pow(2), tenon.softmax(h, 0), tenon.cumsum(h, 0)]
    assert {result.dtype for result in results} == {tenon.bfloat16}


@pytest.mark.parametrize(
    ("name", "key", "kernel"),
    [
        ("aten::mm", "AutocastCPU", "cast_to_lower_precision"),
        ("aten::cat", "AutocastCPU", "cast_to_widest"),
        ("aten::cat", "AutocastCUDA", "skip_autocast"),
        ("aten::exp", "AutocastCUDA", "cast_to_float32"),
        ("aten::exp", "AutocastCPU", "not_cast"),
        ("aten::sum", "AutocastCUDA", "ask_for_float32"),
        ("aten::addcmul", "AutocastCUDA", "cast_to_widest"),
    ],
)
def test_rules_are_in_the_table(name, key, kernel):
    assert kernel in repr(tenon.introspect.dispatch_table(name)[key])


def test_explain_lists_the_casts():
    a = tenon.ones(2, 2)
    with region():
        text = tenon.introspect.explain(tenon.ops.aten.mm.default, a, a)
    assert "eligible arguments are cast to bfloat16, the region's lower precision" in text
    assert "the highest key is AutocastCPU" in text


def test_losses_compute_in_float32():
    h, target = tenon.randn(3, 3).to(tenon.bfloat16), tenon.tensor([0, 1, 2])
    F = tenon.nn.functional
    with region():
        results = [F.mse_loss(h, h), F.l1_loss(h, h), F.cross_entropy(h, target)]
        results.append(F.nll_loss(h, target))
    assert {result.dtype for result in results} == {tenon.float32}


# ---- User-defined rules --------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("policy", "expected"),
    [
        ("lower_precision_fp", tenon.bfloat16),
        ("fp32", tenon.float32),
        ("promote", tenon.float32),
        (tenon.float16, tenon.float16),
    ],
)
def test_policies(lib, policy, expected):
    seen: list = []
    op = define(lib, "(Tensor a, Tensor b) -> Tensor", note(seen))
    rule = lib.register_autocast("f", policy, "cpu")
    a, h = tenon.ones(2), tenon.ones(2, dtype=tenon.bfloat16)
    with region():
        op(a, h)
    assert seen == [[expected, expected, False]]
    assert rule is not None


def test_policy_with_dtype(lib):
    seen: list = []

    def kernel(a, dtype=None):
        seen.append(dtype)
        return a.clone()

    op = define(lib, "(Tensor a, ScalarType? dtype=None) -> Tensor", kernel)
    lib.register_autocast("f", "fp32_set_opt_dtype")
    with region():
        op(tenon.ones(2, dtype=tenon.bfloat16))
        op(tenon.ones(2, dtype=tenon.int64))
        op(tenon.ones(2), tenon.float64)
    assert seen == [tenon.float32, None, tenon.float64]


def test_banned_operator_error_has_the_advice(lib):
    op = define(lib, "(Tensor a) -> Tensor", lambda a: a.clone())
    lib.register_autocast("f", "banned", advice="use g")
    op(tenon.ones(1))
    with region(), pytest.raises(NotImplementedError, match=r"autocast region of cpu; use g"):
        op(tenon.ones(1))


def test_unknown_policies_are_refused(lib):
    define(lib, "(Tensor a) -> Tensor", lambda a: a.clone())
    for wrong in ("to", "half", 3):
        with pytest.raises((ValueError, TypeError), match="must be"):
            lib.register_autocast("f", wrong)


def test_rules_go_with_their_library(lib):
    seen: list = []
    op = define(lib, "(Tensor a) -> Tensor", note(seen))
    rules = library.Library(lib.ns, "IMPL")
    rules.register_autocast("f", "lower_precision_fp")
    with region():
        op(tenon.ones(1))
        rules.close()
        op(tenon.ones(1))
    assert [one[0] for one in seen] == [tenon.bfloat16, tenon.float32]


def test_custom_op_registers_a_rule(ns):
    seen: list = []

    @library.custom_op(f"{ns}::twice", mutates_args=())
    def twice(x: tenon.Tensor) -> tenon.Tensor:
        seen.append((x.dtype, on()))
        return x * 2

    twice.register_autocast("cpu", tenon.float16)
    with region():
        assert twice(tenon.ones(2)).dtype == tenon.float16
    assert seen == [(tenon.float16, False)]
    with pytest.raises(TypeError, match="cast_inputs must be dtype"):
        twice.register_autocast("cpu", "half")
    custom_op._definitions.pop(f"{ns}::twice")._lib.close()


# ---- Handwritten wrappers ------------------------------------------------------------------------


def test_wrapper_of_the_tutorial(lib):
    seen: list = []
    op = define(lib, "(Tensor a, Tensor b) -> Tensor", note(seen))

    # [quote.begin wrapper]
    def wrapper(a, b):
        with library.ExcludeDispatchKeyGuard("Autocast"):
            return op(
                amp.cached_cast(tenon.bfloat16, a, "cpu"), amp.cached_cast(tenon.bfloat16, b, "cpu")
            )

    lib.impl("f", wrapper, "Autocast")
    # [quote.end]
    wide = tenon.ones(2, dtype=tenon.float64)
    with region():
        op(tenon.ones(2), wide)
    assert seen == [[tenon.bfloat16, tenon.float64, False]]


def test_wrapper_with_promotion(lib):
    seen: list = []
    op = define(lib, "(Tensor[] xs) -> int", lambda xs: seen.append([x.dtype for x in xs]) or 1)

    def wrapper(xs):
        widest = amp.promote_type(tenon.bfloat16, *xs, device_type="cpu")
        with library.ExcludeDispatchKeyGuard("Autocast"):
            return op(amp.cached_cast(widest, xs, "cpu"))

    lib.impl("f", wrapper, "AutocastCPU")
    a, h = tenon.ones(2), tenon.ones(2, dtype=tenon.bfloat16)
    with region():
        op([h, h])
        op([h, a])
    assert seen == [[tenon.bfloat16] * 2, [tenon.float32] * 2]


def test_promote_type_refuses_a_third_precision():
    with pytest.raises(TypeError, match="got float16"):
        amp.promote_type(tenon.bfloat16, tenon.ones(1, dtype=tenon.float16), device_type="cpu")
    with pytest.raises(TypeError, match="argument 0 must be Tensor, got int"):
        amp.promote_type(tenon.bfloat16, 3, device_type="cpu")


def test_cached_cast_looks_into_containers():
    a, i = tenon.ones(1), tenon.ones(1, dtype=tenon.int64)
    cast = amp.cached_cast(tenon.float16, {"a": [a, (i, "x")]}, "cpu")
    assert cast["a"][0].dtype == tenon.float16
    assert cast["a"][1][0] is i and cast["a"][1][1] == "x"


# ---- The cache -----------------------------------------------------------------------------------


def cast(tensor, dtype=tenon.bfloat16):
    return amp.cached_cast(dtype, tensor, "cpu")


def test_cache_keeps_leaves_that_require_grad():
    w, x = tenon.ones(2, requires_grad=True), tenon.ones(2)
    assert cast(w) is not cast(w)
    with region():
        assert cast(w) is cast(w)
        assert cast(x) is not cast(x)
        assert cast(w.view(2)) is not cast(w.view(2))
        kept = cast(w)
        tenon.clear_autocast_cache()
        assert cast(w) is not kept
    with region(cache_enabled=False):
        assert cast(w) is not cast(w)


def test_cache_in_nested_regions_of_two_precisions():
    w = tenon.ones(2, requires_grad=True)
    with region():
        first = cast(w)
        with region(tenon.float16):
            assert cast(w, tenon.float16).dtype == tenon.float16
        assert cast(w).dtype == first.dtype == tenon.bfloat16


def test_cache_sees_a_write_within_the_region():
    """PyTorch keeps using the old cast."""
    w = tenon.ones(2, requires_grad=True)
    with region():
        cast(w)
        with tenon.no_grad():
            w.mul_(3)
        assert cast(w).tolist() == [3, 3]


def test_two_backward_passes_over_one_cast():
    w, x = tenon.ones(2, 2, requires_grad=True), tenon.ones(1, 2)
    with region():
        for _ in range(2):
            (x @ w).sum().backward()
    assert w.grad.tolist() == [[2, 2], [2, 2]] and w.grad.dtype == tenon.float32


# ---- Functions -----------------------------------------------------------------------------------


def product(seen, **options):
    class Product(tenon.autograd.Function):
        @staticmethod
        @amp.custom_fwd(device_type="cpu", **options)
        def forward(ctx, a, b):
            seen.append((on(), a.dtype))
            ctx.save_for_backward(a, b)
            return a.mm(b)

        @staticmethod
        @amp.custom_bwd(device_type="cpu")
        def backward(ctx, grad):
            a, b = ctx.saved_tensors
            seen.append((on(), tenon.get_autocast_dtype("cpu")))
            return grad.mm(b.t()), a.t().mm(grad)

    return Product


def test_custom_functions_run_backward_as_forward():
    seen: list = []
    a = tenon.ones(2, 2, requires_grad=True)
    with region(tenon.float16):
        result = product(seen).apply(a, a)
    result.sum().backward()
    assert seen == [(True, tenon.float32), (True, tenon.float16)]
    assert a.grad.dtype == tenon.float32


def test_custom_functions_cast_their_inputs():
    seen: list = []
    a = tenon.ones(2, 2, requires_grad=True)
    with region(tenon.float16):
        result = product(seen, cast_inputs=tenon.bfloat16).apply(a, a)
    result.sum().backward()
    assert seen == [(False, tenon.bfloat16), (False, tenon.float16)]
    assert result.dtype == tenon.bfloat16


def test_checkpoints_run_again_in_their_region():
    from tenon.utils.checkpoint import checkpoint

    seen: list = []
    w = tenon.ones(2, 2, requires_grad=True)

    def part(x):
        seen.append(on())
        return x @ w

    with region():
        result = checkpoint(part, tenon.ones(1, 2, requires_grad=True), use_reentrant=False)
    result.sum().backward()
    assert seen == [True, True] and w.grad.tolist() == [[1, 1], [1, 1]]
