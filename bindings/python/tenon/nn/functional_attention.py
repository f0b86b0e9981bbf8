# SPDX-License-Identifier: Apache-2.0
"""Attention of several heads as a function."""

from __future__ import annotations

import math

from .. import functional as _operators
from .._tenon import Tensor
from ..error import InvalidArgumentError, NotSupportedError
from ..overridable import overridable

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


def _as_added(mask: Tensor | None, like: Tensor) -> Tensor | None:
    """Returns a mask as numbers to add to scores: minus infinity for True."""
    if mask is None or mask.dtype.is_floating_point:
        return mask
    from ..factories import zeros

    nothing = zeros(mask.shape, dtype=like.dtype, device=like.device)
    return nothing.masked_fill(mask, -math.inf)


def _projected(
    query: Tensor, key: Tensor, value: Tensor, weights: Any, bias: Tensor | None
) -> list[Tensor]:
    """Projects query, key and value by one packed weight matrix, or by one weight each."""
    size = query.shape[-1]
    if isinstance(weights, Tensor):
        weights = list(weights.chunk(3, 0))
    biases = [None] * 3 if bias is None else list(bias.chunk(3, 0))
    for name, tensor, weight in zip(
        ("query", "key", "value"), (query, key, value), weights, strict=True
    ):
        if tensor.shape[-1] != weight.shape[1]:
            raise InvalidArgumentError(
                f"multi_head_attention_forward: {name} must be of {weight.shape[1]} features, "
                f"got shape {tuple(tensor.shape)} for a query of {size}"
            )
    return [
        _operators.linear(tensor, weight, bias)
        for tensor, weight, bias in zip((query, key, value), weights, biases, strict=True)
    ]


