# SPDX-License-Identifier: Apache-2.0
"""Tensors and other objects: NumPy, DLPack, copies, identity, weak references, subclasses."""

from seed import sub, torch
import copy
import gc
import pickle
import weakref
import numpy as np
import pytest


KINDS = [
    "bool",
    "uint8",
    "int8",
    "int16",
    "int32",
    "int64",
    "float16",
    "float32",
    "float64",
    "complex64",
    "complex128",
]


def test_numpy_array_outlives_the_tensor_and_the_reverse():
    a = torch.full((4,), 3.0).numpy()
    t = torch.from_numpy(np.full(4, 2.0))
    gc.collect()
    [torch.rand(4) for _ in range(20)]
    assert a.tolist() == [3.0] * 4 and t.tolist() == [2.0] * 4


def test_numpy_of_a_tensor_that_requires_grad():
    x = torch.ones(2, requires_grad=True)
    with pytest.raises(RuntimeError, match="detach"):
        x.numpy()
    assert x.detach().numpy().tolist() == [1.0, 1.0] and x.numpy(force=True).tolist() == [1.0, 1.0]


def test_array_protocol():
    t = torch.tensor([1.0, 4.0])
    assert np.asarray(t).tolist() == [1.0, 4.0] and np.array(t, dtype=np.int64).dtype == np.int64
    assert np.sqrt(t.numpy()).tolist() == [1.0, 2.0] and np.sum(np.asarray(t)) == 5.0
    assert np.array(t) is not np.asarray(t) and not np.shares_memory(np.array(t), t.numpy())


def test_arithmetic_with_numpy_scalars():
    t = torch.ones(2)
    assert (t + np.float64(1.5)).dtype is torch.float32 and (t * np.int64(3)).tolist() == [3.0, 3.0]
    assert (torch.tensor([1]) + np.int64(1)).dtype is torch.int64


def test_dlpack_round_trip_shares():
    t = torch.arange(6.0).reshape(2, 3).t()
    u = sub("utils.dlpack").from_dlpack(sub("utils.dlpack").to_dlpack(t))
    u[0, 0] = 42
    assert t[0, 0].item() == 42.0 and u.stride() == t.stride() and u.dtype is torch.float32


def test_deepcopy_of_leaf_and_non_leaf():
    x = torch.ones(1, requires_grad=True)
    (x * 3).sum().backward()
    y = copy.deepcopy(x)
    assert y.requires_grad and y.is_leaf and y.grad.item() == 3.0 and y.grad is not x.grad
    with pytest.raises(RuntimeError, match="(?i)leaf|leaves|explicitly"):
        copy.deepcopy(x * 2)


def test_copy_shares_memory():
    x = torch.zeros(2)
    y = copy.copy(x)
    y[0] = 1
    assert y is not x and x.tolist() == [1.0, 0.0]


def test_pickle_of_python_attributes():
    x = torch.ones(1)
    x.note = "kept"
    assert pickle.loads(pickle.dumps(x)).note == "kept" and copy.deepcopy(x).note == "kept"


def test_base_of_a_view_stays_alive_with_its_attributes():
    x = torch.ones(1)
    x.note, r = "kept", weakref.ref(x)
    y = x.view(1)
    del x
    gc.collect()
    assert r() is y._base and y._base.note == "kept"


def test_attributes_of_a_buffer_survive_collection():
    holder = sub("nn").Module()
    holder.register_buffer("b", torch.ones(1))
    holder.b.note = [1, 2]
    gc.collect()
    assert holder.b.note == [1, 2]


def test_cycle_through_an_attribute_is_collected():
    class Node:
        pass

    x, n = torch.ones(1), Node()
    x.node, n.x = n, x
    r = weakref.ref(n)
    del x, n
    gc.collect()
    assert r() is None


def test_subclass_is_kept_by_operations_methods_and_indexing():
    class Mine(torch.Tensor):
        pass

    m = torch.ones(2, 2).as_subclass(Mine)
    assert type(m) is Mine and type(m + 1) is Mine and type(m[0]) is Mine and type(m.sum()) is Mine
    assert type(torch.add(torch.ones(2, 2), m)) is Mine and isinstance(m, torch.Tensor)
    assert type(m.as_subclass(torch.Tensor)) is torch.Tensor


def test_subclass_survives_pickle():
    kept = type("Held", (torch.Tensor,), {"__module__": __name__})
    globals()["Held"] = kept
    m = torch.ones(2).as_subclass(kept)
    m.extra = 3
    other = pickle.loads(pickle.dumps(m))
    assert type(other) is kept and other.extra == 3 and other.tolist() == [1.0, 1.0]


def test_two_unrelated_subclasses_use_the_protocol_order():
    class A(torch.Tensor):
        pass

    class B(A):
        pass

    a, b = torch.ones(1).as_subclass(A), torch.ones(1).as_subclass(B)
    assert type(a + b) is B and type(b + a) is B


def test_data_and_detach_share_but_forget_history():
    x = torch.ones(2, requires_grad=True)
    d = x.data
    d[0] = 5
    assert x.tolist() == [5.0, 1.0] and not d.requires_grad and x._version == 0
    x.detach()[1] = 6
    assert x.tolist() == [5.0, 6.0] and x._version == 1


def test_set_data_swaps_the_contents():
    x = torch.ones(2)
    x.data = torch.zeros(3, dtype=torch.float32)
    assert x.shape == (3,) and x.tolist() == [0.0, 0.0, 0.0]


def test_meta_tensors_have_no_data():
    x = torch.ones(2, 3, device="meta")
    y = x.t() @ x
    assert y.shape == (3, 3) and y.device.type == "meta" and x.is_meta
    for f in (lambda: x[0, 0].item(), lambda: x.tolist(), lambda: bool(x[0, 0] > 0)):
        with pytest.raises((RuntimeError, NotImplementedError)):
            f()


def test_mixing_devices_is_an_error():
    with pytest.raises(RuntimeError, match="meta|device"):
        torch.ones(2) + torch.ones(2, device="meta")
    assert (torch.ones(2, device="meta") * 2).device.type == "meta"


def test_is_tensor_and_kind_questions():
    x = torch.ones(1)
    assert (
        torch.is_tensor(x)
        and not torch.is_tensor([1])
        and torch.is_floating_point(x)
        and x.is_floating_point()
    )
    assert (
        not torch.tensor(1).is_floating_point()
        and torch.tensor(1j).is_complex()
        and x.is_cpu
        and not x.is_cuda
    )
    assert x.layout is torch.strided and not x.is_sparse


def test_subclass_construction_methods_and_attributes():
    class Mine(torch.Tensor):
        unit = "m"

        def doubled(self):
            return self * 2

    m = Mine([1.0, 2.0])
    m.extra = 5
    assert (
        m.doubled().tolist() == [2.0, 4.0] and m.unit == "m" and not hasattr(m.doubled(), "extra")
    )
    assert "Mine" in repr(m)


def test_parameter_of_a_subclass():
    class Mine(torch.Tensor):
        pass

    p = sub("nn").Parameter(torch.ones(1).as_subclass(Mine))
    assert isinstance(p, sub("nn").Parameter) and isinstance(p, Mine) and p.requires_grad


def test_lines_of_a_subclass_go_on_below_its_first_bracket():
    class Mine(torch.Tensor):
        pass

    m = torch.ones(2, 2).as_subclass(Mine)
    assert repr(m) == "Mine([[1., 1.],\n      [1., 1.]])"
    assert repr(sub("nn").Parameter(torch.ones(1))).startswith("Parameter containing:\ntensor(")
