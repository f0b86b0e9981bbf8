# SPDX-License-Identifier: Apache-2.0
"""Calls of losses of probabilities and pairs, of gates, and of recurrent nets."""

import torch

from cases import FLOATS, Tensors, case, family, ramp, short

INVALID = "TENON_ERROR_INVALID_ARGUMENT"


def _unit(*shape):
    """Numbers between 0 and 1."""
    return (ramp(*shape, start=1) * 7 % 16 + 1) / 18


def _signs(count):
    return 1 - ramp(count) % 2 * 2


def _mixed(*shape, step=0.25):
    return ramp(*shape) * 5 % 11 * step - 1


@family("binary_cross_entropy")
def _binary_cross_entropy():
    op, back = "aten::binary_cross_entropy", "aten::binary_cross_entropy_backward"
    logits = "aten::binary_cross_entropy_with_logits"
    p, target, weight = _unit(2, 3), _unit(2, 3).flip(0), ramp(3, start=1)
    for reduction in (0, 1, 2):
        for factor, name in ((None, "plain"), (weight, "weighted")):
            yield case(f"{name}{reduction}", op, p, target, factor, reduction)
            grad = ramp(2, 3, start=1) if reduction == 0 else torch.tensor(2.0)
            yield case(f"{name}{reduction}_backward", back, grad, p, target, factor, reduction)
            rest = (factor, weight, reduction)
            yield case(f"{name}{reduction}_logits", logits, _mixed(2, 3), target, *rest)
    ends = torch.tensor([0.0, 1.0, 0.0, 1.0])
    yield case("ends", op, ends, torch.tensor([0.0, 1.0, 1.0, 0.0]), None, 0)
    for dtype in FLOATS:
        yield case(f"dtype_{short(dtype)}", op, p.to(dtype), target.to(dtype))
    yield case("refuses_above", op, p + 1, target, status=INVALID, no_meta=True)


@family("kl_div")
def _kl_div():
    op, counts = "aten::kl_div", "aten::poisson_nll_loss"
    target = torch.tensor([[0.0, 0.25, 0.5], [1.0, 2.0, 3.0]])
    for reduction in (0, 1, 2):
        yield case(f"kl{reduction}", op, _mixed(2, 3), target, reduction)
        yield case(f"logs{reduction}", op, _mixed(2, 3), target, reduction, log_target=True)
        for logs, full in ((True, False), (False, True)):
            name = f"poisson{reduction}_{int(full)}"
            yield case(name, counts, _unit(2, 3), target, logs, full, 1e-8, reduction)


@family("margin_ranking_loss")
def _margin_ranking_loss():
    first, second, third = _mixed(4), _mixed(4).flip(0), _unit(4)
    rows = [_mixed(4, 3), _mixed(4, 3).flip(0), _mixed(4, 3).flip(1)]
    for reduction in (0, 1, 2):
        given = (first, second, _signs(4), 0.5, reduction)
        yield case(f"ranking{reduction}", "aten::margin_ranking_loss", *given)
        given = (first, _signs(4), 1.0, reduction)
        yield case(f"hinge{reduction}", "aten::hinge_embedding_loss", *given)
        given = (*rows[:2], _signs(4), 0.25, reduction)
        yield case(f"cosine{reduction}", "aten::cosine_embedding_loss", *given)
        for swap in (False, True):
            given = (*rows, 1.0, 2.0, 1e-6, swap, reduction)
            yield case(f"triplet{reduction}_{int(swap)}", "aten::triplet_margin_loss", *given)
        yield case(f"soft{reduction}", "aten::soft_margin_loss", first, _signs(4), reduction)
    yield case(
        "one_pair", "aten::cosine_embedding_loss", rows[0][0], rows[1][0], torch.tensor(-1.0)
    )
    yield case("refuses_dims", "aten::margin_ranking_loss", first, rows[0], third, status=INVALID)
    yield case("refuses_targets", "aten::cosine_embedding_loss", *rows[:2], rows[2], status=INVALID)


@family("cosine_similarity")
def _cosine_similarity():
    op, apart = "aten::cosine_similarity", "aten::pairwise_distance"
    a, b = _mixed(2, 3, 4), _mixed(2, 3, 4).flip(0)
    for dim in (0, 1, -1):
        yield case(f"along{dim}", op, a, b, dim)
    yield case("broadcast", op, a, b[:, :1], 2)
    yield case("zeros", op, a * 0, b, 1)
    for p in (0.0, 1.0, 2.0, 3.0, float("inf")):
        yield case(f"distance{p}", apart, a, b, p)
    yield case("distance_kept", apart, a, b, 2.0, 0.5, True)
    yield case("bilinear", "aten::bilinear", a, _mixed(2, 3, 2), _mixed(5, 4, 2), _mixed(5))
    yield case("bilinear_rows", "aten::bilinear", a[0], a[1], _mixed(2, 4, 4))
    yield case("refuses_bilinear", "aten::bilinear", a, b, _mixed(2, 4, 3), status=INVALID)


