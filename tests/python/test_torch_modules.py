# SPDX-License-Identifier: Apache-2.0
"""Layers of `tenon.nn`, compared with PyTorch: state dicts, values, gradients, and trained nets.

Each layer loads the state dict of PyTorch's layer, and must compute the same results, gradients and
buffers. Skipped visibly if PyTorch is not installed; `./dev test --with-torch` installs it.
"""

from __future__ import annotations

import pytest
import tenon
from tenon import nn, optim

torch = pytest.importorskip("torch", reason="PyTorch is not installed: ./dev test --with-torch")

LINE, IMAGE, VOLUME = (2, 4, 9), (2, 4, 6, 8), (1, 4, 4, 5, 6)
SHAPES = {1: LINE, 2: IMAGE, 3: VOLUME}
BOUND = 1e-4  # for sums of a few hundred products, relative to the largest


def ours(tensor):
    return tenon.from_dlpack(tensor.detach().clone())


def theirs(tensor):
    return torch.from_dlpack(tensor.detach())


def leaves(value) -> list:
    if isinstance(value, (tuple, list)):
        return [leaf for one in value for leaf in leaves(one)]
    return [] if value is None else [value]


def assert_near(mine, wanted, what: str) -> None:
    mine = theirs(mine)
    assert mine.shape == wanted.shape and mine.dtype == wanted.dtype, what
    if wanted.numel() == 0:
        return
    apart = (mine.double() - wanted.double()).abs().max().item()
    assert apart <= BOUND * (1 + wanted.double().abs().max().item()), f"{what}: {apart} apart"


def assert_alike(
    name: str, args: tuple, kwargs: dict, *inputs, training: bool = True, targets: bool = True
) -> None:
    """Runs a layer of both libraries forward and backward; `targets`: with all gradients."""
    torch.manual_seed(0)
    wanted = getattr(torch.nn, name)(*args, **kwargs)
    mine = getattr(nn, name)(*args, **kwargs)
    assert list(mine.state_dict()) == list(wanted.state_dict())
    mine.load_state_dict({key: ours(value) for key, value in wanted.state_dict().items()})
    mine.train(training)
    wanted.train(training)
    given = [
        one.clone().requires_grad_(one.is_floating_point() and (targets or one is inputs[0]))
        for one in inputs
    ]
    taken = [ours(one).requires_grad_(one.requires_grad) for one in given]
    results = leaves(mine(*taken))
    expected = leaves(wanted(*given))
    assert len(results) == len(expected)
    for one, other in zip(results, expected, strict=True):
        assert_near(one, other.detach(), "result")
    sum((one * one).sum() for one in results if one.dtype.is_floating_point).backward()
    sum((one * one).sum() for one in expected if one.is_floating_point()).backward()
    pairs = [*zip(mine.parameters(), wanted.parameters(), strict=True)]
    for one, other in [*pairs, *zip(taken, given, strict=True)]:
        if other.grad is not None:
            assert_near(one.grad, other.grad, "gradient")
    for key, value in wanted.state_dict().items():
        assert_near(mine.state_dict()[key], value, key)


@pytest.mark.parametrize("dims", [1, 2, 3])
@pytest.mark.parametrize(
    "options",
    [
        {},
        {"stride": 2, "padding": 1, "groups": 2},
        {"padding": "same", "dilation": 2, "bias": False},
        {"padding": 1, "padding_mode": "reflect"},
        {"padding": 1, "padding_mode": "replicate"},
        {"padding": 2, "padding_mode": "circular"},
    ],
    ids=str,
)
def test_convolutions(dims, options):
    assert_alike(f"Conv{dims}d", (4, 6, 3), options, torch.randn(SHAPES[dims]))
    if options == {}:
        assert_alike(f"Conv{dims}d", (4, 6, 3), {}, torch.randn(SHAPES[dims][1:]))


@pytest.mark.parametrize("dims", [1, 2, 3])
@pytest.mark.parametrize(
    "options", [{}, {"stride": 2, "padding": 1, "output_padding": 1, "groups": 2}], ids=str
)
def test_transposed_convolutions(dims, options):
    assert_alike(f"ConvTranspose{dims}d", (4, 6, 3), options, torch.randn(SHAPES[dims]))


def test_many_channels_as_a_library_does_them():
    assert_alike("Conv2d", (16, 32, 3), {"padding": 1}, torch.randn(2, 16, 12, 12))
    assert_alike("ConvTranspose2d", (16, 8, 3), {"stride": 2}, torch.randn(2, 16, 7, 7))
    assert_alike("Conv2d", (16, 16, 3), {"padding": 1, "groups": 16}, torch.randn(2, 16, 12, 12))


