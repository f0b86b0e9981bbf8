# SPDX-License-Identifier: Apache-2.0
"""Pruning: parameters multiplied by masks that remove the least important elements.

A pruned parameter `weight` is kept as `weight_orig`, with the mask as the buffer `weight_mask`, and
the product is computed before each forward.
"""

from __future__ import annotations

import numbers
from abc import ABC, abstractmethod

from ..._tenon import Tensor
from ...error import ArgumentTypeError, InvalidArgumentError, OutOfRangeError
from ...functional import topk

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from typing import Any

    from ..modules.module import Module


class BasePruningMethod(ABC):
    """How a mask is computed; instances are forward pre-hooks of the modules that they prune.

    A class defines `compute_mask`, and PRUNING_TYPE: "unstructured", "structured" or "global".
    """

    PRUNING_TYPE: str
    _tensor_name: str

    def __call__(self, module: Module, inputs: Any) -> None:
        """Computes the pruned tensor before a forward."""
        setattr(module, self._tensor_name, self.apply_mask(module))

    @abstractmethod
    def compute_mask(self, t: Tensor, default_mask: Tensor) -> Tensor:
        """Returns the mask of a tensor, on top of the mask that it has."""

    def apply_mask(self, module: Module) -> Tensor:
        """Returns the product of the original tensor and the mask."""
        mask = getattr(module, self._tensor_name + "_mask")
        original = getattr(module, self._tensor_name + "_orig")
        return mask.to(dtype=original.dtype) * original

    @classmethod
    def apply(
        cls,
        module: Module,
        name: str,
        *args: Any,
        importance_scores: Tensor | None = None,
        **kwargs: Any,
    ) -> BasePruningMethod:
        """Prunes a parameter of a module, which may be pruned already.

        Args:
            module: The module.
            name: The name of the parameter.
            *args: Constructor arguments of the class.
            importance_scores: How much each element matters; by default its value.
            **kwargs: Constructor arguments of the class.

        Returns:
            The hook of the module.
        """
        found = _hooks(module, name)
        method: BasePruningMethod = cls(*args, **kwargs)
        method._tensor_name = name
        tensor = getattr(module, name)
        scores = tensor if importance_scores is None else importance_scores
        if scores.shape != tensor.shape:
            raise InvalidArgumentError(
                f"prune: importance_scores must have shape {tensor.shape}, got {scores.shape}"
            )
        if found:
            number, old = found[0]
            container = old if isinstance(old, PruningContainer) else PruningContainer(old)
            container.add_pruning_method(method)
            default = getattr(module, name + "_mask").detach().clone()
            mask = container.compute_mask(scores, default)
            del module._forward_pre_hooks[number]
            method = container
            module.register_buffer(name + "_mask", mask)
        else:
            mask = method.compute_mask(scores, _ones_like(tensor))
            del module._parameters[name]
            module.register_parameter(name + "_orig", tensor)
            module.register_buffer(name + "_mask", mask)
        setattr(module, name, method.apply_mask(module))
        module.register_forward_pre_hook(method)
        return method

    def prune(
        self, t: Tensor, default_mask: Tensor | None = None, importance_scores: Tensor | None = None
    ) -> Tensor:
        """Returns a pruned tensor, without a module."""
        scores = t if importance_scores is None else importance_scores
        if scores.shape != t.shape:
            raise InvalidArgumentError(
                f"prune: importance_scores must have shape {t.shape}, got {scores.shape}"
            )
        default = _ones_like(t) if default_mask is None else default_mask
        return t * self.compute_mask(scores, default)

    def remove(self, module: Module) -> None:
        """Makes the pruned tensor the parameter, and removes the mask."""
        name = self._tensor_name
        pruned = self.apply_mask(module)
        if hasattr(module, name):
            delattr(module, name)
        original: Any = module._parameters.pop(name + "_orig")
        original.data = pruned.data
        del module._buffers[name + "_mask"]
        setattr(module, name, original)


