# SPDX-License-Identifier: Apache-2.0
"""Operators of tensors: promotion, broadcasting, in-place forms, comparison, closeness."""

from seed import sub, torch
import pytest


def dt(name):
    return getattr(torch, name)


NAMES = [
    "bool",
    "uint8",
    "int8",
    "int32",
    "int64",
    "float16",
    "bfloat16",
    "float32",
    "float64",
    "complex64",
]
# Row i, column j: the promoted dtype of NAMES[i] and NAMES[j].
TABLE = {
    "bool": NAMES,
    "uint8": [
        "uint8",
        "uint8",
        "int16",
        "int32",
        "int64",
        "float16",
        "bfloat16",
        "float32",
        "float64",
        "complex64",
    ],
    "int8": [
        "int8",
        "int16",
        "int8",
        "int32",
        "int64",
        "float16",
        "bfloat16",
        "float32",
        "float64",
        "complex64",
    ],
    "int32": [
        "int32",
        "int32",
        "int32",
        "int32",
        "int64",
        "float16",
        "bfloat16",
        "float32",
        "float64",
        "complex64",
    ],
    "int64": [
        "int64",
        "int64",
        "int64",
        "int64",
        "int64",
        "float16",
        "bfloat16",
        "float32",
        "float64",
        "complex64",
    ],
    "float16": ["float16"] * 6 + ["float32", "float32", "float64", "complex64"],
    "bfloat16": ["bfloat16"] * 5 + ["float32", "bfloat16", "float32", "float64", "complex64"],
    "float32": ["float32"] * 8 + ["float64", "complex64"],
    "float64": ["float64"] * 9 + ["complex128"],
    "complex64": ["complex64"] * 8 + ["complex128", "complex64"],
}


def test_zero_dim_tensors_promote_like_numbers():
    assert (
        torch.ones(2, dtype=torch.float16) + torch.tensor(1.0, dtype=torch.float64)
    ).dtype is torch.float16
    assert (torch.ones(2, dtype=torch.int8) + torch.tensor(1000)).dtype is torch.int8
    assert (torch.ones(2, dtype=torch.int8) + torch.tensor(1.0)).dtype is torch.float32
    assert (torch.tensor(1, dtype=torch.int8) + torch.tensor(1)).dtype is torch.int64


def test_unary_operators():
    x = torch.tensor([-1, 2])
    assert (
        (-x).tolist() == [1, -2]
        and (+x).tolist() == [-1, 2]
        and abs(x).tolist() == [1, 2]
        and (~x).tolist() == [0, -3]
    )
    assert (~torch.tensor([True, False])).tolist() == [False, True]


def test_matmul_operator_by_dimensions():
    a, b = torch.arange(6.0).reshape(2, 3), torch.arange(3.0)
    assert (
        (a @ b).tolist() == [5.0, 14.0]
        and (b @ b).item() == 5.0
        and (b @ a.t()).tolist() == [5.0, 14.0]
    )
    assert (torch.ones(5, 1, 2, 3) @ torch.ones(4, 3, 2)).shape == (5, 4, 2, 2)
    with pytest.raises(RuntimeError):
        a @ a


def test_alpha_of_addition():
    assert torch.add(torch.tensor(1.0), torch.tensor(2.0), alpha=10).item() == 21.0
    assert torch.tensor([1]).sub(torch.tensor([2]), alpha=3).tolist() == [-5]
    with pytest.raises(RuntimeError, match="alpha"):
        torch.add(torch.tensor(1), torch.tensor(2), alpha=1.5)


def test_out_argument_is_returned_and_resized():
    out = torch.empty(2)
    assert torch.add(torch.ones(2), 1, out=out) is out and out.tolist() == [2.0, 2.0]
    with pytest.raises(RuntimeError):
        torch.add(torch.ones(2), 1.5, out=torch.empty(2, dtype=torch.int64))


def test_inplace_on_a_view_changes_the_base():
    x = torch.zeros(2, 2)
    x[0].add_(1).mul_(5)
    x.t()[1] += 100
    assert x.tolist() == [[5.0, 105.0], [0.0, 100.0]]


def test_inplace_on_a_leaf_that_requires_grad_is_refused():
    x = torch.ones(1, requires_grad=True)
    with pytest.raises(RuntimeError, match="leaf"):
        x += 1


