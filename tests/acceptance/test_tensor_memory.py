# SPDX-License-Identifier: Apache-2.0
"""Tensors over memory of other objects: numpy values, buffers, pickles and files."""

import array
import copy
import io
import pickle
import warnings

import numpy as np
import pytest
from seed import sub, torch

REFUSED = {
    "text": np.array(["a"]),
    "bytes": np.array([b"a"]),
    "objects": np.array([None, 1]),
    "datetime": np.array([1], dtype="M8[s]"),
    "timedelta": np.array([1], dtype="m8[s]"),
    "void": np.array([b"abcd"], dtype="V4"),
    "record": np.array([(1, 2)], dtype=[("a", "i4"), ("b", "i4")]),
    "longdouble": np.array([1], dtype=np.longdouble),
}


@pytest.mark.parametrize("name", REFUSED)
@pytest.mark.parametrize("function", ["from_numpy", "tensor", "as_tensor", "asarray"])
def test_unsupported_numpy_kinds_are_refused(function, name):
    with pytest.raises(TypeError):
        getattr(torch, function)(REFUSED[name])


@pytest.mark.parametrize("function", ["from_numpy", "tensor", "as_tensor", "asarray"])
def test_unsupported_numpy_strides_and_orders_are_refused(function):
    for bad in (np.arange(3)[::-1], np.array([1], dtype=">i4"), np.array([1], dtype=">f8")):
        with pytest.raises(ValueError):
            getattr(torch, function)(bad)


def test_from_numpy_refuses_other_objects():
    for stranger in ([1], 1.5, None, np.float64(1), torch.ones(1)):
        with pytest.raises(TypeError):
            torch.from_numpy(stranger)


def test_tensors_that_numpy_does_not_have_are_refused():
    for x in (torch.ones(1, dtype=torch.bfloat16), torch.ones(1, device="meta")):
        with pytest.raises(TypeError):
            x.numpy()


@pytest.mark.parametrize(
    ("value", "kind"),
    [
        (np.bool_(True), "bool"),
        (np.uint8(1), "uint8"),
        (np.int8(1), "int8"),
        (np.int16(1), "int16"),
        (np.int32(1), "int32"),
        (np.int64(1), "int64"),
        (np.float16(1.5), "float16"),
        (np.float32(1.5), "float32"),
        (np.float64(1.5), "float64"),
        (np.complex64(1 + 2j), "complex64"),
        (np.complex128(1 + 2j), "complex128"),
    ],
    ids=lambda v: v if isinstance(v, str) else "",
)
def test_tensor_of_numpy_scalars_and_arrays(value, kind):
    dtype, item = getattr(torch, kind), value.item()
    for data, shape in (
        (value, ()),
        ([value], (1,)),
        ((value, value), (2,)),
        ([[value]], (1, 1)),
        (np.array(value), ()),
        ([np.array([value, value])], (1, 2)),
        ([np.array([[value]]), np.array([[value]])], (2, 1, 1)),
    ):
        x = torch.tensor(data)
        assert x.dtype is dtype and tuple(x.shape) == shape
        assert x.reshape(-1).tolist() == [item] * x.numel()
    assert torch.as_tensor(value).dtype is dtype and torch.asarray([value]).dtype is dtype
    assert torch.tensor(value, dtype=torch.complex128).item() == item


@pytest.mark.parametrize(
    ("data", "kind"),
    [
        ([np.int32(1), 2], "int64"),
        ([np.int8(1), np.int16(2)], "int16"),
        ([np.float32(1), 2], "float32"),
        ([np.float64(1), 2], "float64"),
        ([np.float64(1), np.float32(2)], "float64"),
        ([np.int8(1), 2.5], "float32"),
        ([np.float16(1), np.int64(3)], "float16"),
        ([np.complex64(1), 1.0], "complex64"),
        ([np.ones(2), [1, 2]], "float64"),
    ],
)
def test_tensor_of_numpy_scalars_among_others(data, kind):
    assert torch.tensor(data).dtype is getattr(torch, kind)


def test_tensor_of_tensors_keeps_their_dtype():
    assert torch.tensor([torch.tensor(1, dtype=torch.int8)]).dtype is torch.int8
    assert torch.tensor([torch.tensor(1.0, dtype=torch.float64), 2]).dtype is torch.float64
    with pytest.raises(ValueError):
        torch.tensor([torch.ones(2), torch.ones(2)])


def test_tensor_of_ranges():
    assert torch.tensor(range(3)).tolist() == [0, 1, 2]
    assert torch.tensor([range(2), range(2)]).tolist() == [[0, 1], [0, 1]]
    with pytest.raises(ValueError):
        torch.tensor([np.ones(2), np.ones(3)])


