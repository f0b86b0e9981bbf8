/* SPDX-License-Identifier: Apache-2.0 */
/* Libraries, and Python functions as kernels. */
#include "binding.h"
#include "overrides.h"
#include "value.h"

#include <stddef.h>
#include <structmember.h>

PyTypeObject* tnp_library_type;
static PyObject* keyset_class; /* library.py's DispatchKeySet */

PyObject* tnp_keyset_object(tenon_keyset keys) {
  PyObject* number = PyLong_FromUnsignedLongLong(keys);
  if (number == NULL || keyset_class == NULL) return number;
  PyObject* set = PyObject_CallOneArg(keyset_class, number);
  Py_DECREF(number);
  return set;
}

/* ---- Kernels --------------------------------------------------------------------------------- */

/* Frees a kernel, under the GIL, once no thread runs it. */
static void kernel_run(tnp_garbage* garbage) {
  tnp_kernel* self = (tnp_kernel*)garbage;
  if (self->link != NULL) {
    *self->link = self->next;
    if (self->next != NULL) self->next->link = self->link;
  }
  Py_XDECREF(self->function);
  Py_XDECREF(self->op);
  PyMem_RawFree(self);
}

static void kernel_drop(void* ctx) { tnp_discard(&((tnp_kernel*)ctx)->garbage); }

PyObject* tnp_kernel_call(tnp_kernel* kernel, tnp_op* op, tnp_binding* binding, tenon_keyset keys,
                          tenon_value* args, uint32_t count) {
  int extra = kernel->with_keyset + kernel->with_op;
  Py_ssize_t nargs;
  PyObject* kwnames;
  PyObject** objects = tnp_values_to_arguments(binding, args, count, extra, &nargs, &kwnames);
  if (objects == NULL) return NULL;
  Py_ssize_t total = extra + nargs + (kwnames ? PyTuple_GET_SIZE(kwnames) : 0);
  if (TNP_UNLIKELY(tnp_may_carry(keys))) {
    for (Py_ssize_t i = extra; i < total; i++) {
      PyObject* opened = tnp_unwrap_carriers(objects[i]);
      if (opened == NULL) {
        Py_INCREF(Py_None);
        opened = Py_None; /* the call below then fails with this exception */
      }
      objects[i] = opened;
    }
  }
  PyObject* function = kernel->function;
  PyObject* result = NULL;
  if (kernel->with_op) {
    Py_INCREF(op);
    objects[extra - 1] = (PyObject*)op;
  }
  if (!PyErr_Occurred() &&
      (!kernel->with_keyset || (objects[0] = tnp_keyset_object(keys)) != NULL)) {
    Py_INCREF(function);
    result = PyObject_Vectorcall(function, objects, (size_t)(extra + nargs), kwnames);
    Py_DECREF(function);
  }
  for (Py_ssize_t i = 0; i < total; i++) Py_XDECREF(objects[i]);
  PyMem_Free(objects);
  Py_XDECREF(kwnames);
  return result;
}

static tenon_status run_kernel(tnp_kernel* kernel, const tenon_op* c_op, tenon_keyset keys,
                               tenon_stack* stack) {
  tnp_op* op = kernel->op;
  if (op != NULL) {
    Py_INCREF(op);
  } else {
    op = (tnp_op*)tnp_op_object(c_op);
    if (op == NULL) goto failed;
    if (!kernel->with_op) {
      kernel->op = op; /* a kernel serves one operator only, so it is looked up once */
      Py_INCREF(op);
    }
  }
  if (tnp_op_ready(op) != 0) {
    Py_DECREF(op);
    goto failed;
  }
  tnp_binding* binding = op->binding;
  binding->references++;
  PyObject* result = tnp_kernel_call(kernel, op, binding, keys, stack->args, stack->nargs);
  int done = -1;
  if (result != NULL) {
    done = tnp_results_to_values(op, binding, stack->args, result, false, stack->rets);
    Py_DECREF(result);
  }
  tnp_binding_release(binding);
  Py_DECREF(op);
  if (done == 0) return TENON_OK;
failed:
  stack->error = tnp_take_exception();
  return tenon_error_code(stack->error);
}

