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

// ---- Not in the flat layer ----------------------------------------------------------------------
// Structs and callbacks: handled in native/, or not needed in Python.
%rename("$ignore", %$isclass) "";
// Retain and release: the Python objects manage references.
%define LEAVE_OUT(pattern)
%rename("$ignore", regextarget=1, %$isfunction) pattern;
%enddef
LEAVE_OUT("(?<!stream)_(retain|release)$")
// Values, buffers, errors and objects are converted and never reach Python as handles.
LEAVE_OUT("^tenon_(value|buffer|error|object|tag|carrier|wrapper|frame|weak_tensor)_")
LEAVE_OUT("^tenon_op_(call|redispatch|check_arguments|check_results|compute_keys|explain|find)")
LEAVE_OUT("^tenon_op_copy_schema")
LEAVE_OUT("^tenon_(profile_(set_listener|span_count|get_span)|simulator_get_slot)$")
LEAVE_OUT("^tenon_introspect_(get_slot|list_)")
LEAVE_OUT("^tenon_tensor_(new|wrap|undefined|describe|sizes|strides|data|device|set_|storage)")
LEAVE_OUT("^tenon_tensor_dims$")
LEAVE_OUT("^tenon_tensor_(resize|restride|binding|own_|from_|to_|use_count|(visit|clear)_owned$)")
LEAVE_OUT("^tenon_storage_")
LEAVE_OUT("^tenon_generator_")
LEAVE_OUT("^tenon_(node_|backward|grad$|gradcheck|gradgradcheck|hook_|creation_hook_)")
LEAVE_OUT("^tenon_opcheck$")
LEAVE_OUT("^tenon_(saved_hooks_(push|pop)$|language_set_frames$)")
LEAVE_OUT("^tenon_autocast_(enter|leave|set|get|cast|promote)$")
LEAVE_OUT("^tenon_library_(register_autocast|register_autograd|set_gradient_policy)$")
LEAVE_OUT("^tenon_function_")
LEAVE_OUT("^tenon_(fake_|tensor_((is|copy)_fake|copy_symbolic)$|library_register_fake$)")
LEAVE_OUT("^tenon_dual_(make|unpack)$")
LEAVE_OUT("^tenon_(layer_|pullback_|tensor_copy_(layer|plain)$|library_register_vmap$)")
LEAVE_OUT("^tenon_(vmap(_size|_result|_enter)?|vjp|jvp(_enter)?|grad_enter)$")
LEAVE_OUT("^tenon_tensor_(requires_grad|is_leaf|copy_(grad|node|base|data)|detach|add_hook)$")
LEAVE_OUT("^tenon_tensor_(retains?_grad|grad_dtype)$")
LEAVE_OUT("^tenon_(library|registration|key_guard)_")
LEAVE_OUT("^tenon_device_(provider_|copy|parse)")
LEAVE_OUT("^tenon_dtype_(parse|promote)")
LEAVE_OUT("^tenon_schema_(get_|bind$)")
LEAVE_OUT("^tenon_type_")
LEAVE_OUT("^tenon_graph_(add_size|add_number|add_guard|set_dims|print_number)")
LEAVE_OUT("^tenon_graph_(add_input|add_output|append|get_|peek_output|run|bind|define|parse)")
LEAVE_OUT("^tenon_graph_(read|write|rewrite|replace_pattern|list_users)")
LEAVE_OUT("^tenon_(symbol|shape_env|dim)_")
LEAVE_OUT("^tenon_tensor_specialize$")
LEAVE_OUT("^tenon_parallel_(for|set_host)$")
%ignore tenon_registry_add_listener;
%ignore tenon_key_list;
%ignore tenon_thread_state_leave;  // consumes its argument: see leave_thread_state
LEAVE_OUT("^tenon_(mode_|thread_slot_|grad_mode_enter$|warning_(set_|emit_once$))")
%ignore tenon_language_register;
%ignore TENON_SANITIZER_CURRENT;

%include "tenon/common.h"
%include "tenon/status.h"
%include "tenon/types.h"
%include "tenon/value.h"
%include "tenon/tensor.h"
%include "tenon/device.h"
%include "tenon/stream.h"
%include "tenon/generator.h"
%include "tenon/error.h"
%include "tenon/language.h"
%include "tenon/object.h"
%include "tenon/overrides.h"
%include "tenon/mode.h"
%include "tenon/schema.h"
%include "tenon/key.h"
%include "tenon/key_guard.h"
%include "tenon/grad_mode.h"
%include "tenon/autocast.h"
%include "tenon/autograd.h"
%include "tenon/fake.h"
%include "tenon/check.h"
%include "tenon/function.h"
%include "tenon/hooks.h"
%include "tenon/forward_ad.h"
%include "tenon/graph.h"
%include "tenon/graph_size.h"
%include "tenon/transforms.h"
%include "tenon/symbol.h"
%include "tenon/thread.h"
%include "tenon/warning.h"
%include "tenon/kernel.h"
%include "tenon/op.h"
%include "tenon/opcheck.h"
%include "tenon/parallel.h"
%include "tenon/library.h"
%include "tenon/introspect.h"
%include "tenon/profile.h"
%include "tenon/simulator.h"
%include "tenon/plugin.h"

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
