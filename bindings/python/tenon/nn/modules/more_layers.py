# SPDX-License-Identifier: Apache-2.0
"""Layers that are one function: distances, shrinkage, folds, shuffles and other activations."""

from __future__ import annotations

from ..._tenon import Tensor
from .. import functional as F
from .module import Module

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


class _Options(Module):
    """A layer whose options are attributes in the order of `_names`; subclasses define forward."""

    _names: tuple[str, ...] = ()
    _defaults: tuple[object, ...] = ()

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        """Stores the options."""
        super().__init__()
        names, name = self._names, type(self).__name__
        if len(args) > len(names):
            raise TypeError(f"{name}: arguments must be at most {len(names)}, got {len(args)}")
        given = dict(zip(names, args, strict=False))
        for key, value in kwargs.items():
            if key not in names or key in given:
                raise TypeError(f"{name}: {key} must be one of {names}, and given once")
            given[key] = value
        first = len(names) - len(self._defaults)
        for place, key in enumerate(names):
            if key not in given and place < first:
                raise TypeError(f"{name}: {key} must be given, got none")
            setattr(self, key, given[key] if key in given else self._defaults[place - first])

    def extra_repr(self) -> str:
        """Returns the options as text."""
        return ", ".join(f"{name}={getattr(self, name)}" for name in self._names)


class CELU(_Options):
    """max(0, x) + min(0, alpha * (exp(x / alpha) - 1)) of each element."""

    _names, _defaults = ("alpha", "inplace"), (1.0, False)
    alpha: float
    inplace: bool

    def forward(self, input: Tensor) -> Tensor:
        """Returns a tensor of the same shape."""
        return F.celu(input, self.alpha, self.inplace)

    def extra_repr(self) -> str:
        """Returns the options as text."""
        return f"alpha={self.alpha}" + (", inplace=True" if self.inplace else "")


class Hardshrink(_Options):
    """Hard shrinkage: each element, or 0 if its absolute value is at most lambd."""

    _names, _defaults = ("lambd",), (0.5,)
    lambd: float

    def forward(self, input: Tensor) -> Tensor:
        """Returns a tensor of the same shape."""
        return F.hardshrink(input, self.lambd)

    def extra_repr(self) -> str:
        """Returns the bound as text."""
        return f"{self.lambd}"


class Softshrink(Hardshrink):
    """Soft shrinkage: each element moved towards 0 by lambd, at most to 0."""

    def forward(self, input: Tensor) -> Tensor:
        """Returns a tensor of the same shape."""
        return F.softshrink(input, self.lambd)


class Softsign(Module):
    """x / (1 + |x|) of each element."""

    def forward(self, input: Tensor) -> Tensor:
        """Returns a tensor of the same shape."""
        return F.softsign(input)


class Tanhshrink(Module):
    """x - tanh(x) of each element."""

    def forward(self, input: Tensor) -> Tensor:
        """Returns a tensor of the same shape."""
        return F.tanhshrink(input)


class Threshold(_Options):
    """Replaces elements that are not above a threshold by a value."""

    _names, _defaults = ("threshold", "value", "inplace"), (False,)
    threshold: float
    value: float
    inplace: bool

    def forward(self, input: Tensor) -> Tensor:
        """Returns a tensor of the same shape."""
        return F.threshold(input, self.threshold, self.value, self.inplace)

    def extra_repr(self) -> str:
        """Returns the options as text."""
        text = f"threshold={self.threshold}, value={self.value}"
        return f"{text}, inplace=True" if self.inplace else text


class Softmax2d(Module):
    """The softmax over the channels of images."""

    def forward(self, input: Tensor) -> Tensor:
        """Returns a tensor of the same shape, (N, C, H, W) or (C, H, W)."""
        return F.softmax(input, -3)


class CosineSimilarity(_Options):
    """The cosine of the angle between vectors along a dim."""

    _names, _defaults = ("dim", "eps"), (1, 1e-8)
    dim: int
    eps: float

    def forward(self, x1: Tensor, x2: Tensor) -> Tensor:
        """Returns a tensor without the dim."""
        return F.cosine_similarity(x1, x2, self.dim, self.eps)

    extra_repr = Module.extra_repr


class PairwiseDistance(_Options):
    """The p-norm of the difference of vectors."""

    _names, _defaults = ("p", "eps", "keepdim"), (2.0, 1e-6, False)
    p: float
    eps: float
    keepdim: bool

    def forward(self, x1: Tensor, x2: Tensor) -> Tensor:
        """Returns a tensor without the last dim."""
        return F.pairwise_distance(x1, x2, self.p, self.eps, self.keepdim)

    extra_repr = Module.extra_repr


class Unfold(_Options):
    """Extracts sliding windows as columns; see F.unfold."""

    _names = ("kernel_size", "dilation", "padding", "stride")
    _defaults = (1, 0, 1)
    kernel_size: Any
    dilation: Any
    padding: Any
    stride: Any

    def forward(self, input: Tensor) -> Tensor:
        """Returns the columns of a tensor (N, C, H, W)."""
        return F.unfold(input, self.kernel_size, self.dilation, self.padding, self.stride)


class Fold(_Options):
    """Sums columns into images; see F.fold."""

    _names = ("output_size", "kernel_size", "dilation", "padding", "stride")
    _defaults = (1, 0, 1)
    output_size: Any
    kernel_size: Any
    dilation: Any
    padding: Any
    stride: Any

    def forward(self, input: Tensor) -> Tensor:
        """Returns images."""
        options = (self.kernel_size, self.dilation, self.padding, self.stride)
        return F.fold(input, self.output_size, *options)


