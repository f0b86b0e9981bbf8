# SPDX-License-Identifier: Apache-2.0
"""The module under test, `tenon` or the one that SEED_MODULE names, and helpers for tests."""

import importlib
import os

import pytest

torch = importlib.import_module(os.environ.get("SEED_MODULE", "tenon"))


def sub(name):
    return importlib.import_module(torch.__name__ + "." + name)


def make_fx(*args, **kw):
    """Finds make_fx in a public module, or in PyTorch's private one."""
    for where in (None, "fx", "func"):
        try:
            mod = sub(where) if where else torch
        except ImportError:
            continue
        if hasattr(mod, "make_fx"):
            return mod.make_fx(*args, **kw)
    return sub("fx.experimental.proxy_tensor").make_fx(*args, **kw)


class Lazy:
    """A submodule, imported at its first use inside a test."""

    def __init__(self, name):
        self.__dict__["_name"] = name

    def __getattr__(self, attribute):
        return getattr(sub(self._name), attribute)


autograd = Lazy("autograd")
graph = Lazy("autograd.graph")


def leaf(data, dtype=None):
    return torch.tensor(data, dtype=dtype or torch.float64, requires_grad=True)


def const(data, dtype=None):
    return torch.tensor(data, dtype=dtype or torch.float64)


def flat(x):
    x = x.detach().tolist() if hasattr(x, "detach") else x
    if isinstance(x, (list, tuple)):
        return [v for item in x for v in flat(item)]
    return [x]


def shape(x):
    if hasattr(x, "shape"):
        return tuple(x.shape)
    return (len(x),) + (shape(x[0]) if len(x) else ()) if isinstance(x, (list, tuple)) else ()


def near(a, b, tol=1e-9):
    assert shape(a) == shape(b)
    assert flat(a) == pytest.approx(flat(b), rel=tol, abs=tol)
