# SPDX-License-Identifier: Apache-2.0
"""Multi-head attention and transformer encoder layers."""

from __future__ import annotations

from ..._tenon import Tensor
from ...error import InvalidArgumentError
from .. import functional as F
from .. import init
from ..parameter import Parameter
from .container import ModuleList
from .dropout import Dropout
from .linear import Linear, NonDynamicallyQuantizableLinear
from .module import Module
from .normalization import LayerNorm

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


class MultiheadAttention(Module):
    """Multi-head attention.

    Args:
        embed_dim: Number of features of queries and results.
        num_heads: Number of heads; must divide embed_dim.
        dropout: Dropout probability of the attention weights in training.
        bias: If true, the projections have biases.
        add_bias_kv: If true, appends a learnable key and value.
        add_zero_attn: If true, appends a key and value of zeros.
        kdim: Number of features of keys, by default embed_dim.
        vdim: Number of features of values, by default embed_dim.
        batch_first: If true, tensors are (N, length, features), not (length, N, features).
        device: Device of the parameters.
        dtype: Dtype of the parameters.
    """

    in_proj_weight: Parameter | None
    in_proj_bias: Parameter | None
    q_proj_weight: Parameter | None
    k_proj_weight: Parameter | None
    v_proj_weight: Parameter | None
    bias_k: Parameter | None
    bias_v: Parameter | None

    def __init__(
        self,
        embed_dim: int,
        num_heads: int,
        dropout: float = 0.0,
        bias: bool = True,
        add_bias_kv: bool = False,
        add_zero_attn: bool = False,
        kdim: int | None = None,
        vdim: int | None = None,
        batch_first: bool = False,
        device: Any = None,
        dtype: Any = None,
    ) -> None:
        """Creates the parameters."""
        from ...factories import empty

        super().__init__()
        if embed_dim < 1 or num_heads < 1 or embed_dim % num_heads != 0:
            raise InvalidArgumentError(
                f"MultiheadAttention: num_heads must divide embed_dim, got {num_heads} and "
                f"{embed_dim}"
            )
        options = {"device": device, "dtype": dtype}
        options = {name: value for name, value in options.items() if value is not None}
        self.embed_dim = embed_dim
        self.kdim = embed_dim if kdim is None else kdim
        self.vdim = embed_dim if vdim is None else vdim
        self._qkv_same_embed_dim = self.kdim == embed_dim and self.vdim == embed_dim
        self.num_heads = num_heads
        self.dropout = dropout
        self.batch_first = batch_first
        self.head_dim = embed_dim // num_heads
        self.add_zero_attn = add_zero_attn
        same = self._qkv_same_embed_dim
        shapes = {
            "q_proj_weight": None if same else (embed_dim, embed_dim),
            "k_proj_weight": None if same else (embed_dim, self.kdim),
            "v_proj_weight": None if same else (embed_dim, self.vdim),
            "in_proj_weight": (3 * embed_dim, embed_dim) if same else None,
            "in_proj_bias": (3 * embed_dim,) if bias else None,
        }
        more = {
            "bias_k": (1, 1, embed_dim) if add_bias_kv else None,
            "bias_v": (1, 1, embed_dim) if add_bias_kv else None,
        }

        def register(shapes: dict) -> None:
            for name, shape in shapes.items():
                parameter = None if shape is None else Parameter(empty(shape, **options))
                self.register_parameter(name, parameter)

        register(shapes)
        self.out_proj = NonDynamicallyQuantizableLinear(embed_dim, embed_dim, bias=bias, **options)
        register(more)
        self._reset_parameters()

    def _reset_parameters(self) -> None:
        for name in ("in_proj_weight", "q_proj_weight", "k_proj_weight", "v_proj_weight"):
            weight = getattr(self, name)
            if weight is not None:
                init.xavier_uniform_(weight)
        if self.in_proj_bias is not None:
            init.zeros_(self.in_proj_bias)
            init.zeros_(self.out_proj.bias)
        for extra in (self.bias_k, self.bias_v):
            if extra is not None:
                init.xavier_normal_(extra)

    def forward(
        self,
        query: Tensor,
        key: Tensor,
        value: Tensor,
        key_padding_mask: Tensor | None = None,
        need_weights: bool = True,
        attn_mask: Tensor | None = None,
        average_attn_weights: bool = True,
        is_causal: bool = False,
    ) -> tuple[Tensor, Tensor | None]:
        """Returns the attention output, and the attention weights if they are needed.

        The arguments are those of `functional.multi_head_attention_forward`.
        """
        turns = self.batch_first and query.ndim == 3
        if turns:
            query, key, value = (one.transpose(1, 0) for one in (query, key, value))
        found, shares = F.multi_head_attention_forward(
            query,
            key,
            value,
            self.embed_dim,
            self.num_heads,
            self.in_proj_weight,
            self.in_proj_bias,
            self.bias_k,
            self.bias_v,
            self.add_zero_attn,
            self.dropout,
            self.out_proj.weight,
            self.out_proj.bias,
            self.training,
            key_padding_mask,
            need_weights,
            attn_mask,
            not self._qkv_same_embed_dim,
            self.q_proj_weight,
            self.k_proj_weight,
            self.v_proj_weight,
            average_attn_weights=average_attn_weights,
            is_causal=is_causal,
        )
        return found.transpose(1, 0) if turns else found, shares


