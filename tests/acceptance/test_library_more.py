# SPDX-License-Identifier: Apache-2.0
"""Library behaviour: schemas inferred from annotations, defaults and tags, and manual schemas."""

import itertools
import typing
from collections.abc import Sequence
from typing import Any, Optional, Union

import pytest
from seed import sub, torch

Tensor = torch.Tensor
Number = Union[int, float, bool]
_numbers = itertools.count()


def lib():
    return sub("library")


def fresh():
    return f"schemas_{torch.__name__}::op{next(_numbers)}"


def infer(fn, **kw):
    kw.setdefault("mutates_args", ())
    return lib().infer_schema(fn, **kw)


def taking(annotation):
    def f(x) -> Tensor: ...

    f.__annotations__["x"] = annotation
    return f


def giving(annotation):
    def f(x: Tensor): ...

    f.__annotations__["return"] = annotation
    return f


def defaulting(annotation, value):
    def f(x: Tensor, s=0) -> Tensor: ...

    f.__annotations__["s"] = annotation
    f.__defaults__ = (value,)
    return f


# ---------------------------------------------------------------- types


def test_schema_of_torch_types():
    def f(
        a: Tensor,
        b: torch.dtype,
        c: torch.device,
        d: Optional[torch.dtype] = None,
        e: Optional[torch.device] = None,
        g: Optional[Tensor] = None,
        h: Number = 1,
    ) -> Tensor: ...

    assert infer(f) == (
        "(Tensor a, ScalarType b, Device c, ScalarType? d=None, Device? e=None, Tensor? g=None, "
        "Scalar h=1) -> Tensor"
    )


def test_schema_of_torch_types_in_lists():
    def g(
        a: list[Tensor],
        b: Sequence[int],
        c: Sequence[float],
        d: list[bool],
        e: Sequence[Optional[Tensor]],
        g: Optional[Sequence[int]] = None,
    ) -> list[Tensor]: ...

    assert infer(g) == (
        "(Tensor[] a, SymInt[] b, float[] c, bool[] d, Tensor?[] e, SymInt[]? g=None) -> Tensor[]"
    )


REFUSED_TYPES = {
    "layout": "layout",
    "memory_format": "memory_format",
    "complex": complex,
    "bytes": bytes,
    "object": object,
    "dict": dict,
    "set": set,
    "tuple": tuple,
    "Any": Any,
    "Callable": typing.Callable,
    "Sequence[str]": Sequence[str],
    "list[str]": list[str],
    "list[list[int]]": list[list[int]],
    "Union[int, float]": Union[int, float],
    "tuple[int, int]": tuple[int, int],
    "NoneType": type(None),
    "None": None,
    "list": list,
    "SymInt": "SymInt",
}


@pytest.mark.parametrize("name", REFUSED_TYPES)
def test_schema_refuses_unsupported_parameter_types(name):
    annotation = REFUSED_TYPES[name]
    if isinstance(annotation, str):
        annotation = getattr(torch, annotation)
    with pytest.raises(ValueError):
        infer(taking(annotation))


RESULTS = {
    "Tensor": (Tensor, "Tensor"),
    "int": (int, "SymInt"),
    "float": (float, "float"),
    "bool": (bool, "bool"),
    "number": (Number, "Scalar"),
    "list": (list[Tensor], "Tensor[]"),
    "List": (typing.List[Tensor], "Tensor[]"),
    "None": (None, "()"),
    "text": ("Tensor", "Tensor"),
    "text None": ("None", "()"),
    "pair": (tuple[Tensor, int], "(Tensor, SymInt)"),
    "empty tuple": (tuple[()], "()"),
    "Tuple": (typing.Tuple[Tensor, Tensor], "(Tensor, Tensor)"),
    "nested": (tuple[list[Tensor], Tensor], "(Tensor[], Tensor)"),
}


@pytest.mark.parametrize("name", RESULTS)
def test_schema_of_result_types(name):
    annotation, text = RESULTS[name]
    assert infer(giving(annotation)) == f"(Tensor x) -> {text}"


@pytest.mark.parametrize(
    "annotation",
    [
        str,
        dict,
        Optional[Tensor],
        list[int],
        torch.dtype,
        torch.device,
        tuple[Tensor, str],
        tuple[Tensor, ...],
        tuple,
        list,
        Any,
        complex,
    ],
    ids=str,
)
def test_schema_refuses_unsupported_result_types(annotation):
    with pytest.raises(ValueError):
        infer(giving(annotation))
    with pytest.raises(ValueError):
        lib().custom_op(fresh(), giving(annotation), mutates_args=())


