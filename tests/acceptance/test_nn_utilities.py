# SPDX-License-Identifier: Apache-2.0
"""nn.utils: pruning, weight and spectral norm, orthogonal matrices, packed sequences."""

import math
import warnings

import pytest
from seed import near, sub, torch


@pytest.fixture
def nn():
    return sub("nn")


@pytest.fixture
def prune():
    return sub("nn.utils.prune")


@pytest.fixture
def norms():
    return sub("nn.utils.parametrizations")


@pytest.fixture
def rnn():
    return sub("nn.utils.rnn")


WEIGHT = [[1.0, -2.0, 3.0, -4.0], [5.0, -6.0, 7.0, -8.0], [9.0, -10.0, 11.0, -12.0]]


def linear(rows=WEIGHT):
    m = sub("nn").Linear(len(rows[0]), len(rows))
    with torch.no_grad():
        m.weight.copy_(torch.tensor(rows))
        m.bias.fill_(0)
    return m


def names(m):
    return sorted(n for n, _ in m.named_parameters()), sorted(n for n, _ in m.named_buffers())


# ---- Pruning ---------------------------------------------------------------------------------


def test_pruning_the_least_elements(prune):
    m = linear()
    assert prune.l1_unstructured(m, "weight", 3) is m and prune.is_pruned(m)
    assert m.weight_mask.tolist() == [[0, 0, 0, 1], [1] * 4, [1] * 4]
    assert names(m) == (["bias", "weight_orig"], ["weight_mask"])
    assert type(m.weight) is torch.Tensor and m.weight[0].tolist() == [0, 0, 0, -4]
    m(torch.ones(1, 4)).sum().backward()
    assert m.weight_orig.grad.tolist() == m.weight_mask.tolist()


@pytest.mark.parametrize(("amount", "left"), [(0, 12), (12, 0), (0.25, 9), (0.5, 6), (1.0, 0)])
def test_pruning_amounts(prune, amount, left):
    for function in (prune.l1_unstructured, prune.random_unstructured):
        assert function(linear(), "weight", amount).weight_mask.sum().item() == left


@pytest.mark.parametrize(
    ("amount", "error"), [(13, ValueError), (-1, ValueError), (1.5, ValueError), ("a", TypeError)]
)
def test_pruning_amounts_that_are_refused(prune, amount, error):
    m = linear()
    with pytest.raises(error):
        prune.l1_unstructured(m, "weight", amount)
    assert names(m) == (["bias", "weight"], [])


def test_pruning_slices(prune):
    m = prune.ln_structured(linear(), "weight", 1, 2, 0)
    assert m.weight_mask.tolist() == [[0] * 4, [1] * 4, [1] * 4]
    m = prune.ln_structured(linear(), "weight", 0.5, math.inf, -1)
    assert m.weight_mask.tolist() == [[0, 0, 1, 1]] * 3
    m = prune.random_structured(linear(), "weight", 2, 0)
    assert sorted(m.weight_mask.sum(1).tolist()) == [0, 0, 4]
    with pytest.raises(ValueError):
        prune.ln_structured(linear(), "bias", 1, 2, 0)
    with pytest.raises(IndexError):
        prune.ln_structured(linear(), "weight", 1, 2, 5)


def test_pruning_again_prunes_remaining_elements(prune):
    m = linear()
    prune.l1_unstructured(m, "weight", 3)
    prune.ln_structured(m, "weight", 1, 2, 0)
    prune.l1_unstructured(m, "weight", 2)
    assert m.weight_mask.tolist() == [[0] * 4, [0, 0, 1, 1], [1] * 4]
    (hook,) = m._forward_pre_hooks.values()
    assert isinstance(hook, prune.PruningContainer) and len(hook) == 3


