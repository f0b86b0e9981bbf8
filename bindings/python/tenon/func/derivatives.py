# SPDX-License-Identifier: Apache-2.0
"""Derivatives of functions: grad, vjp, jvp, and Jacobians made of these and vmap."""

from __future__ import annotations

import functools

from .. import _tenon
from .._tenon import Tensor
from .._typing import overload
from ..error import InvalidArgumentError, StateError
from ..utils.pytree import LEAF, tree_flatten, tree_unflatten
from .layer import grad_layer, jvp_layer, unwrap
from .vmap import vmap

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any, Literal, ParamSpec, TypeVar

    _P = ParamSpec("_P")
    _R = TypeVar("_R")
    _A = TypeVar("_A")


def _argnums(name: str, argnums: Any, count: int) -> tuple[int, ...]:
    """Returns the positions of the arguments that are differentiated."""
    listed = argnums if isinstance(argnums, tuple) else (argnums,)
    if not listed or not all(isinstance(each, int) for each in listed):
        raise StateError(f"{name}: argnums must be int or a tuple of them, got {argnums!r}")
    found = tuple(each + count if each < 0 else each for each in listed)
    for given, place in zip(listed, found, strict=True):
        if not 0 <= place < count:
            raise StateError(
                f"{name}: argnums must be positions of the {count} arguments, got {given}"
            )
    if len(set(found)) != len(found):
        raise StateError(f"{name}: argnums must be different positions, got {argnums!r}")
    return found


def _tensors(name: str, what: str, leaves: list[Any]) -> list[Tensor]:
    for each in leaves:
        if not isinstance(each, Tensor):
            raise StateError(f"{name}: {what} must hold Tensors only, got {type(each).__name__}")
    return leaves


def _split_aux(name: str, output: Any, has_aux: bool) -> tuple[Any, Any]:
    if not has_aux:
        return output, None
    if not isinstance(output, tuple) or len(output) != 2:
        raise StateError(
            f"{name}: function must return a pair (output, aux) with has_aux=True, got "
            f"{type(output).__name__}"
        )
    return output


def _unwrap_aux(name: str, handle: Any, aux: Any) -> Any:
    leaves, spec = tree_flatten(aux)
    _tensors(name, "aux", leaves)
    return tree_unflatten([unwrap(handle, each) for each in leaves], spec)


def _check_scalar(name: str, output: Any, results: list[Any], spec: Any) -> None:
    _tensors(name, "output of the function", results)
    if spec is not LEAF:
        raise StateError(f"{name}: function must return one Tensor, got {type(output).__name__}")
    if results[0].ndim != 0:
        raise StateError(
            f"{name}: function must return a Tensor without dims (a scalar), got one of sizes "
            f"{list(results[0].shape)}"
        )


class _Recorded:
    """The state of one call in a grad layer that is needed for its gradient."""

    __slots__ = ("aux", "output", "pullback", "results", "spec")


def _record(
    name: str,
    function: Callable[..., Any],
    args: tuple[Any, ...],
    kwargs: dict[str, Any],
    places: tuple[int, ...],
    has_aux: bool,
    is_scalar: bool,
) -> tuple[_Recorded, Any]:
    """Calls a function and records it for some arguments; also returns their tree structure."""
    leaves, spec = tree_flatten([args[place] for place in places])
    _tensors(name, "arguments that are differentiated", leaves)
    recorded = _Recorded()
    with grad_layer() as handle:
        inputs = [_tenon.layer_wrap(handle, each, None) for each in leaves]
        given = list(args)
        for place, tree in zip(places, tree_unflatten(inputs, spec), strict=True):
            given[place] = tree
        output, aux = _split_aux(name, function(*given, **kwargs), has_aux)
    results, recorded.spec = tree_flatten(output)
    if is_scalar:
        _check_scalar(name, output, results, recorded.spec)
    else:
        _tensors(name, "output of the function", results)
    recorded.aux = _unwrap_aux(name, handle, aux) if has_aux else None
    recorded.results = [unwrap(handle, each) for each in results]
    recorded.pullback = _tenon.pullback_new(tuple(results), tuple(inputs))
    return recorded, spec


