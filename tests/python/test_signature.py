# SPDX-License-Identifier: Apache-2.0
"""The results of `inspect.signature` and `help` for operators."""

from __future__ import annotations

import inspect
import pydoc

import pytest
import tenon
from tenon.library import Library, custom_op

ANY = "(*args, **kwargs)"


@pytest.fixture
def library():
    with Library("signed", "DEF") as library:
        yield library


def test_overload():
    signature = inspect.signature(tenon.ops.aten.sum.dim_IntList)
    assert list(signature.parameters) == ["self", "dim", "keepdim", "dtype"]
    keepdim, dtype = (signature.parameters[name] for name in ("keepdim", "dtype"))
    assert keepdim.default is False and keepdim.annotation == "bool"
    assert dtype.kind is inspect.Parameter.KEYWORD_ONLY and dtype.annotation == "dtype | None"
    assert signature.return_annotation == "Tensor"
    with pytest.raises(TypeError, match="keepdims"):
        signature.bind(tenon.ones(1), 0, keepdims=True)


def test_packet_with_one_functional_overload():
    assert list(inspect.signature(tenon.ops.aten.relu).parameters) == ["self"]
    assert inspect.signature(tenon.relu) == inspect.signature(tenon.ops.aten.relu.default)


def test_packet_with_several():
    assert str(inspect.signature(tenon.ops.aten.add)) == ANY


def test_methods():
    assert list(inspect.signature(tenon.Tensor.relu).parameters) == ["self"]
    assert not inspect.signature(tenon.ones(1).relu).parameters


def test_keyword_as_a_name_goes_by_position(library):
    library.define("f(Tensor x, int from, int to=1) -> ()")
    signature = inspect.signature(tenon.ops.signed.f)
    kinds = [p.kind for p in signature.parameters.values()]
    assert [kind == inspect.Parameter.POSITIONAL_ONLY for kind in kinds] == [True, True, False]
    assert str(signature).endswith("to: 'int' = 1) -> 'None'")


def test_keyword_that_goes_by_name_only(library):
    library.define("f(Tensor x, *, int from) -> ()")
    assert str(inspect.signature(tenon.ops.signed.f)) == ANY


def test_any_number_of_arguments(library):
    library.define("f(Tensor x, ...) -> Tensor")
    kinds = [p.kind for p in inspect.signature(tenon.ops.signed.f).parameters.values()]
    assert kinds[1] is inspect.Parameter.VAR_POSITIONAL


def test_operator_without_schema(library):
    library.define("gone(Tensor x) -> Tensor")
    op = tenon.find_op("signed::gone")
    library.close()
    assert str(inspect.signature(op)) == ANY
    assert op.__doc__ == "signed::gone, which is not defined now."


@pytest.mark.leaks  # a custom operator lives as long as the process
def test_custom_op_is_its_function():
    @custom_op("signed::scale", mutates_args=())
    def scale(x: tenon.Tensor, k: float = 2.0) -> tenon.Tensor:
        """Scales."""
        return x * k

    assert inspect.signature(scale) == inspect.signature(scale._init_fn)
    assert scale.__doc__ == "Scales."
    assert list(inspect.signature(tenon.ops.signed.scale).parameters) == ["x", "k"]


def test_help_of_a_packet_lists_its_overloads():
    text = pydoc.plain(pydoc.render_doc(tenon.ops.aten.add))
    assert "aten::add.Tensor(Tensor self, Tensor other, *, Scalar alpha=1) -> Tensor" in text
    assert "aten::add.out" in text and "__call__" not in text


def test_help_of_an_overload_is_its_schema():
    text = pydoc.plain(pydoc.render_doc(tenon.ops.aten.add.Tensor))
    assert "aten::add.Tensor(Tensor self" in text and "pointwise" in text
    assert "add.out" not in text


def test_types_keep_their_metadata():
    assert "One overload of an operator" in tenon.ops.OpOverload.__doc__
    assert "All overloads" in tenon.ops.OpOverloadPacket.__doc__
    with pytest.raises(ValueError, match="no signature"):
        inspect.signature(tenon.ops.OpOverloadPacket)


def test_every_operator_has_both():
    names = [name for space in ("aten", "tenon") for name in tenon.introspect.operators(space)]
    assert len(names) > 600
    for op in map(tenon.find_op, names):
        given = [p.name for p in inspect.signature(op).parameters.values()]
        assert len(given) == len(op._schema.arguments)
        assert str(op._schema) in op.__doc__
