# SPDX-License-Identifier: Apache-2.0
"""Results, dtypes, shapes and strides of single calls, compared with PyTorch.

Skipped visibly if PyTorch is not installed; `./dev test --with-torch` installs it.
"""

from __future__ import annotations

import gc
import itertools
import math

import pytest
import tenon

torch = pytest.importorskip("torch", reason="PyTorch is not installed: ./dev test --with-torch")
gc.freeze()  # keeps PyTorch's million objects out of the collections around every test

FLOATS = ["float32", "float64"]
REALS = ["uint8", "int8", "int16", "int32", "int64", *FLOATS]
COMPLEX = ["complex64", "complex128"]
SMALL = ["float16", "bfloat16"]
ALL = ["bool", *REALS, *COMPLEX, *SMALL]

# The error that one rounding may cause: |tenon - torch| <= tolerance * max(1, |torch|).
TOLERANCE = {
    "float16": 2**-10,
    "bfloat16": 2**-7,
    "float32": 4e-6,
    "complex64": 8e-6,
    "float64": 1e-14,
    "complex128": 2e-14,
}

VALUES = [0, 1, 2, 3, 5, 7, 11, 100, -1, -2, -7, 50]


def pair(dtype: str, shape=(3, 4), transpose: bool = False):
    """Returns tensors of both libraries with equal elements."""
    count = math.prod(shape)
    values = [VALUES[i % len(VALUES)] for i in range(count)]
    if dtype == "uint8":
        values = [abs(value) for value in values]
    elif dtype == "bool":
        values = [value % 2 for value in values]
    elif dtype in COMPLEX:
        values = [complex(value, 1 - value) for value in values]
    elif dtype in [*FLOATS, *SMALL]:
        values = [value / 4 for value in values]
    theirs = torch.tensor(values, dtype=getattr(torch, dtype)).reshape(shape)
    ours = tenon.tensor(values, dtype=getattr(tenon, dtype)).reshape(shape)
    if transpose:
        return ours.T, theirs.T
    return ours, theirs


def name_of(dtype) -> str:
    return str(dtype).partition(".")[2]


def compare(ours, theirs, strides: bool = True) -> None:
    """Asserts equality of dtype, shape, strides and elements."""
    if not isinstance(theirs, torch.Tensor):
        assert type(ours) is type(theirs) and ours == theirs
        return
    assert name_of(ours.dtype) == name_of(theirs.dtype)
    assert ours.shape == tuple(theirs.shape)
    if strides and theirs.numel() > 1:
        assert ours.stride() == theirs.stride()
    tolerance = TOLERANCE.get(name_of(theirs.dtype), 0.0)
    got, want = ours.reshape(-1).tolist(), theirs.reshape(-1).tolist()
    for index, (a, b) in enumerate(zip(got, want, strict=True)):
        parts = [(a, b)] if not isinstance(b, complex) else [(a.real, b.real), (a.imag, b.imag)]
        for x, y in parts:
            if isinstance(y, float) and (math.isnan(y) or math.isinf(y)):
                assert (math.isnan(x) and math.isnan(y)) or x == y, (index, x, y)
            else:
                assert abs(x - y) <= tolerance * max(1.0, abs(b)), (index, x, y)


def both(name: str, ours: tuple, theirs: tuple, **kwargs) -> None:
    """Calls an operator of ATen in both libraries: equal results, or an error from both."""
    namespace, _, overload = name.partition(".")
    their_op = getattr(getattr(torch.ops.aten, namespace), overload or "default")
    our_op = tenon.find_op(f"aten::{name}")
    our_kwargs = {
        key: getattr(tenon, name_of(value)) if isinstance(value, torch.dtype) else value
        for key, value in kwargs.items()
    }
    try:
        expected = their_op(*theirs, **kwargs)
    except (RuntimeError, IndexError, TypeError, NotImplementedError) as error:
        with pytest.raises((tenon.Error, RuntimeError)):
            our_op(*ours, **our_kwargs)
            pytest.fail(f"must fail as PyTorch does: {error}", pytrace=False)
        return
    result = our_op(*ours, **our_kwargs)
    for a, b in zip(
        result if isinstance(result, tuple) else [result],
        expected if isinstance(expected, tuple) else [expected],
        strict=True,
    ):
        compare(a, b)


