# SPDX-License-Identifier: Apache-2.0
"""Jacobians, Hessians, and their products with vectors, for functions of tensors."""

from __future__ import annotations

from .. import _tenon
from .._tenon import Tensor
from ..error import ArgumentTypeError, InvalidArgumentError, StateError
from ..grad_mode import enable_grad

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    Tensors = tuple[Tensor, ...]

_ALLOW_UNUSED = _tenon.TENON_BACKWARD_ALLOW_UNUSED
_CREATE = _tenon.TENON_BACKWARD_CREATE_GRAPH
_KEEP = _tenon.TENON_BACKWARD_KEEP_GRAPH


# ---- Arguments and results -----------------------------------------------------------------------


def _tensors(function: str, what: str, value: Any) -> tuple[bool, Tensors]:
    """Returns whether `given` was a tuple, and the tensors as a tuple."""
    given = value if isinstance(value, tuple) else (value,)
    for place, one in enumerate(given):
        if not isinstance(one, Tensor):
            which = f"{what} {place}" if isinstance(value, tuple) else what
            raise ArgumentTypeError(
                f"{function}: {which} must be Tensor, {what} a Tensor or a tuple of them, got "
                f"{type(one).__name__}"
            )
    return isinstance(value, tuple), given


def _prepare(inputs: Tensors, create_graph: bool) -> Tensors:
    """Returns the inputs to differentiate by; linked to the caller's if a graph is created."""
    if create_graph:
        return tuple(one.view(one.shape) if one.requires_grad else _leaf(one) for one in inputs)
    return tuple(_leaf(one) for one in inputs)


def _leaf(tensor: Tensor) -> Tensor:
    return tensor.detach().requires_grad_()


def _finish(values: Tensors, create_graph: bool) -> Tensors:
    return values if create_graph else tuple(one.detach() for one in values)


def _as_given(is_tuple: bool, values: tuple[Any, ...]) -> Any:
    return values if is_tuple else values[0]


def _vector(function: str, v: Any, like: Tensors, is_tuple: bool, what: str) -> Tensors:
    """Returns the checked vector of a product; 1 if it may be omitted."""
    if v is None:
        if len(like) != 1 or like[0].numel() != 1:
            raise InvalidArgumentError(
                f"{function}: v must be given unless {what} is one element, got None"
            )
        return (like[0].new_ones(like[0].shape),)
    _, vector = _tensors(function, "v", v)
    if len(vector) != len(like):
        raise InvalidArgumentError(
            f"{function}: v must have {len(like)} tensors like {what}, got {len(vector)}"
        )
    for place, (one, other) in enumerate(zip(vector, like, strict=True)):
        if one.shape != other.shape:
            where = f"v {place}" if is_tuple else "v"
            raise InvalidArgumentError(
                f"{function}: {where} must have the size of {what}, {tuple(other.shape)}, got "
                f"{tuple(one.shape)}"
            )
    return vector


def _run(function: str, func: Any, inputs: Tensors, strict: bool) -> tuple[bool, Tensors]:
    is_tuple, outputs = _tensors(function, "outputs", func(*inputs))
    if strict:
        for place, one in enumerate(outputs):
            if not one.requires_grad:
                raise StateError(
                    f"{function}: output {place} must depend on the inputs in strict mode, got one "
                    "that is independent of them"
                )
    return is_tuple, outputs


# ---- Gradients -----------------------------------------------------------------------------------


def _grads(
    outputs: Tensors, inputs: Tensors, v: tuple[Any, ...], create_graph: bool, keep: bool = False
) -> tuple[Tensor | None, ...]:
    """Gradients of inputs, None where no output depends on one."""
    tracked = [place for place, one in enumerate(outputs) if one.requires_grad]
    wanted = [place for place, one in enumerate(inputs) if one.requires_grad]
    found: list[Tensor | None] = [None] * len(inputs)
    if tracked and wanted:
        flags = _ALLOW_UNUSED | (_CREATE if create_graph else 0) | (_KEEP if keep else 0)
        given = _tenon.run_grad(
            tuple(outputs[place] for place in tracked),
            tuple(v[place] for place in tracked),
            tuple(inputs[place] for place in wanted),
            flags,
        )
        for place, grad in zip(wanted, given, strict=True):
            found[place] = grad
    return tuple(found)