# ---------------------------------------------------------------- defaults


DEFAULTS = [
    (int, 3, "SymInt s=3"),
    (int, -1, "SymInt s=-1"),
    (float, 2.5, "float s=2.5"),
    (float, 1e-5, "float s=1e-05"),
    (bool, True, "bool s=True"),
    (str, "a", 'str s="a"'),
    (str, "", 'str s=""'),
    (Optional[list[int]], None, "SymInt[]? s=None"),
    (torch.dtype, torch.float32, "ScalarType s=float32"),
    (torch.device, torch.device("cpu"), 'Device s="cpu"'),
    (torch.device, "cpu", 'Device s="cpu"'),
    (Optional[int], None, "SymInt? s=None"),
    (Number, 2, "Scalar s=2"),
    (Number, 2.5, "Scalar s=2.5"),
]


@pytest.mark.parametrize("annotation, value, text", DEFAULTS, ids=str)
def test_schema_of_default_values(annotation, value, text):
    assert infer(defaulting(annotation, value)) == f"(Tensor x, {text}) -> Tensor"


@pytest.mark.parametrize(
    "annotation, value",
    [
        (list[str], ["a"]),
        (list[int], [1, 2]),
        (Sequence[int], (1,)),
        (list[int], []),
        (list[float], [1.0]),
        (list[Tensor], []),
        (list[bool], [True]),
        (complex, 1j),
    ],
    ids=str,
)
def test_unsupported_default_values_are_refused_in_annotations(annotation, value):
    with pytest.raises(ValueError):
        infer(defaulting(annotation, value))


@pytest.mark.parametrize(
    "text",
    [
        'str[] s=["a"]',
        "str[] s=[]",
        'str[2] s="a"',
        'str[]? s=["a"]',
        "int[][] s=[[1]]",
        "Tensor s=3",
        "Device s=cpu",
        "bool s=true",
        "str s=a",
        "Dict(str, int) s={}",
        "(int, int) s=(1, 2)",
        "int[]? s=[1",
    ],
)
def test_unsupported_default_values_are_refused(text):
    library = lib().Library(fresh().partition("::")[0], "FRAGMENT")
    with pytest.raises((RuntimeError, ValueError)):
        library.define(f"f{next(_numbers)}(Tensor t, {text}) -> Tensor")


# ---------------------------------------------------------------- parameters


def varargs(x: Tensor, *args: int) -> Tensor: ...
def keywords(x: Tensor, **kw: int) -> Tensor: ...
def positional_only(x: Tensor, /) -> Tensor: ...
def positional_only_first(x: Tensor, /, y: int) -> None: ...
def positional_only_without_result(x: Tensor, /) -> None: ...
def unannotated(x) -> Tensor: ...
def no_result(x: Tensor): ...


@pytest.mark.parametrize(
    "fn",
    [
        varargs,
        keywords,
        positional_only,
        positional_only_first,
        positional_only_without_result,
        unannotated,
        no_result,
    ],
    ids=lambda fn: fn.__name__,
)
def test_schema_refuses_varargs_and_positional_only(fn):
    with pytest.raises(ValueError):
        infer(fn)
    with pytest.raises(ValueError):
        lib().custom_op(fresh(), fn, mutates_args=())


def test_schema_of_keyword_only_parameters():
    def f(x: Tensor, *, y: int = 3, z: float) -> Tensor: ...

    assert infer(f) == "(Tensor x, *, SymInt y=3, float z) -> Tensor"


# ---------------------------------------------------------------- written arguments


def writer(x: Tensor, y: list[Tensor], n: int, z: Optional[Tensor] = None) -> None: ...


@pytest.mark.parametrize(
    "mutates, text",
    [
        ((), "(Tensor x, Tensor[] y, SymInt n, Tensor? z=None)"),
        (("x",), "(Tensor(a0!) x, Tensor[] y, SymInt n, Tensor? z=None)"),
        (["x", "z"], "(Tensor(a0!) x, Tensor[] y, SymInt n, Tensor(a3!)? z=None)"),
        ("unknown", "(Tensor(a0!) x, Tensor(a1!)[] y, SymInt n, Tensor(a3!)? z=None)"),
        (("y",), "(Tensor x, Tensor(a1!)[] y, SymInt n, Tensor? z=None)"),
    ],
    ids=str,
)
def test_schema_of_written_parameters(mutates, text):
    assert infer(writer, mutates_args=mutates) == text + " -> ()"


