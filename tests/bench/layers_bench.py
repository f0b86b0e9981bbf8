# SPDX-License-Identifier: Apache-2.0
"""Measures layers called from Python, Tenon and PyTorch in one process; prints JSON.

Both run the same statements, since their APIs have the same spelling, in alternation. Run by
parts/layers.py.
"""

from __future__ import annotations

import importlib
import json
import sys
import time
from typing import Any

import tenon
from timed import Rows, Timer, summary

CHAIN = 200


def add_calls(rows: Rows, prefix: str, m: Any) -> None:
    """Adds calls on one-element tensors that require gradients."""
    a, w = (m.ones(1, requires_grad=True) for _ in range(2))
    rows.add(f"{prefix}record", "a * w", a=a, w=w)

    class Double(m.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            ctx.save_for_backward(x)
            return x.detach()

        @staticmethod
        def backward(ctx, grad):
            return grad

    rows.add(f"{prefix}function", "f(a)", f=Double.apply, a=a)
    rows.add(f"{prefix}function_and_backward", "f(a).backward()", f=Double.apply, a=a)

    name, schema = f"tenon_bench_{m.__name__}::same", "(Tensor x) -> Tensor"
    same = m.library.custom_op(name, m.empty_like, mutates_args=(), schema=schema)
    same.register_autograd(lambda ctx, grad: grad, setup_context=lambda ctx, inputs, output: None)
    rows.kept.append(same)
    rows.add(f"{prefix}custom_op", "op(a)", op=same, a=a)


def add_modules(rows: Rows, prefix: str, m: Any) -> None:
    """Adds a module, and training steps of a net of 8 units without an optimizer."""
    nn = importlib.import_module(f"{m.__name__}.nn")
    x = m.ones(1, 4)
    rows.add(f"{prefix}linear", "layer(x)", layer=nn.Linear(4, 4), x=x)
    net = nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.Linear(8, 1))
    parameters = list(net.parameters())
    wanted = m.ones(1, 1)

    def step():
        loss = ((net(x) - wanted) ** 2).sum()
        loss.backward()
        with m.no_grad():
            for one in parameters:
                one.sub_(one.grad, alpha=0.01)
                one.grad = None

    rows.add(f"{prefix}step", "step()", step=step)
    rows.add(f"{prefix}step_adamw", "step()", step=step_with_optimizer(m, nn))


def step_with_optimizer(m: Any, nn: Any) -> Any:
    """A training step of four layers of 64 units with AdamW."""
    optim = importlib.import_module(f"{m.__name__}.optim")
    layers = [layer for _ in range(3) for layer in (nn.Linear(64, 64), nn.ReLU())]
    net = nn.Sequential(*layers, nn.Linear(64, 64))
    optimizer = optim.AdamW(net.parameters())
    x, wanted = m.ones(16, 64), m.zeros(16, 64)

    def step():
        optimizer.zero_grad()
        loss = nn.functional.mse_loss(net(x), wanted)
        loss.backward()
        optimizer.step()

    return step


def add_transforms(rows: Rows, prefix: str, m: Any) -> None:
    """Adds transforms of one-operator functions, apart from the sum that grad needs."""
    func = importlib.import_module(f"{m.__name__}.func")
    x = m.ones(3, 4)

    def total(x):
        return (x * x).sum()

    rows.add(f"{prefix}func_grad", "grad(f)(x)", grad=func.grad, f=total, x=x)
    rows.add(f"{prefix}func_jvp", "jvp(f, (x,), (x,))", jvp=func.jvp, f=lambda x: x * x, x=x)
    rows.add(
        f"{prefix}func_vmap_grad",
        "vmap(grad(f))(x)",
        vmap=func.vmap,
        grad=func.grad,
        f=total,
        x=x,
    )
    rows.add(f"{prefix}func_vmap", "vmap(f)(x)", vmap=func.vmap, f=lambda x: x.sin(), x=x)


def bound(function: Any, *args: Any) -> Any:
    """Returns a function that runs its graph by a bound plan, which must exist."""
    from tenon import graph

    traced = graph.trace(function, *args)
    if reason := traced.bind(*args):
        raise RuntimeError(reason)
    return lambda: traced(*args)