def _filled(
    function: str, grads: tuple[Tensor | None, ...], inputs: Tensors, strict: bool, what: str
) -> Tensors:
    """Zeros in the place of absent gradients, which strict mode refuses."""
    filled = []
    for place, (grad, like) in enumerate(zip(grads, inputs, strict=True)):
        if grad is None and strict:
            raise StateError(
                f"{function}: {what} must depend on input {place} in strict mode, got one that is "
                "independent of it"
            )
        filled.append(like.new_zeros(like.shape) if grad is None else grad)
    return tuple(filled)


def _check_strict(function: str, grads: Tensors, strict: bool, create_graph: bool) -> None:
    if not strict or not create_graph:
        return
    for place, grad in enumerate(grads):
        if not grad.requires_grad:
            raise StateError(
                f"{function}: gradient {place} must depend on the inputs in strict mode with "
                "create_graph, got one that is independent of them"
            )


def vjp(
    func: Callable[..., Any],
    inputs: Any,
    v: Any = None,
    create_graph: bool = False,
    strict: bool = False,
) -> Any:
    """Returns a function's outputs, and the product of a vector and its Jacobian.

    Args:
        func: From tensors to a tensor or a tuple of them.
        inputs: A tensor or a tuple of them.
        v: Vector of the outputs' sizes; None if the output is one element.
        create_graph: If true, the results can be differentiated.
        strict: If true, outputs that do not depend on inputs are an error, not zeros.
    """
    with enable_grad():
        in_tuple, given = _tensors("vjp", "inputs", inputs)
        given = _prepare(given, create_graph)
        out_tuple, outputs = _run("vjp", func, given, strict)
        vector = _vector("vjp", v, outputs, out_tuple, "the output")
        found = _grads(outputs, given, vector, create_graph)
        product = _filled("vjp", found, given, strict, "the outputs")
        _check_strict("vjp", product, strict, create_graph)
    return (
        _as_given(out_tuple, _finish(outputs, create_graph)),
        _as_given(in_tuple, _finish(product, create_graph)),
    )


def _pushed(function: str, outputs: Tensors, inputs: Tensors, v: Tensors, strict: bool) -> Any:
    """Returns the Jacobian times v by double backward: gradients are linear in their cotangents."""
    dummies = tuple(_leaf(one.new_zeros(one.shape)) for one in outputs)
    grads = _grads(outputs, inputs, dummies, create_graph=True)
    linear = _filled(function, grads, inputs, strict, "the outputs")
    return _grads(linear, dummies, v, create_graph=True)


def jvp(
    func: Callable[..., Any],
    inputs: Any,
    v: Any = None,
    create_graph: bool = False,
    strict: bool = False,
) -> Any:
    """Returns a function's outputs, and the product of its Jacobian and a vector.

    Computes the product by two backward passes (double backward).

    Args:
        func: From tensors to a tensor or a tuple of them.
        inputs: A tensor or a tuple of them.
        v: Vector of the inputs' sizes; None if the input is one element.
        create_graph: If true, the results can be differentiated.
        strict: If true, outputs that do not depend on inputs are an error, not zeros.
    """
    with enable_grad():
        in_tuple, given = _tensors("jvp", "inputs", inputs)
        given = _prepare(given, create_graph)
        vector = _vector("jvp", v, given, in_tuple, "the input")
        out_tuple, outputs = _run("jvp", func, given, strict)
        found = _pushed("jvp", outputs, given, vector, strict)
        product = _filled("jvp", found, outputs, strict, "the product")
        _check_strict("jvp", product, strict, create_graph)
    return (
        _as_given(out_tuple, _finish(outputs, create_graph)),
        _as_given(out_tuple, _finish(product, create_graph)),
    )


# ---- Whole matrices ------------------------------------------------------------------------------


def _unit(like: Tensor, place: int) -> Tensor:
    """Returns a tensor of zeros and, at one place in row-major order, a one."""
    unit = like.new_zeros(like.numel())
    unit[place] = 1
    return unit.reshape(like.shape)