class PruningContainer(BasePruningMethod):
    """Several pruning methods of one tensor, each applied to what the previous ones kept."""

    def __init__(self, *args: Any) -> None:
        """Adds methods, which must be of one tensor."""
        self._pruning_methods: tuple[BasePruningMethod, ...] = ()
        methods = args[0] if len(args) == 1 and not isinstance(args[0], BasePruningMethod) else args
        methods = list(methods)
        if methods:
            self._tensor_name = methods[0]._tensor_name
        for method in methods:
            self.add_pruning_method(method)

    def add_pruning_method(self, method: BasePruningMethod | None) -> None:
        """Adds a method, which is applied last."""
        if not isinstance(method, BasePruningMethod):
            if method is None:
                return
            raise ArgumentTypeError(
                f"PruningContainer: method must be a BasePruningMethod, got {type(method).__name__}"
            )
        if self._tensor_name != method._tensor_name:
            raise InvalidArgumentError(
                f"PruningContainer: method must be for {self._tensor_name!r}, got one for "
                f"{method._tensor_name!r}"
            )
        self._pruning_methods += (method,)

    def __len__(self) -> int:
        return len(self._pruning_methods)

    def __iter__(self) -> Iterator[BasePruningMethod]:
        return iter(self._pruning_methods)

    def __getitem__(self, idx: Any) -> Any:
        return self._pruning_methods[idx]

    def compute_mask(self, t: Tensor, default_mask: Tensor) -> Tensor:
        """Returns the mask of the last method, for the elements that the mask so far keeps."""
        method: Any = self._pruning_methods[-1]
        mask = default_mask.to(dtype=t.dtype)
        kind = method.PRUNING_TYPE
        if kind == "unstructured":
            where: Any = mask == 1
        elif kind == "structured":
            others = [dim for dim in range(t.ndim) if dim != method.dim % t.ndim]
            kept = (mask.sum(others) != 0).nonzero().reshape(-1)
            where = tuple(
                kept if dim == method.dim % t.ndim else slice(None) for dim in range(t.ndim)
            )
        elif kind == "global":
            where = tuple(slice(None) for _ in range(t.ndim))
        else:
            raise InvalidArgumentError(
                "PruningContainer: PRUNING_TYPE must be 'unstructured', 'structured' or 'global', "
                f"got {kind!r}"
            )
        new = mask.clone()
        new[where] = method.compute_mask(t[where], mask[where]).to(dtype=new.dtype)
        return new


class Identity(BasePruningMethod):
    """Leaves all elements, with a mask of ones."""

    PRUNING_TYPE = "unstructured"

    def compute_mask(self, t: Tensor, default_mask: Tensor) -> Tensor:
        """Returns the mask unchanged."""
        return default_mask


class _Unstructured(BasePruningMethod):
    """Leaves out single elements.

    Args:
        amount: How many: a number of elements, or a share from 0 to 1.
    """

    PRUNING_TYPE = "unstructured"

    def __init__(self, amount: float) -> None:
        """Checks the amount."""
        _check_amount(amount)
        self.amount = amount

    def _scores(self, t: Tensor) -> Tensor:
        raise NotImplementedError

    def compute_mask(self, t: Tensor, default_mask: Tensor) -> Tensor:
        """Returns the mask without the elements of the lowest scores."""
        count = _count(self.amount, t.numel())
        mask = default_mask.clone()
        if count:
            lowest = topk(self._scores(t).reshape(-1), count, largest=False).indices
            mask = mask.reshape(-1).index_fill(0, lowest, 0).reshape(t.shape)
        return mask


class RandomUnstructured(_Unstructured):
    """Leaves out elements at random."""

    def _scores(self, t: Tensor) -> Tensor:
        from ...factories import rand

        return rand(tuple(t.shape))


class L1Unstructured(_Unstructured):
    """Leaves out the elements with the least absolute value."""

    def _scores(self, t: Tensor) -> Tensor:
        return t.detach().abs()


