# SPDX-License-Identifier: Apache-2.0
"""Says in words what a call would do: which keys it has, which kernel runs, why, and what next."""

from __future__ import annotations

from . import _tenon
from ._tenon import OpOverload, Tensor
from .introspect import Slot, _find, dispatch_table, keys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

_WHY = {
    "kernel": "a kernel is registered on {key} itself",
    "default backend kernel": "{key} has no kernel of its own, and {source} serves every backend",
    "math kernel": "{key} has no kernel of its own and no backend's kernel takes its place, so"
    " that {source} serves it",
    "autograd kernel": "{key} has no kernel of its own, and the alias {source} serves it",
    "batched kernel": "{key} has no kernel of its own, and {source} serves it",
    "backend fallback": "the operator has no kernel for {key}, whose fallback serves all operators",
}


def explain(op: str | OpOverload, *args: Any, **kwargs: Any) -> str:
    """Explains the call `op(*args, **kwargs)` of this thread without making it.

    Args:
        op: Operator or its full name, such as "aten::add.Tensor".
        *args: Arguments as for the call.
        **kwargs: Keyword arguments as for the call.

    Returns:
        Lines of text: the keys of each tensor, what thread and operator add and take away, the key
        that the call goes to and its kernel, and the kernels further down.

    Raises:
        ArgumentTypeError: the arguments do not fit the schema.
        NotFoundError: there is no such operator, or it has kernels but no definition.
    """
    found = _find(op)
    call = int(found.compute_keys(*args, **kwargs))
    table = dispatch_table(found)
    lines = [str(found._schema)]
    lines += [f"  {name} has {_printed(tensor._keys)}" for name, tensor in _tensors(args, kwargs)]
    included, excluded = _tenon.tenon_keys_included(), _tenon.tenon_keys_excluded()
    lines.append(f"  the thread adds {_printed(included)} and takes away {_names(excluded)}")
    lines.append(f"  the call has {_printed(call)} after skipping what falls through")
    key = _tenon.tenon_key_name(_tenon.tenon_keyset_highest(call))
    slot = table.get(key)
    if slot is None or slot.fallthrough:
        kernels = sorted({one.source for one in table.values() if one.provenance == "kernel"})
        lines.append(f"  {_at(key)}, which has no kernel: the call fails")
        lines.append(f"  kernels of {found.name()}: {', '.join(kernels) or 'none'}")
    else:
        lines.append(f"  {_at(key)}: {_kernel(slot)} runs [{slot.provenance}]")
        lines.append(f"    because {_WHY[slot.provenance].format(key=key, source=slot.source)}")
        lines += [f"  {line}" for line in _below(call, key, table)]
    return "\n".join(lines)


def _tensors(args: tuple, kwargs: dict) -> Iterator[tuple[str, Tensor]]:
    for name, value in [*((f"argument {n}", v) for n, v in enumerate(args)), *kwargs.items()]:
        if isinstance(value, Tensor):
            yield name, value
        elif isinstance(value, (list, tuple)):
            for number, one in enumerate(value):
                if isinstance(one, Tensor):
                    yield f"{name}[{number}]", one


def _printed(bits: int) -> str:
    return _tenon.tenon_keyset_print(int(bits))


def _names(bits: int) -> str:
    """Functionalities of a set that has no backends, as the keys that it stands for."""
    everywhere = bits | (1 << _tenon.TENON_BACKEND_BITS) - 1
    return _printed(everywhere) if bits else "nothing"


def _kernel(slot: Slot) -> str:
    place = f" at {slot.file}:{slot.line}" if slot.file else ""
    return f"{slot.name or 'a kernel'} ({slot.language}{place})"


def _at(key: str) -> str:
    if key == "Undefined":
        return "no key is left (no tensor brings one)"
    return f"the highest key is {key}"


def _below(call: int, key: str, table: dict[str, Slot]) -> Iterator[str]:
    """What a kernel that redispatches below its own key would reach, key by key."""
    if key == "Undefined":
        return
    lower = call & _tenon.tenon_keyset_below(_tenon.tenon_key_parse(key))
    order = keys()
    rest = [name for name in reversed(order) if _tenon.tenon_keyset_has(lower, _parse(name))]
    if not rest:
        yield "nothing is below: this kernel ends the call"
    seen = set()
    for name in rest:
        functionality = _parse(name) & 0xFF
        if functionality in seen:
            continue  # only the highest backend of a functionality can be reached
        seen.add(functionality)
        slot = table.get(name)
        if slot is None:
            yield f"below it, {name} has no kernel: redispatching there fails"
            return
        if slot.fallthrough:
            continue
        yield f"below it, {name}: {_kernel(slot)} [{slot.provenance}]"


def _parse(name: str) -> int:
    return _tenon.tenon_key_parse(name)


__all__ = ["explain"]
