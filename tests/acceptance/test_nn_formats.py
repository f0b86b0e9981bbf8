# SPDX-License-Identifier: Apache-2.0
"""Memory formats of layers, embeddings with options, checks of pooling, schedules."""

import math
import warnings

import pytest
from seed import near, sub, torch


@pytest.fixture
def nn():
    return sub("nn")


@pytest.fixture
def F():
    return sub("nn.functional")


def images():
    return torch.arange(240.0).reshape(2, 4, 5, 6)


def last():
    return images().to(memory_format=torch.channels_last)


def is_last(x):
    return x.is_contiguous(memory_format=torch.channels_last) and not x.is_contiguous()


@pytest.mark.parametrize(
    ("sizes", "format", "expected"),
    [
        ((2, 3, 4, 5), "channels_last", False),
        ((2, 1, 4, 5), "channels_last", True),
        ((2, 3, 1, 1), "channels_last", True),
        ((0, 3, 2, 2), "channels_last", False),
        ((2, 3, 4), "channels_last", False),
        ((3,), "channels_last", False),
        ((2, 3, 4, 5, 6), "channels_last_3d", False),
        ((2, 3, 4, 5), "contiguous_format", True),
    ],
)
def test_contiguity_by_memory_format(sizes, format, expected):
    memory_format = getattr(torch, format)
    assert torch.ones(sizes).is_contiguous(memory_format=memory_format) is expected


def test_contiguity_of_channels_last():
    x = last()
    assert is_last(x) and x.is_contiguous(memory_format=torch.contiguous_format) is False
    assert x.contiguous(memory_format=torch.channels_last) is x
    assert x.to(memory_format=torch.channels_last) is x
    assert not is_last(x[:, :2]) and is_last(x.clone()) and x.contiguous().is_contiguous()
    assert x.tolist() == images().tolist()
    y = torch.ones(2, 3, 4, 5, 6).to(memory_format=torch.channels_last_3d)
    assert y.is_contiguous(memory_format=torch.channels_last_3d) and not y.is_contiguous()


LAYERS = {
    "convolution": lambda nn: nn.Conv2d(4, 3, 3),
    "convolution of points": lambda nn: nn.Conv2d(4, 3, 1),
    "convolution of groups": lambda nn: nn.Conv2d(4, 4, 3, groups=4),
    "transposed": lambda nn: nn.ConvTranspose2d(4, 3, 3),
    "batch norm": lambda nn: nn.BatchNorm2d(4),
    "batch norm in evaluation": lambda nn: nn.BatchNorm2d(4).eval(),
    "group norm": lambda nn: nn.GroupNorm(2, 4),
    "max pool": lambda nn: nn.MaxPool2d(2),
    "average pool": lambda nn: nn.AvgPool2d(2),
    "adaptive average": lambda nn: nn.AdaptiveAvgPool2d(2),
    "adaptive max": lambda nn: nn.AdaptiveMaxPool2d(2),
    "nearest": lambda nn: nn.Upsample(scale_factor=2),
    "bilinear": lambda nn: nn.Upsample(scale_factor=2, mode="bilinear"),
    "reflection": lambda nn: nn.ReflectionPad2d(1),
    "replication": lambda nn: nn.ReplicationPad2d(1),
    "relu": lambda nn: nn.ReLU(),
    "gelu": lambda nn: nn.GELU(),
    "dropout": lambda nn: nn.Dropout(0.0),
}


@pytest.mark.parametrize("name", LAYERS)
def test_layers_keep_channels_last(nn, name):
    torch.manual_seed(0)
    layer = LAYERS[name](nn)
    layer(images())
    found, expected = layer(last()), layer(images())
    assert is_last(found) and expected.is_contiguous()
    near(found, expected, 1e-3)


@pytest.mark.parametrize("name", ["convolution", "batch norm", "max pool", "average pool"])
def test_gradients_keep_channels_last(nn, name):
    x = last().requires_grad_()
    LAYERS[name](nn)(x).sum().backward()
    assert is_last(x.grad)


