// SPDX-License-Identifier: Apache-2.0
// The Python extension: a flat module of the C headers, plus the types implemented in native/.
%module tenon

%{
#include "native/native.h"
#include "native/value.h"
%}

#pragma SWIG nowarn=314  // a field named `as`, in a struct that is left out

// Integers by width. SWIG's stdint.i says that int64_t is a `long long`, which differs from the
// compiler's `long` on 64-bit Linux, so that pointers to the two are of incompatible types.
%apply int { int32_t };
%apply unsigned int { uint32_t };
%apply long long { int64_t };
%apply unsigned long long { uint64_t };
%apply short { int16_t };
%apply unsigned short { uint16_t };
%include "typemaps.i"

// ---- What the flat module has -------------------------------------------------------------------
// Constants, and the functions below, whose arguments are numbers, texts and handles. Tensors,
// values, operators, kernels and modes are types of native/, which calls the C interface itself.
%rename("$ignore", %$isclass) "";
%rename("$ignore", %$isfunction) "";
%ignore TENON_SANITIZER_CURRENT;
%define TAKE(name)
%rename("%s", %$isfunction) name;
%enddef
TAKE(tenon_abi_version)
TAKE(tenon_version)
TAKE(tenon_status_name)
TAKE(tenon_dtype_size)
TAKE(tenon_tensor_ndim)
TAKE(tenon_tensor_flags)
TAKE(tenon_device_count)
TAKE(tenon_stream_current)
TAKE(tenon_stream_new)
TAKE(tenon_stream_release)
TAKE(tenon_stream_set_current)
TAKE(tenon_stream_synchronize)
TAKE(tenon_language_name)
TAKE(tenon_schema_parse)
TAKE(tenon_schema_text)
TAKE(tenon_schema_name)
TAKE(tenon_schema_overload)
TAKE(tenon_schema_flags)
TAKE(tenon_schema_equal)
TAKE(tenon_schema_check_compatible)
TAKE(tenon_schema_signature)
TAKE(tenon_schema_signature_hash)
TAKE(tenon_key_parse)
TAKE(tenon_key_name)
TAKE(tenon_key_for_device)
TAKE(tenon_backend_register)
TAKE(tenon_functionality_register)
TAKE(tenon_keyset_from_key)
TAKE(tenon_keyset_has)
TAKE(tenon_keyset_highest)
TAKE(tenon_keyset_below)
TAKE(tenon_keyset_remove)
TAKE(tenon_keyset_print)
TAKE(tenon_keyset_included)
TAKE(tenon_keyset_excluded)
TAKE(tenon_grad_mode_set)
TAKE(tenon_grad_mode_get)
TAKE(tenon_autocast_clear_cache)
TAKE(tenon_tensor_increment_version)
TAKE(tenon_saved_hooks_disable)
TAKE(tenon_saved_hooks_refusal)
TAKE(tenon_anomaly_set)
TAKE(tenon_anomaly_get)
TAKE(tenon_dual_enter)
TAKE(tenon_dual_leave)
TAKE(tenon_dual_level)
TAKE(tenon_graph_begin)
TAKE(tenon_graph_end)
TAKE(tenon_graph_is_recording)
TAKE(tenon_graph_new)
TAKE(tenon_graph_add_attribute)
TAKE(tenon_graph_add_element)
TAKE(tenon_graph_input_count)
TAKE(tenon_graph_node_count)
TAKE(tenon_graph_output_count)
TAKE(tenon_graph_value_count)
TAKE(tenon_graph_input_value)
TAKE(tenon_graph_transform)
TAKE(tenon_graph_check)
TAKE(tenon_graph_functionalize)
TAKE(tenon_graph_print)
TAKE(tenon_graph_save)
TAKE(tenon_graph_load)
TAKE(tenon_vmap_loops)
TAKE(tenon_vmap_set_loops)
TAKE(tenon_vmap_loop_warnings)
TAKE(tenon_vmap_set_loop_warnings)
TAKE(tenon_thread_state_capture)
TAKE(tenon_thread_state_enter)
TAKE(tenon_warning_emit)
TAKE(tenon_warning_reset_once)
TAKE(tenon_op_copy_tags)
TAKE(tenon_parallel_set_threads)
TAKE(tenon_parallel_get_threads)
TAKE(tenon_registry_reap)
TAKE(tenon_introspect_dump)
TAKE(tenon_introspect_dump_table)
TAKE(tenon_introspect_check)
TAKE(tenon_introspect_live_count)
TAKE(tenon_introspect_handle_count)
TAKE(tenon_introspect_handle_name)
TAKE(tenon_profile_begin)
TAKE(tenon_profile_end)
TAKE(tenon_simulator_new)
TAKE(tenon_simulator_register)
TAKE(tenon_simulator_remove)
TAKE(tenon_simulator_print)
TAKE(tenon_simulator_explain)
TAKE(tenon_plugin_load)
TAKE(tenon_plugin_unload)
TAKE(tenon_plugin_name)
TAKE(tenon_plugin_path)
TAKE(tenon_plugin_version)
TAKE(tenon_plugin_is_loaded)

%include "headers.i"

%{
static PyObject* leave_thread_state(PyObject* module, PyObject* handle) {
  (void)module;
  tenon_thread_state* state = tnp_handle_get(handle, TNP_HANDLE_THREAD_STATE);
  if (state == NULL) return NULL;
  if (tnp_check(tenon_thread_state_leave(state)) != 0) return NULL;
  ((tnp_handle*)handle)->pointer = NULL;
  Py_RETURN_NONE;
}
static PyMethodDef extra_methods[] = {
    {"tenon_thread_state_leave", leave_thread_state, METH_O, NULL},
    {NULL, NULL, 0, NULL}};
%}

// SWIG 4.4 and later initialize modules in two phases: this code is then in a function that returns
// a status, with older versions in one that returns the module.
%init %{
  if (PyModule_AddFunctions(m, extra_methods) != 0 || tnp_init(m) != 0) {
#if SWIG_VERSION >= 0x040400
    return -1;
#else
    return NULL;
#endif
  }
%}
