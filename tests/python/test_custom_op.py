# SPDX-License-Identifier: Apache-2.0
"""Custom operators of Python functions: what the acceptance files leave out, leaks, bad input."""

from __future__ import annotations

import gc
import itertools
import warnings

import pytest
import tenon
from tenon import _C, _tenon, introspect, library
from tenon import custom_op as custom_op_module
from tenon.library import (
    Library,
    custom_op,
    infer_schema,
    register_autograd,
    register_fake,
    register_kernel,
)

_names = itertools.count()


@pytest.fixture(autouse=True)
def closed():
    """Closes the operators of each test; otherwise they live as long as the process."""
    definitions, forever = custom_op_module._definitions, library._forever
    before, kept = set(definitions), len(forever)
    yield
    for name in set(definitions) - before:
        definitions.pop(name)._lib.close()
    while len(forever) > kept:
        forever.pop().close()


def fresh(name="f"):
    return f"custom_op_test_{next(_names)}::{name}"


def leaf(*values):
    return tenon.tensor(list(values), dtype=tenon.float64, requires_grad=True)


def live():
    gc.collect()
    return [_tenon.tenon_introspect_live_count(kind) for kind in range(32)]


def test_nothing_is_left_of_calls_with_lists_and_several_results():
    @custom_op(fresh(), mutates_args=())
    def f(x: tenon.Tensor, ys: list[tenon.Tensor]) -> tuple[tenon.Tensor, tenon.Tensor]:
        return x * 2, ys[0] * 3

    seen = []

    def setup(ctx, inputs, output):
        ctx.save_for_backward(inputs[0], output[0], *inputs[1])
        ctx.kept = object()

    def backward(ctx, a, b):
        seen.append((len(ctx.saved_tensors), ctx.needs_input_grad))
        return a * 2, [b * 3]

    f.register_autograd(backward, setup_context=setup)

    def rounds():
        for _ in range(50):
            x = leaf(1.0)
            a, b = f(x, [x])
            (a + b).backward()
            assert x.grad.item() == 5.0
            f(x, [x])

    rounds()
    before = live()
    rounds()
    assert live() == before
    assert set(map(repr, seen)) == {"(3, (True, [True]))"}


def test_keyword_only_inputs_reach_setup():
    @custom_op(fresh(), mutates_args=())
    def f(x: tenon.Tensor, *, k: float = 2.0) -> tenon.Tensor:
        return x * k

    def setup(ctx, inputs, keyword_only_inputs, output):
        assert len(inputs) == 1
        ctx.k = keyword_only_inputs["k"]

    f.register_autograd(lambda ctx, grad: grad * ctx.k, setup_context=setup)
    x = leaf(1.0)
    f(x, k=5.0).backward()
    assert x.grad.item() == 5.0


def test_gradients_that_do_not_fit_are_refused():
    given = []

    @custom_op(fresh("fits"), mutates_args=())
    def f(x: tenon.Tensor, k: float, ys: list[tenon.Tensor]) -> tenon.Tensor:
        return x * k + ys[0]

    f.register_autograd(lambda ctx, grad: given[0])
    one = tenon.ones(1, dtype=tenon.float64)
    for result, words in (
        (None, "each of 3 arguments"),
        ((one, one, None), "gradient of k must be None"),
        ((3, None, None), "gradient of x must be Tensor or None, got int"),
        ((one, None, one), "gradient of ys must be a list of the argument's structure"),
        ((one, None, [one, one]), "structure"),
        ((one, None, [3]), "structure"),
    ):
        given[:] = [result]
        with pytest.raises(RuntimeError, match=words):
            f(leaf(1.0), 2.0, [leaf(1.0)]).backward()
    given[:] = [(None, None, None, None)]
    x = leaf(1.0)
    f(x, 2.0, [x]).backward()
    assert x.grad is None


def test_policies_of_operators_without_formula():
    with Library(fresh().partition("::")[0], "FRAGMENT") as owner:
        owner.define("twice(Tensor x) -> Tensor")
        owner.impl("twice", lambda x: x + x, "CompositeExplicitAutograd")
        twice = getattr(tenon.ops, owner.ns).twice
        with pytest.raises(NotImplementedError, match="twice"):
            twice(leaf(1.0)).backward()
        owner.set_gradient_policy("twice", "warn")
        x = leaf(1.0)
        with pytest.warns(UserWarning, match="twice: no gradient formula"):
            twice(x).backward()
        assert x.grad is None
        owner.set_gradient_policy(f"{owner.ns}::twice", "nothing")
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            assert not twice(x).requires_grad
        owner.set_gradient_policy(twice.default, "error")
        with pytest.raises(NotImplementedError, match="twice"):
            twice(x).backward()
        register_autograd(twice.default, lambda ctx, grad: grad * 2, lib=owner)
        twice(x).backward()
        assert x.grad.item() == 2.0
        with pytest.raises(ValueError, match="policy must be one of error, warn, nothing"):
            owner.set_gradient_policy("twice", "silent")
    with pytest.raises(RuntimeError):
        owner.set_gradient_policy("twice", "warn")


