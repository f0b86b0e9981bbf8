# SPDX-License-Identifier: Apache-2.0
"""Introspection: operators, dispatch tables and their registrations, live handles, profiles."""

from __future__ import annotations

import sys as _sys

from . import _tenon
from ._tenon import OpOverload, OpOverloadPacket
from .error import InvalidArgumentError, NotFoundError, StateError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from typing import Any, TextIO

    from .estimate import Estimate, estimate
    from .simulator import Simulator

_PROVENANCE = {
    _tenon.TENON_PROVENANCE_MISSING: "missing",
    _tenon.TENON_PROVENANCE_KERNEL: "kernel",
    _tenon.TENON_PROVENANCE_DEFAULT_BACKEND_KERNEL: "default backend kernel",
    _tenon.TENON_PROVENANCE_MATH_KERNEL: "math kernel",
    _tenon.TENON_PROVENANCE_AUTOGRAD_KERNEL: "autograd kernel",
    _tenon.TENON_PROVENANCE_BATCHED_KERNEL: "batched kernel",
    _tenon.TENON_PROVENANCE_BACKEND_FALLBACK: "backend fallback",
}


def _find(op: str | OpOverload | OpOverloadPacket) -> OpOverload:
    """Finds an operator, also one that has kernels but no definition; packets of one overload."""
    if isinstance(op, OpOverload):
        return op
    if isinstance(op, OpOverloadPacket):
        names = op.overloads()
        if len(names) == 1:
            return getattr(op, names[0])
        raise InvalidArgumentError(
            f"{op._qualified_op_name}: operator must be one overload, got a packet of {names}"
        )
    try:
        return _tenon.find_op(op)
    except NotFoundError:
        found = _tenon.find_dangling_op(op)
        if found is None:
            raise
        return found


def live_handles() -> dict[str, int]:
    """Returns the numbers of live objects of each kind, after pending releases have run."""
    _tenon.drain()
    return {
        _tenon.tenon_introspect_handle_name(kind): _tenon.tenon_introspect_live_count(kind)
        for kind in range(_tenon.tenon_introspect_handle_count())
    }


def operators(namespace: str | None = None) -> list[str]:
    """Returns the full names of the operators that are defined now, sorted."""
    names = _tenon.op_names(False)
    if namespace is None:
        return names
    return [name for name in names if name.startswith(f"{namespace}::")]


def dangling() -> list[str]:
    """Returns the operators that have kernels but no definition."""
    return _tenon.op_names(True)


def keys() -> list[str]:
    """Returns the runtime keys that have slots, highest last."""
    return _tenon.key_names()


def dump(op: str | OpOverload) -> str:
    """Returns what is registered for an operator: schema, and one line a kernel."""
    return _tenon.tenon_introspect_dump(_find(op))


class Slot:
    """One filled slot of an operator's table.

    Attributes:
        key: Runtime key of the slot.
        provenance: Where its kernel comes from, such as "kernel" or "math kernel".
        source: Key or alias that the kernel was registered on.
        fallthrough: Whether calls skip the key.
        language: Language of the kernel.
        name: Name of the kernel's function, "" if unknown.
        file: File where it was registered, "" if unknown.
        line: Line there.
        typed: Whether it has a typed form.
    """

    __slots__ = (
        "fallthrough",
        "file",
        "key",
        "language",
        "line",
        "name",
        "provenance",
        "source",
        "typed",
    )

    def __init__(self, key: str, facts: tuple) -> None:
        """Makes it from the facts that the native layer lists."""
        provenance, source, fallthrough, language, name, file, line, typed = facts
        self.key = key
        self.provenance = _PROVENANCE[provenance]
        self.source = source
        self.fallthrough = fallthrough
        self.language = _tenon.tenon_language_name(language) or ""
        self.name = name
        self.file = file
        self.line = line
        self.typed = typed

    def __repr__(self) -> str:
        skip = "fallthrough " if self.fallthrough else ""
        return f"{self.key}: {skip}{self.name} ({self.language}) [{self.provenance}]"


def dispatch_table(op: str | OpOverload) -> dict[str, Slot]:
    """Returns the computed table: key -> slot, Undefined first, missing slots left out."""
    found = _find(op)
    return _table(lambda key: _tenon.op_slot(found, key))