def test_legacy_constructor_takes_arrays():
    assert torch.Tensor(np.array([1, 2])).tolist() == [1.0, 2.0]
    assert torch.Tensor(np.ones(2)).dtype is torch.float32


# ---- Buffers ---------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("kind", "code"),
    [("uint8", "B"), ("int8", "b"), ("int16", "h"), ("int32", "i"), ("float32", "f")]
    + [("float64", "d"), ("int64", "q")],
)
def test_buffer_from_bytes_of_each_dtype(kind, code):
    source = array.array(code, [1, 2, 3])
    x = torch.frombuffer(source, dtype=getattr(torch, kind))
    assert x.tolist() == [1, 2, 3] and x.dtype is getattr(torch, kind)
    source[0] = 7
    x[1] = 9
    assert x.tolist() == [7, 9, 3] and source.tolist() == [7, 9, 3]


@pytest.mark.parametrize("kind", ["float16", "bfloat16", "complex64", "complex128", "bool"])
def test_buffer_from_bytes_of_dtypes_without_code(kind):
    dtype = getattr(torch, kind)
    x = torch.frombuffer(bytearray(32), dtype=dtype)
    assert x.dtype is dtype and x.numel() == 32 // x.element_size() and not x.any()


def test_buffer_from_bytes_count_and_offset():
    data = bytearray(range(8))

    def read(dtype=torch.uint8, **options):
        return torch.frombuffer(data, dtype=dtype, **options).tolist()

    assert read(count=3) == [0, 1, 2] and read(offset=5) == [5, 6, 7]
    assert read(count=2, offset=3) == [3, 4] and read(count=-1, offset=7) == [7]
    assert read(torch.int16, offset=2, count=1) == [0x0302]
    assert read(torch.int32, offset=4) == [0x07060504]
    assert torch.frombuffer(bytearray(7), dtype=torch.int32, count=1).numel() == 1


@pytest.mark.parametrize(
    ("size", "options"),
    [
        (8, {"count": 3}),
        (8, {"count": 0}),
        (8, {"offset": 8}),
        (8, {"offset": 9}),
        (8, {"offset": -1}),
        (8, {"offset": 1}),
        (8, {"offset": 4, "count": 2}),
        (7, {}),
        (0, {}),
    ],
)
def test_buffer_from_bytes_that_do_not_fit(size, options):
    with pytest.raises(ValueError):
        torch.frombuffer(bytearray(size), dtype=torch.int32, **options)


def test_buffer_from_bytes_errors():
    for stranger in ("abc", 5, None):
        with pytest.raises(ValueError):
            torch.frombuffer(stranger, dtype=torch.int32)
    with pytest.raises(TypeError):
        torch.frombuffer(bytearray(8))
    with pytest.raises(RuntimeError):
        torch.frombuffer(memoryview(bytearray(8))[::2], dtype=torch.uint8)


def test_buffer_from_bytes_requires_grad():
    x = torch.frombuffer(bytearray(8), dtype=torch.float32, requires_grad=True)
    assert x.requires_grad and x.is_leaf
    with pytest.raises(RuntimeError):
        torch.frombuffer(bytearray(8), dtype=torch.int32, requires_grad=True)


def test_asarray_copies_if_it_must():
    x, a = torch.tensor([1.0]), np.ones(2)
    assert torch.asarray(x) is x and torch.asarray(x, copy=True).data_ptr() != x.data_ptr()
    shared, copied = torch.asarray(a), torch.asarray(a, copy=True)
    a[0] = 5
    assert shared.tolist() == [5.0, 1.0] and copied.tolist() == [1.0, 1.0]
    assert torch.asarray(a, dtype=torch.float32).dtype is torch.float32
    assert torch.asarray(bytearray(b"\1\2"), dtype=torch.uint8).tolist() == [1, 2]
    assert torch.asarray(array.array("f", [1, 2])).tolist() == [1.0, 2.0]
    assert torch.asarray([1, 2], dtype=torch.float64).tolist() == [1.0, 2.0]
    assert torch.asarray(torch.ones(1), requires_grad=True).requires_grad
    for bad in (lambda: torch.asarray([1.0], copy=False),) + (
        lambda: torch.asarray(x, dtype=torch.float64, copy=False),
    ):
        with pytest.raises(ValueError):
            bad()


# ---- Pickles ---------------------------------------------------------------------------------


def again(x, protocol=None):
    return pickle.loads(pickle.dumps(x, protocol))


KINDS = ["bool", "uint8", "int8", "int16", "int32", "int64", "float16", "bfloat16", "float32"]
KINDS += ["float64", "complex64", "complex128"]


