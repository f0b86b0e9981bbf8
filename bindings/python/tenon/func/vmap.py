# SPDX-License-Identifier: Apache-2.0
"""vmap: a function of one example, called once for all of them."""

from __future__ import annotations

from .. import _tenon
from ..error import InvalidArgumentError
from ..utils.pytree import LEAF, broadcast_prefix, tree_flatten, tree_unflatten
from .layer import RANDOMNESS, Layer

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any, ParamSpec, TypeVar

    _P = ParamSpec("_P")
    _R = TypeVar("_R")

_VMAP = _tenon.TENON_LAYER_VMAP


def _is_dim(value: Any) -> bool:
    return value is None or isinstance(value, int)


def _name_of(function: Any) -> str:
    return f"vmap({getattr(function, '__name__', type(function).__name__)})"


def _in_dims(name: str, in_dims: Any, spec: Any) -> tuple[Any, ...]:
    """Returns the dim of each leaf of the arguments."""
    if isinstance(in_dims, int):
        return (in_dims,) * spec.num_leaves
    if not isinstance(in_dims, (tuple, list)):
        raise InvalidArgumentError(
            f"{name}: in_dims must be int or a tuple in the structure of the arguments, got "
            f"{type(in_dims).__name__}"
        )
    found = broadcast_prefix(tuple(in_dims), spec, _is_dim)
    if found is None:
        raise InvalidArgumentError(
            f"{name}: in_dims must be in the structure of the arguments {spec}, with int or None "
            f"for each, got {in_dims}"
        )
    return tuple(found)


def _out_dims(name: str, out_dims: Any, spec: Any) -> list[Any]:
    if isinstance(out_dims, int) or (out_dims is None):
        return [out_dims] * spec.num_leaves
    if spec is LEAF and isinstance(out_dims, tuple) and len(out_dims) == 1 and _is_dim(out_dims[0]):
        return [out_dims[0]]
    found = broadcast_prefix(out_dims, spec, _is_dim)
    if found is None:
        raise InvalidArgumentError(
            f"{name}: out_dims must be in the structure of the results {spec}, with int or None "
            f"for each, got {out_dims}"
        )
    return found


def _run(
    name: str,
    function: Callable[..., Any],
    leaves: list[Any],
    spec: Any,
    in_dims: tuple[Any, ...],
    out_dims: Any,
    size: int,
    randomness: int,
    kwargs: dict[str, Any],
) -> tuple[list[Any], Any, list[Any]]:
    """Calls the function in a layer; returns its results as leaves, structure and dims."""
    wrap = _tenon.layer_wrap
    layer = Layer(_VMAP, size, randomness)
    with layer as handle:
        mapped = [
            each if dim is None else wrap(handle, each, dim)
            for each, dim in zip(leaves, in_dims, strict=True)
        ]
        output = function(*tree_unflatten(mapped, spec), **kwargs)
    return _results(name, handle, out_dims, output)


def _results(
    name: str, handle: Any, out_dims: Any, output: Any
) -> tuple[list[Any], Any, list[Any]]:
    """Unwraps results from their layer; returns their leaves, structure and dims."""
    results, out_spec = tree_flatten(output)
    dims = _out_dims(name, out_dims, out_spec)
    result = _tenon.vmap_result
    for place, (each, dim) in enumerate(zip(results, dims, strict=True)):
        if dim is not None or isinstance(each, _tenon.Tensor):
            results[place] = result(handle, name, place, each, dim)
    return results, out_spec, dims


def _narrow(tensor: Any, dim: int, start: int, count: int) -> Any:
    return tensor[(slice(None),) * (dim % tensor.ndim) + (slice(start, start + count),)]