class _Structured(BasePruningMethod):
    """Leaves out whole slices of a dim.

    Args:
        amount: How many: a number of slices, or a share from 0 to 1.
        dim: The dim.
    """

    PRUNING_TYPE = "structured"

    def __init__(self, amount: float, dim: int = -1) -> None:
        """Checks the amount."""
        _check_amount(amount)
        self.amount = amount
        self.dim = dim

    def _scores(self, t: Tensor) -> Tensor:
        raise NotImplementedError

    def compute_mask(self, t: Tensor, default_mask: Tensor) -> Tensor:
        """Returns the mask without the slices of the lowest scores."""
        if t.ndim <= 1:
            raise InvalidArgumentError(
                f"prune: tensor must have several dims to be pruned by slices, got shape {t.shape}"
            )
        if not -t.ndim <= self.dim < t.ndim:
            raise OutOfRangeError(
                f"prune: dim must be from {-t.ndim} to {t.ndim - 1}, got {self.dim}"
            )
        size = t.shape[self.dim]
        count = _count(self.amount, size)
        if not count:
            return default_mask
        lowest = topk(self._scores(t), count, largest=False).indices
        return default_mask.index_fill(self.dim, lowest, 0)


class RandomStructured(_Structured):
    """Leaves out slices at random."""

    def _scores(self, t: Tensor) -> Tensor:
        from ...factories import rand

        return rand((t.shape[self.dim],))


class LnStructured(_Structured):
    """Leaves out the slices with the least norm.

    Args:
        amount: How many: a number of slices, or a share from 0 to 1.
        n: The order of the norm.
        dim: The dim.
    """

    def __init__(self, amount: float, n: Any, dim: int = -1) -> None:
        """Checks the amount."""
        super().__init__(amount, dim)
        self.n = n

    def _scores(self, t: Tensor) -> Tensor:
        rows = t.detach().movedim(self.dim, 0).reshape(t.shape[self.dim], -1)
        return rows.norm(p=self.n, dim=1)


class CustomFromMask(BasePruningMethod):
    """Prunes the elements that a given mask excludes.

    Args:
        mask: Ones and zeros.
    """

    PRUNING_TYPE = "global"

    def __init__(self, mask: Tensor) -> None:
        """Stores the mask."""
        self.mask = mask

    def compute_mask(self, t: Tensor, default_mask: Tensor) -> Tensor:
        """Returns the product of both masks."""
        if default_mask.shape != self.mask.shape:
            raise AssertionError(
                f"prune: mask must have shape {default_mask.shape}, got {self.mask.shape}"
            )
        return default_mask * self.mask.to(dtype=default_mask.dtype)


def identity(module: Module, name: str) -> Module:
    """Gives a parameter a mask of ones, without removing elements."""
    Identity.apply(module, name)
    return module


def random_unstructured(module: Module, name: str, amount: float) -> Module:
    """Leaves out elements of a parameter at random."""
    RandomUnstructured.apply(module, name, amount)
    return module


def l1_unstructured(
    module: Module, name: str, amount: float, importance_scores: Tensor | None = None
) -> Module:
    """Leaves out the elements of a parameter with the least absolute value, or score."""
    L1Unstructured.apply(module, name, amount=amount, importance_scores=importance_scores)
    return module


def random_structured(module: Module, name: str, amount: float, dim: int) -> Module:
    """Leaves out slices of a parameter at random."""
    RandomStructured.apply(module, name, amount, dim)
    return module


def ln_structured(
    module: Module,
    name: str,
    amount: float,
    n: Any,
    dim: int,
    importance_scores: Tensor | None = None,
) -> Module:
    """Leaves out the slices of a parameter with the least norm."""
    LnStructured.apply(module, name, amount, n, dim, importance_scores=importance_scores)
    return module


def custom_from_mask(module: Module, name: str, mask: Tensor) -> Module:
    """Prunes the elements that a given mask excludes."""
    CustomFromMask.apply(module, name, mask)
    return module


