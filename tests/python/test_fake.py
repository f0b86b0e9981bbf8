# SPDX-License-Identifier: Apache-2.0
"""Fake tensors in Python: modes, conversions, refused calls, and fake kernels."""

from __future__ import annotations

import threading

import pytest
import tenon
from tenon import FakeTensor, FakeTensorMode
from tenon.library import Library, get_ctx, impl_abstract, register_fake


def fake_ones(device="cuda:1"):
    with FakeTensorMode():
        return tenon.ones(2, 3, device=device)


@pytest.fixture
def library():
    with Library("fakes_py", "DEF") as made:
        made.define("f(Tensor x) -> Tensor")
        yield made


# ---- What a fake tensor is -----------------------------------------------------------------------


def test_a_fake_tensor_claims_its_device():
    fake = fake_ones()
    assert isinstance(fake, FakeTensor) and isinstance(fake, tenon.Tensor)
    assert fake.device == tenon.device("cuda:1") and fake.device.index == 1
    assert str(fake.device) == "cuda:1" and hash(fake.device) == hash(tenon.device("cuda:1"))
    assert repr(fake) == "FakeTensor(..., device='cuda:1', size=(2, 3))"
    assert not isinstance(tenon.ones(1), FakeTensor) and not isinstance(3, FakeTensor)


def test_a_fake_tensor_on_the_cpu_is_none_that_can_be_read():
    with FakeTensorMode():
        x = tenon.ones(2)
    assert str(x.device) == "cpu" and x.device.index is None
    for read in (x.tolist, x.numpy, lambda: bool(x[0]), lambda: float(x[0]), lambda: x[0].item()):
        with pytest.raises(Exception, match="fake|memory|data"):
            read()
    with pytest.raises(Exception, match="dense"):
        tenon.from_dlpack(x)
    with pytest.raises(Exception, match="memory|buffer"):
        memoryview(x)


def test_fake_tensors_are_made_by_modes_only():
    with pytest.raises(tenon.StateError, match="FakeTensorMode"):
        FakeTensor()


# ---- Modes ---------------------------------------------------------------------------------------


def test_modes_nest_and_are_entered_anew():
    mode = FakeTensorMode()
    with mode, mode:
        assert isinstance(tenon.ones(1), FakeTensor)
    with mode:
        assert isinstance(tenon.ones(1), FakeTensor)
    assert not isinstance(tenon.ones(1), FakeTensor)


def test_one_mode_in_two_threads():
    mode, seen = FakeTensorMode(), []

    def work():
        with mode:
            seen.append(isinstance(tenon.ones(1), FakeTensor))
        seen.append(isinstance(tenon.ones(1), FakeTensor))

    with mode:
        thread = threading.Thread(target=work)
        thread.start()
        thread.join()
        assert isinstance(tenon.ones(1), FakeTensor)
    assert seen == [True, False]


def test_a_mode_is_left_by_who_entered_it():
    mode = FakeTensorMode()
    with pytest.raises(tenon.StateError, match="not in"):
        mode.__exit__(None, None, None)


def test_fallback_kernels_are_refused():
    with pytest.raises(ValueError, match="allow_fallback_kernels"):
        FakeTensorMode(allow_fallback_kernels=True)


def test_real_tensors_are_refused_by_name_or_made_fake():
    real = tenon.ones(2)
    with FakeTensorMode(), pytest.raises(tenon.InvalidArgumentError) as caught:
        tenon.add(tenon.ones(2), real)
    assert "aten::add.Tensor: other must be a fake tensor in a fake mode" in str(caught.value)
    with FakeTensorMode(allow_non_fake_inputs=True):
        assert isinstance(real + real, FakeTensor)


def test_numbers_mix_in():
    fake = fake_ones()
    number = tenon.tensor(2.0)
    assert isinstance(fake * number, FakeTensor) and (number * fake).device == fake.device
    assert isinstance(fake + 1, FakeTensor) and (1 - fake).dtype is tenon.float32


def test_data_becomes_fake_in_a_mode():
    with FakeTensorMode():
        made = [tenon.tensor([1, 2]), tenon.tensor(1.5), tenon.as_tensor([[1.0]])]
        assert all(isinstance(one, FakeTensor) for one in made)
        assert [one.dtype for one in made] == [tenon.int64, tenon.float32, tenon.float32]


