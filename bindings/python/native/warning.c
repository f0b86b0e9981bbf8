/* SPDX-License-Identifier: Apache-2.0 */
/* Forwards warnings of all languages to Python's `warnings`. */
#include "native.h"

/* Returns the class of a category: a built-in class of that name, otherwise UserWarning. */
static PyObject* category_of(const char* name) {
  PyObject* builtins = PyEval_GetBuiltins(); /* borrowed */
  PyObject* found = PyDict_GetItemString(builtins, name);
  bool fits = found != NULL && PyType_Check(found) &&
              PyType_IsSubtype((PyTypeObject*)found, (PyTypeObject*)PyExc_Warning);
  return fits ? found : PyExc_UserWarning;
}

/* Issues a warning. Drops it if the interpreter has been finalized. */
static tenon_status on_warning(void* ctx, const char* category, const char* message,
                               const char* op) {
  (void)ctx;
  PyGILState_STATE state;
  if (!tnp_attach(&state)) return TENON_OK;
  PyObject *type, *value, *traceback;
  PyErr_Fetch(&type, &value, &traceback);
  bool named = *op == 0 || strstr(message, op) != NULL;
  PyObject* text = PyUnicode_FromFormat("%s%s%s", named ? "" : op, named ? "" : ": ", message);
  /* The innermost Python frame is the operator's caller, or its Python kernel. */
  bool told = text != NULL && PyErr_WarnEx(category_of(category), PyUnicode_AsUTF8(text), 1) == 0;
  Py_XDECREF(text);
  tenon_status status = TENON_OK;
  if (!told) status = tnp_exception_to_slot(); /* a filter turned the warning into an error */
  PyErr_Restore(type, value, traceback);
  tnp_detach(state);
  return status;
}

/* Installs the handler, unless a host that embeds Python has set its own. */
int tnp_warning_init(void) {
  static bool set;
  if (set) return 0;
  if (tnp_check(tenon_warning_set_default_handler(on_warning, NULL, NULL)) != 0) return -1;
  set = true;
  return 0;
}
