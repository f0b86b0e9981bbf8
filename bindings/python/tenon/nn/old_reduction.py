# SPDX-License-Identifier: Apache-2.0
"""The deprecated loss arguments `size_average` and `reduce`, which `reduction` replaces."""

from __future__ import annotations

import functools

from ..error import ArgumentTypeError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

OLD = ("size_average", "reduce")


def reduction_of(size_average: bool | None, reduce: bool | None) -> str:
    """Returns the reduction that corresponds to the deprecated arguments; None counts as True."""
    if reduce is not None and not reduce:
        return "none"
    return "mean" if size_average is None or size_average else "sum"


class _Signature:
    """The signature of a loss class, with the deprecated arguments; `inspect` reads it."""

    def __init__(self, inner: Any, order: tuple[str, ...]) -> None:
        self._inner, self._order = inner, order

    def __get__(self, instance: Any, owner: Any = None) -> Any:
        if instance is not None:
            raise AttributeError("__signature__")
        import inspect

        known = dict(inspect.signature(self._inner).parameters)
        kind = inspect.Parameter.POSITIONAL_OR_KEYWORD
        known |= {name: inspect.Parameter(name, kind, default=None) for name in OLD}
        return inspect.Signature([known[name].replace(kind=kind) for name in self._order])


def takes_old_reduction(*order: str) -> Any:
    """Decorates a loss class so that its constructor also accepts the deprecated arguments.

    Args:
        order: Names of all arguments in PyTorch's order, the old ones among them.
    """

    def decorate(loss: Any) -> Any:
        inner = loss.__init__

        @functools.wraps(inner)
        def __init__(self: Any, *args: Any, **kwargs: Any) -> None:
            if len(args) > len(order):
                raise ArgumentTypeError(
                    f"{loss.__name__}: arguments must be at most {len(order)}, got {len(args)}"
                )
            given = dict(zip(order, args, strict=False))
            for name in kwargs:
                if name in given:
                    raise ArgumentTypeError(
                        f"{loss.__name__}: {name} must be given once, got it twice"
                    )
            given.update(kwargs)
            size_average, reduce = (given.pop(name, None) for name in OLD)
            if isinstance(size_average, str):  # a reduction by position
                given["reduction"] = size_average
            elif size_average is not None or reduce is not None:
                given["reduction"] = reduction_of(size_average, reduce)
            inner(self, **given)

        loss.__init__ = __init__
        loss.__signature__ = _Signature(inner, order)
        return loss

    return decorate


__all__ = ["reduction_of", "takes_old_reduction"]
