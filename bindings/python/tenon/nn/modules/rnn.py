# SPDX-License-Identifier: Apache-2.0
"""Layers that read sequences step by step, and their cells."""

from __future__ import annotations

import math

from ..._tenon import Tensor
from ...error import InvalidArgumentError
from ...ops import _packet
from .. import init
from ..parameter import Parameter
from .module import Module

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

_layers = {
    "LSTM": _packet("aten::lstm"),
    "GRU": _packet("aten::gru"),
    "RNN_TANH": _packet("aten::rnn_tanh"),
    "RNN_RELU": _packet("aten::rnn_relu"),
}
_cells = {
    "LSTM": _packet("aten::lstm_cell"),
    "GRU": _packet("aten::gru_cell"),
    "RNN_TANH": _packet("aten::rnn_tanh_cell"),
    "RNN_RELU": _packet("aten::rnn_relu_cell"),
}
_cat = _packet("aten::cat")
_dropout = _packet("aten::dropout")
_linear = _packet("aten::linear")
_stack = _packet("aten::stack")
_GATES = {"LSTM": 4, "GRU": 3, "RNN_TANH": 1, "RNN_RELU": 1}


def _list(value: Any) -> list[Any]:
    return [value] if isinstance(value, Tensor) else list(value)


def _projected_step(
    input: Tensor, states: list[Tensor], params: list[Any], weight: Tensor
) -> list[Tensor]:
    """Runs one step of an LSTM with projection; returns the state and the cell."""
    w_ih, w_hh, b_ih, b_hh = params
    rows = _linear(input, w_ih, b_ih) + _linear(states[0], w_hh, b_hh)
    inward, forget, candidate, outward = rows.chunk(4, 1)
    cell = forget.sigmoid() * states[1] + inward.sigmoid() * candidate.tanh()
    return [_linear(outward.sigmoid() * cell.tanh(), weight), cell]


def _draw(module: Module, hidden_size: int) -> None:
    """Initializes parameters uniformly within 1 / sqrt(hidden_size) of 0."""
    bound = 1 / math.sqrt(hidden_size) if hidden_size > 0 else 0
    for parameter in module.parameters():
        init.uniform_(parameter, -bound, bound)


