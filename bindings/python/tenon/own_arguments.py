# SPDX-License-Identifier: Apache-2.0
"""Functions whose arguments differ from those of the operators they call, as in PyTorch."""

from __future__ import annotations

from ._tenon import Tensor
from .error import ArgumentTypeError, InvalidArgumentError
from .ops import _packet
from .overridable import overridable

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from .dtype import dtype as _dtype


# PyTorch's names of compute modes and the operator's numbers; all compute the same distances.
_COMPUTE_MODES = {
    "use_mm_for_euclid_dist_if_necessary": 0,
    "use_mm_for_euclid_dist": 1,
    "donot_use_mm_for_euclid_dist": 2,
}


def _several(function: str, tensors: tuple[Any, ...]) -> list[Tensor]:
    """Returns a list of tensors that are passed one by one, or as one sequence."""
    given = tensors[0] if len(tensors) == 1 and isinstance(tensors[0], (list, tuple)) else tensors
    for position, one in enumerate(given):
        if not isinstance(one, Tensor):
            raise ArgumentTypeError(
                f"{function}: tensors must be Tensors, got {type(one).__name__} "
                f"at position {position}"
            )
    return list(given)


@overridable
def cdist(
    x1: Tensor,
    x2: Tensor,
    p: float = 2.0,
    compute_mode: str = "use_mm_for_euclid_dist_if_necessary",
) -> Tensor:
    """Returns the pairwise distances between the rows of two (batches of) matrices.

    Args:
        x1: A tensor of shape (..., P, M).
        x2: A tensor of shape (..., R, M); dims before the last two are broadcast.
        p: The order of the norm: 0 counts elements that differ, infinity takes the largest
            difference.
        compute_mode: One of PyTorch's modes; all compute the same distances.
    """
    if compute_mode not in _COMPUTE_MODES:
        raise InvalidArgumentError(
            f"cdist: compute_mode must be one of {', '.join(_COMPUTE_MODES)}, got {compute_mode!r}"
        )
    return _packet("aten::cdist")(x1, x2, p, _COMPUTE_MODES[compute_mode])


def _equation(given: tuple[Any, ...]) -> tuple[str, tuple[Any, ...]]:
    """Converts alternating tensors and lists of dims to an equation and the tensors."""

    def letters(dims: Any) -> str:
        return "".join(
            "..." if dim is Ellipsis else chr(ord("A") + dim if dim < 26 else ord("a") + dim - 26)
            for dim in dims
        )

    pairs = len(given) // 2
    equation = ",".join(letters(given[2 * one + 1]) for one in range(pairs))
    if len(given) % 2:
        equation += "->" + letters(given[-1])
    return equation, given[: 2 * pairs : 2]


@overridable
def einsum(equation: Any, *operands: Any) -> Tensor:
    """Sums products of tensors over dims, in Einstein notation.

    Args:
        equation: An equation such as "ij,jk->ik", with a letter per dim, and "..." for any number
            of dims. Without "->", the result has the letters that occur once, in alphabetical
            order.
        operands: The tensors, one by one or as one sequence.

    `einsum(a, [0, 1], b, [1, 2], [0, 2])` denotes the dims of each tensor, and of the result, by
    numbers from 0 to 51; Ellipsis means "...".
    """
    if isinstance(equation, Tensor):
        equation, operands = _equation((equation, *operands))
    return _packet("aten::einsum")(equation, _several("einsum", operands))


@overridable
def tensordot(
    a: Tensor, b: Tensor, dims: int | Sequence[Sequence[int]] = 2, out: Tensor | None = None
) -> Tensor:
    """Sums products of two tensors over pairs of dims.

    Args:
        a: The first tensor.
        b: The second tensor.
        dims: The number of trailing dims of `a` and leading dims of `b` to contract, or the dims
            of `a` and the dims of `b`.
        out: The tensor to write the result into.
    """
    if isinstance(dims, int):
        if dims < 0:
            raise InvalidArgumentError(f"tensordot: dims must be at least 0, got {dims}")
        of_a, of_b = list(range(-dims, 0)), list(range(dims))
    else:
        of_a, of_b = (
            [int(dim) for dim in (each if isinstance(each, (list, tuple)) else [each])]
            for each in dims
        )
    if out is None:
        return _packet("aten::tensordot")(a, b, of_a, of_b)
    return _packet("aten::tensordot")(a, b, of_a, of_b, out=out)


@overridable
def meshgrid(*tensors: Any, indexing: str = "ij") -> tuple[Tensor, ...]:
    """Returns the coordinates of the grid that vectors span, a tensor for each."""
    given = _several("meshgrid", tensors)
    return tuple(_packet("aten::meshgrid")(given, indexing=indexing))


@overridable
def block_diag(*tensors: Tensor) -> Tensor:
    """Returns one matrix with matrices along its diagonal; vectors are rows."""
    return _packet("aten::block_diag")(_several("block_diag", (tensors,)))


@overridable
def cartesian_prod(*tensors: Tensor) -> Tensor:
    """Returns all choices of one element of each vector, a row each."""
    return _packet("aten::cartesian_prod")(_several("cartesian_prod", (tensors,)))


@overridable
def chain_matmul(*matrices: Tensor, out: Tensor | None = None) -> Tensor:
    """Returns the product of a chain of matrices, in the order of the fewest multiplications."""
    given = _several("chain_matmul", (matrices,))
    if out is None:
        return _packet("aten::chain_matmul")(given)
    return _packet("aten::chain_matmul")(given, out=out)


