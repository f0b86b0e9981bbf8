# SPDX-License-Identifier: Apache-2.0
"""Cases of all forms of an operator: functional, in place, and with `out`."""

import torch

from cases import Tensors, case


def _clones(value):
    if isinstance(value, torch.Tensor):
        return value.clone()
    if isinstance(value, Tensors):
        return Tensors(one.clone() for one in value)
    return value


def _types(schema):
    return [(one.name, str(one.type)) for one in schema.arguments if not one.is_out]


def _overloads(packet):
    return [getattr(packet, name) for name in packet.overloads()]


def every_form(name, op, *args, exact=False, no_meta=False, **kwargs):
    """Yields the call of a functional operator, and of its in-place and out forms."""
    base, _, overload = op.removeprefix("aten::").partition(".")
    functional = getattr(getattr(torch.ops.aten, base), overload or "default")
    how = {"exact": exact, "no_meta": no_meta}
    yield case(name, op, *args, **how, **kwargs)
    wanted = _types(functional._schema)
    if hasattr(torch.ops.aten, base + "_"):
        for one in _overloads(getattr(torch.ops.aten, base + "_")):
            if _types(one._schema) == wanted:
                text = one._schema.name + (
                    f".{one._schema.overload_name}" if one._schema.overload_name else ""
                )
                written = [_clones(args[0]), *args[1:]]
                yield case(f"{name}_in_place", text, *written, **how, **kwargs)
    for one in _overloads(getattr(torch.ops.aten, base)):
        names = [argument.name for argument in one._schema.arguments if argument.is_out]
        if not names or _types(one._schema) != wanted:
            continue
        with torch.no_grad():
            result = functional(*map(_clones, args), **kwargs)
        text = f"{one._schema.name}.{one._schema.overload_name}"
        if isinstance(result, list):
            outs = {names[0]: Tensors(torch.zeros(part.shape, dtype=part.dtype) for part in result)}
        else:
            results = result if isinstance(result, tuple) else [result]
            outs = {
                key: torch.zeros(part.shape, dtype=part.dtype)
                for key, part in zip(names, results, strict=True)
            }
        yield case(f"{name}_out", text, *args, **how, **kwargs, **outs)
