# SPDX-License-Identifier: Apache-2.0
"""Override protocols: wrapper subclasses built in steps, order of classes, aliasing."""

import pytest
from seed import autograd, sub, torch

Tensor = torch.Tensor


def dispatch():
    return sub("utils._python_dispatch")


def tree_map(f, tree):
    return sub("utils._pytree" if torch.__name__ == "torch" else "utils.pytree").tree_map(f, tree)


def logging_class(form="keywords", where="new"):
    """Makes a wrapper class whose attributes are set after construction, and logs early calls."""
    log = []

    class LoggingTensor(Tensor):
        elem: Tensor

        @staticmethod
        def __new__(cls, elem, *args, **kwargs):
            if form == "keywords":
                r = Tensor._make_wrapper_subclass(
                    cls,
                    elem.size(),
                    strides=elem.stride(),
                    storage_offset=elem.storage_offset(),
                    dtype=elem.dtype,
                    layout=elem.layout,
                    device=elem.device,
                    requires_grad=kwargs.get("requires_grad", False),
                )
            elif form == "size":
                r = Tensor._make_wrapper_subclass(
                    cls, elem.size(), dtype=elem.dtype, device=elem.device
                )
            elif form == "strides":
                r = Tensor._make_wrapper_subclass(cls, elem.size(), elem.stride(), dtype=elem.dtype)
            elif form == "positional":
                r = Tensor._make_wrapper_subclass(
                    cls,
                    elem.size(),
                    elem.stride(),
                    elem.storage_offset(),
                    None,
                    elem.dtype,
                    elem.layout,
                    elem.device,
                    False,
                    kwargs.get("requires_grad", False),
                )
            elif form == "tracked":
                r = Tensor._make_wrapper_subclass(
                    cls, elem.size(), dtype=elem.dtype, requires_grad=True
                )
            elif form == "subclass":
                r = Tensor._make_subclass(cls, elem.detach(), elem.requires_grad)
            if where == "new":
                r.elem = elem.detach() if r.requires_grad else elem
            return r

        def __init__(self, elem, **kwargs):
            if where == "init":
                self.elem = elem.detach()

        def __repr__(self):
            return f"LoggingTensor({self.elem})"

        @classmethod
        def __torch_dispatch__(cls, func, types, args=(), kwargs=None):
            def unwrap(x):
                if isinstance(x, LoggingTensor):
                    assert "elem" in x.__dict__, f"{func} came to a half-built tensor"
                    return x.elem
                return x

            def wrap(x):
                return LoggingTensor(x) if isinstance(x, Tensor) else x

            log.append(str(func))
            with no_dispatch():
                out = func(*tree_map(unwrap, args), **tree_map(unwrap, kwargs or {}))
            return tree_map(wrap, out)

    LoggingTensor.log = log
    return LoggingTensor


class no_dispatch:
    def __enter__(self):
        pass

    def __exit__(self, *exc):
        pass


FORMS = ["keywords", "size", "strides", "positional", "tracked", "subclass"]


@pytest.mark.parametrize("where", ["new", "init"])
@pytest.mark.parametrize("form", FORMS)
def test_wrapper_never_arrives_half_built(form, where):
    cls = logging_class(form, where)
    x = cls(torch.tensor([1.0, 2.0], dtype=torch.float64))
    assert type(x) is cls and cls.log == []
    y = x * 2 + x
    assert type(y) is cls
    assert y.elem.tolist() == [3.0, 6.0]
    y = x.sum()
    assert y.elem.item() == 3.0
    names = [name.partition(".")[2].partition(".")[0] for name in cls.log]
    assert [name for name in names if name != "detach"] == ["mul", "add", "sum"]


@pytest.mark.parametrize("where", ["new", "init"])
@pytest.mark.parametrize("form", ["keywords", "tracked", "positional"])
def test_wrapper_in_backward_never_arrives_half_built(form, where):
    cls = logging_class(form, where)
    x = cls(torch.tensor([3.0], dtype=torch.float64), requires_grad=True)
    assert x.requires_grad
    y = x * x
    grad = cls(torch.tensor([1.0], dtype=torch.float64))
    (g,) = autograd.grad(y, x, grad.detach())
    assert g.elem.tolist() == [6.0]


def test_wrapper_print_and_attributes():
    cls = logging_class()
    x = cls(torch.ones(2, 3, dtype=torch.float64).t())
    assert x.shape == (3, 2) and x.stride() == (1, 3) and x.dtype == torch.float64
    assert x.device.type == "cpu" and x.layout == torch.strided
    assert "LoggingTensor" in repr(x)
    x.note = "mine"
    assert x.note == "mine"


