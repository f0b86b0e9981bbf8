# SPDX-License-Identifier: Apache-2.0
"""Call forms that PyTorch's argument parser accepts, each tested with all operators of ATen."""

from __future__ import annotations

import collections

import pytest
import tenon
from tenon import introspect, ops
from tenon.utils._python_dispatch import TorchDispatchMode

ops._load_kernels()
OPERATORS = [tenon.find_op(name) for name in introspect.operators("aten")]
X = tenon.ones(2, 3)


class Called(Exception):
    """Raised in place of an operator's call; holds the operator and its arguments."""


class Catch(TorchDispatchMode):
    def __torch_dispatch__(self, func, types, args=(), kwargs=None):
        if func._schema.name == "aten::_local_scalar_dense":  # reads the number of a tensor
            return func(*args)
        raise Called(func, args, kwargs or {})


def plain(value):
    if isinstance(value, tenon.Tensor):
        return ("tensor", tuple(value.shape), value.dtype, value.tolist())
    if isinstance(value, (list, tuple)):
        return [plain(one) for one in value]
    if isinstance(value, dict):
        return {key: plain(one) for key, one in value.items()}
    return value


def first_call(call):
    """Returns the first operator that a call runs and its arguments, or the error's type."""
    with Catch():
        try:
            call()
        except Called as called:
            func, args, kwargs = called.args
            return str(func), plain(args), plain(kwargs)
        except (tenon.Error, TypeError) as error:
            return type(error)
    return None


def argument_of(one):
    """Returns a value of an argument's type, None if this test has none."""
    kinds = {
        "Tensor": X,
        "Tensor?": X,
        "Tensor[]": [X, X],
        "int": 1,
        "SymInt": 1,
        "float": 0.5,
        "bool": True,
        "Scalar": 2,
        "int[]": [1, 0],
        "SymInt[]": [1, 0],
        "int[1]": [1],
        "int[1]?": [1],
        "SymInt[1]": [1],
        "str": "ij->ji",
    }
    return kinds.get(str(one.type).replace("(a!)", "").replace("(a)", ""))


def required(op, *names):
    """Returns the arguments without a default and those in `names`, None if one has no value."""
    given = {}
    for one in op._schema.arguments:
        if one.has_default_value() and one.name not in names:
            continue
        given[one.name] = argument_of(one)
        if given[one.name] is None:
            return None
    return given


def arguments_named(op, name):
    return [one for one in op._schema.arguments if one.name == name]


def written(op):
    return "out" in [one.name for one in op._schema.arguments] or op._schema.name.endswith("_")


@pytest.mark.parametrize(
    ("name", "other", "least"),
    [("dim", "axis", 90), ("keepdim", "keepdims", 25), ("self", "input", 700), ("other", "x2", 60)],
)
def test_other_names_of_keywords(name, other, least):
    seen = 0
    for op in OPERATORS:
        given = required(op, name) if arguments_named(op, name) else None
        if given is None:
            continue
        wanted = first_call(lambda op=op, given=given: op(**given))
        if wanted is None or isinstance(wanted, type):
            continue
        renamed = {other if key == name else key: value for key, value in given.items()}
        assert first_call(lambda op=op, given=renamed: op(**given)) == wanted, str(op)
        seen += 1
    assert seen >= least


def test_out_may_be_none():
    seen = 0
    for op in OPERATORS:
        given = None if written(op) else required(op)
        wanted = given and first_call(lambda op=op, given=given: op(**given))
        if not wanted or isinstance(wanted, type):
            continue
        assert first_call(lambda op=op, given=given: op(**given, out=None)) == wanted, str(op)
        seen += 1
    assert seen >= 500


def test_integers_of_a_last_list_one_by_one():
    seen = 0
    for op in OPERATORS:
        positional = [one for one in op._schema.arguments if not one.kwarg_only]
        given = required(op)
        lists = [one.name for one in positional if str(one.type) in ("int[]", "SymInt[]")]
        is_last = len(lists) == 1 and lists[0] == positional[-1].name
        if not is_last or given is None or list(given)[-1:] != [positional[-1].name]:
            continue
        values = [given[one.name] for one in positional]
        wanted = first_call(lambda op=op, values=values: op(*values))
        if wanted is None or isinstance(wanted, type):
            continue
        separate = [*values[:-1], *values[-1]]
        assert first_call(lambda op=op, values=separate: op(*values)) == wanted, str(op)
        listed = [*values[:-1], [tenon.tensor(one) for one in values[-1]]]
        assert first_call(lambda op=op, values=listed: op(*values)) == wanted, str(op)
        seen += 1
    assert seen >= 15


