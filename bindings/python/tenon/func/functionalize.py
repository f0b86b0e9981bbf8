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
    """Returns the state of a thread that is in no mode, transform or recording."""
    made: list[ThreadState] = []
    thread = threading.Thread(target=lambda: made.append(ThreadState()))
    thread.start()
    thread.join()
    return made[0]


def _record(function: Callable[..., Any], tensors: list[Tensor]) -> Graph:
    """Traces a function on fake tensors with the layout of the given ones."""
    with FakeTensorMode(allow_non_fake_inputs=True):
        fakes = [
            empty_strided(t.shape, t.stride(), dtype=t.dtype, device=t.device) for t in tensors
        ]
        return trace(function, *fakes)


def functionalize(func: Callable[_P, _R], *, remove: str = "mutations") -> Callable[_P, _R]:
    """Returns a function that runs `func` with in-place operators replaced by functional ones.

    Each call first traces `func` on fake tensors, outside of all transforms; it then runs the trace
    without the writes on the real tensors, inside the surrounding transforms and recordings. At the
    end, inputs that `func` writes are updated.

    Args:
        func: Takes trees of tensors and other values, and returns trees of tensors. It must not
            read elements (`item`), nor write to captured tensors of transforms.
        remove: "mutations", or "mutations_and_views", which also replaces views by copies.

    Raises:
        StateError: If `remove` is any other text.
        DataDependentError: If `func` reads elements.
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
