# SPDX-License-Identifier: Apache-2.0
"""Bad input of every kind, 10 000 times each: a clear error, no changed state and no leak."""

from __future__ import annotations

import ctypes
import gc
import pathlib
import resource

import pytest
import tenon
from tenon.library import Library

REPEAT = 10_000
PAGE = resource.getpagesize()


def resident() -> int:
    """Resident memory in bytes."""
    return int(pathlib.Path("/proc/self/statm").read_text().split()[1]) * PAGE


class Bad:
    """An operator that tests misuse, and its arguments."""

    def __init__(self, library: Library) -> None:
        self.library = library
        self.ns = library.ns
        library.define("f(Tensor x, int n, *, str mode='m') -> Tensor")
        library.impl("f", lambda x, n, mode="m": x, "CPU")
        library.define("none(Tensor x) -> Tensor")
        library.define("throws(Tensor x) -> Tensor")
        library.impl("throws", self._throw, "CPU")
        library.define("wrong_result(Tensor x) -> Tensor")
        library.impl("wrong_result", lambda keys, x: None, "CPU", with_keyset=True)
        self.ops = getattr(tenon.ops, self.ns)
        library.define("any(Any x) -> int")
        library.impl("any", lambda x: 1, "CompositeExplicitAutograd")
        self.any = getattr(tenon.ops, self.ns).any
        self.endless: list = []
        self.endless.append(self.endless)
        self.endless_dict: dict = {}
        self.endless_dict["self"] = (1, self.endless_dict)
        self.t = tenon.ones(2)
        self.u = tenon.ones(3)
        self.used = tenon.ones(2).__dlpack__()
        tenon.from_dlpack(self.used)
        self.foreign_capsule = ctypes.pythonapi.PyCapsule_New
        self.foreign_capsule.restype = ctypes.py_object
        self.foreign_capsule.argtypes = [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p]
        self.closed = Library(f"{self.ns}_closed", "DEF")
        self.closed._destroy()
        with Library(f"{self.ns}_gone", "DEF") as gone:
            gone.define("f(Tensor x) -> Tensor")
            self.gone = getattr(tenon.ops, f"{self.ns}_gone").f

    @staticmethod
    def _throw(x):
        raise KeyError("from the kernel")


