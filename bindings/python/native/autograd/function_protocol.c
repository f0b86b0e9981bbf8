/* SPDX-License-Identifier: Apache-2.0 */
/* `__torch_function__` for calls of public functions from Python. For calls from other languages,
 * and objects of other languages, the dispatcher calls the same handlers: see overrides.c. */
#include "function_protocol.h"

#include "handler_watch.h"
#include "overrides.h"

PyTypeObject* tnp_plain_type;

static PyObject* handler_name;     /* "__torch_function__" */
static PyObject* default_handler;  /* the one of class Tensor */
static PyObject* disabled_handler; /* the handler of classes that disable theirs */
static Py_ssize_t modes_on;        /* number of Python modes enabled in all threads */
static _Thread_local Py_ssize_t classes_disabled;

void tnp_count_modes(int change) {
  modes_on += change;
  tnp_plain_type = modes_on == 0 ? tnp_tensor_type : NULL;
}

/* ---- Finding handlers ------------------------------------------------------------------------ */

static bool key_is_excluded(void) { return tenon_keyset_excluded() >> TNP_OVERRIDE_BIT & 1; }

/* Returns the innermost mode, borrowed, if it is a Python mode. */
static tenon_object* innermost_python_mode(void) {
  tenon_object* mode = tenon_mode_get(TENON_MODE_OVERRIDE, 0);
  const bool ours = mode != NULL && tenon_object_get_type(mode)->language == TENON_LANGUAGE_PYTHON;
  return ours ? mode : NULL;
}

bool tnp_mode_has_handler_slow(void) {
  return innermost_python_mode() != NULL && !key_is_excluded();
}

/* Returns true if instances of a type are PyTorch's own tensors. Such tensors are converted; their
 * handler is for PyTorch's functions and would call any other function again. */
static bool is_of_torch(PyTypeObject* type) {
  for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(type->tp_mro); i++) {
    PyTypeObject* base = (PyTypeObject*)PyTuple_GET_ITEM(type->tp_mro, i);
    if (strcmp(base->tp_name, "Tensor") != 0) continue;
    PyObject* module = PyDict_GetItemString(base->tp_dict, "__module__");
    if (module != NULL && PyUnicode_Check(module) &&
        PyUnicode_CompareWithASCIIString(module, "torch") == 0) {
      return true;
    }
  }
  return false;
}

PyObject* tnp_function_handler(PyTypeObject* type) {
  if (type == tnp_tensor_type) return NULL;
  PyObject* found = _PyType_Lookup(type, handler_name);
  if (found == NULL || found == Py_None || found == disabled_handler) return NULL;
  return !PyType_IsSubtype(type, tnp_tensor_type) && is_of_torch(type) ? NULL : found;
}

bool tnp_classes_disabled(void) { return classes_disabled != 0; }

bool tnp_class_has_handler_slow(PyObject* object) {
  return tnp_function_handler(Py_TYPE(object)) != NULL && classes_disabled == 0 &&
         !key_is_excluded();
}

/* Returns 1 if an object's class has a handler, -1 if an object of another language takes part, so
 * that the dispatcher has to call the handlers. */
static int look_at(PyObject* object, int depth) {
  PyTypeObject* type = Py_TYPE(object);
  if (type == tnp_tensor_type) return 0;
  if (depth > 0 && (type == &PyTuple_Type || type == &PyList_Type)) {
    int found = 0;
    for (Py_ssize_t i = 0; found >= 0 && i < PySequence_Fast_GET_SIZE(object); i++) {
      int one = look_at(PySequence_Fast_GET_ITEM(object, i), depth - 1);
      if (one != 0) found = one;
    }
    return found;
  }
  if (!(type->tp_flags & Py_TPFLAGS_HEAPTYPE)) return 0;
  if (tnp_is_foreign(object)) return tnp_overrides(object) ? -1 : 0;
  return tnp_class_has_handler_slow(object);
}