BINARY = ["add.Tensor", "sub.Tensor", "mul.Tensor", "div.Tensor", "maximum", "minimum"]
COMPARE = ["eq.Tensor", "ne.Tensor", "lt.Tensor", "le.Tensor", "gt.Tensor", "ge.Tensor"]
UNARY = ["neg", "abs", "exp", "log", "sqrt", "sin", "cos", "tanh", "sigmoid", "relu"]


@pytest.mark.parametrize("name", BINARY + COMPARE)
def test_binary_of_every_pair_of_dtypes(name):
    for left, right in itertools.product(ALL, ALL):
        a, x = pair(left)
        b, y = pair(right, (4,))
        try:
            both(name, (a, b), (x, y))
        except AssertionError as error:
            raise AssertionError(f"{name} of {left} and {right}: {error}") from error


@pytest.mark.parametrize("name", BINARY + COMPARE)
def test_binary_layouts(name):
    for transpose, shape in itertools.product([False, True], [(3, 4), (1, 4), (4,), (), (0, 4)]):
        a, x = pair("float32", (4, 3), transpose=True)
        b, y = pair("float32", shape, transpose=transpose and len(shape) == 2)
        both(name, (a, b), (x, y))
    a, x = pair("float64", (2, 3))
    b, y = pair("float64", (2, 4))
    both(name, (a, b), (x, y))


@pytest.mark.parametrize("name", ["add.Scalar", "mul.Scalar", "sub.Scalar", "div.Scalar"])
def test_scalars(name):
    for dtype, number in itertools.product(ALL, [2, 2.5, True, 1j]):
        if dtype in SMALL and number == 1j:
            continue  # complex32: compared in test_torch_stored_dtypes.py
        a, x = pair(dtype)
        both(name, (a, number), (x, number))


@pytest.mark.parametrize("mode", [None, "floor", "trunc", "nearest"])
def test_division_modes(mode):
    for left, right in itertools.product([*REALS, *SMALL], repeat=2):
        a, x = pair(left)
        b, y = pair(right, (1, 4))
        both("div.Tensor_mode", (a, b + 3), (x, y + 3), rounding_mode=mode)


@pytest.mark.parametrize("name", UNARY)
@pytest.mark.parametrize("dtype", ALL)
def test_unary(name, dtype):
    for shape, transpose in [((3, 4), False), ((3, 4), True), ((), False), ((0,), False)]:
        a, x = pair(dtype, shape, transpose)
        both(name, (a,), (x,))


@pytest.mark.parametrize("dtype", ALL)
def test_reductions(dtype):
    for shape in [(3, 4), (2, 3, 2), (), (0,), (0, 3)]:
        a, x = pair(dtype, shape)
        both("sum", (a,), (x,))
        both("mean", (a,), (x,))
        both("argmax", (a,), (x,))
        for dim, keepdim in itertools.product([0, -1, 5], [False, True]):
            both("sum.dim_IntList", (a, [dim], keepdim), (x, [dim], keepdim))
            both("mean.dim", (a, [dim], keepdim), (x, [dim], keepdim))
            if dtype not in COMPLEX:  # PyTorch's answer depends on the number of elements
                both("amax", (a, [dim], keepdim), (x, [dim], keepdim))
            both("argmax", (a, dim, keepdim), (x, dim, keepdim))


@pytest.mark.filterwarnings("ignore:Casting complex values to real")
@pytest.mark.parametrize("dtype", ALL)
def test_sums_with_another_dtype(dtype):
    # The small sum of these shows whether terms were rounded to the dtype before the addition.
    theirs = torch.tensor([2049, -2048, 1.0004, -1]).to(getattr(torch, dtype)).reshape(2, 2)
    ours = tenon.tensor(theirs.tolist(), dtype=getattr(tenon, dtype))
    for asked in ALL:
        wanted = getattr(torch, asked)
        both("sum", (ours,), (theirs,), dtype=wanted)
        both("mean", (ours,), (theirs,), dtype=wanted)
        both("sum.dim_IntList", (ours, [1]), (theirs, [1]), dtype=wanted)
        both("mean.dim", (ours, [0]), (theirs, [0]), dtype=wanted)


