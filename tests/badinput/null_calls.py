# SPDX-License-Identifier: Apache-2.0
"""Calls every C function with NULL and invalid numbers, each call in a child process.

The functions and their parameters are read from capi/abi/tenon.abi.json, so that a new function is
tested without new code. All parameters but one get valid values of their types; the tested one is
NULL, or an invalid enumeration value if it is a number. The child must return from the call: a
function with a status returns an error or works without the parameter. A function that does not
accept NULL is not called with it (common.h: "NULL"), because it stops a debug build.
"""

from __future__ import annotations

import argparse
import ctypes
import faulthandler
import json
import os
import pathlib
import re
import signal
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
ABI = json.loads((ROOT / "capi/abi/tenon.abi.json").read_text())
CONSTANTS = ABI["constants"]
SECONDS = 10  # for all cases of a function
SCRATCH = 4096  # bytes that a pointer to other memory than a handle points to

# Counts of elements behind a pointer: only negative values are invalid on their own.
COUNTS = re.compile(r"^(n\w+|count|size|capacity|max_spans|depth|grain)$")
# Words of symbol.h: numbers or the addresses of symbols.
WORDS = {"tenon_dim_apply", "tenon_dim_compare"}
WILD = {
    "int64_t": (-1, 99, -(2**63), 2**63 - 1),
    "int32_t": (-1, 99, 2**31 - 1, -(2**31)),
    "uint32_t": (99, 2**31, 2**32 - 1),
    "uint16_t": (99, 2**16 - 1),
    "tenon_dtype": (-7, 99, 2**31 - 1),
    "tenon_key": (99, 0x1FFFF, 2**32 - 1),
    "tenon_keyset": (2**63, 2**64 - 1),
    "tenon_status": (-1, 99, 2**31 - 1),
}
# Structs that another function of the interface fills; this test cannot build them itself.
FILLED = ("tenon_frame", "tenon_stack")


class Parameter:
    def __init__(self, text: str) -> None:
        found = re.match(r"(.*?)(\w+)(\[\d*\])?$", text)
        assert found is not None, text
        self.type, self.name = found[1].strip(), found[2]
        self.bare = self.type.replace("const", "").replace("struct ", "").replace(" ", "")
        self.is_pointer = "*" in self.type
        self.is_function = "(*" in ABI["typedefs"].get(self.type, "")


class Function:
    def __init__(self, name: str, signature: str) -> None:
        found = re.match(rf"(.*?)\b{name}\((.*)\)$", signature)
        assert found is not None, signature
        self.name, self.returns = name, found[1].strip()
        texts = [] if found[2] == "void" else found[2].split(", ")
        self.parameters = [Parameter(text) for text in texts]


def functions() -> list[Function]:
    return [Function(name, each["signature"]) for name, each in ABI["functions"].items()]


def contracts() -> dict[str, str]:
    """Returns the comment of each function."""
    sys.path.insert(0, str(ROOT / "tests" / "tools"))
    import cheader

    return {
        each.name: re.sub(r"\s+", " ", each.comment)
        for header in cheader.parse_all()
        for each in header.functions
    }


def may_be_null(function: Function, at: int, contract: str) -> bool:
    """Returns true if a call with NULL for a parameter must return: see common.h."""
    if "No argument is NULL" in contract:
        return False
    if function.returns == "tenon_status":
        return True
    name = function.parameters[at].name
    accepts = rf"`{name}` \((may be )?NULL|`{name}` may be NULL"
    return re.search(accepts, contract) is not None or at == 0 and "NULL is accepted" in contract


