# SPDX-License-Identifier: Apache-2.0
"""Functions without writes, of functions that write."""

from __future__ import annotations

import functools
import threading

from .._tenon import Tensor
from ..error import StateError
from ..factories import empty_strided
from ..fake import FakeTensorMode
from ..graph import Graph, trace
from ..thread_state import ThreadState
from ..utils.pytree import tree_flatten, tree_unflatten

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any, ParamSpec, TypeVar

    _P = ParamSpec("_P")
    _R = TypeVar("_R")


def _plain_state() -> ThreadState:
    """The state of a thread that is in no mode, transform or recording."""
    made: list[ThreadState] = []
    thread = threading.Thread(target=lambda: made.append(ThreadState()))
    thread.start()
    thread.join()
    return made[0]


def _record(function: Callable[..., Any], tensors: list[Tensor]) -> Graph:
    """The graph of what a function calls on tensors like these, which it does not see."""
    with FakeTensorMode(allow_non_fake_inputs=True):
        fakes = [
            empty_strided(t.shape, t.stride(), dtype=t.dtype, device=t.device) for t in tensors
        ]
        return trace(function, *fakes)


def functionalize(func: Callable[_P, _R], *, remove: str = "mutations") -> Callable[_P, _R]:
    """Gives a function that calls operators that give new values in place of those that write.

    Each time it first runs `func` on fake tensors, outside of all transforms, and records what it
    calls; then it calls that without the writes on the tensors themselves, as the transforms and
    recordings around it see. Inputs that `func` writes are given their values at the end.

    Args:
        func: It takes trees of tensors and of what else it likes, and returns trees of tensors. It
            may not read elements (`item`), nor write to tensors that it captures from transforms.
        remove: "mutations", or "mutations_and_views": views become copies, too.

    Raises:
        StateError: `remove` is another text.
        DataDependentError: `func` reads elements.
        NotSupportedError: As `Graph.functionalize`.
    """
    if remove not in ("mutations", "mutations_and_views"):
        raise StateError(
            f'functionalize: remove must be "mutations" or "mutations_and_views", got {remove!r}'
        )

    plain = _plain_state()

    @functools.wraps(func)
    def wrapper(*args: Any, **kwargs: Any) -> Any:
        leaves, spec = tree_flatten((args, kwargs))
        places = [place for place, leaf in enumerate(leaves) if isinstance(leaf, Tensor)]

        def of_tensors(*tensors: Tensor) -> Any:
            filled = list(leaves)
            for place, tensor in zip(places, tensors, strict=True):
                filled[place] = tensor
            its_args, its_kwargs = tree_unflatten(filled, spec)
            return func(*its_args, **its_kwargs)

        tensors = [leaves[place] for place in places]
        recorded = plain.bind(_record)(of_tensors, tensors)
        return recorded.functionalize(remove=remove)(*tensors)

    return wrapper


__all__ = ["functionalize"]
