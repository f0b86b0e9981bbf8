# SPDX-License-Identifier: Apache-2.0
"""The rows of the report: each measurement with its peer and its budget.

Every name here must be measured, or its part must report why not: a name that a program no longer
prints is an error. Measurements without a row are listed in the report too.
"""

from __future__ import annotations

import dataclasses


@dataclasses.dataclass(frozen=True)
class Row:
    """Compares `ours` with `peer`; the limit is a multiple of the peer's value.

    Without a peer, the limit is an amount. `floor` explains where the time goes and what was tried;
    it is printed if the limit is missed.
    """

    what: str
    ours: str
    peer: str = ""
    peer_name: str = ""
    limit: float | None = None
    at_least: bool = False  # the limit is a minimum: for speed-ups
    floor: str = ""


def _c(what: str, ours: str, peer: str = "", peer_name: str = "", limit=None, floor="") -> Row:
    return Row(what, f"c:{ours}", f"c:{peer}" if peer else "", peer_name, limit, floor=floor)


def _small(what: str, name: str, limit=None) -> Row:
    return _c(what, f"small/{name}", f"torch/small/{name}", "at::, inference mode", limit)


def _layout(what: str, name: str) -> Row:
    return _c(what, f"layout/{name}", f"torch/layout/{name}", "at::, one thread")


def _python(what: str, ours: str, peer: str = "", peer_name: str = "", limit=None) -> Row:
    return Row(what, f"python:{ours}", f"python:{peer}" if peer else "", peer_name, limit)


def _graph(what: str, name: str, peer: str, limit: float | None = None) -> Row:
    """A row of graphs.cpp, compared with a loop in C, ours or libtorch's."""
    where = "libtorch" if peer.startswith("torch/") else "a loop in C"
    return Row(what, f"layer:c/graphs/{name}", f"layer:c/{peer}", where, limit)


def _layer(what: str, name: str, limit: float, floor: str = "") -> Row:
    peer = f"c/torch/{name[2:]}" if name.startswith("c/") else f"torch/{name}"
    where = "libtorch" if name.startswith("c/") else "PyTorch"
    return Row(what, f"layer:{name}", f"layer:{peer}", where, limit, floor=floor)


TVM_CALL = (
    "the peer's call is one indirect jump: 16 instructions by callgrind with its no-op and the "
    "caller's loop, where ours are 62, with keys, table, a place on the stack of running kernels "
    "and checks of counts, tags and results. Three times 16 are 48. Another machine took 2.18 ns "
    "for the peer's and 4.89 for ours, 2.24 times as much."
)
REDISPATCH = (
    "43 instructions inside the library, where 2.5 ns have room for some 36 with the layer's own. "
    "Its place on the stack of running kernels (7), room (5), counts (3) and results (5) keep "
    "removal, recursion and wrong stacks safe; docs/call-path.md has each step and what was tried."
)
FIND_ANY = (
    "two lines of memory that nothing has touched lately, the table's and the operator's; the row "
    "below has what one such line costs. Names are matched without a branch, so that lookups "
    "overlap. Not tried: references of 32 bits, which would halve the table."
)
TWO_THREADS = (
    "no line of memory is written by both. A loop without memory is the row above; runs differ by "
    "0.1, and this figure came out between 1.89 and 2.00."
)
JAVA_CALL = (
    "the same typed C call through JNI by hand is the row below; the package adds 2 ns. A no-op "
    "took 10.7 ns where the budget was set and takes 4.7 here, while dispatch takes the same. "
    "Tried on 25: Foreign Function downcalls, 1 to 2 ns less for 75 ms of linking; "
    "-XX:+UseSystemMemoryBarrier, 1.5 ns less."
)
JAVA_TO_JAVA = (
    "begin and leave through JNI take 8.8 ns alone, reaching the kernel 2.4, keys, guards and "
    "results 2.2, the thread's state 1.3. Tried: the thread's frame in C, 4 ns less, is in; begin "
    "as a critical Foreign Function call, 1.6 ns less, is not worth a function of the ABI."
)
RECORD = (
    "2 000 instructions by callgrind: 630 are the product's own, some 450 find what is tracked and "
    "record the arguments, 250 make the node, 350 end it with the result, 115 box a typed call. Of "
    "the time a third are eight atomic operations: two edges and two saved tensors, taken and "
    "dropped. Formulas are pinned without any, which took 5 ns away."
)
BACKWARD = (
    "3 050 instructions a node by callgrind, of which its two products and the sum into the leaf's "
    "gradient are some 1 900: operators that are called like any other operator."
)
FREE = (
    "a node lets go of two saved tensors and two edges, of which the leaf and its tensor are "
    "shared: counted atomically. The peer's time is 92 ns from C++ and 237 of Python, ours 32 and "
    "34."
)
LINEAR = (
    "the operator takes 840 ns of 1 140: a transposed view and addmm, both recorded, as the peer "
    "has it; addmm is a product and a sum that broadcasts, two kernels."
)
MAPPED = (
    "3 280 instructions by callgrind: 600 are the product's own, 1 240 make the result a tensor of "
    "the layer and drop it, 390 enter the layer, the rest is the rule."
)
IN_LAYERS = "operators in layers: the row of one more in a vmap has each; jvp calls three of them."
TORCH_OPS = ("torch/ops_add", "torch.ops.aten.add.Tensor")
TVM_NOTHING = ("tvm_ffi/nothing", "tvm-ffi no-op")