CASES = {
    "too few arguments": (lambda b: b.ops.f(b.t), TypeError, "::f: n must be given"),
    "too many arguments": (lambda b: b.ops.f(b.t, 1, "m", 2), TypeError, "at most 2"),
    "unknown keyword": (lambda b: b.ops.f(b.t, 1, wrong=1), TypeError, "'wrong'"),
    "argument given twice": (lambda b: b.ops.f(b.t, 1, n=1), TypeError, "::f: n must"),
    "wrong type": (lambda b: b.ops.f(b.t, "x"), TypeError, "::f: n must be int"),
    "wrong type of a list element": (lambda b: tenon.cat([b.t, "x"]), TypeError, "tensors"),
    "None for a tensor": (lambda b: b.ops.f(None, 1), TypeError, "::f: x must be Tensor"),
    "no overload fits": (lambda b: tenon.add(b.t, "x"), TypeError, "aten::add.Tensor"),
    "unknown operator": (lambda b: tenon.find_op(f"{b.ns}::no"), LookupError, "::no"),
    "unknown attribute": (lambda b: b.ops.no, AttributeError, "no"),
    "unknown overload": (lambda b: b.ops.f.no, AttributeError, "::f"),
    "unknown overload by name": (
        lambda b: tenon.find_op(f"{b.ns}::f.no"),
        LookupError,
        "no",
    ),
    "unknown key": (lambda b: b.library.impl("f", b.ops.f, "NoKey"), LookupError, "NoKey"),
    "unknown device": (lambda b: tenon.ones(1, device="nodevice"), LookupError, "nodevice"),
    "duplicate definition": (
        lambda b: b.library.define("f(Tensor x) -> Tensor"),
        RuntimeError,
        "::f",
    ),
    "duplicate kernel": (
        lambda b: b.library.impl("f", lambda x: x, "CPU"),
        RuntimeError,
        "::f",
    ),
    "second library": (lambda b: Library(b.ns, "DEF"), RuntimeError, "test_bad_input.py"),
    "kernel missing": (lambda b: b.ops.none(b.t), NotImplementedError, "::none"),
    "kernel throws": (lambda b: b.ops.throws(b.t), KeyError, "from the kernel"),
    "kernel returns nothing": (lambda b: b.ops.wrong_result(b.t), TypeError, "::wrong_result"),
    "malformed schema": (lambda b: b.library.define("g(Tensr x) -> Tensor"), ValueError, "Tensr"),
    "unfinished schema": (lambda b: tenon.Schema.parse("g(Tensor x"), ValueError, ""),
    "mismatched shapes": (lambda b: b.t + b.u, ValueError, "add"),
    "index out of range": (lambda b: b.t[7], IndexError, "select"),
    "used capsule": (lambda b: tenon.from_dlpack(b.used), ValueError, "capsule"),
    "foreign capsule": (
        lambda b: tenon.from_dlpack(b.foreign_capsule(1, b"other", None)),
        ValueError,
        "other",
    ),
    "no capsule at all": (lambda b: tenon.from_dlpack("x"), TypeError, "__dlpack__"),
    "NUL in an operator's name": (lambda b: tenon.find_op(f"{b.ns}::f\0"), ValueError, "null"),
    "NUL in a device": (lambda b: tenon.device("cpu\0"), ValueError, "null"),
    "NUL in a key": (lambda b: b.library.impl("f", b.t.sum, "CPU\0"), ValueError, "null"),
    "NUL in a tag": (
        lambda b: b.library.define("h() -> ()", tags=("a\0b",)),
        ValueError,
        "null",
    ),
    "NUL in a namespace": (lambda b: Library("a\0b", "FRAGMENT"), ValueError, "null"),
    "NUL in a backend": (lambda b: tenon.library.register_backend("a\0b"), ValueError, "null"),
    "list that holds itself": (lambda b: b.any(b.endless), RecursionError, "argument"),
    "dict that holds itself": (lambda b: b.any(b.endless_dict), RecursionError, "argument"),
    "closed library": (lambda b: b.closed.define("g() -> ()"), RuntimeError, "open"),
    "removed operator": (lambda b: b.gone(b.t), LookupError, "_gone::f"),
    "missing plugin": (
        lambda b: tenon.ops.load_library("/no/such/plugin.so"),
        LookupError,
        "/no/such/plugin.so",
    ),
    "no plugin": (
        lambda b: tenon.ops.load_library(__file__),
        RuntimeError,
        "test_bad_input.py",
    ),
    "unequal lists": (lambda b: tenon.tensor([[1.0], [2.0, 3.0]]), ValueError, "equal length"),
    "int without a dtype": (lambda b: tenon.tensor([1, 2**63]), ValueError, "int64"),
    "int that no Scalar holds": (lambda b: b.t + 2**63, TypeError, "outside the range of int64"),
    "number out of range": (lambda b: tenon.tensor([1000], dtype=tenon.int8), ValueError, "int8"),
}


@pytest.fixture
def bad(library):
    made = Bad(library)
    yield made
    vars(made).clear()  # pytest keeps the object itself until after the handles were counted


@pytest.mark.parametrize(("action", "kind", "message"), CASES.values(), ids=CASES.keys())
def test_bad_input(bad, action, kind, message):
    def once():
        with pytest.raises(kind) as caught:
            action(bad)
        return caught.value

    assert message in str(once())
    operators = tenon.introspect.operators()

    def repeat(count):
        for _ in range(count):
            try:
                action(bad)
            except kind:
                continue
            raise AssertionError("must raise every time")

    repeat(200)  # fills pools and caches
    gc.collect()
    before, memory = tenon.introspect.live_handles(), resident()
    repeat(REPEAT)
    gc.collect()
    grown = resident() - memory
    assert tenon.introspect.live_handles() == before
    assert grown < 1 << 20, f"resident memory grew by {grown} bytes"
    assert tenon.introspect.operators() == operators
    assert bad.ops.f(bad.t, 1) is bad.t, "still works"
