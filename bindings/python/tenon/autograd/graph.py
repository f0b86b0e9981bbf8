# SPDX-License-Identifier: Apache-2.0
"""The backward graph: its nodes, edges to them, and hooks on them.

Names and behaviour are PyTorch's.
"""

from __future__ import annotations

from collections import namedtuple
from functools import partial
from weakref import WeakValueDictionary, ref

from .. import _tenon
from .._tenon import Node, Tensor, queue_callback
from ..error import ArgumentTypeError
from .saved_tensors import (
    allow_mutation_on_saved_tensors,
    disable_saved_tensors_hooks,
    node_creation_hook,
    save_on_cpu,
    saved_tensors_hooks,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence
    from typing import Any


class GradientEdge(namedtuple("GradientEdge", ["node", "output_nr"])):
    """The destination of a gradient, for `grad` and `backward`: output `output_nr` of a node."""

    __slots__ = ()

    node: Node
    output_nr: int


def get_gradient_edge(tensor: Tensor) -> GradientEdge:
    """Returns where the gradient of a tensor goes, which outlives the tensor.

    Raises:
        Error: the tensor does not require grad.
    """
    return GradientEdge(*_tenon.gradient_edge(tensor))


def increment_version(tensor: Tensor | Iterable[Tensor]) -> None:
    """Counts a write of a tensor, or of each of several, that no operator made.

    Backward passes that need the old elements fail then.
    """
    for each in (tensor,) if isinstance(tensor, Tensor) else tensor:
        _tenon.tenon_tensor_increment_version(each)


def draw(
    tensor_or_node: Tensor | Node | GradientEdge,
    *more: Tensor | Node | GradientEdge,
    params: Any = None,
    saved: bool = False,
    limit: int = 200,
) -> str:
    """Draws the graph behind tensors or nodes: SVG text, as `python -m tenon graph` writes it.

    Data flows down the arrows, gradients up. A number at an arrow is the index of the result, if
    a call has several. Views and in-place writes to views have separate boxes.

    Args:
        tensor_or_node: Start of the picture: a tensor that requires grad, a node or an edge.
        more: Further starts.
        params: Names of tensors: a dict, pairs, or a module with `named_parameters`.
        saved: If true, nodes list the shapes of their saved tensors, which runs unpack hooks.
        limit: Maximum number of calls, latest first, and of leaves. The remaining ones are drawn as
            one box with their number.

    Raises:
        Error: If a tensor does not require grad.
        TypeError: If an argument is neither a tensor, a node nor an edge.
    """
    from .picture import picture, svg

    return svg(picture((tensor_or_node, *more), params, saved, limit))


# ---- Hooks of several tensors --------------------------------------------------------------------


class _Handles:
    """A handle of the hooks of several tensors, which are removed together."""

    def __init__(self, handles: Sequence[Any]) -> None:
        self._handles = tuple(handles)

    def remove(self) -> None:
        """Removes the hooks; does nothing if they are already removed."""
        for handle in self._handles:
            handle.remove()

    def __enter__(self) -> _Handles:
        return self

    def __exit__(self, *exc: object) -> None:
        self.remove()


class _Gathered:
    """The gradients that a hook of several tensors has received in one pass."""

    def __init__(self, nodes: Sequence[ref[Node]]) -> None:
        self.grads: list[Tensor | None] = [None] * len(nodes)
        alive = (node() for node in nodes)
        self.left = sum(node is not None and _tenon.pass_reaches(node) for node in alive)

    def keep(self) -> None:
        """Does nothing; the pass holds this bound method to keep the object alive."""


class _MultiHook:
    """A hook of several tensors: the gradients received so far, per pass."""

    def __init__(self, tensors: Sequence[Tensor]) -> None:
        # Weak references: the nodes own the hook, so owning them would be a reference cycle.
        self.nodes = [ref(get_gradient_edge(tensor).node) for tensor in tensors]
        self.passes: WeakValueDictionary[int, _Gathered] = WeakValueDictionary()

    def add(self, index: int, grad: Tensor | None) -> tuple[_Gathered, bool]:
        """Adds a gradient; returns the pass's state, and true if it is the first one."""
        number = _tenon.current_pass()
        gathered = self.passes.get(number)
        first = gathered is None
        if gathered is None:
            gathered = self.passes[number] = _Gathered(self.nodes)
            queue_callback(gathered.keep)
        gathered.grads[index] = grad
        gathered.left -= 1
        return gathered, first


def register_multi_grad_hook(
    tensors: Sequence[Tensor],
    fn: Callable[[Any], None],
    *,
    mode: str = "all",
) -> _Handles:
    """Calls a function with gradients of several tensors.

    Args:
        tensors: Tensors that require grad.
        fn: Called once per pass; returns nothing. With "all": called with a list of the gradients,
            once those of all tensors that the pass reaches have arrived; None for tensors that it
            does not reach. With "any": called with the first gradient.
        mode: "all" or "any".

    Returns:
        A handle with `remove()`, which is also a context manager.

    Raises:
        ValueError: For any other mode.
    """
    if mode not in ("all", "any"):
        raise ValueError(f'register_multi_grad_hook: mode must be "all" or "any", got {mode!r}')
    hook = _MultiHook(tensors)

    def run(index: int, grad: Tensor | None) -> None:
        gathered, first = hook.add(index, grad)
        if mode == "any":
            if first:
                fn(grad)
        elif gathered.left == 0:
            fn(gathered.grads)

    return _Handles([each.register_hook(partial(run, i)) for i, each in enumerate(tensors)])


# ---- Edges and tuples, for passes ----------------------------------------------------------------


def _places(function: str, what: str, value: Any) -> tuple[Any, ...]:
    """Returns tensors or edges as a tuple, from one, a sequence, or the values of a dict."""
    if isinstance(value, (Tensor, GradientEdge)):
        return (value,)
    if isinstance(value, dict):
        return tuple(value.values())
    if hasattr(value, "keys"):
        raise ArgumentTypeError(
            f"{function}: {what} must be tensors, a sequence or a dict of them, got "
            f"{type(value).__name__}, which is a mapping but no dict"
        )
    return tuple(value)


__all__ = [
    "GradientEdge",
    "Node",
    "allow_mutation_on_saved_tensors",
    "disable_saved_tensors_hooks",
    "draw",
    "get_gradient_edge",
    "increment_version",
    "node_creation_hook",
    "queue_callback",
    "register_multi_grad_hook",
    "save_on_cpu",
    "saved_tensors_hooks",
]
