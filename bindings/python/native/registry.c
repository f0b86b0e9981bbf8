/* SPDX-License-Identifier: Apache-2.0 */
/* Registry events (definitions and removals), profiles, and key guards. */
#include "native.h"

#include <stddef.h>
#include <structmember.h>

/* ---- Definitions ----------------------------------------------------------------------------- */

typedef struct event {
  struct event* next;
  uint32_t kind;
  const tenon_op* op;
} event;

static _Atomic(event*) events;
static PyObject* hook; /* ops.py: reads the events; set once a namespace is in use */
static atomic_bool hook_set;
static tenon_registration* registration;

/* Runs on the thread that changes the registry, which may be any and does not hold the GIL. */
static void on_event(void* ctx, uint32_t kind, const tenon_op* op) {
  (void)ctx;
  event* node = PyMem_RawMalloc(sizeof *node);
  if (node != NULL) {
    node->kind = kind;
    node->op = op;
    node->next = atomic_load(&events);
    while (!atomic_compare_exchange_weak(&events, &node->next, node)) {
    }
  }
  atomic_fetch_add_explicit(&tnp_generation, 1, memory_order_release);
  if (!atomic_load(&hook_set)) return;
  /* Namespaces in use are plain modules: update them before the registering call returns. */
  PyGILState_STATE state;
  if (!tnp_attach(&state)) return;
  PyObject *type, *value, *traceback;
  PyErr_Fetch(&type, &value, &traceback);
  PyObject* done = PyObject_CallNoArgs(hook);
  if (done == NULL) PyErr_WriteUnraisable(hook);
  Py_XDECREF(done);
  PyErr_Restore(type, value, traceback);
  tnp_detach(state);
}

static PyObject* take_events(PyObject* module, PyObject* unused) {
  (void)module;
  (void)unused;
  event* list = atomic_exchange(&events, NULL);
  event* ordered = NULL;
  while (list != NULL) {
    event* next = list->next;
    list->next = ordered;
    ordered = list;
    list = next;
  }
  PyObject* result = PyList_New(0);
  while (ordered != NULL) {
    event* next = ordered->next;
    if (result != NULL) {
      PyObject* item =
          Py_BuildValue("(Os)", ordered->kind == TENON_EVENT_OP_DEFINED ? Py_True : Py_False,
                        tenon_op_name(ordered->op));
      if (item == NULL || PyList_Append(result, item) != 0) Py_CLEAR(result);
      Py_XDECREF(item);
    }
    PyMem_RawFree(ordered);
    ordered = next;
  }
  return result;
}

static PyObject* set_hook(PyObject* module, PyObject* function) {
  (void)module;
  Py_INCREF(function);
  Py_XSETREF(hook, function);
  atomic_store(&hook_set, true);
  Py_RETURN_NONE;
}

/* ---- Guards ---------------------------------------------------------------------------------- */

PyTypeObject* tnp_guard_type;

typedef struct {
  PyObject_HEAD tenon_key_guard guard;
  tenon_keyset include, exclude;
  int mode; /* 0 include, 1 exclude, 2 force, 3 grad mode: `include` is TENON_GRAD_MODE_* */
  bool entered;
} key_guard;

static PyObject* guard_new(PyTypeObject* type, PyObject* args, PyObject* kwargs) {
  static char* names[] = {"mode", "include", "exclude", NULL};
  int mode;
  unsigned long long include, exclude;
  if (!PyArg_ParseTupleAndKeywords(args, kwargs, "iKK:KeyGuard", names, &mode, &include,
                                   &exclude)) {
    return NULL;
  }
  key_guard* self = (key_guard*)type->tp_alloc(type, 0);
  if (self == NULL) return NULL;
  self->mode = mode;
  self->include = include;
  self->exclude = exclude;
  return (PyObject*)self;
}

static PyObject* guard_enter(PyObject* object, PyObject* unused) {
  (void)unused;
  key_guard* self = (key_guard*)object;
  if (self->entered) {
    return tnp_raise_format(TENON_ERROR_STATE,
                            "KeyGuard: a guard must be entered once at a time, got "
                            "an entered one");
  }
  tenon_status status = self->mode == 0   ? tenon_key_guard_include(self->include, &self->guard)
                        : self->mode == 1 ? tenon_key_guard_exclude(self->exclude, &self->guard)
                        : self->mode == 2
                            ? tenon_key_guard_force(self->include, self->exclude, &self->guard)
                            : tenon_grad_mode_enter((uint32_t)self->include, &self->guard);
  if (tnp_check(status) != 0) return NULL;
  self->entered = true;
  Py_INCREF(object);
  return object;
}

