# SPDX-License-Identifier: Apache-2.0
"""The CTC loss and its gradient, compared with a sum over all paths."""

from __future__ import annotations

import itertools
import math

import pytest
import tenon
from tenon import nn
from tenon.autograd import gradcheck
from tenon.nn import functional as F  # noqa: N812


def frames(times: int, batch: int, labels: int) -> tenon.Tensor:
    numbers = [(7 * k % 13) / 4 for k in range(times * batch * labels)]
    return tenon.tensor(numbers, dtype=tenon.float64).reshape(times, batch, labels)


def spelt(path: tuple[int, ...], blank: int) -> list[int]:
    """Collapses repeated labels of a path and removes blanks."""
    joined = [label for label, _ in itertools.groupby(path)]
    return [label for label in joined if label != blank]


def loss_of(logs: list[list[float]], target: list[int], blank: int) -> float:
    """Returns the negative log probability of all paths that collapse to the target."""
    chance = sum(
        math.exp(sum(row[label] for row, label in zip(logs, path, strict=True)))
        for path in itertools.product(range(len(logs[0])), repeat=len(logs))
        if spelt(path, blank) == target
    )
    return -math.log(chance) if chance else math.inf


@pytest.mark.parametrize("target", [[], [1], [1, 2], [2, 2], [1, 2, 1]])
@pytest.mark.parametrize("blank", [0, 3])
def test_the_loss_is_that_of_all_paths(target, blank):
    logs = frames(4, 1, 4).log_softmax(-1)
    targets = tenon.tensor([target + [1] * (3 - len(target))])
    loss = F.ctc_loss(logs, targets, [4], [len(target)], blank, "sum")
    expected = loss_of(logs[:, 0].tolist(), target, blank)
    assert loss.item() == pytest.approx(expected, rel=1e-12)


def test_targets_that_do_not_fit_are_infinite_or_nothing():
    logs = frames(2, 1, 3).log_softmax(-1).detach().requires_grad_()
    targets = tenon.tensor([[1, 1]])
    assert F.ctc_loss(logs, targets, [2], [2]).item() == math.inf
    loss = F.ctc_loss(logs, targets, [2], [2], zero_infinity=True)
    assert loss.item() == 0
    loss.backward()
    assert logs.grad.abs().sum().item() == 0


@pytest.mark.parametrize("reduction", ["none", "mean", "sum"])
def test_gradients_are_those_of_differences(reduction):
    targets = tenon.tensor([[1, 2, 2], [3, 1, 1]])

    def loss(logits):
        return F.ctc_loss(logits.log_softmax(-1), targets, [5, 4], [3, 1], reduction=reduction)

    logits = frames(5, 2, 4).requires_grad_()
    assert gradcheck(loss, (logits,))
    assert gradcheck(loss, (logits,), check_forward_ad=True)


def test_lengths_are_numbers_or_tensors_and_targets_may_be_joined():
    logs = frames(5, 2, 4).log_softmax(-1)
    lengths, counts = [5, 4], [2, 1]
    plain = F.ctc_loss(logs, tenon.tensor([[1, 2], [3, 0]]), lengths, counts, reduction="none")
    joined = tenon.tensor([1, 2, 3])
    tensors = tenon.tensor(lengths), tenon.tensor(counts)
    module = nn.CTCLoss(reduction="none")
    assert module(logs, joined, *tensors).tolist() == plain.tolist()
    alone = F.ctc_loss(logs[:, 0], joined[:2], [5], [2], reduction="none")
    assert alone.shape == () and alone.item() == plain[0].item()


@pytest.mark.parametrize(
    ("change", "says"),
    [
        ({"input_lengths": [6]}, r"input_lengths must be in \[0, 5\]"),
        ({"target_lengths": [3]}, "target_lengths must be in"),
        ({"blank": 4}, r"blank must be in \[0, 3\]"),
        ({"reduction": "all"}, "reduction must be"),
        ({"targets": [[1, 9]]}, r"targets must be in \[0, 3\], got 9"),
    ],
)
def test_arguments_that_are_refused(change, says):
    given = {"targets": [[1, 2]], "input_lengths": [5], "target_lengths": [2], **change}
    given["targets"] = tenon.tensor(given["targets"])
    with pytest.raises(tenon.Error, match=says):
        F.ctc_loss(frames(5, 1, 4).log_softmax(-1), **given)
