# SPDX-License-Identifier: Apache-2.0
"""Sequences of several lengths in one batch: packed without padding, padded, and back."""

from __future__ import annotations

import itertools
from typing import NamedTuple

from ..._tenon import Tensor
from ...error import ArgumentTypeError, InvalidArgumentError, StateError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from typing import Any


class _Packed(NamedTuple):
    data: Tensor
    batch_sizes: Tensor
    sorted_indices: Tensor | None
    unsorted_indices: Tensor | None


class PackedSequence(_Packed):
    """Sequences of a batch, step by step: all first elements, then all second ones, and so on.

    Attributes:
        data: The elements of all sequences, of shape (sum of lengths, ...).
        batch_sizes: How many sequences have each step, an int64 vector on the CPU.
        sorted_indices: Where each sequence was before they were sorted by length; None: unsorted.
        unsorted_indices: The inverse of sorted_indices.
    """

    __slots__ = ()

    def __new__(
        cls,
        data: Any,
        batch_sizes: Tensor | None = None,
        sorted_indices: Tensor | None = None,
        unsorted_indices: Tensor | None = None,
    ) -> PackedSequence:
        """Creates a packed sequence; computes the inverse of the order if it is omitted."""
        if batch_sizes is None:
            data, batch_sizes = data
        if unsorted_indices is None:
            unsorted_indices = invert_permutation(sorted_indices)
        assert batch_sizes is not None
        if not batch_sizes.is_cpu:
            raise InvalidArgumentError(
                f"PackedSequence: batch_sizes must be on the CPU, got {batch_sizes.device}"
            )
        return super().__new__(cls, data, batch_sizes, sorted_indices, unsorted_indices)

    def to(self, *args: Any, **kwargs: Any) -> PackedSequence:
        """Returns it with its data moved or cast, itself when nothing changes."""
        data = self.data.to(*args, **kwargs)
        if data is self.data:
            return self
        indices = [None if one is None else one.to(data.device) for one in self[2:]]
        return type(self)(data, self.batch_sizes, *indices)

    def cpu(self) -> PackedSequence:
        """Returns it on the CPU."""
        return self.to("cpu")

    def cuda(self, index: int | None = None) -> PackedSequence:
        """Returns it on a CUDA device."""
        return self.to("cuda" if index is None else f"cuda:{index}")

    @property
    def is_cuda(self) -> bool:
        """Returns true if the data is on a CUDA device."""
        return self.data.is_cuda

    def is_pinned(self) -> bool:
        """Returns false: there is no pinned memory."""
        return False

    def pin_memory(self) -> PackedSequence:
        """Returns it: there is no pinned memory."""
        return self


def _caster(name: str) -> Any:
    def cast(self: PackedSequence) -> PackedSequence:
        data = getattr(self.data, name)()
        return self if data is self.data else type(self)(data, *self[1:])

    cast.__name__ = cast.__qualname__ = name
    cast.__doc__ = f"Returns it with its data cast as Tensor.{name} does."
    return cast


for _name in ("byte", "char", "double", "float", "half", "int", "long", "short"):
    setattr(PackedSequence, _name, _caster(_name))


def invert_permutation(permutation: Tensor | None) -> Tensor | None:
    """Returns the permutation that undoes another; None of None."""
    if permutation is None:
        return None
    from ...factories import arange, empty_like

    inverse = empty_like(permutation)
    steps = arange(0, permutation.numel(), device=permutation.device)
    return inverse.scatter_(0, permutation, steps.to(permutation.dtype))


def _lengths(name: str, lengths: Any) -> Tensor:
    from ...dtype import int64
    from ...factories import as_tensor

    found = as_tensor(lengths, dtype=int64, device="cpu")
    if found.ndim != 1:
        raise InvalidArgumentError(f"{name}: lengths must be a vector, got shape {found.shape}")
    return found


def pack_padded_sequence(
    input: Tensor, lengths: Any, batch_first: bool = False, enforce_sorted: bool = True
) -> PackedSequence:
    """Packs a batch of padded sequences.

    Args:
        input: Tensor of shape (steps, N, ...), or (N, steps, ...) if `batch_first`.
        lengths: Length of each sequence, a vector or list on the CPU.
        batch_first: If true, the first dim of `input` is the batch.
        enforce_sorted: If true, the sequences must be sorted by length, longest first; otherwise
            they are sorted here.

    Returns:
        A PackedSequence.

    Raises:
        StateError: If lengths are not sorted, below 1, or not one for each sequence.
    """
    from ...factories import tensor
    from ...functional import cat

    name = "pack_padded_sequence"
    sizes, order = _lengths(name, lengths), None
    batch = input.shape[0 if batch_first else 1]
    numbers: list[int] = sizes.tolist()
    if len(numbers) != batch:
        raise StateError(
            f"{name}: lengths must be {batch}, one for each sequence, got {len(numbers)}"
        )
    if any(number <= 0 for number in numbers):
        raise StateError(f"{name}: lengths must be above 0, got {min(numbers)}")
    if not enforce_sorted:
        places = sorted(range(batch), key=lambda place: -numbers[place])
        numbers = [numbers[place] for place in places]
        order = tensor(places, device=input.device)
        input = input.index_select(0 if batch_first else 1, order)
    elif any(one < other for one, other in itertools.pairwise(numbers)):
        raise StateError(
            f"{name}: lengths must be in decreasing order unless enforce_sorted is False, got "
            f"{numbers}"
        )
    steps = input.transpose(0, 1) if batch_first else input
    counts = [sum(number > step for number in numbers) for step in range(numbers[0])]
    if numbers[0] > steps.shape[0]:
        raise StateError(f"{name}: lengths must be at most {steps.shape[0]}, got {numbers[0]}")
    data = cat([steps[step, :count] for step, count in enumerate(counts)])
    return PackedSequence(data, tensor(counts), order, None)


