# SPDX-License-Identifier: Apache-2.0
"""Transformer decoder layers, and the whole model of encoder and decoder (Vaswani et al., 2017)."""

from __future__ import annotations

import copy

from ..._tenon import Tensor
from ...error import InvalidArgumentError
from ...factories import full
from .. import functional as F
from .. import init
from .container import ModuleList
from .dropout import Dropout
from .linear import Linear
from .module import Module
from .normalization import LayerNorm
from .transformer import (
    MultiheadAttention,
    TransformerEncoder,
    TransformerEncoderLayer,
    _activation,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


def _generate_square_subsequent_mask(sz: int, device: Any = None, dtype: Any = None) -> Tensor:
    """Returns a mask (sz, sz) of 0, and of -inf for later elements."""
    return full((sz, sz), float("-inf"), device=device, dtype=dtype).triu(1)


def _is_causal(mask: Tensor | None, hint: bool | None, size: int) -> bool:
    """Returns the hint; without one, true for a mask of floats that hides later elements."""
    if hint is not None or mask is None:
        return bool(hint)
    causal = _generate_square_subsequent_mask(size, mask.device, mask.dtype)
    return mask.shape == causal.shape and bool((mask == causal).all())


class TransformerDecoderLayer(Module):
    """Self-attention, attention to a memory, then two linear layers, each with a residual.

    Args:
        d_model: Number of features.
        nhead: Number of attention heads.
        dim_feedforward: Number of features between the linear layers.
        dropout: Dropout probability in training.
        activation: Activation between the linear layers: "relu", "gelu" or a function.
        layer_norm_eps: Added to variances.
        batch_first: If true, tensors are (N, length, features), not (length, N, features).
        norm_first: If true, normalizes the inputs of all parts, not the sums.
        bias: If true, the layers have biases.
        device: Device of the parameters.
        dtype: Dtype of the parameters.
    """

    def __init__(
        self,
        d_model: int,
        nhead: int,
        dim_feedforward: int = 2048,
        dropout: float = 0.1,
        activation: Any = F.relu,
        layer_norm_eps: float = 1e-5,
        batch_first: bool = False,
        norm_first: bool = False,
        bias: bool = True,
        device: Any = None,
        dtype: Any = None,
    ) -> None:
        """Creates the submodules."""
        super().__init__()
        options = {"bias": bias, "device": device, "dtype": dtype}
        attention = {**options, "batch_first": batch_first}
        self.self_attn = MultiheadAttention(d_model, nhead, dropout, **attention)
        self.multihead_attn = MultiheadAttention(d_model, nhead, dropout, **attention)
        self.linear1 = Linear(d_model, dim_feedforward, **options)
        self.dropout = Dropout(dropout)
        self.linear2 = Linear(dim_feedforward, d_model, **options)
        self.norm_first = norm_first
        self.norm1 = LayerNorm(d_model, layer_norm_eps, **options)
        self.norm2 = LayerNorm(d_model, layer_norm_eps, **options)
        self.norm3 = LayerNorm(d_model, layer_norm_eps, **options)
        self.dropout1 = Dropout(dropout)
        self.dropout2 = Dropout(dropout)
        self.dropout3 = Dropout(dropout)
        self.activation = _activation(activation)

    def _sa_block(self, x: Tensor, mask: Any, padding: Any, is_causal: bool = False) -> Tensor:
        options = {"attn_mask": mask, "key_padding_mask": padding, "is_causal": is_causal}
        return self.dropout1(self.self_attn(x, x, x, need_weights=False, **options)[0])

    def _mha_block(
        self, x: Tensor, mem: Tensor, mask: Any, padding: Any, is_causal: bool = False
    ) -> Tensor:
        options = {"attn_mask": mask, "key_padding_mask": padding, "is_causal": is_causal}
        return self.dropout2(self.multihead_attn(x, mem, mem, need_weights=False, **options)[0])

    def _ff_block(self, x: Tensor) -> Tensor:
        return self.dropout3(self.linear2(self.dropout(self.activation(self.linear1(x)))))

    def forward(
        self,
        tgt: Tensor,
        memory: Tensor,
        tgt_mask: Tensor | None = None,
        memory_mask: Tensor | None = None,
        tgt_key_padding_mask: Tensor | None = None,
        memory_key_padding_mask: Tensor | None = None,
        tgt_is_causal: bool = False,
        memory_is_causal: bool = False,
    ) -> Tensor:
        """Returns a tensor of the target's shape.

        Args:
            tgt: The sequence.
            memory: The encoder's result.
            tgt_mask: Positions of the sequence that it may not attend to, (length, length).
            memory_mask: Positions of the memory that it may not attend to, (length, memory length).
            tgt_key_padding_mask: Padding of the sequence, (N, length).
            memory_key_padding_mask: Padding of the memory, (N, memory length).
            tgt_is_causal: A hint that `tgt_mask` hides later elements; the mask must be given.
            memory_is_causal: Likewise for `memory_mask`.
        """
        own = (tgt_mask, tgt_key_padding_mask, tgt_is_causal)
        other = (memory, memory_mask, memory_key_padding_mask, memory_is_causal)
        x = tgt
        if self.norm_first:
            x = x + self._sa_block(self.norm1(x), *own)
            x = x + self._mha_block(self.norm2(x), *other)
            return x + self._ff_block(self.norm3(x))
        x = self.norm1(x + self._sa_block(x, *own))
        x = self.norm2(x + self._mha_block(x, *other))
        return self.norm3(x + self._ff_block(x))


class TransformerDecoder(Module):
    """A stack of copies of a decoder layer.

    Args:
        decoder_layer: The layer.
        num_layers: Number of copies.
        norm: Module that normalizes the result; None: no normalization.
    """

    norm: Module | None

    def __init__(self, decoder_layer: Module, num_layers: int, norm: Module | None = None) -> None:
        """Makes the copies."""
        super().__init__()
        self.layers = ModuleList([copy.deepcopy(decoder_layer) for _ in range(num_layers)])
        self.num_layers = num_layers
        self.norm = norm

    def forward(
        self,
        tgt: Tensor,
        memory: Tensor,
        tgt_mask: Tensor | None = None,
        memory_mask: Tensor | None = None,
        tgt_key_padding_mask: Tensor | None = None,
        memory_key_padding_mask: Tensor | None = None,
        tgt_is_causal: bool | None = None,
        memory_is_causal: bool = False,
    ) -> Tensor:
        """Returns a tensor of the target's shape; the arguments are those of the layers."""
        batch_first = getattr(self.layers[0].self_attn, "batch_first", False) if self.layers else 0
        length = tgt.shape[1 if batch_first and tgt.ndim == 3 else 0]
        is_causal = _is_causal(tgt_mask, tgt_is_causal, length)
        masks = {
            "tgt_mask": tgt_mask,
            "memory_mask": memory_mask,
            "tgt_key_padding_mask": tgt_key_padding_mask,
            "memory_key_padding_mask": memory_key_padding_mask,
        }
        for layer in self.layers:
            hints = {"tgt_is_causal": is_causal, "memory_is_causal": memory_is_causal}
            tgt = layer(tgt, memory, **masks, **hints)
        return tgt if self.norm is None else self.norm(tgt)


class Transformer(Module):
    """An encoder, and a decoder that attends to its result.

    Args:
        d_model: Number of features.
        nhead: Number of attention heads.
        num_encoder_layers: Number of encoder layers.
        num_decoder_layers: Number of decoder layers.
        dim_feedforward: Number of features between the linear layers.
        dropout: Dropout probability in training.
        activation: "relu", "gelu" or a function.
        custom_encoder: A module instead of the encoder.
        custom_decoder: A module instead of the decoder.
        layer_norm_eps: Added to variances.
        batch_first: If true, tensors are (N, length, features), not (length, N, features).
        norm_first: If true, layers normalize the inputs of their parts, not the sums.
        bias: If true, the layers have biases.
        device: Device of the parameters.
        dtype: Dtype of the parameters.
    """

    def __init__(
        self,
        d_model: int = 512,
        nhead: int = 8,
        num_encoder_layers: int = 6,
        num_decoder_layers: int = 6,
        dim_feedforward: int = 2048,
        dropout: float = 0.1,
        activation: Any = F.relu,
        custom_encoder: Any = None,
        custom_decoder: Any = None,
        layer_norm_eps: float = 1e-5,
        batch_first: bool = False,
        norm_first: bool = False,
        bias: bool = True,
        device: Any = None,
        dtype: Any = None,
    ) -> None:
        """Creates the submodules."""
        super().__init__()
        options = {"bias": bias, "device": device, "dtype": dtype}
        layer: tuple[Any, ...] = (d_model, nhead, dim_feedforward, dropout, activation)
        layer = (*layer, layer_norm_eps, batch_first, norm_first)
        encoder, decoder = custom_encoder, custom_decoder
        if encoder is None:
            norm = LayerNorm(d_model, layer_norm_eps, **options)
            one = TransformerEncoderLayer(*layer, **options)
            encoder = TransformerEncoder(one, num_encoder_layers, norm)
        self.encoder = encoder
        if decoder is None:
            norm = LayerNorm(d_model, layer_norm_eps, **options)
            one = TransformerDecoderLayer(*layer, **options)
            decoder = TransformerDecoder(one, num_decoder_layers, norm)
        self.decoder = decoder
        self._reset_parameters()
        self.d_model, self.nhead, self.batch_first = d_model, nhead, batch_first

    def _reset_parameters(self) -> None:
        for one in self.parameters():
            if one.ndim > 1:
                init.xavier_uniform_(one)

    def forward(
        self,
        src: Tensor,
        tgt: Tensor,
        src_mask: Tensor | None = None,
        tgt_mask: Tensor | None = None,
        memory_mask: Tensor | None = None,
        src_key_padding_mask: Tensor | None = None,
        tgt_key_padding_mask: Tensor | None = None,
        memory_key_padding_mask: Tensor | None = None,
        src_is_causal: bool | None = None,
        tgt_is_causal: bool | None = None,
        memory_is_causal: bool = False,
    ) -> Tensor:
        """Returns a tensor of the target's shape; the masks are those of the layers."""
        place = 0 if self.batch_first else 1
        if src.ndim == 3 and src.shape[place] != tgt.shape[place]:
            raise InvalidArgumentError(
                f"Transformer: tgt must be a batch of {src.shape[place]}, got {tgt.shape[place]}"
            )
        if src.shape[-1] != self.d_model or tgt.shape[-1] != self.d_model:
            raise InvalidArgumentError(
                f"Transformer: src and tgt must have {self.d_model} features, got "
                f"{src.shape[-1]} and {tgt.shape[-1]}"
            )
        memory = self.encoder(
            src,
            mask=src_mask,
            src_key_padding_mask=src_key_padding_mask,
            is_causal=src_is_causal,
        )
        return self.decoder(
            tgt,
            memory,
            tgt_mask=tgt_mask,
            memory_mask=memory_mask,
            tgt_key_padding_mask=tgt_key_padding_mask,
            memory_key_padding_mask=memory_key_padding_mask,
            tgt_is_causal=tgt_is_causal,
            memory_is_causal=memory_is_causal,
        )

    @staticmethod
    def generate_square_subsequent_mask(sz: int, device: Any = None, dtype: Any = None) -> Tensor:
        """Returns a mask (sz, sz) of 0, and of -inf for later elements."""
        return _generate_square_subsequent_mask(sz, device, dtype)


__all__ = ["Transformer", "TransformerDecoder", "TransformerDecoderLayer"]