def _grad_and_value(
    name: str,
    function: Callable[..., Any],
    argnums: Any,
    has_aux: bool,
    args: tuple[Any, ...],
    kwargs: dict[str, Any],
) -> tuple[Any, Any, Any]:
    places = _argnums(name, argnums, len(args))
    recorded, spec = _record(name, function, args, kwargs, places, has_aux, True)
    value = recorded.results[0]
    grads = _tenon.pullback_run(recorded.pullback, (None,))
    tree = tree_unflatten(grads, spec)
    return (tuple(tree) if isinstance(argnums, tuple) else tree[0]), value, recorded.aux


def _call_for_both(func: Any, options: tuple[Any, ...], args: Any, kwargs: Any) -> Any:
    """Runs a call of the result of grad_and_value."""
    grads, value, aux = _grad_and_value("grad_and_value", func, *options, args, kwargs)
    return (grads, (value, aux)) if options[1] else (grads, value)


def _call_for_grad(func: Any, options: tuple[Any, ...], args: Any, kwargs: Any) -> Any:
    """Runs a call of the result of grad."""
    grads, _, aux = _grad_and_value("grad", func, *options, args, kwargs)
    return (grads, aux) if options[1] else grads


def _finish_both(func: Any, options: Any, handle: Any, output: Any, given: Tensor) -> Any:
    """Returns the gradient in the layer's argument, and the layer's result, unwrapped."""
    results, spec = tree_flatten(output)
    _check_scalar("grad", output, results, spec)
    value = unwrap(handle, results[0])
    pullback = _tenon.pullback_new(tuple(results), (given,))
    return _tenon.pullback_run(pullback, (None,))[0], value


def _finish_grad(*call: Any) -> Any:
    return _finish_both(*call)[0]


def grad_and_value(
    func: Callable[_P, Any], argnums: int | tuple[int, ...] = 0, has_aux: bool = False
) -> Callable[_P, tuple[Any, Any]]:
    """Returns a function that computes (gradient, value) of a scalar function.

    Args:
        func: Returns a Tensor without dims, with `has_aux` a pair of it and a tree of Tensors.
        argnums: Which arguments are differentiated: trees of floating or complex Tensors.
        has_aux: If true, the result is (gradient, (value, aux)).

    Raises:
        StateError: from the function returned, for other arguments and results.
    """
    kind = _tenon.TRANSFORMED_GRAD_AND_VALUE
    return _tenon.transformed(kind, func, (argnums, has_aux), _call_for_both, _finish_both)


def grad(
    func: Callable[_P, Any], argnums: int | tuple[int, ...] = 0, has_aux: bool = False
) -> Callable[_P, Any]:
    """Returns a function that computes the gradient of a scalar function.

    Args:
        func: Returns a Tensor without dims, with `has_aux` a pair of it and a tree of Tensors.
        argnums: Which arguments are differentiated: trees of floating or complex Tensors.
        has_aux: If true, the result is (gradient, aux).

    Raises:
        StateError: from the function returned, for other arguments and results.
    """
    options = (argnums, has_aux)
    return _tenon.transformed(_tenon.TRANSFORMED_GRAD, func, options, _call_for_grad, _finish_grad)


@overload
def vjp(
    func: Callable[..., _R], *primals: Any, has_aux: Literal[False] = False
) -> tuple[_R, Callable[..., Any]]: ...


@overload
def vjp(
    func: Callable[..., tuple[_R, _A]], *primals: Any, has_aux: Literal[True]
) -> tuple[_R, Callable[..., Any], _A]: ...


@overload
def vjp(func: Callable[..., Any], *primals: Any, has_aux: bool) -> tuple[Any, ...]: ...


