# SPDX-License-Identifier: Apache-2.0
"""autocast on the CPU: what it casts, nested regions, its cache, and hooks for user code."""

import itertools
import os

import pytest
from seed import sub, torch


def modes():
    """Returns the module of dispatch modes; skips the test if there is none."""
    return pytest.importorskip(f"{torch.__name__}.utils._python_dispatch")


def on():
    return torch.is_autocast_enabled("cpu")


def ac(dtype=None, **kw):
    return torch.autocast("cpu", dtype=dtype or torch.bfloat16, **kw)


pytestmark = pytest.mark.filterwarnings("ignore")
_n = itertools.count()


def new_op(schema, cpu):
    name = f"casts{os.getpid()}::op{next(_n)}"
    torch.library.define(name, schema)
    torch.library.impl(name, "cpu")(cpu)
    ns, op = name.split("::")
    return name, getattr(getattr(torch.ops, ns), op)


def below(run):
    """Returns the names of the operators that reach a dispatch mode while run() runs."""
    base = modes().TorchDispatchMode

    class Log(base):
        def __init__(self):
            super().__init__()
            self.ops = []

        def __torch_dispatch__(self, func, types, args=(), kwargs=None):
            self.ops.append(str(func))
            return func(*args, **(kwargs or {}))

    log = Log()
    with log:
        run()
    return log.ops


def casts(run):
    return sum("_to_copy" in o for o in below(run))


def test_off_by_default_and_default_dtype():
    """autocast is off outside a region; the CPU's default dtype is bfloat16"""
    assert not on() and torch.get_autocast_dtype("cpu") == torch.bfloat16
    with torch.autocast("cpu"):
        assert on() and torch.mm(torch.ones(2, 2), torch.ones(2, 2)).dtype == torch.bfloat16
    assert not on()


def test_losses_run_in_float32():
    """mse_loss, cross_entropy and nll_loss on bfloat16 are raised to float32"""
    F, h, t = sub("nn.functional"), torch.randn(3, 3).to(torch.bfloat16), torch.tensor([0, 1, 2])
    with ac():
        for y in (F.mse_loss(h, h), F.cross_entropy(h, t), F.nll_loss(h, t)):
            assert y.dtype == torch.float32


def test_prod_runs_in_float32():
    """prod on bfloat16 is raised to float32"""
    h = torch.randn(3, 3).to(torch.bfloat16)
    if not hasattr(h, "prod"):
        pytest.skip("aten::prod is missing")
    with ac():
        assert h.prod().dtype == torch.float32
    assert h.prod().dtype == torch.bfloat16


def test_cat_and_stack_promote_to_the_widest():
    """cat and stack of mixed floating dtypes use the widest of them"""
    a, h = torch.ones(2), torch.ones(2, dtype=torch.bfloat16)
    with ac():
        assert (
            torch.cat([h, a]).dtype == torch.float32 and torch.stack([a, h]).dtype == torch.float32
        )
        assert torch.cat([h, h]).dtype == torch.bfloat16
        assert torch.cat([a.double(), h]).dtype == torch.float64


def test_double_and_integers_are_not_cast():
    """float64 and integer products keep their dtype"""
    d, i = torch.eye(2, dtype=torch.float64), torch.ones(2, 2, dtype=torch.int64)
    with ac():
        assert (d @ d).dtype == torch.float64 and (i @ i).dtype == torch.int64


def test_exception_restores_the_state():
    """an exception leaves the region and restores its state"""
    with pytest.raises(KeyError):
        with ac(torch.float16):
            raise KeyError("x")
    assert not on() and torch.get_autocast_dtype("cpu") == torch.bfloat16


def test_decorator():
    """an autocast object decorates a function, which keeps its name and may raise"""

    @ac(torch.float16)
    def work(a, n=1):
        if n == 0:
            raise LookupError
        return (a @ a).dtype

    a = torch.ones(2, 2)
    assert work.__name__ == "work" and [work(a), work(a, n=2)] == [torch.float16] * 2 and not on()
    with pytest.raises(LookupError):
        work(a, 0)
    assert not on() and (a @ a).dtype == torch.float32


