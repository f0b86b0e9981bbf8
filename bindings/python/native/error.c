/* SPDX-License-Identifier: Apache-2.0 */
/* Errors: the exception that holds a C error, and Python exceptions carried by C errors. */
#include <stdarg.h>
#include <stddef.h>

#include "native.h"

typedef struct {
  PyBaseExceptionObject base;
  tenon_error* error; /* NULL if created by Python code */
} error_object;

#define ERROR_TYPES 32
static PyTypeObject* error_type;
static PyObject* error_types[ERROR_TYPES]; /* by status code, set by error.py */

/* ---- From C to Python ------------------------------------------------------------------------ */

/* Creates the exception that holds `error`, taking over its reference. Formats no text. */
static PyObject* exception_of(tenon_error* error) {
  int32_t code = tenon_error_code(error);
  PyTypeObject* type = error_type;
  if (code > 0 && code < ERROR_TYPES && error_types[code] != NULL) {
    type = (PyTypeObject*)error_types[code];
  }
  /* Uses BaseException's own `new`: a subclass's __init__ does not apply to a C error. */
  static PyObject* no_args;
  if (no_args == NULL) no_args = PyTuple_New(0);
  PyObject* exception =
      no_args ? ((PyTypeObject*)PyExc_BaseException)->tp_new(type, no_args, NULL) : NULL;
  if (exception == NULL) {
    tenon_error_release(error);
  } else {
    ((error_object*)exception)->error = error;
  }
  return exception;
}

/* Returns true if an exception already has a note. Notes that it had when it left Python return
 * with it. */
static bool has_note(PyObject* exception, const char* text) {
  PyObject* notes = PyObject_GetAttrString(exception, "__notes__");
  PyObject* note = notes != NULL ? PyUnicode_FromString(text) : NULL;
  int found = note != NULL ? PySequence_Contains(notes, note) : 0;
  Py_XDECREF(note);
  Py_XDECREF(notes);
  PyErr_Clear(); /* an exception without the attribute has no notes */
  return found > 0;
}

/* Adds to an exception that returns to Python the notes that C has added since. */
static void bring_notes(PyObject* exception, const tenon_error* error) {
  tenon_error* own = (tenon_error*)tnp_error_of(exception);
  for (int64_t i = 0; i < tenon_error_note_count(error); i++) {
    const char* text = tenon_error_note(error, i);
    if (has_note(exception, text)) continue;
    if (own != NULL) {
      tenon_error_add_note(own, text);
    } else {
      PyObject* done = PyObject_CallMethod(exception, "add_note", "s", text); /* 3.11 or later */
      Py_XDECREF(done);
      PyErr_Clear(); /* a note that cannot be added must not replace the exception */
    }
  }
}

PyObject* tnp_raise_error(tenon_error* error) {
  tnp_reference* payload = error ? tenon_error_payload(error, TENON_LANGUAGE_PYTHON) : NULL;
  if (payload != NULL) {
    /* A Python exception returns: raise the same object, with its traceback. */
    PyObject* original = payload->object;
    Py_INCREF(original);
    Py_INCREF(Py_TYPE(original));
    if (TNP_UNLIKELY(tenon_error_note_count(error) != 0)) bring_notes(original, error);
    PyErr_Restore((PyObject*)Py_TYPE(original), original, PyException_GetTraceback(original));
    bool nested = tnp_free_begin();
    tenon_error_release(error);
    tnp_free_end(nested);
    return NULL;
  }
  if (error == NULL) {
    PyErr_SetString(PyExc_SystemError, "tenon: a C function failed without an error");
    return NULL;
  }
  PyObject* exception = exception_of(error);
  if (exception == NULL) return NULL;
  const tenon_error* cause = tenon_error_cause(error);
  if (TNP_UNLIKELY(cause != NULL)) {
    PyObject* first = exception_of(tenon_error_retain((tenon_error*)cause));
    if (first != NULL) PyException_SetCause(exception, first);
    PyErr_Clear();
  }
  PyErr_SetObject((PyObject*)Py_TYPE(exception), exception);
  Py_DECREF(exception);
  return NULL;
}

PyObject* tnp_raise(void) { return tnp_raise_error(tenon_error_take()); }

PyObject* tnp_raise_format(tenon_status code, const char* format, ...) {
  va_list list;
  va_start(list, format);
  PyObject* text = PyUnicode_FromFormatV(format, list);
  va_end(list);
  if (text == NULL) return NULL;
  const char* utf8 = PyUnicode_AsUTF8(text);
  if (utf8 != NULL) tnp_raise_error(tenon_error_new(code, NULL, utf8));
  Py_DECREF(text);
  return NULL;
}