def test_weights_in_channels_last_make_results_so(nn):
    m = nn.Sequential(nn.Conv2d(4, 3, 3), nn.Linear(4, 2)).to(memory_format=torch.channels_last)
    assert is_last(m[0].weight) and m[1].weight.stride() == (4, 1) and is_last(m[0](images()))
    m[0](last()).sum().backward()
    assert is_last(m[0].weight.grad)


def test_operators_keep_channels_last():
    x = last()
    for y in (x + 1, x + x, x + images(), x * torch.ones(4, 1, 1), x.relu(), x.double(), x > 1):
        assert is_last(y)
    assert (images() + x).is_contiguous()
    assert is_last(torch.cat([x, x], 1)) and is_last(torch.empty_like(x))


# ---- Embeddings ------------------------------------------------------------------------------

ROWS = [[3.0, 4.0], [0.3, 0.4], [6.0, 8.0], [0.0, 0.0]]
INDICES = [[0, 2], [2, 1]]


def embedding(kind="Embedding", **options):
    m = getattr(sub("nn"), kind)(4, 2, **options)
    with torch.no_grad():
        m.weight.copy_(torch.tensor(ROWS))
    return m


def test_embedding_bounds_norms_in_place(F):
    m = embedding(max_norm=1.0)
    near(m(torch.tensor(INDICES))[0], torch.tensor([[0.6, 0.8], [0.6, 0.8]]), 1e-5)
    near(m.weight.detach(), torch.tensor([[0.6, 0.8], [0.3, 0.4], [0.6, 0.8], [0.0, 0.0]]), 1e-5)
    m = embedding(max_norm=1.0, norm_type=1.0)
    m(torch.tensor([2]))
    near(m.weight.detach()[2], torch.tensor([6 / 14, 8 / 14]), 1e-5)
    assert m.weight[0].tolist() == [3.0, 4.0]
    w = torch.tensor(ROWS, requires_grad=True)
    F.embedding(torch.tensor(INDICES), w, max_norm=2.0).sum().backward()
    assert w.grad.tolist() == [[1, 1], [1, 1], [2, 2], [0, 0]]


@pytest.mark.parametrize("mode", ["sum", "mean", "max"])
def test_embedding_bag_bounds_norms(mode):
    m, i = embedding("EmbeddingBag", mode=mode, max_norm=1.0), torch.tensor(INDICES)
    rows = torch.tensor([[0.6, 0.8], [0.3, 0.4], [0.6, 0.8], [0.0, 0.0]])[i]
    expected = {"sum": rows.sum(1), "mean": rows.mean(1), "max": rows.max(1).values}[mode]
    near(m(i).detach(), expected, 1e-5)


def test_embedding_gradients_by_frequency_and_padding():
    i = torch.tensor(INDICES)
    m = embedding(scale_grad_by_freq=True)
    m(i).sum().backward()
    assert m.weight.grad.tolist() == [[1, 1], [1, 1], [1, 1], [0, 0]]
    m = embedding(padding_idx=2)
    m(i).sum().backward()
    assert m.weight.grad.tolist() == [[1, 1], [1, 1], [0, 0], [0, 0]]
    m = embedding("EmbeddingBag", mode="mean", padding_idx=2)
    assert m(i).tolist() == [[3.0, 4.0], pytest.approx([0.3, 0.4])]


@pytest.mark.parametrize("kind", ["Embedding", "EmbeddingBag"])
def test_embedding_sparse_has_the_same_gradient(kind):
    options = {} if kind == "Embedding" else {"mode": "sum"}
    m = embedding(kind, sparse=True, **options)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        m(torch.tensor(INDICES)).sum().backward()
    grad = m.weight.grad.to_dense() if m.weight.grad.is_sparse else m.weight.grad
    assert grad.tolist() == [[1, 1], [1, 1], [2, 2], [0, 0]]


