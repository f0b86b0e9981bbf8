// SPDX-License-Identifier: Apache-2.0
// Maps C types to Python: handles to our own objects, statuses to exceptions.

// ---- Statuses: None, or an exception ------------------------------------------------------------
%typemap(out) tenon_status {
  if (tnp_check($1) != 0) SWIG_fail;
  Py_INCREF(Py_None);
  $result = Py_None;
}

// ---- Handles in ---------------------------------------------------------------------------------
%typemap(in) const tenon_tensor*, tenon_tensor* {
  if (!TNP_IS_TENSOR($input)) {
    tnp_raise_format(TENON_ERROR_TYPE, "$symname: $1_name must be Tensor, got %s",
                     Py_TYPE($input)->tp_name);
    SWIG_fail;
  }
  $1 = tnp_tensor_get($input);
  if ($1 == NULL) SWIG_fail;
}
%typemap(in) const tenon_op* {
  if ($input == Py_None) {
    $1 = NULL;
  } else if (Py_TYPE($input) == tnp_op_type) {
    $1 = (tenon_op*)((tnp_op*)$input)->op;
  } else {
    tnp_raise_format(TENON_ERROR_TYPE, "$symname: $1_name must be OpOverload, got %s",
                     Py_TYPE($input)->tp_name);
    SWIG_fail;
  }
}
%define HANDLE(ctype, kind)
%typemap(in) const ctype*, ctype* {
  $1 = tnp_handle_get($input, kind);
  if ($1 == NULL) SWIG_fail;
}
%typemap(in, numinputs=0) ctype** (ctype* handle = NULL) {
  $1 = &handle;
}
%typemap(argout) ctype** {
  Py_DECREF($result);
  $result = tnp_handle_new(kind, handle$argnum);
}
%typemap(out) ctype* {
  $result = tnp_handle_new(kind, (void*)$1);
}
%enddef
HANDLE(tenon_schema, TNP_HANDLE_SCHEMA)
HANDLE(tenon_plugin, TNP_HANDLE_PLUGIN)
HANDLE(tenon_thread_state, TNP_HANDLE_THREAD_STATE)
HANDLE(tenon_profile, TNP_HANDLE_PROFILE)
HANDLE(tenon_simulator, TNP_HANDLE_SIMULATOR)
HANDLE(tenon_graph, TNP_HANDLE_GRAPH)

// An array of names from a sequence of str.
%typemap(in) (const char* const* keys, int64_t nkeys) (PyObject* names = NULL,
                                                       const char** texts = NULL) {
  names = PySequence_Tuple($input);
  if (names == NULL) SWIG_fail;
  texts = PyMem_Calloc((size_t)PyTuple_GET_SIZE(names) + 1, sizeof *texts);
  if (texts == NULL) {
    PyErr_NoMemory();
    SWIG_fail;
  }
  for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(names); i++) {
    texts[i] = PyUnicode_AsUTF8(PyTuple_GET_ITEM(names, i));
    if (texts[i] == NULL) SWIG_fail;
  }
  $1 = ($1_ltype)texts;  // SWIG's local variable lacks the parameter's const
  $2 = (int64_t)PyTuple_GET_SIZE(names);
}
%typemap(freearg) (const char* const* keys, int64_t nkeys) {
  PyMem_Free(texts$argnum);
  Py_XDECREF(names$argnum);
}

%typemap(in) const tenon_device* (tenon_device temp) {
  int found = tnp_to_device($input, &temp);
  if (found < 0) SWIG_fail;
  if (found == 0) {
    tnp_raise_format(TENON_ERROR_TYPE, "$symname: $1_name must be device or str, got %s",
                     Py_TYPE($input)->tp_name);
    SWIG_fail;
  }
  $1 = &temp;
}

// ---- Results by pointer -------------------------------------------------------------------------
%typemap(in, numinputs=0) tenon_buffer** out_text (tenon_buffer* text = NULL) {
  $1 = &text;
}
%typemap(argout) tenon_buffer** out_text {
  Py_DECREF($result);
  $result = tnp_text(text$argnum);
}
%define RESULT(ctype, name, make)
%typemap(in, numinputs=0) ctype* name (ctype value = 0) {
  $1 = &value;
}
%typemap(argout) ctype* name {
  Py_DECREF($result);
  $result = make(value$argnum);
}
%enddef
RESULT(tenon_key, out_key, PyLong_FromUnsignedLong)
RESULT(tenon_keyset, out_keys, PyLong_FromUnsignedLongLong)
RESULT(int32_t, out_count, PyLong_FromLong)
RESULT(int64_t, out_level, PyLong_FromLongLong)
RESULT(int64_t, out_value, PyLong_FromLongLong)
RESULT(int32_t, out_device_type, PyLong_FromLong)
%typemap(in, numinputs=0) tenon_stream* out_stream (tenon_stream temp) {
  $1 = &temp;
}
%typemap(argout) tenon_stream* out_stream {
  tenon_value boxed = {TENON_TAG_STREAM, 0, 0, {0}};
  boxed.as.stream = temp$argnum;
  Py_DECREF($result);
  $result = tnp_from_value(&boxed, false);
}
%typemap(in) const tenon_stream* (tenon_stream temp) {
  PyObject* handle;
  PyObject* device;
  if (!PyArg_ParseTuple($input, "OO", &device, &handle) ||
      tnp_to_device(device, &temp.device) != 1) {
    if (!PyErr_Occurred()) {
      tnp_raise_format(TENON_ERROR_TYPE, "$symname: $1_name must be (device, handle), got %R",
                       $input);
    }
    SWIG_fail;
  }
  temp.handle = PyLong_AsVoidPtr(handle);
  if (PyErr_Occurred()) SWIG_fail;
  $1 = &temp;
}

// ---- Functions that may wait for a lock or load a plugin: release the GIL -----------------------
%define BLOCKS(function)
%exception function {
  Py_BEGIN_ALLOW_THREADS
  $action
  Py_END_ALLOW_THREADS
}
%enddef
BLOCKS(tenon_plugin_load)
BLOCKS(tenon_plugin_unload)
BLOCKS(tenon_functionality_register)
BLOCKS(tenon_backend_register)
BLOCKS(tenon_device_count)
BLOCKS(tenon_stream_synchronize)
BLOCKS(tenon_introspect_check)
BLOCKS(tenon_registry_reap)
BLOCKS(tenon_graph_save)
BLOCKS(tenon_graph_load)
BLOCKS(tenon_graph_transform)
BLOCKS(tenon_graph_functionalize)
BLOCKS(tenon_graph_check)

// Texts: reject embedded NULs, after which C would ignore the rest.
%typemap(in) const char * {
  if ($input != Py_None) {
    if (!PyUnicode_Check($input)) {
      SWIG_exception_fail(SWIG_TypeError,
                          "in method '$symname', argument $argnum of type 'char const *'");
    }
    $1 = (char *)tnp_utf8($input);
    if ($1 == NULL) SWIG_fail;
  } else {
    $1 = NULL;
  }
}
%typemap(freearg) const char * ""
