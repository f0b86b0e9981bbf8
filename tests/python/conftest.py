# SPDX-License-Identifier: Apache-2.0
"""Fixtures of the Python suite: fresh namespaces, and a count of live handles around every test."""

from __future__ import annotations

import gc
import itertools
import pathlib
import sys

import pytest
import tenon
from tenon.library import Library

# The folder of the module `cases`, which tests import.
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "conformance"))

_numbers = itertools.count()


def live() -> dict[str, int]:
    """Counts the live handles after a garbage collection."""
    gc.collect()
    return tenon.introspect.live_handles()


@pytest.fixture(scope="session", autouse=True)
def kernels():
    """Loads the operators of ATen before the first count."""
    tenon.ops.aten.add.overloads()
    tenon.ones(2) + 1


@pytest.fixture(autouse=True)
def no_leaks(request):
    """Fails a test that leaves more live handles than there were before it."""
    before = live()
    # Freezing keeps objects that outlive tests, such as pytest's reports, out of later collections.
    gc.freeze()
    yield
    if request.node.get_closest_marker("leaks"):
        return
    after = live()
    grown = {kind: (before[kind], after[kind]) for kind in after if after[kind] > before[kind]}
    assert not grown, f"handles (before, after): {grown}"


@pytest.fixture
def ns() -> str:
    """Returns a namespace that no other test uses."""
    return f"test_python_{next(_numbers)}"


@pytest.fixture
def library(ns):
    """A DEF library in a fresh namespace, closed after the test."""
    with Library(ns, "DEF") as lib:
        yield lib


@pytest.fixture
def ops(library):
    """The operators in the fresh library's namespace."""
    return getattr(tenon.ops, library.ns)


def pytest_configure(config):
    config.addinivalue_line("markers", "leaks: the test leaves handles behind on purpose")
