# SPDX-License-Identifier: Apache-2.0
"""Fake tensors (right type, shape and device, no data) and tensors on the meta device."""

import copy
import itertools
import os
import threading

import pytest
from seed import sub, torch

pytestmark = pytest.mark.filterwarnings("ignore")
_n = itertools.count()


def find(name):
    """Finds a name of the fake-tensor layer in the package or in PyTorch's private module."""
    if hasattr(torch, name):
        return getattr(torch, name)
    return getattr(sub("_subclasses.fake_tensor"), name)


def fake_mode(symbolic=False):
    options = {}
    if symbolic and torch.__name__ == "torch":
        options["shape_env"] = sub("fx.experimental.symbolic_shapes").ShapeEnv()
    return find("FakeTensorMode")(**options)


def is_fake(t):
    return isinstance(t, find("FakeTensor"))


def meta(*shape, **kw):
    return torch.empty(*shape, device="meta", **kw)


def new_op(schema, cpu=None, fake=None):
    name = f"fakes{os.getpid()}::op{next(_n)}"
    torch.library.define(name, schema)
    if cpu:
        torch.library.impl(name, "cpu")(cpu)
    if fake:
        torch.library.register_fake(name)(fake)
    ns, op = name.split("::")
    return name, getattr(getattr(torch.ops, ns), op)


# ---- fake tensors
def test_factories_make_fakes_with_the_right_metadata():
    """in the mode, factories return fakes with the metadata of real results"""
    with fake_mode():
        a = torch.ones(2, 3, dtype=torch.float64)
        assert is_fake(a) and isinstance(a, torch.Tensor) and a.dtype == torch.float64
        assert (
            tuple(a.shape) == (2, 3)
            and a.stride() == (3, 1)
            and a.device.type == "cpu"
            and not a.is_meta
        )
        assert (
            is_fake(torch.arange(4))
            and torch.arange(4).shape == (4,)
            and is_fake(torch.tensor([1, 2]))
        )


def test_results_outside_the_mode_stay_fake():
    """a fake still computes fakes after the mode was left"""
    with fake_mode():
        a = torch.ones(2, 3)
    b = (a @ a.t()).sum(0)
    assert is_fake(b) and tuple(b.shape) == (2,)
    assert not is_fake(torch.ones(1))


def test_strides_and_views_like_real_ones():
    """views follow the same rules for strides, offset, contiguity and _base"""
    with fake_mode():
        a = torch.ones(4, 6)
        v = a[1:, ::2].t()
        assert (
            v.shape == (3, 3)
            and v.stride() == (2, 6)
            and v.storage_offset() == 6
            and not v.is_contiguous()
        )
        assert v._base is a and v.contiguous().stride() == (3, 1)
        with pytest.raises((RuntimeError, ValueError)):
            a.t().view(24)


def test_shape_errors_as_in_the_real_operators():
    """bad shapes are RuntimeErrors in the mode too"""
    with fake_mode():
        a = torch.ones(2, 3)
        with pytest.raises(RuntimeError):
            a @ a
        with pytest.raises(RuntimeError):
            a + torch.ones(5)
        with pytest.raises((RuntimeError, IndexError)):
            a.sum(7)
        with pytest.raises(RuntimeError):
            torch.cat([a, torch.ones(2, 4)])
        assert (a @ a.t()).shape == (2, 2)


def test_from_tensor_of_a_view():
    """a view converts to a view"""
    b = torch.ones(3, 4)
    f = fake_mode().from_tensor(b[1:, 1])
    assert (
        f.shape == (2,) and f.stride() == (4,) and f.storage_offset() == 5 and f._base is not None
    )


def test_in_place_metadata():
    """in-place operators return the same object, raise the version and check the shape"""
    with fake_mode():
        a = torch.ones(2, 3)
        v = a._version
        assert (
            a.add_(1) is a
            and a._version == v + 1
            and a[0].mul_(2).shape == (3,)
            and a._version == v + 2
        )
        with pytest.raises(RuntimeError):
            torch.ones(1, 3).add_(a)
        assert torch.ones(2, dtype=torch.int64).mul_(3).dtype == torch.int64


def test_out_argument():
    """out= returns the given fake with the result's shape"""
    with fake_mode():
        a, o = torch.ones(2, 3), torch.empty(0)
        assert torch.add(a, a, out=o) is o and o.shape == (2, 3)


def test_leaf_write_is_refused_like_real():
    """an in-place write on a fake leaf that requires grad is refused"""
    with fake_mode():
        w = torch.ones(2, requires_grad=True)
        with pytest.raises(RuntimeError, match="leaf"):
            w.add_(1)
        with torch.no_grad():
            assert w.add_(1) is w


def test_other_devices_without_the_hardware():
    """in the mode a tensor may claim a device that is absent"""
    with fake_mode():
        a = torch.empty(2, device="cuda")
        assert (
            a.device.type == "cuda"
            and (a + 1).device.type == "cuda"
            and a.to("cpu").device.type == "cpu"
        )
        with pytest.raises(RuntimeError):
            a + torch.ones(2)
        assert (a * torch.tensor(2.0)).device.type == "cuda"


def test_to_and_copies_keep_being_fake():
    """to, clone, detach and deepcopy return fakes"""
    with fake_mode():
        a = torch.ones(2, requires_grad=True)
        assert (
            a.to(torch.float16).dtype == torch.float16
            and is_fake(a.detach())
            and not a.detach().requires_grad
        )
        d = copy.deepcopy(a)
        assert is_fake(d) and d is not a and d.shape == (2,) and d.requires_grad


