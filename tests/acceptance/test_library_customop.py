# SPDX-License-Identifier: Apache-2.0
"""custom_op and infer_schema: operators from annotated functions."""

import gc
import itertools
import os
import typing
from typing import Dict, List, Optional, Tuple
import pytest
from seed import sub, torch


_count = itertools.count()
_tag = os.path.basename(os.path.dirname(os.path.abspath(__file__)))


def name(op="f"):
    return "%s_cop_%d::%s" % (_tag, next(_count), op)


def custom_op(*a, **k):
    return sub("library").custom_op(*a, **k)


def schema_of(f, mutates_args=(), **k):
    return sub("library").infer_schema(f, mutates_args=mutates_args, **k)


def op_of(qualname):
    ns, op = qualname.split("::")
    return getattr(getattr(torch.ops, ns), op)


def test_schema_of_scalars():
    def f(x: torch.Tensor, i: int, g: float, b: bool, s: str) -> torch.Tensor: ...

    assert schema_of(f) == "(Tensor x, SymInt i, float g, bool b, str s) -> Tensor"


def test_schema_of_optionals_in_both_spellings():
    def f(
        a: Optional[torch.Tensor], b: "torch.Tensor | None", c: int | None, d: Optional[str]
    ) -> None: ...

    assert schema_of(f) == "(Tensor? a, Tensor? b, SymInt? c, str? d) -> ()"


def test_schema_of_defaults():
    def f(
        x: torch.Tensor,
        i: int = -3,
        g: float = 0.5,
        b: bool = False,
        s: str = "hi",
        o: Optional[int] = None,
    ) -> torch.Tensor: ...

    assert (
        schema_of(f)
        == '(Tensor x, SymInt i=-3, float g=0.5, bool b=False, str s="hi", SymInt? o=None)'
        " -> Tensor"
    )


def test_schema_of_dtype_and_device_defaults():
    def f(
        x: torch.Tensor, d: torch.dtype = torch.float64, v: torch.device = torch.device("cpu")
    ) -> torch.Tensor: ...

    assert schema_of(f) == '(Tensor x, ScalarType d=float64, Device v="cpu") -> Tensor'


def test_schema_of_results():
    def a() -> Tuple[torch.Tensor, int, float, bool]: ...
    def b() -> List[torch.Tensor]: ...
    def c() -> tuple[torch.Tensor, List[torch.Tensor]]: ...
    def d() -> int: ...

    assert [schema_of(f).split("-> ")[1] for f in (a, b, c, d)] == [
        "(Tensor, SymInt, float, bool)",
        "Tensor[]",
        "(Tensor, Tensor[])",
        "SymInt",
    ]


@pytest.mark.parametrize(
    "kind", [Tuple[int, int], Dict[str, int], object, list, List[str], typing.Callable]
)
def test_schema_refuses_unsupported_parameter_types(kind):
    def f(x: torch.Tensor, odd: kind) -> torch.Tensor: ...

    with pytest.raises(ValueError, match="odd"):
        schema_of(f)


def test_schema_refuses_unknown_name_in_string_annotation():
    def f(x: "NoSuchTypeAnywhere") -> torch.Tensor: ...  # noqa: F821

    with pytest.raises(ValueError, match="NoSuchTypeAnywhere"):
        schema_of(f)


def test_custom_op_is_callable_and_registered():
    q = name()

    @custom_op(q, mutates_args=())
    def f(x: torch.Tensor, n: int = 2) -> torch.Tensor:
        return x * n

    x = torch.ones(2)
    assert f(x).tolist() == [2.0, 2.0] and f(x, n=5).tolist() == [5.0, 5.0]
    assert op_of(q)(x, 3).tolist() == [3.0, 3.0]
    assert str(op_of(q).default._schema) == q + "(Tensor x, SymInt n=2) -> Tensor"


def test_custom_op_repr_names_the_operator():
    q = name("shown")

    @custom_op(q, mutates_args=())
    def f(x: torch.Tensor) -> torch.Tensor:
        return x.clone()

    assert q in repr(f)


def test_custom_op_without_decorator():
    def g(x: torch.Tensor) -> torch.Tensor:
        return x + 1

    f = custom_op(name(), g, mutates_args=())
    assert f(torch.zeros(())).item() == 1


def test_custom_op_converts_arguments_by_its_schema():
    got = []

    @custom_op(name(), mutates_args=())
    def f(x: torch.Tensor, a: float, b: List[int]) -> torch.Tensor:
        got.append((a, b))
        return x.clone()

    f(torch.ones(1), 2, (3, True))
    assert got == [(2.0, [3, 1])] and type(got[0][0]) is float and type(got[0][1]) is list


def test_custom_op_rejects_wrong_arguments():
    @custom_op(name(), mutates_args=())
    def f(x: torch.Tensor, n: int) -> torch.Tensor:
        return x * n

    with pytest.raises(RuntimeError, match="n"):
        f(torch.ones(1), "three")
    with pytest.raises(RuntimeError):
        f(torch.ones(1))


