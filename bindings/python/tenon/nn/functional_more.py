# SPDX-License-Identifier: Apache-2.0
"""Functions that are a few lines over operators: activations, p-norm pooling, Gumbel's softmax."""

from __future__ import annotations

from .. import functional as _operators
from .._tenon import Tensor
from ..error import InvalidArgumentError
from ..factories import empty_like, zeros_like
from ..ops import _packet
from ..overridable import overridable
from . import functional_image as _image
from .functional_image import avg_pool1d, avg_pool2d, interpolate
from .functional_layer import logsigmoid

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

celu_ = _packet("aten::celu_")
elu_ = _packet("aten::elu_")
hardtanh_ = _packet("aten::hardtanh_")
leaky_relu_ = _packet("aten::leaky_relu_")
relu_ = _packet("aten::relu_")
rrelu_ = _packet("aten::rrelu_")
selu_ = _packet("aten::selu_")
pdist = _packet("aten::pdist")


@overridable
def softsign(input: Tensor) -> Tensor:
    """Returns x / (1 + |x|) of each element."""
    return input / (input.abs() + 1)


@overridable
def tanhshrink(input: Tensor) -> Tensor:
    """Returns x - tanh(x) of each element."""
    return input - input.tanh()


@overridable
def threshold(input: Tensor, threshold: float, value: float, inplace: bool = False) -> Tensor:
    """Replaces elements that are not above a threshold by a value."""
    from ..compositions import threshold as apart
    from ..compositions import threshold_ as within

    return (within if inplace else apart)(input, threshold, value)


@overridable
def threshold_(input: Tensor, threshold: float, value: float) -> Tensor:
    """Writes a value in place of the elements that are not above a threshold."""
    return input.masked_fill_(input <= threshold, value)


@overridable
def gumbel_softmax(
    logits: Tensor, tau: float = 1, hard: bool = False, eps: float = 1e-10, dim: int = -1
) -> Tensor:
    """Returns samples of the Gumbel-softmax distribution (Jang et al., 2017).

    Args:
        logits: Logarithms of probabilities, up to a constant.
        tau: The temperature.
        hard: If true, samples are one-hot, with the gradients of soft samples.
        eps: Has no effect.
        dim: Dim of the classes.
    """
    noise = -empty_like(logits).detach().exponential_().log()
    soft = ((logits + noise) / tau).softmax(dim)
    if not hard:
        return soft
    index = soft.max(dim, keepdim=True)[1]
    return zeros_like(logits).detach().scatter_(dim, index, 1.0) - soft.detach() + soft


def _lp_pool(pool: Any, input: Tensor, norm_type: float, size: Any, stride: Any, ceil: bool) -> Any:
    count = size if isinstance(size, int) else 1
    if not isinstance(size, int):
        for one in size:
            count *= one
    elif pool is avg_pool2d:
        count = size * size
    powers = pool(input.pow(norm_type), size, stride, 0, ceil)
    return (powers.sign() * powers.abs().relu() * count).pow(1.0 / norm_type)


@overridable
def lp_pool1d(
    input: Tensor, norm_type: float, kernel_size: Any, stride: Any = None, ceil_mode: bool = False
) -> Tensor:
    """Returns the p-norm of each window of lines."""
    return _lp_pool(avg_pool1d, input, norm_type, kernel_size, stride, ceil_mode)


@overridable
def lp_pool2d(
    input: Tensor, norm_type: float, kernel_size: Any, stride: Any = None, ceil_mode: bool = False
) -> Tensor:
    """Returns the p-norm of each window of images."""
    return _lp_pool(avg_pool2d, input, norm_type, kernel_size, stride, ceil_mode)


def _reduced(function: str, loss: Tensor, reduction: str) -> Tensor:
    if reduction not in ("none", "mean", "sum"):
        raise InvalidArgumentError(
            f"{function}: reduction must be 'none', 'mean' or 'sum', got {reduction!r}"
        )
    return loss if reduction == "none" else getattr(loss, reduction)()


@overridable
def multilabel_soft_margin_loss(
    input: Tensor,
    target: Tensor,
    weight: Tensor | None = None,
    size_average: bool | None = None,
    reduce: bool | None = None,
    reduction: str = "mean",
) -> Tensor:
    """Returns the mean over classes of the binary cross entropy of logits."""
    if size_average is not None or reduce is not None:
        from .old_reduction import reduction_of

        reduction = reduction_of(size_average, reduce)
    loss = -(target * logsigmoid(input) + (1 - target) * logsigmoid(-input))
    if weight is not None:
        loss = loss * weight
    return _reduced("multilabel_soft_margin_loss", loss.sum(-1) / input.shape[-1], reduction)


@overridable
def triplet_margin_with_distance_loss(
    anchor: Tensor,
    positive: Tensor,
    negative: Tensor,
    *,
    distance_function: Any = None,
    margin: float = 1.0,
    swap: bool = False,
    reduction: str = "mean",
) -> Tensor:
    """Returns by how much anchors are not nearer to positives than to negatives."""
    far = _operators.pairwise_distance if distance_function is None else distance_function
    to_positive, to_negative = far(anchor, positive), far(anchor, negative)
    if swap:
        to_negative = _operators.minimum(to_negative, far(positive, negative))
    loss = (margin + to_positive - to_negative).clamp(min=0)
    return _reduced("triplet_margin_with_distance_loss", loss, reduction)


@overridable
def upsample(
    input: Tensor,
    size: Any = None,
    scale_factor: Any = None,
    mode: str = "nearest",
    align_corners: bool | None = None,
) -> Tensor:
    """Calls `interpolate`; the deprecated name."""
    options = {} if align_corners is None else {"align_corners": align_corners}
    return interpolate(input, size, scale_factor, mode, **options)


@overridable
def upsample_nearest(input: Tensor, size: Any = None, scale_factor: Any = None) -> Tensor:
    """Returns nearest neighbours in another size."""
    return upsample(input, size, scale_factor, "nearest")


@overridable
def upsample_bilinear(input: Tensor, size: Any = None, scale_factor: Any = None) -> Tensor:
    """Returns bilinear interpolation in another size, corners on corners."""
    return upsample(input, size, scale_factor, "bilinear", True)


def _with_indices(name: str) -> Any:
    def pool(input: Tensor, *args: Any, **kwargs: Any) -> tuple[Tensor, Tensor]:
        kwargs["return_indices"] = True
        return getattr(_image, name)(input, *args, **kwargs)

    pool.__name__ = pool.__qualname__ = f"{name}_with_indices"
    pool.__doc__ = f"Returns what {name} does, and the indices of the largest elements."
    return overridable(pool)


_POOLS = tuple(f"{kind}max_pool{n}d" for kind in ("", "adaptive_") for n in (1, 2, 3))
globals().update({f"{_name}_with_indices": _with_indices(_name) for _name in _POOLS})

__all__ = [
    *(f"{_name}_with_indices" for _name in _POOLS),
    "celu_",
    "elu_",
    "gumbel_softmax",
    "hardtanh_",
    "leaky_relu_",
    "lp_pool1d",
    "lp_pool2d",
    "multilabel_soft_margin_loss",
    "pdist",
    "relu_",
    "rrelu_",
    "selu_",
    "softsign",
    "tanhshrink",
    "threshold",
    "threshold_",
    "triplet_margin_with_distance_loss",
    "upsample",
    "upsample_bilinear",
    "upsample_nearest",
]
