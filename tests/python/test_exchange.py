# SPDX-License-Identifier: Apache-2.0
"""Memory shared with numpy, buffers and DLPack, in both directions, without a copy."""

from __future__ import annotations

import array
import ctypes
import gc
import sys
from typing import ClassVar

import numpy as np
import pytest
import tenon

DTYPES = [
    *("bool", "uint8", "int8", "int16", "int32", "int64"),
    *("float16", "float32", "float64", "complex64", "complex128"),
]


@pytest.mark.parametrize("name", DTYPES)
def test_numpy_both_ways_shares_memory(name):
    a = np.array([[0, 1, 1], [1, 0, 1]], dtype=name)
    t = tenon.from_numpy(a)
    assert t.dtype is getattr(tenon, name) and t.shape == (2, 3)
    assert t.data_ptr() == a.ctypes.data
    back = t.numpy()
    assert back.dtype == a.dtype and back.ctypes.data == a.ctypes.data
    a[0, 0] = 1
    assert bool(t[0, 0]) and bool(back[0, 0])


def test_numpy_strides_and_empty():
    a = np.arange(24.0).reshape(4, 6)
    t = tenon.from_numpy(a[::2, 1::3])
    assert t.stride() == (12, 3) and t.tolist() == a[::2, 1::3].tolist()
    assert tenon.from_numpy(a.T).stride() == (1, 6)
    assert tenon.from_numpy(np.zeros((0, 3))).shape == (0, 3)
    assert tenon.from_numpy(np.array(2.5)).item() == 2.5
    assert np.asarray(tenon.from_numpy(a).T).tolist() == a.T.tolist()


def test_numpy_refusals():
    with pytest.raises(ValueError, match="negative"):
        tenon.from_numpy(np.arange(3)[::-1])
    with pytest.raises(TypeError, match="datetime64"):
        tenon.from_numpy(np.zeros(2, dtype="M8[s]"))
    with pytest.raises(ValueError, match=">f4"):
        tenon.from_numpy(np.zeros(2, dtype=">f4"))
    with pytest.raises(TypeError, match="object"):
        tenon.from_numpy(np.array([object()]))
    with pytest.raises(TypeError, match="ndarray"):
        tenon.from_numpy([1, 2])
    with pytest.raises(TypeError, match="bfloat16"):
        tenon.ones(1, dtype=tenon.bfloat16).numpy()


def test_numpy_of_a_tensor_that_requires_grad_needs_no_grad_mode(library, ops):
    x = tenon.ones(2, requires_grad=True)
    for read in (x.numpy, lambda: np.asarray(x), lambda: np.sqrt(x)):
        with pytest.raises(tenon.error.StateError, match="grad mode"):
            read()
    with tenon.no_grad():
        x.numpy()[0] = 5
    assert x.tolist() == [5, 1]

    library.define("sum(Tensor x) -> Tensor")
    library.impl("sum", lambda x: tenon.tensor(float(x.numpy().sum())), "CPU")
    assert ops.sum(x).item() == 6


def test_numpy_read_only_stays_read_only():
    a = np.arange(3.0)
    a.flags.writeable = False
    t = tenon.from_numpy(a)
    assert t.is_read_only and t.tolist() == [0.0, 1.0, 2.0]
    with pytest.raises(BufferError):
        memoryview(t).cast("B")[:] = b"x" * 24 if not memoryview(t).readonly else _refuse()
    assert memoryview(t).readonly


def _refuse():
    raise BufferError


def test_numpy_keeps_the_array_alive():
    t = tenon.from_numpy(np.full(1000, 7.0))
    gc.collect()
    assert t.sum().item() == 7000.0
    a = tenon.full((1000,), 7.0).numpy()
    gc.collect()
    assert a.sum() == 7000.0


def test_numpy_arrays_as_arguments():
    a = np.arange(3, dtype=np.float32)
    assert tenon.add(a, np.ones(3, np.float32)).tolist() == [1.0, 2.0, 3.0]
    assert tenon.cat([a, tenon.ones(1)]).tolist() == [0.0, 1.0, 2.0, 1.0]
    assert type(a + tenon.ones(3)) is tenon.Tensor
    assert (tenon.ones(3) * np.float64(2)).dtype is tenon.float32
    assert (tenon.ones(3, dtype=tenon.int64) + np.int32(2)).dtype is tenon.int64