class ChannelShuffle(_Options):
    """Shuffles channels: interleaves the groups."""

    _names = ("groups",)
    groups: int

    def forward(self, input: Tensor) -> Tensor:
        """Returns a tensor of the same shape."""
        return F.channel_shuffle(input, self.groups)


class LocalResponseNorm(_Options):
    """Local response normalization over neighbouring channels."""

    _names, _defaults = ("size", "alpha", "beta", "k"), (1e-4, 0.75, 1.0)
    size: int
    alpha: float
    beta: float
    k: float

    def forward(self, input: Tensor) -> Tensor:
        """Returns a tensor of the same shape."""
        return F.local_response_norm(input, self.size, self.alpha, self.beta, self.k)

    def extra_repr(self) -> str:
        """Returns the options as text."""
        return f"{self.size}, alpha={self.alpha}, beta={self.beta}, k={self.k}"


class _LPPool(_Options):
    _names = ("norm_type", "kernel_size", "stride", "ceil_mode")
    _defaults = (None, False)
    _function: Any
    norm_type: float
    kernel_size: Any
    stride: Any
    ceil_mode: bool

    def forward(self, input: Tensor) -> Tensor:
        """Returns the p-norm of each window."""
        options = (self.norm_type, self.kernel_size, self.stride, self.ceil_mode)
        return type(self)._function(input, *options)


class LPPool1d(_LPPool):
    """The p-norm of each window of lines."""

    _function = staticmethod(F.lp_pool1d)


class LPPool2d(_LPPool):
    """The p-norm of each window of images."""

    _function = staticmethod(F.lp_pool2d)


class Unflatten(_Options):
    """Splits one dim into several."""

    _names = ("dim", "unflattened_size")
    dim: int
    unflattened_size: Any

    def forward(self, input: Tensor) -> Tensor:
        """Returns the tensor with the dim in its parts."""
        return input.unflatten(self.dim, tuple(self.unflattened_size))


class Bilinear(Module):
    """y = x1 @ A @ x2 + b for each output.

    Args:
        in1_features: Number of features of the first input.
        in2_features: Number of features of the second input.
        out_features: Number of features of the output.
        bias: If true, adds a bias.
        device: Device of the parameters.
        dtype: Dtype of the parameters.
    """

    def __init__(
        self,
        in1_features: int,
        in2_features: int,
        out_features: int,
        bias: bool = True,
        device: Any = None,
        dtype: Any = None,
    ) -> None:
        """Creates the parameters."""
        from ...factories import empty
        from ..parameter import Parameter

        super().__init__()
        self.in1_features, self.in2_features = in1_features, in2_features
        self.out_features = out_features
        options = {"device": device, "dtype": dtype}
        options = {name: value for name, value in options.items() if value is not None}
        self.weight = Parameter(empty(out_features, in1_features, in2_features, **options))
        self.register_parameter("bias", Parameter(empty(out_features, **options)) if bias else None)
        self.reset_parameters()

    def reset_parameters(self) -> None:
        """Initializes the parameters uniformly within 1 / sqrt(in1_features)."""
        from .. import init

        bound = 1 / self.in1_features**0.5
        init.uniform_(self.weight, -bound, bound)
        if self.bias is not None:
            init.uniform_(self.bias, -bound, bound)

    def forward(self, input1: Tensor, input2: Tensor) -> Tensor:
        """Returns a tensor (..., out_features)."""
        return F.bilinear(input1, input2, self.weight, self.bias)

    def extra_repr(self) -> str:
        """Returns the sizes as text."""
        return (
            f"in1_features={self.in1_features}, in2_features={self.in2_features}, "
            f"out_features={self.out_features}, bias={self.bias is not None}"
        )


class MultiLabelSoftMarginLoss(Module):
    """The mean over classes of the binary cross entropy of logits."""

    def __init__(
        self,
        weight: Tensor | None = None,
        size_average: bool | None = None,
        reduce: bool | None = None,
        reduction: str = "mean",
    ) -> None:
        """Stores the options."""
        from ..old_reduction import reduction_of

        super().__init__()
        self.register_buffer("weight", weight)
        is_old = size_average is not None or reduce is not None
        self.reduction = reduction_of(size_average, reduce) if is_old else reduction

    def forward(self, input: Tensor, target: Tensor) -> Tensor:
        """Returns the loss of inputs and targets (N, C)."""
        return F.multilabel_soft_margin_loss(input, target, self.weight, reduction=self.reduction)


class TripletMarginWithDistanceLoss(Module):
    """By how much anchors are not nearer to positives than to negatives, by a given distance."""

    def __init__(
        self,
        *,
        distance_function: Any = None,
        margin: float = 1.0,
        swap: bool = False,
        reduction: str = "mean",
    ) -> None:
        """Stores the options."""
        super().__init__()
        self.distance_function = (
            PairwiseDistance() if distance_function is None else distance_function
        )
        self.margin, self.swap, self.reduction = margin, swap, reduction

    def forward(self, anchor: Tensor, positive: Tensor, negative: Tensor) -> Tensor:
        """Returns the loss."""
        return F.triplet_margin_with_distance_loss(
            *(anchor, positive, negative),
            distance_function=self.distance_function,
            margin=self.margin,
            swap=self.swap,
            reduction=self.reduction,
        )


__all__ = [
    "CELU",
    "Bilinear",
    "ChannelShuffle",
    "CosineSimilarity",
    "Fold",
    "Hardshrink",
    "LPPool1d",
    "LPPool2d",
    "LocalResponseNorm",
    "MultiLabelSoftMarginLoss",
    "PairwiseDistance",
    "Softmax2d",
    "Softshrink",
    "Softsign",
    "Tanhshrink",
    "Threshold",
    "TripletMarginWithDistanceLoss",
    "Unflatten",
    "Unfold",
]