tenon_status tnp_trampoline(void* ctx, const tenon_op* op, tenon_keyset keys, tenon_stack* stack) {
  PyGILState_STATE state;
  if (!tnp_attach(&state)) {
    return tenon_error_raise(TENON_ERROR_STATE,
                             "Python: the interpreter must be running to call a kernel written in "
                             "Python, got one that is shutting down");
  }
  tenon_status status = run_kernel(ctx, op, keys, stack);
  tnp_drain_pending();
  tnp_detach(state);
  return status;
}

/* ---- Libraries ------------------------------------------------------------------------------- */

static tenon_library* opened(tnp_library* self) {
  if (self->library == NULL) {
    tnp_raise_format(TENON_ERROR_STATE, "Library: the library must be open, got a closed one");
  }
  return self->library;
}

static PyObject* library_new(PyTypeObject* type, PyObject* args, PyObject* kwargs) {
  static char* names[] = {"ns", "kind", "key", "file", "line", NULL};
  const char *ns, *file = NULL;
  unsigned kind, key = TENON_KEY_NONE;
  int line = 0;
  if (!PyArg_ParseTupleAndKeywords(args, kwargs, "sI|Izi:Library", names, &ns, &kind, &key, &file,
                                   &line)) {
    return NULL;
  }
  tnp_library* self = (tnp_library*)type->tp_alloc(type, 0);
  if (self == NULL) return NULL;
  tenon_library* library;
  tenon_status status;
  Py_BEGIN_ALLOW_THREADS status = tenon_library_new(kind, ns, key, file, line, &library);
  Py_END_ALLOW_THREADS if (tnp_check(status) != 0) {
    Py_DECREF(self);
    return NULL;
  }
  self->library = library;
  return (PyObject*)self;
}

static void close_library(tnp_library* self) {
  tenon_library* library = self->library;
  if (library == NULL) return;
  self->library = NULL;
  Py_BEGIN_ALLOW_THREADS tenon_library_close(library);
  tenon_library_release(library);
  Py_END_ALLOW_THREADS
}

static PyObject* library_define(PyObject* object, PyObject* args, PyObject* kwargs) {
  static char* names[] = {"schema", "tags", "alias_analysis", "file", "line", NULL};
  tnp_library* self = (tnp_library*)object;
  const char *schema, *alias_analysis = NULL, *file = NULL;
  PyObject* tags = NULL;
  int line = 0;
  if (!PyArg_ParseTupleAndKeywords(args, kwargs, "s|O!zzi:define", names, &schema, &PyTuple_Type,
                                   &tags, &alias_analysis, &file, &line) ||
      opened(self) == NULL) {
    return NULL;
  }
  Py_ssize_t count = tags ? PyTuple_GET_SIZE(tags) : 0;
  const char** texts = PyMem_Malloc(sizeof *texts * (size_t)(count + 1));
  if (texts == NULL) return PyErr_NoMemory();
  for (Py_ssize_t i = 0; i < count; i++) {
    texts[i] = tnp_utf8(PyTuple_GET_ITEM(tags, i));
    if (texts[i] == NULL) {
      PyMem_Free(texts);
      return NULL;
    }
  }
  tenon_define_options options = {.struct_size = sizeof options,
                                  .tag_count = (uint32_t)count,
                                  .tags = texts,
                                  .alias_analysis = alias_analysis,
                                  .file = file,
                                  .line = line};
  const tenon_op* op;
  tenon_status status;
  tenon_library* library = tenon_library_retain(self->library);
  Py_BEGIN_ALLOW_THREADS status = tenon_library_define(library, schema, &options, &op);
  tenon_library_release(library);
  Py_END_ALLOW_THREADS PyMem_Free(texts);
  if (tnp_check(status) != 0) return NULL;
  return PyUnicode_FromString(tenon_op_name(op));
}

static const char* text_attribute(PyObject* object, const char* name, PyObject** keep) {
  *keep = PyObject_GetAttrString(object, name);
  const char* text = *keep && PyUnicode_Check(*keep) ? PyUnicode_AsUTF8(*keep) : NULL;
  if (text == NULL) PyErr_Clear();
  return text;
}

/* The kind of a function's registration. */
typedef enum { ADD_KERNEL, ADD_FALLBACK, ADD_FAKE } add_kind;
static const char* const kAddNames[] = {"Library.impl", "Library.fallback", "register_fake"};