bool tnp_has_handler_slow(PyObject* const* args, Py_ssize_t count) {
  int found = 0;
  for (Py_ssize_t i = 0; found >= 0 && i < count; i++) {
    int one = look_at(args[i], 2);
    if (one != 0) found = one;
  }
  return found > 0 || tnp_mode_has_handler();
}

/* ---- A call with handlers -------------------------------------------------------------------- */

#define FEW 8

typedef struct {
  PyObject* func;
  PyObject* const* args;
  Py_ssize_t nargs;
  PyObject* kwnames;
  PyObject** asked; /* one object per class with a handler, borrowed, in calling order */
  Py_ssize_t count, room;
  bool foreign; /* an object of another language takes part */
  PyObject* few[FEW];
  /* Arguments of a handler: the object that it is called on, then func, types, args and kwargs.
   * Those after the object are created for the first handler. */
  PyObject* packed[5];
} request;

/* Adds one object per class from left to right, but a subclass before its bases. */
static int take(request* r, PyObject* object) {
  PyTypeObject* type = Py_TYPE(object);
  Py_ssize_t at = r->count;
  for (Py_ssize_t i = r->count; i-- > 0;) {
    if (Py_TYPE(r->asked[i]) == type) return 0;
    if (PyType_IsSubtype(type, Py_TYPE(r->asked[i]))) at = i;
  }
  if (r->count == r->room) {
    Py_ssize_t room = 2 * r->room;
    PyObject** more =
        PyMem_Realloc(r->asked == r->few ? NULL : r->asked, (size_t)room * sizeof *more);
    if (more == NULL) return PyErr_NoMemory(), -1;
    if (r->asked == r->few) memcpy(more, r->few, sizeof r->few);
    r->asked = more;
    r->room = room;
  }
  memmove(r->asked + at + 1, r->asked + at, (size_t)(r->count - at) * sizeof *r->asked);
  r->asked[at] = object;
  r->count++;
  return 0;
}

static int take_all(request* r, PyObject* object, int depth) {
  if (depth > 0 && (PyTuple_CheckExact(object) || PyList_CheckExact(object))) {
    for (Py_ssize_t i = 0; i < PySequence_Fast_GET_SIZE(object); i++) {
      if (take_all(r, PySequence_Fast_GET_ITEM(object, i), depth - 1) != 0) return -1;
    }
    return 0;
  }
  r->foreign = r->foreign || (tnp_is_foreign(object) && tnp_overrides(object));
  return tnp_class_has_handler(object) ? take(r, object) : 0;
}

static PyObject* types_of(const request* r) {
  PyObject* types = PyTuple_New(r->count);
  for (Py_ssize_t i = 0; types != NULL && i < r->count; i++) {
    PyTuple_SET_ITEM(types, i, Py_NewRef((PyObject*)Py_TYPE(r->asked[i])));
  }
  return types;
}

/* Builds the arguments of handlers on first use. */
static int pack(request* r) {
  if (r->packed[1] != NULL) return 0;
  PyObject* kwargs = PyDict_New();
  PyObject* args = PyTuple_New(r->nargs);
  PyObject* types = types_of(r);
  bool failed = kwargs == NULL || args == NULL || types == NULL;
  for (Py_ssize_t i = 0; !failed && i < r->nargs; i++) {
    PyTuple_SET_ITEM(args, i, Py_NewRef(r->args[i]));
  }
  Py_ssize_t named = r->kwnames != NULL ? PyTuple_GET_SIZE(r->kwnames) : 0;
  for (Py_ssize_t i = 0; !failed && i < named; i++) {
    failed = PyDict_SetItem(kwargs, PyTuple_GET_ITEM(r->kwnames, i), r->args[r->nargs + i]) != 0;
  }
  if (failed) {
    Py_XDECREF(types);
    Py_XDECREF(args);
    Py_XDECREF(kwargs);
    return -1;
  }
  r->packed[1] = r->func;
  r->packed[2] = types;
  r->packed[3] = args;
  r->packed[4] = kwargs;
  return 0;
}