def test_numpy_arrays_among_tensors():
    add, cat = tenon.ops.aten.add.Tensor, tenon.ops.aten.cat
    a, t = np.ones(2, np.float32), tenon.ones(2)
    references = sys.getrefcount(a)
    assert add(a, t).tolist() == add(t, a).tolist() == add(a, a).tolist() == [2.0, 2.0]
    assert add(a, t, alpha=3).tolist() == [4.0, 4.0] and cat([a, t]).shape == (4,)
    assert add(a[::1], np.arange(4, dtype=np.float32)[::2]).tolist() == [1.0, 3.0]
    for good, bad, place in [(t, np.ones(2, "m8[s]"), 1), (a, np.ones(2)[::-1], 1)]:
        for args in [(good, bad), (bad, good)]:
            index = place if args[0] is good else 0
            with pytest.raises(tenon.Error, match="from_numpy: array must") as caught:
                add(*args)
            name = ("self", "other")[index]
            assert str(caught.value).startswith(
                f"aten::add.Tensor: {name} must be Tensor, got numpy.ndarray (from_numpy: array "
            )
            assert f") at position {index}; schema: aten::add.Tensor(" in str(caught.value)
    del good, bad, args, caught
    assert sys.getrefcount(a) == references
    written = np.zeros(2, np.float32)
    result = tenon.ops.aten.add_.Tensor(written, a)
    assert written.tolist() == [1.0, 1.0] and result.tolist() == [1.0, 1.0]


def test_numpy_array_protocol():
    t = tenon.ones(2, 2)
    assert np.array(t, dtype=np.int32).tolist() == [[1, 1], [1, 1]]
    assert np.sum(np.asarray(t)) == 4.0
    shared = np.asarray(t)
    shared[0, 0] = 5
    assert t[0, 0].item() == 5.0


def test_tensor_of_numpy_copies():
    a = np.arange(3)
    t = tenon.tensor(a)
    a[0] = 9
    assert t.tolist() == [0, 1, 2]
    assert tenon.as_tensor(a).data_ptr() == a.ctypes.data
    assert tenon.tensor(np.float64(2.5)).item() == 2.5
    assert tenon.tensor(a, dtype=tenon.float32).dtype is tenon.float32


def test_buffers():
    values = array.array("d", [1.0, 2.0])
    t = tenon.as_tensor(values)
    values[0] = 7.0
    assert t.dtype is tenon.float64 and t.tolist() == [7.0, 2.0]
    assert tenon.as_tensor(bytearray(b"ab")).tolist() == [97, 98]
    assert tenon.as_tensor(b"ab").is_read_only
    assert tenon.frombuffer(bytearray(8), dtype=tenon.int32).tolist() == [0, 0]
    view = memoryview(tenon.tensor([[1, 2], [3, 4]], dtype=tenon.int32))
    assert (view.shape, view.strides, view.format) == ((2, 2), (8, 4), "i")
    assert view.tolist() == [[1, 2], [3, 4]]
    with pytest.raises(BufferError):
        memoryview(tenon.empty(1, device="meta"))
    with pytest.raises(TypeError):
        tenon.as_tensor(object())


def test_dlpack_with_numpy():
    t = tenon.arange(6).reshape(2, 3)
    a = np.from_dlpack(t)
    assert a.tolist() == t.tolist() and a.ctypes.data == t.data_ptr()
    back = tenon.from_dlpack(a)
    assert back.data_ptr() == t.data_ptr()
    assert t.__dlpack_device__() == (1, 0)


@pytest.mark.parametrize("version", [None, (0, 8), (1, 0), (2, 0)])
def test_dlpack_capsules(version):
    t = tenon.ones(3)
    capsule = t.__dlpack__(max_version=version)
    back = tenon.from_dlpack(capsule)
    assert back.data_ptr() == t.data_ptr()
    with pytest.raises(ValueError, match="unused"):
        tenon.from_dlpack(capsule)


def test_dlpack_unused_capsule_is_freed():
    for version in (None, (1, 0)):
        tenon.ones(3).__dlpack__(max_version=version)