def test_defining_the_same_custom_op_again_replaces_it():
    q = name()

    @custom_op(q, mutates_args=())
    def f(x: torch.Tensor) -> torch.Tensor:
        return x + 1

    @custom_op(q, mutates_args=())
    def g(x: torch.Tensor, n: int = 10) -> torch.Tensor:
        return x + n

    assert g(torch.zeros(())).item() == 10
    assert op_of(q)(torch.zeros(()), 7).item() == 7


def test_custom_op_outlives_its_python_variable():
    q = name()

    @custom_op(q, mutates_args=())
    def f(x: torch.Tensor) -> torch.Tensor:
        return x + 1

    del f
    gc.collect()
    assert op_of(q)(torch.zeros(())).item() == 1


def test_same_tensor_returned_twice_is_refused():
    @custom_op(name(), mutates_args=())
    def f(x: torch.Tensor) -> Tuple[torch.Tensor, torch.Tensor]:
        y = x.clone()
        return y, y

    with pytest.raises(RuntimeError, match="alias"):
        f(torch.ones(2))


def test_register_kernel_overrides_the_default_on_one_device():
    @custom_op(name(), mutates_args=())
    def f(x: torch.Tensor) -> torch.Tensor:
        return x + 1

    assert f(torch.zeros(())).item() == 1

    @f.register_kernel("cpu")
    def _(x):
        return x + 2

    assert f(torch.zeros(())).item() == 2


def test_register_kernel_twice_keeps_the_newest_and_returns_the_function():
    @custom_op(name(), mutates_args=())
    def f(x: torch.Tensor) -> torch.Tensor:
        return x + 1

    def k2(x):
        return x + 2

    def k3(x):
        return x + 3

    assert f.register_kernel("cpu")(k2) is k2
    f.register_kernel("cpu", k3)
    assert f(torch.zeros(())).item() == 3


def test_register_functions_refuse_other_objects():
    L = sub("library")
    with pytest.raises(ValueError):
        L.register_kernel(5, "cpu", lambda x: x)
    with pytest.raises(ValueError):
        L.register_fake(5, lambda x: x)
    with pytest.raises(ValueError):
        L.register_autograd(len, lambda ctx, g: g)


def test_set_kernel_enabled_falls_back_to_the_original_inside_the_block():
    @custom_op(name(), mutates_args=())
    def f(x: torch.Tensor) -> torch.Tensor:
        return x + 1

    f.register_kernel("cpu", lambda x: x + 2)
    with f.set_kernel_enabled("cpu", enabled=False):
        assert f(torch.zeros(())).item() == 1
    assert f(torch.zeros(())).item() == 2


def test_manual_schema_is_used_as_given():
    q = name()

    @custom_op(q, mutates_args=(), schema="(Tensor x, int n, str s) -> Tensor")
    def f(x, n, s):
        return x + n + len(s)

    assert f(torch.zeros(()), 1, "abc").item() == 4
    assert "int n, str s" in str(op_of(q).default._schema)


def test_keyword_only_tensors_are_not_supported():
    def f(x: torch.Tensor, *, y: torch.Tensor) -> torch.Tensor:
        return x + y

    with pytest.raises(NotImplementedError, match="y"):
        custom_op(name(), f, mutates_args=())


def test_operator_without_tensors_runs_everywhere():
    @custom_op(name(), mutates_args=())
    def f(n: int) -> torch.Tensor:
        return torch.full((n,), float(n))

    assert f(2).tolist() == [2.0, 2.0]


def test_inplace_tag_returns_its_first_argument():
    q = name()

    @custom_op(q, mutates_args={"x"}, tags=torch.Tag.inplace)
    def f_(x: torch.Tensor, n: int) -> torch.Tensor:
        x.add_(n)
        return x

    x = torch.zeros(2)
    assert f_(x, 3) is x and x.tolist() == [3.0, 3.0]
    assert str(op_of(q).default._schema) == q + "(Tensor(a0!) x, SymInt n) -> Tensor(a0!)"


def test_out_tag_returns_its_out_argument():
    q = name()

    @custom_op(q, mutates_args={"out"}, tags=torch.Tag.out)
    def f(x: torch.Tensor, *, out: torch.Tensor) -> torch.Tensor:
        out.copy_(x * 2)
        return out

    out = torch.empty(2)
    assert f(torch.ones(2), out=out) is out and out.tolist() == [2.0, 2.0]
    with pytest.raises(RuntimeError, match="out="):
        f(torch.ones(2, requires_grad=True), out=torch.empty(2))


def test_out_tag_refuses_positional_out():
    def f(x: torch.Tensor, out: torch.Tensor) -> torch.Tensor:
        return out

    with pytest.raises(ValueError, match="keyword-only"):
        custom_op(name(), f, mutates_args={"out"}, tags=torch.Tag.out)


def test_tags_given_singly_or_as_a_list_reach_the_overload():
    q1, q2 = name(), name()

    def f(x: torch.Tensor) -> torch.Tensor:
        return x.clone()

    custom_op(q1, f, mutates_args=(), tags=torch.Tag.pointwise)
    custom_op(q2, f, mutates_args=(), tags=[torch.Tag.pointwise])
    assert torch.Tag.pointwise in op_of(q1).default.tags
    assert torch.Tag.pointwise in op_of(q2).default.tags
