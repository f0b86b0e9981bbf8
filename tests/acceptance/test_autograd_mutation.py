# SPDX-License-Identifier: Apache-2.0
"""Autograd behaviour: allowed and refused writes to saved tensors."""

import pytest
from seed import autograd, const, graph, leaf, near, sub, torch


def test_mutation_context_clears_its_state():
    x = leaf([1.0, 2.0])
    with graph.allow_mutation_on_saved_tensors() as ctx:
        y = x.clone()
        z = y.sin()
        y.mul_(2)
        z.sum().backward()
    assert ctx.cloned is not None
    near(x.grad, x.detach().cos())
    assert len(ctx.cloned) == 0 and len(ctx.original) == 0
    assert len(ctx.tid_to_weakhandle) == 0 and len(ctx.sid_to_tid) == 0


def test_mutation_context_copies_only_written_tensors():
    x = leaf([1.0, 2.0])
    with graph.allow_mutation_on_saved_tensors() as ctx:
        y = x.clone()
        z = y.sin()
        assert len(ctx.cloned) == 0 and len(ctx.original) == 1
        y.mul_(2)
        assert len(ctx.cloned) == 1
        y.mul_(2)
        assert len(ctx.cloned) == 1
        z.sum().backward()
        assert len(ctx.cloned) == 0 and len(ctx.original) == 0
    near(x.grad, x.detach().cos())


def test_mutation_context_state_goes_with_the_graph():
    x = leaf([1.0, 2.0])
    with graph.allow_mutation_on_saved_tensors() as ctx:
        y = x.clone()
        z = y.sin()
        y.add_(1)
        assert len(ctx.cloned) == 1
        del z
        assert len(ctx.cloned) == 0


def test_mutation_through_views_is_seen():
    x = leaf([1.0, 2.0, 3.0])
    with graph.allow_mutation_on_saved_tensors():
        y = x.clone()
        view = y[:2]
        z = view.exp().sum() + y.sin().sum()
        y.zero_()
        z.backward()
    expected = x.detach().cos()
    expected[:2] += x.detach()[:2].exp()
    near(x.grad, expected)


def test_mutation_by_out_argument_is_seen():
    x = leaf([1.0, 2.0])
    with graph.allow_mutation_on_saved_tensors():
        y = x.clone()
        w = const([3.0, 4.0])
        z = (y * w).sum()
        with torch.no_grad():
            torch.add(w, 1, out=w)
        z.backward()
    near(x.grad, [3.0, 4.0])


def test_mutation_of_a_saved_result_is_seen():
    x = leaf([1.0, 2.0])
    with graph.allow_mutation_on_saved_tensors():
        y = x.exp()
        z = y.clone()
        with torch.no_grad():
            y.zero_()
        z.sum().backward()
    near(x.grad, x.detach().exp())


@pytest.mark.parametrize("when", ["never", "inside", "after"])
def test_backward_after_the_mutation_context_is_refused(when):
    x = leaf([1.0, 2.0])
    with graph.allow_mutation_on_saved_tensors():
        y = x.clone()
        z = y.sin().sum()
        if when == "inside":
            y.mul_(2)
    if when == "after":
        y.mul_(2)
    with pytest.raises(AssertionError):
        z.backward()
    assert x.grad is None


def test_mutation_contexts_are_refused_inside_each_other():
    with graph.allow_mutation_on_saved_tensors():
        with pytest.raises(RuntimeError, match="nest"):
            with graph.allow_mutation_on_saved_tensors():
                pass
    with graph.allow_mutation_on_saved_tensors():
        pass


def test_mutation_context_is_left_after_an_error():
    with pytest.raises(ZeroDivisionError):
        with graph.allow_mutation_on_saved_tensors():
            raise ZeroDivisionError
    x = leaf([1.0])
    y = x.clone()
    z = y.sin()
    y.mul_(2)
    with pytest.raises(RuntimeError):
        z.sum().backward()
    with graph.allow_mutation_on_saved_tensors():
        pass


def test_double_backward_in_the_mutation_context():
    x = leaf([1.0, 2.0])
    with graph.allow_mutation_on_saved_tensors():
        y = x.clone()
        z = y.sin().sum()
        (g,) = autograd.grad(z, x, create_graph=True)
        y.mul_(2)
        (h,) = autograd.grad(g.sum(), x)
    near(h, -x.detach().sin())


def test_mutation_of_a_leaf_is_still_refused():
    x = leaf([1.0])
    with graph.allow_mutation_on_saved_tensors():
        with pytest.raises(RuntimeError):
            x.mul_(2)


# ---------------------------------------------------------------- in place and inference tensors