def vjp(func: Callable[..., Any], *primals: Any, has_aux: bool = False) -> tuple[Any, ...]:
    """Calls a function; returns its result, and the function from its cotangents to gradients.

    Args:
        func: Takes and returns trees of Tensors, with `has_aux` a pair of one and aux.
        primals: The arguments, all of them differentiated.
        has_aux: If true, (result, function, aux) is returned.

    Raises:
        StateError: If a value is not a floating or complex Tensor.
    """
    if not primals:
        raise StateError("vjp: function must have arguments to be differentiated, got none")
    places = tuple(range(len(primals)))
    recorded, spec = _record("vjp", func, primals, {}, places, has_aux, False)

    def vjp_fn(cotangents: Any, retain_graph: bool = True, create_graph: bool | None = None) -> Any:
        """Returns a tuple of gradients, one for each argument."""
        leaves, given = tree_flatten(cotangents)
        if given != recorded.spec:
            raise StateError(
                f"vjp: cotangents must be in the structure of the result {recorded.spec}, got "
                f"{given}"
            )
        _tensors("vjp", "cotangents", leaves)
        return tuple(tree_unflatten(_tenon.pullback_run(recorded.pullback, tuple(leaves)), spec))

    result = tree_unflatten(recorded.results, recorded.spec)
    return (result, vjp_fn, recorded.aux) if has_aux else (result, vjp_fn)


@overload
def jvp(
    func: Callable[..., _R],
    primals: tuple[Any, ...],
    tangents: tuple[Any, ...],
    *,
    strict: bool = False,
    has_aux: Literal[False] = False,
) -> tuple[_R, _R]: ...


@overload
def jvp(
    func: Callable[..., tuple[_R, _A]],
    primals: tuple[Any, ...],
    tangents: tuple[Any, ...],
    *,
    strict: bool = False,
    has_aux: Literal[True],
) -> tuple[_R, _R, _A]: ...


@overload
def jvp(
    func: Callable[..., Any],
    primals: tuple[Any, ...],
    tangents: tuple[Any, ...],
    *,
    strict: bool = False,
    has_aux: bool,
) -> tuple[Any, ...]: ...


def jvp(
    func: Callable[..., Any],
    primals: tuple[Any, ...],
    tangents: tuple[Any, ...],
    *,
    strict: bool = False,
    has_aux: bool = False,
) -> tuple[Any, ...]:
    """Calls a function; returns its result, and the result's derivative along the tangents.

    Args:
        func: Takes and returns trees of Tensors, with `has_aux` a pair of one and aux.
        primals: The arguments, a tuple.
        tangents: For each a tangent, in the same structure.
        strict: If true, a result that does not depend on the arguments is an error; otherwise its
            tangent is zeros.
        has_aux: If true, (result, tangents, aux) is returned.

    Raises:
        StateError: for arguments that do not match, or are no floating or complex Tensors.
    """
    found = _tenon.jvp_call(func, primals, tangents) if not (strict or has_aux) else None
    if found is not None:
        if isinstance(found[0], Tensor):
            return found
        handle, output = found
        try:
            duals = _duals(handle, output)
        finally:
            _tenon.layer_leave(handle)
        return _outside(handle, strict, *duals)
    for what, given in (("primals", primals), ("tangents", tangents)):
        if not isinstance(given, tuple) or not given:
            raise StateError(
                f"jvp: {what} must be a tuple of one or more, got {type(given).__name__}"
            )
    leaves, spec = tree_flatten(primals)
    directions, tangent_spec = tree_flatten(tangents)
    if spec != tangent_spec:
        raise StateError(
            f"jvp: tangents must be in the structure of primals {spec}, got {tangent_spec}"
        )
    _tensors("jvp", "primals", leaves)
    _tensors("jvp", "tangents", directions)
    with jvp_layer() as handle:
        inputs = [
            _tenon.layer_wrap_dual(handle, primal, tangent)
            for primal, tangent in zip(leaves, directions, strict=True)
        ]
        output, aux = _split_aux("jvp", func(*tree_unflatten(inputs, spec)), has_aux)
        duals = _duals(handle, output)
    both = _outside(handle, strict, *duals)
    return (*both, _unwrap_aux("jvp", handle, aux)) if has_aux else both