static PyObject* call_handler(request* r, PyObject* object) {
  if (pack(r) != 0) return NULL;
  r->packed[0] = object;
  PyObject* open = tnp_begin_handler(r->func, Py_TYPE(object));
  PyObject* result = PyObject_VectorcallMethod(handler_name, r->packed, 5, NULL);
  tnp_end_handler(open, result == NULL);
  return result;
}

/* ---- Tensor's own handler -------------------------------------------------------------------- */

/* Returns a tensor as an object of `cls`: itself if there are no other references, or an alias. */
static PyObject* tensor_as(PyObject* tensor, PyTypeObject* cls) {
  if (PyType_IsSubtype(Py_TYPE(tensor), cls)) return tensor;
  PyObject* result = tnp_tensor_as_class(tensor, cls);
  Py_DECREF(tensor);
  return result;
}

static PyObject* as_class(PyObject* result, PyTypeObject* cls);

static PyObject* items_as(PyObject* result, PyTypeObject* cls) {
  PyObject* items = PySequence_List(result);
  for (Py_ssize_t i = 0; items != NULL && i < PyList_GET_SIZE(items); i++) {
    PyObject* item = as_class(Py_NewRef(PyList_GET_ITEM(items, i)), cls);
    if (item == NULL)
      Py_CLEAR(items);
    else
      PyList_SetItem(items, i, item);
  }
  PyObject* converted =
      items != NULL ? PyObject_CallOneArg((PyObject*)Py_TYPE(result), items) : NULL;
  Py_XDECREF(items);
  Py_DECREF(result);
  return converted;
}

/* Converts the tensors of a result, also in lists and tuples, to `cls`. Takes over the result. */
static PyObject* as_class(PyObject* result, PyTypeObject* cls) {
  if (TNP_IS_TENSOR(result)) return tensor_as(result, cls);
  if (!PyTuple_Check(result) && !PyList_Check(result)) return result;
  if (Py_EnterRecursiveCall(" while results became objects of a subclass of Tensor") != 0) {
    Py_DECREF(result);
    return NULL;
  }
  PyObject* converted = items_as(result, cls);
  Py_LeaveRecursiveCall();
  return converted;
}

/* Runs a function with class handlers disabled. */
static PyObject* run_disabled(PyObject* func, PyObject* const* args, size_t nargsf,
                              PyObject* kwnames) {
  classes_disabled++;
  PyObject* result = PyObject_Vectorcall(func, args, nargsf, kwnames);
  classes_disabled--;
  return result;
}

static PyObject* plain_results; /* functions whose results are not converted: a set, or NULL */

/* Converts the results of a called function as Tensor's own handler does. */
static PyObject* finish_default(PyTypeObject* cls, PyObject* func, PyObject* result) {
  if (result == NULL || cls == tnp_tensor_type) return result;
  int stays = plain_results != NULL ? PySet_Contains(plain_results, func) : 0;
  if (stays < 0) Py_CLEAR(result);
  return stays != 0 ? result : as_class(result, cls);
}

static PyObject* run_default(request* r, PyTypeObject* cls) {
  for (Py_ssize_t i = 0; i < r->count; i++) {
    if (!PyType_IsSubtype(cls, Py_TYPE(r->asked[i]))) Py_RETURN_NOTIMPLEMENTED;
  }
  PyObject* open = tnp_begin_handler(r->func, cls);
  PyObject* result = run_disabled(r->func, r->args, (size_t)r->nargs, r->kwnames);
  result = finish_default(cls, r->func, result);
  tnp_end_handler(open, result == NULL);
  return result;
}

/* ---- Calling handlers ------------------------------------------------------------------------ */