def global_unstructured(
    parameters: Iterable[tuple[Module, str]],
    pruning_method: type[BasePruningMethod],
    importance_scores: dict[tuple[Module, str], Tensor] | None = None,
    **kwargs: Any,
) -> None:
    """Prunes several parameters together.

    Args:
        parameters: Modules, and the names of their parameters.
        pruning_method: An unstructured method.
        importance_scores: By module and name, how much each element matters.
        **kwargs: Constructor arguments of the method.
    """
    from ...functional import cat

    if not hasattr(parameters, "__iter__"):
        raise ArgumentTypeError(
            f"global_unstructured: parameters must be pairs, got {type(parameters).__name__}"
        )
    given = {} if importance_scores is None else importance_scores
    if not isinstance(given, dict):
        raise ArgumentTypeError(
            f"global_unstructured: importance_scores must be a dict, got {type(given).__name__}"
        )
    pairs = list(parameters)
    tensors = [getattr(module, name) for module, name in pairs]
    scores = [given.get(pair, one) for pair, one in zip(pairs, tensors, strict=True)]
    masks = [getattr(module, name + "_mask", None) for module, name in pairs]
    method = pruning_method(**kwargs)
    if method.PRUNING_TYPE != "unstructured":
        raise ArgumentTypeError(
            "global_unstructured: pruning_method must be unstructured, got a method that is "
            f"{method.PRUNING_TYPE}"
        )
    container = PruningContainer()
    container._tensor_name = method._tensor_name = "temp"
    container.add_pruning_method(method)
    default = [
        _ones_like(one) if mask is None else mask for one, mask in zip(tensors, masks, strict=True)
    ]
    whole = container.compute_mask(
        cat([one.detach().reshape(-1) for one in scores]), cat([one.reshape(-1) for one in default])
    )
    start = 0
    for (module, name), tensor in zip(pairs, tensors, strict=True):
        part = whole[start : start + tensor.numel()].reshape(tensor.shape)
        custom_from_mask(module, name, part)
        start += tensor.numel()


def is_pruned(module: Module) -> bool:
    """Returns true if a module, or one in it, has a pruned parameter."""
    return any(
        isinstance(hook, BasePruningMethod)
        for one in module.modules()
        for hook in one._forward_pre_hooks.values()
    )


def remove(module: Module, name: str) -> Module:
    """Makes the pruned elements of a parameter permanent, and removes its mask."""
    for number, hook in _hooks(module, name):
        hook.remove(module)
        del module._forward_pre_hooks[number]
        return module
    raise InvalidArgumentError(
        f"prune.remove: parameter {name!r} must be pruned, got one of {type(module).__name__} that "
        "is not"
    )


def _hooks(module: Module, name: str) -> list[tuple[int, BasePruningMethod]]:
    return [
        (number, hook)
        for number, hook in module._forward_pre_hooks.items()
        if isinstance(hook, BasePruningMethod) and hook._tensor_name == name
    ]


def _ones_like(tensor: Tensor) -> Tensor:
    from ...factories import ones_like

    return ones_like(tensor.detach())


def _check_amount(amount: Any) -> None:
    if not isinstance(amount, numbers.Real):
        raise ArgumentTypeError(f"prune: amount must be int or float, got {amount!r}")
    is_count = isinstance(amount, numbers.Integral)
    if amount < 0 or (not is_count and amount > 1):
        raise InvalidArgumentError(
            f"prune: amount must be a number of elements or a share from 0 to 1, got {amount}"
        )


def _count(amount: Any, size: int) -> int:
    """Returns the number of elements, out of `size`, that an amount means."""
    if isinstance(amount, numbers.Integral):
        if amount > size:
            raise InvalidArgumentError(f"prune: amount must be at most {size}, got {amount}")
        return int(amount)
    return round(amount * size)


__all__ = [
    "BasePruningMethod",
    "CustomFromMask",
    "Identity",
    "L1Unstructured",
    "LnStructured",
    "PruningContainer",
    "RandomStructured",
    "RandomUnstructured",
    "custom_from_mask",
    "global_unstructured",
    "identity",
    "is_pruned",
    "l1_unstructured",
    "ln_structured",
    "random_structured",
    "random_unstructured",
    "remove",
]