def test_setter_functions():
    """set_autocast_enabled and set_autocast_dtype change the same state"""
    a = torch.ones(2, 2)
    try:
        torch.set_autocast_dtype("cpu", torch.float16)
        torch.set_autocast_enabled("cpu", True)
        assert on() and (a @ a).dtype == torch.float16
    finally:
        torch.set_autocast_enabled("cpu", False)
        torch.set_autocast_dtype("cpu", torch.bfloat16)
    assert (a @ a).dtype == torch.float32


def test_names_and_availability():
    """amp.autocast is autocast; availability is reported per device"""
    amp = sub("amp")
    assert amp.autocast is torch.autocast and amp.is_autocast_available("cpu") is True


def test_refused_constructions():
    """no device is a TypeError, an unknown device a RuntimeError"""
    with pytest.raises(TypeError, match="device_type"):
        torch.autocast()
    with pytest.raises((RuntimeError, ValueError), match="nosuch"):
        torch.autocast("nosuch")
    with ac():
        assert on()


def test_gradients_have_the_parameter_dtype():
    """gradients of float32 leaves are float32, through the casts"""
    w, x = torch.ones(2, 2, requires_grad=True), torch.full((1, 2), 3.0)
    with ac():
        y = x @ w
    assert y.dtype == torch.bfloat16 and y.requires_grad
    y.sum().backward()
    assert w.grad.dtype == torch.float32 and w.grad.tolist() == [[3, 3], [3, 3]]


# ---- the cache of casts
def test_cache_lives_until_the_outermost_exit():
    """nested regions share the cache; leaving the outermost empties it"""
    w = torch.randn(2, 2, requires_grad=True)

    def nested():
        with ac():
            w @ w
            with ac():
                w @ w
            w @ w

    assert casts(nested) == 1 and casts(nested) == 1


def test_cache_sees_new_values_in_a_new_region():
    """after an update, the next region casts the new values"""
    w, x = torch.ones(2, 2, requires_grad=True), torch.ones(1, 2)
    with ac():
        first = x @ w
    with torch.no_grad():
        w.mul_(3)
    with ac():
        second = x @ w
    assert first.tolist() == [[2, 2]] and second.tolist() == [[6, 6]]


def test_cached_cast_has_a_graph_for_every_use():
    """gradients accumulate over all uses of a cached cast"""
    w, x = torch.ones(2, 2, requires_grad=True), torch.ones(1, 2)
    with ac():
        y = (x @ w) + (x @ w)
    y.sum().backward()
    assert w.grad.tolist() == [[2, 2], [2, 2]]


def test_cast_first_made_under_no_grad():
    """a leaf first used under no_grad in a region still gets its gradient later in it"""
    w, x = torch.ones(2, 2, requires_grad=True), torch.ones(1, 2)
    with ac():
        with torch.no_grad():
            quiet = x @ w
        y = x @ w
    assert not quiet.requires_grad and y.requires_grad
    y.sum().backward()
    assert w.grad.tolist() == [[1, 1], [1, 1]]


def test_view_of_a_leaf_is_cast_with_its_graph():
    """a transposed parameter is cast each time and gradients reach it"""
    w, x = torch.ones(2, 3, requires_grad=True), torch.ones(1, 3)
    with ac():
        y = x @ w.t()
    y.sum().backward()
    assert y.dtype == torch.bfloat16 and w.grad.tolist() == [[1] * 3] * 2