def test_pruning_by_scores_masks_and_globally(prune, nn):
    scores = torch.arange(12.0).reshape(3, 4)
    m = prune.l1_unstructured(linear(), "weight", 2, importance_scores=scores)
    assert m.weight_mask[0].tolist() == [0, 0, 1, 1]
    m = prune.custom_from_mask(linear(), "bias", torch.tensor([1, 0, 1]))
    assert m.bias_mask.tolist() == [1, 0, 1]
    assert prune.identity(linear(), "weight").weight_mask.sum().item() == 12
    s = nn.Sequential(linear(), linear([[0.1, 0.2], [100.0, 200.0]]))
    pairs = [(s[0], "weight"), (s[1], "weight")]
    prune.global_unstructured(pairs, prune.L1Unstructured, amount=4)
    assert s[1].weight_mask.tolist() == [[0, 0], [1, 1]] and s[0].weight_mask.sum().item() == 10
    with pytest.raises(TypeError):
        prune.global_unstructured(pairs, prune.LnStructured, amount=1, n=2)


def test_pruning_is_removed(prune):
    m = linear()
    prune.l1_unstructured(m, "weight", 3)
    prune.remove(m, "weight")
    assert names(m) == (["bias", "weight"], []) and not prune.is_pruned(m)
    assert m.weight[0].tolist() == [0, 0, 0, -4] and type(m.weight) is sub("nn").Parameter
    with pytest.raises(ValueError):
        prune.remove(m, "weight")


def test_pruning_without_a_module(prune):
    t = torch.tensor([1.0, -3.0, 2.0, 0.5])
    assert prune.L1Unstructured(0.5).prune(t).tolist() == [0.0, -3.0, 2.0, 0.0]
    kept = prune.L1Unstructured(1).compute_mask(t, torch.tensor([1.0, 1.0, 0.0, 1.0]))
    assert kept.tolist() == [1, 1, 0, 0]
    with pytest.raises(TypeError):
        prune.BasePruningMethod()


# ---- Weight and spectral norm ----------------------------------------------------------------


def lengths(m):
    return m.weight.detach().norm(dim=1).tolist()


@pytest.mark.parametrize("old", [True, False])
def test_weight_norm(norms, old):
    m = linear()
    before = m.weight.detach().clone()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        (sub("nn.utils").weight_norm if old else norms.weight_norm)(m)
    g = m.weight_g if old else m.parametrizations.weight.original0
    assert g.shape == (3, 1)
    near(m.weight, before, 1e-5)
    with torch.no_grad():
        g.fill_(2)
    m(torch.ones(1, 4))
    assert lengths(m) == pytest.approx([2.0] * 3)
    m(torch.ones(1, 4)).sum().backward()
    near(g.grad, (before / before.norm(dim=1, keepdim=True)).sum(1, keepdim=True), 1e-5)
    if old:
        sub("nn.utils").remove_weight_norm(m)
        with pytest.raises(ValueError):
            sub("nn.utils").remove_weight_norm(m)
    else:
        sub("nn.utils.parametrize").remove_parametrizations(m, "weight")
    assert names(m) == (["bias", "weight"], []) and lengths(m) == pytest.approx([2.0] * 3)


def test_weight_norm_of_dims_and_old_files(norms, nn):
    assert norms.weight_norm(linear(), dim=None).parametrizations.weight.original0.shape == ()
    conv = norms.weight_norm(nn.Conv2d(2, 3, 2), dim=1)
    assert conv.parametrizations.weight.original0.shape == (1, 2, 1, 1)
    m = norms.weight_norm(linear())
    old = {"weight_g": torch.ones(3, 1), "weight_v": torch.ones(3, 4), "bias": torch.zeros(3)}
    m.load_state_dict(old)
    near(m.weight, torch.full((3, 4), 0.5), 1e-6)
    m.weight = torch.full((3, 4), 2.0)
    near(m.parametrizations.weight.original0, torch.full((3, 1), 4.0), 1e-6)


@pytest.mark.parametrize("old", [True, False])
def test_spectral_norm(norms, old):
    m = linear()
    function = sub("nn.utils").spectral_norm if old else norms.spectral_norm
    function(m, n_power_iterations=20)
    m(torch.ones(1, 4))
    assert torch.linalg.svdvals(m.weight.detach())[0].item() == pytest.approx(1.0, abs=1e-4)
    m.eval()
    once = m(torch.ones(1, 4))
    assert m(torch.ones(1, 4)).tolist() == once.tolist()
    if old:
        assert names(m) == (["bias", "weight_orig"], ["weight_u", "weight_v"])
        sub("nn.utils").remove_spectral_norm(m)
    else:
        sub("nn.utils.parametrize").remove_parametrizations(m, "weight")
    assert names(m) == (["bias", "weight"], [])