@pytest.mark.parametrize("dtype", ALL)
def test_products(dtype):
    a, x = pair(dtype, (3, 4))
    b, y = pair(dtype, (4, 2))
    both("mm", (a, b), (x, y))
    both("mm", (a, a), (x, x))
    both("mm", (b.T, a.T), (y.T, x.T))
    for left, right in [((4,), (4,)), ((3, 4), (4,)), ((4,), (4, 2)), ((2, 3, 4), (4, 2))]:
        a, x = pair(dtype, left)
        b, y = pair(dtype, right)
        both("matmul", (a, b), (x, y))
    a, x = pair(dtype, (2, 3, 4))
    b, y = pair(dtype, (2, 4, 3))
    both("bmm", (a, b), (x, y))


def test_views():
    a, x = pair("int64", (2, 3, 4))
    for name, args in [
        ("view", ([6, 4],)),
        ("view", ([-1, 2],)),
        ("view", ([5],)),
        ("reshape", ([4, 6],)),
        ("transpose.int", (0, -1)),
        ("transpose.int", (0, 3)),
        ("permute", ([2, 0, 1],)),
        ("permute", ([0, 0, 1],)),
        ("expand", ([5, 2, 3, 4],)),
        ("expand", ([2, 3, 5],)),
        ("unsqueeze", (-1,)),
        ("unsqueeze", (4,)),
        ("squeeze.dim", (0,)),
        ("slice.Tensor", (1, 0, 3, 2)),
        ("slice.Tensor", (1, -2, 100, 1)),
        ("slice.Tensor", (1, 2, 1, 1)),
        ("slice.Tensor", (1, 0, 3, 0)),
        ("select.int", (1, -1)),
        ("select.int", (1, 3)),
        ("t", ()),
        ("detach", ()),
        ("clone", ()),
    ]:
        both(name, (a, *args), (x, *args))
        both(name, (a.transpose(0, 2), *args), (x.transpose(0, 2), *args))


@pytest.mark.parametrize("target", ALL)
def test_casts(target):
    for source in ALL:
        if source in COMPLEX and target not in COMPLEX:
            continue  # PyTorch drops the imaginary part with a warning
        a, x = pair(source)
        if target == "uint8" and source != "bool":
            a, x = abs(a), abs(x)  # converting a negative float to uint8 is undefined behaviour
        both("_to_copy", (a,), (x,), dtype=getattr(torch, target))


def test_the_rest():
    a, x = pair("float32", (3, 4))
    b, y = pair("int64", (3, 4))
    both("cat", ([a, b],), ([x, y],))
    both("cat", ([a, b], -1), ([x, y], -1))
    both("cat", ([a, a[0]],), ([x, x[0]],))
    both("where.self", (a > 1, a, b), (x > 1, x, y))
    both("nonzero", (b,), (y,))
    both("_local_scalar_dense", (a[0, 1],), (x[0, 1],))
    both("arange", (5,), (5,))
    both("arange.start_step", (1, 2, 0.25), (1, 2, 0.25))
    both("arange.start_step", (5, 1, -2), (5, 1, -2))
    both("arange.start_step", (1, 5, -2), (1, 5, -2))
    both("full", ([2, 2], 1.5), ([2, 2], 1.5))
    both("full", ([2], 3), ([2], 3), dtype=torch.float64)
    both("zeros", ([0, 2],), ([0, 2],))
    both("add_.Tensor", (a.clone(), b), (x.clone(), y))
    both("add_.Tensor", (b.clone(), a), (y.clone(), x))


def test_wrapped_numbers():
    for dtype, number in itertools.product(ALL, [2, 2.5, True, 1j]):
        if dtype in SMALL and number == 1j:
            continue  # as above
        a, x = pair(dtype)
        compare(a + number, x + number)
        compare(number * a, number * x)
        if dtype != "bool" and number is not True:
            compare(number - a, number - x)
        compare(a == number, x == number)
        compare(number / a, number / x)


def test_dlpack_both_ways():
    for dtype in ALL:
        a, x = pair(dtype)
        from_torch = tenon.from_dlpack(x)
        assert from_torch.data_ptr() == x.data_ptr()
        compare(from_torch, x)
        to_torch = torch.from_dlpack(a)
        assert to_torch.data_ptr() == a.data_ptr()
        compare(a, to_torch)
    x = torch.ones(2, 3).T
    assert tenon.from_dlpack(x).stride() == x.stride()
    assert tenon.add(torch.ones(2), torch.ones(2)).tolist() == [2.0, 2.0]
    assert tenon.tensor(torch.ones(2)).tolist() == [1.0, 1.0]


