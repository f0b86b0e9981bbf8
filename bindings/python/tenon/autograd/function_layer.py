# SPDX-License-Identifier: Apache-2.0
"""Custom autograd functions inside vmap, grad and jvp."""

from __future__ import annotations

from collections import namedtuple

from .. import _tenon
from .._tenon import Tensor
from ..error import StateError
from ..func.layer import RANDOMNESS_NAMES, Layer, hidden_layer
from ..grad_mode import is_grad_enabled, no_grad
from ..utils.pytree import broadcast_prefix, tree_flatten, tree_unflatten
from .function import Function, _bind_defaults

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

VmapInfo = namedtuple("VmapInfo", ["batch_size", "randomness"])

_VMAP = _tenon.TENON_LAYER_VMAP


def _unwrap_all(handle: Any, values: Any) -> tuple[list[Any], list[int | None]]:
    """Returns the values below a layer, and the dim that a vmap maps of each."""
    below = []
    dims = []
    for each in values:
        found, dim = _tenon.layer_unwrap(handle, each) if isinstance(each, Tensor) else (each, None)
        below.append(found)
        dims.append(dim)
    return below, dims


def _wrap_mapped(handle: Any, value: Any, dim: int | None) -> Any:
    return value if dim is None else _tenon.layer_wrap(handle, value, dim)


# ---- grad and jvp --------------------------------------------------------------------------------


def _class_of_layer(cls: Any, records: bool) -> Any:
    """Returns the Function as recorded by a grad or jvp layer: its forward runs below the layer."""
    known = cls.__dict__.get("_classes_of_layer")
    if known is None:
        known = cls._classes_of_layer = {}
    if records in known:
        return known[records]

    def forward(*args: Any) -> Any:
        handle = _tenon.layer_innermost()[0]
        below, _ = _unwrap_all(handle, args)
        with hidden_layer():
            if records:
                output = cls.apply(*below)
            else:
                with no_grad():
                    output = cls.apply(*below)
        own = {id(low): high for low, high in zip(below, args, strict=True) if low is not high}
        parts = output if isinstance(output, tuple) else (output,)
        lifted = []
        for each in parts:
            if isinstance(each, Tensor):
                high = own.get(id(each))
                lifted.append(_tenon.layer_lift(handle, each) if high is None else high)
            else:
                lifted.append(each)
        return tuple(lifted) if isinstance(output, tuple) else lifted[0]

    body = {"forward": staticmethod(forward), "_of_layer": True}
    known[records] = type(cls.__name__, (cls,), body)
    return known[records]


# ---- vmap ----------------------------------------------------------------------------------------


def _flat_dims(name: str, what: str, dims: Any, spec: Any) -> list[int | None]:
    found = broadcast_prefix(dims, spec, lambda each: each is None or isinstance(each, int))
    if found is None:
        raise StateError(
            f"{name}: {what} must be in the structure {spec}, with int or None for each, got {dims}"
        )
    return found


def _apply_rule(cls: Any, handle: Any, info: VmapInfo, in_dims: Any, args: Any) -> Any:
    """Calls a Function's own vmap staticmethod."""
    with hidden_layer():
        given = cls.vmap(info, in_dims, *args)
    if not isinstance(given, tuple) or len(given) != 2:
        raise StateError(
            f"{cls.__name__}: vmap must return a pair (output, out_dims), got "
            f"{type(given).__name__}"
        )
    leaves, spec = tree_flatten(given[0])
    dims = _flat_dims(cls.__name__, "out_dims of vmap", given[1], spec)
    return tree_unflatten(
        [_wrap_mapped(handle, each, dim) for each, dim in zip(leaves, dims, strict=True)], spec
    )


class _MappedContext:
    """A context whose saved tensors are those of a vmap layer."""

    def __init__(self, ctx: Any, handle: Any, memo: dict[str, Any]) -> None:
        self.__dict__.update(_ctx=ctx, _handle=handle, _memo=memo)

    def save_for_backward(self, *tensors: Any) -> None:
        """Saves the tensors below the layer, and remembers their mapped dims."""
        below, self._memo["saved"] = _unwrap_all(self._handle, tensors)
        self._ctx.save_for_backward(*below)

    def save_for_forward(self, *tensors: Any) -> None:
        """Saves tensors for jvp, like save_for_backward()."""
        below, self._memo["forward"] = _unwrap_all(self._handle, tensors)
        self._ctx.save_for_forward(*below)

    @property
    def saved_tensors(self) -> tuple[Any, ...]:
        """Returns the saved tensors, wrapped for the layer."""
        saved = self._ctx.saved_tensors
        dims = self._memo.get("saved") or self._memo.get("forward") or [None] * len(saved)
        return tuple(
            _wrap_mapped(self._handle, each, dim) for each, dim in zip(saved, dims, strict=True)
        )

    def mark_non_differentiable(self, *tensors: Any) -> None:
        """Marks outputs as having no gradient."""
        self._ctx.mark_non_differentiable(*_unwrap_all(self._handle, tensors)[0])

    def mark_dirty(self, *tensors: Any) -> None:
        """Marks inputs as written in place."""
        self._ctx.mark_dirty(*_unwrap_all(self._handle, tensors)[0])

    def __getattr__(self, name: str) -> Any:
        values = self.__dict__["_memo"].setdefault("values", {})
        if name in values:
            value, dims = values[name]
            return _wrap_mapped(self._handle, value, dims)
        return getattr(self._ctx, name)

    def __setattr__(self, name: str, value: Any) -> None:
        if isinstance(value, Tensor):
            (below,), (dim,) = _unwrap_all(self._handle, [value])
            self._memo.setdefault("values", {})[name] = (below, dim)
        else:
            setattr(self._ctx, name, value)


