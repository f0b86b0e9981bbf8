/* SPDX-License-Identifier: Apache-2.0 */
/* Saved tensors: Python's pack hooks, saved values of nodes, and hooks called for new nodes. */
#include "saved.h"

#include "function_context.h"
#include "overrides.h"
#include "value.h"

#include <string.h>

#include <frameobject.h> /* PyFrame_GetBack, before Python 3.11 */

/* ---- Hooks called by recorded calls and passes ----------------------------------------------- */

typedef struct {
  tnp_garbage garbage;
  PyObject* pack; /* or the function of a creation hook */
  PyObject* unpack;
} saved_ctx;

static void ctx_run(tnp_garbage* garbage) {
  Py_DECREF(((saved_ctx*)garbage)->pack);
  Py_XDECREF(((saved_ctx*)garbage)->unpack);
  PyMem_RawFree(garbage);
}
static void ctx_delete(void* ctx) { tnp_discard(ctx); }

static saved_ctx* new_ctx(PyObject* pack, PyObject* unpack) {
  saved_ctx* ctx = PyMem_RawMalloc(sizeof *ctx);
  if (ctx == NULL) {
    PyErr_NoMemory();
    return NULL;
  }
  ctx->garbage.run = ctx_run;
  ctx->pack = Py_NewRef(pack);
  ctx->unpack = Py_XNewRef(unpack);
  return ctx;
}

static tenon_status no_interpreter(void) {
  return tenon_error_raise(TENON_ERROR_STATE,
                           "Python: the interpreter must be running to call a hook written in "
                           "Python, got one that is shutting down");
}

/* Stores the object that pack returned in a carrier, so that unpack receives the same object, even
 * if it is a list. */
static int carry(PyObject* object, tenon_value* out) {
  tnp_call call;
  tnp_call_begin(&call, false);
  tenon_value value;
  memset(&value, 0, sizeof value);
  int status = tnp_to_object(&call, object, TENON_TAG_OBJECT, &value);
  if (status == 0) status = tnp_check(tenon_value_copy(&value, out));
  tnp_call_end(&call);
  return status;
}

static int run_pack(PyObject* function, tenon_tensor* tensor, tenon_value* out) {
  PyObject* argument = tnp_grad_object(tensor);
  PyObject* result = argument ? PyObject_CallOneArg(function, argument) : NULL;
  Py_XDECREF(argument);
  int status = result ? carry(result, out) : -1;
  Py_XDECREF(result);
  return status;
}

static tenon_status call_pack(void* ctx, tenon_tensor* tensor, tenon_value* out_packed) {
  PyGILState_STATE state;
  if (!tnp_attach(&state)) return no_interpreter();
  int done = run_pack(((saved_ctx*)ctx)->pack, tensor, out_packed);
  tenon_status status = done == 0 ? TENON_OK : tnp_exception_to_slot();
  tnp_detach(state);
  return status;
}

static int run_unpack(PyObject* function, const tenon_value* packed, tenon_tensor** out) {
  PyObject* argument = tnp_object_open(packed->as.object);
  PyObject* result = argument ? PyObject_CallOneArg(function, argument) : NULL;
  Py_XDECREF(argument);
  if (result == NULL) return -1;
  int status = tnp_take_tensor("unpack hook", result, out);
  if (status == 0 && *out == NULL) {
    tnp_raise_format(TENON_ERROR_TYPE, "unpack hook: result must be Tensor, got None");
    status = -1;
  }
  Py_DECREF(result);
  return status;
}

static tenon_status call_unpack(void* ctx, const tenon_value* packed, tenon_tensor** out_tensor) {
  PyGILState_STATE state;
  if (!tnp_attach(&state)) return no_interpreter();
  int done = run_unpack(((saved_ctx*)ctx)->unpack, packed, out_tensor);
  tenon_status status = done == 0 ? TENON_OK : tnp_exception_to_slot();
  tnp_detach(state);
  return status;
}