void tnp_note(const char* format, ...) {
  PyObject *type, *value, *traceback;
  PyErr_Fetch(&type, &value, &traceback);
  PyErr_NormalizeException(&type, &value, &traceback);
  va_list arguments;
  va_start(arguments, format);
  PyObject* note = PyUnicode_FromFormatV(format, arguments);
  va_end(arguments);
  if (note != NULL && PyObject_TypeCheck(value, error_type) &&
      ((error_object*)value)->error != NULL) {
    const char* text = PyUnicode_AsUTF8(note);
    if (text != NULL) tenon_error_add_note(((error_object*)value)->error, text);
  } else if (note != NULL && PyExceptionInstance_Check(value)) {
    PyObject* done = PyObject_CallMethod(value, "add_note", "O", note); /* since Python 3.11 */
    Py_XDECREF(done);
  }
  Py_XDECREF(note);
  PyErr_Clear(); /* a note that cannot be added must not replace the exception */
  PyErr_Restore(type, value, traceback);
}

PyObject* tnp_text(tenon_buffer* buffer) {
  PyObject* text =
      PyUnicode_DecodeUTF8(tenon_buffer_data(buffer), tenon_buffer_size(buffer), "replace");
  tenon_buffer_release(buffer);
  return text;
}

const tenon_error* tnp_error_of(PyObject* exception) {
  return PyObject_TypeCheck(exception, error_type) ? ((error_object*)exception)->error : NULL;
}

/* ---- From Python to C ------------------------------------------------------------------------ */

static void add_frames(tenon_error* error, PyObject* traceback) {
  /* A traceback runs from the outermost frame inwards; an error lists the innermost first. */
  PyTracebackObject* chain[64];
  int count = 0;
  for (PyTracebackObject* t = (PyTracebackObject*)traceback; t != NULL && count < 64;
       t = t->tb_next) {
    chain[count++] = t;
  }
  while (count-- > 0) {
    PyCodeObject* code = PyFrame_GetCode(chain[count]->tb_frame);
    PyObject* line = PyObject_GetAttrString((PyObject*)chain[count], "tb_lineno");
    long number = line ? PyLong_AsLong(line) : 0;
    const char* function = PyUnicode_AsUTF8(code->co_name);
    const char* file = PyUnicode_AsUTF8(code->co_filename);
    PyErr_Clear();
    tenon_error_add_frame(error, TENON_LANGUAGE_PYTHON, function, file, (int32_t)number);
    Py_XDECREF(line);
    Py_DECREF(code);
  }
}

/* Returns true if an error carries another language's exception, which must be returned there. */
static bool is_foreign(const tenon_error* error) {
  for (uint32_t language = 1; tenon_language_name(language) != NULL; language++) {
    if (language != TENON_LANGUAGE_PYTHON && tenon_error_payload(error, language) != NULL) {
      return true;
    }
  }
  return false;
}

tenon_error* tnp_take_exception(void) {
  PyObject *type, *value, *traceback;
  PyErr_Fetch(&type, &value, &traceback);
  if (type == NULL) {
    return tenon_error_new(TENON_ERROR_INTERNAL, NULL, "a Python call failed without an exception");
  }
  PyErr_NormalizeException(&type, &value, &traceback);
  if (traceback != NULL) PyException_SetTraceback(value, traceback);

  tenon_status code = TENON_ERROR_FOREIGN;
  const char* kind = ((PyTypeObject*)type)->tp_name;
  const tenon_error* inner = tnp_error_of(value);
  if (inner != NULL && is_foreign(inner)) {
    tenon_error* same = tenon_error_retain((tenon_error*)inner);
    if (traceback != NULL) add_frames(same, traceback);
    Py_DECREF(type);
    Py_DECREF(value);
    Py_XDECREF(traceback);
    return same;
  }
  if (inner != NULL) {
    /* One of our errors passed through Python: it keeps its code for other languages. The C error
     * itself cannot be reused, because it would hold the exception that holds it, a reference
     * cycle. */
    code = tenon_error_code(inner);
    kind = tenon_error_kind(inner);
  }
  PyObject* text = PyObject_Str(value);
  const char* message = text ? PyUnicode_AsUTF8(text) : NULL;
  if (message == NULL) {
    PyErr_Clear();
    message = "an exception whose text cannot be read";
  }
  tenon_error* error = tenon_error_new(code, kind, message);
  Py_XDECREF(text);
  if (inner != NULL) {
    for (int64_t i = 0; i < tenon_error_note_count(inner); i++) {
      tenon_error_add_note(error, tenon_error_note(inner, i));
    }
    tenon_error_frame frame;
    for (int64_t i = 0; i < tenon_error_frame_count(inner); i++) {
      if (tenon_error_get_frame(inner, i, &frame) != TENON_OK) break;
      tenon_error_add_frame(error, frame.language, frame.function, frame.file, frame.line);
    }
  }
  if (traceback != NULL) add_frames(error, traceback);
  tnp_reference* payload = tnp_reference_make(value);
  if (payload != NULL) {
    tenon_error_set_payload(error, TENON_LANGUAGE_PYTHON, payload, tnp_reference_drop);
  }
  Py_DECREF(type);
  Py_XDECREF(value);
  Py_XDECREF(traceback);
  return error;
}