static tenon_status add_to(tenon_library* library, add_kind kind, const char* name, unsigned key,
                           const tenon_kernel* kernel, tenon_registration** out_registration) {
  switch (kind) {
    case ADD_FAKE:
      return tenon_library_register_fake(library, name, kernel, out_registration);
    case ADD_FALLBACK:
      return tenon_library_fallback(library, key, kernel, NULL, out_registration);
    default:
      return tenon_library_impl(library, name, key, kernel, out_registration);
  }
}

/* Returns the registration's handle. A fallback has no name, a fake kernel no key. */
static PyObject* add_kernel(tnp_library* self, add_kind kind, const char* name, unsigned key,
                            PyObject* function, bool with_keyset, unsigned policy) {
  if (opened(self) == NULL) return NULL;
  tenon_kernel kernel = {
      .struct_size = sizeof kernel, .language = TENON_LANGUAGE_PYTHON, .policy = policy};
  PyObject *keep_name = NULL, *keep_file = NULL;
  if (function == Py_None) {
    kernel.flags = TENON_KERNEL_FALLTHROUGH;
  } else {
    if (!PyCallable_Check(function)) {
      return tnp_raise_format(TENON_ERROR_TYPE, "%s: fn must be callable, got %s", kAddNames[kind],
                              Py_TYPE(function)->tp_name);
    }
    tnp_kernel* ctx = PyMem_RawCalloc(1, sizeof *ctx);
    if (ctx == NULL) return PyErr_NoMemory();
    ctx->garbage.run = kernel_run;
    Py_INCREF(function);
    ctx->function = function;
    ctx->with_keyset = with_keyset;
    ctx->with_op = name == NULL;
    ctx->plain = !ctx->with_keyset && !ctx->with_op;
    /* The library visits the function for the garbage collector for as long as the kernel
     * exists. */
    ctx->next = self->kernels;
    ctx->link = &self->kernels;
    if (self->kernels != NULL) self->kernels->link = &ctx->next;
    self->kernels = ctx;
    kernel.flags = TENON_KERNEL_SYMBOLIC; /* sizes reach Python with their symbols */
    kernel.boxed = tnp_trampoline;
    kernel.ctx = ctx;
    kernel.deleter = kernel_drop;
    kernel.name = text_attribute(function, "__qualname__", &keep_name);
    PyObject* code = PyObject_GetAttrString(function, "__code__");
    if (code != NULL) {
      PyObject* line = PyObject_GetAttrString(code, "co_firstlineno");
      if (line != NULL) kernel.line = (int32_t)PyLong_AsLong(line);
      Py_XDECREF(line);
      kernel.file = text_attribute(code, "co_filename", &keep_file);
      Py_DECREF(code);
    }
    PyErr_Clear();
  }
  tenon_status status;
  tenon_registration* registration = NULL;
  tenon_library* library = tenon_library_retain(self->library);
  Py_BEGIN_ALLOW_THREADS status = add_to(library, kind, name, key, &kernel, &registration);
  tenon_library_release(library);
  Py_END_ALLOW_THREADS Py_XDECREF(keep_name);
  Py_XDECREF(keep_file);
  tnp_drain_pending();
  if (tnp_check(status) != 0) return NULL;
  return tnp_handle_new(TNP_HANDLE_REGISTRATION, registration);
}

static PyObject* library_impl(PyObject* object, PyObject* args, PyObject* kwargs) {
  static char* names[] = {"name", "key", "function", "with_keyset", "policy", NULL};
  const char* name;
  unsigned key, policy = TENON_REPLACE_LAYER;
  PyObject* function;
  int with_keyset = 0;
  if (!PyArg_ParseTupleAndKeywords(args, kwargs, "sIO|pI:impl", names, &name, &key, &function,
                                   &with_keyset, &policy)) {
    return NULL;
  }
  return add_kernel((tnp_library*)object, ADD_KERNEL, name, key, function, with_keyset != 0,
                    policy);
}

/* (name, function, policy): returns the registration's handle. */
static PyObject* library_register_fake(PyObject* object, PyObject* args) {
  const char* name;
  PyObject* function;
  unsigned policy;
  if (!PyArg_ParseTuple(args, "sOI:register_fake", &name, &function, &policy)) return NULL;
  return add_kernel((tnp_library*)object, ADD_FAKE, name, 0, function, false, policy);
}