static tenon_status call_created(void* ctx, tenon_node* node) {
  PyGILState_STATE state;
  if (!tnp_attach(&state)) return no_interpreter();
  PyObject* object = tnp_function_of_new(node);
  if (object == NULL && !PyErr_Occurred()) object = tnp_node_wrap(tenon_node_retain(node));
  PyObject* result = object ? PyObject_CallOneArg(((saved_ctx*)ctx)->pack, object) : NULL;
  Py_XDECREF(object);
  tenon_status status = result != NULL ? TENON_OK : tnp_exception_to_slot();
  Py_XDECREF(result);
  tnp_detach(state);
  return status;
}

int tnp_visit_saved_hooks(void* ctx, visitproc visit, void* arg) {
  Py_VISIT(((saved_ctx*)ctx)->pack);
  Py_VISIT(((saved_ctx*)ctx)->unpack);
  return 0;
}

/* ---- The thread's hooks ---------------------------------------------------------------------- */

static bool read_hooks(PyObject* args, const char* format, PyObject** pack, PyObject** unpack) {
  if (!PyArg_ParseTuple(args, format, pack, unpack)) return false;
  if (PyCallable_Check(*pack) && PyCallable_Check(*unpack)) return true;
  tnp_raise_format(TENON_ERROR_TYPE,
                   "saved tensor hooks: pack and unpack must be callable, got "
                   "%s and %s",
                   Py_TYPE(*pack)->tp_name, Py_TYPE(*unpack)->tp_name);
  return false;
}

static tenon_saved_hooks hooks_of(saved_ctx* ctx) {
  tenon_saved_hooks hooks = {.struct_size = sizeof hooks, .pack = call_pack, .ctx = ctx};
  hooks.unpack = call_unpack;
  hooks.language = TENON_LANGUAGE_PYTHON;
  hooks.deleter = ctx_delete;
  return hooks;
}

/* Installs hooks. Returns the argument for saved_hooks_pop. */
static PyObject* push(PyObject* module, PyObject* args) {
  (void)module;
  PyObject *pack, *unpack;
  if (!read_hooks(args, "OO:saved_tensors_hooks", &pack, &unpack)) return NULL;
  saved_ctx* ctx = new_ctx(pack, unpack);
  if (ctx == NULL) return NULL;
  tenon_saved_hooks hooks = hooks_of(ctx);
  if (tnp_check(tenon_saved_hooks_push(&hooks)) != 0) return NULL;
  return PyLong_FromVoidPtr(ctx);
}

static PyObject* pop_by(PyObject* number, tenon_status (*pop)(void* ctx)) {
  void* ctx = PyLong_AsVoidPtr(number);
  if (PyErr_Occurred()) return NULL;
  bool nested = tnp_free_begin();
  tenon_status status = pop(ctx);
  tnp_free_end(nested);
  if (tnp_check(status) != 0) return NULL;
  Py_RETURN_NONE;
}

static PyObject* pop(PyObject* module, PyObject* number) {
  (void)module;
  return pop_by(number, tenon_saved_hooks_pop);
}

static PyObject* push_creation(PyObject* module, PyObject* function) {
  (void)module;
  if (!PyCallable_Check(function)) {
    return tnp_raise_format(TENON_ERROR_TYPE, "node_creation_hook: fn must be callable, got %s",
                            Py_TYPE(function)->tp_name);
  }
  saved_ctx* ctx = new_ctx(function, NULL);
  if (ctx == NULL || tnp_check(tenon_creation_hook_push(call_created, ctx, ctx_delete)) != 0) {
    return NULL;
  }
  return PyLong_FromVoidPtr(ctx);
}

static PyObject* pop_creation(PyObject* module, PyObject* number) {
  (void)module;
  return pop_by(number, tenon_creation_hook_pop);
}

/* ---- Saved values of nodes ------------------------------------------------------------------- */

static const char kSaved[] = "_saved_";
static const char kRaw[] = "_raw_saved_";

/* Returns the index of the value that a node saved under a name, -1 if none, -2 with an
 * exception. */