tenon_status tnp_exception_to_slot(void) { return tenon_error_set(tnp_take_exception()); }

/* ---- The type -------------------------------------------------------------------------------- */

static void error_dealloc(PyObject* object) {
  error_object* self = (error_object*)object;
  PyTypeObject* type = Py_TYPE(object);
  if (self->error != NULL) {
    tenon_error* error = self->error;
    self->error = NULL;
    tenon_error_release(error);
  }
  ((PyTypeObject*)PyExc_RuntimeError)->tp_dealloc(object);
  Py_DECREF(type);
}

static int error_traverse(PyObject* self, visitproc visit, void* arg) {
  Py_VISIT(Py_TYPE(self));
  return ((PyTypeObject*)PyExc_RuntimeError)->tp_traverse(self, visit, arg);
}

static PyObject* error_str(PyObject* object) {
  error_object* self = (error_object*)object;
  if (self->error == NULL) return ((PyTypeObject*)PyExc_RuntimeError)->tp_str(object);
  const char* message = tenon_error_message(self->error);
  return PyUnicode_DecodeUTF8(message, (Py_ssize_t)strlen(message), "replace");
}

static PyObject* error_repr(PyObject* object) {
  PyObject* text = PyObject_Str(object);
  if (text == NULL) return NULL;
  const char* name = strrchr(Py_TYPE(object)->tp_name, '.');
  PyObject* repr = PyUnicode_FromFormat("%s(%R)", name ? name + 1 : Py_TYPE(object)->tp_name, text);
  Py_DECREF(text);
  return repr;
}

static PyObject* get_args(PyObject* object, void* unused) {
  (void)unused;
  error_object* self = (error_object*)object;
  if (self->error == NULL) {
    Py_INCREF(self->base.args);
    return self->base.args;
  }
  return Py_BuildValue("(N)", error_str(object));
}

static int set_args(PyObject* object, PyObject* value, void* unused) {
  (void)unused;
  PyObject* args = value ? PySequence_Tuple(value) : PyTuple_New(0);
  if (args == NULL) return -1;
  Py_XSETREF(((error_object*)object)->base.args, args);
  return 0;
}

static PyObject* get_code(PyObject* object, void* unused) {
  (void)unused;
  error_object* self = (error_object*)object;
  if (self->error != NULL)
    return PyUnicode_FromString(tenon_status_name(tenon_error_code(self->error)));
  for (int code = 1; code < ERROR_TYPES; code++) {
    if ((PyObject*)Py_TYPE(object) == error_types[code]) {
      return PyUnicode_FromString(tenon_status_name(code));
    }
  }
  return PyUnicode_FromString(tenon_status_name(TENON_ERROR_RUNTIME));
}

static PyObject* get_kind(PyObject* object, void* unused) {
  (void)unused;
  error_object* self = (error_object*)object;
  if (self->error != NULL) return PyUnicode_FromString(tenon_error_kind(self->error));
  return PyUnicode_FromString(Py_TYPE(object)->tp_name);
}

static PyObject* get_details(PyObject* object, void* unused) {
  (void)unused;
  error_object* self = (error_object*)object;
  if (self->error == NULL) return error_str(object);
  const char* text = tenon_error_format(self->error);
  return PyUnicode_DecodeUTF8(text, (Py_ssize_t)strlen(text), "replace");
}