/* Calls the handlers of modes, innermost first, each with itself and the modes inside it disabled.
 * Stops at a mode of another language. Returns NotImplemented if all handlers that were called
 * declined. */
static PyObject* ask_modes(request* r) {
  tenon_object* mode = innermost_python_mode();
  if (mode == NULL || key_is_excluded()) {
    /* The dispatcher calls class handlers if objects of other languages are among the arguments. */
    if (r->foreign) return PyObject_Vectorcall(r->func, r->args, (size_t)r->nargs, r->kwnames);
    Py_RETURN_NOTIMPLEMENTED;
  }
  PyObject* object = tnp_object_open(mode);
  if (object == NULL) return NULL;
  tenon_object_retain(mode);
  PyObject* result = NULL;
  if (tnp_check(tenon_mode_pop(TENON_MODE_OVERRIDE, mode)) == 0) {
    result = call_handler(r, object);
    if (result == Py_NotImplemented) Py_SETREF(result, ask_modes(r));
    if (tenon_mode_push(TENON_MODE_OVERRIDE, mode) != TENON_OK) {
      Py_CLEAR(result);
      tnp_raise();
    }
  }
  tenon_object_release(mode);
  Py_DECREF(object);
  return result;
}

static PyObject* ask_classes(request* r) {
  for (Py_ssize_t i = 0; i < r->count; i++) {
    PyObject* object = r->asked[i];
    PyObject* result = tnp_function_handler(Py_TYPE(object)) == default_handler
                           ? run_default(r, Py_TYPE(object))
                           : call_handler(r, object);
    if (result != Py_NotImplemented) return result;
    Py_DECREF(result);
  }
  Py_RETURN_NOTIMPLEMENTED;
}

/* Returns the name of a function as users write it. */
static PyObject* name_of(PyObject* func) {
  static PyObject* resolve; /* of tenon.override_names */
  if (resolve == NULL) {
    PyObject* module = PyImport_ImportModule("tenon.override_names");
    resolve = module != NULL ? PyObject_GetAttrString(module, "_name_of") : NULL;
    Py_XDECREF(module);
    if (resolve == NULL) return NULL;
  }
  return PyObject_CallOneArg(resolve, func);
}

static PyObject* no_implementation(request* r) {
  PyObject* name = name_of(r->func);
  PyObject* names = name != NULL ? PyList_New(r->count) : NULL;
  for (Py_ssize_t i = 0; names != NULL && i < r->count; i++) {
    PyObject* one = PyObject_GetAttrString((PyObject*)Py_TYPE(r->asked[i]), "__name__");
    if (one == NULL)
      Py_CLEAR(names);
    else
      PyList_SET_ITEM(names, i, one);
  }
  PyObject* separator = names != NULL ? PyUnicode_FromString(", ") : NULL;
  PyObject* text = separator != NULL ? PyUnicode_Join(separator, names) : NULL;
  if (text != NULL) {
    tnp_raise_format(TENON_ERROR_TYPE,
                     "no implementation found for '%U' on types that implement "
                     "__torch_function__: [%U]%s",
                     name, text, tnp_mode_has_handler() ? ", nor in the modes that are on" : "");
  }
  Py_XDECREF(text);
  Py_XDECREF(separator);
  Py_XDECREF(names);
  Py_XDECREF(name);
  return NULL;
}

/* Calls the handlers of a request, and ends the request. */
static PyObject* serve(request* r, bool failed) {
  PyObject* result = NULL;
  /* Handlers may call the function again; the recursion check stops endless recursion. */
  if (!failed && Py_EnterRecursiveCall(" in __torch_function__") == 0) {
    result = tnp_mode_has_handler() ? ask_modes(r) : Py_NewRef(Py_NotImplemented);
    if (result == Py_NotImplemented) Py_SETREF(result, ask_classes(r));
    Py_LeaveRecursiveCall();
  }
  if (result == Py_NotImplemented) Py_SETREF(result, no_implementation(r));
  for (int i = 2; i < 5; i++) Py_XDECREF(r->packed[i]);
  if (r->asked != r->few) PyMem_Free(r->asked);
  return result;
}