def test_embedding_from_pretrained(nn):
    w = torch.tensor(ROWS)
    m = nn.Embedding.from_pretrained(w)
    assert m.weight.data_ptr() == w.data_ptr() and not m.weight.requires_grad
    m = nn.Embedding.from_pretrained(w, freeze=False, padding_idx=-1, max_norm=1.0, sparse=True)
    assert m.weight.requires_grad and m.padding_idx == 3
    assert repr(m) == "Embedding(4, 2, padding_idx=3, max_norm=1.0, sparse=True)"
    b = nn.EmbeddingBag.from_pretrained(w, mode="sum")
    assert not b.weight.requires_grad and b(torch.tensor(INDICES))[0].tolist() == [9.0, 12.0]
    assert repr(nn.EmbeddingBag(4, 2, mode="sum", padding_idx=1)).endswith("padding_idx=1)")


# ---- Pooling ---------------------------------------------------------------------------------


def square(n=5):
    return torch.arange(float(n * n)).reshape(1, n, n)


def test_pooling_returns_indices(F):
    for values, indices in (
        F.max_pool2d(square(4), 2, return_indices=True),
        F.max_pool2d_with_indices(square(4), 2),
        F.adaptive_max_pool2d(square(4), 2, return_indices=True),
        F.adaptive_max_pool2d_with_indices(square(4), 2),
    ):
        assert values.tolist() == [[[5, 7], [13, 15]]] and indices.tolist() == values.tolist()
    assert F.max_pool1d_with_indices(torch.arange(4.0).reshape(1, 4), 2)[1].tolist() == [[1, 3]]
    back = F.max_unpool2d(*F.max_pool2d(square(4), 2, return_indices=True), 2)
    assert back.sum().item() == 40 and back.shape == (1, 4, 4)


def test_pooling_rounds_up_and_divides(F):
    assert F.max_pool2d(square(), 2, ceil_mode=True).shape == (1, 3, 3)
    assert F.avg_pool2d(square(), 2, ceil_mode=True)[0, 2, 2].item() == 24.0
    assert F.avg_pool2d(square(), 2, divisor_override=1)[0, 0, 0].item() == 12.0
    one = torch.ones(1, 3, 3)
    assert F.avg_pool2d(one, 3, padding=1)[0, 0, 0].item() == pytest.approx(4 / 9)
    assert F.avg_pool2d(one, 3, padding=1, count_include_pad=False)[0, 0, 0].item() == 1.0


@pytest.mark.parametrize(
    "options",
    [
        {"kernel_size": 2, "padding": 2},
        {"kernel_size": 2, "padding": -1},
        {"kernel_size": 0},
        {"kernel_size": 2, "stride": 0},
        {"kernel_size": 6},
    ],
)
@pytest.mark.parametrize("name", ["max_pool2d", "avg_pool2d"])
def test_pooling_checks(F, name, options):
    with pytest.raises(RuntimeError):
        getattr(F, name)(square(), **options)


def test_pooling_checks_divisors_and_dims(F):
    with pytest.raises(RuntimeError):
        F.avg_pool2d(square(), 2, divisor_override=0)
    for function in (F.max_pool2d, F.avg_pool2d):
        with pytest.raises((RuntimeError, IndexError)):
            function(torch.ones(5, 5), 2)


def test_pooling_by_power_means(F):
    x = torch.tensor([[3.0, 4.0, 6.0, 8.0]])
    assert F.lp_pool1d(x, 2, 2).tolist() == [[5.0, 10.0]]
    assert F.lp_pool2d(torch.ones(1, 4, 4), 1, 2).tolist() == [[[4.0, 4.0], [4.0, 4.0]]]
    assert F.lp_pool3d(torch.ones(1, 1, 2, 2, 2), 3, 2).item() == pytest.approx(2.0)


# ---- Schedules -------------------------------------------------------------------------------


def rates(make, n=8):
    p = sub("nn").Parameter(torch.ones(1))
    p.grad = torch.zeros(1)
    optimizer = sub("optim").SGD([p], lr=1.0)
    schedules = make(optimizer, sub("optim.lr_scheduler"))
    schedules = schedules if isinstance(schedules, list) else [schedules]
    found = []
    for _ in range(n):
        found.append(optimizer.param_groups[0]["lr"])
        optimizer.step()
        for one in schedules:
            one.step()
    assert schedules[-1].get_last_lr() == [optimizer.param_groups[0]["lr"]]
    return found