def lazy_tensors():
    """Yields PyTorch tensors that cannot be imported, and the call that helps."""
    tracked = torch.ones(3, requires_grad=True)
    conjugate = torch.tensor([1 + 2j, 3 - 4j]).conj()
    yield tracked, ".detach()"
    yield tracked * 2, ".detach()"
    yield torch.nn.Parameter(torch.ones(3)), ".detach()"
    yield conjugate, ".resolve_conj()"
    yield conjugate.imag, ".resolve_neg()"
    yield conjugate.imag[:1], ".resolve_neg()"
    yield conjugate.imag[0], ".resolve_neg()"
    yield torch._efficientzerotensor(3), "no memory"


@pytest.mark.parametrize("number", range(8))
def test_tensors_without_plain_memory_are_refused(number):
    given, remedy = list(lazy_tensors())[number]
    add = tenon.ops.aten.add.Tensor
    for values in (lambda: add(tenon.ones(3), given), lambda: add(tenon.ones(3), other=given)):
        with pytest.raises(TypeError, match="aten::add.Tensor: other must be Tensor") as caught:
            values()
        assert remedy in str(caught.value)
        assert "got torch." in str(caught.value)
    with pytest.raises(TypeError) as caught:
        tenon.ops.aten.cat([tenon.ones(3), given])
    assert "aten::cat: tensors must" in str(caught.value) and remedy in str(caught.value)
    if "memory" not in remedy:
        with pytest.raises(BufferError) as caught:
            tenon.from_dlpack(given)
        assert remedy in str(caught.value)
        plain = eval(f"given{remedy}", {"given": given})
        compare(tenon.from_dlpack(plain), plain)
        compare(add(plain, plain), plain + plain)


def test_tensors_that_share_no_memory_are_refused_with_the_reason():
    add = tenon.ops.aten.add.Tensor
    for given in (torch.eye(2).to_sparse(), torch.eye(2).to_sparse_csr()):
        with pytest.raises(TypeError, match="strided") as caught:
            add(given, given)
        assert str(caught.value).startswith("aten::add.Tensor: self must be Tensor")
        assert isinstance(caught.value.__cause__, BufferError)
    with pytest.raises(TypeError, match="meta"):
        add(torch.ones(2, device="meta"), tenon.ones(2))
    with pytest.raises(TypeError, match="aten::neg: self must be Tensor"):
        torch.func.vmap(lambda x: tenon.ops.aten.neg(x))(torch.ones(2, 3))
    with pytest.raises(TypeError, match="detach"):
        torch.func.grad(lambda x: tenon.ops.aten.neg(x))(torch.ones(()))


def test_subclasses_of_tensor_are_taken_for_their_memory():
    class Mine(torch.Tensor):
        pass

    class Lying(torch.Tensor):
        requires_grad = property(lambda self: 1 / 0)

    neg = tenon.ops.aten.neg
    x = torch.ones(2)
    assert neg(x.as_subclass(Mine)).tolist() == [-1.0, -1.0]
    assert neg(torch.nn.Parameter(x, False)).tolist() == [-1.0, -1.0]
    with pytest.raises(ZeroDivisionError):
        neg(x.as_subclass(Lying))
    with torch.inference_mode():
        assert neg(torch.ones(2)).tolist() == [-1.0, -1.0]


def test_indexing():
    a, x = pair("float32", (4, 3, 2))
    for key in [0, -1, (1, 2), (slice(None), 1), (Ellipsis, 0), (None, 0), slice(1, None, 2)]:
        compare(a[key], x[key])
        assert a[key].storage_offset() == x[key].storage_offset()


def test_printing_small_tensors():
    for dtype in ("float32", "int64", "bool"):
        a, x = pair(dtype, (2, 3))
        assert repr(a) == repr(x)


def test_pytorch_tensors_are_converted_without_calling_handlers():
    """Both libraries have `__torch_function__`, but neither calls that of the other's tensors."""
    ours, theirs = tenon.ones(2), torch.ones(2) * 3
    assert not tenon.overrides.has_torch_function((theirs, torch.nn.Parameter(theirs)))
    assert tenon.add(theirs, theirs).tolist() == [6, 6]
    assert tenon.ops.aten.mul.Tensor(ours, theirs).tolist() == ours.add(theirs).sub(1).tolist()
    for call in (
        lambda: torch.add(theirs, ours),
        lambda: theirs.add(ours),
        lambda: torch.nn.functional.relu(ours),
        lambda: theirs + ours,
    ):
        with pytest.raises(TypeError):
            call()
