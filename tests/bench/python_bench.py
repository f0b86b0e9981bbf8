# SPDX-License-Identifier: Apache-2.0
"""Calls from Python, ours and peers', in one process: writes nanoseconds per call as JSON."""

from __future__ import annotations

import ctypes
import functools
import importlib
import json
import pathlib
import sys
import time

import tenon
from timed import Rows, Timer, summary


def add_ours(rows: Rows) -> None:
    ops = tenon.ops.tenon_bench
    a, b = tenon.ones(1), tenon.ones(1)
    same = {"a": a, "b": b}
    rows.add("nothing", "op(a, b)", op=ops.nothing.default, **same)
    rows.add("first", "op(a, b)", op=ops.first.default, **same)
    rows.add("fresh", "op(a, b)", op=ops.fresh.default, **same)
    rows.add("waiting", "op(a, b)", op=ops.waiting.default, **same)
    module_level = Timer("tenon.ops.tenon_bench.nothing(a, b)", globals={"tenon": tenon, **same})
    rows.timers["module_level"] = module_level

    scalars = ops.scalars.default
    rows.add("defaults", "op(a)", op=scalars, a=a)
    rows.add("positional_scalars", "op(a, 2)", op=scalars, a=a)
    rows.add("keywords", "op(a, 2, alpha=.5)", op=scalars, a=a)
    listed = ops.listed.default
    rows.add("tensor_list_2", "op([a, b])", op=listed, **same)
    rows.add("tensor_tuple_2", "op(pair)", op=listed, pair=(a, b))
    rows.add("tensor_list_8", "op(many)", op=listed, many=[a] * 8)

    add = tenon.ops.aten.add
    rows.add("add", "op(a, b)", op=add.Tensor, **same)
    rows.add("add_packet", "op(a, b)", op=add, **same)
    rows.add("add_method", "a.add(b)", **same)
    rows.add("add_operator", "a + b", **same)
    rows.add("add_number", "a + 1.0", a=a)
    rows.add("neg_operator", "-a", a=a)
    rows.add("sum_method", "a.sum()", a=a)
    rows.add("index", "a[0]", a=a)
    matrix = tenon.ones(2, 3)
    rows.add("reshape", "a.reshape(3, 2)", a=matrix)
    rows.add("transposed", "a.T", a=matrix)
    for name in ("shape", "dtype", "device", "ndim"):
        rows.add(name, f"a.{name}", a=matrix)
    rows.add("item", "a.item()", a=a)
    rows.add("create", "new(1)", new=tenon.empty)
    rows.add("create_zeros", "new(2, 3)", new=tenon.zeros)
    rows.add("create_from_list", "new([1.0, 2.0])", new=tenon.tensor)

    catch = "try:\n    op(a)\nexcept error:\n    pass"
    rows.add("error", catch, op=ops.fails.default, a=a, error=tenon.error.Error)

    library = tenon.library.Library("tenon_bench_python", "DEF")
    library.define("kernel(Tensor a, Tensor b) -> Tensor")

    def kernel(a, b):
        return a

    def nothing(a, b):
        return None

    library.impl("kernel", kernel, "CPU")
    rows.kept.append(library)
    rows.add("python_kernel", "op(a, b)", op=tenon.ops.tenon_bench_python.kernel.default, **same)
    rows.add("direct_call", "f(a, b)", f=kernel, **same)
    rows.add("direct_call_of_nothing", "f(a, b)", f=nothing, **same)
    rows.add("partial", "f(a, b)", f=functools.partial(kernel), **same)

    def fails(a):
        raise IndexError("as asked")

    rows.add("python_raise", catch, op=fails, a=a, error=IndexError)
    rows.extra |= first_calls(rows, a)


def first_calls(rows: Rows, a: tenon.Tensor, count: int = 200) -> dict:
    """Measures the first call of an operator, which compiles its schema, and the second one."""
    library = tenon.library.Library("tenon_bench_first", "DEF")
    rows.kept.append(library)
    for number in range(count):
        library.define(f"op{number}(Tensor a, int n=1, *, float alpha=1.0) -> Tensor")
        library.impl(f"op{number}", lambda a: a, "CPU")
    first, second = [], []
    for number in range(count):
        op = tenon.find_op(f"tenon_bench_first::op{number}")
        for times in (first, second):
            begin = time.perf_counter_ns()
            op(a)
            times.append(float(time.perf_counter_ns() - begin))
    return {"first_call": summary(first), "second_call": summary(second)}