class RNNBase(Module):
    """Base class of recurrent layers: parameters per layer and direction.

    Args:
        mode: "LSTM", "GRU", "RNN_TANH" or "RNN_RELU".
        input_size: Number of features of each step.
        hidden_size: Number of features of the state.
        num_layers: Number of stacked layers.
        bias: If true, the layers have biases.
        batch_first: If true, inputs are (N, steps, features), not (steps, N, features).
        dropout: Dropout probability between layers, in training.
        bidirectional: If true, each layer reads in both directions.
        proj_size: For an LSTM: size that the state is projected to; 0: no projection.
        device: Device of the parameters.
        dtype: Dtype of the parameters.

    Attributes:
        weight_ih_l0: Input weight of layer 0, and so on per layer; `_reverse` is the other
            direction.
        weight_hh_l0: State weight.
        bias_ih_l0: Input bias.
        bias_hh_l0: State bias.
        weight_hr_l0: Projection weight, if `proj_size` is not 0.
    """

    def __init__(
        self,
        mode: str,
        input_size: int,
        hidden_size: int,
        num_layers: int = 1,
        bias: bool = True,
        batch_first: bool = False,
        dropout: float = 0.0,
        bidirectional: bool = False,
        proj_size: int = 0,
        device: Any = None,
        dtype: Any = None,
    ) -> None:
        """Creates the parameters."""
        super().__init__()
        name = type(self).__name__
        if mode not in _GATES:
            raise InvalidArgumentError(f"{name}: mode must be one of {[*_GATES]}, got {mode!r}")
        for label, number in (("hidden_size", hidden_size), ("num_layers", num_layers)):
            if number < 1:
                raise InvalidArgumentError(f"{name}: {label} must be above 0, got {number}")
        if not 0 <= dropout <= 1:
            raise InvalidArgumentError(f"{name}: dropout must be between 0 and 1, got {dropout}")
        if proj_size != 0 and (mode != "LSTM" or not 0 < proj_size < hidden_size):
            raise InvalidArgumentError(
                f"{name}: proj_size must be below hidden_size, of an LSTM, got {proj_size}"
            )
        self.mode = mode
        self.input_size = input_size
        self.hidden_size = hidden_size
        self.num_layers = num_layers
        self.bias = bias
        self.batch_first = batch_first
        self.dropout = float(dropout)
        self.bidirectional = bidirectional
        self.proj_size = proj_size
        self._names: list[str] = []
        self._make(device, dtype)
        self.reset_parameters()

    def _make(self, device: Any, dtype: Any) -> None:
        from ...factories import empty

        options = {"device": device, "dtype": dtype}
        options = {name: value for name, value in options.items() if value is not None}
        rows = _GATES[self.mode] * self.hidden_size
        state = self.proj_size or self.hidden_size
        ways = 2 if self.bidirectional else 1
        for layer in range(self.num_layers):
            columns = self.input_size if layer == 0 else state * ways
            for way in ("", "_reverse")[:ways]:
                shapes = {"weight_ih": (rows, columns), "weight_hh": (rows, state)}
                if self.bias:
                    shapes |= {"bias_ih": (rows,), "bias_hh": (rows,)}
                if self.proj_size:
                    shapes["weight_hr"] = (self.proj_size, self.hidden_size)
                for kind, shape in shapes.items():
                    name = f"{kind}_l{layer}{way}"
                    setattr(self, name, Parameter(empty(shape, **options)))
                    self._names.append(name)

    def reset_parameters(self) -> None:
        """Initializes the parameters again."""
        _draw(self, self.hidden_size)

    def flatten_parameters(self) -> None:
        """Does nothing: parameters need not be contiguous in memory."""

    def _first(self, input: Tensor, features: int) -> Tensor:
        from ...factories import zeros

        layers = self.num_layers * (2 if self.bidirectional else 1)
        batch = input.shape[0 if self.batch_first else 1]
        return zeros((layers, batch, features), dtype=input.dtype, device=input.device)

    def _check(self, input: Tensor) -> None:
        name = type(self).__name__
        if input.ndim not in (2, 3):
            raise InvalidArgumentError(
                f"{name}: input must have 3 dims, or 2 without a batch, got shape "
                f"{tuple(input.shape)}"
            )
        if input.shape[-1] != self.input_size:
            raise InvalidArgumentError(
                f"{name}: input must have {self.input_size} features, got shape "
                f"{tuple(input.shape)}"
            )

    def _run(self, input: Tensor, hx: Any) -> tuple:
        params = [getattr(self, name) for name in self._names]
        return _layers[self.mode](
            input,
            hx,
            params,
            self.bias,
            self.num_layers,
            self.dropout,
            self.training,
            self.bidirectional,
            self.batch_first,
        )

    def _cell_params(self, layer: int, way: str) -> list[Any]:
        names = ("weight_ih", "weight_hh", "bias_ih", "bias_hh")
        return [getattr(self, f"{name}_l{layer}{way}", None) for name in names]

    def _pass(
        self, data: Tensor, sizes: list[int], layer: int, way: str, states: list[Tensor]
    ) -> tuple[Tensor, list[Tensor]]:
        """Runs one layer in one direction over packed steps; returns outputs and final states."""
        is_pair = self.mode == "LSTM"
        starts = [sum(sizes[:step]) for step in range(len(sizes))]
        order = range(len(sizes)) if not way else range(len(sizes) - 1, -1, -1)
        outputs: list[Any] = [None] * len(sizes)
        for step in order:
            count = sizes[step]
            now = [one[:count] for one in states]
            found = data[starts[step] : starts[step] + count]
            params = self._cell_params(layer, way)
            if self.proj_size:
                weight = getattr(self, f"weight_hr_l{layer}{way}")
                after = _projected_step(found, now, params, weight)
            else:
                after = _list(_cells[self.mode](found, now if is_pair else now[0], *params))
            outputs[step] = after[0]
            # Sequences that have ended, or have not begun yet, keep their states.
            states = [
                one if kept.shape[0] == count else _cat([one, kept[count:]])
                for one, kept in zip(after, states, strict=True)
            ]
        return _cat(outputs), states

    def _forward_packed(self, input: Any, hx: Any) -> tuple:
        """Runs over a PackedSequence; returns one, and the states in batch order."""
        data, batch_sizes, order, inverse = input
        sizes: list[int] = batch_sizes.tolist()
        self._check(data)
        is_pair = self.mode == "LSTM"
        ways = ("", "_reverse") if self.bidirectional else ("",)
        features = (self.proj_size or self.hidden_size, self.hidden_size)
        if hx is None:
            layers = self.num_layers * len(ways)
            given = [data.new_zeros((layers, sizes[0], one)) for one in features]
        else:
            given = [one if order is None else one.index_select(1, order) for one in _list(hx)]
        given = given if is_pair else given[:1]
        ends: list[list[Tensor]] = []
        for layer in range(self.num_layers):
            found = []
            for way in ways:
                output, states = self._pass(data, sizes, layer, way, [s[len(ends)] for s in given])
                found.append(output)
                ends.append(states)
            data = found[0] if len(found) == 1 else _cat(found, 1)
            if self.dropout and self.training and layer + 1 < self.num_layers:
                data = _dropout(data, self.dropout, True)
        after = [_stack([end[place] for end in ends]) for place in range(len(given))]
        if inverse is not None:
            after = [one.index_select(1, inverse) for one in after]
        packed = type(input)(data, batch_sizes, order, inverse)
        return packed, tuple(after) if is_pair else after[0]

    def forward(self, input: Any, hx: Any = None) -> tuple:
        """Returns the output of the last layer at each step, and the final states.

        Args:
            input: Tensor of shape (steps, N, features), or (steps, features) without a batch, or a
                PackedSequence, in which case the output is one too.
            hx: The initial states, (layers, N, hidden_size); by default zeros. For an LSTM, a pair
                of states and cells.
        """
        if isinstance(input, tuple) and hasattr(input, "batch_sizes"):
            return self._forward_packed(input, hx)
        self._check(input)
        batched = input.ndim == 3
        dim = 0 if self.batch_first else 1
        if not batched:
            input = input.unsqueeze(dim)
        is_pair = self.mode == "LSTM"
        if hx is None:
            state = self._first(input, self.proj_size or self.hidden_size)
            given = [state, self._first(input, self.hidden_size)] if is_pair else [state]
        else:
            given = list(hx) if is_pair else [hx]
            if not batched:
                given = [one.unsqueeze(1) for one in given]
        output, *after = self._run(input, given if is_pair else given[0])
        if not batched:
            output, after = output.squeeze(dim), [one.squeeze(1) for one in after]
        return output, tuple(after) if is_pair else after[0]

    def extra_repr(self) -> str:
        """Returns sizes and non-default options as text."""
        text = f"{self.input_size}, {self.hidden_size}"
        if self.proj_size:
            text += f", proj_size={self.proj_size}"
        for name, default in (
            ("num_layers", 1),
            ("bias", True),
            ("batch_first", False),
            ("dropout", 0.0),
            ("bidirectional", False),
        ):
            if getattr(self, name) != default:
                text += f", {name}={getattr(self, name)}"
        return text