def _table(slot_of: Callable[[int], tuple]) -> dict[str, Slot]:
    """Returns the filled slots by key, Undefined first; `slot_of` describes the slot of a key."""
    table = {}
    for name in ["Undefined", *_tenon.key_names()]:
        if name in table:
            continue
        facts = slot_of(_tenon.tenon_key_parse(name))
        if facts[0] != _tenon.TENON_PROVENANCE_MISSING:
            table[name] = Slot(name, facts)
    return table


def dump_table(op: str | OpOverload) -> str:
    """Returns the computed table of an operator as text, one line a filled slot."""
    return _tenon.tenon_introspect_dump_table(_find(op))


def invariants(op: str | OpOverload | None = None) -> None:
    """Recomputes dispatch tables and compares them with those in use.

    Raises:
        InternalError: they differ; the message names operator and slot.
    """
    _tenon.tenon_introspect_check(None if op is None else _find(op))


class Event:
    """One dispatch of a profile.

    Attributes:
        op: Full name of the operator.
        key: Key whose slot was called.
        redispatch: Whether it was a redispatch.
        keys: Key set of the dispatch, as bits.
        depth: How many profiled dispatches it ran inside.
        parent: Number of the innermost of those in the profile, None without one.
        language: Language of the kernel.
        kernel: Name of the kernel, "" if unknown.
        file: File where the kernel was registered, "" if unknown.
        line: Line there.
        handler: The type of the mode or argument whose handler a fallback called last, and in
            parentheses its language: "__main__.Logging (Python)"; else "".
        failed: Whether the kernel returned an error.
        time: Nanoseconds from the beginning of the profile to the call.
        end: Nanoseconds from there to its end, None where it outlived the profile.
    """

    __slots__ = (
        "depth",
        "end",
        "failed",
        "file",
        "handler",
        "kernel",
        "key",
        "keys",
        "language",
        "line",
        "op",
        "parent",
        "redispatch",
        "time",
    )

    def __init__(self, facts: tuple) -> None:
        """Makes it from the facts that the native layer lists."""
        self.op, self.key, self.redispatch, self.keys, self.depth, parent, language = facts[:7]
        self.kernel, self.file, self.line, status, self.time, end = facts[7:13]
        handler, handler_language = facts[13:]
        spoken = _tenon.tenon_language_name(handler_language) or ""
        self.handler = f"{handler} ({spoken})" if handler else ""
        self.parent = None if parent < 0 else parent
        self.language = _tenon.tenon_language_name(language) or ""
        self.failed = status != 0
        self.end = None if end < 0 else end

    @property
    def duration(self) -> int | None:
        """Nanoseconds that the call took, None where it outlived the profile."""
        return None if self.end is None else self.end - self.time

    def __str__(self) -> str:
        took = "" if self.duration is None else f" {self.duration / 1000:.1f} us"
        return f"{self:plain}{took}"

    def __format__(self, spec: str) -> str:
        """Returns the text; without its duration for "plain"."""
        if spec != "plain":
            return format(str(self), spec)
        verb = "redispatch" if self.redispatch else "call"
        kernel = f" {self.kernel}" if self.kernel else ""
        failed = " failed" if self.failed else ""
        indent = "  " * self.depth
        kernel += f" ({self.language})" + (f" for {self.handler}" if self.handler else "")
        return f"{indent}{verb} {self.op} [{self.key}]{kernel}{failed}"


def _handler_event(noted: Any) -> Event:
    """Returns the event of a `__torch_function__` handler; `_with_handlers` sets its position."""
    from .override_names import _name_of

    function, asked, _, _, begun, ended, failed = noted
    language = _tenon.TENON_LANGUAGE_PYTHON
    name = f"{asked.__module__}.{asked.__qualname__}"
    return Event(
        (
            *(_name_of(function), "__torch_function__", False, 0, 0, -1, language),
            *("", "", 0, int(failed), begun, ended, name, language),
        )
    )