def test_repr_says_fake_and_shows_no_values():
    """repr shows the kind and the size"""
    with fake_mode():
        text = repr(torch.ones(2, 7))
    assert "ake" in text and "2, 7" in text


def test_transforms_on_fakes():
    """vmap, grad and jvp run on fakes"""
    func = sub("func")
    with fake_mode():
        a = torch.ones(4, 3)
        assert func.vmap(lambda r: r.sum())(a).shape == (4,)
        g = func.grad(lambda r: (r**2).sum())(a)
        assert is_fake(g) and g.shape == (4, 3)
        assert func.jvp(torch.sin, (a,), (a,))[1].shape == (4, 3)


def test_mode_belongs_to_its_thread():
    """another thread makes real tensors while the mode is active"""
    got = []
    with fake_mode():
        t = threading.Thread(target=lambda: got.append(torch.ones(2).tolist()))
        t.start()
        t.join(20)
    assert got == [[1, 1]]


# ---- custom operators on fakes
def test_error_in_a_fake_implementation_passes():
    """an exception of the fake implementation reaches the caller"""

    class Odd(Exception):
        pass

    def bad(x):
        raise Odd("no")

    _, op = new_op("(Tensor x) -> Tensor", None, bad)
    with fake_mode():
        with pytest.raises(Odd):
            op(torch.ones(2))
        assert is_fake(torch.ones(1) + 1)


def dynamic_op(**bounds):
    def fake(x):
        size = torch.library.get_ctx().new_dynamic_size(**bounds)
        return x.new_empty([size, x.dim()], dtype=torch.int64)

    return new_op("(Tensor x) -> Tensor", lambda x: x.nonzero(), fake)[1]


def test_dynamic_sizes_cannot_become_ints():
    """int() of such a size, or a branch on an unknown comparison, is an error"""
    op = dynamic_op()
    with fake_mode(symbolic=True):
        n = op(torch.ones(2, 2)).shape[0]
        with pytest.raises(Exception):
            int(n)
        with pytest.raises(Exception):
            bool(n > 3)
        assert not isinstance(n, int)


def test_dynamic_size_bounds_decide_comparisons():
    """min and max of new_dynamic_size decide comparisons beyond them"""
    op = dynamic_op(min=2, max=5)
    with fake_mode(symbolic=True):
        n = op(torch.ones(2, 2)).shape[0]
        assert bool(n >= 2) and bool(n <= 5) and not bool(n > 5) and bool(n + 1 >= 3)


# ---- the meta device
def test_meta_mixing():
    """meta and CPU tensors do not mix, except CPU scalars"""
    with pytest.raises(RuntimeError):
        meta(2) + torch.ones(2)
    assert (meta(2) * torch.tensor(2.0)).device.type == "meta" and (meta(2) + 1).is_meta


def test_meta_copy_in_but_not_out():
    """copying into a meta tensor is allowed and keeps it meta; copying out is not"""
    m, c = meta(2), torch.ones(2)
    assert m.copy_(c) is m and m.is_meta
    with pytest.raises((RuntimeError, NotImplementedError)):
        c.copy_(m)
    assert c.tolist() == [1, 1]


def test_meta_views_and_in_place():
    """views and in-place operators work on metadata"""
    a = meta(4, 6)
    v = a[1:, ::2]
    assert v.stride() == (6, 2) and v.storage_offset() == 6 and v._base is a
    assert a.add_(1) is a and v._version == 1 and v.unsqueeze(0).shape == (1, 3, 3)
    with pytest.raises(RuntimeError):
        meta(1, 3).mul_(meta(2, 3))


def test_meta_autograd():
    """backward on meta tensors computes meta gradients"""
    w = torch.ones(3, 2, device="meta", requires_grad=True)
    (torch.ones(4, 3, device="meta") @ w).sum().backward()
    assert w.grad.is_meta and w.grad.shape == (3, 2)


def test_meta_modules():
    """modules can be built on meta and moved to a device without values"""
    lin = torch.nn.Linear(3, 2, device="meta")
    assert lin.weight.is_meta and lin(meta(5, 3)).shape == (5, 2)
    real = lin.to_empty(device="cpu")
    assert real.weight.device.type == "cpu" and isinstance(real.weight, torch.nn.Parameter)
    with torch.no_grad():
        real.weight.fill_(1.0)
        real.bias.zero_()
    assert real(torch.ones(3)).tolist() == [3, 3]


def test_meta_as_the_default_device():
    """with torch.device('meta'), factories return meta tensors"""
    with torch.device("meta"):
        a = torch.ones(2)
        assert (
            a.is_meta
            and torch.nn.Linear(2, 1).weight.is_meta
            and torch.ones(1, device="cpu").device.type == "cpu"
        )
    assert not torch.ones(2).is_meta


def test_meta_custom_operator():
    """register_fake also serves meta tensors; without it the error names the operator"""
    _, op = new_op("(Tensor x) -> Tensor", lambda x: x, lambda x: x.new_empty(x.shape[0] + 1))
    assert op(meta(3)).shape == (4,) and op(meta(3)).is_meta
    name, bare = new_op("(Tensor x) -> Tensor", lambda x: x.clone())
    with pytest.raises(NotImplementedError, match=name.split("::")[1]):
        bare(meta(3))
