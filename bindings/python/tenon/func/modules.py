# SPDX-License-Identifier: Apache-2.0
"""Modules as functions of their parameters and buffers."""

from __future__ import annotations

from ..error import ArgumentTypeError, InvalidArgumentError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from .._tenon import Tensor
    from ..nn import Module


def _merge(dictionaries: Any) -> dict[str, Any]:
    if isinstance(dictionaries, dict):
        return dictionaries
    if not isinstance(dictionaries, (tuple, list)) or not all(
        isinstance(each, dict) for each in dictionaries
    ):
        raise InvalidArgumentError(
            "functional_call: parameters must be a dict of Tensors, or a tuple of dicts, got "
            f"{type(dictionaries).__name__}"
        )
    merged: dict[str, Any] = {}
    for each in dictionaries:
        for name in each:
            if name in merged:
                raise InvalidArgumentError(
                    f"functional_call: names must be in one dict only, got {name!r} in two"
                )
        merged.update(each)
    return merged


def _places(module: Module) -> dict[str, tuple[dict[str, Any], str]]:
    """Returns the owner of each parameter and buffer by full name; tied ones under each name."""
    found = {}
    for prefix, each in module.named_modules(remove_duplicate=False):
        for kept in (each._parameters, each._buffers):
            for name in kept:
                found[f"{prefix}.{name}" if prefix else name] = (kept, name)
    return found


class _Swapped:
    """Replaces parameters and buffers of a module during a `with` block."""

    def __init__(self, module: Module, tensors: dict[str, Any], tie: bool, strict: bool) -> None:
        places = _places(module)
        unknown = sorted(name for name in tensors if name not in places)
        if unknown:
            raise InvalidArgumentError(
                f"functional_call: names must be of the module's parameters and buffers, got "
                f"{unknown[0]!r}"
            )
        given = dict(tensors)
        if tie:
            by_tensor = {
                id(kept[name]): full for full, (kept, name) in places.items() if full in tensors
            }
            for full, (kept, name) in places.items():
                source = by_tensor.get(id(kept[name])) if kept[name] is not None else None
                if source is not None and full in given and given[full] is not given[source]:
                    raise InvalidArgumentError(
                        f"functional_call: {full} and {source} are tied and must be given one "
                        "Tensor, got two; tie_weights=False gives each its own"
                    )
                if full not in given and source is not None:
                    given[full] = tensors[source]
        if strict:
            missing = sorted(
                full
                for full, (kept, name) in places.items()
                if full not in given and kept[name] is not None
            )
            if missing:
                raise InvalidArgumentError(
                    f"functional_call: all parameters and buffers must be given with strict=True, "
                    f"got none for {missing[0]!r}"
                )
        for full, each in given.items():
            kept, name = places[full]
            if not hasattr(each, "shape"):
                raise ArgumentTypeError(
                    f"functional_call: {full} must be Tensor, got {type(each).__name__}"
                )
        self._given = [(places[full], each) for full, each in given.items()]
        self._places = places
        self._before: list[tuple[dict[str, Any], str, Any]] = []

    def __enter__(self) -> None:
        for (kept, name), each in self._given:
            self._before.append((kept, name, kept[name]))
            kept[name] = each

    def __exit__(self, *exc: Any) -> None:
        while self._before:
            kept, name, each = self._before.pop()
            kept[name] = each


def functional_call(
    module: Module,
    parameter_and_buffer_dicts: Any,
    args: Any = None,
    kwargs: dict[str, Any] | None = None,
    *,
    tie_weights: bool = True,
    strict: bool = False,
) -> Any:
    """Calls a module with its parameters and buffers replaced by given tensors.

    Args:
        module: The module; it is unchanged afterwards.
        parameter_and_buffer_dicts: Tensors by the names of `named_parameters` and `named_buffers`:
            a dict, or a tuple of dicts that share no name. Others are not replaced.
        args: The arguments: a tuple, or a single argument that is not a tuple.
        kwargs: The arguments by name.
        tie_weights: If true, a tensor that the module has under several names is replaced under all
            of them if one is given.
        strict: If true, all names must be given.

    Raises:
        InvalidArgumentError: If a name is repeated or unknown or, with `strict`, missing.
    """
    tensors = _merge(parameter_and_buffer_dicts)
    positional = () if args is None else args if isinstance(args, tuple) else (args,)
    with _Swapped(module, tensors, tie_weights, strict):
        return module(*positional, **(kwargs or {}))


def stack_module_state(
    models: Sequence[Module],
) -> tuple[dict[str, Tensor], dict[str, Tensor]]:
    """Stacks the parameters and the buffers of modules of one structure, along a new first dim.

    Args:
        models: One or more of one class, all in training or all in evaluation.

    Returns:
        Parameters, which are leaves and require grad where the modules' do, and buffers, by name.

    Raises:
        InvalidArgumentError: no module, or modules that differ.
    """
    from ..functional import stack

    models = list(models)
    if not models:
        raise InvalidArgumentError("stack_module_state: models must be one or more, got none")
    if len({each.training for each in models}) != 1:
        raise InvalidArgumentError(
            "stack_module_state: models must be all in training or all in evaluation, got both"
        )
    if len({type(each) for each in models}) != 1:
        raise InvalidArgumentError(
            "stack_module_state: models must be of the same class, got several"
        )

    def stacked(all_named: list[dict[str, Any]], is_parameter: bool) -> dict[str, Any]:
        found = {}
        for name, first in all_named[0].items():
            whole = stack([each[name].detach() for each in all_named])
            found[name] = whole.requires_grad_(first.requires_grad) if is_parameter else whole
        return found

    parameters = stacked([dict(each.named_parameters()) for each in models], True)
    buffers = stacked([dict(each.named_buffers()) for each in models], False)
    return parameters, buffers


def replace_all_batch_norm_modules_(root: Module) -> Module:
    """Makes all batch norms of a module use the batch's statistics only; returns the module."""
    from ..nn.modules.batchnorm import _BatchNorm

    for one in root.modules():
        if isinstance(one, _BatchNorm) and one.track_running_stats:
            one.running_mean = one.running_var = one.num_batches_tracked = None
            one.track_running_stats = False
    return root


__all__ = ["functional_call", "replace_all_batch_norm_modules_", "stack_module_state"]
