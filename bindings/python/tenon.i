// SPDX-License-Identifier: Apache-2.0
// The Python extension: a flat module over the C headers, plus the native types of native/.
%module tenon

%{
#include "native/native.h"
#include "native/value.h"
%}

#pragma SWIG nowarn=314  // a field named `as`, in a struct that is left out

%include <stdint.i>
%include "typemaps.i"

// ---- What the flat layer leaves out -------------------------------------------------------------
// Structs and callbacks: natives do that work, or nothing in Python needs it.
%rename("$ignore", %$isclass) "";
// References are the objects' business.
%define LEAVE_OUT(pattern)
%rename("$ignore", regextarget=1, %$isfunction) pattern;
%enddef
LEAVE_OUT("(?<!stream)_(retain|release)$")
// Values, buffers, errors and objects never reach Python as such.
LEAVE_OUT("^tenon_(value|buffer|error|object|tag)_")
LEAVE_OUT("^tenon_op_(begin|end|invoke|resolve|call|redispatch|check_arguments|check_results)")
LEAVE_OUT("^tenon_op_(compute_keys|explain|find|copy_schema|list|get_slot)")
LEAVE_OUT("^tenon_(profile_spans|simulator_get_slot)$")
LEAVE_OUT("^tenon_tensor_(new|wrap|undefined|describe|sizes|strides|data|device|set_|storage)")
LEAVE_OUT("^tenon_tensor_(resize|binding|own_|from_|to_|use_count)")
LEAVE_OUT("^tenon_storage_")
LEAVE_OUT("^tenon_(generator_|manual_seed$)")
LEAVE_OUT("^tenon_(library|registration|key_guard)_")
LEAVE_OUT("^tenon_device_(register_provider|provider_get|copy|parse)")
LEAVE_OUT("^tenon_dtype_(parse|promote)")
LEAVE_OUT("^tenon_schema_get_")
LEAVE_OUT("^tenon_type_")
%ignore tenon_registry_add_listener;
%ignore tenon_key_list;
%ignore tenon_profile_set_listener;
%ignore tenon_thread_state_leave;  // consumes its argument: see leave_thread_state
LEAVE_OUT("^tenon_mode_|^tenon_tensor_(carried|wrapped)")
%ignore TENON_SANITIZER_CURRENT;

%include "tenon/common.h"
%include "tenon/status.h"
%include "tenon/types.h"
%include "tenon/value.h"
%include "tenon/tensor.h"
%include "tenon/device.h"
%include "tenon/generator.h"
%include "tenon/error.h"
%include "tenon/object.h"
%include "tenon/overrides.h"
%include "tenon/schema.h"
%include "tenon/op.h"
%include "tenon/dispatch.h"
%include "tenon/library.h"
%include "tenon/introspect.h"
%include "tenon/plugin.h"

%{
static PyObject* leave_thread_state(PyObject* module, PyObject* handle) {
  (void)module;
  tenon_thread_state* state = tnp_handle_get(handle, TNP_HANDLE_THREAD_STATE);
  if (state == NULL) return NULL;
  ((tnp_handle*)handle)->pointer = NULL;
  tenon_thread_state_leave(state);
  Py_RETURN_NONE;
}
static PyMethodDef extra_methods[] = {
    {"tenon_thread_state_leave", leave_thread_state, METH_O, NULL},
    {NULL, NULL, 0, NULL}};
%}

%init %{
  if (PyModule_AddFunctions(m, extra_methods) != 0 || tnp_init(m) != 0) {
#if PY_VERSION_HEX >= 0x03000000
    return NULL;
#endif
  }
%}
