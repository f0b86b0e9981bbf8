# SPDX-License-Identifier: Apache-2.0
"""Selective checkpointing: keeps results of chosen operators, recomputes all other results."""

from __future__ import annotations

import enum
from collections import defaultdict

from .._tenon import OpOverload, Tensor
from ..error import ArgumentTypeError, StateError
from ._python_dispatch import TorchDispatchMode
from .pytree import tree_map

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any


class CheckpointPolicy(enum.Enum):
    """Whether an operator's result is kept or recomputed; eager runs follow preferences as well."""

    MUST_SAVE = 0
    PREFER_SAVE = 1
    MUST_RECOMPUTE = 2
    PREFER_RECOMPUTE = 3
    MUST_CPU_OFFLOAD = 4


_SAVES = (CheckpointPolicy.MUST_SAVE, CheckpointPolicy.PREFER_SAVE)


class SelectiveCheckpointContext:
    """First argument of policy functions.

    Attributes:
        is_recompute: False in the first run, true in recomputation.
        op_output: The result, for policies that depend on it.
    """

    def __init__(self, *, is_recompute: bool, op_output: Any = None) -> None:
        """Stores the facts."""
        self.is_recompute, self.op_output = is_recompute, op_output


def _detached(value: Any) -> Any:
    return tree_map(lambda one: one.detach() if isinstance(one, Tensor) else one, value)


class _Keeping(TorchDispatchMode):
    """The first run: keeps the results that the policy saves."""

    def __init__(self, policy: Callable[..., Any], kept: defaultdict[Any, list[Any]]) -> None:
        super().__init__()
        self._policy, self._kept = policy, kept

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        """Runs an operator."""
        kwargs = kwargs or {}
        out = func(*args, **kwargs)
        context = SelectiveCheckpointContext(is_recompute=False, op_output=out)
        if _saves(self._policy(context, func, *args, **kwargs)):
            versions = tree_map(lambda one: getattr(one, "_version", None), out)
            self._kept[func].append((_detached(out), versions))
        return out


class _Reusing(TorchDispatchMode):
    """Recomputation: takes kept results instead of running their operators."""

    def __init__(
        self, policy: Callable[..., Any], kept: defaultdict[Any, list[Any]], may_change: bool
    ) -> None:
        super().__init__()
        self._policy, self._kept, self._may_change = policy, kept, may_change

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        """Returns a kept result, or runs an operator."""
        kwargs = kwargs or {}
        context = SelectiveCheckpointContext(is_recompute=True)
        if not _saves(self._policy(context, func, *args, **kwargs)):
            return func(*args, **kwargs)
        if not self._kept[func]:
            raise StateError(
                f"create_selective_checkpoint_contexts: {func} must have run as often as in the "
                "first run, got one call more; results are kept for one recomputation"
            )
        out, versions = self._kept[func].pop(0)
        now = tree_map(lambda one: getattr(one, "_version", None), out)
        if not self._may_change and now != versions:
            raise StateError(
                f"create_selective_checkpoint_contexts: the result of {func} must not be written "
                "in place, got one that was"
            )
        return out


def _saves(policy: Any) -> bool:
    if isinstance(policy, bool):
        return policy
    return policy in _SAVES


def create_selective_checkpoint_contexts(
    policy_fn_or_list: Any, allow_cache_entry_mutation: bool = False
) -> tuple[Any, Any]:
    """Returns the contexts of the first run and of recomputation, for `checkpoint(context_fn=)`.

    Args:
        policy_fn_or_list: Overloads of operators whose results are kept; or a function of a
            SelectiveCheckpointContext, the operator and its arguments that returns a policy.
        allow_cache_entry_mutation: If true, kept results may be written in place.
    """
    if isinstance(policy_fn_or_list, list):
        for one in policy_fn_or_list:
            if not isinstance(one, OpOverload):
                raise ArgumentTypeError(
                    "create_selective_checkpoint_contexts: policy_fn_or_list must hold overloads, "
                    f"such as aten.mm.default, got {one!r}"
                )
        chosen = set(policy_fn_or_list)

        def policy(ctx: Any, op: Any, *args: Any, **kwargs: Any) -> CheckpointPolicy:
            is_chosen = op in chosen
            return CheckpointPolicy.MUST_SAVE if is_chosen else CheckpointPolicy.PREFER_RECOMPUTE

    elif callable(policy_fn_or_list):
        policy = policy_fn_or_list
    else:
        raise ArgumentTypeError(
            "create_selective_checkpoint_contexts: policy_fn_or_list must be a function or a "
            f"list, got {type(policy_fn_or_list).__name__}"
        )
    kept: defaultdict[Any, list[Any]] = defaultdict(list)
    return _Keeping(policy, kept), _Reusing(policy, kept, allow_cache_entry_mutation)


__all__ = [
    "CheckpointPolicy",
    "SelectiveCheckpointContext",
    "create_selective_checkpoint_contexts",
]