static PyObject* library_fallback(PyObject* object, PyObject* args, PyObject* kwargs) {
  static char* names[] = {"key", "function", "with_keyset", NULL};
  unsigned key;
  PyObject* function;
  int with_keyset = 0;
  if (!PyArg_ParseTupleAndKeywords(args, kwargs, "IO|p:fallback", names, &key, &function,
                                   &with_keyset)) {
    return NULL;
  }
  return add_kernel((tnp_library*)object, ADD_FALLBACK, NULL, key, function, with_keyset != 0,
                    TENON_REPLACE_ERROR);
}

static PyObject* library_close(PyObject* object, PyObject* unused) {
  (void)unused;
  close_library((tnp_library*)object);
  tnp_drain_pending();
  Py_RETURN_NONE;
}

static PyObject* library_open(PyObject* object, void* unused) {
  (void)unused;
  return PyBool_FromLong(((tnp_library*)object)->library != NULL);
}

static int library_traverse(PyObject* object, visitproc visit, void* arg) {
  Py_VISIT(Py_TYPE(object));
  /* A kernel's only reference to its function counts as the library's, so the collector can see
   * cycles of closures that refer to their library. */
  for (tnp_kernel* k = ((tnp_library*)object)->kernels; k != NULL; k = k->next) {
    Py_VISIT(k->function);
  }
  return 0;
}

static int library_clear(PyObject* object) {
  close_library((tnp_library*)object); /* the kernels' deleters release the functions */
  tnp_drain_pending();
  return 0;
}

static void library_dealloc(PyObject* object) {
  tnp_library* self = (tnp_library*)object;
  PyTypeObject* type = Py_TYPE(object);
  PyObject_GC_UnTrack(object);
  if (self->weakrefs != NULL) PyObject_ClearWeakRefs(object);
  close_library(self);
  for (tnp_kernel* k = self->kernels; k != NULL;) {
    /* Still running on some thread, or queued to be freed: unlink it from the list. */
    tnp_kernel* next = k->next;
    k->link = NULL;
    k->next = NULL;
    k = next;
  }
  type->tp_free(object);
  Py_DECREF(type);
}

static PyGetSetDef getset[] = {{"is_open", library_open, NULL, "Whether it is not closed.", NULL},
                               {NULL, NULL, NULL, NULL, NULL}};
static PyMethodDef library_methods[] = {
    {"define", (PyCFunction)(void (*)(void))library_define, METH_VARARGS | METH_KEYWORDS, NULL},
    {"impl", (PyCFunction)(void (*)(void))library_impl, METH_VARARGS | METH_KEYWORDS, NULL},
    {"fallback", (PyCFunction)(void (*)(void))library_fallback, METH_VARARGS | METH_KEYWORDS, NULL},
    {"register_fake", library_register_fake, METH_VARARGS, NULL},
    {"close", library_close, METH_NOARGS, NULL},
    {NULL, NULL, 0, NULL}};
static PyMemberDef members[] = {
    {"__weaklistoffset__", T_PYSSIZET, offsetof(tnp_library, weakrefs), READONLY, NULL},
    {NULL, 0, 0, 0, NULL}};
static PyType_Slot slots[] = {
    {Py_tp_doc, "A library of the C interface; tenon.library.Library is the public class."},
    {Py_tp_new, library_new},
    {Py_tp_dealloc, library_dealloc},
    {Py_tp_traverse, library_traverse},
    {Py_tp_clear, library_clear},
    {Py_tp_getset, getset},
    {Py_tp_methods, library_methods},
    {Py_tp_members, members},
    {0, NULL}};
static PyType_Spec spec = {"tenon._tenon.NativeLibrary", sizeof(tnp_library), 0,
                           Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC, slots};

static PyObject* set_keyset_class(PyObject* module, PyObject* type) {
  (void)module;
  Py_INCREF(type);
  Py_XSETREF(keyset_class, type);
  Py_RETURN_NONE;
}

static PyMethodDef methods[] = {{"_set_keyset_class", set_keyset_class, METH_O, NULL},
                                {"call_older", (PyCFunction)(void (*)(void))tnp_op_call_older,
                                 METH_FASTCALL | METH_KEYWORDS, NULL},
                                {"run_opcheck", (PyCFunction)(void (*)(void))tnp_op_opcheck,
                                 METH_FASTCALL | METH_KEYWORDS, NULL},
                                {NULL, NULL, 0, NULL}};

int tnp_library_init(PyObject* module) {
  if (PyModule_AddFunctions(module, methods) != 0) return -1;
  return tnp_add_type(module, &tnp_library_type, &spec, NULL);
}