def test_dlpack_copy_and_device():
    t = tenon.ones(3)
    assert tenon.from_dlpack(t.__dlpack__(copy=True)).data_ptr() != t.data_ptr()
    assert tenon.from_dlpack(t.__dlpack__(dl_device=(1, 0))).data_ptr() == t.data_ptr()
    with pytest.raises(BufferError):
        t.__dlpack__(dl_device=(2, 0))
    with pytest.raises(BufferError):
        tenon.empty(1, device="meta").__dlpack__()
    with pytest.raises(TypeError):
        t.__dlpack__(max_version=3)
    with pytest.raises(TypeError):
        t.__dlpack__(nonsense=1)


def test_dlpack_producers_old_and_broken():
    class Old:
        def __init__(self, tensor):
            self.tensor = tensor

        def __dlpack__(self, stream=None):
            return self.tensor.__dlpack__()

        def __dlpack_device__(self):
            return self.tensor.__dlpack_device__()

    class Broken:
        def __dlpack__(self, **kwargs):
            return 3

    class Raises:
        def __dlpack__(self, **kwargs):
            raise RuntimeError("no")

    t = tenon.ones(2)
    assert tenon.from_dlpack(Old(t)).data_ptr() == t.data_ptr()
    assert tenon.add(Old(t), 1).tolist() == [2.0, 2.0]
    with pytest.raises(TypeError, match="capsule"):
        tenon.from_dlpack(Broken())
    with pytest.raises(RuntimeError, match="no"):
        tenon.from_dlpack(Raises())
    with pytest.raises(TypeError, match=r"aten::cat: tensors must .*\(RuntimeError: no\)"):
        tenon.cat([t, Raises()])
    with pytest.raises(TypeError, match="__dlpack__"):
        tenon.from_dlpack(3)


class DlTensor(ctypes.Structure):
    """DLPack's DLTensor."""

    _fields_: ClassVar = [
        ("data", ctypes.c_void_p),
        ("device_type", ctypes.c_int32),
        ("device_id", ctypes.c_int32),
        ("ndim", ctypes.c_int32),
        ("code", ctypes.c_uint8),
        ("bits", ctypes.c_uint8),
        ("lanes", ctypes.c_uint16),
        ("shape", ctypes.POINTER(ctypes.c_int64)),
        ("strides", ctypes.POINTER(ctypes.c_int64)),
        ("byte_offset", ctypes.c_uint64),
    ]


class ExchangeTable(ctypes.Structure):
    """DLPack's C exchange table."""

    _fields_: ClassVar = [
        ("major", ctypes.c_uint32),
        ("minor", ctypes.c_uint32),
        ("older", ctypes.c_void_p),
        ("allocate", ctypes.c_void_p),
        ("from_object", ctypes.PYFUNCTYPE(ctypes.c_int, ctypes.py_object, ctypes.c_void_p)),
        ("to_object", ctypes.PYFUNCTYPE(ctypes.c_int, ctypes.c_void_p, ctypes.c_void_p)),
        ("peek_object", ctypes.PYFUNCTYPE(ctypes.c_int, ctypes.py_object, ctypes.c_void_p)),
        (
            "current_stream",
            ctypes.PYFUNCTYPE(ctypes.c_int, ctypes.c_int32, ctypes.c_int32, ctypes.c_void_p),
        ),
    ]


@pytest.fixture
def table():
    """Reads the exchange table that other packages find on Tensor."""
    get = ctypes.pythonapi.PyCapsule_GetPointer
    get.restype, get.argtypes = ctypes.c_void_p, [ctypes.py_object, ctypes.c_char_p]
    capsule = tenon.Tensor.__dlpack_c_exchange_api__
    return ExchangeTable.from_address(get(capsule, b"dlpack_exchange_api"))


def test_exchange_table_describes(table):
    t = tenon.arange(6).reshape(2, 3).T
    out = DlTensor()
    assert table.major == 1 and table.peek_object(t, ctypes.addressof(out)) == 0
    assert out.data == t.data_ptr() and (out.code, out.bits, out.lanes) == (0, 64, 1)
    assert out.shape[:2] == [3, 2] and out.strides[:2] == [1, 3] and out.device_type == 1
    with pytest.raises(TypeError, match="must be Tensor"):
        table.peek_object("text", ctypes.addressof(out))