def test_spectral_norm_of_vectors_dims_and_errors(norms, nn):
    m = linear()
    with torch.no_grad():
        m.bias.copy_(torch.tensor([3.0, 0.0, 4.0]))
    assert norms.spectral_norm(m, "bias").bias.tolist() == pytest.approx([0.6, 0.0, 0.8])
    t = norms.spectral_norm(nn.ConvTranspose2d(2, 3, 2))
    assert t.parametrizations.weight[0]._u.shape == (3,)
    for bad in ({"name": "foo"}, {"n_power_iterations": 0}):
        with pytest.raises(ValueError):
            norms.spectral_norm(linear(), **bad)


@pytest.mark.parametrize("shape", [(3, 3), (3, 4), (5, 2)])
@pytest.mark.parametrize("kind", ["matrix_exp", "cayley", "householder", None])
def test_orthogonal(norms, nn, shape, kind):
    m = norms.orthogonal(nn.Linear(shape[1], shape[0]), orthogonal_map=kind)
    for _ in range(2):
        w = m.weight if shape[0] >= shape[1] else m.weight.t()
        near((w.t() @ w).detach(), torch.eye(min(shape)), 1e-4)
        m(torch.ones(1, shape[1])).sum().backward()
        with torch.no_grad():
            for p in m.parameters():
                p -= 0.1 * p.grad


def test_orthogonal_takes_an_orthogonal_matrix(norms, nn):
    m, w = norms.orthogonal(nn.Linear(3, 3)), torch.eye(3)[[1, 2, 0]]
    m.weight = w
    near(m.weight.detach(), w, 1e-5)
    for bad in (lambda: norms.orthogonal(nn.Linear(2, 2), orthogonal_map="x"),) + (
        lambda: norms.orthogonal(nn.Linear(2, 2), "bias"),
    ):
        with pytest.raises(ValueError):
            bad()


# ---- Parametrizations ----------------------------------------------------------------------------


def doubled():
    class Doubled(sub("nn").Module):
        def forward(self, x):
            return x * 2

        def right_inverse(self, x):
            return x / 2

    return Doubled()


def test_parametrizations_are_transferred():
    parametrize, kind = sub("nn.utils.parametrize"), sub("nn").Linear
    m, n = linear(), linear([[0.0] * 4] * 3)
    parametrize.register_parametrization(m, "weight", doubled())
    assert parametrize.type_before_parametrizations(m) is kind and type(m) is not kind
    assert parametrize.type_before_parametrizations(n) is kind
    assert parametrize.transfer_parametrizations_and_params(m, n) is n
    assert n.weight.tolist() == m.weight.tolist() and parametrize.is_parametrized(n, "weight")
    assert n.parametrizations.weight.original is m.parametrizations.weight.original


def test_parametrizations_must_return_tensors():
    class Number(sub("nn").Module):
        def forward(self, x):
            return 5

    m = linear()
    with pytest.raises(ValueError):
        sub("nn.utils.parametrize").register_parametrization(m, "weight", Number())
    assert names(m) == (["bias", "weight"], [])


# ---- Packed sequences ------------------------------------------------------------------------


def batch():
    return torch.arange(24.0).reshape(4, 3, 2)


def test_packing_sorted_and_unsorted_sequences(rnn):
    p = rnn.pack_padded_sequence(batch(), [4, 2, 1])
    assert p.batch_sizes.tolist() == [3, 2, 1, 1] and p.sorted_indices is None
    assert p.data[:, 0].tolist() == [0, 2, 4, 6, 8, 12, 18]
    p = rnn.pack_padded_sequence(batch(), torch.tensor([1, 4, 2]), enforce_sorted=False)
    assert p.sorted_indices.tolist() == [1, 2, 0] and p.unsorted_indices.tolist() == [2, 0, 1]
    padded, lengths = rnn.pad_packed_sequence(p, batch_first=True, padding_value=-1, total_length=5)
    assert lengths.tolist() == [1, 4, 2] and padded.shape == (3, 5, 2)
    assert padded[0, :, 0].tolist() == [0, -1, -1, -1, -1]


