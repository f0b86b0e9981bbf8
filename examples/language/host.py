# SPDX-License-Identifier: Apache-2.0
"""A minimal language binding: calls and a kernel through a foreign-function interface.

python host.py LIBTENON. Python represents a language without a binding, and uses ctypes only.
"""

import ctypes as c
import sys

lib = c.CDLL(sys.argv[1])


# [quote.begin value]
class Value(c.Structure):
    """tenon_value: 24 bytes, a tag and a payload (here only those parts that ints use)."""

    _fields_ = [("tag", c.c_uint16), ("flags", c.c_uint16), ("count", c.c_uint32)]
    _fields_ += [("i", c.c_int64), ("second_word", c.c_int64)]


class Stack(c.Structure):
    """tenon_stack: the arguments and results of one boxed call."""

    _fields_ = [("args", c.POINTER(Value)), ("rets", c.POINTER(Value))]
    _fields_ += [("nargs", c.c_uint32), ("nrets", c.c_uint32)]
    _fields_ += [("error", c.c_void_p), ("reserved", c.c_uint64 * 2)]


# [quote.end]
TAG_INT, ERROR_RUNTIME = 2, 15
KEY_CPU, KEY_NONE = 0, 0xFFFFFFFF
BOXED = c.CFUNCTYPE(c.c_int32, c.c_void_p, c.c_void_p, c.c_uint64, c.POINTER(Stack))


class Kernel(c.Structure):
    """tenon_kernel; fields that are not set are zero."""

    _fields_ = [("struct_size", c.c_uint32), ("flags", c.c_uint32), ("boxed", BOXED)]
    _fields_ += [("ctx", c.c_void_p), ("deleter", c.c_void_p), ("typed", c.c_void_p)]
    _fields_ += [("signature", c.c_uint64), ("schema", c.c_char_p), ("language", c.c_uint32)]
    _fields_ += [("policy", c.c_uint32), ("noblock_max_numel", c.c_int64)]
    _fields_ += [("name", c.c_char_p), ("file", c.c_char_p), ("line", c.c_int32)]
    _fields_ += [("reserved0", c.c_uint32), ("bind", c.c_void_p), ("reserved", c.c_uint64 * 1)]


for name in ("tenon_error_message", "tenon_error_kind"):
    getattr(lib, name).restype = c.c_char_p
    getattr(lib, name).argtypes = [c.c_void_p]
lib.tenon_error_take.restype = c.c_void_p
lib.tenon_error_new.restype = c.c_void_p
lib.tenon_error_new.argtypes = [c.c_int32, c.c_char_p, c.c_char_p]
lib.tenon_error_set.argtypes = lib.tenon_error_release.argtypes = [c.c_void_p]
lib.tenon_library_new.argtypes = [c.c_uint32, c.c_char_p, c.c_uint32, c.c_char_p, c.c_int32]
lib.tenon_library_new.argtypes += [c.c_void_p]
lib.tenon_op_call_named.argtypes = [c.c_void_p, c.c_void_p, c.c_int64, c.c_void_p, c.c_void_p]
lib.tenon_op_call_named.argtypes += [c.c_int64, c.c_void_p, c.c_int64]


# [quote.begin errors]
class TenonError(Exception):
    """The exception that a failed call raises."""


def check(status: int) -> None:
    """Raises the error of a failed call: takes it from the thread's slot and releases it."""
    if status:
        error = lib.tenon_error_take()
        text = lib.tenon_error_message(error).decode()
        lib.tenon_error_release(error)
        raise TenonError(text)


# [quote.end]
# [quote.begin kernel]
def kernel_of(function) -> BOXED:
    """Returns a C kernel that calls a Python function; no exception may pass through C."""

    def boxed(ctx, op, keys, stack) -> int:
        try:
            result = function(*(stack[0].args[k].i for k in range(stack[0].nargs)))
            stack[0].rets[0] = Value(tag=TAG_INT, i=result)
            return 0
        except Exception as raised:
            kind, text = type(raised).__name__.encode(), str(raised).encode()
            return lib.tenon_error_set(lib.tenon_error_new(ERROR_RUNTIME, kind, text))

    return BOXED(boxed)


# [quote.end]
# [quote.begin use]
language = c.c_uint32()
check(lib.tenon_language_register(b"ctypes", c.byref(language)))

library, op = c.c_void_p(), c.c_void_p()
check(lib.tenon_library_new(0, b"small", KEY_NONE, None, 0, c.byref(library)))
check(lib.tenon_library_define(library, b"half(int x) -> int", None, c.byref(op)))

callback = kernel_of(lambda x: x // 2 if x % 2 == 0 else 1 // 0)
kernel = Kernel(struct_size=c.sizeof(Kernel), boxed=callback, name=b"half", language=language)
check(lib.tenon_library_impl(library, b"half", KEY_CPU, c.byref(kernel), None))


def half(x: int) -> int:
    result = Value()
    argument = Value(tag=TAG_INT, i=x)
    check(lib.tenon_op_call_named(op, c.byref(argument), 1, None, None, 0, c.byref(result), 1))
    return result.i


print(half(84))
try:
    half(3)
except TenonError as error:
    print(error)
lib.tenon_library_release(library)
# [quote.end]
