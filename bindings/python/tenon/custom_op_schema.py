# SPDX-License-Identifier: Apache-2.0
"""Schema changes and checks for the arguments `tags` and `mutates_args` of `custom_op`."""

from __future__ import annotations

import enum
import inspect

from .error import InvalidArgumentError
from .schema import Schema

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from typing import Any


class Tag(str, enum.Enum):
    """Names of tags that operators carry; each is equal to its text."""

    core = "core"
    data_dependent_output = "data_dependent_output"
    dynamic_output_shape = "dynamic_output_shape"
    flexible_layout = "flexible_layout"
    generated = "generated"
    inplace = "inplace"
    inplace_view = "inplace_view"
    needs_fixed_stride_order = "needs_fixed_stride_order"
    nondeterministic_bitwise = "nondeterministic_bitwise"
    nondeterministic_seeded = "nondeterministic_seeded"
    out = "out"
    pointwise = "pointwise"
    pt2_compliant_tag = "pt2_compliant_tag"
    view_copy = "view_copy"

    def __str__(self) -> str:
        return self.value


def tag_names(tags: Any) -> tuple[str, ...]:
    """Returns the texts of one tag, of several tags, or of None."""
    if tags is None:
        return ()
    return (str(tags),) if isinstance(tags, str) else tuple(str(one) for one in tags)


def aliased_result(
    schema: str, fn: Callable[..., Any], mutates_args: Iterable[str], tags: tuple[str, ...]
) -> str:
    """Returns the schema with results aliasing the written arguments, for "inplace" and "out"."""
    parameters = inspect.signature(fn).parameters
    places = {name: index for index, name in enumerate(parameters)}
    named = set(mutates_args)
    written = [name for name in parameters if name in named]
    if {"inplace", "out"} <= set(tags):
        raise InvalidArgumentError("custom_op: tags must hold one of inplace and out, got both")
    if "out" in tags:
        for name in mutates_args:
            if parameters[name].kind is not inspect.Parameter.KEYWORD_ONLY:
                raise InvalidArgumentError(
                    "custom_op: written arguments must be keyword-only with the tag out, got "
                    f"{name}"
                )
        if not written:
            raise InvalidArgumentError(
                "custom_op: mutates_args must name a keyword-only Tensor with the tag out, got none"
            )
    elif written != [next(iter(parameters), None)]:
        raise InvalidArgumentError(
            "custom_op: mutates_args must be the first argument alone with the tag inplace, got "
            f"{sorted(named)}"
        )
    plain = "Tensor" if len(written) == 1 else f"({', '.join(['Tensor'] * len(written))})"
    text, _, result = schema.rpartition(" -> ")
    if result != plain:
        raise InvalidArgumentError(
            f"custom_op: the result must be annotated as {plain}, one for each written argument, "
            f"with the tag {'out' if 'out' in tags else 'inplace'}, got {result}"
        )
    texts = [f"Tensor(a{places[name]}!)" for name in written]
    return f"{text} -> {texts[0] if len(texts) == 1 else '(' + ', '.join(texts) + ')'}"


def check_written(name: str, schema: str, mutates_args: str | Iterable[str]) -> None:
    """Raises if a schema does not write exactly the arguments that `mutates_args` names."""
    arguments = Schema.parse(f"{name}{schema}").arguments
    written = {one.name for one in arguments if one.is_write}
    named = (
        {one.name for one in arguments if "Tensor" in str(one.type)}
        if mutates_args == "unknown"
        else set(mutates_args)
    )
    if written != named:
        raise InvalidArgumentError(
            f"custom_op: mutates_args must name the arguments that the schema {schema} writes, "
            f"{sorted(written)}, got {sorted(named)}"
        )


__all__ = ["Tag", "aliased_result", "check_written", "tag_names"]