static PyObject* get_frames(PyObject* object, void* unused) {
  (void)unused;
  error_object* self = (error_object*)object;
  int64_t count = self->error ? tenon_error_frame_count(self->error) : 0;
  PyObject* list = PyList_New(0);
  for (int64_t i = 0; list != NULL && i < count; i++) {
    tenon_error_frame frame;
    if (tenon_error_get_frame(self->error, i, &frame) != TENON_OK) break;
    const char* language = tenon_language_name(frame.language);
    PyObject* item =
        Py_BuildValue("(szzi)", language ? language : "", frame.function, frame.file, frame.line);
    if (item == NULL || PyList_Append(list, item) != 0) Py_CLEAR(list);
    Py_XDECREF(item);
  }
  return list;
}

/* Creates `__notes__` from the error's notes on first access, so that raising formats nothing. */
static PyObject* get_notes(PyObject* object, void* unused) {
  (void)unused;
  error_object* self = (error_object*)object;
  PyObject* dict = PyObject_GenericGetDict(object, NULL);
  if (dict == NULL) return NULL;
  PyObject* notes = PyDict_GetItemString(dict, "__notes__");
  Py_XINCREF(notes);
  if (notes == NULL) {
    notes = PyList_New(0);
    int64_t count = self->error ? tenon_error_note_count(self->error) : 0;
    for (int64_t i = 0; notes != NULL && i < count; i++) {
      PyObject* note = PyUnicode_FromString(tenon_error_note(self->error, i));
      if (note == NULL || PyList_Append(notes, note) != 0) Py_CLEAR(notes);
      Py_XDECREF(note);
    }
    if (notes != NULL && PyDict_SetItemString(dict, "__notes__", notes) != 0) Py_CLEAR(notes);
  }
  Py_DECREF(dict);
  return notes;
}

static int set_notes(PyObject* object, PyObject* value, void* unused) {
  (void)unused;
  PyObject* dict = PyObject_GenericGetDict(object, NULL);
  if (dict == NULL) return -1;
  int result = value ? PyDict_SetItemString(dict, "__notes__", value)
                     : PyDict_DelItemString(dict, "__notes__");
  Py_DECREF(dict);
  return result;
}

static PyObject* error_reduce(PyObject* object, PyObject* unused) {
  (void)unused;
  PyObject* args = get_args(object, NULL);
  if (args == NULL) return NULL;
  return Py_BuildValue("(ON)", Py_TYPE(object), args);
}

static PyGetSetDef error_getset[] = {
    {"args", get_args, set_args, NULL, NULL},
    {"code", get_code, NULL, "Name of the status, such as \"TENON_ERROR_TYPE\".", NULL},
    {"kind", get_kind, NULL, "Kind of the error, or the class of another language's exception.",
     NULL},
    {"frames", get_frames, NULL,
     "Places the error passed through: (language, function, file, line), innermost first.", NULL},
    {"details", get_details, NULL, "Kind, message, notes, frames and causes as text.", NULL},
    {"__notes__", get_notes, set_notes, NULL, NULL},
    {NULL, NULL, NULL, NULL, NULL}};

static PyMethodDef error_methods[] = {{"__reduce__", error_reduce, METH_NOARGS, NULL},
                                      {NULL, NULL, 0, NULL}};

static PyType_Slot error_slots[] = {
    {Py_tp_doc, "An error of Tenon. Subclasses also derive from the built-in exception they are."},
    {Py_tp_dealloc, error_dealloc},
    {Py_tp_traverse, error_traverse},
    {Py_tp_str, error_str},
    {Py_tp_repr, error_repr},
    {Py_tp_getset, error_getset},
    {Py_tp_methods, error_methods},
    {0, NULL}};
static PyType_Spec error_spec = {"tenon.Error", sizeof(error_object), 0,
                                 Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE | Py_TPFLAGS_HAVE_GC,
                                 error_slots};

static PyObject* set_error_type(PyObject* module, PyObject* args) {
  (void)module;
  int code;
  PyObject* type;
  if (!PyArg_ParseTuple(args, "iO!", &code, &PyType_Type, &type)) return NULL;
  if (code <= 0 || code >= ERROR_TYPES || !PyType_IsSubtype((PyTypeObject*)type, error_type)) {
    PyErr_SetString(PyExc_ValueError, "set_error_type: type must be a subclass of tenon.Error");
    return NULL;
  }
  Py_INCREF(type);
  Py_XSETREF(error_types[code], type);
  Py_RETURN_NONE;
}

static PyMethodDef methods[] = {
    {"_set_error_type", set_error_type, METH_VARARGS, "Names the exception class of a status."},
    {NULL, NULL, 0, NULL}};

int tnp_errors_init(PyObject* module) {
  if (PyModule_AddFunctions(module, methods) != 0) return -1;
  return tnp_add_type(module, &error_type, &error_spec, PyExc_RuntimeError);
}
