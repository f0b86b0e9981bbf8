# SPDX-License-Identifier: Apache-2.0
"""Calls of losses of probabilities and pairs, of gates, and of recurrent networks."""

import itertools

import torch

from cases import FLOATS, NAN, Tensors, case, family, ramp, short

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


@family("margin_loss")
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
                own = "aten::nll_loss" if name == "rows" else "aten::nll_loss2d"
                yield case(f"own_{label}", own, given, target, factor, reduction, -100)
                into = {"out": torch.zeros(0)}
                yield case(f"out_{label}", f"{own}.out", given, target, factor, reduction, **into)
                rest = factor, reduction, -100
                yield case(f"forward_{label}", f"{own}_forward", given, target, *rest)
                loss, total = getattr(torch.ops.aten, f"{own[6:]}_forward")(given, target, *rest)
                args = ramp(*loss.shape, start=1), given, target, *rest, total
                yield case(f"backward_{label}", f"{own}_backward", *args)
                into = {"grad_input": torch.zeros(0)}
                yield case(f"backward_out_{label}", f"{own}_backward.grad_input", *args, **into)
                rest = (factor, reduction, 2, 0.25)
                yield case(f"smooth_{label}", cross, given, target.clamp_min(0), *rest)
        shares = _unit(3, 4)
        yield case(f"shares{reduction}", cross, rows, shares, weight, reduction, -100, 0.25)
    yield case("one", op, rows[0], torch.tensor(2))
    yield case("own_one", "aten::nll_loss", rows[0], torch.tensor(2))
    yield case("own_refuses_image", "aten::nll_loss", image, targets[1], status=INVALID)
    yield case("own_refuses_rows", "aten::nll_loss2d", rows, targets[0], status=INVALID)
    yield case("refuses_targets", op, rows, targets[0][:2], status=INVALID)
    yield case("refuses_weight", op, rows, targets[0], ramp(3), status=INVALID)


@family("multi_margin_loss")
def _multi_margin_loss():
    op, labelled = "aten::multi_margin_loss", "aten::multilabel_margin_loss"
    rows, target, weight = _mixed(3, 4), torch.tensor([1, 0, 3]), ramp(4, start=0.5)
    labels = torch.tensor([[3, 0, -1, 1], [-1, 2, 2, 2], [1, 1, 2, 0]])
    for reduction in (0, 1, 2):
        for p, margin, factor in ((1, 1, None), (2, 0.5, None), (1, 1, weight), (2, 1.5, weight)):
            name = f"{p}_{margin}_{int(factor is not None)}_{reduction}"
            yield case(name, op, rows, target, p, margin, factor, reduction)
            one = rows[1], torch.tensor(2), p, margin, factor, reduction
            yield case(f"row_{name}", op, *one)
        yield case(f"row_of_one_{reduction}", op, rows[1], target[:1], 1, 1, None, reduction)
        yield case(f"labels_{reduction}", labelled, rows, labels, reduction)
        yield case(f"labels_row_{reduction}", labelled, rows[0], labels[0], reduction)
        into = {"out": torch.zeros(0)}
        yield case(f"out_{reduction}", f"{op}.out", rows, target, 1, 1, None, reduction, **into)
        yield case(f"labels_out_{reduction}", f"{labelled}.out", rows, labels, reduction, **into)
    yield case("none", op, rows[:0], target[:0], 1, 1, None, 0)
    yield case("labels_none", labelled, rows[:0], labels[:0], 0)
    yield case("double", op, rows.double(), target)
    yield case("labels_double", labelled, rows.double(), labels)
    yield case("refuses_power", op, rows, target, 3, status=INVALID)
    yield case("refuses_targets", op, rows, target[:2], status=INVALID)
    yield case("refuses_weight", op, rows, target, 1, 1, weight[:3], status=INVALID)
    yield case("refuses_labels", labelled, rows, labels[:, :3], status=INVALID)
    yield case("refuses_int32", op, rows, target.int(), status=INVALID)


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


@family("recurrent")
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


def _frames(*shape):
    return (torch.arange(torch.Size(shape).numel()) * 7 % 13 / 4.0).reshape(shape).log_softmax(-1)


