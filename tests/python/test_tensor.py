# SPDX-License-Identifier: Apache-2.0
"""Tensor: making, describing, indexing, printing and computing."""

from __future__ import annotations

import pickle

import pytest
import tenon


def test_tensor_of_nested_lists_infers_dtype():
    assert tenon.tensor([[1, 2], [3, 4]]).dtype is tenon.int64
    assert tenon.tensor([1, 2.5]).dtype is tenon.float32
    assert tenon.tensor([True, False]).dtype is tenon.bool
    assert tenon.tensor([1j]).dtype is tenon.complex64
    assert tenon.tensor(3).shape == ()
    assert tenon.tensor([]).shape == (0,) and tenon.tensor([]).dtype is tenon.float32
    assert tenon.tensor([[], []]).shape == (2, 0)


@pytest.mark.parametrize(
    ("dtype", "values"),
    [
        (tenon.uint8, [0, 255]),
        (tenon.int8, [-128, 127]),
        (tenon.int16, [-32768, 32767]),
        (tenon.int32, [-(2**31), 2**31 - 1]),
        (tenon.int64, [-(2**63), 2**63 - 1]),
        (tenon.float16, [0.5, -65504.0]),
        (tenon.bfloat16, [0.5, -256.0]),
        (tenon.float32, [0.5, float("inf")]),
        (tenon.float64, [0.1, -1e300]),
        (tenon.complex64, [0.5 + 2j, 1 + 0j]),
        (tenon.complex128, [0.1 + 2j, 1 + 0j]),
        (tenon.bool, [True, False]),
        (tenon.float8_e4m3fn, [0.5, 448.0]),
        (tenon.float8_e5m2, [0.5, 57344.0]),
    ],
)
def test_tensor_of_each_dtype_reads_back(dtype, values):
    made = tenon.tensor(values, dtype=dtype)
    assert made.dtype is dtype
    assert made.tolist() == values


def test_ints_outside_int64():
    for data in (2**63, [1, -(2**63) - 1], [True, 10**30]):
        with pytest.raises(ValueError, match="must fit dtype int64"):
            tenon.tensor(data)
    assert tenon.tensor([1.5, 2**63]).tolist() == [1.5, 2.0**63]
    assert tenon.tensor([1, 2**64], dtype=tenon.float64).tolist() == [1.0, 2.0**64]
    with pytest.raises(OverflowError):
        tenon.tensor(10**400, dtype=tenon.float64)
    with pytest.raises(ValueError, match="uint8"):
        tenon.tensor(2**63, dtype=tenon.uint8)


def test_tensor_refuses_what_does_not_fit():
    with pytest.raises(ValueError, match="int8"):
        tenon.tensor([300], dtype=tenon.int8)
    with pytest.raises(ValueError, match="equal length"):
        tenon.tensor([[1, 2], [3]])
    with pytest.raises(ValueError, match="equal length"):
        tenon.tensor([1, [2]])
    with pytest.raises(TypeError, match="numbers"):
        tenon.tensor([1, "two"])
    with pytest.raises(TypeError, match="numbers"):
        tenon.tensor({"a": 1})
    with pytest.raises(TypeError, match="complex"):
        tenon.tensor([1j], dtype=tenon.float32)


def test_description():
    t = tenon.zeros(2, 3, 4, dtype=tenon.float64)
    assert (t.shape, t.ndim, t.dim(), t.numel()) == ((2, 3, 4), 3, 3, 24)
    assert (t.stride(), t.stride(1), t.size(-1), t.size()) == ((12, 4, 1), 4, 4, (2, 3, 4))
    assert (t.itemsize, t.nbytes, t.element_size()) == (8, 192, 8)
    assert t.device == tenon.device("cpu") and t.is_cpu and not t.is_cuda and not t.is_meta
    assert t.layout is tenon.strided
    assert t.is_contiguous() and not t.transpose(0, 1).is_contiguous()
    assert t[1].storage_offset() == 12
    assert t[1].data_ptr() == t.data_ptr() + 96
    assert len(t) == 2
    with pytest.raises(IndexError, match="dim"):
        t.size(3)