def test_exchange_table_round_trip(table):
    t = tenon.ones(3)
    managed, back = ctypes.c_void_p(), ctypes.c_void_p()
    assert table.from_object(t, ctypes.addressof(managed)) == 0
    assert table.to_object(managed, ctypes.addressof(back)) == 0
    made = ctypes.cast(back, ctypes.py_object).value
    ctypes.pythonapi.Py_DecRef(ctypes.py_object(made))
    assert made.data_ptr() == t.data_ptr()
    stream = ctypes.c_void_p(1)
    assert table.current_stream(1, 0, ctypes.addressof(stream)) == 0 and not stream.value


KEPT = []  # tables of types: the extension never forgets some types


@pytest.fixture
def exporter(table):
    """Makes a class that exports a tensor of ours only by its own exchange table."""

    def make(**attributes):
        def export(thing, out):
            try:
                return table.from_object(thing.tensor, out)
            except (TypeError, ZeroDivisionError):
                return -1

        own = ExchangeTable(1, 0, None, None, type(table.from_object)(export))
        new = ctypes.pythonapi.PyCapsule_New
        new.restype = ctypes.py_object
        new.argtypes = [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p]
        capsule = new(ctypes.addressof(own), b"dlpack_exchange_api", None)
        KEPT.extend([own, capsule])
        made = type("Exporter", (), {"__dlpack_c_exchange_api__": capsule, **attributes})
        made.__init__ = lambda self, tensor: setattr(self, "tensor", tensor)
        return made

    return make


def test_exchange_table_of_others(exporter):
    plain = exporter(requires_grad=False, is_neg=lambda self: False, is_conj=lambda self: 1 / 0)
    t = tenon.arange(6, dtype=tenon.float32).reshape(2, 3)
    for _ in range(3):
        assert tenon.neg(plain(t)).tolist() == (-t).tolist()
        assert tenon.neg(plain(t.T)).tolist() == (-t.T).tolist()
    with pytest.raises(ZeroDivisionError):
        tenon.neg(plain(t.to(tenon.complex64)))


@pytest.mark.parametrize(
    "trait, remedy, needed",
    [
        ({"requires_grad": True}, ".detach()", "all"),
        ({"requires_grad": property(lambda self: True)}, ".detach()", "all"),
        ({"is_conj": lambda self: True}, ".resolve_conj()", "complex"),
        ({"is_neg": lambda self: True}, ".resolve_neg()", "strided"),
    ],
)
def test_exchange_tables_refuse_tensors_without_plain_memory(exporter, trait, remedy, needed):
    neg = tenon.ops.aten.neg
    lazy = exporter(**trait)
    t = tenon.ones(2, 4)
    cases = {
        "all": [t, t.T, t[0, 1], t.to(tenon.complex64), t.to(tenon.int64)],
        "complex": [t.to(tenon.complex64)],
        "strided": [t.T, t[0, 1], t[:, ::2], t.to(tenon.complex64)],
    }
    for given in cases[needed]:
        with pytest.raises(TypeError, match="aten::neg: self must be Tensor") as caught:
            neg(lazy(given))
        assert remedy in str(caught.value) and "test_exchange.Exporter" in str(caught.value)
    if needed != "all":
        assert neg(lazy(t)).tolist() == (-t).tolist()
        assert neg(lazy(t[0, 0])).item() == -1.0


def test_exchange_tables_that_fail_and_empty_tensors(exporter):
    class Fails(exporter()):
        tensor = property(lambda self: 1 / 0, lambda self, value: None)

    class Explains(Fails):
        def __dlpack__(self, **kwargs):
            raise BufferError("for people")

    with pytest.raises(tenon.ArgumentTypeError) as caught:
        tenon.neg(Explains(tenon.ones(1)))
    assert str(caught.value) == (
        "aten::neg: self must be Tensor, got test_exchange.Explains (BufferError: for people) at "
        "position 0; schema: aten::neg(Tensor self) -> Tensor"
    )
    cause = caught.value.__cause__
    assert type(cause) is BufferError and cause.__traceback__ is not None
    with pytest.raises(tenon.ArgumentTypeError, match="BufferError: .*export failed"):
        tenon.neg(exporter()(3))
    empty = exporter()(tenon.empty(0, 3))
    assert tenon.neg(empty).shape == (0, 3)
