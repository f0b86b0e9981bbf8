# SPDX-License-Identifier: Apache-2.0
"""Layouts and constants of capi/abi/tenon.abi.json, as a foreign-function interface uses them.

Structs are plain bytes here. Fields are read and written at the offsets in the description, and
libtenon must read and write them at the same places.
"""

from __future__ import annotations

import ctypes
import json
import pathlib
import re

import pytest
import tenon
from tenon import _tenon

ABI = json.loads(
    (pathlib.Path(__file__).resolve().parents[2] / "capi/abi/tenon.abi.json").read_text()
)
CONSTANTS = ABI["constants"]
GUARD = b"\xa5" * 16  # follows each struct and must stay unchanged


class Struct:
    """The memory of one struct, or of an array of structs."""

    def __init__(self, name: str, count: int = 1):
        self.layout = ABI["structs"][name]
        self.size = self.layout["size"]
        self.memory = ctypes.create_string_buffer(bytes(self.size * count) + GUARD)

    def _place(self, field: str, index: int) -> tuple[int, int]:
        offset, size = map(int, re.findall(r"\d+", self.layout["fields"][field]))
        return index * self.size + offset, size

    def get(self, field: str, index: int = 0, signed: bool = True) -> int:
        begin, size = self._place(field, index)
        return int.from_bytes(self.memory.raw[begin : begin + size], "little", signed=signed)

    def put(self, field: str, value: int, index: int = 0, at: int = 0) -> None:
        """Writes a field, or 8 bytes of a union, starting `at` bytes into it."""
        begin, size = self._place(field, index)
        size = min(size, 8)
        self.memory[begin + at : begin + at + size] = value.to_bytes(size, "little", signed=True)

    @property
    def address(self) -> int:
        return ctypes.addressof(self.memory)

    def check(self) -> None:
        assert self.memory.raw[-len(GUARD) - 1 : -1] == GUARD


def text_at(address: int) -> str:
    return ctypes.string_at(address).decode()


class Functions:
    """The libtenon that is already loaded, with arguments and results as plain words."""

    def __init__(self):
        self._library = ctypes.CDLL("libtenon.so.0")

    def __getattr__(self, name: str):
        function = getattr(self._library, name)
        narrow = ABI["functions"][name]["signature"].startswith(
            ("tenon_status ", "int32_t ", "tenon_dtype ")
        )
        function.restype = ctypes.c_int32 if narrow else ctypes.c_int64
        return function


@pytest.fixture(scope="module")
def lib():
    return Functions()


@pytest.fixture
def tensor(lib):
    sizes = (ctypes.c_int64 * 2)(2, 3)
    out = ctypes.c_int64()
    args = (CONSTANTS["TENON_DTYPE_F32"], None, ctypes.c_int64(2), sizes, None, ctypes.byref(out))
    assert lib.tenon_tensor_new(*args) == 0
    yield ctypes.c_void_p(out.value)
    lib.tenon_tensor_release(ctypes.c_void_p(out.value))


def word(value: int) -> ctypes.c_void_p:
    return ctypes.c_void_p(value)


def test_constants_of_the_flat_module():
    compared = 0
    for name, value in CONSTANTS.items():
        own = getattr(_tenon, name)
        assert own == value, name
        compared += 1
    assert compared == len(CONSTANTS)


def test_abi_version(lib):
    assert lib.tenon_abi_version() >> 16 == ABI["abi_major"]


def test_tensor_info(lib, tensor):
    info = Struct("tenon_tensor_info")
    assert lib.tenon_tensor_describe(tensor, word(info.address)) == 0
    info.check()
    sizes = (ctypes.c_int64 * 2).from_address(info.get("sizes"))
    strides = (ctypes.c_int64 * 2).from_address(info.get("strides"))
    assert (list(sizes), list(strides)) == ([2, 3], [3, 1])
    assert (info.get("numel"), info.get("ndim"), info.get("storage_offset")) == (6, 2, 0)
    assert info.get("dtype") == CONSTANTS["TENON_DTYPE_F32"]
    assert info.get("flags") == CONSTANTS["TENON_TENSOR_CONTIGUOUS"]
    data = ctypes.c_int64()
    assert lib.tenon_tensor_data(tensor, ctypes.byref(data)) == 0
    assert info.get("data") == data.value


def test_device(lib):
    device = Struct("tenon_device")
    assert lib.tenon_device_parse(b"cuda:3", word(device.address)) == 0
    device.check()
    assert device.get("type") == CONSTANTS["TENON_DEVICE_CUDA"]
    assert device.get("index") == 3


def calling(values: Struct, count: int, results: Struct) -> Struct:
    stack = Struct("tenon_stack")
    stack.put("args", values.address)
    stack.put("rets", results.address)
    stack.put("nargs", count)
    stack.put("nrets", 1)
    return stack