@pytest.mark.parametrize("dims", [1, 2, 3])
@pytest.mark.parametrize(
    ("name", "args", "options"),
    [
        ("MaxPool", (2,), {}),
        ("MaxPool", (3, 2, 1), {"return_indices": True, "ceil_mode": True}),
        ("AvgPool", (2,), {}),
        ("AvgPool", (3, 2, 1), {"count_include_pad": False}),
        ("AdaptiveAvgPool", (3,), {}),
        ("AdaptiveMaxPool", (2,), {}),
        ("ZeroPad", (1,), {}),
        ("ConstantPad", (1, 2.5), {}),
        ("ReflectionPad", (1,), {}),
        ("ReplicationPad", (1,), {}),
        ("CircularPad", (1,), {}),
    ],
)
def test_pools_and_pads(dims, name, args, options):
    assert_alike(f"{name}{dims}d", args, options, torch.randn(SHAPES[dims]))


@pytest.mark.parametrize("dims", [1, 2, 3])
@pytest.mark.parametrize("training", [True, False])
@pytest.mark.parametrize("kind", ["BatchNorm", "InstanceNorm"])
def test_norms_and_their_running_tensors(dims, training, kind):
    for options in ({}, {"affine": True, "track_running_stats": True}):
        assert_alike(f"{kind}{dims}d", (4,), options, torch.randn(SHAPES[dims]), training=training)
    if kind == "BatchNorm":
        assert_alike(f"{kind}{dims}d", (4,), {"momentum": None}, torch.randn(SHAPES[dims]))


@pytest.mark.parametrize(
    "options",
    [
        {"scale_factor": 2},
        {"size": (5, 7), "mode": "nearest-exact"},
        {"scale_factor": 1.5, "mode": "bilinear"},
        {"size": 9, "mode": "bilinear", "align_corners": True},
        {"scale_factor": (2, 0.5), "mode": "bicubic"},
        {"size": (3, 4), "mode": "area"},
    ],
    ids=str,
)
def test_upsampling(options):
    assert_alike("Upsample", (), options, torch.randn(IMAGE))


@pytest.mark.parametrize(
    ("name", "args"),
    [
        *(("PReLU", ()), ("PReLU", (4,)), ("GLU", (1,)), ("ELU", ()), ("SELU", ())),
        *(("Hardtanh", ()), ("Softplus", ()), ("Softmin", (1,)), ("LogSigmoid", ()), ("Mish", ())),
        *(("ReLU6", ()), ("Hardswish", ()), ("Hardsigmoid", ())),
        *(("PixelShuffle", (2,)), ("PixelUnshuffle", (2,))),
    ],
)
def test_activations_and_shuffles(name, args):
    assert_alike(name, args, {}, torch.randn(IMAGE))


@pytest.mark.parametrize("mode", ["sum", "mean", "max"])
def test_embeddings(mode):
    indices = torch.tensor([[1, 2, 0], [4, 0, 2]])
    assert_alike("Embedding", (5, 3), {"padding_idx": 0}, indices)
    assert_alike("EmbeddingBag", (5, 3), {"mode": mode}, indices)
    options = {"mode": mode, "padding_idx": 2}
    offsets = torch.tensor([0, 2, 2, 5])
    assert_alike("EmbeddingBag", (5, 3), options, indices.reshape(-1), offsets)


@pytest.mark.parametrize("name", ["LSTM", "GRU", "RNN"])
def test_recurrent_layers(name):
    steps = torch.randn(5, 2, 4)
    for options in (
        {},
        {"num_layers": 2, "bidirectional": True},
        {"batch_first": True, "bias": False},
    ):
        assert_alike(name, (4, 3), options, steps)
    assert_alike(name, (4, 3), {}, steps[:, 0])
    assert_alike(f"{name}Cell", (4, 3), {}, steps[0])
    assert_alike(f"{name}Cell", (4, 3), {"bias": False}, steps[0, 0])
    if name == "LSTM":
        assert_alike(name, (4, 3), {"proj_size": 2, "num_layers": 2}, steps)
    if name == "RNN":
        assert_alike(name, (4, 3), {"nonlinearity": "relu"}, steps)


def test_attention():
    one = torch.randn(5, 2, 8)
    hidden = torch.triu(torch.ones(5, 5), 1).bool()
    absent = torch.zeros(2, 5).bool()
    absent[0, 3:] = True
    assert_alike("MultiheadAttention", (8, 2), {}, one, one + 1, one * 2)
    options = {"kdim": 4, "vdim": 4, "add_bias_kv": True, "add_zero_attn": True}
    other = torch.randn(3, 2, 4)
    assert_alike("MultiheadAttention", (8, 2), options, one, other, other + 1)
    assert_alike("TransformerEncoderLayer", (8, 2, 16, 0.0), {}, one, hidden, absent)
    options = {"norm_first": True, "activation": "gelu", "batch_first": True}
    assert_alike("TransformerEncoderLayer", (8, 2, 16, 0.0), options, one)