@family("ctc_loss")
def _ctc_loss():
    op, back, whole = "aten::_ctc_loss", "aten::_ctc_loss_backward", "aten::ctc_loss"
    frames, rows = _frames(6, 2, 4), torch.tensor([[1, 2], [3, 3]])
    # Full lengths only: PyTorch leaves elements beyond shorter ones unwritten.
    full = [6, 6], [2, 2]
    tensors = tuple(torch.tensor(lengths) for lengths in full)
    for dtype in (torch.float32, torch.float64):
        given, name = frames.to(dtype), str(dtype).removeprefix("torch.")
        for key, targets in {
            "rows": rows,
            "joined": rows.reshape(-1),
            "int32": rows.int(),
            "turned": rows.t().contiguous().t(),
        }.items():
            label = f"{name}_{key}"
            yield case(label, op, given, targets, *full)
            losses, alpha = torch.ops.aten._ctc_loss(given, targets, *full)
            args = torch.tensor([1.0, -2.0], dtype=dtype), given, targets, *full, losses, alpha
            yield case(f"{label}_backward", back, *args, 0)
    args = torch.tensor([1.0, -2.0]).double(), given, rows, *tensors, losses, alpha, 0
    yield case("backward_by_tensors", f"{back}.Tensor", *args, no_meta=True)
    args = torch.tensor([1.0, -2.0]).double(), given, rows, *full, losses, alpha, 0
    out = torch.zeros(0, dtype=torch.float64)
    yield case("backward_out", f"{back}.out", *args, out=out)
    into = {"out0": torch.zeros(0), "out1": torch.zeros(0)}
    yield case("out", f"{op}.out", frames, rows, *full, **into)
    into = {"out0": torch.zeros(0), "out1": torch.zeros(0)}
    yield case("tensor_out", f"{op}.Tensor_out", frames, rows, *tensors, no_meta=True, **into)
    yield case("by_tensors", f"{op}.Tensor", frames, rows, *tensors, no_meta=True)
    yield case("turned_frames", op, _frames(2, 6, 4).transpose(0, 1), rows, *full)
    yield case("other_blank", op, frames, rows - 1, *full, 3)
    lengths = {
        "full": full,
        "short": ([6, 3], [2, 1]),
        "none": ([6, 0], [0, 0]),
        "too_long": ([6, 2], [2, 2]),
        "never": ([0, 6], [1, 2]),
    }
    for (key, each), reduction in itertools.product(lengths.items(), (0, 1, 2)):
        label = f"whole_{key}_{reduction}"
        tensors = tuple(torch.tensor(one) for one in each)
        for zero in (False, True):
            args = frames, rows, *each, 0, reduction, zero
            yield case(f"{label}_{int(zero)}", f"{whole}.IntList", *args)
        args = frames, rows, *tensors, 0, reduction
        yield case(f"{label}_tensors", f"{whole}.Tensor", *args, no_meta=True)
    for reduction in (0, 1, 2):
        args = frames[:, 0], rows[0], [6], [2], 0, reduction
        yield case(f"one_{reduction}", f"{whole}.IntList", *args)
    numbers = torch.tensor(6), torch.tensor(2)
    args = frames[:, 0], rows[0], *numbers
    yield case("one_by_numbers", f"{whole}.Tensor", *args, no_meta=True)
    yield case("refuses_blank", op, frames, rows, *full, 4)
    yield case("refuses_times", op, frames, rows, [6, 7], [2, 2])
    yield case("refuses_lengths", op, frames, rows, [6], [2, 2])
    yield case("refuses_targets", op, frames, rows, [6, 6], [2, 3])
    yield case("refuses_joined", op, frames, rows.reshape(-1), [6, 6], [2, 1])
    yield case("refuses_below", op, frames, rows, [6, 6], [2, -1])
    yield case("refuses_dims", op, frames[:, 0], rows, *full)
    unsupported = {"status": "TENON_ERROR_NOT_SUPPORTED"}
    yield case("refuses_float16", op, frames.half(), rows, *full, **unsupported, no_meta=True)
    yield case("refuses_float_targets", op, frames, rows.float(), *full, **unsupported)


@family("segment_reduce")
def _segment_reduce():
    op, back = "aten::segment_reduce", "aten::_segment_reduce_backward"
    data = torch.tensor([[1.0, 0.0], [1.0, 2.0], [3.0, 0.0], [0.0, 4.0], [-2.0, 1.0], [2.0, 1.0]])
    lengths, offsets = torch.tensor([2, 0, 4]), torch.tensor([0, 2, 2, 6])
    twice = torch.tensor([[2, 0, 4], [1, 3, 2]])
    nowhere = data.clone()
    nowhere[4, 0] = NAN
    for word, initial in itertools.product(("max", "mean", "min", "prod", "sum"), (None, 1.5)):
        how, label = {"initial": initial}, f"{word}_{initial}"
        yield case(label, op, data, word, lengths=lengths, **how)
        yield case(f"{label}_offsets", op, data.double(), word, offsets=offsets, **how)
        yield case(f"{label}_axis", op, data.t(), word, lengths=twice, axis=1, **how)
        yield case(f"{label}_nan", op, nowhere, word, lengths=lengths, **how)
        for given in (data, nowhere):
            output = torch.segment_reduce(given, word, lengths=lengths, **how)
            args = torch.arange(6.0).reshape(3, 2), output, given, word
            name = "nan" if given is nowhere else "backward"
            yield case(f"{label}_{name}_lengths", back, *args, lengths=lengths, **how)
            yield case(f"{label}_{name}_offsets", back, *args, offsets=offsets, **how)
        for dtype in FLOATS:
            name = f"{label}_{short(dtype)}"
            yield case(name, op, data.to(dtype), word, lengths=lengths.int(), **how)
    yield case("sum_of_less", op, data, "sum", lengths=torch.tensor([1, 2]), unsafe=True)
    yield case("offsets_of_less", op, data, "sum", offsets=torch.tensor([1, 3, 6]))
    yield case("long_axis", op, data.t(), "max", lengths=twice, axis=-1)
    yield case("amax", op, data, "amax", lengths=lengths)
    yield case("no_elements", op, data[:0], "mean", lengths=torch.tensor([0, 0]))
    yield case("out", f"{op}.out", data, "sum", lengths=lengths, out=torch.zeros(0))
    args = torch.ones(3, 2), output, data, "sum"
    yield case("backward_out", f"{back}.out", *args, lengths=lengths, out=torch.zeros(0))
    unsupported = {"status": "TENON_ERROR_NOT_SUPPORTED"}
    yield case("refuses_neither", op, data, "sum")
    yield case("refuses_indices", op, data, "sum", indices=lengths, **unsupported)
    yield case("refuses_axis", op, data, "sum", lengths=lengths, axis=1)
    yield case("refuses_length", op, data, "sum", lengths=lengths + 1, no_meta=True)
    below = torch.tensor([-2, 4, 4])
    yield case("refuses_below", op, data, "sum", lengths=below, no_meta=True)
    yield case("refuses_integers", op, data.int(), "sum", lengths=lengths, **unsupported)
    floats = {"lengths": lengths.float()}
    yield case("refuses_floats", op, data, "sum", **floats, **unsupported)
