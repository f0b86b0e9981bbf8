# SPDX-License-Identifier: Apache-2.0
"""Layers, functions, losses and initializers, compared with numbers."""

from seed import sub, torch
import math
import pytest


@pytest.fixture
def nn():
    return sub("nn")


@pytest.fixture
def F():
    return sub("nn.functional")


@pytest.fixture
def init():
    return sub("nn.init")


def close(got, want, tol=1e-5):
    want = torch.as_tensor(want, dtype=got.dtype)
    assert got.shape == want.shape, (got.shape, want.shape)
    assert torch.allclose(got, want, rtol=tol, atol=tol), (got, want)


def test_linear_is_x_wt_plus_b(nn):
    m = nn.Linear(2, 3)
    m.weight.data = torch.tensor([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]])
    m.bias.data = torch.tensor([10.0, 20.0, 30.0])
    close(m(torch.tensor([1.0, -1.0])), [9.0, 19.0, 29.0])
    assert m(torch.ones(4, 5, 2)).shape == (4, 5, 3)


def test_linear_gradients(nn):
    m = nn.Linear(2, 1)
    x = torch.tensor([[1.0, 2.0], [3.0, 4.0]], requires_grad=True)
    m(x).sum().backward()
    close(m.weight.grad, [[4.0, 6.0]])
    close(m.bias.grad, [2.0])
    close(x.grad, m.weight.detach().expand(2, 2))


def test_linear_without_bias_and_with_dtype(nn):
    m = nn.Linear(2, 1, bias=False, dtype=torch.float64)
    assert m.bias is None and m.weight.dtype is torch.float64 and list(m.state_dict()) == ["weight"]


def test_linear_shape_mismatch_is_an_error(nn):
    with pytest.raises(RuntimeError):
        nn.Linear(2, 3)(torch.ones(4, 5))


def test_conv2d_groups_keep_channels_apart(F):
    x = torch.ones(1, 2, 2, 2)
    w = torch.tensor([1.0, 10.0]).reshape(2, 1, 1, 1)
    close(F.conv2d(x, w, groups=2)[0, :, 0, 0], [1.0, 10.0])


def test_max_pool2d_and_its_gradient(F):
    x = torch.arange(16.0).reshape(1, 1, 4, 4).requires_grad_()
    y = F.max_pool2d(x, 2)
    close(y, [[[[5.0, 7.0], [13.0, 15.0]]]])
    y.sum().backward()
    assert x.grad.nonzero().tolist() == [[0, 0, 1, 1], [0, 0, 1, 3], [0, 0, 3, 1], [0, 0, 3, 3]]


def test_layer_norm_affine_and_shape(nn):
    m = nn.LayerNorm([2, 2])
    m.weight.data.fill_(2.0)
    m.bias.data.fill_(1.0)
    y = m(torch.randn(3, 2, 2) * 5 + 3)
    close(y.mean(dim=(1, 2)), [1.0, 1.0, 1.0], 1e-4)
    assert list(nn.LayerNorm(3, elementwise_affine=False).state_dict()) == []


def test_dropout_extremes_and_bad_probability(nn, F):
    assert F.dropout(torch.ones(4), 1.0).tolist() == [0.0] * 4
    assert F.dropout(torch.ones(4), 0.0).tolist() == [1.0] * 4
    with pytest.raises(ValueError, match="1.5"):
        nn.Dropout(1.5)


def test_dropout_gradient_follows_the_mask(F):
    x = torch.ones(100, requires_grad=True)
    y = F.dropout(x, 0.5)
    y.sum().backward()
    assert torch.equal(x.grad, y.detach())


def test_log_softmax_is_log_of_softmax(F):
    x = torch.randn(3, 4, dtype=torch.float64)
    close(F.log_softmax(x, dim=1), F.softmax(x, dim=1).log())
    close(F.log_softmax(torch.tensor([0.0, -1e4]), dim=0), [0.0, -1e4])


def test_small_activations(nn, F):
    x = torch.tensor([-2.0, 0.5])
    sig = [1 / (1 + math.exp(2.0)), 1 / (1 + math.exp(-0.5))]
    close(nn.Sigmoid()(x), sig)
    close(nn.SiLU()(x), [-2.0 * sig[0], 0.5 * sig[1]])
    close(F.leaky_relu(x, 0.1), [-0.2, 0.5])
    close(nn.Tanh()(x), [math.tanh(-2.0), math.tanh(0.5)])


def test_flatten_and_identity(nn):
    assert nn.Flatten()(torch.ones(2, 3, 4)).shape == (2, 12)
    x = torch.ones(1)
    assert nn.Identity(5, bogus=3)(x) is x


def test_mse_loss_reductions(nn, F):
    a, b = torch.tensor([1.0, 2.0]), torch.tensor([3.0, 5.0])
    assert nn.MSELoss()(a, b).item() == 6.5
    assert F.mse_loss(a, b, reduction="sum").item() == 13.0
    assert F.mse_loss(a, b, reduction="none").tolist() == [4.0, 9.0]
    with pytest.raises(ValueError, match="wrong"):
        F.mse_loss(a, b, reduction="wrong")


def test_gain(init):
    assert init.calculate_gain("relu") == math.sqrt(2.0)
    assert init.calculate_gain("linear") == 1 and init.calculate_gain("tanh") == 5.0 / 3
    with pytest.raises(ValueError, match="nonsense"):
        init.calculate_gain("nonsense")


def test_functional_call_uses_the_given_parameters(nn):
    m = nn.Linear(1, 1)
    out = sub("func").functional_call(
        m, {"weight": torch.full((1, 1), 3.0), "bias": torch.tensor([0.5])}, (torch.ones(1, 1),)
    )
    assert out.item() == 3.5 and m.weight.item() != 3.0