class RNN(RNNBase):
    """A plain recurrent layer: `tanh(W_ih x + b_ih + W_hh h + b_hh)`, or relu of the sum.

    Takes the arguments of `RNNBase` without `mode`, and `nonlinearity`, "tanh" or "relu".
    """

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        """Creates the parameters."""
        if len(args) > 3:  # as in PyTorch, where nonlinearity is the fourth argument
            nonlinearity = args[3]
            args = args[:3] + args[4:]
        else:
            nonlinearity = kwargs.pop("nonlinearity", "tanh")
        if nonlinearity not in ("tanh", "relu"):
            raise InvalidArgumentError(
                f"RNN: nonlinearity must be 'tanh' or 'relu', got {nonlinearity!r}"
            )
        self.nonlinearity = nonlinearity
        super().__init__(f"RNN_{nonlinearity.upper()}", *args, **kwargs)


class LSTM(RNNBase):
    """Long short-term memory. Takes the arguments of `RNNBase` without `mode`."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        """Creates the parameters."""
        super().__init__("LSTM", *args, **kwargs)


class GRU(RNNBase):
    """Gated recurrent units. Takes the arguments of `RNNBase` without `mode`."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        """Creates the parameters."""
        if "proj_size" in kwargs:
            raise InvalidArgumentError("GRU: proj_size must be left out, got a number")
        super().__init__("GRU", *args, **kwargs)


class RNNCellBase(Module):
    """Base class of recurrent cells: the parameters of one layer.

    Args:
        input_size: Number of features of the input.
        hidden_size: Number of features of the state.
        bias: If true, the cell has biases.
        num_chunks: Number of gates.
        device: Device of the parameters.
        dtype: Dtype of the parameters.
    """

    _mode: str
    bias_ih: Parameter | None
    bias_hh: Parameter | None

    def __init__(
        self,
        input_size: int,
        hidden_size: int,
        bias: bool,
        num_chunks: int,
        device: Any = None,
        dtype: Any = None,
    ) -> None:
        """Creates the parameters."""
        from ...factories import empty

        super().__init__()
        options = {"device": device, "dtype": dtype}
        options = {name: value for name, value in options.items() if value is not None}
        self.input_size = input_size
        self.hidden_size = hidden_size
        self.bias = bias
        rows = num_chunks * hidden_size
        self.weight_ih = Parameter(empty((rows, input_size), **options))
        self.weight_hh = Parameter(empty((rows, hidden_size), **options))
        for name in ("bias_ih", "bias_hh"):
            self.register_parameter(name, Parameter(empty(rows, **options)) if bias else None)
        self.reset_parameters()

    def reset_parameters(self) -> None:
        """Initializes the parameters again."""
        _draw(self, self.hidden_size)

    def _step(self, input: Tensor, hx: Any) -> Any:
        if input.ndim not in (1, 2):
            raise InvalidArgumentError(
                f"{type(self).__name__}: input must have 1 or 2 dims, got shape "
                f"{tuple(input.shape)}"
            )
        is_pair = self._mode == "LSTM"
        whole = input if input.ndim == 2 else input.unsqueeze(0)
        if hx is None:
            zeros = whole.new_zeros((whole.shape[0], self.hidden_size))
            hx = [zeros, zeros] if is_pair else zeros
        elif input.ndim == 1:
            hx = [one.unsqueeze(0) for one in hx] if is_pair else hx.unsqueeze(0)
        else:
            hx = list(hx) if is_pair else hx
        cell = _cells[self._mode]
        after = cell(whole, hx, self.weight_ih, self.weight_hh, self.bias_ih, self.bias_hh)
        if input.ndim == 2:
            return after
        return tuple(one.squeeze(0) for one in after) if is_pair else after.squeeze(0)

    def forward(self, input: Tensor, hx: Any = None) -> Any:
        """Returns the state after one step; for an LSTM, state and cell."""
        return self._step(input, hx)

    def extra_repr(self) -> str:
        """Returns the sizes as text."""
        text = f"{self.input_size}, {self.hidden_size}"
        return text if self.bias else f"{text}, bias={self.bias}"


class RNNCell(RNNCellBase):
    """One step of a plain recurrent layer, with "tanh" or "relu"."""

    def __init__(
        self,
        input_size: int,
        hidden_size: int,
        bias: bool = True,
        nonlinearity: str = "tanh",
        device: Any = None,
        dtype: Any = None,
    ) -> None:
        """Creates the parameters."""
        if nonlinearity not in ("tanh", "relu"):
            raise InvalidArgumentError(
                f"RNNCell: nonlinearity must be 'tanh' or 'relu', got {nonlinearity!r}"
            )
        super().__init__(input_size, hidden_size, bias, 1, device, dtype)
        self.nonlinearity = nonlinearity
        self._mode = f"RNN_{nonlinearity.upper()}"


class LSTMCell(RNNCellBase):
    """One step of an LSTM layer."""

    _mode = "LSTM"

    def __init__(
        self,
        input_size: int,
        hidden_size: int,
        bias: bool = True,
        device: Any = None,
        dtype: Any = None,
    ) -> None:
        """Creates the parameters."""
        super().__init__(input_size, hidden_size, bias, 4, device, dtype)


class GRUCell(RNNCellBase):
    """One step of a GRU layer."""

    _mode = "GRU"

    def __init__(
        self,
        input_size: int,
        hidden_size: int,
        bias: bool = True,
        device: Any = None,
        dtype: Any = None,
    ) -> None:
        """Creates the parameters."""
        super().__init__(input_size, hidden_size, bias, 3, device, dtype)


__all__ = ["GRU", "LSTM", "RNN", "GRUCell", "LSTMCell", "RNNBase", "RNNCell", "RNNCellBase"]