def _rows(
    outputs: Tensors, number: int, given: Tensors, create_graph: bool, strict: bool
) -> Tensors:
    """Returns the Jacobian of one output by all inputs, a backward pass for each element."""
    from ..functional import stack

    output = outputs[number]
    rows = []
    for place in range(output.numel()):
        found = _grads((output,), given, (_unit(output, place),), create_graph, keep=True)
        row = _filled("jacobian", found, given, strict, f"output {number}")
        _check_strict("jacobian", row, strict, create_graph)
        rows.append(row)
    if not rows:
        return tuple(one.new_zeros((*output.shape, *one.shape)) for one in given)
    return tuple(
        stack(list(column)).reshape((*output.shape, *one.shape))
        for column, one in zip(zip(*rows, strict=True), given, strict=True)
    )


def _columns(func: Any, inputs: Tensors, strict: bool) -> tuple[bool, list[Tensors]]:
    """Returns the Jacobian of all outputs, by a product with a unit vector per input element."""
    from ..functional import movedim, stack

    given = _prepare(inputs, False)
    out_tuple, outputs = _run("jacobian", func, given, strict)
    blocks: list[list[Tensor]] = [[] for _ in outputs]
    for number, one in enumerate(given):
        columns = []
        for place in range(one.numel()):
            vector = tuple(
                _unit(other, place) if other is one else other.new_zeros(other.shape)
                for other in given
            )
            found = _pushed("jacobian", outputs, given, vector, strict)
            columns.append(_filled("jacobian", found, outputs, strict, f"input {number}"))
        for block, output, column in zip(blocks, outputs, zip(*columns, strict=True), strict=True):
            whole = movedim(stack(list(column)), 0, -1)
            block.append(whole.reshape((*output.shape, *one.shape)).detach())
    return out_tuple, [tuple(block) for block in blocks]


def jacobian(
    func: Callable[..., Any],
    inputs: Any,
    create_graph: bool = False,
    strict: bool = False,
    vectorize: bool = False,
    strategy: str = "reverse-mode",
) -> Any:
    """Returns the Jacobian: the derivatives of each element of outputs by each of inputs.

    Args:
        func: From tensors to a tensor or a tuple of them.
        inputs: A tensor or a tuple of them.
        create_graph: If true, the results can be differentiated.
        strict: If true, outputs that do not depend on inputs are an error, not zeros.
        vectorize: Has no effect: passes run in sequence.
        strategy: "reverse-mode" takes a pass for each element of outputs, "forward-mode" one for
            each element of inputs.

    Returns:
        A tensor of the output's sizes and then the input's; of several outputs a tuple, of several
        inputs tuples.
    """
    if strategy not in ("reverse-mode", "forward-mode"):
        raise InvalidArgumentError(
            f"jacobian: strategy must be 'reverse-mode' or 'forward-mode', got {strategy!r}"
        )
    if vectorize and strict:
        raise StateError("jacobian: strict must be False where vectorize is True, got both")
    if strategy == "forward-mode" and create_graph:
        raise InvalidArgumentError(
            "jacobian: create_graph must be False for 'forward-mode', got True"
        )
    if strategy == "forward-mode" and not vectorize:
        raise InvalidArgumentError("jacobian: vectorize must be True for 'forward-mode', got False")
    with enable_grad():
        in_tuple, given = _tensors("jacobian", "inputs", inputs)
        if strategy == "forward-mode":
            out_tuple, blocks = _columns(func, given, strict)
        else:
            given = _prepare(given, create_graph)
            out_tuple, outputs = _run("jacobian", func, given, strict)
            blocks = [
                _finish(_rows(outputs, number, given, create_graph, strict), create_graph)
                for number in range(len(outputs))
            ]
    return _as_given(out_tuple, tuple(_as_given(in_tuple, block) for block in blocks))


def _single(function: str, func: Any) -> Any:
    """Returns the function, whose output must be one tensor of one element."""

    def single(*inputs: Tensor) -> Tensor:
        output = func(*inputs)
        is_tuple, outputs = _tensors(function, "outputs", output)
        if is_tuple or outputs[0].numel() != 1:
            got = f"{len(outputs)} tensors" if is_tuple else f"one of shape {outputs[0].shape}"
            raise StateError(f"{function}: output must be a single element, got {got}")
        return outputs[0].reshape(())

    return single