static int64_t find_saved(tenon_node* node, const char* wanted) {
  int64_t count = tenon_node_saved_count(node);
  for (int64_t i = 0; i < count; i++) {
    tenon_buffer* name;
    if (tnp_check(tenon_node_saved_name(node, i, &name)) != 0) return -2;
    bool same = strcmp(tenon_buffer_data(name), wanted) == 0;
    tenon_buffer_release(name);
    if (same) return i;
  }
  return -1;
}

typedef struct {
  PyObject_HEAD PyObject* node;
  int64_t index;
} raw_object;
static PyTypeObject* raw_type;

static void raw_dealloc(PyObject* object) {
  PyTypeObject* type = Py_TYPE(object);
  Py_DECREF(((raw_object*)object)->node);
  type->tp_free(object);
  Py_DECREF(type);
}

static PyObject* raw_register(PyObject* object, PyObject* args) {
  raw_object* self = (raw_object*)object;
  PyObject *pack, *unpack;
  if (!read_hooks(args, "OO:register_hooks", &pack, &unpack)) return NULL;
  tenon_node* node = tnp_node_get(self->node);
  saved_ctx* ctx = node ? new_ctx(pack, unpack) : NULL;
  if (ctx == NULL) return NULL;
  tenon_saved_hooks hooks = hooks_of(ctx);
  if (tnp_check(tenon_node_pack_saved(node, self->index, &hooks)) != 0) return NULL;
  Py_RETURN_NONE;
}

static PyMethodDef raw_methods[] = {
    {"register_hooks", raw_register, METH_VARARGS,
     "register_hooks(pack, unpack, /)\n--\n\nPacks the tensor now; passes unpack it."},
    {NULL, NULL, 0, NULL}};
static PyType_Slot raw_slots[] = {{Py_tp_doc, "A tensor that a node has saved, to be packed."},
                                  {Py_tp_dealloc, raw_dealloc},
                                  {Py_tp_methods, raw_methods},
                                  {0, NULL}};
static PyType_Spec raw_spec = {"tenon.autograd.SavedTensor", sizeof(raw_object), 0,
                               Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION, raw_slots};

static PyObject* raw_of(PyObject* node, int64_t index) {
  raw_object* raw = PyObject_New(raw_object, raw_type);
  if (raw == NULL) return NULL;
  raw->node = Py_NewRef(node);
  raw->index = index;
  return (PyObject*)raw;
}

static PyObject* value_of(tenon_node* node, int64_t index) {
  tenon_value value;
  tenon_status status;
  Py_BEGIN_ALLOW_THREADS status = tenon_node_copy_saved(node, index, &value);
  Py_END_ALLOW_THREADS if (tnp_check(status) != 0) return NULL;
  PyObject* object = tnp_from_value(&value, true);
  tenon_value_clear(&value);
  return tnp_unwrap_carriers(object);
}

PyObject* tnp_node_getattr(PyObject* object, PyObject* name) {
  const char* text = PyUnicode_Check(name) ? PyUnicode_AsUTF8(name) : NULL;
  bool raw = text != NULL && strncmp(text, kRaw, sizeof kRaw - 1) == 0;
  bool saved = text != NULL && strncmp(text, kSaved, sizeof kSaved - 1) == 0;
  if (!raw && !saved) return PyObject_GenericGetAttr(object, name);
  tenon_node* node = tnp_node_get(object);
  if (node == NULL) return NULL;
  int64_t index = find_saved(node, text + (raw ? sizeof kRaw : sizeof kSaved) - 1);
  if (index == -2) return NULL;
  if (index < 0) return PyObject_GenericGetAttr(object, name);
  return raw ? raw_of(object, index) : value_of(node, index);
}

PyObject* tnp_node_dir(PyObject* object, PyObject* unused) {
  (void)unused;
  PyObject* plain = PyObject_GetAttrString((PyObject*)&PyBaseObject_Type, "__dir__");
  PyObject* names = plain ? PyObject_CallOneArg(plain, object) : NULL;
  Py_XDECREF(plain);
  /* A context has no node while its forward runs. */
  const tnp_node* self = (tnp_node*)object;
  if (names == NULL || (self->node == NULL && self->keeper == NULL)) return names;
  tenon_node* node = tnp_node_get(object);
  const int64_t count = node ? tenon_node_saved_count(node) : 0;
  bool good = node != NULL;
  for (int64_t i = 0; good && i < count; i++) {
    tenon_buffer* name;
    good = tnp_check(tenon_node_saved_name(node, i, &name)) == 0;
    if (!good) break;
    PyObject* text = PyUnicode_FromFormat("%s%s", kSaved, tenon_buffer_data(name));
    tenon_buffer_release(name);
    good = text != NULL && PyList_Append(names, text) == 0;
    Py_XDECREF(text);
  }
  if (!good) Py_CLEAR(names);
  return names;
}