def test_wrapper_saved_for_backward_keeps_its_attributes():
    cls = logging_class()
    x = cls(torch.tensor([2.0], dtype=torch.float64), requires_grad=True)
    seen = []

    class Square(autograd.Function):
        @staticmethod
        def forward(ctx, x):
            ctx.save_for_backward(x)
            return x * x

        @staticmethod
        def backward(ctx, g):
            (x,) = ctx.saved_tensors
            seen.append(type(x))
            return g * 2 * x

    y = Square.apply(x)
    y.backward(cls(torch.tensor([1.0], dtype=torch.float64)))
    assert seen == [cls]
    assert x.grad.elem.tolist() == [4.0]


def test_make_wrapper_subclass_refusals():
    cls = logging_class()
    for call in (
        lambda: Tensor._make_wrapper_subclass(cls),
        lambda: Tensor._make_wrapper_subclass(cls, "a"),
        lambda: Tensor._make_wrapper_subclass(cls, (2,), dtype="float"),
    ):
        with pytest.raises((TypeError, ValueError, RuntimeError)):
            call()

    class NoDispatch(Tensor):
        pass

    with pytest.raises((TypeError, RuntimeError)):
        Tensor._make_wrapper_subclass(NoDispatch, (2,))


# ---------------------------------------------------------------- the order of classes


def noting(log, name, base=Tensor, result=NotImplemented):
    def handler(cls, func, types, args=(), kwargs=None):
        log.append(cls.__name__)
        return result

    return type(name, (base,), {"__torch_function__": classmethod(handler)})


def made(cls):
    if issubclass(cls, Tensor):
        return torch.ones(2).as_subclass(cls)
    return cls()


CALLS = {
    "add": lambda a, b: torch.add(a, b),
    "operator": lambda a, b: a + b,
    "method": lambda a, b: a.add(b),
    "cat": lambda a, b: torch.cat([a, b]),
    "where": lambda a, b: torch.where(torch.ones(2, dtype=torch.bool), a, b),
    "functional": lambda a, b: torch.nn.functional.mse_loss(a, b),
    "stack": lambda a, b: torch.stack((a, b)),
    "matmul": lambda a, b: torch.matmul(a, b),
}


@pytest.mark.parametrize("name", CALLS)
@pytest.mark.parametrize("base", ["tensor", "object"])
def test_derived_class_is_asked_first(name, base):
    if base == "object" and name in ("operator", "method"):
        pytest.skip("no methods")
    log = []
    Base = noting(log, "Base", Tensor if base == "tensor" else object)
    Derived = noting(log, "Derived", Base, 7)
    for a, b in ((Base, Derived), (Derived, Base)):
        log.clear()
        assert CALLS[name](made(a), made(b)) == 7
        assert log == ["Derived"]


def test_derived_class_may_pass_on_to_its_base():
    log = []
    Base = noting(log, "Base", Tensor, 5)
    Derived = noting(log, "Derived", Base)
    assert torch.add(made(Base), made(Derived)) == 5
    assert log == ["Derived", "Base"]
    log.clear()
    assert torch.add(made(Derived), made(Base)) == 5
    assert log == ["Derived", "Base"]


def test_most_derived_of_three_is_asked_first():
    log = []
    A = noting(log, "A")
    B = noting(log, "B", A)
    C = noting(log, "C", B)
    other = noting(log, "Other")
    for order in ((A, B, C), (C, B, A), (B, C, A), (B, A, C)):
        log.clear()
        with pytest.raises(TypeError):
            torch.cat([made(cls) for cls in order])
        assert log == ["C", "B", "A"]
    log.clear()
    with pytest.raises(TypeError):
        torch.cat([made(A), made(other), made(B)])
    assert log == ["B", "A", "Other"]


def test_unrelated_classes_are_asked_left_to_right_and_once():
    log = []
    A = noting(log, "A")
    B = noting(log, "B")
    with pytest.raises(TypeError):
        torch.cat([made(A), made(B), made(A)])
    assert log == ["A", "B"]


def test_derived_class_of_dispatch_is_asked_first():
    log = []

    def dispatching(name, base, result):
        def handler(cls, func, types, args=(), kwargs=None):
            log.append(cls.__name__)
            return result() if callable(result) else result

        return type(name, (base,), {"__torch_dispatch__": classmethod(handler)})

    Base = dispatching("Base", Tensor, NotImplemented)
    Derived = dispatching("Derived", Base, lambda: torch.zeros(2))
    a = Tensor._make_wrapper_subclass(Base, (2,))
    b = Tensor._make_wrapper_subclass(Derived, (2,))
    for x, y in ((a, b), (b, a)):
        log.clear()
        torch.add(x, y)
        assert log == ["Derived"]