KERNELS_SLOWER = "the page's table of kernels has each row below, with what is known of it."


def _kernels(what: str, name: str, limit: float) -> Row:
    return Row(what, f"kernel:mean/{name}", limit=limit, at_least=True, floor=KERNELS_SLOWER)


SECTIONS = {
    "Calls from C and C++": (
        _c("typed, 2 tensors", "typed_2_tensors", "torch/typed_2_tensors", "libtorch typed", 0.25),
        Row("typed, 2 tensors", "count:typed_begin2", limit=80),
        _c(
            "boxed, 2 tensors",
            "boxed_2_tensors",
            "tvm_ffi/call_2_tensors",
            "tvm-ffi C call",
            3,
            TVM_CALL,
        ),
        Row("boxed, 2 tensors", "count:boxed_2_tensors", limit=80),
        _c("boxed, 2 tensors", "boxed_2_tensors", "torch/boxed_2_tensors", "libtorch callBoxed"),
        _c("boxed, 0 tensors, an int", "boxed_0_tensors"),
        _c("boxed, 1 tensor", "boxed_1_tensor"),
        _c("boxed, 8 tensors", "boxed_8_tensors"),
        _c("boxed, list of 8 tensors", "boxed_list_of_8_tensors"),
        _c("boxed, tensor and absent Tensor?", "boxed_optional_tensor_absent"),
        _c("boxed, tensor, int[], float?, bool", "boxed_mixed"),
        _c("boxed, 2 tensors, types checked", "boxed_2_tensors_checked"),
        _c("begin, call, end: what bindings do", "begin_call_end"),
        Row("begin and call", "count:begin_boxed_and_call"),
        _c("typed, 0 tensors, an int", "typed_0_tensors"),
        _c("typed, 8 tensors", "typed_8_tensors"),
        _c("typed, list of 8 tensors", "typed_list_of_8_tensors"),
        _c("typed caller, boxed kernel", "typed_2_tensors_boxed_kernel"),
        _c("boxed caller, typed kernel", "boxed_2_tensors_typed_kernel"),
    ),
    "Layers, guards, errors, names": (
        _c("what one boxed redispatch adds", "boxed_redispatch_adds", limit=2.5, floor=REDISPATCH),
        _c("what one typed redispatch adds", "typed_redispatch_adds"),
        Row("a call with one redispatch", "count:one_redispatch"),
        Row("a call with three", "count:three_redispatches"),
        _c("1 layer that falls through", "layers/1_fallthrough"),
        _c("3 layers that fall through", "layers/3_fallthrough"),
        _c("1 boxed layer", "layers/1_boxed"),
        _c("3 boxed layers", "layers/3_boxed"),
        _c("1 typed layer", "layers/1_typed"),
        _c("3 typed layers", "layers/3_typed"),
        _c("1 boxed fallback", "layers/1_fallback"),
        _c("3 boxed fallbacks", "layers/3_fallback"),
        _c("guard entered and left", "guard_enter_and_leave"),
        _c("boxed call in a guard", "boxed_2_tensors_in_a_guard"),
        _c("error made, taken, released", "error_made_taken_released", limit=300),
        _c("kernel fails", "failing_kernel", "tvm_ffi/failing_function", "tvm-ffi in C"),
        _c("kernel fails", "failing_kernel", "tvm_ffi/throw_and_catch", "tvm-ffi throw, catch"),
        _c("operator by name", "lookup_by_name", "tvm_ffi/lookup_by_name", "tvm-ffi"),
        _c("operator by name", "lookup_by_name", "torch/lookup_by_name", "libtorch"),
    ),
    "Small tensors from C++": (
        _small("add, 1 element", "add_1", 0.2),
        _small("mul, 1 element", "mul_1"),
        _small("add, 64 elements", "add_64"),
        _small("add, 8×8 and a row", "add_8x8_and_row"),
        _small("sum, 1 element", "sum_1"),
        _small("sum, 64 elements", "sum_64"),
        _small("mm, 2×2", "mm_2x2"),
        _small("view", "view_64"),
        _small("slice", "slice_64"),
        _small("cat, 2 × 1 element", "cat_2x1"),
        _small("cat, 2 × 64 elements", "cat_2x64"),
        _c("add, a million", "large/add_1M", "torch/large/add_1M", "at::, one thread"),
        _c("sum, a million", "large/sum_1M", "torch/large/sum_1M", "at::, one thread"),
        _c("tensor made and released", "new_and_release_1_element_tensor"),
    ),
    "Layouts of large tensors from C++": (
        _layout("sum of 512² over dim 0", "sum_dim0_512"),
        _layout("sum of 2048² over dim 0", "sum_dim0_2048"),
        _layout("sum of 512² over dim 1", "sum_dim1_512"),
        _layout("amax of 512² over dim 0", "amax_dim0_512"),
        _layout("amax of 2048² over dim 0", "amax_dim0_2048"),
        _layout("amax of 512² over dim 1", "amax_dim1_512"),
        _layout("512² and a row", "add_row_512"),
        _layout("512² and a column", "add_column_512"),
        _layout("100000×3 and 3", "add_100000x3_and_3"),
        _layout("37500×8 and 8", "add_37500x8_and_8"),
        _layout("9375×32 and 32", "add_9375x32_and_32"),
        _layout("x + y.t(), 512²", "add_turned_512"),
        _layout("x + y.t(), 2048²", "add_turned_2048"),
        _layout("exp of 64 k", "exp_64k"),
        _layout("tanh of 64 k", "tanh_64k"),
        _layout("sigmoid of 64 k", "sigmoid_64k"),
        _layout("add of 64 k, float16", "add_f16_64k"),
        _layout("add of 64 k, bfloat16", "add_bf16_64k"),
        _layout("add of 64 k, int64 and float32", "add_i64_f32_64k"),
    ),
    "Scale: 100 000 operators, 1 000 plugins, 2 threads": (
        Row("find one of a few", "many:hot_lookup_ns", limit=50),
        Row("find any", "many:lookup_ns", limit=50, floor=FIND_ANY),
        Row("find any", "many:lookup_ns", "c:torch/lookup_any", "libtorch, as many"),
        Row("find any", "many:lookup_ns", "c:tvm_ffi/lookup_any", "tvm-ffi, as many"),
        Row("find any", "many:lookup_ns", "many:line_ns", "a line not in the cache"),
        Row("define one", "many:define_ns", limit=2000),
        Row("register a kernel", "many:impl_ns", limit=2000),
        Row("memory of one", "many:bytes", limit=1024),
        Row("define one, all keys declared", "many:all_keys_define_ns"),
        Row("register a kernel, all keys declared", "many:all_keys_impl_ns"),
        Row("memory of one, all keys declared", "many:all_keys_bytes"),
        Row("a library opened, filled and closed", "many:library_ns"),
        Row("what such a library leaves", "many:library_left_bytes"),
        Row("a plugin loaded", "many:plugin_ns"),
        Row("2 threads, a loop without memory", "many:two_threads_loop_x"),
        Row(
            "2 threads, one operator",
            "many:two_threads_same_operator_x",
            limit=1.95,
            at_least=True,
            floor=TWO_THREADS,
        ),
        Row(
            "2 threads, an operator each",
            "many:two_threads_two_operators_x",
            limit=1.95,
            at_least=True,
            floor=TWO_THREADS,
        ),
    ),
    "Python": (
        _python("C++ no-op returning an argument", "first", *TORCH_OPS, limit=0.025),
        _python("C++ no-op returning an argument", "first", *TVM_NOTHING, limit=0.35),
        _python("C++ no-op that allocates", "fresh", *TORCH_OPS, limit=0.035),
        _python("add of two 1-element tensors", "add", "numpy/add", "np.add", 0.4),
        _python("a + b", "add_operator", "numpy/add", "np.add"),
        _python(
            "operator with a Python kernel", "python_kernel", "partial", "functools.partial", 1.15
        ),
        _python("operator with a Python kernel", "python_kernel", "direct_call", "f(a, b)", 2.5),
        _python("C error raised and caught", "error", "python_raise", "a Python raise", 1.0),
        _python("two numpy arguments", "numpy_arguments", "numpy/add", "np.add", 0.3),
        _python("a.shape", "shape", "numpy/shape", "numpy's", 1.3),
        _python("a.dtype", "dtype", "numpy/dtype", "numpy's", 1.3),
        _python("tenon.ops.ns.op(a, b)", "module_level", "direct_call", "f(a, b)", 3),
        _python("keywords", "keywords", "nanobind/first", "nanobind, positional"),
        _python("C++ no-op returning an argument", "first", "nanobind/first", "nanobind"),
        _python("C++ no-op returning an argument", "first", "pybind11/first", "pybind11"),
        _python("C++ no-op that allocates", "fresh", "nanobind/fresh", "nanobind, a new object"),
        _python("list of two tensors", "tensor_list_2"),
        _python("-a", "neg_operator", "numpy/neg_operator", "numpy's"),
        _python("a.sum()", "sum_method", "numpy/sum_method", "numpy's"),
        _python("a[0]", "index", "numpy/index", "numpy's a[0:1]"),
        _python("a.reshape(...)", "reshape", "numpy/reshape", "numpy's"),
        _python("two torch arguments", "torch_arguments", "torch/ops_add", "torch.ops.aten.add"),
        _python("empty(1)", "create", "numpy/create", "np.empty"),
        _python("zeros(...)", "create_zeros", "numpy/create_zeros", "np.zeros"),
        _python("tensor([...])", "create_from_list", "numpy/create_from_list", "np.array([...])"),
        _python("the first call of an operator", "first_call"),
        _python("import tenon, numpy installed", "import_tenon/processor", limit=10),
        _python(
            "import tenon, no numpy",
            "import_tenon_no_numpy/processor",
            "import_numpy/processor",
            "import numpy",
        ),
        _python(
            "import tenon", "import_tenon/processor", "import_tvm_ffi/processor", "import tvm_ffi"
        ),
        _python("import tenon", "import_tenon/processor", "import_torch/processor", "import torch"),
    ),
    "Functional layers": (
        _layer("a * w recorded, with its end", "record", 0.12),
        _layer("backward of a chain of them, a node", "backward_a_node", 0.08),
        _layer("the end of such a chain, a node", "free_a_node", 0.15),
        _layer("C++: a * w recorded, with its end", "c/gradients/record", 0.1, RECORD),
        _layer("C++: backward, a node", "c/gradients/backward_a_node", 0.06, BACKWARD),
        _layer("C++: the end of a chain, a node", "c/gradients/free_a_node", 0.15, FREE),
        _layer("Function.apply", "function", 0.3),
        _layer("Function.apply and backward", "function_and_backward", 0.15),
        _layer("custom_op with a gradient", "custom_op", 0.1),
        _layer("add in a function mode", "function_mode", 0.2),
        _layer("add of a subclass with a handler", "subclass", 0.2),
        _layer("add of a class that stands for a tensor", "duck_type", 0.5),
        _layer("add in a dispatch mode", "dispatch_mode", 0.25),
        _layer("nn.Linear(4, 4)", "linear", 0.15, LINEAR),
        _layer("a training step of a net of 8 units", "step", 0.15),
        _layer("a training step of 4 layers of 64 with AdamW", "step_adamw", 0.5),
        _layer("mm of 4×4 parameters in an autocast region", "autocast_mm", 0.4),
        _layer("func.grad(f)(x)", "func_grad", 0.04),
        _layer("func.jvp(f, (x,), (t,))", "func_jvp", 0.04, IN_LAYERS),
        _layer("vmap(grad(f))(x)", "func_vmap_grad", 0.04, IN_LAYERS),
        _layer("vmap(f)(x), one operator", "func_vmap", 0.08),
        _layer("an operator more in it", "operator_in_vmap", 0.25, MAPPED),
        _layer("a + b of fake tensors", "fake_add", 0.004),
        _layer("the same with a symbolic size", "symbolic_add", 0.005),
        _layer("an operator traced to a graph", "trace", 0.002),
        _layer("the same by make_fx, a module of nodes", "make_fx", 0.05),
        _layer("the same with symbolic sizes", "make_fx_symbolic", 0.02),
        _layer("50 operators of one element, called, an operator", "chain", 0.2),
        _layer("their graph run, beside such calls", "replay", 0.06),
        _layer("the same by a bound plan", "bound", 0.02),
        _layer("50 operators with products of 8×8, called", "chain_mm", 0.2),
        _layer("their graph run, beside such calls", "replay_mm", 0.1),
        _layer("a bound plan with products of 8×8", "bound_mm", 0.05),
        _graph("C: 50 operators of one element, called", "loop", "torch/graphs/loop", 0.2),
        _graph("C: their graph run", "replay", "graphs/loop", 1.3),
        _graph("C: the same by a bound plan", "bound", "graphs/loop", 0.4),
        _graph("C: the same by a bound plan", "bound", "torch/graphs/loop", 0.05),
        _graph(
            "C: 50 operators with products of 8×8, called", "loop_mm", "torch/graphs/loop_mm", 0.3
        ),
        _graph("C: their graph run", "replay_mm", "graphs/loop_mm", 1.3),
        _graph("C: the same by a bound plan", "bound_mm", "graphs/loop_mm", 0.6),
        _graph("C++: an operator recorded", "record", "graphs/loop", 8),
        Row("a product recorded, boxed", "count:recorded_mul"),
        Row("a product recorded, typed caller", "count:recorded_mul_typed_caller"),
        Row("backward of 20 products", "count:backward_of_20_products"),
        Row("mm of 2×2 parameters in an autocast region", "count:autocast_mm"),
        Row("a product recorded in an autocast region", "count:mul_in_autocast"),
        Row("a product in a vmap", "count:mapped_mul"),
    ),
    "Java": (
        Row(
            "call, 2 tensors", "java:callNothing", "java:jniNoop", "JNI no-op", 1.5, floor=JAVA_CALL
        ),
        Row("call, 2 tensors", "java:callNothing", "java:jniTyped", "JNI, by hand"),
        Row("JNI by hand, 2 tensors", "java:jniTyped", "java:jniNoop", "JNI no-op"),
        Row("lambda kernel from C", "java:lambdaFromC", "java:jniUpcall", "JNI upcall", 1.4),
        Row(
            "lambda kernel from Java",
            "java:lambdaFromJava",
            "java:jniNoop",
            "JNI no-op",
            1.5,
            floor=JAVA_TO_JAVA,
        ),
        Row("lambda kernel from Java", "java:lambdaFromJava", "java:jniTyped", "JNI, by hand"),
        Row("bytes allocated by a call", "java:callNothing/allocated", limit=1),
        Row("call, 2 tensors and a default", "java:callDefault", "java:jniTyped", "JNI, by hand"),
        Row("bytes allocated by a call with a default", "java:callDefault/allocated", limit=1),
        Row("error caught", "java:errorCaught", "java:javaThrow", "a Java throw"),
        Row("error caught, all read", "java:errorRead", "java:javaThrow", "a Java throw"),
        Row(
            "throwing lambda kernel from Java",
            "java:throwingLambdaFromJava",
            "java:javaThrow",
            "a Java throw",
        ),
        Row("call on each of 4 threads", "java:callNothingFourThreads"),
        Row("result left to a scope", "java:callFreshInScope"),
        Row("result closed at once", "java:callFreshAndClose"),
        Row("add of two 1-element tensors, in a scope", "java:addInScope"),
        Row(
            "22+: call, 2 tensors",
            "java_ffm:callNothing",
            "java_ffm:jniNoop",
            "JNI no-op",
            1.5,
            floor=JAVA_CALL,
        ),
        Row("22+: call, 2 tensors", "java_ffm:callNothing", "java_ffm:jniTyped", "JNI, by hand"),
        Row(
            "22+: lambda kernel from Java",
            "java_ffm:lambdaFromJava",
            "java_ffm:jniTyped",
            "JNI, by hand",
        ),
        Row(
            "22+: lambda kernel from C",
            "java_ffm:lambdaFromC",
            "java_ffm:jniUpcall",
            "JNI upcall",
            0.6,
        ),
    ),
    "Rust": (
        Row(
            "typed call",
            "rust:rust/typed_call_c_kernel",
            "rust:c/typed_call_c_kernel",
            "the same in C",
            1.05,
        ),
        Row(
            "typed call of a closure",
            "rust:rust/typed_call_closure_kernel",
            "rust:c/typed_call_c_kernel",
            "C kernel, from C",
            1.1,
        ),
        Row(
            "boxed call",
            "rust:rust/boxed_call_c_kernel",
            "rust:c/boxed_checked_call_c_kernel",
            "the same in C",
        ),
        Row(
            "&a + &b, 1 element",
            "rust:rust/add_1_element",
            "rust:c/add_1_element",
            "the same in C",
        ),
        Row(
            "boxed add, alpha left out",
            "rust:rust/boxed_add_default_left_out",
            "rust:c/add_1_element",
            "typed, from C",
        ),
        Row("build of the crate from nothing", "rust:build"),
    ),
    "Weight and start": (
        Row("libtenon, stripped", "size:libtenon", limit=1.5),
        Row("libtenon, stripped", "size:libtenon", "size:libtvm_ffi", "libtvm_ffi"),
        Row("libtenon, stripped", "size:libtenon", "size:libtorch_cpu", "libtorch_cpu"),
        Row("libtenon_cpu, stripped", "size:libtenon_cpu"),
        Row("Python extension, stripped", "size:_tenon"),
        Row("libtenon_java, stripped", "size:libtenon_java"),
        Row("loading libtenon", "start:load_libtenon", "start:load_libtvm_ffi", "libtvm_ffi"),
        Row(
            "loading libtenon_cpu",
            "start:load_libtenon_cpu",
            "start:load_libtorch_cpu",
            "libtorch_cpu",
        ),
        Row(
            "page faults, loading libtenon",
            "start:load_libtenon/faults",
            "start:load_libtvm_ffi/faults",
            "libtvm_ffi",
        ),
        Row("JVM: first use to end of first call", "start:java_first_call"),
        Row("JVM: our classes in it", "start:java_first_call/own_classes"),
        Row(
            "compiling a plugin with tenon.hpp",
            "start:compile_cpp_plugin",
            "start:compile_torch_library",
            "torch/library.h",
        ),
    ),
    "CPU kernels, PyTorch's time over ours": (
        _kernels("geometric mean above 1 k elements, 1 thread", "above_1k/1", 1.5),
        _kernels("geometric mean above 1 k elements, 2 threads", "above_1k/2", 1.5),
        _kernels("geometric mean up to 1 k elements, 1 thread", "up_to_1k/1", 3),
        _kernels("the slowest above 1 k elements, 1 thread", "least_above_1k/1", 0.95),
        _kernels("the slowest above 1 k elements, 2 threads", "least_above_1k/2", 0.95),
    ),
}
ROWS = tuple(row for rows in SECTIONS.values() for row in rows)