def test_fill_zero_copy():
    x = torch.empty(2, 2)
    assert x.fill_(3) is x and x.zero_().sum().item() == 0.0
    assert x.copy_(torch.tensor([1, 2])).tolist() == [[1.0, 2.0], [1.0, 2.0]]


def test_comparison_with_strangers():
    x = torch.tensor([1])
    assert (x == None) is False and (x == "a") is False and (x != None) is True  # noqa: E711
    with pytest.raises(TypeError):
        x < None
    with pytest.raises(TypeError):
        x + "a"


def test_reductions():
    x = torch.tensor([[1.0, 5.0], [3.0, 2.0]])
    assert (
        x.sum().item() == 11.0
        and x.sum(0).tolist() == [4.0, 7.0]
        and x.mean(-1, keepdim=True).tolist() == [[3.0], [2.5]]
    )
    assert (
        torch.tensor([True, True]).sum().item() == 2
        and torch.tensor([1, 2], dtype=torch.int8).sum().dtype is torch.int64
    )
    with pytest.raises(RuntimeError):
        torch.tensor([1, 2]).mean()


def test_max_along_a_dimension_returns_named_pair():
    x = torch.tensor([[1, 5], [3, 2]])
    r = x.max(dim=1)
    assert r.values.tolist() == [5, 3] and r.indices.tolist() == [1, 0] and x.max().item() == 5
    values, indices = x.min(0)
    assert values.tolist() == [1, 2] and indices.tolist() == [0, 1]
    assert isinstance(r, tuple)


def test_sort_topk_and_cumsum():
    x = torch.tensor([3, 1, 2])
    v, i = torch.sort(x, descending=True)
    assert v.tolist() == [3, 2, 1] and i.tolist() == [0, 2, 1]
    assert torch.topk(x, 2).values.tolist() == [3, 2] and x.cumsum(0).tolist() == [3, 4, 6]


def test_clamp_maximum_minimum():
    x = torch.tensor([-2, 0, 5])
    assert x.clamp(-1, 3).tolist() == [-1, 0, 3] and x.clamp(min=1).tolist() == [1, 1, 5]
    assert torch.maximum(x, torch.tensor(1)).tolist() == [1, 1, 5] and torch.minimum(
        x, torch.tensor([0, 1, 2])
    ).tolist() == [-2, 0, 2]


def test_cat_and_stack_promote_and_check():
    assert torch.cat([torch.ones(1, dtype=torch.int64), torch.ones(1)]).dtype is torch.float32
    assert torch.stack([torch.tensor(1), torch.tensor(2)]).tolist() == [1, 2]
    assert torch.cat((torch.ones(1, 2), torch.zeros(2, 2))).shape == (3, 2) and torch.stack(
        (torch.ones(2),) * 3, dim=1
    ).shape == (2, 3)
    with pytest.raises(RuntimeError):
        torch.cat([torch.ones(1, 2), torch.ones(1, 3)])
    with pytest.raises(RuntimeError):
        torch.stack([torch.ones(2), torch.ones(3)])


def test_allclose_tolerances_and_dtype():
    a = torch.tensor([1.0, 100.0])
    assert (
        torch.allclose(a, a + 1e-7)
        and not torch.allclose(a, a + 1e-2)
        and torch.allclose(a, a + 1e-2, atol=0.1)
    )
    assert torch.isclose(a, a + torch.tensor([0.0, 1.0])).tolist() == [True, False]
    with pytest.raises(RuntimeError):
        torch.allclose(a, a.double())


def test_assert_close_accepts_and_reports():
    ac = sub("testing").assert_close
    ac(torch.tensor([1.0, 2.0]), torch.tensor([1.0, 2.0 + 1e-7]))
    with pytest.raises(AssertionError, match="1 / 2") as info:
        ac(torch.tensor([1.0, 2.0]), torch.tensor([1.0, 3.0]))
    assert "1" in str(info.value)


def test_assert_close_checks_dtype_shape_and_containers():
    ac = sub("testing").assert_close
    for a, b, word in (
        (torch.ones(1), torch.ones(1).double(), "dtype"),
        (torch.ones(2), torch.ones(1, 2), "shape"),
    ):
        with pytest.raises(AssertionError, match=word):
            ac(a, b)
    ac(torch.ones(1), torch.ones(1).double(), check_dtype=False)
    ac({"a": [torch.ones(1), 2.0]}, {"a": [torch.ones(1), 2.0]})
    with pytest.raises(AssertionError):
        ac([torch.ones(1)], [torch.ones(1), torch.ones(1)])