static PyObject* guard_exit(PyObject* object, PyObject* args) {
  (void)args;
  key_guard* self = (key_guard*)object;
  if (!self->entered) {
    return tnp_raise_format(TENON_ERROR_STATE,
                            "KeyGuard: a guard must be entered before it is left, got one that "
                            "is not");
  }
  /* If a coroutine or generator leaves on another thread or out of order, this is an error, and the
   * guard stays entered. */
  if (tnp_check(tenon_key_guard_leave(&self->guard)) != 0) return NULL;
  self->entered = false;
  Py_RETURN_NONE;
}

static void guard_dealloc(PyObject* object) {
  PyTypeObject* type = Py_TYPE(object);
  type->tp_free(object);
  Py_DECREF(type);
}

static PyMethodDef guard_methods[] = {{"__enter__", guard_enter, METH_NOARGS, NULL},
                                      {"__exit__", guard_exit, METH_VARARGS, NULL},
                                      {NULL, NULL, 0, NULL}};
static PyType_Slot guard_slots[] = {{Py_tp_doc, "A change of the thread's dispatch keys."},
                                    {Py_tp_new, guard_new},
                                    {Py_tp_dealloc, guard_dealloc},
                                    {Py_tp_methods, guard_methods},
                                    {0, NULL}};
static PyType_Spec guard_spec = {"tenon._tenon.KeyGuard", sizeof(key_guard), 0,
                                 Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE, guard_slots};

/* ---- Profiles -------------------------------------------------------------------------------- */

/* Returns (op, key, redispatch, keys, depth, parent, language, kernel, file, line, status, begin,
 * end, handler, its language) of span `index`. */
static PyObject* profile_span(const tenon_profile* profile, int64_t index) {
  tenon_profile_span span = {.struct_size = sizeof span};
  if (tnp_check(tenon_profile_get_span(profile, index, &span)) != 0) return NULL;
  return Py_BuildValue("(ssOKiLIssiiLLsI)", tenon_op_name(span.op), tenon_key_name(span.key),
                       span.redispatch ? Py_True : Py_False, (unsigned long long)span.keys,
                       (int)span.depth, (long long)span.parent, (unsigned)span.language,
                       span.kernel, span.file, (int)span.line, (int)span.status,
                       (long long)span.begin_ns, (long long)span.end_ns, span.handler,
                       (unsigned)span.handler_language);
}

/* Returns (spans, number of dropped spans). */
static PyObject* profile_spans(PyObject* module, PyObject* handle) {
  (void)module;
  tenon_profile* profile = tnp_handle_get(handle, TNP_HANDLE_PROFILE);
  int64_t count, dropped;
  if (profile == NULL || tnp_check(tenon_profile_span_count(profile, &count, &dropped)) != 0) {
    return NULL;
  }
  PyObject* list = PyList_New((Py_ssize_t)count);
  for (int64_t i = 0; list != NULL && i < count; i++) {
    PyObject* item = profile_span(profile, i);
    if (item == NULL)
      Py_CLEAR(list);
    else
      PyList_SET_ITEM(list, (Py_ssize_t)i, item);
  }
  return list == NULL ? NULL : Py_BuildValue("(NL)", list, (long long)dropped);
}

/* ---- Lists ----------------------------------------------------------------------------------- */

static PyObject* op_names(PyObject* module, PyObject* dangling) {
  (void)module;
  tenon_buffer* buffer;
  tenon_status status = PyObject_IsTrue(dangling) ? tenon_introspect_list_dangling(&buffer)
                                                  : tenon_introspect_list_ops(&buffer);
  if (tnp_check(status) != 0) return NULL;
  int64_t count = tenon_buffer_size(buffer) / (int64_t)sizeof(void*);
  const tenon_op* const* ops = tenon_buffer_data(buffer);
  PyObject* list = PyList_New((Py_ssize_t)count);
  for (int64_t i = 0; list != NULL && i < count; i++) {
    PyObject* name = PyUnicode_FromString(tenon_op_name(ops[i]));
    if (name == NULL)
      Py_CLEAR(list);
    else
      PyList_SET_ITEM(list, (Py_ssize_t)i, name);
  }
  tenon_buffer_release(buffer);
  return list;
}