def _duals(handle: Any, output: Any) -> tuple[list[Tensor], list[Tensor | None], Any]:
    """Returns the tensors of a jvp's result, their tangents, and its structure."""
    results, spec = tree_flatten(output)
    _tensors("jvp", "output of the function", results)
    return results, [_tenon.layer_tangent(handle, each) for each in results], spec


def _outside(
    handle: Any, strict: bool, duals: list[Tensor], found: list[Tensor | None], spec: Any
) -> tuple[Any, Any]:
    """Unwraps a jvp's result and tangents from the layer, and restores their structure."""
    from ..factories import zeros_like

    results = [unwrap(handle, each) for each in duals]
    tangents = []
    for place, each in enumerate(found):
        if each is None and strict:
            raise StateError(
                f"jvp: result {place} must depend on the arguments with strict=True, got one "
                "that does not"
            )
        tangents.append(zeros_like(results[place]) if each is None else each)
    return tree_unflatten(results, spec), tree_unflatten(tangents, spec)


def _basis(tensors: list[Tensor], dtype_of: list[Tensor] | None = None) -> list[Tensor]:
    """Returns unit vectors of all tensors together, with a first dim over all elements."""
    from ..factories import eye

    total = sum(each.numel() for each in tensors)
    found = []
    start = 0
    for each in tensors:
        count = each.numel()
        rows = eye(total, dtype=each.dtype, device=each.device)[:, start : start + count]
        found.append(rows.reshape((total, *each.shape)))
        start += count
    return found


def _with_argnums(
    name: str, function: Callable[..., Any], argnums: Any, args: tuple[Any, ...], kwargs: Any
) -> tuple[Callable[..., Any], tuple[Any, ...]]:
    """Returns the function of the differentiated arguments alone, and these arguments."""
    places = _argnums(name, argnums, len(args))

    def of_some(*some: Any) -> Any:
        given = list(args)
        for place, each in zip(places, some, strict=True):
            given[place] = each
        return function(*given, **kwargs)

    return of_some, tuple(args[place] for place in places)


def jacrev(
    func: Callable[..., Any],
    argnums: int | tuple[int, ...] = 0,
    *,
    has_aux: bool = False,
    chunk_size: int | None = None,
    _preallocate_and_copy: bool = False,
) -> Callable[..., Any]:
    """Returns a function that computes the Jacobian of another, with vmap over backward passes.

    Args:
        func: Takes and returns trees of Tensors; with `has_aux`, a pair of one and aux.
        argnums: Indices of the differentiated arguments.
        has_aux: If true, (Jacobian, aux) is returned.
        chunk_size: Number of rows computed at once; None for all.

    Returns:
        A function that returns, in the structure of the results, for each argument a Tensor whose
        shape is the result's sizes followed by the argument's.
    """

    @functools.wraps(func)
    def wrapper(*args: Any, **kwargs: Any) -> Any:
        of_some, some = _with_argnums("jacrev", func, argnums, args, kwargs)
        output, back, *aux = vjp(of_some, *some, has_aux=has_aux)
        results, out_spec = tree_flatten(output)
        inputs, in_spec = tree_flatten(some)
        basis = _basis(results)
        rows = vmap(
            lambda *units: tuple(tree_flatten(back(tree_unflatten(units, out_spec)))[0]),
            chunk_size=chunk_size,
        )(*basis)
        blocks = []  # by result
        start = 0
        for each in results:
            count = each.numel()
            part = [
                row[start : start + count].reshape((*each.shape, *of.shape))
                for row, of in zip(rows, inputs, strict=True)
            ]
            tree = tree_unflatten(part, in_spec)
            blocks.append(tree if isinstance(argnums, tuple) else tree[0])
            start += count
        jacobian = tree_unflatten(blocks, out_spec)
        return (jacobian, aux[0]) if has_aux else jacobian

    return wrapper