WRITES = {
    "add_": lambda x: x.add_(1),
    "mul_": lambda x: x.mul_(2),
    "zero_": lambda x: x.zero_(),
    "fill_": lambda x: x.fill_(1),
    "copy_": lambda x: x.copy_(torch.zeros(2, 2)),
    "setitem": lambda x: x.__setitem__(0, 1.0),
    "iadd": lambda x: x.__iadd__(1),
    "view": lambda x: x[0].add_(1),
    "sigmoid_": lambda x: x.sigmoid_(),
    "index_fill_": lambda x: x.index_fill_(0, torch.tensor([0]), 1.0),
    "out": lambda x: torch.add(x, 1, out=x),
    "transposed": lambda x: x.t().mul_(2),
}


@pytest.mark.parametrize("name", WRITES)
def test_in_place_on_inference_tensor_outside_is_refused(name):
    with torch.inference_mode():
        x = torch.ones(2, 2)
        WRITES[name](x)
    with pytest.raises(RuntimeError, match="(?i)inference"):
        WRITES[name](x)
    with torch.inference_mode():
        WRITES[name](x)


@pytest.mark.parametrize("name", WRITES)
def test_in_place_on_inference_tensor_under_no_grad_is_refused_too(name):
    with torch.inference_mode():
        x = torch.ones(2, 2)
    with torch.no_grad(), pytest.raises(RuntimeError, match="(?i)inference"):
        WRITES[name](x)


def test_inference_tensor_outside_other_refusals():
    with torch.inference_mode():
        x = torch.ones(2)
        view = x[:1]
    for act in (
        lambda: x.requires_grad_(),
        lambda: setattr(x, "requires_grad", True),
        lambda: x._version,
        lambda: view.add_(1),
        lambda: x.t_(),
        lambda: x.unsqueeze_(0),
        lambda: leaf([1.0, 2.0]) * x,
        lambda: torch.ones(2).requires_grad_().mul(1).mul_(x),
    ):
        with pytest.raises(RuntimeError):
            act()
    assert x.is_inference() and view.is_inference()
    assert not x.clone().is_inference()
    assert (x + 1).is_inference() is False
    assert x[:1].is_inference()


def test_in_place_with_inference_operand_is_allowed_where_nothing_is_saved():
    with torch.inference_mode():
        x = torch.ones(2)
    y = torch.zeros(2)
    y.add_(x)
    near(y, [1.0, 1.0])
    z = torch.zeros(2, requires_grad=True).clone()
    z.add_(x)
    z.sum().backward()


# ---------------------------------------------------------------- saved values


def saving(kind):
    """Returns a function of x, and what it saves: x ("input") or its result."""
    return {
        "sin": (lambda x: x.sin(), "input"),
        "exp": (lambda x: x.exp(), "result"),
        "mul": (lambda x: x * x, "input"),
        "pow": (lambda x: x**3, "input"),
        "sigmoid": (lambda x: x.sigmoid(), "result"),
        "tanh": (lambda x: x.tanh(), "result"),
        "sqrt": (lambda x: x.sqrt(), "result"),
        "matmul": (lambda x: x @ x, "input"),
        "softmax": (lambda x: x.softmax(0), "result"),
        "cumprod": (lambda x: x.cumprod(0), "input"),
        "norm": (lambda x: x.norm(), "input"),
        "log": (lambda x: x.log(), "input"),
        "prod": (lambda x: x.prod(), "input"),
    }[kind]


KINDS = [
    "sin",
    "exp",
    "mul",
    "pow",
    "sigmoid",
    "tanh",
    "sqrt",
    "matmul",
    "softmax",
    "cumprod",
    "norm",
    "log",
    "prod",
]


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("how", ["in place", "view", "item", "no_grad", "detached", "out"])
def test_mutation_of_a_saved_value_is_noticed_in_backward(kind, how):
    fn, which = saving(kind)
    x = leaf([[1.0, 2.0], [3.0, 4.0]])
    y = x.clone()
    z = fn(y)
    total = z.sum()
    written = y if which == "input" else z
    if how == "in place":
        written.mul_(2)
    elif how == "view":
        written.view(-1)[0:1].mul_(2)
    elif how == "item":
        written[0] = 5.0
    elif how == "no_grad":
        with torch.no_grad():
            written.add_(1)
    elif how == "detached":
        written.detach().zero_()
    else:
        with torch.no_grad():
            torch.add(written, 1, out=written)
    with pytest.raises(RuntimeError, match="modified by an inplace operation"):
        total.backward()