@pytest.mark.parametrize("mutates", [("n",), ("q",), "x"], ids=str)
def test_mutates_args_must_name_tensors(mutates):
    with pytest.raises(ValueError):
        infer(writer, mutates_args=mutates)


def two(x: Tensor, y: Tensor) -> None: ...


@pytest.mark.parametrize(
    "schema, mutates",
    [
        ("(Tensor(a!) x, Tensor y) -> ()", ()),
        ("(Tensor(a!) x, Tensor y) -> ()", ("y",)),
        ("(Tensor x, Tensor y) -> ()", ("x",)),
        ("(Tensor(a!) x, Tensor(b!) y) -> ()", ("x",)),
        ("(Tensor x, Tensor y) -> ()", "unknown"),
        ("(Tensor(a!) x, Tensor y) -> ()", "unknown"),
    ],
)
def test_manual_schema_must_agree_with_mutates_args(schema, mutates):
    name = fresh()
    with pytest.raises(ValueError):
        lib().custom_op(name, two, mutates_args=mutates, schema=schema)
    with pytest.raises((RuntimeError, ValueError)):
        lib().custom_op(name, mutates_args=mutates, schema=schema)(two)


@pytest.mark.parametrize(
    "schema, mutates",
    [
        ("(Tensor x, Tensor y) -> ()", ()),
        ("(Tensor(a!) x, Tensor y) -> ()", ("x",)),
        ("(Tensor(a!) x, Tensor(b!) y) -> ()", ("x", "y")),
        ("(Tensor(a!) x, Tensor(b!) y) -> ()", ["y", "x"]),
        ("(Tensor(a) x, Tensor y) -> ()", ()),
    ],
)
def test_manual_schema_that_agrees_is_used(schema, mutates):
    made = lib().custom_op(fresh(), two, mutates_args=mutates, schema=schema)
    assert str(made._opoverload._schema).partition("(")[2] == schema[1:]


# ---------------------------------------------------------------- tags


def one(x: Tensor) -> Tensor:
    return x


def pair(x: Tensor, y: Tensor) -> Tensor:
    return x


def nothing(x: Tensor) -> None: ...


def out(x: Tensor, *, out: Tensor) -> Tensor:
    out.copy_(x)
    return out


def outs(x: Tensor, *, a: Tensor, b: Tensor) -> tuple[Tensor, Tensor]:
    return a, b


@pytest.mark.parametrize(
    "fn, mutates, tag",
    [
        (one, (), "inplace"),
        (pair, ("y",), "inplace"),
        (pair, ("x", "y"), "inplace"),
        (nothing, ("x",), "inplace"),
        (out, (), "out"),
        (outs, ("a",), "out"),
        (out, ("x",), "out"),
        (nothing, ("x",), "out"),
    ],
)
def test_tags_must_agree_with_the_signature(fn, mutates, tag):
    with pytest.raises(ValueError):
        lib().custom_op(fresh(), fn, mutates_args=mutates, tags=getattr(torch.Tag, tag))


def test_inplace_and_out_tags_exclude_each_other():
    tags = (torch.Tag.inplace, torch.Tag.out)
    with pytest.raises((ValueError, AssertionError)):
        lib().custom_op(fresh(), one, mutates_args=("x",), tags=tags)


@pytest.mark.parametrize(
    "result",
    [
        lambda x: x.clone(),
        lambda x: torch.ones(2),
        lambda x: x.view(-1),
        lambda x: x.detach(),
        lambda x: None,
    ],
    ids=["clone", "other", "view", "detached", "nothing"],
)
def test_inplace_tag_refuses_another_result_at_call_time(result):
    def f(x: Tensor) -> Tensor:
        x.add_(1)
        return result(x)

    made = lib().custom_op(fresh(), f, mutates_args=("x",), tags=torch.Tag.inplace)
    with pytest.raises(RuntimeError):
        made(torch.zeros(2))


def test_out_tag_refuses_another_result_at_call_time():
    def f(x: Tensor, *, out: Tensor) -> Tensor:
        return x.clone()

    made = lib().custom_op(fresh(), f, mutates_args=("out",), tags=torch.Tag.out)
    with pytest.raises(RuntimeError):
        made(torch.zeros(2), out=torch.zeros(2))