def test_indexing_makes_views():
    t = tenon.arange(24).reshape(2, 3, 4)
    assert t[1, 2, 3].item() == 23
    assert t[-1].tolist() == [[12, 13, 14, 15], [16, 17, 18, 19], [20, 21, 22, 23]]
    assert t[0, 1:].tolist() == [[4, 5, 6, 7], [8, 9, 10, 11]]
    assert t[..., 0].tolist() == [[0, 4, 8], [12, 16, 20]]
    assert t[:, None, 0].shape == (2, 1, 4)
    assert t[0, ..., ::2].tolist() == [[0, 2], [4, 6], [8, 10]]
    assert t[...].data_ptr() == t.data_ptr() and t[...] is not t
    t[0, 0, 0] = 100
    assert t.view(-1)[0].item() == 100
    t[1] = t[0]
    assert t[1, 0, 0].item() == 100
    t[0, 0] = [1, 2, 3, 4]
    assert t[0, 0].tolist() == [1, 2, 3, 4]


def test_indexing_errors():
    t = tenon.zeros(2, 2)
    with pytest.raises(IndexError):
        t[2]
    with pytest.raises(IndexError, match="at most 2"):
        t[0, 0, 0]
    with pytest.raises(TypeError, match="sequence, got str"):
        t["a"]
    assert t[..., ...].shape == (2, 2)
    with pytest.raises(TypeError, match="del"):
        del t[0]


def test_iteration_and_conversion():
    t = tenon.tensor([[1.0, 2.0], [3.0, 4.0]])
    assert [row.tolist() for row in t] == [[1.0, 2.0], [3.0, 4.0]]
    assert float(t[0, 1]) == 2.0 and int(t[1, 1]) == 4 and bool(t[0, 0])
    assert complex(tenon.tensor(2 + 3j)) == 2 + 3j
    assert ["a", "b"][tenon.tensor(1)] == "b"
    assert 3.0 in t and 5.0 not in t
    assert f"{tenon.tensor(0.5):.2f}" == "0.50"
    with pytest.raises(ValueError, match="one element"):
        bool(t)
    with pytest.raises(TypeError, match="0-dim"):
        len(tenon.tensor(1))
    with pytest.raises(TypeError, match="0-dim"):
        iter(tenon.tensor(1))
    with pytest.raises(TypeError, match="integer"):
        [1, 2][tenon.tensor(1.0)]