@pytest.mark.parametrize("kind", KINDS)
def test_mutation_through_data_is_not_noticed(kind):
    fn, which = saving(kind)
    x = leaf([[1.0, 2.0], [3.0, 4.0]])
    y = x.clone()
    z = fn(y)
    (y if which == "input" else z).data.mul_(1)
    z.sum().backward()
    assert x.grad is not None


def test_mutation_of_a_value_that_a_function_saved_is_noticed():
    class Square(autograd.Function):
        @staticmethod
        def forward(ctx, x):
            ctx.save_for_backward(x)
            return x * x

        @staticmethod
        def backward(ctx, g):
            (x,) = ctx.saved_tensors
            return 2 * g * x

    x = leaf([1.0])
    y = x.clone()
    z = Square.apply(y)
    y.add_(1)
    with pytest.raises(RuntimeError, match="modified by an inplace operation"):
        z.backward()


def test_mutation_of_a_value_that_a_custom_operator_saved_is_noticed():
    library = sub("library")

    @library.custom_op("torcha::square", mutates_args=())
    def square(x: torch.Tensor) -> torch.Tensor:
        return x * x

    def setup(ctx, inputs, output):
        ctx.save_for_backward(inputs[0])

    def backward(ctx, g):
        (x,) = ctx.saved_tensors
        return 2 * g * x

    square.register_autograd(backward, setup_context=setup)
    x = leaf([1.0])
    y = x.clone()
    z = square(y)
    y.add_(1)
    with pytest.raises(RuntimeError, match="modified by an inplace operation"):
        z.backward()


def test_mutating_custom_operator_is_noticed_by_what_saved_its_argument():
    library = sub("library")

    @library.custom_op("torcha::zero", mutates_args=("x",))
    def zero(x: torch.Tensor) -> None:
        x.zero_()

    x = leaf([1.0, 2.0])
    y = x.clone()
    z = y.sin()
    with torch.no_grad():
        zero(y)
    with pytest.raises(RuntimeError, match="modified by an inplace operation"):
        z.sum().backward()


# ---------------------------------------------------------------- views of another dtype


def test_views_of_another_dtype_written_in_place():
    x = torch.zeros(4, dtype=torch.complex64)
    r = torch.view_as_real(x)
    r[:, 0] = 1.0
    assert x.tolist() == [1 + 0j] * 4
    x = leaf([[1.0, 2.0], [3.0, 4.0]])
    y = x.clone()
    z = torch.view_as_complex(y)
    z.mul_(2)
    y.sum().backward()
    near(x.grad, [[2.0, 2.0], [2.0, 2.0]])


def test_write_of_real_part_of_a_tracked_complex_tensor():
    x = torch.tensor([1 + 2j, 3 + 4j], dtype=torch.complex128, requires_grad=True)
    y = x.clone()
    y.real.mul_(3)
    y.abs().pow(2).sum().backward()
    assert x.grad.tolist() == [18 + 4j, 54 + 8j]


def test_view_of_another_dtype_by_bits():
    base = torch.zeros(4, dtype=torch.float32)
    view = base.view(torch.int32)
    version = base._version
    view.fill_(1065353216)
    assert base.tolist() == [1.0] * 4
    assert base._version == version + 1


def test_view_of_another_dtype_of_a_tracked_tensor():
    x = torch.ones(4, dtype=torch.float32, requires_grad=True)
    y = x.clone()
    v = y.view(torch.int32)
    assert not v.requires_grad


def test_write_into_a_view_of_another_dtype_invalidates_saved_tensors():
    x = torch.ones(4, dtype=torch.float32, requires_grad=True)
    y = x.clone()
    z = y.sin().sum()
    with torch.no_grad():
        y.view(torch.int32).zero_()
    with pytest.raises(RuntimeError, match="modified by an inplace operation"):
        z.backward()


# ---------------------------------------------------------------- numbers in saved-tensor hooks


def packed_by(fn, *inputs):
    seen = []
    with graph.saved_tensors_hooks(lambda t: seen.append(t) or t, lambda t: t):
        out = fn(*inputs)
    return seen, out


def test_numbers_are_not_packed_unless_they_are_tensors():
    x = leaf([1.0, 2.0])
    seen, _ = packed_by(lambda x: x + 2, x)
    assert seen == []
    seen, _ = packed_by(lambda x: x**3, x)
    assert len(seen) == 1
    seen, out = packed_by(lambda x: x * x, x)
    assert len(seen) == 2


def test_numbers_are_never_packed():
    x = leaf([1.0, 2.0])
    for fn in (lambda x: x * 3, lambda x: x / 2, lambda x: 3 * x, lambda x: x - 2, lambda x: x + 2):
        seen, out = packed_by(fn, x)
        assert seen == []
        out.sum().backward()