def _heads(tensor: Tensor, heads: int) -> Tensor:
    """Reshapes (L, N, features) to (N, heads, L, features per head)."""
    length, batch, features = tensor.shape
    return tensor.reshape((length, batch, heads, features // heads)).permute((1, 2, 0, 3))


def _joined_masks(
    mask: Tensor | None, padding: Tensor | None, batch: int, heads: int, like: Tensor
) -> Tensor | None:
    mask, padding = _as_added(mask, like), _as_added(padding, like)
    if mask is not None:
        if mask.ndim == 2:
            mask = mask.reshape((1, 1, *mask.shape))
        elif mask.ndim == 3 and mask.shape[0] == batch * heads:
            mask = mask.reshape((batch, heads, *mask.shape[1:]))
        else:
            raise InvalidArgumentError(
                "multi_head_attention_forward: attn_mask must have 2 dims, or 3 dims with a "
                f"first size of {batch * heads}, got shape {tuple(mask.shape)}"
            )
    if padding is None:
        return mask
    padding = padding.reshape((batch, 1, 1, padding.shape[-1]))
    return padding if mask is None else mask + padding


@overridable
def multi_head_attention_forward(
    query: Tensor,
    key: Tensor,
    value: Tensor,
    embed_dim_to_check: int,
    num_heads: int,
    in_proj_weight: Tensor | None,
    in_proj_bias: Tensor | None,
    bias_k: Tensor | None,
    bias_v: Tensor | None,
    add_zero_attn: bool,
    dropout_p: float,
    out_proj_weight: Tensor,
    out_proj_bias: Tensor | None,
    training: bool = True,
    key_padding_mask: Tensor | None = None,
    need_weights: bool = True,
    attn_mask: Tensor | None = None,
    use_separate_proj_weight: bool = False,
    q_proj_weight: Tensor | None = None,
    k_proj_weight: Tensor | None = None,
    v_proj_weight: Tensor | None = None,
    static_k: Tensor | None = None,
    static_v: Tensor | None = None,
    average_attn_weights: bool = True,
    is_causal: bool = False,
) -> tuple[Tensor, Tensor | None]:
    """Computes multi-head attention; returns the output and the attention weights.

    Args:
        query: Tensor of shape (L, N, features), or (L, features) without a batch.
        key: Tensor of shape (S, N, features of keys).
        value: Tensor of shape (S, N, features of values).
        embed_dim_to_check: Expected number of features of a query.
        num_heads: Number of heads; must divide the number of features.
        in_proj_weight: Packed input projection, (3 * features, features).
        in_proj_bias: Bias of the input projection, (3 * features,).
        bias_k: One more key, appended to the projected keys.
        bias_v: Its value.
        add_zero_attn: If true, appends one more key and value of zeros.
        dropout_p: Dropout probability of the attention weights in training.
        out_proj_weight: Weight of the output projection.
        out_proj_bias: Bias of the output projection.
        training: If true, applies dropout.
        key_padding_mask: Tensor of shape (N, S): True for padding keys; or numbers to add.
        need_weights: If true, also returns the attention weights.
        attn_mask: Tensor of shape (L, S) or (N * heads, L, S): True where attention is not
            allowed; or numbers to add.
        use_separate_proj_weight: If true, uses the next three weights, not `in_proj_weight`.
        q_proj_weight: Projection of queries.
        k_proj_weight: Projection of keys.
        v_proj_weight: Projection of values.
        static_k: Not supported.
        static_v: Not supported.
        average_attn_weights: If true, averages the returned weights over the heads.
        is_causal: A hint that `attn_mask` hides later keys; the mask must be given.
    """
    name = "multi_head_attention_forward"
    if static_k is not None or static_v is not None:
        raise NotSupportedError(f"{name}: static_k and static_v must be left out, got a tensor")
    if is_causal and attn_mask is None:
        raise InvalidArgumentError(f"{name}: attn_mask must be given with is_causal, got None")
    batched = query.ndim == 3
    if not batched:
        query, key, value = query.unsqueeze(1), key.unsqueeze(1), value.unsqueeze(1)
        if key_padding_mask is not None:
            key_padding_mask = key_padding_mask.unsqueeze(0)
    length, batch, features = query.shape
    if features != embed_dim_to_check or features % num_heads != 0:
        raise InvalidArgumentError(
            f"{name}: query must have {embed_dim_to_check} features, which num_heads divides, "
            f"got {features} and {num_heads}"
        )
    separate = (q_proj_weight, k_proj_weight, v_proj_weight)
    weights = separate if use_separate_proj_weight else in_proj_weight
    query, key, value = _projected(query, key, value, weights, in_proj_bias)
    more = 0
    if bias_k is not None and bias_v is not None:
        key = _operators.cat([key, bias_k.expand((1, batch, features))])
        value = _operators.cat([value, bias_v.expand((1, batch, features))])
        more += 1
    if add_zero_attn:
        key = _operators.cat([key, key.new_zeros((1, batch, features))])
        value = _operators.cat([value, value.new_zeros((1, batch, features))])
        more += 1
    if more:
        attn_mask = None if attn_mask is None else _operators.pad(attn_mask, [0, more])
        if key_padding_mask is not None:
            key_padding_mask = _operators.pad(key_padding_mask, [0, more])
    mask = _joined_masks(attn_mask, key_padding_mask, batch, num_heads, query)
    queries, keys, values = (_heads(one, num_heads) for one in (query, key, value))
    dropout = dropout_p if training else 0.0
    if need_weights:
        scores = queries * (1 / math.sqrt(features // num_heads)) @ keys.transpose(-2, -1)
        shares = _operators.softmax(scores if mask is None else scores + mask, -1)
        if dropout > 0:
            shares = _operators.dropout(shares, dropout, True)
        found = shares @ values
    else:
        found = _operators.scaled_dot_product_attention(queries, keys, values, mask, dropout)
        shares = None
    found = found.permute((2, 0, 1, 3)).reshape((length, batch, features))
    result = _operators.linear(found, out_proj_weight, out_proj_bias)
    if shares is not None and average_attn_weights:
        shares = shares.mean(1)
    if not batched:
        result = result.squeeze(1)
        shares = None if shares is None else shares.squeeze(0)
    return result, shares


__all__ = ["multi_head_attention_forward"]