def graphs(rows: Rows, prefix: str, m: Any, rounds: int) -> None:
    """Adds chains of 50 small operators: traced, replayed, run by bound plans, and as an operator.

    The PyTorch peers are make_fx and the eager chains. Each library uses its fastest mode.
    """
    x, w = m.ones(1), m.ones(1)
    a, b = m.ones(8, 8), m.ones(8, 8)

    def chain(x, w):
        for _ in range(10):
            x = m.relu(m.add(m.mul(m.add(m.mul(x, w), w), w), w))
        return x

    def products(x, w):
        for _ in range(10):
            x = m.relu(m.add(m.mul(m.add(m.mm(x, w), w), w), w))
        return x

    with m.no_grad() if m is tenon else m.inference_mode():
        if m is tenon:
            from tenon import fx, graph

            traced, traced_mm = graph.trace(chain, x, w), graph.trace(products, a, b)
            runs = {
                "trace": lambda: graph.trace(chain, x, w),
                "chain": lambda: chain(x, w),
                "chain_mm": lambda: products(a, b),
                "replay": lambda: traced(x, w),
                "replay_mm": lambda: traced_mm(a, b),
                "bound": bound(chain, x, w),
                "bound_mm": bound(products, a, b),
            }
            make_fx = fx.make_fx
        else:
            proxies = importlib.import_module(f"{m.__name__}.fx.experimental.proxy_tensor")
            make_fx = proxies.make_fx
            runs = {
                "trace": lambda: make_fx(chain)(x, w),
            }
            for name in ("chain", "replay", "bound"):
                runs[name] = lambda: chain(x, w)
                runs[f"{name}_mm"] = lambda: products(a, b)
        runs["make_fx"] = lambda: make_fx(chain)(x, w)
        rows_of = [m.ones(3, 2), m.ones(3, 2)]
        runs["make_fx_symbolic"] = lambda: make_fx(chain, tracing_mode="symbolic")(*rows_of)
        for name, run in runs.items():
            timer = Timer("run()", globals={"run": run})
            timer.timeit(3)
            count = max(1, int(0.01 / timer.timeit(1)))
            times = [timer.timeit(count) / count / 50 * 1e9 for _ in range(max(rounds, 3))]
            rows.extra[f"{prefix}{name}"] = summary(times)


def operator_in_vmap(rows: Rows, prefix: str, m: Any, rounds: int) -> None:
    """Measures what one more operator costs in a function under vmap."""
    x, times = m.ones(3, 4), []

    def function(x):
        start = time.thread_time_ns()
        for _ in range(CHAIN):
            x.sin()
        times.append((time.thread_time_ns() - start) / CHAIN)
        return x

    for _ in range(max(rounds, 3) * 2):
        m.vmap(function)(x)
    rows.extra[f"{prefix}operator_in_vmap"] = summary(times)


def add_overrides(rows: Rows, prefix: str, m: Any) -> None:
    """Adds one `add` under modes, with a subclass, and with a tensor-like class."""
    overrides = importlib.import_module(f"{m.__name__}.overrides")
    below = importlib.import_module(f"{m.__name__}.utils._python_dispatch")
    a, b = m.ones(1), m.ones(1)

    class Function(overrides.TorchFunctionMode):
        def __torch_function__(self, func, types, args=(), kwargs=None):
            return func(*args, **(kwargs or {}))

    class Dispatch(below.TorchDispatchMode):
        def __torch_dispatch__(self, func, types, args=(), kwargs=None):
            return func(*args, **(kwargs or {}))

    class Subclass(m.Tensor):
        @classmethod
        def __torch_function__(cls, func, types, args=(), kwargs=None):
            return super().__torch_function__(func, types, args, kwargs or {})

    class Duck:
        @classmethod
        def __torch_function__(cls, func, types, args=(), kwargs=None):
            return None

    rows.add(f"{prefix}subclass", "add(a, b)", add=m.add, a=a.as_subclass(Subclass), b=b)
    rows.add(f"{prefix}duck_type", "add(a, b)", add=m.add, a=Duck(), b=b)
    for name, mode in (("function_mode", Function()), ("dispatch_mode", Dispatch())):
        rows.extra[f"{prefix}{name}"] = in_mode(mode, m.add, a, b)


def in_mode(mode: Any, add: Any, a: Any, b: Any) -> Any:
    """Measures an `add` while a mode is active.

    Not alternated with other rows, for which the mode would stay active.
    """
    timer, count = Timer("add(a, b)", globals={"add": add, "a": a, "b": b}), 1000
    with mode:
        timer.timeit(count)
        return summary([timer.timeit(count) / count * 1e9 for _ in range(25)])


