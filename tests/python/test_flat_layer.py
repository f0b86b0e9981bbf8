# SPDX-License-Identifier: Apache-2.0
"""The flat layer: each C function is wrapped, used by native types, or left out for a reason."""

from __future__ import annotations

import pathlib
import re

import pytest
import tenon
from tenon import _tenon

ROOT = pathlib.Path(__file__).resolve().parents[2]

LEFT_OUT = {
    # These serve C and C++ kernels; Python kernels take objects.
    *("tenon_frame_begin1", "tenon_frame_begin2", "tenon_frame_begin3", "tenon_frame_begin_n"),
    *("tenon_op_call_fast", "tenon_op_redispatch", "tenon_op_call_key"),
    *("tenon_op_check_arguments", "tenon_op_check_results", "tenon_tensor_resize"),
    # Python copies sizes and strides together.
    "tenon_tensor_strides",
    *("tenon_tensor_new_alias", "tenon_tensor_set_wrapped_number", "tenon_error_peek"),
    "tenon_tensor_new_like",
    *("tenon_value_new_string", "tenon_value_new_list", "tenon_value_print", "tenon_buffer_new"),
    *("tenon_buffer_wrap", "tenon_buffer_retain", "tenon_error_set_cause"),
    # Python builds transforms from layers, and their rules are kernels at Batched.
    *("tenon_vmap", "tenon_vjp", "tenon_jvp", "tenon_library_register_vmap"),
    # Python runs no parallel loops.
    *("tenon_parallel_for", "tenon_parallel_set_host"),
    *("tenon_parallel_set_spin", "tenon_parallel_close"),
    # Device plugins are not written in Python.
    *("tenon_device_provider_register", "tenon_device_provider_get", "tenon_device_copy"),
    # Python closes libraries, and frees kernels once no thread runs them.
    *("tenon_library_drain", "tenon_library_namespace"),
    *("tenon_registration_remove", "tenon_registration_retain"),
    *("tenon_schema_retain", "tenon_thread_state_retain"),
    *("tenon_simulator_retain", "tenon_profile_retain"),
    # Python makes fake modes and tensors through objects.
    *("tenon_fake_device", "tenon_fake_mode_retain", "tenon_fake_copy_given_env"),
    "tenon_fake_mode_copy_dynamic",
    # Python draws random numbers through operators.
    *("tenon_generator_random", "tenon_generator_normal", "tenon_generator_native"),
    # The class of a wrapper is its handler, values are unpacked, and `with` blocks hold the modes.
    "tenon_object_of_value",
    # For languages without a binding; Python has classes of errors, not kinds.
    *("tenon_language_register", "tenon_status_kind"),
    # Python reads attributes from a graph's values, and records frames instead of adding them.
    *("tenon_graph_add_frame", "tenon_graph_attribute_count", "tenon_graph_attribute_value"),
    "tenon_tensor_bump_version",
    # For layers that are written in C.
    *("tenon_thread_slot_register", "tenon_thread_slot_peek", "tenon_profile_set_listener"),
    *("tenon_tensor_wrap_with", "tenon_tensor_new_alias_as", "tenon_op_call_named"),
    "tenon_weak_tensor_retain",
    # Nodes and hooks are Python objects that own what they keep.
    *("tenon_hook_retain", "tenon_tensor_new_detached"),
    # For functions in other languages; Python functions know their own counts.
    "tenon_function_apply",
    *("tenon_function_context_input_count", "tenon_function_context_output_count"),
    # Python's `warnings` receives warnings, and has its own filters and hooks.
    *("tenon_warning_emit_once", "tenon_warning_set_handler"),
    # Shape rules in C work on words, in Python on objects.
    *(
        "tenon_dim_apply",
        "tenon_dim_compare",
        "tenon_tensor_new_symbolic",
        "tenon_tensor_describe_words",
    ),
    *("tenon_symbol_env", "tenon_symbol_evaluate", "tenon_shape_env_retain"),
}


def declared() -> set[str]:
    found = set()
    for header in (ROOT / "capi" / "include" / "tenon").glob("*.h"):
        text = re.sub(r"/\*.*?\*/|//[^\n]*", "", header.read_text(), flags=re.S)
        found |= set(re.findall(r"TENON_API[^;{]*?\b(tenon_\w+)\(", text))
    return found


def test_every_function_has_its_place():
    functions = declared()
    assert len(functions) > 150
    natives = (
        "\n".join(
            path.read_text() for path in (ROOT / "bindings" / "python" / "native").rglob("*.[ch]")
        )
        + (ROOT / "bindings" / "python" / "tenon.i").read_text()
    )
    nowhere = {
        name
        for name in functions - LEFT_OUT
        if not hasattr(_tenon, name) and not re.search(rf"\b{name}\b", natives)
    }
    assert not nowhere, f"wrap these, use them, or leave them out for a reason: {sorted(nowhere)}"


def test_functions_left_out_with_a_reason_are_unused():
    used = {name for name in LEFT_OUT if hasattr(_tenon, name)}
    assert not used


def test_swig_reads_every_public_header():
    folder = ROOT / "capi" / "include" / "tenon"
    text = (ROOT / "bindings" / "swig" / "headers.i").read_text()
    read = set(re.findall(r'%include "tenon/(\w+\.h)"', text))
    assert read == {header.name for header in folder.glob("*.h")} - {"tenon.h"}


def test_constants_exist():
    assert _tenon.TENON_ERROR_TYPE == 2 and _tenon.TENON_TAG_TENSOR == 12
    assert _tenon.TENON_KEY_NONE == 0xFFFFFFFF and _tenon.TENON_KEY_AUTOGRAD == 0x10000


def test_numbers_and_texts():
    assert _tenon.tenon_dtype_size(tenon.float64.code) == 8
    assert _tenon.tenon_status_name(2) == "TENON_ERROR_TYPE"
    assert _tenon.tenon_key_name(_tenon.tenon_key_parse("AutogradCPU")) == "AutogradCPU"
    assert _tenon.tenon_abi_version() >> 16 == _tenon.TENON_ABI_MAJOR


def test_handles_are_checked():
    schema = _tenon.tenon_schema_parse("ns::f() -> ()", -1)
    assert _tenon.tenon_schema_name(schema) == "ns::f"
    with pytest.raises(TypeError, match="plugin handle, got schema"):
        _tenon.tenon_plugin_name(schema)
    with pytest.raises(TypeError, match="schema handle, got int"):
        _tenon.tenon_schema_name(3)
    with pytest.raises(TypeError, match="must be Tensor, got str"):
        _tenon.tenon_tensor_ndim("x")
    with pytest.raises(TypeError, match="must be OpOverload, got int"):
        _tenon.tenon_introspect_dump(3)


def test_streams_of_the_cpu():
    device, handle = _tenon.tenon_stream_current("cpu")
    assert device == tenon.device("cpu") and handle == 0
    _tenon.tenon_stream_synchronize((device, handle))
    with pytest.raises(NotImplementedError):
        _tenon.tenon_stream_new("cpu")
