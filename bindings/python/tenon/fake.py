# SPDX-License-Identifier: Apache-2.0
"""Fake tensors: tensors with shape, strides, dtype and a claimed device, but no memory.

Operators on fake tensors return what they would return for real tensors, except for the elements.
In a FakeTensorMode, operators create fake tensors, also on devices that the machine does not have:

    with FakeTensorMode():
        x = tenon.empty(1 << 20, 1 << 20, device="cuda")
        print((x @ x.t()).sum(0))  # FakeTensor(..., device='cuda:0', size=(1048576,))
"""

from __future__ import annotations

from _thread import _local

from . import _tenon
from ._tenon import ShapeEnv, SymInt, Tensor
from .error import InvalidArgumentError, StateError

_MOST = 2**63 - 1

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from ._tenon import OpOverload


class _FakeTensorType(type):
    """Implements `isinstance` by a flag of the tensor: fake and real tensors share one class."""

    def __instancecheck__(cls, instance: object) -> bool:
        return _tenon.is_fake(instance)


class FakeTensor(metaclass=_FakeTensorType):
    """The virtual class of fake tensors, for `isinstance` checks only."""

    def __new__(cls, *args: Any, **kwargs: Any) -> FakeTensor:
        """Always raises; modes and operators create fake tensors.

        Raises:
            StateError: always.
        """
        raise StateError("FakeTensor: must be made in a FakeTensorMode, or by its from_tensor")


def is_fake(x: object) -> bool:
    """Returns true if an object is a fake tensor."""
    return _tenon.is_fake(x)


class FakeTensorMode:
    """Makes operators on the thread create fake tensors while a `with` block runs.

    Args:
        allow_fallback_kernels: Must be False: real kernels are never run to infer shapes; fake
            kernels, composites and Meta kernels are used instead.
        allow_non_fake_inputs: Whether real tensor arguments are converted to fake tensors.
            Otherwise only 0-dim tensors on the CPU may be mixed with fake tensors.
        shape_env: The environment of data-dependent sizes; by default the mode creates one.

    Raises:
        InvalidArgumentError: allow_fallback_kernels is true.
    """

    def __init__(
        self,
        *,
        allow_fallback_kernels: bool = False,
        allow_non_fake_inputs: bool = False,
        shape_env: ShapeEnv | None = None,
    ) -> None:
        """Initializes a mode, which can be entered any number of times."""
        if allow_fallback_kernels:
            raise InvalidArgumentError(
                "FakeTensorMode: allow_fallback_kernels must be False, got True: real kernels are "
                "not run for shapes; register_fake registers what gives them"
            )
        self.allow_non_fake_inputs = allow_non_fake_inputs
        self._native = _tenon.FakeMode(_tenon.TENON_FAKE_ALLOW_REAL if allow_non_fake_inputs else 0)
        if shape_env is not None:
            self._native.set_shape_env(shape_env)

    @property
    def shape_env(self) -> ShapeEnv:
        """The environment that holds data-dependent sizes and the guards on them."""
        return self._native.shape_env()

    def __enter__(self) -> FakeTensorMode:
        self._native.enter()
        return self

    def __exit__(self, *exc: object) -> None:
        self._native.leave()

    def from_tensor(
        self, tensor: Tensor, *, static_shapes: bool | None = None, source: Any = None
    ) -> Tensor:
        """Returns the fake tensor of a real tensor; repeated calls return the same object.

        A view becomes a view of its base's fake tensor. `requires_grad` and a leaf's `grad` are
        preserved. Fake tensors are returned unchanged.

        Args:
            tensor: The real tensor.
            static_shapes: True or None: sizes are always numbers.
            source: Not used.

        Raises:
            ArgumentTypeError: `tensor` is no tensor.
            InvalidArgumentError: `static_shapes` is False.
            NotSupportedError: `tensor` is a wrapper, such as a tensor inside of a transform.
        """
        if static_shapes is False:
            raise InvalidArgumentError(
                "from_tensor: static_shapes must be True or None, got False: symbolic sizes come "
                "from ShapeEnv and make_fx"
            )
        made = _tenon.copy_fake(tensor, self._native)
        if made is not tensor and tensor.is_leaf and made.grad is None and tensor.grad is not None:
            made.grad = self.from_tensor(tensor.grad)
        if type(made) is not type(tensor) and _is_parameter(tensor):
            from .nn import Parameter

            return Parameter(made, requires_grad=tensor.requires_grad)
        return made

    def _from_tree(self, tree: Any) -> Any:
        """Returns a tree in which `from_tensor` has converted each tensor."""
        from .utils.pytree import tree_map

        return tree_map(lambda one: self.from_tensor(one) if isinstance(one, Tensor) else one, tree)


def _is_parameter(tensor: Tensor) -> bool:
    if type(tensor) is Tensor:
        return False
    from .nn import Parameter

    return type(tensor) is Parameter


_thread = _local()  # `running`: names of the operators whose fake kernels run, innermost last


class NamedFakeKernel:
    """A fake kernel in Python; while it runs, its operator's name is on the thread's stack."""

    __code__: Any

    def __init__(self, name: str, function: Callable[..., Any]) -> None:
        """Wraps `function` and copies its names and code, so that error messages show them."""
        self._name = name
        self._function = function
        for attribute in ("__module__", "__name__", "__qualname__", "__doc__", "__code__"):
            if hasattr(function, attribute):
                setattr(self, attribute, getattr(function, attribute))

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        running = _thread.__dict__.setdefault("running", [])
        running.append(self._name)
        try:
            return self._function(*args, **kwargs)
        finally:
            running.pop()


class FakeContext:
    """The context of a fake kernel that runs on fake tensors.

    Attributes:
        op: The operator of the kernel.
    """

    __slots__ = ("op",)

    def __init__(self, op: OpOverload) -> None:
        """Initializes a context; `get_ctx` creates them."""
        self.op = op

    def new_dynamic_size(self, *, min: int = 0, max: int | None = None) -> SymInt:
        """Returns a new data-dependent size, such as the number of rows that `nonzero` returns.

        Args:
            min: The lower bound of the size.
            max: The upper bound of the size; None if it is unknown.

        Raises:
            InvalidArgumentError: `min` is below 0 or above `max`, or either is symbolic.
        """
        if isinstance(min, SymInt) or isinstance(max, SymInt):
            raise InvalidArgumentError(
                f"new_dynamic_size: bounds must be numbers, got min={min} and max={max}"
            )
        return _tenon.fake_new_size(min, _MOST if max is None else max)


def get_ctx() -> FakeContext:
    """Returns the context of the running fake kernel.

    Raises:
        StateError: No fake kernel runs on the thread, or it runs on Meta instead of fake tensors.
    """
    op = _tenon.fake_running()
    if op is not None:
        return FakeContext(op)
    running = getattr(_thread, "running", None)
    if running:
        raise StateError(
            f"{running[-1]}: get_ctx must be called in a fake kernel that runs on fake tensors, "
            "got one that runs on Meta, where sizes cannot depend on data"
        )
    raise StateError(
        "get_ctx: must be called in a fake kernel that runs on fake tensors, got a call outside of "
        "one"
    )


__all__ = ["FakeContext", "FakeTensor", "FakeTensorMode", "get_ctx", "is_fake"]
