# SPDX-License-Identifier: Apache-2.0
"""Errors: classes, attributes read on demand, and behaviour as ordinary exceptions."""

from __future__ import annotations

import pickle
import traceback

import pytest
import tenon
from tenon import error


@pytest.mark.parametrize(
    ("action", "kind", "builtin"),
    [
        (lambda: tenon.Schema.parse("x"), error.ParseError, ValueError),
        (lambda: tenon.find_op("no::such"), error.NotFoundError, LookupError),
        (lambda: tenon.ones(2).view(3), error.InvalidArgumentError, ValueError),
        (lambda: tenon.ones(2)[5], error.OutOfRangeError, IndexError),
        (lambda: tenon.ops.aten.exp(1), error.ArgumentTypeError, TypeError),
        (lambda: tenon.empty(1, device="meta").data_ptr(), error.StateError, RuntimeError),
        (lambda: -tenon.tensor(True), error.NotSupportedError, NotImplementedError),
    ],
)
def test_classes(action, kind, builtin):
    with pytest.raises(tenon.Error) as caught:
        action()
    assert type(caught.value) is kind
    assert isinstance(caught.value, builtin)
    assert caught.value.code.startswith("TENON_ERROR_")
    assert str(caught.value) == caught.value.args[0]


def test_text_and_details():
    with pytest.raises(tenon.Error) as caught:
        tenon.Schema.parse("ns::f(Tensr x) -> Tensor")
    assert "Tensr" in str(caught.value)
    assert str(caught.value) in caught.value.details
    assert caught.value.kind == "SyntaxError"
    assert repr(caught.value).startswith("ParseError(")


def test_notes_and_pickle():
    with pytest.raises(tenon.Error) as caught:
        tenon.ones(2).view(3)
    caught.value.__notes__.append("while testing")
    assert "while testing" in caught.value.__notes__
    if hasattr(caught.value, "add_note"):
        caught.value.add_note("another")
        assert "another" in "".join(traceback.format_exception(caught.value))
    back = pickle.loads(pickle.dumps(caught.value))
    assert type(back) is type(caught.value) and str(back) == str(caught.value)


def test_raised_from_python():
    made = error.NotFoundError("text")
    assert str(made) == "text" and made.code == "TENON_ERROR_NOT_FOUND"
    assert made.args == ("text",) and made.frames == [] and made.details == "text"


def test_error_through_a_python_kernel_is_the_same_object(library, ops):
    caught_inside = []

    def kernel(x):
        try:
            return x.view(3)
        except tenon.Error as failure:
            caught_inside.append(failure)
            raise

    library.define("a(Tensor x) -> Tensor")
    library.impl("a", kernel, "CPU")
    with pytest.raises(error.InvalidArgumentError) as caught:
        ops.a(tenon.ones(2))
    assert caught.value is caught_inside[0]
    caught_inside.clear()
