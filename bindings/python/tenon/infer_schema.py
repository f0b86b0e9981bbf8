# SPDX-License-Identifier: Apache-2.0
"""Schemas from annotated Python functions, as `torch.library.infer_schema` reads them."""

from __future__ import annotations

import collections.abc
import inspect
import types
import typing

from ._tenon import Tensor, device, dtype
from .error import InvalidArgumentError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from typing import Any

_NUMBER = typing.Union[int, float, bool]  # noqa: UP007  (compared with annotations)
_SIMPLE = {
    Tensor: "Tensor",
    int: "SymInt",
    float: "float",
    bool: "bool",
    str: "str",
    _NUMBER: "Scalar",
    dtype: "ScalarType",
    device: "Device",
}
_ELEMENTS = ("Tensor", "Tensor?", "SymInt", "float", "bool", "Scalar")
_LISTS = (list, collections.abc.Sequence)
_RESULTS = ("Tensor", "SymInt", "float", "bool", "Scalar", "Tensor[]")


def _without_none(annotation: Any) -> tuple[Any, bool]:
    """Strips None from an optional annotation; also returns whether it was optional."""
    if typing.get_origin(annotation) not in (typing.Union, types.UnionType):
        return annotation, False
    parts = [part for part in typing.get_args(annotation) if part is not type(None)]
    if len(parts) == len(typing.get_args(annotation)):
        return annotation, False
    return typing.Union[tuple(parts)], True  # noqa: UP007


def _type_text(annotation: Any) -> str | None:
    """Returns a parameter's type in schema syntax; None if schemas have no such type."""
    if isinstance(annotation, collections.abc.Hashable) and annotation in _SIMPLE:
        return _SIMPLE[annotation]
    inner, optional = _without_none(annotation)
    if optional:
        text = _type_text(inner)
        return None if text is None else f"{text}?"
    if typing.get_origin(annotation) in _LISTS and len(typing.get_args(annotation)) == 1:
        text = _type_text(typing.get_args(annotation)[0])
        return f"{text}[]" if text in _ELEMENTS else None
    return None


def _annotation(fn: Callable[..., Any], what: str, annotation: Any) -> Any:
    if not isinstance(annotation, str):
        return annotation
    try:
        return eval(annotation, getattr(fn, "__globals__", {}))  # as Python reads annotations
    except Exception as error:
        raise InvalidArgumentError(
            f"infer_schema: annotation of {what} must be a type, got {annotation!r}, which cannot "
            f"be evaluated: {error}"
        ) from error


def _default_text(name: str, value: Any) -> str:
    if value is None or isinstance(value, (bool, int, float)):
        return repr(value)
    if isinstance(value, str):
        return f'"{value}"'
    if isinstance(value, device):
        return f'"{value}"'
    if isinstance(value, dtype):
        return str(value).rpartition(".")[2]
    raise InvalidArgumentError(
        f"infer_schema: default of {name} must be a number, str, dtype, device or None, got "
        f"{type(value).__name__}"
    )


def _written(text: str, number: int) -> str:
    """Returns a type annotated as written, with alias set `number`."""
    return text.replace("Tensor", f"Tensor(a{number}!)", 1)


def _parameter_text(
    fn: Callable[..., Any], parameter: inspect.Parameter, written: int | None
) -> str:
    name = parameter.name
    if parameter.kind in (parameter.VAR_POSITIONAL, parameter.VAR_KEYWORD):
        raise InvalidArgumentError(
            f"infer_schema: parameters must be named, got *{name}, which takes any number"
        )
    if parameter.kind is parameter.POSITIONAL_ONLY:
        raise InvalidArgumentError(
            f"infer_schema: parameter {name} must not be positional-only, got one before '/'; "
            "schemas name all arguments"
        )
    if parameter.annotation is parameter.empty:
        raise InvalidArgumentError(f"infer_schema: parameter {name} must have an annotation")
    annotation = _annotation(fn, f"parameter {name}", parameter.annotation)
    text = _type_text(annotation)
    if text is None:
        known = ", ".join(getattr(one, "__name__", str(one)) for one in _SIMPLE)
        raise InvalidArgumentError(
            f"infer_schema: type of parameter {name} must be one of {known}, Optional of these or "
            f"a list, got {annotation}"
        )
    if written is not None:
        if not text.startswith("Tensor"):
            raise InvalidArgumentError(
                f"infer_schema: mutates_args must name Tensors, got {name} of type {text}"
            )
        text = _written(text, written)
    if parameter.default is parameter.empty:
        return f"{text} {name}"
    return f"{text} {name}={_default_text(name, parameter.default)}"


def _result_text(fn: Callable[..., Any], annotation: Any) -> str:
    if annotation is inspect.Signature.empty:
        raise InvalidArgumentError("infer_schema: the result must have an annotation, got none")
    annotation = _annotation(fn, "the result", annotation)
    if annotation is None or annotation is type(None):
        return "()"
    if typing.get_origin(annotation) is tuple:
        parts = [_type_text(part) for part in typing.get_args(annotation)]
        if not parts:
            return "()"
        text = f"({', '.join(str(part) for part in parts)})"
    else:
        parts = [_type_text(annotation)]
        text = str(parts[0])
    if not parts or any(part not in _RESULTS for part in parts):
        raise InvalidArgumentError(
            f"infer_schema: the result must be of types {', '.join(_RESULTS)} or a tuple of these, "
            f"got {annotation}"
        )
    return text


def infer_schema(
    prototype_function: Callable[..., Any],
    /,
    *,
    mutates_args: str | Iterable[str],
    op_name: str | None = None,
) -> str:
    """Returns the schema of a function by its annotations, "(Tensor x, SymInt n=2) -> Tensor".

    Args:
        prototype_function: Each parameter and the result have annotations.
        mutates_args: Names of the parameters that it writes, or "unknown": all tensors.
        op_name: Put before the schema.

    Raises:
        InvalidArgumentError: an annotation or a default that schemas cannot express.
    """
    signature = inspect.signature(prototype_function)
    parameters = list(signature.parameters.values())
    names = {parameter.name for parameter in parameters}
    unknown = mutates_args == "unknown"
    if isinstance(mutates_args, str) and not unknown:
        raise InvalidArgumentError(
            "infer_schema: mutates_args must be names in a list, or 'unknown', got "
            f"{mutates_args!r}"
        )
    wanted = () if unknown else tuple(mutates_args)
    for name in wanted:
        if name not in names:
            raise InvalidArgumentError(
                f"infer_schema: mutates_args must name parameters, got {name!r}"
            )
    texts: list[str] = []
    for index, parameter in enumerate(parameters):
        if parameter.kind is parameter.KEYWORD_ONLY and "*" not in texts:
            texts.append("*")
        is_written = parameter.name in wanted
        if unknown:
            annotation = _annotation(prototype_function, parameter.name, parameter.annotation)
            is_written = (_type_text(annotation) or "").startswith("Tensor")
        texts.append(_parameter_text(prototype_function, parameter, index if is_written else None))
    result = _result_text(prototype_function, signature.return_annotation)
    return f"{op_name or ''}({', '.join(texts)}) -> {result}"


__all__ = ["infer_schema"]