def hessian(
    func: Callable[..., Any],
    inputs: Any,
    create_graph: bool = False,
    strict: bool = False,
    vectorize: bool = False,
    outer_jacobian_strategy: str = "reverse-mode",
) -> Any:
    """Returns the Hessian: the second derivatives of one element by each pair of inputs' elements.

    Args:
        func: From tensors to a tensor of one element.
        inputs: A tensor or a tuple of them.
        create_graph: If true, the results can be differentiated.
        strict: If true, derivatives that do not depend on inputs are an error, not zeros.
        vectorize: As for jacobian.
        outer_jacobian_strategy: The strategy of the second derivative.

    Returns:
        A tensor of the input's sizes twice; of several inputs a tuple of tuples.
    """
    in_tuple, _ = _tensors("hessian", "inputs", inputs)
    single = _single("hessian", func)

    def first(*given: Tensor) -> Tensors:
        if outer_jacobian_strategy == "forward-mode":
            given = tuple(one if one.requires_grad else _leaf(one) for one in given)
        found = jacobian(single, given, create_graph=True, strict=strict and not vectorize)
        return found if in_tuple else found[0]

    return jacobian(
        first,
        inputs,
        create_graph=create_graph,
        strict=strict,
        vectorize=vectorize,
        strategy=outer_jacobian_strategy,
    )


# ---- Products with the Hessian -------------------------------------------------------------------


def _first_gradients(function: str, func: Any, given: Tensors, strict: bool) -> Any:
    output = _single(function, func)(*given)
    if strict and not output.requires_grad:
        raise StateError(
            f"{function}: output must depend on the inputs in strict mode, got one that is "
            "independent of them"
        )
    found = _grads((output,), given, (None,), create_graph=True)
    first = _filled(function, found, given, strict, "the output")
    return output, first


def _hessian_product(
    function: str,
    func: Callable[..., Any],
    inputs: Any,
    v: Any,
    create_graph: bool,
    strict: bool,
    product: Callable[[Tensors, Tensors, Tensors], Any],
) -> Any:
    """Returns the output and `product` applied to the gradients, the inputs and the vector."""
    with enable_grad():
        in_tuple, given = _tensors(function, "inputs", inputs)
        given = _prepare(given, create_graph)
        vector = _vector(function, v, given, in_tuple, "the input")
        output, first = _first_gradients(function, func, given, strict)
        found = product(first, given, vector)
        filled = _filled(function, found, given, strict, "the gradient")
        _check_strict(function, filled, strict, create_graph)
    return (
        _finish((output,), create_graph)[0],
        _as_given(in_tuple, _finish(filled, create_graph)),
    )


def vhp(
    func: Callable[..., Any],
    inputs: Any,
    v: Any = None,
    create_graph: bool = False,
    strict: bool = False,
) -> Any:
    """Returns a function's output, and the product of a vector and its Hessian.

    Args:
        func: From tensors to a tensor of one element.
        inputs: A tensor or a tuple of them.
        v: Vector of the inputs' sizes; None if the input is one element.
        create_graph: If true, the results can be differentiated.
        strict: If true, derivatives that do not depend on inputs are an error, not zeros.
    """

    def product(first: Tensors, given: Tensors, vector: Tensors) -> Any:
        return _grads(first, given, vector, create_graph)

    return _hessian_product("vhp", func, inputs, v, create_graph, strict, product)


def hvp(
    func: Callable[..., Any],
    inputs: Any,
    v: Any = None,
    create_graph: bool = False,
    strict: bool = False,
) -> Any:
    """Returns a function's output, and the product of its Hessian and a vector.

    Args:
        func: From tensors to a tensor of one element.
        inputs: A tensor or a tuple of them.
        v: Vector of the inputs' sizes; None if the input is one element.
        create_graph: If true, the results can be differentiated.
        strict: If true, derivatives that do not depend on inputs are an error, not zeros.
    """

    def product(first: Tensors, given: Tensors, vector: Tensors) -> Any:
        return _pushed("hvp", first, given, vector, strict)

    return _hessian_product("hvp", func, inputs, v, create_graph, strict, product)


__all__ = ["hessian", "hvp", "jacobian", "jvp", "vhp", "vjp"]