def test_gradient_policy_of_the_process():
    x = leaf(1.0)
    with Library(fresh().partition("::")[0], "FRAGMENT") as owner:
        owner.define("twice(Tensor x) -> Tensor")
        owner.impl("twice", lambda x: x + x, "CompositeExplicitAutograd")
        twice = getattr(tenon.ops, owner.ns).twice
        assert _C._get_autograd_fallback_mode() == "error"
        try:
            _C._set_autograd_fallback_mode("nothing")
            assert not twice(x).requires_grad and (x * x).requires_grad
            _C._set_autograd_fallback_mode("warn")
            with pytest.warns(UserWarning, match="twice: no gradient formula"):
                twice(x).backward()
            with pytest.raises(ValueError, match="policy must be one of error, warn, nothing"):
                _C._set_autograd_fallback_mode("silent")
            assert _C._get_autograd_fallback_mode() == "warn"
        finally:
            _C._set_autograd_fallback_mode("error")
        with pytest.raises(NotImplementedError, match="twice"):
            twice(x).backward()
        with pytest.raises(ValueError, match='namespace "_"'):
            owner.set_gradient_policy("_", "warn")


def test_kernels_by_name_and_for_meta():
    name = fresh()
    tenon.library.define(name, "(Tensor x) -> Tensor")

    @register_kernel(name, "cpu")
    def kernel(x):
        return x + 1

    @register_fake(name)
    def fake(x):
        return x

    op = _tenon.find_op(name)
    assert op(tenon.ones(1)).item() == 2.0
    assert op(tenon.ones(3, device="meta")).shape == (3,)


def test_bad_use():
    with pytest.raises(ValueError, match="namespace::name"):
        custom_op("no_namespace", lambda x: x, mutates_args=())
    with pytest.raises(TypeError, match="backward must be callable, got int"):
        register_autograd("aten::exp", 3)
    with pytest.raises(TypeError, match="setup_context must be callable, got int"):
        register_autograd("aten::exp", lambda ctx, grad: grad, setup_context=3)
    with pytest.raises(LookupError):
        register_autograd("custom_op_test::missing", lambda ctx, grad: grad)

    def f(x: tenon.Tensor, n: int = 3) -> tenon.Tensor:
        return x

    assert infer_schema(f, mutates_args="unknown") == "(Tensor(a0!) x, SymInt n=3) -> Tensor"
    assert (
        infer_schema(f, mutates_args=(), op_name="a::b") == "a::b(Tensor x, SymInt n=3) -> Tensor"
    )
    for arguments, words in (
        (("y",), "must name parameters, got 'y'"),
        (("n",), "must name Tensors, got n"),
        ("x", "names in a list"),
    ):
        with pytest.raises(ValueError, match=words):
            infer_schema(f, mutates_args=arguments)
    with pytest.raises(ValueError, match="takes any number"):
        infer_schema(lambda *args: None, mutates_args=())
    with pytest.raises(ValueError, match="no kernel|got none|must have a kernel"):
        made = custom_op(fresh(), f, mutates_args=())
        with made.set_kernel_enabled("cuda"):
            pass


def test_definitions_have_the_callers_source_location():
    """Also at module level, where the caller's frame is the outermost one."""
    lines = {
        "same": "custom_op({name!r}, f, mutates_args=(), schema='(Tensor x) -> Tensor')",
        "made": "custom_op({name!r}, mutates_args=(), schema='(Tensor x) -> Tensor')(f)",
        "defined": "library.define({name!r}, '(Tensor x) -> Tensor')",
    }
    for name, line in lines.items():
        qualname = fresh(name)
        scope = {"custom_op": custom_op, "library": library, "f": tenon.empty_like}
        exec(compile("\n\n" + line.format(name=qualname), "written_here.py", "exec"), scope)
        again = Library(qualname.partition("::")[0], "FRAGMENT")
        with pytest.raises(
            tenon.error.AlreadyExistsError, match=r"the first is at written_here.py:3"
        ):
            again.define(f"{name}(Tensor x) -> Tensor")
        again.close()


def test_a_kernel_has_the_source_location_of_its_function():
    def kernel(x):
        return x.clone()

    op = custom_op(fresh(), kernel, mutates_args=(), schema="(Tensor x) -> Tensor")
    entry = introspect.dispatch_table(op._opoverload.name())["CPU"]
    assert entry.name == kernel.__qualname__
    assert (entry.file, entry.line) == (__file__, kernel.__code__.co_firstlineno)