/* Returns an operator with kernels but no definition. Lookups by name find only defined ones. */
static PyObject* find_dangling_op(PyObject* module, PyObject* wanted) {
  (void)module;
  const char* name = PyUnicode_AsUTF8(wanted);
  if (name == NULL) return NULL;
  tenon_buffer* buffer;
  if (tnp_check(tenon_introspect_list_dangling(&buffer)) != 0) return NULL;
  int64_t count = tenon_buffer_size(buffer) / (int64_t)sizeof(void*);
  const tenon_op* const* ops = tenon_buffer_data(buffer);
  const tenon_op* found = NULL;
  for (int64_t i = 0; found == NULL && i < count; i++) {
    if (strcmp(tenon_op_name(ops[i]), name) == 0) found = ops[i];
  }
  tenon_buffer_release(buffer);
  if (found == NULL) Py_RETURN_NONE;
  return tnp_op_object(found);
}

static PyObject* key_names(PyObject* module, PyObject* unused) {
  (void)module;
  (void)unused;
  tenon_buffer* buffer;
  if (tnp_check(tenon_key_list(&buffer)) != 0) return NULL;
  int64_t count = tenon_buffer_size(buffer) / (int64_t)sizeof(tenon_key);
  const tenon_key* keys = tenon_buffer_data(buffer);
  PyObject* list = PyList_New((Py_ssize_t)count);
  for (int64_t i = 0; list != NULL && i < count; i++) {
    PyObject* name = PyUnicode_FromString(tenon_key_name(keys[i]));
    if (name == NULL)
      Py_CLEAR(list);
    else
      PyList_SET_ITEM(list, (Py_ssize_t)i, name);
  }
  tenon_buffer_release(buffer);
  return list;
}

/* Returns (provenance, source key, fallthrough, language, name, file, line, typed) of one slot. */
static PyObject* slot_facts(const tenon_slot_info* info) {
  return Py_BuildValue(
      "(IsOIssiO)", info->provenance, info->provenance ? tenon_key_name(info->source_key) : "",
      info->fallthrough ? Py_True : Py_False, info->language, info->name ? info->name : "",
      info->file ? info->file : "", (int)info->line, info->typed ? Py_True : Py_False);
}

static PyObject* op_slot(PyObject* module, PyObject* args) {
  (void)module;
  PyObject* op;
  unsigned key;
  if (!PyArg_ParseTuple(args, "O!I:op_slot", tnp_op_type, &op, &key)) return NULL;
  tenon_slot_info info = {.struct_size = sizeof info};
  if (tnp_check(tenon_introspect_get_slot(((tnp_op*)op)->op, key, &info)) != 0) return NULL;
  return slot_facts(&info);
}

static PyObject* simulator_slot(PyObject* module, PyObject* args) {
  (void)module;
  PyObject* handle;
  unsigned key;
  if (!PyArg_ParseTuple(args, "OI:simulator_slot", &handle, &key)) return NULL;
  tenon_simulator* simulator = tnp_handle_get(handle, TNP_HANDLE_SIMULATOR);
  tenon_slot_info info = {.struct_size = sizeof info};
  if (simulator == NULL) return NULL;
  if (tnp_check(tenon_simulator_get_slot(simulator, key, &info)) != 0) return NULL;
  return slot_facts(&info);
}

static PyMethodDef methods[] = {
    {"take_events", take_events, METH_NOARGS, "Definitions and removals since the last call."},
    {"_set_registry_hook", set_hook, METH_O, NULL},
    {"profile_spans", profile_spans, METH_O, NULL},
    {"op_names", op_names, METH_O, NULL},
    {"find_dangling_op", find_dangling_op, METH_O, NULL},
    {"key_names", key_names, METH_NOARGS, NULL},
    {"op_slot", op_slot, METH_VARARGS, NULL},
    {"simulator_slot", simulator_slot, METH_VARARGS, NULL},
    {NULL, NULL, 0, NULL}};

int tnp_guard_init(PyObject* module) {
  if (PyModule_AddFunctions(module, methods) != 0) return -1;
  return tnp_add_type(module, &tnp_guard_type, &guard_spec, NULL);
}

int tnp_registry_init(void) {
  if (registration != NULL) return 0;
  tenon_status status;
  Py_BEGIN_ALLOW_THREADS status = tenon_registry_add_listener(on_event, NULL, NULL, &registration);
  Py_END_ALLOW_THREADS return tnp_check(status);
}