def test_losses():
    torch.manual_seed(1)
    p, q = (torch.rand(3, 4) * 0.8 + 0.1 for _ in range(2))
    signs = torch.tensor([1.0, -1.0, 1.0])
    rows = [torch.randn(3, 4) for _ in range(3)]
    labels = torch.tensor([[3, 0, -1, 1], [-1, 2, 2, 2], [1, 1, 2, 0]])
    for name, inputs in {
        "BCELoss": (p, q),
        "BCEWithLogitsLoss": (rows[0], q),
        "KLDivLoss": (p.log(), q),
        "PoissonNLLLoss": (rows[0], q * 5),
        "GaussianNLLLoss": (p, q, p + q),
        "MarginRankingLoss": (rows[0][:, 0], rows[1][:, 0], signs),
        "MultiMarginLoss": (rows[0], torch.tensor([1, 0, 3])),
        "MultiLabelMarginLoss": (rows[0], labels),
        "HingeEmbeddingLoss": (rows[0][:, 0], signs),
        "CosineEmbeddingLoss": (rows[0], rows[1], signs),
        "TripletMarginLoss": tuple(rows),
        "SoftMarginLoss": (rows[0][:, 0], signs),
    }.items():
        for reduction in ("mean", "sum", "none"):
            targets = name != "SoftMarginLoss"  # PyTorch has no gradient of its targets
            assert_alike(name, (), {"reduction": reduction}, *inputs, targets=targets)


# ---- Trained nets --------------------------------------------------------------------------------


def block(library, channels: int):
    """Two convolutions, each with a norm and a relu."""
    conv, norm, relu = library.Conv2d, library.BatchNorm2d, library.ReLU
    parts = []
    for _ in range(2):
        parts += [conv(channels, channels, 3, padding=1, bias=False), norm(channels), relu()]
    return library.Sequential(*parts)


def residual_net(library):
    """Returns a small residual net, made of either library's `nn`."""

    class Net(library.Module):
        def __init__(self) -> None:
            super().__init__()
            self.stem = library.Sequential(
                library.Conv2d(3, 8, 3, stride=2, padding=1), library.BatchNorm2d(8), library.ReLU()
            )
            self.first = block(library, 8)
            self.pool = library.MaxPool2d(2)
            self.second = block(library, 8)
            self.mean = library.AdaptiveAvgPool2d(1)
            self.head = library.Linear(8, 5)

        def forward(self, x):
            x = self.stem(x)
            x = self.pool(x + self.first(x))
            x = x + self.second(x)
            return self.head(self.mean(x).flatten(1))

    return Net()


def reader(library):
    """Returns a net for sequences."""

    class Net(library.Module):
        def __init__(self) -> None:
            super().__init__()
            self.rows = library.Embedding(11, 6)
            self.read = library.LSTM(6, 8, num_layers=2, batch_first=True)
            self.head = library.Linear(8, 5)

        def forward(self, x):
            output, _ = self.read(self.rows(x))
            return self.head(output[:, -1])

    return Net()


@pytest.mark.parametrize("make", [residual_net, reader])
def test_nets_learn_as_those_of_pytorch(make):
    torch.manual_seed(3)
    wanted = make(torch.nn)
    mine = make(nn)
    mine.load_state_dict({key: ours(value) for key, value in wanted.state_dict().items()})
    if make is residual_net:
        inputs = torch.randn(4, 3, 16, 16)
    else:
        inputs = torch.randint(0, 11, (4, 7))
    classes = torch.tensor([0, 3, 1, 4])
    step = optim.SGD(mine.parameters(), lr=0.05, momentum=0.9)
    their_step = torch.optim.SGD(wanted.parameters(), lr=0.05, momentum=0.9)
    losses = []
    for _ in range(5):
        loss = nn.functional.cross_entropy(mine(ours(inputs)), ours(classes))
        expected = torch.nn.functional.cross_entropy(wanted(inputs), classes)
        assert_near(loss, expected.detach(), "loss")
        losses.append(loss.item())
        for optimizer, of in ((step, loss), (their_step, expected)):
            optimizer.zero_grad()
            of.backward()
            optimizer.step()
    assert losses[-1] < losses[0]
    mine.eval()
    wanted.eval()
    assert_near(mine(ours(inputs)), wanted(inputs).detach(), "evaluation")
    for key, value in wanted.state_dict().items():
        assert_near(mine.state_dict()[key], value, key)