def test_arithmetic_promotes_like_pytorch():
    i = tenon.tensor([1, 2, 3])
    f = tenon.tensor([0.5, 0.5, 0.5], dtype=tenon.float64)
    assert (i + f).dtype is tenon.float64
    assert (i * 2.5).dtype is tenon.float32, "a Python float does not widen beyond the default"
    assert (i + 1).dtype is tenon.int64
    assert (f * 1j).dtype is tenon.complex128
    assert (2 - i).tolist() == [1, 0, -1]
    assert (1 / i.double()).tolist() == [1.0, 0.5, 1 / 3]
    # PyTorch computes 5 / x as 5 * (1 / x)
    assert (5 / i.double()).tolist() == [5.0, 2.5, 1 / 3 * 5]
    assert (1 / i).dtype == tenon.float32
    assert (7 // i).tolist() == [7, 3, 2]
    assert (-i).tolist() == [-1, -2, -3] and abs(-i).tolist() == [1, 2, 3] and (+i) is i
    assert (i == 2).tolist() == [False, True, False]
    assert (i != 2).tolist() == [True, False, True]
    assert ((i < 2).tolist(), (i <= 2).tolist()) == ([True, False, False], [True, True, False])
    assert ((i > 2).tolist(), (i >= 2).tolist()) == ([False, False, True], [False, True, True])
    assert (tenon.ones(2, 3) @ tenon.ones(3, 4)).shape == (2, 4)


def test_bits_and_truth():
    a, b = tenon.tensor([True, False, True]), tenon.tensor([True, True, False])
    assert (a & b).tolist() == [True, False, False]
    assert (a | b).tolist() == [True, True, True]
    assert (a ^ b).tolist() == [False, True, True]
    assert (~a).tolist() == [False, True, False]
    i = tenon.tensor([12, 5])
    assert (i & 10).tolist() == [8, 0]
    assert (3 | i).tolist() == [15, 7]
    assert (~i).tolist() == [-13, -6]
    same = i
    i &= 4
    i |= tenon.tensor([1, 2])
    i ^= 1
    assert i is same and i.tolist() == [4, 7]
    with pytest.raises(tenon.NotSupportedError, match="float32"):
        tenon.ones(2) & 1


def test_comparison_with_strangers():
    t = tenon.ones(2)
    assert (t == "text") is False
    assert t != None  # noqa: E711 - the operator is what is tested
    with pytest.raises(TypeError):
        t < "text"
    with pytest.raises(TypeError):
        t + "text"


def test_in_place():
    t = tenon.ones(3)
    same = t
    t += 1
    t *= 3
    t -= 2
    t /= 2
    assert t is same and t.tolist() == [2.0, 2.0, 2.0]
    before = t._version
    t.add_(1)
    t.zero_()
    t.fill_(4)
    assert t._version == before + 3
    whole = tenon.ones(3, dtype=tenon.int64)
    with pytest.raises((TypeError, RuntimeError, ValueError)):
        whole += 0.5
    assert whole.tolist() == [1, 1, 1]


def test_methods_and_functions():
    t = tenon.tensor([[4.0, 9.0], [16.0, 25.0]])
    assert t.sqrt().tolist() == [[2.0, 3.0], [4.0, 5.0]]
    assert tenon.sqrt(t).tolist() == t.sqrt().tolist()
    assert t.sum().item() == 54.0 and t.sum(0).tolist() == [20.0, 34.0]
    assert t.mean(dim=1, keepdim=True).tolist() == [[6.5], [20.5]]
    assert tenon.add(t, 1, alpha=2)[0, 0].item() == 6.0
    assert t.T.tolist() == [[4.0, 16.0], [9.0, 25.0]]
    assert t.view(4).reshape(2, 2).permute(1, 0).tolist() == t.T.tolist()
    assert t.unsqueeze(0).expand(3, -1, -1).shape == (3, 2, 2)
    assert tenon.cat([t, t], dim=1).shape == (2, 4)
    assert tenon.where(t > 10, t, 0.0).tolist() == [[0.0, 0.0], [16.0, 25.0]]
    assert tenon.argmax(t).item() == 3
    assert t.transpose(0, 1).contiguous().is_contiguous()
    assert t.flatten().shape == (4,)


def test_to():
    t = tenon.ones(2)
    assert t.to(tenon.float32) is t and t.to("cpu") is t and t.float() is t
    assert t.to(tenon.float64).dtype is tenon.float64
    assert t.to(dtype=tenon.int32).tolist() == [1, 1]
    assert t.to(t.double()).dtype is tenon.float64
    assert t.to(tenon.float32, copy=True) is not t
    assert t.long().dtype is tenon.int64 and t.half().dtype is tenon.float16
    assert t.to("meta").is_meta
    with pytest.raises(TypeError, match="to:"):
        t.to(3)
    with pytest.raises(TypeError, match="wrong"):
        t.to(wrong=1)


def test_meta_has_shape_and_no_data():
    t = tenon.empty(2, 3, device="meta") + 1
    assert t.shape == (2, 3) and t.is_meta
    with pytest.raises(RuntimeError):
        t.data_ptr()
    with pytest.raises(Exception, match="meta|Meta|item"):
        t.sum().item()


def test_factories():
    assert tenon.zeros(2, 2).tolist() == [[0.0, 0.0], [0.0, 0.0]]
    assert tenon.ones((2,), dtype=tenon.int32).tolist() == [1, 1]
    assert tenon.full((2,), 7).dtype is tenon.int64
    assert tenon.arange(3).tolist() == [0, 1, 2]
    assert tenon.arange(1, 2, 0.5).tolist() == [1.0, 1.5]
    assert tenon.empty(0, 3).shape == (0, 3)
    assert tenon.empty_strided((2, 2), (1, 2)).stride() == (1, 2)
    like = tenon.zeros_like(tenon.ones(2, 3, dtype=tenon.float64))
    assert like.shape == (2, 3) and like.dtype is tenon.float64
    assert tenon.full_like(like, 2)[0, 0].item() == 2.0


def test_repr():
    assert repr(tenon.tensor([[1.0, 2.0], [3.0, 4.0]])) == "tensor([[1., 2.],\n        [3., 4.]])"
    assert "dtype=float64" in repr(tenon.tensor([1.0], dtype=tenon.float64))


def test_pickle():
    for dtype in (tenon.float32, tenon.bfloat16, tenon.bool, tenon.complex64):
        t = tenon.tensor([[1, 0], [1, 1]], dtype=dtype)
        back = pickle.loads(pickle.dumps(t))
        assert back.dtype is dtype and back.tolist() == t.tolist()
    assert pickle.loads(pickle.dumps(tenon.int8)) is tenon.int8
    assert pickle.loads(pickle.dumps(tenon.device("cuda:1"))) == tenon.device("cuda:1")
    assert pickle.loads(pickle.dumps(tenon.ops.aten.add)) is tenon.ops.aten.add
    assert pickle.loads(pickle.dumps(tenon.ops.aten.add.Tensor)) is tenon.ops.aten.add.Tensor
    assert pickle.loads(pickle.dumps(tenon.zeros(0, 2))).shape == (0, 2)


def test_dtype_facts():
    assert tenon.float32.itemsize == 4 and tenon.float32.is_floating_point
    assert tenon.complex64.is_complex and not tenon.uint8.is_signed
    assert tenon.float is tenon.float32 and tenon.long is tenon.int64
    assert repr(tenon.bfloat16) == "tenon.bfloat16"
    assert tenon.promote_types(tenon.int32, tenon.float16) is tenon.float16
    with pytest.raises(TypeError):
        type(tenon.float32)()


def test_default_dtype():
    try:
        tenon.set_default_dtype(tenon.float64)
        assert tenon.tensor([1.0]).dtype is tenon.float64
        assert tenon.zeros(1).dtype is tenon.float64
    finally:
        tenon.set_default_dtype(tenon.float32)
    with pytest.raises(TypeError):
        tenon.set_default_dtype(tenon.int32)


def test_device():
    assert tenon.device("cuda", 1) == tenon.device("cuda:1") == tenon.device(type="cuda", index=1)
    assert str(tenon.device("cuda:1")) == "cuda:1" and tenon.device("cpu").index is None
    assert {tenon.device("cpu"): 1}[tenon.device("cpu")] == 1
    with pytest.raises(LookupError, match="cpu"):
        tenon.device("nope")
    with pytest.raises(TypeError):
        tenon.device(3)
    with pytest.raises(ValueError):
        tenon.device("cuda:1", 2)


class Index:
    def __index__(self):
        return 1


def test_indices_of_other_kinds():
    t = tenon.arange(24).reshape(2, 3, 4)
    assert t[Index()].tolist() == t[1].tolist() and t[Index() :].tolist() == t[1:].tolist()
    assert t[: 10**30].tolist() == t.tolist() and t[-(10**30) :].tolist() == t.tolist()
    assert t[10**30 :].shape == (0, 3, 4)
    with pytest.raises(IndexError):
        t[10**30]
    with pytest.raises(TypeError, match="slice must have ints or None, got str"):
        t[0:"x"]
    with pytest.raises(ValueError, match="step must be greater than 0"):
        t[::-1]


def test_sizes_in_every_form():
    t = tenon.arange(6)
    for sizes in [(2, 3), ((2, 3),), ([2, 3],), (2, -1), ((-1, 3),)]:
        assert t.reshape(*sizes).tolist() == t.view(*sizes).tolist() == [[0, 1, 2], [3, 4, 5]]
    assert tenon.ones(2, 1, 3).permute(2, 0, 1).shape == (3, 2, 1)
    assert tenon.ones(2, 1, 3).T.shape == (3, 1, 2) and tenon.ones(()).T.shape == ()
    with pytest.raises(TypeError, match="int64"):
        t.view(10**30)
    with pytest.raises(TypeError, match="size"):
        t.view(2.0, 3)


def test_clamp_of_bool_by_one_tensor():
    """With one tensor bound, clamp is a maximum or minimum, which bool has; with two it is not."""
    a, b = tenon.tensor([True, False]), tenon.tensor([False, False])
    assert tenon.clamp_max(a, b).tolist() == [False, False]
    assert tenon.clamp_min(a, b).tolist() == [True, False]
    with pytest.raises(NotImplementedError, match="bool"):
        tenon.clamp(a, b, b)
