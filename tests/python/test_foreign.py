# SPDX-License-Identifier: Apache-2.0
"""What kernels of other languages do that Python's cannot: foreign_plugin.c has them."""

from __future__ import annotations

import os

import pytest
import tenon


@pytest.fixture(scope="module")
def foreign():
    tenon.ops.load_library(f"{os.environ['TENON_LIB_DIR']}/libpython_test_foreign.so")
    return tenon.ops.test_python_foreign


@pytest.mark.parametrize("name", ["null", "nothing", "typed_null"])
def test_no_tensor_where_one_is_due_is_an_error(foreign, name):
    op = getattr(foreign, name)
    message = rf"test_python_foreign::{name}: result 0 must be Tensor, got (NULL|None)"
    with pytest.raises(tenon.ArgumentTypeError, match=message):
        op(tenon.ones(2))
    with pytest.raises(tenon.ArgumentTypeError, match=message):
        op(x=tenon.ones(2))
    with pytest.raises(tenon.ArgumentTypeError, match=message), tenon.introspect.profile(None):
        op(tenon.ones(2))
    with tenon.introspect.profile(None) as after:
        tenon.ones(2).sin()
    assert [(event.op, event.depth) for event in after] == [("aten::ones", 0), ("aten::sin", 0)]


@pytest.mark.parametrize("name", ["nothing_optional", "null_optional"])
def test_no_tensor_where_one_is_optional_is_none(foreign, name):
    op = getattr(foreign, name)
    assert op(tenon.ones(2)) is None and op(x=tenon.ones(2)) is None
    with tenon.introspect.profile(None):
        assert op(tenon.ones(2)) is None