@pytest.mark.parametrize("kind", KINDS)
def test_pickle_keeps_values_strides_dtype_and_grad_flag(kind):
    base = torch.arange(24).reshape(2, 3, 4).to(getattr(torch, kind))
    for x in (
        base,
        base.t() if base.ndim == 2 else base.transpose(0, 2),
        base[:, 1:, ::2],
        base[1],
    ):
        for protocol in range(2, pickle.HIGHEST_PROTOCOL + 1):
            y = again(x, protocol)
            assert y.dtype is x.dtype and y.stride() == x.stride() and y.shape == x.shape
            assert y.tolist() == x.tolist() and not y.requires_grad
    if base.is_floating_point() or base.is_complex():
        y = again(base.transpose(0, 1).requires_grad_())
        assert y.requires_grad and y.is_leaf and y.stride() == (4, 12, 1) and y.grad is None


def test_pickle_keeps_expanded_empty_and_meta_tensors():
    for x in (
        torch.ones(1).expand(5),
        torch.ones(2, 1).expand(2, 3),
        torch.zeros(0, 3),
        torch.zeros(2, 0),
        torch.tensor(5),
        torch.ones(2, 3, 4, 5).to(memory_format=torch.channels_last),
    ):
        y = again(x)
        assert y.stride() == x.stride() and y.shape == x.shape and y.tolist() == x.tolist()
    y = again(torch.ones(2, 3, device="meta").t())
    assert y.is_meta and tuple(y.shape) == (3, 2) and y.stride() == (1, 3)


def test_pickle_keeps_the_flag_of_results_and_parameters():
    nn = sub("nn")
    assert again(torch.ones(2, requires_grad=True) * 2).requires_grad
    for flag in (True, False):
        p = again(nn.Parameter(torch.ones(2), requires_grad=flag))
        assert type(p) is nn.Parameter and p.requires_grad is flag
    a, b = again([x := torch.ones(1), x])
    assert a is b and a is not x


def test_deepcopy_keeps_strides_and_the_flag():
    x = torch.ones(2, 3).t().requires_grad_()
    y = copy.deepcopy(x)
    assert y.stride() == (1, 3) and y.requires_grad and y.is_leaf


# ---- Files -----------------------------------------------------------------------------------


@pytest.mark.parametrize("new", [True, False])
def test_files_of_both_formats(new, tmp_path):
    base = torch.arange(6, dtype=torch.int16).reshape(2, 3)
    data = {"t": base.t(), "row": base[1], "b": torch.ones(2, dtype=torch.bfloat16), "n": [1, None]}
    data["p"] = sub("nn").Parameter(torch.ones(1))
    path = tmp_path / "x.pt"
    torch.save(data, path, _use_new_zipfile_serialization=new)
    got = torch.load(path)
    assert got["t"].stride() == (1, 3) and got["t"].tolist() == base.t().tolist()
    got["row"][0] = 77
    assert got["t"][0, 1].item() == 77 and got["b"].dtype is torch.bfloat16
    assert isinstance(got["p"], sub("nn").Parameter) and got["n"] == [1, None]
    stream = io.BytesIO()
    torch.save(data, stream, pickle_module=pickle, _use_new_zipfile_serialization=new)
    stream.seek(0)
    assert torch.load(stream, weights_only=True)["row"].tolist() == [3, 4, 5]


def test_files_are_loaded_with_options(tmp_path):
    path = tmp_path / "x.pt"
    torch.save(torch.ones(2), path)
    assert torch.load(path, mmap=True).tolist() == [1.0, 1.0]
    assert torch.load(path, map_location=torch.device("cpu")).tolist() == [1.0, 1.0]
    assert torch.load(path, map_location=lambda storage, location: storage).tolist() == [1.0, 1.0]
    assert torch.load(path, map_location={"cpu": "cpu"}).tolist() == [1.0, 1.0]
    with pytest.raises(ValueError):
        torch.load(io.BytesIO(path.read_bytes()), mmap=True)


def test_files_that_are_none():
    with pytest.raises(EOFError):
        torch.load(io.BytesIO(b""))
    with pytest.raises(pickle.UnpicklingError):
        torch.load(io.BytesIO(b"garbage"))
    with pytest.raises(FileNotFoundError):
        torch.load("/nonexistent/x.pt")


def test_read_only_memory_is_read():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        assert torch.frombuffer(b"\1\2", dtype=torch.uint8).tolist() == [1, 2]
        assert torch.from_numpy(np.broadcast_to(np.ones(1), (3,))).stride() == (0,)
