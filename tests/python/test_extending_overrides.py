# SPDX-License-Identifier: Apache-2.0
"""Classes with __torch_function__, written as for PyTorch: the examples of its tutorial."""

from __future__ import annotations

import functools
import inspect
import logging

import pytest
import tenon as torch
import tenon.nn.functional
from tenon.overrides import (
    get_ignored_functions,
    get_overridable_functions,
    get_testing_overrides,
)

HANDLED_FUNCTIONS = {}


class Diagonal:
    """A diagonal matrix with one value, which no function handles."""

    def __init__(self, N, value):
        self._N = N
        self._value = value

    def __repr__(self):
        return f"DiagonalTensor(N={self._N}, value={self._value})"

    def tensor(self):
        return self._value * torch.eye(self._N)


# [quote.begin duck]
class ScalarTensor(Diagonal):
    @classmethod
    def __torch_function__(cls, func, types, args=(), kwargs=None):
        if kwargs is None:
            kwargs = {}
        if func not in HANDLED_FUNCTIONS or not all(
            issubclass(t, (torch.Tensor, ScalarTensor)) for t in types
        ):
            return NotImplemented
        return HANDLED_FUNCTIONS[func](*args, **kwargs)


# [quote.end]


def implements(torch_function):
    """Register a torch function override for ScalarTensor"""

    @functools.wraps(torch_function)
    def decorator(func):
        HANDLED_FUNCTIONS[torch_function] = func
        return func

    return decorator


@implements(torch.mean)
def mean(input):
    return float(input._value) / input._N


def ensure_tensor(data):
    if isinstance(data, ScalarTensor):
        return data.tensor()
    return torch.as_tensor(data)


@implements(torch.add)
def add(input, other):
    try:
        if input._N == other._N:
            return ScalarTensor(input._N, input._value + other._value)
        raise ValueError("Shape mismatch!")
    except AttributeError:
        return torch.add(ensure_tensor(input), ensure_tensor(other))


def test_class_without_the_method():
    d = Diagonal(5, 2)
    assert d.tensor().tolist() == [[2.0 * (i == k) for k in range(5)] for i in range(5)]
    text = r"^mean\(\): argument 'input' \(position 1\) must be Tensor, not Diagonal$"
    with pytest.raises(TypeError, match=text):
        torch.mean(d)
    with pytest.raises(
        TypeError, match=r"^add\(\): argument 'other' \(position 1\) must be Tensor"
    ):
        torch.ones(1).add(d)


def test_class_with_the_method():
    assert torch.mean(ScalarTensor(5, 2)) == 0.4
    s = ScalarTensor(2, 2)
    assert repr(torch.add(s, s)) == "DiagonalTensor(N=2, value=4)"
    t = torch.tensor([[1, 1], [1, 1]])
    assert torch.add(s, t).tolist() == [[3.0, 1.0], [1.0, 3.0]]
    with pytest.raises(TypeError, match=r"add\(\) got an unexpected keyword argument 'alpha'"):
        torch.add(s, s, alpha=2)


def test_function_without_an_implementation_raises():
    text = (
        r"^no implementation found for 'tenon.mul' on types that implement __torch_function__: "
        r"\[ScalarTensor\]$"
    )
    with pytest.raises(TypeError, match=text):
        torch.mul(ScalarTensor(2, 2), 3)


def test_class_whose_handler_calls_with_tensors():
    class Converting(ScalarTensor):
        @classmethod
        def __torch_function__(cls, func, types, args=(), kwargs=None):
            if kwargs is None:
                kwargs = {}
            if func not in HANDLED_FUNCTIONS or not all(
                issubclass(t, (torch.Tensor, ScalarTensor)) for t in types
            ):
                args = [a.tensor() if hasattr(a, "tensor") else a for a in args]
                return func(*args, **kwargs)
            return HANDLED_FUNCTIONS[func](*args, **kwargs)

    s = Converting(2, 2)
    assert torch.mul(s, s).tolist() == [[4.0, 0.0], [0.0, 4.0]]


class SubTensor(torch.Tensor):
    pass


class SubTensor2(SubTensor):
    pass


class OtherSubTensor(torch.Tensor):
    pass


def test_subclasses_of_tensor():
    def kind(value):
        return type(value).__name__

    assert kind(torch.add(SubTensor([0]), SubTensor([1]))) == "SubTensor"
    assert kind(torch.add(SubTensor([0]), torch.tensor([1]))) == "SubTensor"
    assert kind(torch.add(SubTensor2([0]), SubTensor([1]))) == "SubTensor2"
    assert kind(torch.add(SubTensor2([0]), torch.tensor([1]))) == "SubTensor2"
    text = (
        r"^no implementation found for 'tenon.add' on types that implement __torch_function__: "
        r"\[SubTensor, OtherSubTensor\]$"
    )
    with pytest.raises(TypeError, match=text):
        torch.add(SubTensor([0]), OtherSubTensor([1]))


# [quote.begin subclass]
class LoggingTensor(torch.Tensor):
    @classmethod
    def __torch_function__(cls, func, types, args=(), kwargs=None):
        # NOTE: Logging calls Tensor.__repr__, so we can't log __repr__ without infinite recursion
        if func is not torch.Tensor.__repr__:
            logging.info(f"func: {func.__name__}, args: {args!r}, kwargs: {kwargs!r}")
        if kwargs is None:
            kwargs = {}
        return super().__torch_function__(func, types, args, kwargs)


# [quote.end]


def test_subclass_that_logs(caplog):
    with caplog.at_level(logging.INFO):
        out = LoggingTensor([1.0]) + 2
        out = out.exp().sum()
    assert type(out) is LoggingTensor
    texts = [one.getMessage() for one in caplog.records]
    assert [text.split(",")[0] for text in texts] == ["func: add", "func: exp", "func: sum"]
    assert texts[0] == "func: add, args: (LoggingTensor([1.]), 2), kwargs: {}"


class MetadataTensor:
    def __init__(self, data, metadata=None, **kwargs):
        self._t = torch.as_tensor(data, **kwargs)
        self._metadata = metadata

    def __repr__(self):
        return f"Metadata:\n{self._metadata}\n\ndata:\n{self._t}"

    @classmethod
    def __torch_function__(cls, func, types, args=(), kwargs=None):
        if kwargs is None:
            kwargs = {}
        metadatas = tuple(a._metadata for a in args if hasattr(a, "_metadata"))
        args = [a._t if hasattr(a, "_t") else a for a in args]
        assert len(metadatas) > 0
        ret = func(*args, **kwargs)
        return MetadataTensor(ret, metadata=metadatas[0])


def test_class_around_a_tensor():
    metadata = {"owner": "Ministry of Silly Walks"}
    m = MetadataTensor([[1, 2], [3, 4]], metadata=metadata)
    t = torch.tensor([[1, 2], [1, 2]])
    for run, data in ((torch.add, [[2, 4], [4, 6]]), (torch.mul, [[1, 4], [3, 8]])):
        out = run(t, m)
        assert out._metadata is metadata and out._t.tolist() == data
    assert repr(torch.add(t, m)).startswith("Metadata:\n{'owner': 'Ministry of Silly Walks'}\n\n")


def test_functions_for_tests_of_classes():
    func_dict = get_overridable_functions()
    nn_funcs = func_dict[torch.nn.functional]
    assert {"linear", "relu", "cross_entropy"} <= {f.__name__ for f in nn_funcs}
    dummy_add = get_testing_overrides()[torch.add]
    assert str(inspect.signature(dummy_add)) == "(input, other, *, alpha=1, out=None)"
    assert torch.add not in get_ignored_functions()