def backward_pass(rows: Rows, prefix: str, m: Any, rounds: int) -> None:
    """Measures a node's share of a backward pass over a chain of products, and of freeing it."""
    x, w = (m.ones(1, requires_grad=True) for _ in range(2))
    passes, ends = [], []
    for _ in range(max(rounds, 3) * 2):
        y = x
        for _ in range(CHAIN):
            y = y * w
        start = time.thread_time_ns()
        y.backward()
        passes.append((time.thread_time_ns() - start) / CHAIN)
        y = x
        for _ in range(CHAIN):
            y = y * w
        start = time.thread_time_ns()
        del y
        ends.append((time.thread_time_ns() - start) / CHAIN)
    rows.extra[f"{prefix}backward_a_node"] = summary(passes)
    rows.extra[f"{prefix}free_a_node"] = summary(ends)


def add_fakes(rows: Rows, prefix: str, m: Any) -> None:
    """An operator on fake tensors, outside the mode that made them."""
    if prefix:
        fakes = importlib.import_module(f"{m.__name__}._subclasses.fake_tensor")
        mode = fakes.FakeTensorMode()
    else:
        mode = m.FakeTensorMode()
    a, b = (mode.from_tensor(m.ones(2, 3)) for _ in range(2))
    rows.kept.append(mode)
    rows.add(f"{prefix}fake_add", "a + b", a=a, b=b)
    a, b = symbolic_pair(m)
    rows.add(f"{prefix}symbolic_add", "a + b", a=a, b=b)


def symbolic_pair(m: Any) -> tuple[Any, Any]:
    """Two fake tensors of 2 by 3 elements, the first of these sizes a symbol."""
    if m is tenon:
        size = tenon.ShapeEnv().new_size(2)
        with tenon.FakeTensorMode():
            return tenon.empty([size, 3]), tenon.empty([size, 3])
    fakes = importlib.import_module(f"{m.__name__}._subclasses.fake_tensor")
    shapes = importlib.import_module(f"{m.__name__}.fx.experimental.symbolic_shapes")
    mode = fakes.FakeTensorMode(shape_env=shapes.ShapeEnv())
    dims = [shapes.DimDynamic.DYNAMIC, shapes.DimDynamic.STATIC]
    context = shapes.StatelessSymbolicContext(dynamic_sizes=dims)
    a = mode.from_tensor(m.ones(2, 3), symbolic_context=context)
    return a, a.clone()


def product_in_region(rows: Rows, prefix: str, m: Any, rounds: int) -> None:
    """A product of small parameters in an autocast region whose cache already has their casts."""
    w = m.ones(4, 4, requires_grad=True)
    timer = Timer("mm(w, w)", globals={"mm": m.mm, "w": w})
    with m.autocast("cpu", dtype=m.bfloat16):
        count = 1000
        timer.timeit(count)
        times = [timer.timeit(count) / count * 1e9 for _ in range(max(rounds, 3))]
    rows.extra[f"{prefix}autocast_mm"] = summary(times)


def main() -> None:
    """Reads the number of rounds, their length in milliseconds, and the peers to leave out."""
    rounds, milliseconds, *without = sys.argv[1:]
    rows = Rows()
    modules = {"": tenon}
    if "torch" in without:
        rows.skipped["torch"] = "not asked for"
    else:
        try:
            modules["torch/"] = importlib.import_module("torch")
            modules["torch/"].set_num_threads(1)
        except ImportError as error:
            rows.skipped["torch"] = str(error)
    for prefix, module in modules.items():
        add_calls(rows, prefix, module)
        add_modules(rows, prefix, module)
        add_transforms(rows, prefix, module)
        add_overrides(rows, prefix, module)
        add_fakes(rows, prefix, module)
    for prefix, module in modules.items():
        backward_pass(rows, prefix, module, int(rounds))
        product_in_region(rows, prefix, module, int(rounds))
        operator_in_vmap(rows, prefix, module, int(rounds))
        graphs(rows, prefix, module, int(rounds))
    json.dump(
        {"rows": rows.measure(int(rounds), float(milliseconds) / 1000), "skipped": rows.skipped},
        sys.stdout,
    )


if __name__ == "__main__":
    main()