def _reduce(grad: Any, given_dim: int | None, in_dim: int | None, size: int) -> Any:
    """Returns a gradient mapped like its argument, summed or expanded if needed."""
    if grad is None or not isinstance(grad, Tensor):
        return grad
    if in_dim is None:
        return grad if given_dim is None else grad.sum(given_dim)
    if given_dim is None:
        whole = grad.unsqueeze(in_dim)
        sizes = list(whole.shape)
        sizes[in_dim] = size
        return whole.expand(sizes)
    return grad.movedim(given_dim, in_dim)


def _generated(
    cls: Any, info: VmapInfo, randomness: int, in_dims: Any
) -> tuple[Any, dict[str, Any]]:
    """Returns a Function whose forward, backward and jvp are those of `cls` under vmap."""
    size = info.batch_size
    memo: dict[str, Any] = {}

    def layer() -> Layer:
        return Layer(_VMAP, size, randomness)

    def wrap_all(handle: Any, values: Any, dims: Any) -> list[Any]:
        return [_wrap_mapped(handle, each, dim) for each, dim in zip(values, dims, strict=True)]

    def forward(*args: Any) -> Any:
        with layer() as handle:
            output = cls.forward(*wrap_all(handle, args, in_dims))
            parts = output if isinstance(output, tuple) else (output,)
        below, memo["out"] = _unwrap_all(handle, parts)
        memo["tuple"] = isinstance(output, tuple)
        return tuple(below) if memo["tuple"] else below[0]

    def setup_context(ctx: Any, inputs: Any, output: Any) -> None:
        parts = output if memo["tuple"] else (output,)
        with layer() as handle:
            results = tuple(wrap_all(handle, parts, memo["out"]))
            cls.setup_context(
                _MappedContext(ctx, handle, memo),
                tuple(wrap_all(handle, inputs, in_dims)),
                results if memo["tuple"] else results[0],
            )

    def backward(ctx: Any, *grads: Any) -> Any:
        dims = [None if each is None else dim for each, dim in zip(grads, memo["out"], strict=True)]
        with layer() as handle:
            found = cls.backward(_MappedContext(ctx, handle, memo), *wrap_all(handle, grads, dims))
        found = found if isinstance(found, tuple) else (found,)
        below, given = _unwrap_all(handle, found)
        return tuple(
            _reduce(grad, dim, in_dim, size)
            for grad, dim, in_dim in zip(below, given, in_dims, strict=True)
        )

    def jvp(ctx: Any, *tangents: Any) -> Any:
        dims = [None if each is None else dim for each, dim in zip(tangents, in_dims, strict=True)]
        with layer() as handle:
            found = cls.jvp(_MappedContext(ctx, handle, memo), *wrap_all(handle, tangents, dims))
        parts = found if isinstance(found, tuple) else (found,)
        below, given = _unwrap_all(handle, parts)
        moved = tuple(
            _reduce(each, dim, out, size) if out is not None else each
            for each, dim, out in zip(below, given, memo["out"], strict=True)
        )
        return moved if isinstance(found, tuple) else moved[0]

    body = {
        "forward": staticmethod(forward),
        "setup_context": staticmethod(setup_context),
        "backward": staticmethod(backward),
        "jvp": staticmethod(jvp),
        "generate_vmap_rule": True,  # for an enclosing vmap
    }
    return type(cls.__name__, (Function,), body), memo


def _apply_mapped(cls: Any, handle: Any, size: int, randomness: int, args: Any) -> Any:
    leaves, spec = tree_flatten(args)
    below, dims = _unwrap_all(handle, leaves)
    given = tree_unflatten(below, spec)
    if all(dim is None for dim in dims):
        with hidden_layer():
            return cls.apply(*given)
    info = VmapInfo(size, RANDOMNESS_NAMES[randomness])
    has_rule = cls.vmap is not Function.vmap
    if has_rule and cls.generate_vmap_rule:
        raise StateError(
            f"{cls.__name__}: a Function must have either a vmap staticmethod or "
            "generate_vmap_rule=True, got both"
        )
    if has_rule:
        return _apply_rule(cls, handle, info, tree_unflatten(dims, spec), given)
    if not cls.generate_vmap_rule:
        raise StateError(
            f"{cls.__name__}: a Function must have a vmap staticmethod or generate_vmap_rule=True "
            "to be used in a vmap, got neither"
        )
    with hidden_layer():
        generated, memo = _generated(cls, info, randomness, tuple(dims))
        output = generated.apply(*below)
    parts = output if isinstance(output, tuple) else (output,)
    wrapped = tuple(
        _wrap_mapped(handle, each, dim) for each, dim in zip(parts, memo["out"], strict=True)
    )
    return wrapped if isinstance(output, tuple) else wrapped[0]


def apply_in_layer(cls: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """Runs `apply` inside transforms, for the innermost one.

    Raises:
        StateError: If the Function's forward takes `ctx`, or it has no rule for vmap.
    """
    if cls.setup_context is Function.setup_context:
        raise StateError(
            f"{cls.__name__}: a Function must have a setup_context staticmethod to be used in "
            "transforms such as vmap and grad, got one whose forward takes ctx"
        )
    if kwargs:
        args = _bind_defaults(cls.forward, args, kwargs)
    handle, kind, _, size, randomness = _tenon.layer_innermost()
    if kind == _VMAP:
        return _apply_mapped(cls, handle, size, randomness, args)
    return _class_of_layer(cls, is_grad_enabled()).apply(*args)


__all__ = ["apply_in_layer"]