@pytest.fixture
def operator(lib):
    """Yields an operator with a Python kernel, so that values cross in both directions."""
    with tenon.library.Library("abi_layout", "DEF") as library:
        library.define("f(int n, float x, str s, int[] d, Device v, complex z) -> str")
        library.impl("f", lambda *args: repr(args), "CompositeExplicitAutograd")
        out = ctypes.c_int64()
        assert lib.tenon_op_find(b"abi_layout::f", ctypes.byref(out)) == 0
        yield word(out.value)


def test_values_and_stack(lib, operator):
    values, results = Struct("tenon_value", 6), Struct("tenon_value")
    text, dims = b"text", (ctypes.c_int64 * 3)(4, 5, 6)
    half, list_of = int.from_bytes(b"\0\0\0\0\0\0\xe0\x3f", "little"), ABI["structs"]["tenon_list"]
    assert list_of["fields"]["data"].startswith("offset 0 ")
    for index, (tag, count, payload) in enumerate(
        (
            ("INT", 0, -7),
            ("FLOAT", 0, half),
            ("STRING", len(text), ctypes.cast(text, ctypes.c_void_p).value),
            ("INT_LIST", 3, ctypes.addressof(dims)),
            ("DEVICE", 0, CONSTANTS["TENON_DEVICE_META"]),
            ("COMPLEX", 0, half),
        )
    ):
        values.put("tag", CONSTANTS[f"TENON_TAG_{tag}"], index)
        values.put("count", count, index)
        values.put("as", payload, index)
    imaginary = int(re.findall(r"\d+", ABI["structs"]["tenon_complex"]["fields"]["imag"])[0])
    values.put("as", half, 5, at=imaginary)
    stack = calling(values, 6, results)
    assert lib.tenon_op_call(operator, word(stack.address)) == 0
    for struct in (values, results, stack):
        struct.check()
    assert results.get("tag") == CONSTANTS["TENON_TAG_STRING"]
    assert results.get("flags") & CONSTANTS["TENON_VALUE_OWNED"]
    data = int.from_bytes(results.memory.raw[8:16], "little")
    made = ctypes.string_at(data, results.get("count")).decode()
    assert made == "(-7, 0.5, 'text', [4, 5, 6], device(type='meta'), (0.5+0.5j))"
    lib.tenon_value_clear(word(results.address))
    assert results.get("tag") == CONSTANTS["TENON_TAG_NONE"]


def test_frame_and_entry(lib, operator):
    values, frame = Struct("tenon_value", 6), Struct("tenon_frame")
    entry = Struct("tenon_entry")
    for index, tag in enumerate(("INT", "FLOAT", "STRING", "INT_LIST", "DEVICE", "COMPLEX")):
        values.put("tag", CONSTANTS[f"TENON_TAG_{tag}"], index)
    args = (operator, word(values.address), ctypes.c_int64(6), word(frame.address))
    found = lib.tenon_frame_begin_boxed(*args)
    assert found != 0
    frame.check()
    ctypes.memmove(entry.memory, found, entry.size)
    assert frame.get("op") == operator.value
    assert frame.get("error") == 0
    assert frame.get("ctx") == entry.get("ctx") != 0
    assert entry.get("boxed") != 0
    assert entry.get("language") == CONSTANTS["TENON_LANGUAGE_PYTHON"]
    assert entry.get("typed") == entry.get("signature") == 0
    # Leaves the frame by the store that op.h describes.
    ctypes.c_int64.from_address(frame.get("leave_word")).value = frame.get("leave_value")
    tenon.introspect.invariants()


def test_slot_and_argument_info(lib, operator):
    slot, argument = Struct("tenon_slot_info"), Struct("tenon_argument_info")
    slot.put("struct_size", slot.size)
    assert (
        lib.tenon_introspect_get_slot(operator, CONSTANTS["TENON_KEY_CPU"], word(slot.address)) == 0
    )
    slot.check()
    assert slot.get("provenance") == CONSTANTS["TENON_PROVENANCE_DEFAULT_BACKEND_KERNEL"]
    assert slot.get("source_key") == CONSTANTS["TENON_KEY_COMPOSITE_EXPLICIT_AUTOGRAD"]
    assert slot.get("language") == CONSTANTS["TENON_LANGUAGE_PYTHON"]
    assert text_at(slot.get("file")).endswith("test_abi_layout.py")
    assert slot.get("line") > 0
    schema = ctypes.c_int64()
    parsed = lib.tenon_schema_parse(
        b"f(int a, int[2] b=3) -> ()", ctypes.c_int64(-1), ctypes.byref(schema)
    )
    assert parsed == 0
    argument.put("struct_size", argument.size)
    got = lib.tenon_schema_get_argument(
        word(schema.value), ctypes.c_int64(1), word(argument.address)
    )
    assert got == 0
    argument.check()
    assert text_at(argument.get("name")) == "b"
    assert text_at(argument.get("type_text")) == "int[2]"
    assert argument.get("list_size") == 2
    assert argument.get("flags") == CONSTANTS["TENON_ARGUMENT_HAS_DEFAULT"]
    assert argument.get("aliased_argument") == -1
    lib.tenon_schema_release(word(schema.value))