WARMUP = [0.1, 0.325, 0.55, 0.775]


def test_linear_warmup_then_exponential():
    found = rates(
        lambda o, s: s.SequentialLR(
            o, [s.LinearLR(o, 0.1, total_iters=4), s.ExponentialLR(o, 0.5)], milestones=[4]
        )
    )
    assert found == pytest.approx([*WARMUP, 1.0, 0.5, 0.25, 0.125])


def test_linear_warmup_that_is_cut_then_exponential():
    found = rates(
        lambda o, s: s.SequentialLR(
            o, [s.LinearLR(o, 0.1, total_iters=4), s.ExponentialLR(o, 0.5)], milestones=[2]
        )
    )
    assert found == pytest.approx([*WARMUP[:2], *(0.5**k for k in range(6))])


@pytest.mark.parametrize("chained", [True, False])
def test_linear_warmup_and_exponential_at_once(chained):
    def make(o, s):
        both = [s.LinearLR(o, 0.1, total_iters=4), s.ExponentialLR(o, 0.5)]
        return s.ChainedScheduler(both) if chained else both

    ramp = [*WARMUP, 1.0, 1.0, 1.0, 1.0]
    assert rates(make) == pytest.approx([f * 0.5**k for k, f in enumerate(ramp)])


@pytest.mark.parametrize("name", ["CosineAnnealingLR", "LambdaLR", "StepLR", "PolynomialLR"])
def test_linear_warmup_then_another_schedule(name):
    after = {
        "CosineAnnealingLR": lambda o, s: s.CosineAnnealingLR(o, 4),
        "LambdaLR": lambda o, s: s.LambdaLR(o, lambda k: 1 / (k + 1)),
        "StepLR": lambda o, s: s.StepLR(o, 2, 0.5),
        "PolynomialLR": lambda o, s: s.PolynomialLR(o, 4),
    }[name]
    found = rates(
        lambda o, s: s.SequentialLR(o, [s.LinearLR(o, 0.1, total_iters=4), after(o, s)], [4])
    )
    expected = {
        "CosineAnnealingLR": [(1 + math.cos(math.pi * k / 4)) / 2 for k in range(4)],
        "LambdaLR": [1 / (k + 1) for k in range(4)],
        "StepLR": [1.0, 1.0, 0.5, 0.5],
        "PolynomialLR": [1.0, 0.75, 0.5, 0.25],
    }[name]
    assert found == pytest.approx([*WARMUP, *expected], abs=1e-7)


def test_schedules_in_sequence_are_checked():
    for make in (
        lambda o, s: s.SequentialLR(o, [s.LinearLR(o)], [1]),
        lambda o, s: s.SequentialLR(o, [], []),
        lambda o, s: s.ChainedScheduler([]),
        lambda o, s: s.LinearLR(o, 0),
        lambda o, s: s.LinearLR(o, 2),
        lambda o, s: s.LinearLR(o, 0.5, -1),
        lambda o, s: s.ConstantLR(o, 2),
    ):
        with pytest.raises(ValueError):
            rates(make)


def test_schedules_in_sequence_are_saved():
    p = sub("nn").Parameter(torch.ones(1))

    def make():
        o, s = sub("optim").SGD([p], lr=1.0), sub("optim.lr_scheduler")
        both = [s.LinearLR(o, 0.1, total_iters=4), s.ExponentialLR(o, 0.5)]
        return o, s.SequentialLR(o, both, [4])

    (o, schedule), (other, again) = make(), make()
    for _ in range(5):
        o.step()
        schedule.step()
    again.load_state_dict(schedule.state_dict())
    other.load_state_dict(o.state_dict())
    for one, two in ((o, schedule), (other, again)):
        one.step()
        two.step()
    assert other.param_groups[0]["lr"] == o.param_groups[0]["lr"] == 0.25