def test_list_indices_of_a_fake_tensor_are_fake():
    fake = fake_ones("cpu")
    version = fake._version
    fake[0] = 1.0
    fake[[0], 1] = 2.0
    assert fake[[0, 1, 1]].shape == (3, 3) and fake._version == version + 2


# ---- Conversions ---------------------------------------------------------------------------------


def test_from_tensor_is_the_same_for_the_same_tensor():
    mode, real = FakeTensorMode(), tenon.ones(2, 3, requires_grad=True)
    first = mode.from_tensor(real)
    assert mode.from_tensor(real) is first and mode.from_tensor(first) is first
    assert first.requires_grad and first.is_leaf
    assert FakeTensorMode().from_tensor(real) is not first


def test_from_tensor_of_a_view_has_its_base():
    mode, real = FakeTensorMode(), tenon.arange(12).reshape(3, 4)
    view = mode.from_tensor(real.t()[1:])
    base = real if real._base is None else real._base
    assert view._base is mode.from_tensor(base)
    assert view.stride() == (1, 4) and view.storage_offset() == 1


def test_from_tensor_of_a_parameter_is_a_parameter():
    weight = tenon.nn.Linear(2, 3).weight
    made = FakeTensorMode().from_tensor(weight)
    assert isinstance(made, tenon.nn.Parameter) and isinstance(made, FakeTensor)
    assert made.requires_grad and made.shape == (3, 2)


# ---- Modules and gradients -----------------------------------------------------------------------


def test_a_gradient_without_memory(capsys):
    # [quote.begin mode]
    with tenon.FakeTensorMode():
        model = tenon.nn.Linear(1 << 14, 1 << 14, device="cuda")
        loss = model(tenon.ones(1 << 12, 1 << 14, device="cuda")).sum()
        loss.backward()
    print(model.weight.grad)
    # [quote.end]
    text = "FakeTensor(..., device='cuda:0', size=(16384, 16384))\n"
    assert capsys.readouterr().out == text


def test_a_training_step_without_memory():
    with FakeTensorMode():
        model = tenon.nn.Sequential(
            tenon.nn.Linear(1 << 14, 1 << 14, device="cuda"),
            tenon.nn.ReLU(),
            tenon.nn.Linear(1 << 14, 1 << 14, device="cuda"),
        )
        optimizer = tenon.optim.SGD(model.parameters(), lr=0.1, momentum=0.9)
        loss = model(tenon.ones(1 << 12, 1 << 14, device="cuda")).sum()
        loss.backward()
        optimizer.step()
    grads = [each.grad for each in model.parameters()]
    assert all(isinstance(each, FakeTensor) for each in grads)
    assert {str(each.device) for each in grads} == {"cuda:0"}


# ---- Estimates -----------------------------------------------------------------------------------


def test_estimate_counts_products_and_memory():
    def work(a, b):
        product = a @ b
        double = product * 2
        del product
        return double.t().contiguous()

    found = tenon.introspect.estimate(work, tenon.ones(4, 8), tenon.ones(8, 16))
    assert found.flops == 2 * 4 * 8 * 16
    assert found.allocated == 3 * 4 * 16 * 4 and found.peak == 2 * 4 * 16 * 4
    assert found.calls["aten::mm"] == 1


