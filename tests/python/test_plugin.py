# SPDX-License-Identifier: Apache-2.0
"""Plugins from Python: loading, refusals, unloading, and calls from C threads."""

from __future__ import annotations

import gc
import os
import pathlib
import threading
import weakref

import pytest
import tenon

FOLDER = pathlib.Path(
    os.environ.get("TENON_LIB_DIR") or pathlib.Path(tenon.__file__).resolve().parent
)


def built(name: str) -> pathlib.Path:
    path = FOLDER / f"lib{name}.so"
    if not path.exists():
        pytest.skip(f"{path} is not built")
    return path


@pytest.fixture
def threads():
    """The operators of threads_plugin.c; the plugin is unloaded after the test."""
    path = built("python_test_threads")
    tenon.ops.load_library(path)
    plugin = tenon._tenon.tenon_plugin_load(str(path))
    yield tenon.ops.test_python_threads
    tenon._tenon.tenon_plugin_unload(plugin, -1)


def test_load_library_twice(threads):
    path = built("python_test_threads")
    assert str(path.resolve()) in tenon.ops.loaded_libraries
    before = tenon.introspect.operators()
    tenon.ops.load_library(path)
    assert tenon.introspect.operators() == before
    plugin = tenon._tenon.tenon_plugin_load(str(path))
    assert tenon._tenon.tenon_plugin_name(plugin) == "python_test_threads"
    assert tenon._tenon.tenon_plugin_path(plugin).endswith("libpython_test_threads.so")
    assert tenon._tenon.tenon_plugin_is_loaded(plugin) == 1


def test_load_library_by_name(threads, monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    path = built("python_test_threads")
    tenon.ops.loaded_libraries.discard(str(path.resolve()))
    tenon.ops.load_library("python_test_threads")  # found by name in the folder of libtenon
    assert str(path.resolve()) in tenon.ops.loaded_libraries
    with pytest.raises(LookupError, match="no_such_plugin"):
        tenon.ops.load_library("no_such_plugin")
    (tmp_path / "here.so").write_text("a file of this name is what is meant")
    with pytest.raises(RuntimeError, match=str(tmp_path / "here.so")):
        tenon.ops.load_library("here.so")


def test_unloaded_operators_are_a_clean_error():
    path = built("python_test_threads")
    tenon.ops.load_library(path)
    op = tenon.ops.test_python_threads.peek
    plugin = tenon._tenon.tenon_plugin_load(str(path))
    tenon._tenon.tenon_plugin_unload(plugin, -1)
    assert not hasattr(tenon.ops.test_python_threads, "peek")
    with pytest.raises(LookupError, match="test_python_threads::peek"):
        op()
    tenon.ops.load_library(path)
    with pytest.raises(RuntimeError, match="nothing is kept"):
        op()
    tenon._tenon.tenon_plugin_unload(plugin, -1)


@pytest.mark.parametrize(
    ("name", "kind"),
    [
        ("capi_plugin_other_abi", tenon.error.AbiError),
        ("capi_plugin_without_query", tenon.Error),
        ("capi_plugin_failing", tenon.Error),
    ],
)
def test_refusals_change_nothing(name, kind):
    path = built(name)
    before = tenon.introspect.operators()
    with pytest.raises(kind) as caught:
        tenon.ops.load_library(path)
    assert name.removeprefix("capi_plugin_") in str(caught.value) or path.name in str(caught.value)
    assert str(path) not in tenon.ops.loaded_libraries
    assert tenon.introspect.operators() == before


def test_kernels_called_from_threads_of_c(library, ops, threads):
    idents = set()
    library.define("a(Tensor x) -> int")
    library.impl("a", lambda x: idents.add(threading.get_ident()) or 2, "CPU")
    assert threads.call(f"{library.ns}::a", tenon.ones(1), 8, 50) == 8 * 50 * 2
    assert threading.get_ident() not in idents
    for _ in range(5):
        assert threads.call(f"{library.ns}::a", tenon.ones(1), 4, 1) == 8


def test_thread_states_are_released(library, ops, threads):
    library.define("a(Tensor x) -> int")
    library.impl("a", lambda x: 1, "CPU")
    before = len(__import__("sys")._current_frames())
    for _ in range(20):
        assert threads.call(f"{library.ns}::a", tenon.ones(1), 16, 2) == 32
    assert len(__import__("sys")._current_frames()) == before


def test_exception_from_a_thread_of_c_is_the_same_object(library, ops, threads):
    error = KeyError("on another thread")

    def kernel(x):
        raise error

    library.define("a(Tensor x) -> int")
    library.impl("a", kernel, "CPU")
    with pytest.raises(KeyError) as caught:
        threads.call(f"{library.ns}::a", tenon.ones(1), 1, 1)
    assert caught.value is error
    error.__traceback__ = None


def test_wrong_result_seen_by_c(library, ops, threads):
    library.define("a(Tensor x) -> int")
    library.impl("a", lambda x: "text", "CPU")
    with pytest.raises(TypeError, match="result 0"):
        threads.call(f"{library.ns}::a", tenon.ones(1), 1, 1)


def test_object_waits_in_c(threads):
    class Mine(tenon.Tensor):
        pass

    t = tenon.ones(2).as_subclass(Mine)
    t.note = "state"
    ref, identity = weakref.ref(t), id(t)
    threads.keep(t)
    del t
    gc.collect()
    for _ in range(1000):
        back = threads.peek()
        assert id(back) == identity and type(back) is Mine and back.note == "state"
        del back
    assert ref() is not None
    threads.drop()
    tenon.introspect.live_handles()
    assert ref() is None


def test_numpy_memory_dropped_on_a_thread_of_c(threads):
    import numpy as np

    a = np.ones(100)
    ref = weakref.ref(a)
    threads.keep(tenon.from_numpy(a))
    del a
    gc.collect()
    assert ref() is not None
    threads.drop()
    tenon.introspect.live_handles()
    assert ref() is None