class ValidValues:
    """Valid values for parameters, created by the library."""

    def __init__(self, lib: ctypes.CDLL) -> None:
        self.lib = lib
        self.keep: list[object] = []
        self.handles: dict[str, int] = {}
        self.callback = ctypes.CFUNCTYPE(ctypes.c_int)(lambda: 0)
        sizes = (ctypes.c_int64 * 2)(2, 3)
        self.keep.append(sizes)
        f32 = CONSTANTS["TENON_DTYPE_F32"]
        self.new("tenon_tensor", "tenon_tensor_new", f32, 0, 2, sizes, 0)
        define = CONSTANTS["TENON_LIBRARY_DEF"]
        none = CONSTANTS["TENON_KEY_NONE"]
        self.new("tenon_library", "tenon_library_new", define, b"nulls", none, b"file", 1)
        lib.tenon_library_define(self.word("tenon_library"), b"f(Tensor a) -> Tensor", None, None)
        self.new("tenon_op", "tenon_op_find", b"nulls::f")
        self.new("tenon_schema", "tenon_op_copy_schema", self.word("tenon_op"))
        self.new("tenon_buffer", "tenon_buffer_new", ctypes.c_int64(64))
        self.new("tenon_graph", "tenon_graph_new")
        self.new("tenon_shape_env", "tenon_shape_env_new", 0)
        self.new("tenon_fake_mode", "tenon_fake_mode_new", 0)
        self.new("tenon_thread_state", "tenon_thread_state_capture")
        self.new("tenon_weak_tensor", "tenon_weak_tensor_new", self.word("tenon_tensor"))
        self.new("tenon_generator", "tenon_generator_new", None, ctypes.c_uint64(1))
        self.new("tenon_simulator", "tenon_simulator_new", b"g(Tensor a) -> Tensor")
        tag = CONSTANTS["TENON_TAG_SYMINT"]
        env = self.word("tenon_shape_env")
        bounds = (ctypes.c_int64(0), ctypes.c_int64(9))
        self.new("tenon_symbol", "tenon_symbol_new", env, tag, None, None, *bounds)
        lib.tenon_error_new.restype = ctypes.c_void_p
        lib.tenon_tensor_storage.restype = ctypes.c_void_p
        self.handles["tenon_error"] = lib.tenon_error_new(
            CONSTANTS["TENON_ERROR_TYPE"], None, b"message"
        )
        self.handles["tenon_storage"] = lib.tenon_tensor_storage(self.word("tenon_tensor"))
        self.handles = {name: handle for name, handle in self.handles.items() if handle}

    def word(self, name: str) -> ctypes.c_void_p:
        return ctypes.c_void_p(self.handles[name])

    def new(self, name: str, function: str, *args: object) -> None:
        out = ctypes.c_void_p()
        status = getattr(self.lib, function)(*args, ctypes.byref(out))
        assert status == 0 and out.value, (function, status)
        self.handles[name] = out.value

    def good(self, parameter: Parameter) -> object:
        """Returns a valid value of the parameter's type, or None (NULL) if there is none."""
        if parameter.is_function:
            return ctypes.cast(self.callback, ctypes.c_void_p).value
        if not parameter.is_pointer:
            return 0
        if parameter.bare == "char*":
            return self.memory(b"text\0")
        name = parameter.bare.rstrip("*")
        if parameter.bare == name + "*" and name in self.handles:
            return self.handles[name]
        if parameter.bare == name + "*" and name in FILLED:
            return None
        is_handle = name.startswith("tenon_") and name not in ABI["structs"]
        is_number = not ABI["typedefs"].get(name, "").startswith("struct")
        if parameter.bare == name + "*" and is_handle and not is_number:
            return None
        memory = ctypes.create_string_buffer(SCRATCH)
        layout = ABI["structs"].get(name)
        if layout is not None and "struct_size" in layout["fields"]:
            ctypes.c_uint32.from_buffer(memory).value = layout["size"]
        self.keep.append(memory)
        return ctypes.addressof(memory)

    def memory(self, content: bytes) -> int:
        memory = ctypes.create_string_buffer(content)
        self.keep.append(memory)
        return ctypes.addressof(memory)


def cases(function: Function) -> list[tuple[int, int, str]]:
    """Returns (parameter, value, text) of each call."""
    found = []
    for at, parameter in enumerate(function.parameters):
        if parameter.is_pointer or parameter.is_function:
            found.append((at, 0, f"{parameter.name} NULL"))
            continue
        for value in WILD.get(parameter.type, ()):
            if function.name in WORDS and parameter.type == "int64_t":
                continue
            if COUNTS.match(parameter.name) and value >= 0:
                continue
            found.append((at, value, f"{parameter.name} {value}"))
    return found


def words(world: ValidValues, function: Function, at: int, value: int) -> list[object]:
    given = []
    for place, parameter in enumerate(function.parameters):
        one = value if place == at else world.good(parameter)
        if parameter.type == "double":
            given.append(ctypes.c_double(0))
        else:
            given.append(ctypes.c_uint64((one or 0) & (2**64 - 1)))
    return given


def has_good_values(world: ValidValues, function: Function, at: int) -> bool:
    """Returns true if valid values exist for all parameters except the tested one."""
    return all(
        world.good(parameter) is not None
        for place, parameter in enumerate(function.parameters)
        if place != at
    )


def crashes_of(world: ValidValues, function: Function, contract: str) -> tuple[int, list[str]]:
    """Returns the number of calls made, and the calls that did not return."""
    left = [
        (at, value, text)
        for at, value, text in cases(function)
        if (may_be_null(function, at, contract) if text.endswith(" NULL") else True)
        and (function.returns == "tenon_status" or has_good_values(world, function, at))
        and "No argument is NULL" not in contract
    ]
    tried, crashed = 0, []
    while left:
        reader, writer = os.pipe()
        child = os.fork()
        if child == 0:
            os.close(reader)
            faulthandler.disable()
            signal.alarm(SECONDS)
            null = os.open(os.devnull, os.O_WRONLY)
            os.dup2(null, 2)
            for at, value, _ in left:
                os.write(writer, b".")
                getattr(world.lib, function.name)(*words(world, function, at, value))
            os._exit(0)
        os.close(writer)
        begun = b""
        while part := os.read(reader, 4096):
            begun += part
        os.close(reader)
        _, status = os.waitpid(child, 0)
        tried += len(begun)
        if status == 0:
            break
        name = signal.Signals(os.WTERMSIG(status)).name if os.WIFSIGNALED(status) else str(status)
        crashed.append(f"{function.name}: {left[len(begun) - 1][2]}: {name}")
        left = left[len(begun) :]
    return tried, crashed


def run(library: str, only: str = "") -> tuple[int, list[str]]:
    """Returns the number of calls, and those that did not return."""
    world = ValidValues(ctypes.CDLL(library))
    texts = contracts()
    tried, crashed = 0, []
    for function in functions():
        if only in function.name:
            count, found = crashes_of(world, function, texts[function.name])
            tried += count
            crashed += found
    return tried, crashed


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("library", help="libtenon.so")
    parser.add_argument("--only", default="", help="functions whose names have this in them")
    options = parser.parse_args()
    tried, crashed = run(options.library, options.only)
    for line in crashed:
        print(line)
    print(f"{tried} calls, {len(crashed)} that did not return")
    return 1 if crashed else 0


if __name__ == "__main__":
    sys.exit(main())