def pad_packed_sequence(
    sequence: PackedSequence,
    batch_first: bool = False,
    padding_value: float = 0.0,
    total_length: int | None = None,
) -> tuple[Tensor, Tensor]:
    """Pads sequences packed by `pack_padded_sequence`; returns the batch and the lengths.

    Args:
        sequence: The packed sequences.
        batch_first: If true, the first dim of the result is the batch.
        padding_value: Value after the end of shorter sequences.
        total_length: The number of steps of the result, at least that of the longest sequence.
    """
    from ...factories import tensor
    from ...functional import cat

    if not isinstance(sequence, PackedSequence):
        raise ArgumentTypeError(
            f"pad_packed_sequence: sequence must be a PackedSequence, got {type(sequence).__name__}"
        )
    counts: list[int] = sequence.batch_sizes.tolist()
    longest = len(counts)
    if total_length is not None and total_length < longest:
        raise InvalidArgumentError(
            f"pad_packed_sequence: total_length must be at least {longest}, got {total_length}"
        )
    batch, rest = counts[0], tuple(sequence.data.shape[1:])
    rows, start = [], 0
    for count in counts:
        row = sequence.data[start : start + count]
        start += count
        if count < batch:
            row = cat([row, sequence.data.new_full((batch - count, *rest), padding_value)])
        rows.append(row)
    more = 0 if total_length is None else total_length - longest
    if more:
        rows.append(sequence.data.new_full((more * batch, *rest), padding_value))
    padded = cat(rows).reshape(longest + more, batch, *rest)
    lengths = tensor([sum(count > place for count in counts) for place in range(batch)])
    if sequence.unsorted_indices is not None:
        padded = padded.index_select(1, sequence.unsorted_indices)
        lengths = lengths[sequence.unsorted_indices.cpu()]
    return padded.transpose(0, 1).contiguous() if batch_first else padded, lengths


def pad_sequence(
    sequences: Tensor | Iterable[Tensor],
    batch_first: bool = False,
    padding_value: float = 0.0,
    padding_side: str = "right",
) -> Tensor:
    """Stacks sequences of several lengths in one tensor, padded to the longest.

    Args:
        sequences: Tensors whose sizes are equal except the first.
        batch_first: If true, the result is (N, steps, ...), not (steps, N, ...).
        padding_value: Value of the padding.
        padding_side: "right" to pad after the sequences, "left" before.
    """
    from ...functional import cat, stack

    if padding_side not in ("left", "right"):
        raise StateError(
            f"pad_sequence: padding_side must be 'left' or 'right', got {padding_side!r}"
        )
    if not hasattr(sequences, "__iter__"):
        raise StateError(
            f"pad_sequence: sequences must be Tensors in a list, got {type(sequences).__name__}"
        )
    found = list(sequences)
    if not found:
        raise StateError("pad_sequence: there must be at least one sequence, got none")
    longest = max(one.shape[0] for one in found)
    rows = []
    for one in found:
        more = one.new_full((longest - one.shape[0], *one.shape[1:]), padding_value)
        if more.shape[0]:
            one = cat([one, more] if padding_side == "right" else [more, one])
        rows.append(one)
    return stack(rows, 0 if batch_first else 1)


def unpad_sequence(
    padded_sequences: Tensor, lengths: Tensor, batch_first: bool = False
) -> list[Tensor]:
    """Returns the sequences of a padded batch without their padding."""
    rows = padded_sequences if batch_first else padded_sequences.transpose(0, 1)
    sizes = _lengths("unpad_sequence", lengths).tolist()
    return [row[:size] for row, size in zip(rows, sizes, strict=True)]


def pack_sequence(sequences: Sequence[Tensor], enforce_sorted: bool = True) -> PackedSequence:
    """Packs a list of sequences; see `pack_padded_sequence`."""
    lengths = [one.shape[0] for one in sequences]
    return pack_padded_sequence(pad_sequence(sequences), lengths, False, enforce_sorted)


def unpack_sequence(packed_sequences: PackedSequence) -> list[Tensor]:
    """Returns the sequences that were packed."""
    padded, lengths = pad_packed_sequence(packed_sequences, batch_first=True)
    return unpad_sequence(padded, lengths, batch_first=True)


__all__ = [
    "PackedSequence",
    "invert_permutation",
    "pack_padded_sequence",
    "pack_sequence",
    "pad_packed_sequence",
    "pad_sequence",
    "unpack_sequence",
    "unpad_sequence",
]