@overridable
def norm(
    input: Tensor,
    p: float | str | None = "fro",
    dim: int | Sequence[int] | None = None,
    keepdim: bool = False,
    out: Tensor | None = None,
    dtype: _dtype | None = None,
) -> Tensor:
    """Returns a norm of all elements, or along dims.

    Args:
        input: A tensor of floating or complex numbers.
        p: The order; "fro" is 2, "nuc" the sum of the singular values of matrices.
        dim: One or several dims; None for all.
        keepdim: Whether the reduced dims are kept, with size 1.
        out: The tensor to write the result into.
        dtype: The dtype to convert elements to before computing.
    """
    options: dict[str, Any] = {"dtype": dtype} if out is None else {"dtype": dtype, "out": out}
    if p == "nuc":
        of = [-2, -1] if dim is None else dim
        return _packet("aten::linalg_matrix_norm")(input, p, of, keepdim, **options)
    order = 2.0 if p is None or p == "fro" else p
    if isinstance(order, str):
        raise InvalidArgumentError(f'norm: p must be a number, "fro" or "nuc", got {p!r}')
    of_dims = [dim] if isinstance(dim, int) else dim
    return _packet("aten::linalg_vector_norm")(input, order, of_dims, keepdim, **options)


@overridable
def stft(
    input: Tensor,
    n_fft: int,
    hop_length: int | None = None,
    win_length: int | None = None,
    window: Tensor | None = None,
    center: bool = True,
    pad_mode: str = "reflect",
    normalized: bool = False,
    onesided: bool | None = None,
    return_complex: bool | None = None,
    align_to_window: bool | None = None,
) -> Tensor:
    """Returns the Fourier transforms of a signal's frames: of shape (batch?, frequencies, frames).

    Args:
        input: A signal of shape (length,), or signals of shape (batch, length).
        n_fft: The length of a frame, in samples.
        hop_length: The distance between frames, in samples; by default `n_fft // 4`.
        win_length: The length of the window, which is centred in the frame; by default `n_fft`.
        window: The window to multiply frames by; by default ones.
        center: Whether to pad the signal at both ends, so that frames are centred.
        pad_mode: The mode of this padding, as in `nn.functional.pad`.
        normalized: Whether to divide the transforms by the square root of `n_fft`.
        onesided: Whether to omit negative frequencies; by default true for real signals.
        return_complex: Whether the result is complex; otherwise its last dim holds real and
            imaginary parts. Must be passed if the signal is real.
        align_to_window: Whether to pad the signal by the part of a frame outside of the window;
            only allowed without `center`.
    """
    sizes = (n_fft, hop_length, win_length, window, center, pad_mode)
    options = (normalized, onesided, return_complex, align_to_window)
    return _packet("aten::stft").center(input, *sizes, *options)


@overridable
def unique(
    input: Tensor,
    sorted: bool = True,
    return_inverse: bool = False,
    return_counts: bool = False,
    dim: int | None = None,
) -> Any:
    """Returns the distinct elements, or the distinct slices along a dim, in ascending order.

    Args:
        input: A tensor of real numbers.
        sorted: Ignored; the result is always sorted.
        return_inverse: Whether to also return the index of each input element in the result.
        return_counts: Whether to also return the number of occurrences of each result element.
        dim: The dim along which whole slices are compared; None compares elements.
    """
    options = (sorted, return_inverse, return_counts)
    if dim is None:
        parts = _packet("aten::_unique2")(input, *options)
    else:
        parts = _packet("aten::unique_dim")(input, dim, *options)
    return _asked(parts, return_inverse, return_counts)


@overridable
def unique_consecutive(
    input: Tensor,
    return_inverse: bool = False,
    return_counts: bool = False,
    dim: int | None = None,
) -> Any:
    """Returns the first one of each run of equal elements, or slices; see `unique`."""
    parts = _packet("aten::unique_consecutive")(input, return_inverse, return_counts, dim)
    return _asked(parts, return_inverse, return_counts)


def _at_least(dims: int) -> Any:
    packet = _packet(f"aten::atleast_{dims}d")

    def function(*tensors: Any) -> Any:
        if len(tensors) == 1 and isinstance(tensors[0], Tensor):
            return packet(tensors[0])
        several = tensors[0] if len(tensors) == 1 else tensors
        if not isinstance(several, (list, tuple)):
            raise ArgumentTypeError(
                f"atleast_{dims}d: tensors must be Tensors, got {type(several).__name__}"
            )
        return tuple(packet(list(several))) if several else ()

    function.__name__ = function.__qualname__ = f"atleast_{dims}d"
    function.__doc__ = f"Returns tensors with at least {dims} dims: one, or a tuple of several."
    return overridable(function)


atleast_1d = _at_least(1)
atleast_2d = _at_least(2)
atleast_3d = _at_least(3)


def _asked(parts: Any, return_inverse: bool, return_counts: bool) -> Any:
    values, inverse, counts = parts
    found = [values]
    if return_inverse:
        found.append(inverse)
    if return_counts:
        found.append(counts)
    return tuple(found) if len(found) > 1 else values


# Tensor methods that take the arguments of these functions, not those of the operators.
for _function in (stft, unique, unique_consecutive):
    setattr(Tensor, _function.__name__, _function)

__all__ = [
    "atleast_1d",
    "atleast_2d",
    "atleast_3d",
    "block_diag",
    "cartesian_prod",
    "cdist",
    "chain_matmul",
    "einsum",
    "meshgrid",
    "norm",
    "stft",
    "tensordot",
    "unique",
    "unique_consecutive",
]