# ---- custom Functions
def product_class(**fwd):
    amp, seen = sub("amp"), {}

    class Product(torch.autograd.Function):
        @staticmethod
        @amp.custom_fwd(device_type="cpu", **fwd)
        def forward(ctx, a, b):
            seen["fwd"] = (on(), a.dtype)
            ctx.save_for_backward(a, b)
            return a.mm(b)

        @staticmethod
        @amp.custom_bwd(device_type="cpu")
        def backward(ctx, g):
            a, b = ctx.saved_tensors
            seen["bwd"] = (on(), torch.get_autocast_dtype("cpu"))
            return g.mm(b.t()).to(a.dtype), a.t().mm(g).to(b.dtype)

    return Product, seen


def test_custom_fwd_cast_inputs_outside_a_region():
    """outside a region cast_inputs does nothing"""
    P, seen = product_class(cast_inputs=torch.float32)
    h = torch.ones(2, 2, dtype=torch.bfloat16)
    assert P.apply(h, h).dtype == torch.bfloat16 and seen["fwd"] == (False, torch.bfloat16)


# ---- custom operators
def test_operator_without_rule_falls_through():
    """an operator without an autocast rule gets uncast arguments, with autocast on"""
    seen = []
    _, op = new_op("(Tensor x) -> Tensor", lambda x: (seen.append((on(), x.dtype)), x @ x)[1])
    with ac():
        out = op(torch.ones(2, 2))
    assert seen == [(True, torch.float32)] and out.dtype == torch.bfloat16


def test_register_autocast():
    """a registered operator gets floating arguments cast and autocast off inside"""
    seen = []
    name, op = new_op(
        "(Tensor x, Tensor i, int k) -> Tensor",
        lambda x, i, k: (seen.append((on(), x.dtype, i.dtype)), x @ x * k)[1],
    )
    torch.library.register_autocast(name, "cpu", torch.float16)
    x, i = torch.ones(2, 2), torch.ones(2, dtype=torch.int64)
    with ac(torch.bfloat16):
        out = op(x, i, 2)
    assert seen == [(False, torch.float16, torch.int64)] and out.dtype == torch.float16
    assert op(x, i, 2).dtype == torch.float32


def test_register_autocast_unknown_device():
    """an unknown device name is refused"""
    name, _op = new_op("(Tensor x) -> Tensor", lambda x: x + 1)
    with pytest.raises((RuntimeError, ValueError)):
        torch.library.register_autocast(name, "nosuch", torch.bfloat16)
    torch.library.register_autocast(name, "cpu", torch.bfloat16)
    with ac():
        assert _op(torch.ones(2)).dtype == torch.bfloat16


def test_register_autocast_of_a_list_argument():
    """tensors in lists are cast too"""
    seen = []
    name, op = new_op(
        "(Tensor[] xs) -> Tensor", lambda xs: (seen.extend(x.dtype for x in xs), xs[0].sum())[1]
    )
    torch.library.register_autocast(name, "cpu", torch.bfloat16)
    with ac():
        op([torch.ones(2), torch.ones(2, dtype=torch.int64)])
    assert seen == [torch.bfloat16, torch.int64]


# ---- with other layers
def test_function_mode_is_above_and_dispatch_mode_below():
    """a function mode sees the arguments before the cast, a dispatch mode after it"""
    ov, ds, seen = sub("overrides"), modes(), []

    class Above(ov.TorchFunctionMode):
        def __torch_function__(self, func, types, args=(), kwargs=None):
            if getattr(func, "__name__", "") == "mm":
                seen.append(("above", args[0].dtype))
            return func(*args, **(kwargs or {}))

    class Below(ds.TorchDispatchMode):
        def __torch_dispatch__(self, func, types, args=(), kwargs=None):
            if "mm" in str(func):
                seen.append(("below", args[0].dtype))
            return func(*args, **(kwargs or {}))

    a = torch.ones(2, 2)
    with ac(), Above(), Below():
        torch.mm(a, a)
    assert seen == [("above", torch.float32), ("below", torch.bfloat16)]


def test_requires_grad_results_under_no_grad():
    """under no_grad a cast product needs no gradient"""
    w = torch.ones(2, 2, requires_grad=True)
    with torch.no_grad(), ac():
        assert not (w @ w).requires_grad
