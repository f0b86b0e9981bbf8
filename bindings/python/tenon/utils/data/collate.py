# SPDX-License-Identifier: Apache-2.0
"""Batches out of examples: tensors are stacked, containers by their parts."""

from __future__ import annotations

import collections.abc
import copy
from typing import Any

from ..._tenon import Tensor
from ...dtype import float64
from ...error import ArgumentTypeError, InvalidArgumentError
from ...factories import as_tensor, tensor
from ...functional import stack


def _is_array(value: Any) -> bool:
    return type(value).__module__ == "numpy" and hasattr(value, "dtype")


def _is_namedtuple(value: Any) -> bool:
    return isinstance(value, tuple) and hasattr(value, "_fields")


def _same_mapping(first: Any, items: dict[Any, Any]) -> Any:
    if type(first) is dict:
        return items
    try:
        made = copy.copy(first)
        made.update(items)
    except (AttributeError, TypeError):
        return items
    return made


def _same_sequence(first: Any, items: list[Any]) -> Any:
    try:
        return type(first)(items)
    except TypeError:  # such as range
        return items


def default_convert(data: Any) -> Any:
    """Returns an example with its arrays as tensors."""
    if isinstance(data, (Tensor, str, bytes)):
        return data
    if _is_array(data):
        return data if data.dtype.kind in "SUO" else as_tensor(data)
    if isinstance(data, collections.abc.Mapping):
        return _same_mapping(data, {key: default_convert(data[key]) for key in data})
    if _is_namedtuple(data):
        return type(data)(*(default_convert(one) for one in data))
    if isinstance(data, tuple):
        return [default_convert(one) for one in data]
    if isinstance(data, collections.abc.Sequence):
        return _same_sequence(data, [default_convert(one) for one in data])
    return data


def default_collate(batch: Any) -> Any:
    """Returns examples as one batch: numbers and tensors along a new first dim.

    Args:
        batch: Examples of one structure: tensors, arrays, numbers, strings, and mappings, tuples
            and lists of these.

    Raises:
        ArgumentTypeError: examples of another type.
        InvalidArgumentError: sequences of unequal length.
    """
    first = batch[0]
    if isinstance(first, Tensor):
        return stack(list(batch))
    if _is_array(first):
        if first.dtype.kind in "SUO":
            raise ArgumentTypeError(
                f"default_collate: arrays must be numeric, got dtype {first.dtype}"
            )
        return stack([as_tensor(one) for one in batch])
    if isinstance(first, float):
        return tensor(list(batch), dtype=float64)
    if isinstance(first, int):
        return tensor(list(batch))
    if isinstance(first, (str, bytes)):
        return batch
    if isinstance(first, collections.abc.Mapping):
        return _same_mapping(
            first, {key: default_collate([one[key] for one in batch]) for key in first}
        )
    if _is_namedtuple(first):
        parts = zip(*batch, strict=True)
        return type(first)(*(default_collate(part) for part in parts))
    if isinstance(first, collections.abc.Sequence):
        if any(len(one) != len(first) for one in batch):
            raise InvalidArgumentError("default_collate: sequences must be of equal size")
        parts = [default_collate(part) for part in zip(*batch, strict=True)]
        return parts if isinstance(first, tuple) else _same_sequence(first, parts)
    raise ArgumentTypeError(
        "default_collate: batch must hold tensors, arrays, numbers, mappings or sequences, got "
        f"{type(first).__name__}"
    )