def _run_in_chunks(chunk_size: int, *call: Any) -> Any:
    """Runs vmap in chunks of `chunk_size` and concatenates the results."""
    from ..functional import cat

    name, function, leaves, spec, in_dims, out_dims, size, randomness, kwargs = call
    columns: list[list[Any]] = []
    for start in range(0, size, chunk_size):
        count = min(chunk_size, size - start)
        part = [
            each if dim is None else _narrow(each, dim, start, count)
            for each, dim in zip(leaves, in_dims, strict=True)
        ]
        results, out_spec, dims = _run(
            name, function, part, spec, in_dims, out_dims, count, randomness, kwargs
        )
        columns.append(results)
    wholes = [
        each[-1] if dim is None else cat(each, dim)
        for each, dim in zip(zip(*columns, strict=True), dims, strict=True)
    ]
    return tree_unflatten(wholes, out_spec)


def _is_symbolic(value: Any) -> bool:
    return isinstance(value, _tenon.Tensor) and any(
        isinstance(size, _tenon.SymInt) for size in value.shape
    )


def _with_numbers(tensor: Any) -> Any:
    """Returns a tensor whose symbolic sizes are replaced by numbers.

    A vmap layer needs its number of examples, so a trace is bound to these sizes: the recorded
    `expand` checks them when the trace runs.
    """
    return tensor.expand([int(size) for size in tensor.shape])


def _map(
    func: Callable[..., Any], options: tuple[Any, ...], args: tuple[Any, ...], kwargs: Any
) -> Any:
    """Calls a mapped function."""
    name = _name_of(func)
    in_dims, out_dims, randomness, chunk_size = options
    if not isinstance(randomness, int):
        raise InvalidArgumentError(
            f'{name}: randomness must be "error", "same" or "different", got {randomness!r}'
        )
    leaves, spec = tree_flatten(args)
    dims = _in_dims(name, in_dims, spec)
    try:
        size = _tenon.vmap_size(name, tuple(leaves), dims)
    except InvalidArgumentError:
        if not any(map(_is_symbolic, leaves)):
            raise
        leaves = [_with_numbers(each) if _is_symbolic(each) else each for each in leaves]
        size = _tenon.vmap_size(name, tuple(leaves), dims)
    call = (name, func, leaves, spec, dims, out_dims, size, randomness, kwargs)
    if chunk_size is not None and chunk_size < size:
        return _run_in_chunks(chunk_size, *call)
    results, out_spec, _ = _run(*call)
    return tree_unflatten(results, out_spec)


def _finish(
    func: Callable[..., Any], options: tuple[Any, ...], handle: Any, output: Any, _inputs: None
) -> Any:
    """Unwraps a tree of results from a layer."""
    results, spec, _ = _results(_name_of(func), handle, options[1], output)
    return tree_unflatten(results, spec)


def vmap(
    func: Callable[_P, _R],
    in_dims: Any = 0,
    out_dims: Any = 0,
    randomness: str = "error",
    *,
    chunk_size: int | None = None,
) -> Callable[_P, _R]:
    """Maps a function over a dim of its arguments.

    The function is called once, with tensors that lack the mapped dim; each operator runs once for
    all examples. vmap nests with itself, `grad`, `jvp` and similar transforms in any order.

    Args:
        func: Takes and returns trees of Tensors.
        in_dims: Mapped dim of each argument: one for all, or a tree that is a prefix of the
            arguments'; None for an argument that is not mapped.
        out_dims: Where the mapped dim goes in each result: one for all, or a tree that is a prefix
            of the results'; None for a result that is not mapped.
        randomness: For random operators: "error", "same" numbers for all examples, or "different".
        chunk_size: Number of examples mapped at once; None for all.

    Raises:
        InvalidArgumentError: If chunk_size is below 1. The returned function raises it for dims
            that do not fit the arguments or results.
    """
    if chunk_size is not None and chunk_size <= 0:
        raise InvalidArgumentError(f"vmap: chunk_size must be > 0 or None, got {chunk_size}")
    options = (in_dims, out_dims, RANDOMNESS.get(randomness, randomness), chunk_size)
    return _tenon.transformed(_tenon.TRANSFORMED_VMAP, func, options, _map, _finish)


__all__ = ["vmap"]