def _with_handlers(dispatches: list[Event], handlers: list[Any]) -> list[Event]:
    """Merges events of dispatches and handlers in the order in which they began.

    Each handler has the number of dispatches recorded at its beginning and at its end.
    """
    events: list[Event] = []
    places: list[int] = []  # indices of the dispatches in `events`
    opened: list[tuple[int, Event, int]] = []  # running handlers: their ends, and indices
    waiting = [(one[2], one[3], _handler_event(one)) for one in handlers]

    def close(count: int, time: int) -> None:
        while opened and 0 <= opened[-1][0] <= count and (opened[-1][1].end or 0) <= time:
            opened.pop()

    def add(event: Event, outer: int | None, depth: int) -> None:
        event.parent, event.depth = outer, depth
        if opened and (outer is None or outer < opened[-1][2]):
            event.parent, event.depth = opened[-1][2], opened[-1][1].depth + 1
        events.append(event)

    for number in range(len(dispatches) + 1):
        while waiting and waiting[0][0] <= number:
            _, end, handler = waiting.pop(0)
            close(number, handler.time)
            # A handler runs inside the innermost dispatch that ends after it.
            around = [
                place
                for place in places
                if events[place].end is None or events[place].end >= (handler.end or 0)
            ]
            outer = around[-1] if around else None
            add(handler, outer, 0 if outer is None else events[outer].depth + 1)
            opened.append((end, handler, len(events) - 1))
        if number == len(dispatches):
            break
        one = dispatches[number]
        close(number, one.time)
        outer = None if one.parent is None else places[one.parent]
        add(one, outer, 0 if outer is None else events[outer].depth + 1)
        places.append(len(events) - 1)
    return events


class profile:
    """Collects the thread's dispatches inside a `with` block, and prints them when it ends.

    It also has the handlers of modes and classes (`__torch_function__`) that Python functions call
    before dispatch: `op` is the function, `key` is "__torch_function__".

    Args:
        file: The file to print to, by default standard output; None prints nothing.
        max_events: The maximum number of dispatches to keep, the first ones; 0 keeps all.

    Attributes:
        events: The dispatches, in the order of their beginning.
        dropped: The number of dispatches that were not kept.
    """

    def __init__(self, file: TextIO | str | None = "stdout", *, max_events: int = 0) -> None:
        """Prepares a profile; entering it starts it."""
        self._file = file
        self._max_events = max_events
        self._handle: Any = None
        self._handlers: list[Any] = []
        self._running = False
        self.events: list[Event] = []
        self.dropped = 0

    def __enter__(self) -> profile:
        self._handle = _tenon.tenon_profile_begin(self._max_events)
        self._handlers = _tenon.watch_handlers(self._handle)
        self._running = True
        return self

    def __exit__(self, *exc: object) -> None:
        if self._handle is None:
            raise StateError("profile: a profile must be entered before it is left")
        _tenon.unwatch_handlers(self._handlers)
        _tenon.tenon_profile_end(self._handle)
        self._running = False
        spans, self.dropped = _tenon.profile_spans(self._handle)
        events = [Event(facts) for facts in spans]
        self.events = _with_handlers(events, self._handlers) if self._handlers else events
        if self._file is not None and self.events:
            print(self, file=_sys.stdout if isinstance(self._file, str) else self._file)

    def __iter__(self) -> Iterator[Event]:
        return iter(self.events)

    def __len__(self) -> int:
        return len(self.events)

    def __str__(self) -> str:
        return "\n".join(map(str, self.events))

    def __repr__(self) -> str:
        if self._handle is None:
            return "<profile not begun>"
        if self._running:
            return "<profile running>"
        left_out = f", {self.dropped} more dropped" if self.dropped else ""
        return f"<profile of {len(self.events)} dispatches{left_out}>"


def explain(op: str | OpOverload, *args: Any, **kwargs: Any) -> str:
    """Explains the call `op(*args, **kwargs)` of this thread in words, without making it.

    Args:
        op: Operator or its full name, such as "aten::add.Tensor".
        *args: Arguments as for the call.
        **kwargs: Keyword arguments as for the call.

    Returns:
        Lines of text: the keys of each argument, the keys that thread and operator add and remove,
        the key that the call is dispatched to, its kernel and why, and the kernels that a
        redispatch reaches.

    Raises:
        ArgumentTypeError: the arguments do not fit the schema.
        NotFoundError: there is no such operator, or it has kernels but no definition.
    """
    return _find(op).explain(*args, **kwargs).removesuffix("\n")


# Imported at first use, because most programs need none of these.
_LAZY = {"Estimate": "estimate", "Simulator": "simulator", "estimate": "estimate"}


def __getattr__(name: str) -> object:
    if name not in _LAZY:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from importlib import import_module

    return getattr(import_module(f".{_LAZY[name]}", __package__), name)


__all__ = [
    "Estimate",
    "Event",
    "Simulator",
    "Slot",
    "dangling",
    "dispatch_table",
    "dump",
    "dump_table",
    "estimate",
    "explain",
    "invariants",
    "keys",
    "live_handles",
    "operators",
    "profile",
]