static void begin(request* r, PyObject* func, PyObject* const* args, Py_ssize_t nargs,
                  PyObject* kwnames) {
  r->func = func;
  r->args = args;
  r->nargs = nargs;
  r->kwnames = kwnames;
  r->asked = r->few;
  r->count = 0;
  r->room = FEW;
  r->foreign = false;
  memset(r->packed, 0, sizeof r->packed);
}

PyObject* tnp_call_handlers(PyObject* func, PyObject* const* args, Py_ssize_t nargs,
                            PyObject* kwnames) {
  request r;
  begin(&r, func, args, nargs, kwnames);
  const Py_ssize_t count = nargs + (kwnames != NULL ? PyTuple_GET_SIZE(kwnames) : 0);
  bool failed = false;
  for (Py_ssize_t i = 0; !failed && i < count; i++) failed = take_all(&r, args[i], 2) != 0;
  return serve(&r, failed);
}

PyObject* tnp_call_member_handlers(tnp_member* member, PyObject* const* args, Py_ssize_t nargs) {
  if (member->key == NULL && (member->key = PyUnicode_InternFromString(member->name)) == NULL) {
    return NULL;
  }
  PyObject* func = PyObject_GetAttr((PyObject*)tnp_tensor_type, member->key);
  PyObject* result = func != NULL ? tnp_call_handlers(func, args, nargs, NULL) : NULL;
  Py_XDECREF(func);
  return result;
}

Py_ssize_t tnp_call_number_handlers(tnp_member* member, PyObject* const* args, Py_ssize_t nargs) {
  PyObject* result = tnp_call_member_handlers(member, args, nargs);
  if (result == NULL) return -1;
  Py_ssize_t number = PyNumber_AsSsize_t(result, PyExc_OverflowError);
  Py_DECREF(result);
  return number;
}

/* ---- Python functions ------------------------------------------------------------------------ */

/* The arguments (func, types, args=(), kwargs=None) of a handler, borrowed. `args` is NULL if it is
 * absent, `kwargs` if it is absent or None. */
typedef struct {
  PyObject *func, *types, *args, *kwargs;
} given;

static int read_given(PyObject* args, PyObject* kwargs, given* out) {
  static char* names[] = {"func", "types", "args", "kwargs", NULL};
  *out = (given){NULL, NULL, NULL, Py_None};
  if (!PyArg_ParseTupleAndKeywords(args, kwargs, "OO|O!O:__torch_function__", names, &out->func,
                                   &out->types, &PyTuple_Type, &out->args, &out->kwargs)) {
    return -1;
  }
  if (out->kwargs == Py_None) {
    out->kwargs = NULL;
  } else if (!PyDict_Check(out->kwargs)) {
    tnp_raise_format(TENON_ERROR_TYPE, "__torch_function__: kwargs must be dict or None, got %s",
                     Py_TYPE(out->kwargs)->tp_name);
    return -1;
  }
  return 0;
}

/* Calls the function that a handler received, with class handlers disabled. */
static PyObject* call_given(const given* g) {
  if (g->args != NULL && (g->kwargs == NULL || PyDict_GET_SIZE(g->kwargs) == 0)) {
    return run_disabled(g->func, &PyTuple_GET_ITEM(g->args, 0), (size_t)PyTuple_GET_SIZE(g->args),
                        NULL);
  }
  PyObject* none = g->args == NULL ? PyTuple_New(0) : Py_NewRef(g->args);
  if (none == NULL) return NULL;
  classes_disabled++;
  PyObject* result = PyObject_Call(g->func, none, g->kwargs);
  classes_disabled--;
  Py_DECREF(none);
  return result;
}

