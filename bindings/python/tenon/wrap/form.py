# SPDX-License-Identifier: Apache-2.0
"""The form of an overload in languages with overloading: C++ and Java."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable

from .operator import Operator, Parameter


@dataclasses.dataclass
class Form:
    """How one overload is written.

    Attributes:
        operator: The operator that it calls.
        outs: Parameters that results are written to; they come first, in a function `<name>_out`.
        plain: The parameters outside `outs` and `options`, required ones first.
        options: Optional keyword-only parameters, if there are two or more; they form a type.
        required: Number of parameters of `plain` that a call must pass.
    """

    operator: Operator
    outs: list[Parameter]
    plain: list[Parameter]
    options: list[Parameter]
    required: int

    @classmethod
    def of(cls, op: Operator) -> Form:
        """Puts the parameters in order."""
        given = [p for p in op.required if not p.is_out]
        by_position = [p for p in op.optional if not p.by_name]
        by_name = [p for p in op.optional if p.by_name]
        options = by_name if len(by_name) > 1 else []
        plain = given + by_position + ([] if options else by_name)
        return cls(op, [p for p in op.required if p.is_out], plain, options, len(given))

    @property
    def name(self) -> str:
        """Name of the function, before keywords of the language are escaped."""
        return f"{self.operator.name}_out" if self.outs else self.operator.name

    def differs(self, others: list[Form], type_of: Callable[[Parameter], str]) -> bool:
        """Drops defaults until no call fits two forms; returns false if one still does."""

        def types(form: Form, count: int) -> list[str]:
            return [type_of(p) for p in [*form.outs, *form.plain[:count]]]

        for other in others:
            for count in range(self.required, len(self.plain) + 1):
                fits = other.required <= count <= len(other.plain)
                if fits and types(self, count) == types(other, count):
                    self.required = count + 1
        return self.required <= len(self.plain)

    def apart(self) -> str:
        """Returns a function name for this overload alone, for types that do not distinguish it."""
        return f"{self.name}_{self.operator.overload or 'default'}"