def test_results_are_of_the_derived_class():
    class Base(Tensor):
        pass

    class Derived(Base):
        pass

    class Other(Tensor):
        pass

    base, derived = torch.ones(2).as_subclass(Base), torch.ones(2).as_subclass(Derived)
    assert type(base + derived) is Derived and type(derived + base) is Derived
    assert type(base + torch.ones(2)) is Base and type(torch.ones(2) + base) is Base
    assert type(torch.cat([base, derived])) is Derived
    with pytest.raises(TypeError):
        base + torch.ones(2).as_subclass(Other)


# ---------------------------------------------------------------- return_and_correct_aliasing


def aliasing_class():
    class Wrapping(Tensor):
        @staticmethod
        def __new__(cls, elem):
            return Tensor._make_wrapper_subclass(
                cls,
                elem.shape,
                strides=elem.stride(),
                storage_offset=elem.storage_offset(),
                dtype=elem.dtype,
                device=elem.device,
            )

        def __init__(self, elem):
            self.elem = elem

        @classmethod
        def __torch_dispatch__(cls, func, types, args=(), kwargs=None):
            kwargs = kwargs or {}

            def unwrap(x):
                return x.elem if isinstance(x, Wrapping) else x

            def wrap(x):
                return Wrapping(x) if isinstance(x, Tensor) else x

            out = func(*tree_map(unwrap, args), **tree_map(unwrap, kwargs))
            out = tree_map(wrap, out)
            return dispatch().return_and_correct_aliasing(func, args, kwargs, out)

    return Wrapping


METADATA = {
    "t_": lambda x: x.t_(),
    "transpose_": lambda x: x.transpose_(0, 1),
    "unsqueeze_": lambda x: x.unsqueeze_(0),
    "squeeze_": lambda x: x.unsqueeze_(0).squeeze_(0),
    "as_strided_": lambda x: x.as_strided_((3,), (1,)),
    "swapdims_": lambda x: x.swapdims_(0, 1),
    "swapaxes_": lambda x: x.swapaxes_(0, 1),
}


@pytest.mark.parametrize("name", METADATA)
def test_return_and_correct_aliasing_metadata_in_place(name):
    cls = aliasing_class()
    plain = torch.arange(6.0).reshape(2, 3)
    x = cls(plain.clone())
    expected = METADATA[name](plain.clone())
    y = METADATA[name](x)
    assert y is x
    assert x.shape == expected.shape and x.stride() == expected.stride()
    assert x.elem.shape == expected.shape
    assert x.elem.tolist() == expected.tolist()


def test_return_and_correct_aliasing_in_place_and_out():
    cls = aliasing_class()
    x = cls(torch.ones(2, 3))
    assert x.add_(1) is x and x.elem.tolist() == [[2.0] * 3] * 2
    x += 1
    assert type(x) is cls
    out = cls(torch.zeros(2, 3))
    assert torch.add(x, x, out=out) is out and out.elem.tolist() == [[6.0] * 3] * 2
    assert x.mul_(x) is x
    x[0] = 5.0
    assert x.elem[0].tolist() == [5.0] * 3


VIEWS = {
    "view": lambda x: x.view(6),
    "t": lambda x: x.t(),
    "select": lambda x: x[0],
    "slice": lambda x: x[:, 1:],
    "expand": lambda x: x.expand(2, 2, 3),
    "transpose": lambda x: x.transpose(0, 1),
    "unsqueeze": lambda x: x.unsqueeze(0),
    "detach": lambda x: x.detach(),
    "split": lambda x: x.split(1)[1],
    "unbind": lambda x: x.unbind()[1],
    "chunk": lambda x: x.chunk(2)[0],
    "alias": lambda x: torch.ops.aten.alias(x),
}


@pytest.mark.parametrize("name", VIEWS)
def test_return_and_correct_aliasing_views_share_storage_and_offset(name):
    cls = aliasing_class()
    plain = torch.arange(6.0).reshape(2, 3)
    x = cls(plain)
    y = VIEWS[name](x)
    expected = VIEWS[name](plain)
    assert type(y) is cls
    assert y.untyped_storage()._cdata == x.untyped_storage()._cdata
    assert y.shape == expected.shape and y.stride() == expected.stride()
    assert y.storage_offset() == expected.storage_offset()
    y.elem.zero_()
    assert VIEWS[name](x.elem).count_nonzero().item() == 0
