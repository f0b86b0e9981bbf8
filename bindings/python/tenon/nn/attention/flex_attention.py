# SPDX-License-Identifier: Apache-2.0
"""Attention whose scores and mask are functions of batch, head, query and key."""

from __future__ import annotations

import math

from ...error import InvalidArgumentError
from ...factories import arange, ones, tensor
from ...func import vmap
from ...functional import where

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from ..._tenon import Tensor


def noop_mask(batch: Tensor, head: Tensor, token_q: Tensor, token_kv: Tensor) -> Tensor:
    """A mask that allows everything."""
    return batch.new_ones((), dtype=tensor(True).dtype)


def and_masks(*mask_mods: Callable[..., Tensor]) -> Callable[..., Tensor]:
    """Returns a mask that allows what all given masks allow."""

    def mask(b: Tensor, h: Tensor, q: Tensor, kv: Tensor) -> Tensor:
        result = mask_mods[0](b, h, q, kv)
        for one in mask_mods[1:]:
            result = result & one(b, h, q, kv)
        return result

    return mask


def or_masks(*mask_mods: Callable[..., Tensor]) -> Callable[..., Tensor]:
    """Returns a mask that allows what at least one given mask allows."""

    def mask(b: Tensor, h: Tensor, q: Tensor, kv: Tensor) -> Tensor:
        result = mask_mods[0](b, h, q, kv)
        for one in mask_mods[1:]:
            result = result | one(b, h, q, kv)
        return result

    return mask


def _over_all(function: Any) -> Any:
    """Maps a function of (b, h, q, kv) over all of them."""
    for dims in ((None, None, None, 0), (None, None, 0, None), (None, 0, None, None)):
        function = vmap(function, in_dims=dims)
    return vmap(function, in_dims=(0, None, None, None))


def create_mask(
    mod_fn: Callable[..., Tensor],
    B: int | None,
    H: int | None,
    Q_LEN: int,
    KV_LEN: int,
    device: Any = None,
    *,
    separate_full_blocks: bool = True,
) -> Tensor:
    """Returns what a mask function allows, as bools of shape (B, H, Q_LEN, KV_LEN)."""
    sizes = (B or 1, H or 1, Q_LEN, KV_LEN)
    places = [arange(size, device=device) for size in sizes]
    found = _over_all(mod_fn)(*places)
    return found.expand(sizes) if found.ndim else ones(sizes, device=device).bool() & found


class BlockMask:
    """A mask as a function and its values; nothing is left out of the computation by blocks.

    Attributes:
        mask_mod: The function of batch, head, query and key.
        shape: (batch, heads, queries, keys).
    """

    def __init__(self, mask: Tensor, mask_mod: Callable[..., Tensor], block: Any) -> None:
        """Stores the mask."""
        self._mask, self.mask_mod = mask, mask_mod
        self.BLOCK_SIZE = (block, block) if isinstance(block, int) else tuple(block)
        self.shape = mask.shape
        self.seq_lengths = (mask.shape[-2], mask.shape[-1])

    def to(self, device: Any) -> BlockMask:
        """Returns the mask on a device."""
        return BlockMask(self._mask.to(device), self.mask_mod, self.BLOCK_SIZE)

    def numel(self) -> int:
        """Returns the number of elements."""
        return math.prod(self.shape)

    def sparsity(self) -> float:
        """Returns the percentage of blocks in which nothing is allowed."""
        blocks = self.to_dense()
        return 100 * (1 - blocks.sum().item() / blocks.numel())

    def to_dense(self) -> Tensor:
        """Returns for each block 1 if it allows something."""
        from ..functional import pad

        rows, columns = self.BLOCK_SIZE
        mask = self._mask.float()
        more = [-mask.shape[-1] % columns, -mask.shape[-2] % rows]
        mask = pad(mask, [0, more[0], 0, more[1]])
        mask = mask.unflatten(-1, (-1, columns)).unflatten(-3, (-1, rows))
        return mask.amax((-1, -3)).int()

    def __repr__(self) -> str:
        return f"BlockMask(shape={tuple(self.shape)}, sparsity={self.sparsity():.2f}%)"


def create_block_mask(
    mask_mod: Callable[..., Tensor],
    B: int | None,
    H: int | None,
    Q_LEN: int,
    KV_LEN: int,
    device: Any = None,
    BLOCK_SIZE: Any = 128,
    **kwargs: Any,
) -> BlockMask:
    """Returns a mask function with its values; options of compilers have no effect."""
    mask = create_mask(mask_mod, B, H, Q_LEN, KV_LEN, device)
    return BlockMask(mask, mask_mod, BLOCK_SIZE)


def flex_attention(
    query: Tensor,
    key: Tensor,
    value: Tensor,
    score_mod: Callable[..., Tensor] | None = None,
    block_mask: BlockMask | None = None,
    scale: float | None = None,
    enable_gqa: bool = False,
    return_lse: bool = False,
    kernel_options: Any = None,
) -> Any:
    """Computes attention with custom scores.

    Args:
        query: Tensor of shape (batch, heads, queries, features).
        key: Tensor of shape (batch, heads, keys, features).
        value: Tensor of shape (batch, heads, keys, features of values).
        score_mod: Returns the new score of (score, batch, head, query, key), each a 0-dim tensor.
        block_mask: The mask; None allows all.
        scale: Factor of the products, by default 1 / sqrt(features).
        enable_gqa: If true, keys and values may have fewer heads, which divide the queries'.
        return_lse: If true, also returns the logarithms of the sums of exponentials.
        kernel_options: Has no effect.
    """
    if query.shape[1] != key.shape[1]:
        if not enable_gqa or query.shape[1] % key.shape[1] != 0:
            raise InvalidArgumentError(
                f"flex_attention: key must have {query.shape[1]} heads, got {key.shape[1]}"
            )
        times = query.shape[1] // key.shape[1]
        key, value = (one.repeat_interleave(times, 1) for one in (key, value))
    factor = 1 / math.sqrt(query.shape[-1]) if scale is None else scale
    scores = (query @ key.transpose(-2, -1)).float() * factor
    if score_mod is not None:
        places = [arange(size, device=query.device) for size in scores.shape]
        scores = _over_scores(score_mod)(scores, *places)
    if block_mask is not None:
        lengths = (query.shape[-2], key.shape[-2])
        mask = block_mask._mask[..., : lengths[0], : lengths[1]]
        scores = where(mask, scores, tensor(-math.inf, device=scores.device))
    sums = scores.logsumexp(-1)
    shares = where(sums.unsqueeze(-1) == -math.inf, scores * 0, (scores - sums.unsqueeze(-1)).exp())
    shares = shares.nan_to_num(0.0) if block_mask is not None else shares
    result = shares.to(query.dtype) @ value
    return (result, sums) if return_lse else result


def _over_scores(score_mod: Any) -> Any:
    """Maps a function of (score, b, h, q, kv) over a tensor of scores."""
    function = vmap(score_mod, in_dims=(0, None, None, None, 0))
    function = vmap(function, in_dims=(0, None, None, 0, None))
    function = vmap(function, in_dims=(0, None, 0, None, None))
    return vmap(function, in_dims=(0, 0, None, None, None))


__all__ = [
    "BlockMask",
    "and_masks",
    "create_block_mask",
    "create_mask",
    "flex_attention",
    "noop_mask",
    "or_masks",
]