@family("glu")
def _glu():
    op, slope = "aten::glu", "aten::prelu"
    for dim in (0, 1, -1):
        yield case(f"glu{dim}", op, _mixed(2, 4, 6), dim)
    for dtype in FLOATS:
        yield case(f"dtype_{short(dtype)}", op, _mixed(2, 4).to(dtype))
        given = _mixed(2, 3).to(dtype), ramp(3, start=1, step=0.25).to(dtype)
        yield case(f"prelu_{short(dtype)}", slope, *given)
    yield case("prelu_one", slope, _mixed(2, 3, 2), torch.tensor([0.25]))
    yield case("refuses_odd", op, _mixed(2, 3), status=INVALID)
    yield case("refuses_weight", slope, _mixed(2, 3), ramp(2), status=INVALID)


@family("one_hot")
def _one_hot():
    op, classes = "aten::one_hot", torch.tensor([[0, 2], [1, 3]])
    yield case("counted", op, classes, exact=True, no_meta=True)
    yield case("given", op, classes, 5, exact=True, no_meta=True)
    yield case("one", op, torch.tensor(1), 3, exact=True, no_meta=True)
    yield case("none", op, classes[:0], 3, exact=True, no_meta=True)
    yield case("refuses_more", op, classes, 3, status=INVALID, no_meta=True)
    yield case("refuses_negative", op, classes - 1, 5, status=INVALID, no_meta=True)


@family("nll_loss")
def _nll_loss():
    op, cross = "aten::nll_loss_nd", "aten::cross_entropy_loss"
    weight = ramp(4, start=1)
    rows, image = _mixed(3, 4), _mixed(2, 4, 2, 3)
    targets = torch.tensor([1, -100, 3]), torch.arange(12).reshape(2, 2, 3) % 4
    for reduction in (0, 1, 2):
        for given, target, name in ((rows, targets[0], "rows"), (image, targets[1], "image")):
            for factor in (None, weight):
                label = f"{name}{reduction}_{int(factor is not None)}"
                yield case(f"nll_{label}", op, given, target, factor, reduction)
                yield case(f"cross_{label}", cross, given, target, factor, reduction)
                rest = (factor, reduction, 2, 0.25)
                yield case(f"smooth_{label}", cross, given, target.clamp_min(0), *rest)
        shares = _unit(3, 4)
        yield case(f"shares{reduction}", cross, rows, shares, weight, reduction, -100, 0.25)
    yield case("one", op, rows[0], torch.tensor(2))
    yield case("refuses_targets", op, rows, targets[0][:2], status=INVALID)
    yield case("refuses_weight", op, rows, targets[0], ramp(3), status=INVALID)


@family("dropout")
def _dropout():
    for name in ("dropout", "feature_dropout", "alpha_dropout", "feature_alpha_dropout"):
        for p, training in ((0.5, False), (0.0, True)):
            label = f"{name}_{int(training)}"
            yield case(label, f"aten::{name}", _mixed(2, 3, 2), p, training, exact=True)
        yield case(f"{name}_all", f"aten::{name}", _mixed(2, 3, 2), 1.0, True)
        yield case(f"{name}_in_place", f"aten::{name}_", _mixed(2, 3, 2), 1.0, True)
        yield case(f"{name}_refuses_p", f"aten::{name}", _mixed(2, 3, 2), 1.5, True, status=INVALID)
    yield case("native", "aten::native_dropout", _mixed(2, 3), 0.0, True, exact=True)


def _weights(gates, inputs, hidden):
    rows = gates * hidden
    return [
        _mixed(rows, inputs, step=0.125),
        _mixed(rows, hidden, step=0.125),
        _mixed(rows),
        _mixed(rows, step=0.125),
    ]


@family("lstm")
def _lstm():
    steps = _mixed(3, 2, 4)
    for name, gates in (("lstm", 4), ("gru", 3), ("rnn_tanh", 1), ("rnn_relu", 1)):
        for layers, both in ((1, False), (2, True)):
            ways = 2 if both else 1
            state = _mixed(layers * ways, 2, 3)
            given = Tensors([state, state.flip(0) * 0.5]) if name == "lstm" else state
            params = []
            for layer in range(layers):
                for _ in range(ways):
                    params += _weights(gates, 4 if layer == 0 else 3 * ways, 3)
            for biases in (True, False):
                some = params if biases else [p for p in params if p.dim() == 2]
                rest = (Tensors(some), biases, layers, 0.0, False, both, False)
                yield case(
                    f"{name}{layers}_{int(biases)}", f"aten::{name}.input", steps, given, *rest
                )
        state = _mixed(2, 3)
        given = Tensors([state, state.flip(0)]) if name == "lstm" else state
        yield case(f"{name}_cell", f"aten::{name}_cell", steps[0], given, *_weights(gates, 4, 3))
    state = _mixed(1, 3, 3)
    rest = (Tensors(_weights(3, 4, 3)), True, 1, 0.0, False, False, True)
    yield case("batch_first", "aten::gru.input", _mixed(3, 2, 4), state, *rest)
    yield case("refuses_states", "aten::gru.input", steps, state, *rest[:6], False, status=INVALID)