def _activation(activation: Any) -> Any:
    if callable(activation):
        return activation
    if activation not in ("relu", "gelu"):
        raise InvalidArgumentError(
            f"TransformerEncoderLayer: activation must be 'relu', 'gelu' or a function, "
            f"got {activation!r}"
        )
    return getattr(F, activation)


class TransformerEncoderLayer(Module):
    """Self-attention, then two linear layers, each with a residual connection and layer norm.

    Args:
        d_model: Number of features.
        nhead: Number of attention heads.
        dim_feedforward: Number of features between the linear layers.
        dropout: Dropout probability in training.
        activation: Activation between the linear layers: "relu", "gelu" or a function.
        layer_norm_eps: Added to variances.
        batch_first: If true, tensors are (N, length, features), not (length, N, features).
        norm_first: If true, normalizes the inputs of both parts, not the sums.
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
        activation: Any = "relu",
        layer_norm_eps: float = 1e-5,
        batch_first: bool = False,
        norm_first: bool = False,
        bias: bool = True,
        device: Any = None,
        dtype: Any = None,
    ) -> None:
        """Creates the submodules."""
        super().__init__()
        options = {"device": device, "dtype": dtype}
        self.self_attn = MultiheadAttention(
            d_model, nhead, dropout, bias=bias, batch_first=batch_first, **options
        )
        self.linear1 = Linear(d_model, dim_feedforward, bias=bias, **options)
        self.dropout = Dropout(dropout)
        self.linear2 = Linear(dim_feedforward, d_model, bias=bias, **options)
        self.norm_first = norm_first
        self.norm1 = LayerNorm(d_model, layer_norm_eps, bias=bias, **options)
        self.norm2 = LayerNorm(d_model, layer_norm_eps, bias=bias, **options)
        self.dropout1 = Dropout(dropout)
        self.dropout2 = Dropout(dropout)
        self.activation = _activation(activation)

    def _attended(self, x: Tensor, mask: Any, padding: Any, is_causal: bool) -> Tensor:
        found, _ = self.self_attn(
            x, x, x, padding, need_weights=False, attn_mask=mask, is_causal=is_causal
        )
        return self.dropout1(found)

    def _fed(self, x: Tensor) -> Tensor:
        return self.dropout2(self.linear2(self.dropout(self.activation(self.linear1(x)))))

    def forward(
        self,
        src: Tensor,
        src_mask: Tensor | None = None,
        src_key_padding_mask: Tensor | None = None,
        is_causal: bool = False,
    ) -> Tensor:
        """Returns a tensor of the same shape.

        Args:
            src: The sequence.
            src_mask: Positions that elements may not attend to, (length, length).
            src_key_padding_mask: Padding elements, (N, length).
            is_causal: A hint that the mask hides later elements; it must be given.
        """
        args = (src_mask, src_key_padding_mask, is_causal)
        if self.norm_first:
            src = src + self._attended(self.norm1(src), *args)
            return src + self._fed(self.norm2(src))
        src = self.norm1(src + self._attended(src, *args))
        return self.norm2(src + self._fed(src))


class TransformerEncoder(Module):
    """A stack of copies of an encoder layer.

    Args:
        encoder_layer: The layer.
        num_layers: Number of copies.
        norm: Module that normalizes the result; None: no normalization.
    """

    norm: Module | None

    def __init__(
        self,
        encoder_layer: Module,
        num_layers: int,
        norm: Module | None = None,
        enable_nested_tensor: bool = True,
        mask_check: bool = True,
    ) -> None:
        """Makes the copies; there are no nested tensors, so the last two have no effect."""
        import copy

        super().__init__()
        self.layers = ModuleList([copy.deepcopy(encoder_layer) for _ in range(num_layers)])
        self.num_layers = num_layers
        self.norm = norm

    def forward(
        self,
        src: Tensor,
        mask: Tensor | None = None,
        src_key_padding_mask: Tensor | None = None,
        is_causal: bool | None = None,
    ) -> Tensor:
        """Returns a tensor of the same shape; the arguments are those of the layers."""
        for layer in self.layers:
            src = layer(src, mask, src_key_padding_mask, bool(is_causal))
        return src if self.norm is None else self.norm(src)


__all__ = ["MultiheadAttention", "TransformerEncoder", "TransformerEncoderLayer"]