@pytest.mark.parametrize("lengths", [[1, 4, 2], [3, 2, 0], [3, 2], [2, 1, -1]])
def test_packing_refuses_lengths(rnn, lengths):
    with pytest.raises(RuntimeError):
        rnn.pack_padded_sequence(batch(), lengths)


def test_padding_sequences(rnn):
    one, two = torch.ones(2), torch.zeros(3)
    assert rnn.pad_sequence([one, two]).tolist() == [[1, 0], [1, 0], [0, 0]]
    assert rnn.pad_sequence([one, two], True, 5).tolist() == [[1, 1, 5], [0, 0, 0]]
    left = rnn.pad_sequence([one, two], batch_first=True, padding_side="left")
    assert left.tolist() == [[0, 1, 1], [0, 0, 0]]
    p = rnn.pack_sequence([one, two], enforce_sorted=False)
    assert [x.tolist() for x in rnn.unpack_sequence(p)] == [[1, 1], [0, 0, 0]]
    parts = rnn.unpad_sequence(torch.ones(3, 2), torch.tensor([1, 3]))
    assert [len(x) for x in parts] == [1, 3]
    for bad in (lambda: rnn.pad_sequence([one], padding_side="up"), lambda: rnn.pad_sequence(5)):
        with pytest.raises(RuntimeError):
            bad()
    with pytest.raises(ValueError):
        rnn.pad_packed_sequence(p, total_length=2)


def test_packed_sequences_move_and_cast(rnn):
    p = rnn.pack_sequence([torch.ones(3), torch.zeros(2)])
    assert (
        p.to(torch.float64).data.dtype is torch.float64 and p.double().data.dtype is torch.float64
    )
    assert p.to("cpu") is p and not p.is_cuda and isinstance(p, tuple)
    assert rnn.invert_permutation(torch.tensor([2, 0, 1])).tolist() == [1, 2, 0]


@pytest.mark.parametrize("kind", ["LSTM", "GRU", "RNN"])
@pytest.mark.parametrize(
    "options",
    [
        {},
        {"num_layers": 2},
        {"bidirectional": True},
        {"num_layers": 2, "bidirectional": True, "bias": False},
        {"batch_first": True},
    ],
)
def test_packed_sequences_run_as_each_alone(nn, rnn, kind, options):
    torch.manual_seed(0)
    m = getattr(nn, kind)(2, 3, **options)
    lengths, rows = [1, 4, 2], batch().transpose(0, 1) / 10
    p = rnn.pack_padded_sequence(rows, lengths, batch_first=True, enforce_sorted=False)
    packed, last = m(p)
    output, sizes = rnn.pad_packed_sequence(packed, batch_first=True)
    assert sizes.tolist() == lengths
    for place, length in enumerate(lengths):
        alone, end = m(rows[place, :length])
        near(output[place, :length], alone, 1e-5)
        pairs = zip(last, end) if kind == "LSTM" else [(last, end)]
        for whole, own in pairs:
            near(whole[:, place], own, 1e-5)


def test_packed_sequences_of_a_projected_lstm_and_gradients(nn, rnn):
    torch.manual_seed(0)
    m, rows = nn.LSTM(2, 4, proj_size=3), (batch() / 10).requires_grad_()
    packed, _ = m(rnn.pack_padded_sequence(rows, [4, 2, 1]))
    alone, _ = m(rows[:2, 1])
    output, _ = rnn.pad_packed_sequence(packed)
    near(output[:2, 1], alone, 1e-5)
    output.sum().backward()
    assert rows.grad[2:, 1].tolist() == [[0, 0], [0, 0]] and rows.grad[:2, 1].abs().min() > 0
