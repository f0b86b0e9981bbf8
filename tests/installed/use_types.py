# SPDX-License-Identifier: Apache-2.0
"""Uses every part of the package with types: mypy --strict checks it, and Python runs it.

Only the type checker evaluates `assert_type`; decorators preserve the types of functions.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import tenon
from tenon import Tensor, func, fx, nn, optim
from tenon.autograd import Function
from tenon.autograd.function import FunctionCtx, once_differentiable
from tenon.graph import Graph, trace
from tenon.library import Library, custom_op, register_autograd, register_fake, register_vmap
from tenon.overrides import TorchFunctionMode
from tenon.utils._python_dispatch import TorchDispatchMode

if TYPE_CHECKING:
    from typing_extensions import assert_type
else:

    def assert_type(value: Any, _: Any) -> Any:
        return value


# ---- Operators -----------------------------------------------------------------------------------


@custom_op("typed::scale", mutates_args=())
def scale(x: Tensor, k: float = 2.0) -> Tensor:
    return x * k


@scale.register_fake
def scale_fake(x: Tensor, k: float = 2.0) -> Tensor:
    return tenon.empty_like(x)


@scale.register_kernel("cpu")
def scale_cpu(x: Tensor, k: float = 2.0) -> Tensor:
    return x.mul(k)


def keep(ctx: FunctionCtx, inputs: tuple[Tensor, float], output: Tensor) -> None:
    ctx.k = inputs[1]


def scale_backward(ctx: FunctionCtx, grad: Tensor) -> tuple[Tensor, None]:
    return grad * ctx.k, None


register_autograd("typed::scale", scale_backward, setup_context=keep)


@register_vmap("typed::scale")
def scale_vmap(
    info: Any, in_dims: Sequence[int | None], x: Tensor, k: float = 2.0
) -> tuple[Tensor, int | None]:
    return scale(x, k), in_dims[0]


def operators() -> None:
    x = tenon.tensor([1.0, 2.0], requires_grad=True)
    y = assert_type(scale(x, k=3.0), Tensor)
    assert_type(scale_fake(x), Tensor)
    assert_type(scale_cpu(x, 2.0), Tensor)
    assert_type(scale_vmap(None, [0], x, 2.0), tuple[Tensor, int | None])
    y.sum().backward()
    gradient = x.grad
    assert gradient is not None
    assert assert_type(gradient, Tensor).tolist() == [3.0, 3.0]
    mapped = func.vmap(scale)(x)
    assert assert_type(mapped, Tensor).tolist() == [2.0, 4.0]


library = Library("typed_library", "DEF")
library.define("twice(Tensor x) -> Tensor")
library.define("halve(Tensor x) -> Tensor")


@library.impl("twice", dispatch_key="CPU")
def twice(x: Tensor) -> Tensor:
    return x + x


@register_fake("typed_library::twice", lib=library)
def twice_fake(x: Tensor) -> Tensor:
    return tenon.empty_like(x)


@tenon.library.impl("typed_library::halve", "cpu", lib=library)
def halve(x: Tensor) -> Tensor:
    return x / 2


def libraries() -> None:
    x = tenon.ones(2)
    assert_type(twice(x), Tensor)
    assert_type(twice_fake(x), Tensor)
    assert_type(halve(x), Tensor)
    assert tenon.ops.typed_library.twice(x).tolist() == [2.0, 2.0]
    assert_type(tenon.ops.aten.add(x, x, alpha=2), Tensor)
    assert_type(tenon.ops.aten.relu.default, tenon.ops.OpOverload)
    with tenon.FakeTensorMode():
        assert tenon.ops.typed_library.twice(tenon.empty(3)).shape == (3,)


# ---- Gradients -----------------------------------------------------------------------------------


class Exp(Function):
    @staticmethod
    def forward(ctx: FunctionCtx, x: Tensor) -> Tensor:
        result = x.exp()
        ctx.save_for_backward(result)
        return result

    @staticmethod
    @once_differentiable
    def backward(ctx: FunctionCtx, grad: Tensor) -> Tensor | None:
        (result,) = ctx.saved_tensors
        return None if result is None else grad * result


@tenon.no_grad()
def plain(x: Tensor, times: int) -> Tensor:
    return x * times


@tenon.no_grad
def bare(x: Tensor) -> Tensor:
    return x.clone()


@tenon.inference_mode()
def inferred(x: Tensor) -> Tensor:
    return x + 1


def gradients() -> None:
    x = tenon.zeros(2, requires_grad=True)
    y: Tensor = Exp.apply(x)
    (gradient,) = tenon.autograd.grad(y.sum(), [x])
    assert gradient is not None and gradient.tolist() == [1.0, 1.0]
    assert not assert_type(plain(x, 2), Tensor).requires_grad
    assert not assert_type(bare(x), Tensor).requires_grad
    assert assert_type(inferred(x), Tensor).is_inference()

    def loss(w: Tensor, x: Tensor) -> Tensor:
        return (w * x).sum()

    w = tenon.ones(2)
    assert func.grad(loss)(w, x.detach()).tolist() == [0.0, 0.0]
    both = func.vmap(func.grad(loss), in_dims=(None, 0))(w.sum(), tenon.ones(3))
    assert both.shape == (3,)
    value, back = func.vjp(loss, w, w)
    assert assert_type(value, Tensor).item() == 2.0 and len(back(tenon.tensor(1.0))) == 2


# ---- Modules and training ------------------------------------------------------------------------


class Net(nn.Module):
    def __init__(self, width: int) -> None:
        super().__init__()
        self.first = nn.Linear(2, width)
        self.last = nn.Linear(width, 1, bias=False)
        self.scale = nn.Parameter(tenon.ones(1))
        self.layers = nn.Sequential(self.first, nn.ReLU(), self.last)

    def forward(self, x: Tensor) -> Tensor:
        y: Tensor = self.layers(x)
        return assert_type(y * self.scale, Tensor)


def training() -> None:
    net = Net(4)
    optimizer = optim.SGD(net.parameters(), lr=0.1, momentum=0.9)
    scheduler = optim.lr_scheduler.StepLR(optimizer, step_size=1)
    for _ in range(2):
        optimizer.zero_grad()
        with tenon.autocast("cpu", dtype=tenon.bfloat16):
            out: Tensor = net(tenon.ones(3, 2))
        error = nn.functional.mse_loss(out.float(), tenon.zeros(3, 1))
        assert_type(error, Tensor).backward()
        assert_type(nn.utils.clip_grad_norm_(net.parameters(), 1.0), Tensor)
        optimizer.step()
        scheduler.step()
    state = net.state_dict()
    assert sorted(state)[0] == "first.bias"
    assert net.to(tenon.float64).scale.dtype is tenon.float64


@tenon.autocast("cpu", dtype=tenon.bfloat16)
def product(a: Tensor, b: Tensor) -> Tensor:
    return a @ b


# ---- Graphs, and what is between calls and kernels -----------------------------------------------


def graphs() -> None:
    x = tenon.ones(2, 2)
    assert assert_type(product(x, x), Tensor).dtype is tenon.bfloat16

    def f(x: Tensor) -> Tensor:
        return x.sin().relu()

    graph = assert_type(trace(f, x), Graph)
    assert len(graph.nodes) == 2 and Graph.parse(str(graph)).to_bytes()
    module = assert_type(fx.make_fx(f)(x), fx.GraphModule)
    names = [node.name for node in module.graph.nodes if node.op == "call_function"]
    assert_type(names, list[str])
    assert len(names) == 2


class Counts(TorchFunctionMode):
    calls = 0

    def __torch_function__(
        self,
        func: Callable[..., Any],
        types: Sequence[type],
        args: tuple[Any, ...] = (),
        kwargs: dict[str, Any] | None = None,
    ) -> Any:
        self.calls += 1
        return func(*args, **(kwargs or {}))


class Names(TorchDispatchMode):
    def __init__(self) -> None:
        super().__init__()
        self.names: list[str] = []

    def __torch_dispatch__(
        self,
        func: tenon.ops.OpOverload,
        types: Sequence[type],
        args: tuple[Any, ...] = (),
        kwargs: dict[str, Any] | None = None,
    ) -> Any:
        self.names.append(func.name())
        return func(*args, **(kwargs or {}))


def between() -> None:
    x = tenon.ones(2)
    with Counts() as counts:
        tenon.relu(x)
    assert assert_type(counts, Counts).calls == 1
    with Names() as names:
        x.add(x)
    assert assert_type(names, Names).names == ["aten::add.Tensor"]
    try:
        tenon.ops.aten.relu.default("no tensor")
    except tenon.ArgumentTypeError as error:
        assert_type(error.kind, str)


if __name__ == "__main__":
    for part in (operators, libraries, gradients, training, graphs, between):
        part()
    library.close()
    print("types: all good")