def test_error_frame(lib):
    lib.tenon_error_new.restype = ctypes.c_void_p
    error = word(lib.tenon_error_new(CONSTANTS["TENON_ERROR_TYPE"], None, b"message"))
    lib.tenon_error_add_frame(error, CONSTANTS["TENON_LANGUAGE_C"], b"function", b"file.c", 12)
    frame = Struct("tenon_error_frame")
    assert lib.tenon_error_get_frame(error, ctypes.c_int64(0), word(frame.address)) == 0
    frame.check()
    assert (text_at(frame.get("function")), text_at(frame.get("file"))) == ("function", "file.c")
    assert (frame.get("line"), frame.get("language")) == (12, CONSTANTS["TENON_LANGUAGE_C"])
    lib.tenon_error_release(error)


def test_key_guard(lib):
    guard = Struct("tenon_key_guard")
    before = tenon_keys = lib.tenon_keyset_included()
    assert lib.tenon_key_guard_include(ctypes.c_uint64(1 << 48), word(guard.address)) == 0
    guard.check()
    assert guard.get("include") == before
    assert lib.tenon_keyset_included() == before | 1 << 48
    assert lib.tenon_key_guard_leave(word(guard.address)) == 0
    assert lib.tenon_keyset_included() == tenon_keys


def test_plugin_descriptor(lib):
    plugin = ctypes.CDLL(str(pathlib.Path(text_at(_path_of_cpu(lib)))))
    plugin.tenon_plugin_query.restype = ctypes.c_void_p
    found = plugin.tenon_plugin_query(0, lib.tenon_abi_version())
    descriptor = Struct("tenon_plugin_descriptor")
    ctypes.memmove(descriptor.memory, found, descriptor.size)
    assert descriptor.get("struct_size") == descriptor.size
    assert descriptor.get("abi_version") == lib.tenon_abi_version()
    assert text_at(descriptor.get("name")) == "tenon_cpu"
    assert descriptor.get("load") != 0


def _path_of_cpu(lib) -> int:
    out = ctypes.c_int64()
    assert lib.tenon_plugin_load(b"tenon_cpu", ctypes.byref(out)) == 0
    return lib.tenon_plugin_path(word(out.value))


def test_registration_of_a_kernel(lib):
    """Registers a kernel written byte by byte; dumps must show each field correctly."""
    called = []

    @ctypes.CFUNCTYPE(ctypes.c_int32, *[ctypes.c_void_p] * 2, ctypes.c_uint64, ctypes.c_void_p)
    def kernel(ctx, op, keys, stack):
        called.append(ctx)
        return 0

    library, op = ctypes.c_int64(), ctypes.c_int64()
    none = ctypes.c_uint32(CONSTANTS["TENON_KEY_NONE"])
    made = lib.tenon_library_new(0, b"abi_kernel", none, b"file.py", 1, ctypes.byref(library))
    assert made == 0
    options, given = Struct("tenon_define_options"), Struct("tenon_kernel")
    tags = (ctypes.c_char_p * 1)(b"core")
    options.put("struct_size", options.size)
    options.put("tag_count", 1)
    options.put("tags", ctypes.addressof(tags))
    handle = word(library.value)
    defined = lib.tenon_library_define(
        handle, b"f() -> ()", word(options.address), ctypes.byref(op)
    )
    assert defined == 0
    name, file = b"by_hand", b"hand.py"
    given.put("struct_size", given.size)
    given.put("boxed", ctypes.cast(kernel, ctypes.c_void_p).value)
    given.put("ctx", 4711)
    given.put("language", CONSTANTS["TENON_LANGUAGE_PYTHON"])
    given.put("name", ctypes.cast(name, ctypes.c_void_p).value)
    given.put("file", ctypes.cast(file, ctypes.c_void_p).value)
    given.put("line", 33)
    assert lib.tenon_library_impl(handle, b"f", none, word(given.address), None) == 0
    assert "by_hand at hand.py:33" in tenon.introspect.dump("abi_kernel::f")
    text = ctypes.c_int64()
    assert lib.tenon_op_copy_tags(word(op.value), ctypes.byref(text)) == 0
    assert text_at(lib.tenon_buffer_data(word(text.value))).strip() == "core"
    lib.tenon_buffer_release(word(text.value))
    empty = Struct("tenon_value")
    stack = calling(empty, 0, empty)
    stack.put("nrets", 0)
    assert lib.tenon_op_call_fast(word(op.value), word(stack.address)) == 0
    assert called == [4711]
    lib.tenon_library_release(handle)
