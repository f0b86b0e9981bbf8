# SPDX-License-Identifier: Apache-2.0
"""The Python role of the matrix: operators of matrix_python define, implement and call `mix`."""

from __future__ import annotations

import gc

import tenon
from tenon.library import Library

MIX = (
    "mix(Tensor a, int n, float f, str s, Tensor? opt, int[] dims, Tensor[] list) -> (Tensor, int)"
)

_role: Library | None = None
_libraries: dict[str, list[Library]] = {}


def _open(ns: str) -> Library:
    library = Library(ns, "FRAGMENT")
    _libraries.setdefault(ns, []).append(library)
    return library


def _mix(a, n, f, s, opt, dims, list):
    offset = f + len(s) + (opt.tolist()[0] if opt is not None else 100.0)
    offset += sum(dims) + sum(tensor.tolist()[0] for tensor in list)
    return tenon.tensor([x * n + offset for x in a.tolist()], dtype=tenon.float32), a.data_ptr()


def _define(ns: str) -> None:
    _open(ns).define(MIX)


def _implement(ns: str) -> None:
    _open(ns).impl("mix", _mix, "CPU")


def _expect(results, a, expected: list[float]) -> None:
    out, address = results
    if out.tolist() != expected:
        raise AssertionError(f"out must be {expected}, got {out.tolist()}")
    if address != a.data_ptr():
        raise AssertionError("the kernel must see the caller's memory")


def _call(ns: str) -> None:
    mix = getattr(tenon.ops, ns).mix
    a = tenon.tensor([1.0, 2.0, 3.0])
    opt = tenon.tensor([7.0])
    tensors = [tenon.tensor([10.0]), tenon.tensor([20.0])]
    _expect(mix(a, 3, 0.5, "tenon", opt, [4, 6], tensors), a, [55.5, 58.5, 61.5])
    _expect(mix(a, 3, 0.5, "tenon", None, [4, 6], tensors), a, [148.5, 151.5, 154.5])


def _close(ns: str) -> None:
    for library in _libraries.pop(ns, []):
        library._destroy()


class PythonLost(Exception):
    """What this role raises, to be found again as the same object."""


_raised: PythonLost | None = None


def _raise(path: str) -> None:
    global _raised
    _raised = PythonLost("lost in Python")
    raise _raised


def _relay(path: str) -> None:
    language, _, rest = path.partition(",")
    tenon.find_op(f"matrix_{language}::{'relay' if rest else 'raise'}")(rest)


def _dive(path: str) -> None:
    """Calls the first language of the path to go on along the path turned by one, for ever."""
    language, comma, rest = path.partition(",")
    tenon.find_op(f"matrix_{language}::dive")(rest + comma + language)


def _catch(path: str) -> None:
    """Relays along a path that ends here; the exception must come back as the one raised."""
    global _raised
    try:
        _relay(path)
    except PythonLost as lost:
        if lost is not _raised:
            raise AssertionError("must be the same exception, got a copy") from lost
    else:
        raise AssertionError("must raise, returned")
    finally:
        _raised = None


class Object:
    """Answers "python:" and the second argument."""

    @classmethod
    def __tenon_function__(cls, op, types, args, kwargs):
        return f"python:{args[1]}"


def _override(language: str) -> None:
    other = getattr(tenon.ops, f"matrix_{language}").object()
    result = tenon.ops.overridden.f(other, 7)
    if result != f"{language}:7":
        raise AssertionError(f"result must be {language}:7, got {result!r}")


def _collect(ns: str) -> None:
    gc.collect()


def register() -> None:
    """Registers the role's operators, each "(str ns) -> ()"."""
    global _role
    _role = Library("matrix_python", "DEF")
    steps = {
        "define": _define,
        "implement": _implement,
        "call": _call,
        "close": _close,
        "override": _override,
        "collect": _collect,
        "raise": _raise,
        "relay": _relay,
        "dive": _dive,
        "catch": _catch,
    }
    for name, step in steps.items():
        _role.define(f"{name}(str ns) -> ()")
        _role.impl(name, step, "CompositeImplicitAutograd")
    _role.define("object() -> Any")
    _role.impl("object", Object, "CompositeImplicitAutograd")


def unregister() -> None:
    """Removes them again."""
    global _role
    if _role is not None:
        _role._destroy()
        _role = None
    gc.collect()


register()