def add_numpy(rows: Rows) -> None:
    try:
        import numpy as np
    except ImportError as error:
        rows.skipped["numpy"] = str(error)
        return
    x, y = np.ones(1, np.float32), np.ones(1, np.float32)
    rows.add("numpy_arguments", "op(a, b)", op=tenon.ops.tenon_bench.nothing.default, a=x, b=y)
    matrix = np.ones((2, 3), np.float32)
    rows.add("from_numpy", "new(a)", new=tenon.from_numpy, a=matrix)
    rows.add("numpy/add", "op(a, b)", op=np.add, a=x, b=y)
    rows.add("numpy/add_operator", "a + b", a=x, b=y)
    rows.add("numpy/neg_operator", "-a", a=x)
    rows.add("numpy/sum_method", "a.sum()", a=x)
    rows.add("numpy/index", "a[0:1]", a=x)
    rows.add("numpy/reshape", "a.reshape(3, 2)", a=matrix)
    rows.add("numpy/transposed", "a.T", a=matrix)
    rows.add("numpy/shape", "a.shape", a=matrix)
    rows.add("numpy/dtype", "a.dtype", a=x)
    rows.add("numpy/create", "new(1)", new=np.empty)
    rows.add("numpy/create_zeros", "new((2, 3))", new=np.zeros)
    rows.add("numpy/create_from_list", "new([1.0, 2.0])", new=np.array)


def add_tvm_ffi(rows: Rows) -> None:
    try:
        import numpy as np
        import tvm_ffi

        # Our own no-op, because the module that has one needs a test framework.
        ctypes.CDLL(str(pathlib.Path(tvm_ffi.__file__).parent / "lib" / "libtvm_ffi_testing.so"))
        noop = tvm_ffi.get_global_func("testing.nop")
    except (ImportError, OSError, ValueError) as error:
        rows.skipped["tvm_ffi"] = str(error)
        return
    x, y = (tvm_ffi.from_dlpack(np.ones(1, np.float32)) for _ in range(2))
    rows.add("tvm_ffi/nothing", "op(a, b)", op=noop, a=x, b=y)
    rows.add("tvm_ffi/nothing_2_ints", "op(a, b)", op=noop, a=1, b=2)

    def kernel(a, b):
        return a

    rows.add("tvm_ffi/python_kernel", "op(a, b)", op=tvm_ffi.convert(kernel), a=x, b=y)
    rows.add("tvm_ffi/shape", "a.shape", a=x)


def add_torch(rows: Rows) -> None:
    try:
        import torch
    except ImportError as error:
        rows.skipped["torch"] = str(error)
        return
    torch.set_num_threads(1)
    a, b = torch.ones(1), torch.ones(1)
    library = torch.library.Library("tenon_bench_python", "DEF")
    library.define("kernel(Tensor a, Tensor b) -> Tensor")

    def kernel(a, b):
        return a

    library.impl("kernel", kernel, "CPU")
    rows.kept.append(library)
    rows.add("torch_arguments", "op(a, b)", op=tenon.ops.tenon_bench.nothing.default, a=a, b=b)
    rows.add("torch/ops_add", "op(a, b)", op=torch.ops.aten.add.Tensor, a=a, b=b)
    rows.add("torch/add", "op(a, b)", op=torch.add, a=a, b=b)
    rows.add("torch/ops_add_packet", "op(a, b)", op=torch.ops.aten.add, a=a, b=b)
    kernel_op = torch.ops.tenon_bench_python.kernel.default
    rows.add("torch/python_kernel", "op(a, b)", op=kernel_op, a=a, b=b)
    rows.add("torch/shape", "a.shape", a=torch.ones(2, 3))
    rows.add("torch/add_operator", "a + b", a=a, b=b)
    rows.add("torch/add_method", "a.add(b)", a=a, b=b)
    rows.add("torch/sum_method", "a.sum()", a=a)
    rows.add("torch/index", "a[0]", a=a)
    rows.add("torch/reshape", "a.reshape(3, 2)", a=torch.ones(2, 3))
    rows.add("torch/create", "new(1)", new=torch.empty)
    rows.add("torch/create_from_list", "new([1.0, 2.0])", new=torch.tensor)


def add_extension(rows: Rows, package: str) -> None:
    """Adds functions of a binding generator on its own object type: call cost without Tenon."""
    try:
        module = importlib.import_module(f"tenon_bench_{package}")
    except ImportError as error:
        rows.skipped[package] = str(error)
        return
    a, b = module.Box(), module.Box()
    for name in ("nothing", "first", "fresh"):
        rows.add(f"{package}/{name}", "op(a, b)", op=getattr(module, name), a=a, b=b)


def main() -> None:
    """Reads the plugin, the number of rounds, their milliseconds, and the peers to leave out."""
    plugin, rounds, milliseconds, *without = sys.argv[1:]
    tenon.ops.load_library(plugin)
    rows = Rows()
    add_ours(rows)
    peers = {
        "numpy": add_numpy,
        "tvm_ffi": add_tvm_ffi,
        "torch": add_torch,
        "nanobind": functools.partial(add_extension, package="nanobind"),
        "pybind11": functools.partial(add_extension, package="pybind11"),
    }
    for name, add in peers.items():
        if name in without:
            rows.skipped[name] = "not asked for"
        else:
            add(rows)
    times = rows.measure(int(rounds), float(milliseconds) / 1000)
    json.dump({"rows": times, "skipped": rows.skipped}, sys.stdout)


if __name__ == "__main__":
    main()