def jacfwd(
    func: Callable[..., Any],
    argnums: int | tuple[int, ...] = 0,
    has_aux: bool = False,
    *,
    randomness: str = "error",
    chunk_size: int | None = None,
) -> Callable[..., Any]:
    """Returns a function that computes the Jacobian of another, with vmap over forward mode.

    Args:
        func: Takes and returns trees of Tensors; with `has_aux`, a pair of one and aux.
        argnums: Indices of the differentiated arguments.
        has_aux: If true, (Jacobian, aux) is returned.
        randomness: Behaviour of random operators, see `vmap`.
        chunk_size: Number of columns computed at once; None for all.

    Returns:
        A function with the same results as that of `jacrev`.
    """

    @functools.wraps(func)
    def wrapper(*args: Any, **kwargs: Any) -> Any:
        of_some, some = _with_argnums("jacfwd", func, argnums, args, kwargs)
        inputs, in_spec = tree_flatten(some)
        _tensors("jacfwd", "arguments that are differentiated", inputs)

        def push(*units: Any) -> Any:
            return jvp(of_some, some, tree_unflatten(units, in_spec), has_aux=has_aux)

        mapped = vmap(
            push,
            out_dims=(None, -1, None) if has_aux else (None, -1),
            randomness=randomness,
            chunk_size=chunk_size,
        )
        output, tangents, *aux = mapped(*_basis(inputs))
        results, out_spec = tree_flatten(output)
        columns = tree_flatten(tangents)[0]
        blocks = []
        for each, column in zip(results, columns, strict=True):
            part = []
            start = 0
            for of in inputs:
                count = of.numel()
                part.append(column[..., start : start + count].reshape((*each.shape, *of.shape)))
                start += count
            tree = tree_unflatten(part, in_spec)
            blocks.append(tree if isinstance(argnums, tuple) else tree[0])
        jacobian = tree_unflatten(blocks, out_spec)
        return (jacobian, aux[0]) if has_aux else jacobian

    return wrapper


def hessian(func: Callable[_P, Any], argnums: int | tuple[int, ...] = 0) -> Callable[_P, Any]:
    """Returns a function that computes the Hessian of another: `jacfwd` of `jacrev`."""
    return jacfwd(jacrev(func, argnums), argnums)


def linearize(func: Callable[..., _R], *primals: Any) -> tuple[_R, Callable[..., _R]]:
    """Calls a function; returns its result, and the linear function from tangents to tangents.

    That is the transpose of the pullback: the function itself does not run again.

    Args:
        func: Takes and returns trees of Tensors.
        primals: The arguments.

    Raises:
        InvalidArgumentError: an argument is neither floating nor complex.
        StateError: a value is no Tensor; from the returned function, if tangents have another
            structure, sizes or dtypes than the arguments.
    """
    from ..factories import zeros_like

    arguments, spec = tree_flatten(primals)
    for place, each in enumerate(_tensors("linearize", "arguments", arguments)):
        if not (each.is_floating_point() or each.is_complex()):
            raise InvalidArgumentError(
                f"linearize: argument {place} must be floating or complex, got {each.dtype}"
            )
    output, back = vjp(func, *primals)
    results, out_spec = tree_flatten(output)
    zeros = [zeros_like(each) for each in results]
    _, forward = vjp(lambda *duals: back(tree_unflatten(duals, out_spec)), *zeros)

    def jvp_fn(*tangents: Any) -> Any:
        """Returns the derivative of the result along the tangents, one for each argument."""
        leaves, given = tree_flatten(tangents)
        if given != spec:
            raise StateError(
                f"linearize: tangents must be in the structure of the arguments {spec}, got {given}"
            )
        _tensors("linearize", "tangents", leaves)
        for place, (tangent, primal) in enumerate(zip(leaves, arguments, strict=True)):
            if tangent.shape != primal.shape or tangent.dtype != primal.dtype:
                raise StateError(
                    f"linearize: tangent {place} must have dtype {primal.dtype} and sizes "
                    f"{list(primal.shape)}, as its argument, got {tangent.dtype} and "
                    f"{list(tangent.shape)}"
                )
        return tree_unflatten(forward(tuple(tangents)), out_spec)

    return output, jvp_fn


__all__ = [
    "grad",
    "grad_and_value",
    "hessian",
    "jacfwd",
    "jacrev",
    "jvp",
    "linearize",
    "vjp",
]