@pytest.mark.parametrize(
    ("kind", "number", "least"), [("Scalar", tenon.tensor(2), 60), ("int", tenon.tensor(1), 90)]
)
def test_0_dim_tensors_as_numbers(kind, number, least):
    seen = 0
    for op in OPERATORS:
        names = [one.name for one in op._schema.arguments if str(one.type) == kind]
        given = required(op, *names) if names else None
        wanted = given and first_call(lambda op=op, given=given: op(**given))
        if not wanted or isinstance(wanted, type):
            continue
        changed = {**given, **dict.fromkeys(names, number)}
        assert first_call(lambda op=op, given=changed: op(**given)) == wanted, str(op)
        seen += 1
    assert seen >= least


def test_none_for_dims_with_a_default():
    seen = 0
    for op in OPERATORS:
        names = [
            one.name
            for one in op._schema.arguments
            if str(one.type) in ("int[1]", "int[]", "SymInt[1]")
            and one.has_default_value()
            and one.default_value == []
        ]
        given = required(op) if names else None
        wanted = given and first_call(lambda op=op, given=given: op(**given))
        if not wanted or isinstance(wanted, type):
            continue
        nones = dict.fromkeys(names)
        assert first_call(lambda op=op, given={**given, **nones}: op(**given)) == wanted, str(op)
        seen += 1
    assert seen >= 4


def test_numbers_before_tensors():
    y = tenon.full((2, 3), 2.0)
    assert X.add(2, y).tolist() == X.add(y, alpha=2).tolist()
    assert X.clone().addcmul_(2, X, y).tolist() == X.addcmul(X, y, value=2).tolist()
    a, b, c = tenon.ones(2, 2), tenon.full((2, 3), 2.0), tenon.full((3, 2), 3.0)
    assert a.addmm(2, 3, b, c).tolist() == a.addmm(b, c, beta=2, alpha=3).tolist()
    assert a.addmm(2, b, c).tolist() == a.addmm(b, c, beta=2).tolist()


def test_factories_take_sizes_by_name_and_out():
    for make in (tenon.zeros, tenon.ones, tenon.empty, tenon.rand, tenon.randn):
        assert make(size=(2, 3)).shape == (2, 3)
        assert make(size=(2,), requires_grad=True).requires_grad
        assert make(tenon.tensor(3)).shape == (3,)
        y = tenon.empty(5)
        assert make(2, 2, out=y) is y and y.shape == (2, 2)
    assert tenon.full(size=(2,), fill_value=1.0).tolist() == [1, 1]
    assert tenon.full((2,), tenon.tensor(2.0)).tolist() == [2, 2]
    y = tenon.empty(3)
    assert tenon.arange(3, out=y) is y and y.tolist() == [0, 1, 2]
    assert tenon.eye(2, out=y).tolist() == [[1, 0], [0, 1]]


def test_sequences_of_tensors():
    assert tenon.stack(collections.deque([X, X])).shape == (2, 2, 3)


def test_sequences_of_numbers():
    assert tenon.tensor(collections.deque([1.0, 2.0])).tolist() == [1, 2]
    assert tenon.tensor(range(3)).dtype is tenon.int64
    for wrong in ("12", {1: 2}, {1, 2}):
        with pytest.raises(TypeError, match="tensor: data must be numbers"):
            tenon.tensor(wrong)


def test_a_call_that_fits_in_no_form_is_refused_as_before():
    for call in (
        lambda: X.sum(axes=0),
        lambda: tenon.add(X, 1, alpha=tenon.tensor([2.0, 3.0])),
        lambda: X.flip(0.5),
        lambda: X.sum(0, axis=1),
        lambda: tenon.stack(X, out=3),
    ):
        with pytest.raises(TypeError):
            call()


def test_custom_operators_keep_to_their_schemas():
    with tenon.library._scoped_library("forms", "DEF") as library:
        library.define("f(Tensor self, int[] dims, *, int dim=0) -> Tensor")
        library.impl("f", lambda x, dims, dim=0: x.clone(), "CPU")
        for call in (
            lambda: tenon.ops.forms.f(X, 1, 2),
            lambda: tenon.ops.forms.f(X, [1], axis=1),
            lambda: tenon.ops.forms.f(input=X, dims=[1]),
        ):
            with pytest.raises(TypeError):
                call()


@pytest.mark.parametrize(
    ("method", "name"),
    [
        *((one, "size") for one in ("new_empty", "new_ones", "new_zeros")),
        *(("repeat", "repeats"), ("tile", "dims")),
    ],
)
def test_sizes_may_be_named(method, name):
    x = tenon.ones(2)
    by_name = getattr(x, method)(**{name: (3, 2)})
    assert by_name.shape == getattr(x, method)((3, 2)).shape
    for wrong in ({name: (2,), "other": 1}, {"other": 1}):
        with pytest.raises(TypeError, match=name):
            getattr(x, method)(**wrong)
    with pytest.raises(TypeError, match=name):
        getattr(x, method)(2, **{name: (2,)})