/* ---- The Python call stack ------------------------------------------------------------------- */

/* Returns the folder of the package `tenon` with a trailing slash; "" if unknown. */
static const char* package_folder(void) {
  static const char* folder;
  if (folder != NULL) return folder;
  PyObject* package = PyImport_ImportModule("tenon");
  PyObject* file = package ? PyObject_GetAttrString(package, "__file__") : NULL;
  const char* text = file && PyUnicode_Check(file) ? PyUnicode_AsUTF8(file) : NULL;
  const char* end = text ? strrchr(text, '/') : NULL;
  char* copy = end ? strndup(text, (size_t)(end - text) + 1) : NULL;
  PyErr_Clear();
  Py_XDECREF(file);
  Py_XDECREF(package);
  folder = copy != NULL ? copy : "";
  return folder;
}

/* Adds Python frames to an error, for anomaly mode and graph nodes; only frames of user code. */
static void add_frames(void* unused, tenon_error* error) {
  (void)unused;
  enum { kMost = 64 };
  PyGILState_STATE state;
  if (PyGILState_GetThisThreadState() == NULL || !tnp_attach(&state)) return;
  const bool all = tenon_error_frames_wanted(error) == INT32_MAX;
  const char* own = all ? "" : package_folder();
  const size_t length = strlen(own);
  PyFrameObject* frame = PyThreadState_GetFrame(PyThreadState_Get());
  for (int i = 0; frame != NULL && i < kMost && tenon_error_frames_wanted(error) > 0; i++) {
    PyCodeObject* code = PyFrame_GetCode(frame);
    const char* file = PyUnicode_AsUTF8(code->co_filename);
    if (length == 0 || file == NULL || strncmp(file, own, length) != 0) {
      const char* function = PyUnicode_AsUTF8(code->co_name);
      tenon_error_add_frame(error, TENON_LANGUAGE_PYTHON, function, file,
                            PyFrame_GetLineNumber(frame));
    }
    PyErr_Clear(); /* a frame whose name is not valid UTF-8 is skipped */
    Py_DECREF(code);
    PyFrameObject* outer = PyFrame_GetBack(frame);
    Py_DECREF(frame);
    frame = outer;
  }
  Py_XDECREF(frame);
  tnp_detach(state);
}

/* ---- The module ------------------------------------------------------------------------------ */

static PyMethodDef functions[] = {
    {"saved_hooks_push", push, METH_VARARGS,
     "saved_hooks_push(pack, unpack, /)\n--\n\nReturns what saved_hooks_pop takes."},
    {"saved_hooks_pop", pop, METH_O,
     "saved_hooks_pop(pushed, /)\n--\n\nTakes away the hooks that were pushed last."},
    {"creation_hook_push", push_creation, METH_O,
     "creation_hook_push(fn, /)\n--\n\nReturns what creation_hook_pop takes."},
    {"creation_hook_pop", pop_creation, METH_O,
     "creation_hook_pop(pushed, /)\n--\n\nTakes away the hook that was pushed last."},
    {NULL, NULL, 0, NULL}};

int tnp_saved_init(PyObject* module) {
  static bool has_frames;
  if (!has_frames) {
    tenon_status status = tenon_language_set_frames(TENON_LANGUAGE_PYTHON, add_frames, NULL);
    if (tnp_check(status) != 0) return -1;
    has_frames = true;
  }
  if (PyModule_AddFunctions(module, functions) != 0) return -1;
  return tnp_add_type(module, &raw_type, &raw_spec, NULL);
}
