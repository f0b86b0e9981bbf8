# SPDX-License-Identifier: Apache-2.0
"""Adaptive softmax (Grave et al., 2017): rare classes in clusters with smaller projections."""

from __future__ import annotations

from collections import namedtuple
from itertools import pairwise

from ..._tenon import Tensor
from ...error import InvalidArgumentError
from ...functional import cat
from .. import functional as F
from .container import ModuleList, Sequential
from .linear import Linear
from .module import Module

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

_ASMoutput = namedtuple("_ASMoutput", ["output", "loss"])


class AdaptiveLogSoftmaxWithLoss(Module):
    """A linear layer and log softmax over many classes, sorted from frequent to rare.

    Args:
        in_features: Size of inputs.
        n_classes: Number of classes.
        cutoffs: Where clusters begin, in rising order; classes before the first are in the head.
        div_value: Each cluster's projection is this many times smaller than the one before.
        head_bias: If true, the head has a bias.
        device: Device of the parameters.
        dtype: Dtype of the parameters.
    """

    def __init__(
        self,
        in_features: int,
        n_classes: int,
        cutoffs: Sequence[int],
        div_value: float = 4.0,
        head_bias: bool = False,
        device: Any = None,
        dtype: Any = None,
    ) -> None:
        """Creates the head and the clusters."""
        super().__init__()
        cuts = list(cutoffs)
        if not cuts or cuts != sorted({*cuts}) or cuts[0] <= 0 or cuts[-1] >= n_classes:
            raise InvalidArgumentError(
                "AdaptiveLogSoftmaxWithLoss: cutoffs must be integers from 1 to n_classes - 1 in "
                f"rising order, got {cuts}"
            )
        options = {"device": device, "dtype": dtype}
        self.in_features, self.n_classes = in_features, n_classes
        self.cutoffs = [*cuts, n_classes]
        self.div_value, self.head_bias = div_value, head_bias
        self.shortlist_size = cuts[0]
        self.n_clusters = len(cuts)
        self.head_size = self.shortlist_size + self.n_clusters
        self.head = Linear(in_features, self.head_size, bias=head_bias, **options)
        self.tail = ModuleList()
        for number, (low, high) in enumerate(pairwise(self.cutoffs)):
            size = int(in_features // (div_value ** (number + 1)))
            first = Linear(in_features, size, bias=False, **options)
            self.tail.append(Sequential(first, Linear(size, high - low, bias=False, **options)))

    def reset_parameters(self) -> None:
        """Initializes the parameters again."""
        self.head.reset_parameters()
        for first, second in self.tail:
            first.reset_parameters()
            second.reset_parameters()

    def forward(self, input_: Tensor, target_: Tensor) -> _ASMoutput:
        """Returns the log probabilities of the targets, and their negative mean.

        Args:
            input_: Tensor of shape (N, in_features), or (in_features,).
            target_: Classes of shape (N,), or ().
        """
        if target_.ndim > 1 or input_.ndim != target_.ndim + 1:
            raise InvalidArgumentError(
                "AdaptiveLogSoftmaxWithLoss: target must have 0 or 1 dims, one less than the "
                f"input, got {target_.ndim} and {input_.ndim}"
            )
        batched = target_.ndim == 1
        input = input_ if batched else input_.unsqueeze(0)
        target = target_ if batched else target_.unsqueeze(0)
        if not bool(((target >= 0) & (target < self.n_classes)).all()):
            raise InvalidArgumentError(
                "AdaptiveLogSoftmaxWithLoss: target must be classes from 0 to "
                f"{self.n_classes - 1}, got others"
            )
        output, in_head = input.new_zeros(target.shape), target.clone()
        for number, (low, high) in enumerate(pairwise(self.cutoffs)):
            rows = ((target >= low) & (target < high)).nonzero().squeeze(1)
            if rows.numel() == 0:
                continue
            logs = F.log_softmax(self.tail[number](input.index_select(0, rows)), 1)
            own = logs.gather(1, (target[rows] - low).unsqueeze(1)).squeeze(1)
            output = output.index_copy(0, rows, own)
            in_head = in_head.index_fill(0, rows, self.shortlist_size + number)
        logs = F.log_softmax(self.head(input), 1)
        output = output + logs.gather(1, in_head.unsqueeze(1)).squeeze(1)
        loss = (-output).mean()
        return _ASMoutput(output if batched else output.squeeze(0), loss)

    def log_prob(self, input: Tensor) -> Tensor:
        """Returns the log probabilities of all classes, (N, n_classes), for inputs of (N, ...)."""
        logs = F.log_softmax(self.head(input), 1)
        parts = [logs[:, : self.shortlist_size]]
        for number in range(self.n_clusters):
            of_cluster = logs[:, self.shortlist_size + number].unsqueeze(1)
            parts.append(F.log_softmax(self.tail[number](input), 1) + of_cluster)
        return cat(parts, 1)

    def predict(self, input: Tensor) -> Tensor:
        """Returns the most likely classes, (N,)."""
        found = self.head(input).argmax(1)
        rare = found >= self.shortlist_size
        if bool(rare.any()):
            found[rare] = self.log_prob(input[rare]).argmax(1)
        return found


__all__ = ["AdaptiveLogSoftmaxWithLoss"]