def block(x, attend, out, up, down, heads=2):
    """A simple transformer block."""
    batch, length, width = x.shape
    functional = tenon.nn.functional

    def by_head(part):
        return part.view(batch, length, heads, width // heads).transpose(1, 2)

    parts = functional.linear(x, attend).chunk(3, -1)
    query, key, value = (by_head(part) for part in parts)
    scores = (query @ key.transpose(-2, -1)).softmax(-1)
    mixed = (scores @ value).transpose(1, 2).reshape(batch, length, width)
    x = x + functional.linear(mixed, out)
    return x + functional.linear(tenon.relu(functional.linear(x, up)), down)


def test_estimate_of_a_transformer_block():
    weights = (24, 8), (8, 8), (32, 8), (8, 32)
    x = tenon.ones(2, 5, 8)
    found = tenon.introspect.estimate(block, x, *(tenon.ones(*one) for one in weights))
    # For ten tokens: three projections, scores and mixture per head, output projection, up and
    # down.
    heads = 2 * 2
    products = [10 * 8 * 24, heads * 5 * 4 * 5, heads * 5 * 5 * 4, 10 * 8 * 8]
    assert found.flops == 2 * sum([*products, 10 * 8 * 32, 10 * 32 * 8])
    # Alive at the peak: the projections, copied scores and values, the scores, the mixture, x, and
    # the up projection with its relu.
    small = 4 * 10 * 8
    scores, up = 4 * heads * 5 * 5, 4 * 10 * 32
    assert found.peak == 3 * small + scores + small + small + 2 * up


def test_estimate_of_a_convolution():
    x, weight = tenon.ones(2, 1, 8, 8), tenon.ones(2, 1, 3, 3)
    found = tenon.introspect.estimate(lambda x, w: tenon.conv2d(x, w, padding=1), x, weight)
    once = 2 * (2 * 2 * 8 * 8) * 9  # nine products and sums for each element
    assert found.flops == once
    assert found.peak >= 4 * (2 * 2 * 8 * 8)

    def step(x, w):
        tenon.conv2d(x, w, padding=1).sum().backward()

    x.requires_grad_(), weight.requires_grad_()
    assert tenon.introspect.estimate(step, x, weight).flops == 3 * once


def test_estimate_counts_memory_that_views_keep():
    def views(x):
        kept = (x + 1)[:1]
        return kept, x + 2

    found = tenon.introspect.estimate(views, tenon.ones(4))
    assert found.peak == 2 * 4 * 4


def test_from_tensor_takes_gradients_along():
    weight = tenon.ones(3, 2, requires_grad=True)
    weight.sum().backward()
    fake = FakeTensorMode().from_tensor(weight)
    assert isinstance(fake.grad, FakeTensor) and fake.grad.shape == (3, 2)
    assert FakeTensorMode().from_tensor(tenon.ones(1, requires_grad=True)).grad is None


def test_estimate_of_gradients():
    weight = tenon.ones(32, 64, requires_grad=True)

    def work(x, w):
        (x @ w.t()).sum().backward()

    found = tenon.introspect.estimate(work, tenon.ones(8, 64), weight)
    assert found.flops == 2 * 2 * 8 * 64 * 32  # forward, and the weight's gradient
    assert weight.grad is None


def test_estimate_of_a_model_takes_its_parameters():
    model = tenon.nn.Linear(64, 32)
    found = tenon.introspect.estimate(model, tenon.ones(8, 64))
    assert found.flops == 2 * 8 * 64 * 32


def test_a_fake_gradient_for_a_real_leaf_is_an_error():
    weight = tenon.ones(2, requires_grad=True)
    with FakeTensorMode(allow_non_fake_inputs=True):
        loss = (weight * 2).sum()
        with pytest.raises(tenon.StateError, match="gradient of a real leaf must be real"):
            loss.backward()
    assert weight.grad is None


# ---- Fake kernels --------------------------------------------------------------------------------


def test_a_fake_kernel_runs_as_in_a_mode(library):
    fake = fake_ones()

    @register_fake("fakes_py::f", lib=library)
    def _(x):
        assert get_ctx().op is tenon.ops.fakes_py.f.default
        return tenon.empty(4, device=x.device)

    result = tenon.ops.fakes_py.f(fake)
    assert isinstance(result, FakeTensor) and result.device == fake.device
    with pytest.raises(tenon.StateError, match="outside"):
        get_ctx()


def test_get_ctx_on_meta_is_an_error(library):
    register_fake("fakes_py::f", lambda x: get_ctx() and x, lib=library)
    with pytest.raises(tenon.StateError, match="on fake tensors"):
        tenon.ops.fakes_py.f(tenon.empty(2, device="meta"))


def test_data_dependent_sizes(library):
    """Operators treat data-dependent sizes like any others, and guards record their conditions."""

    @register_fake("fakes_py::f", lib=library)
    def _(x):
        return x.new_empty([get_ctx().new_dynamic_size(min=2, max=9), x.shape[1]])

    with FakeTensorMode() as mode:
        rows = tenon.ops.fakes_py.f(tenon.ones(4, 3))
        n = rows.shape[0]
        assert isinstance(rows, FakeTensor) and isinstance(n, tenon.SymInt) and str(n) == "u0"
        assert n >= 2 and not n > 9 and rows.shape[1] == 3
        for decide in (int, bool, lambda size: size == 4):
            with pytest.raises(tenon.DataDependentError, match="u0"):
                bool(decide(n - 2))
        doubled = tenon.cat([(rows * 2).sin(), rows]) @ tenon.ones(3, 5)
        assert isinstance(doubled, FakeTensor) and str(doubled.shape[0]) == "2*u0"
        assert doubled.shape[1] == 5 and doubled.device.type == "cpu"
        assert doubled.sum(0).shape == (5,)
        other = tenon.ops.fakes_py.f(tenon.ones(4, 3))
        assert str(other.shape[0]) == "u1"
        assert "u0" in str(mode.shape_env)


def test_devices_of_dynamic_fakes_are_claimed(library):
    @register_fake("fakes_py::f", lib=library)
    def _(x):
        return x.new_empty([get_ctx().new_dynamic_size()])

    with FakeTensorMode():
        rows = tenon.ops.fakes_py.f(tenon.ones(4, device="cuda:1"))
        assert str((rows + 1).device) == "cuda:1"
        with pytest.raises(RuntimeError, match="cuda:1"):
            rows + tenon.ones(1)


def test_dynamic_sizes_are_made_in_the_environment_that_is_given(library):
    env = tenon.ShapeEnv()
    register_fake("fakes_py::f", lambda x: x.new_empty([get_ctx().new_dynamic_size()]), lib=library)
    with FakeTensorMode(shape_env=env):
        size = tenon.ops.fakes_py.f(tenon.ones(1)).shape[0]
    assert env.first_failure({size: 7}) is None and "u0" in str(env)
    fake = FakeTensorMode().from_tensor(tenon.ones(1))
    outside = [tenon.ops.fakes_py.f(fake).shape[0] for _ in range(2)]
    assert str(outside[0] + outside[1]) == "u0 + u1"  # both symbols belong to one environment
    with pytest.raises(TypeError, match="ShapeEnv"):
        FakeTensorMode(shape_env=3)


def test_a_fake_kernel_must_not_return_a_real_tensor(library):
    fake = fake_ones()
    real = tenon.ones(1)
    register_fake("fakes_py::f", lambda x: real, lib=library)
    with pytest.raises(tenon.StateError, match="result must be fake, got a real tensor on cpu"):
        tenon.ops.fakes_py.f(fake)


def test_the_operator_without_a_fake_kernel_is_named(library):
    fake = fake_ones()
    library.impl("f", lambda x: x, "CUDA")
    with pytest.raises(NotImplementedError, match="fakes_py::f: operator must have a fake kernel"):
        tenon.ops.fakes_py.f(fake)


def test_explain_names_the_fake_kernel(library):
    fake = fake_ones()

    def shape_of_f(x):
        return tenon.empty_like(x)

    register_fake("fakes_py::f", shape_of_f, lib=library)
    text = tenon.introspect.explain(tenon.ops.fakes_py.f, fake)
    assert "run_fake" in text and "the kernel for Meta, " in text and "shape_of_f at " in text


def test_impl_abstract_warns_of_its_new_name(library):
    with pytest.warns(FutureWarning, match="register_fake"):
        impl_abstract("fakes_py::f", tenon.empty_like, lib=library)


# ---- The default device --------------------------------------------------------------------------


def test_a_device_is_the_default_in_its_block():
    with tenon.device("meta") as where:
        assert where == tenon.device("meta")
        assert tenon.zeros(2).is_meta and tenon.tensor([1.0]).is_meta and tenon.arange(3).is_meta
        with tenon.device("cpu"):
            assert not tenon.zeros(2).is_meta
        assert tenon.zeros(2).is_meta and not tenon.zeros(2, device="cpu").is_meta
    assert not tenon.zeros(2).is_meta