static PyObject* disabled_impl(PyObject* module, PyObject* args, PyObject* kwargs) {
  (void)module;
  given g;
  return read_given(args, kwargs, &g) == 0 ? call_given(&g) : NULL;
}

/* Returns true if an object belongs to PyTorch: by its module, or that of its class or owner. */
static bool is_torchs(PyObject* object, int depth) {
  static const char* const owners[] = {"__objclass__", "__self__"};
  if (strncmp(Py_TYPE(object)->tp_name, "tenon.", 6) == 0) return false;
  PyObject* module = PyObject_GetAttrString(object, "__module__");
  bool found = false;
  if (module != NULL && PyUnicode_Check(module)) {
    const char* name = PyUnicode_AsUTF8(module);
    found = name != NULL && strncmp(name, "torch", 5) == 0 && (name[5] == 0 || name[5] == '.');
    if (found || strncmp(name != NULL ? name : "", "tenon", 5) == 0) depth = 0;
  }
  Py_XDECREF(module);
  for (size_t i = 0; !found && depth > 0 && i < sizeof owners / sizeof *owners; i++) {
    PyErr_Clear();
    PyObject* owner = PyObject_GetAttrString(object, owners[i]);
    if (owner == NULL) continue;
    found = is_torchs(owner, depth - 1);
    Py_DECREF(owner);
    break;
  }
  PyErr_Clear();
  return found;
}

/* Implements Tensor.__torch_function__, which subclasses inherit and call by super(). PyTorch's
 * functions use the same protocol and are rejected: they would call the handler again. */
static PyObject* tensor_handler(PyObject* cls, PyObject* args, PyObject* kwargs) {
  given g;
  if (read_given(args, kwargs, &g) != 0) return NULL;
  PyObject* types = PySequence_Fast(g.types, "__torch_function__: types must be a sequence");
  if (types == NULL) return NULL;
  bool derives = true;
  for (Py_ssize_t i = 0; derives && i < PySequence_Fast_GET_SIZE(types); i++) {
    PyObject* type = PySequence_Fast_GET_ITEM(types, i);
    derives = PyType_Check(type) && PyType_IsSubtype((PyTypeObject*)cls, (PyTypeObject*)type);
  }
  Py_DECREF(types);
  if (!derives || is_torchs(g.func, 2)) Py_RETURN_NOTIMPLEMENTED;
  return finish_default((PyTypeObject*)cls, g.func, call_given(&g));
}

static PyObject* set_plain_results(PyObject* module, PyObject* functions) {
  (void)module;
  PyObject* set = PySet_New(functions);
  if (set == NULL) return NULL;
  Py_XSETREF(plain_results, set);
  Py_RETURN_NONE;
}

/* Returns true if an object of a sequence has a handler that must be called. */
static PyObject* has_torch_function(PyObject* module, PyObject* relevant) {
  (void)module;
  PyObject* objects =
      PySequence_Fast(relevant, "has_torch_function: arguments must be in a sequence");
  if (objects == NULL) return NULL;
  bool found =
      tnp_has_handler_slow(PySequence_Fast_ITEMS(objects), PySequence_Fast_GET_SIZE(objects));
  Py_DECREF(objects);
  return PyBool_FromLong(found);
}

static PyObject* has_torch_function_unary(PyObject* module, PyObject* object) {
  (void)module;
  return PyBool_FromLong(tnp_has_handler(&object, 1));
}

static PyObject* has_torch_function_variadic(PyObject* module, PyObject* const* args,
                                             Py_ssize_t nargs) {
  (void)module;
  return PyBool_FromLong(tnp_has_handler(args, nargs));
}

/* (func, relevant arguments, *args, **kwargs): calls the handlers of the relevant arguments
 * only. */
static PyObject* handle_torch_function(PyObject* module, PyObject* const* args, Py_ssize_t nargs,
                                       PyObject* kwnames) {
  (void)module;
  if (nargs < 2) {
    return tnp_raise_format(TENON_ERROR_TYPE,
                            "handle_torch_function: arguments must be a function and those "
                            "relevant, got %zd",
                            nargs);
  }
  PyObject* relevant =
      PySequence_Fast(args[1], "handle_torch_function: relevant arguments must be in a sequence");
  if (relevant == NULL) return NULL;
  request r;
  begin(&r, args[0], args + 2, nargs - 2, kwnames);
  bool failed = false;
  for (Py_ssize_t i = 0; !failed && i < PySequence_Fast_GET_SIZE(relevant); i++) {
    failed = take_all(&r, PySequence_Fast_GET_ITEM(relevant, i), 1) != 0;
  }
  PyObject* result = serve(&r, failed);
  Py_DECREF(relevant);
  return result;
}

/* Increments or decrements the calling thread's count of regions with class handlers disabled. */
static PyObject* disable_classes(PyObject* module, PyObject* change) {
  (void)module;
  long by = PyLong_AsLong(change);
  if (by == -1 && PyErr_Occurred()) return NULL;
  if (classes_disabled + by < 0) {
    return tnp_raise_format(TENON_ERROR_STATE,
                            "DisableTorchFunctionSubclass: a context must be "
                            "entered before it is left");
  }
  classes_disabled += by;
  Py_RETURN_NONE;
}

static PyMethodDef methods[] = {
    {"has_torch_function", has_torch_function, METH_O,
     "has_torch_function(relevant_args, /)\n--\n\n"
     "Tells whether an object in a sequence has a handler that is to be asked, or a mode is on."},
    {"has_torch_function_unary", has_torch_function_unary, METH_O,
     "has_torch_function_unary(obj, /)\n--\n\nThe same for one object."},
    {"has_torch_function_variadic", (PyCFunction)(void (*)(void))has_torch_function_variadic,
     METH_FASTCALL, "has_torch_function_variadic(*args)\n--\n\nThe same for arguments."},
    {"handle_torch_function", (PyCFunction)(void (*)(void))handle_torch_function,
     METH_FASTCALL | METH_KEYWORDS,
     "handle_torch_function(public_api, relevant_args, /, *args, **kwargs)\n--\n\n"
     "Asks modes and the classes of relevant arguments to serve a call.\n\n"
     "Raises:\n    ArgumentTypeError: all return NotImplemented."},
    {"disable_classes", disable_classes, METH_O, NULL},
    {"set_plain_results", set_plain_results, METH_O, NULL},
    {"_disabled_torch_function_impl", (PyCFunction)(void (*)(void))disabled_impl,
     METH_VARARGS | METH_KEYWORDS,
     "_disabled_torch_function_impl(func, types, args=(), kwargs=None)\n--\n\n"
     "As `__torch_function__` of a class: the class has no handler."},
    {NULL, NULL, 0, NULL}};

static PyMethodDef handler = {
    "__torch_function__", (PyCFunction)(void (*)(void))tensor_handler,
    METH_VARARGS | METH_KEYWORDS | METH_CLASS,
    "__torch_function__(func, types, args=(), kwargs=None)\n--\n\n"
    "Serves a call with objects of this class: runs it, and makes its results objects of the "
    "class."};

int tnp_function_protocol_init(PyObject* module) {
  if (PyModule_AddFunctions(module, methods) != 0) return -1;
  if (default_handler != NULL) return 0;
  handler_name = PyUnicode_InternFromString(handler.ml_name);
  default_handler = handler_name ? PyDescr_NewClassMethod(tnp_tensor_type, &handler) : NULL;
  disabled_handler =
      default_handler ? PyObject_GetAttrString(module, "_disabled_torch_function_impl") : NULL;
  if (disabled_handler == NULL ||
      PyDict_SetItem(tnp_tensor_type->tp_dict, handler_name, default_handler) != 0) {
    return -1;
  }
  PyType_Modified(tnp_tensor_type);
  tnp_count_modes(0);
  return 0;
}
