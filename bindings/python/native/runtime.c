/* SPDX-License-Identifier: Apache-2.0 */
/* The GIL and other threads: attaching, interpreter exit, and deferred frees. */
#include <time.h>

#include "function_protocol.h"
#include "handler_watch.h"
#include "native.h"
#include "overridable.h"
#include "overrides.h"
#include "shape_env.h"
#include "symbol.h"

/* The layout of structs that the extension accesses directly must match the library's. */
_Static_assert(sizeof(tenon_value) == 24, "a boxed value has 24 bytes");
_Static_assert(offsetof(tenon_value, as) == 8, "its payload comes after tag, flags and count");
_Static_assert(sizeof(tenon_stack) == 48, "a stack has 48 bytes");
_Static_assert(sizeof(tenon_frame) == 64, "a frame has 64 bytes");
_Static_assert(sizeof(tenon_entry) == 64, "an entry has 64 bytes");
_Static_assert(sizeof(tenon_key_guard) == 48, "a key guard has 48 bytes");

/* ---- Attaching ------------------------------------------------------------------------------ */

/* Set by an atexit hook. From then on no thread may request the GIL, because Python kills (up to
 * 3.13) or hangs (3.14) a thread that does so during finalization. */
static atomic_bool gate_closed;
static atomic_long gate_inside;
static _Thread_local long inside_here;
static pthread_key_t thread_key;
static pthread_once_t thread_key_once = PTHREAD_ONCE_INIT;

/* Runs when a foreign thread ends: deletes the Python thread state that was kept for it. */
static void forget_thread(void* state) {
  atomic_fetch_add(&gate_inside, 1);
  if (!atomic_load(&gate_closed)) {
    /* Not by PyGILState_Release: the C library has already cleared the thread-specific value it
     * reads. */
    PyEval_RestoreThread((PyThreadState*)state);
    PyThreadState_Clear((PyThreadState*)state);
    PyThreadState_DeleteCurrent();
  }
  atomic_fetch_sub(&gate_inside, 1);
}

static void make_thread_key(void) { pthread_key_create(&thread_key, forget_thread); }

bool tnp_attach(PyGILState_STATE* state) {
  atomic_fetch_add(&gate_inside, 1);
  if (atomic_load(&gate_closed)) {
    atomic_fetch_sub(&gate_inside, 1);
    return false;
  }
  if (PyGILState_GetThisThreadState() == NULL) {
    /* A thread unknown to Python. Creating and deleting a thread state costs microseconds, so the
     * first one is kept (one Ensure without Release) until the thread ends. */
    pthread_once(&thread_key_once, make_thread_key);
    PyGILState_Ensure();
    pthread_setspecific(thread_key, PyEval_SaveThread());
  }
  *state = PyGILState_Ensure();
  inside_here++;
  return true;
}

void tnp_detach(PyGILState_STATE state) {
  inside_here--;
  PyGILState_Release(state);
  atomic_fetch_sub(&gate_inside, 1);
}

/* Called by atexit, under the GIL. Waits up to five seconds for kernels on other threads. */
static PyObject* close_gate(PyObject* module, PyObject* unused) {
  (void)module;
  (void)unused;
  tnp_drain();
  atomic_store(&gate_closed, true);
  long mine = inside_here;
  bool waiting = false;
  Py_BEGIN_ALLOW_THREADS for (int i = 0; i < 5000; i++) {
    waiting = atomic_load(&gate_inside) > mine;
    if (!waiting) break;
    struct timespec pause = {0, 1000000};
    nanosleep(&pause, NULL);
  }
  Py_END_ALLOW_THREADS if (waiting) {
    PySys_WriteStderr("tenon: a kernel written in Python still runs at exit; not waiting longer\n");
  }
  Py_RETURN_NONE;
}

/* ---- Deferred frees ------------------------------------------------------------------------- */

_Atomic(tnp_garbage*) tnp_garbage_list;
_Atomic(uintptr_t) tnp_freeing_thread;
static atomic_bool drain_scheduled;

void tnp_drain(void) {
  atomic_store(&drain_scheduled, false);
  tnp_garbage* list = atomic_exchange(&tnp_garbage_list, NULL);
  tnp_garbage* ordered = NULL;
  while (list != NULL) {
    tnp_garbage* next = list->next;
    list->next = ordered;
    ordered = list;
    list = next;
  }
  PyObject *type, *value, *traceback;
  PyErr_Fetch(&type, &value, &traceback);
  while (ordered != NULL) {
    tnp_garbage* next = ordered->next;
    ordered->run(ordered);
    ordered = next;
  }
  PyErr_Restore(type, value, traceback);
}

static int drain_pending(void* unused) {
  (void)unused;
  tnp_drain();
  return 0;
}

void tnp_discard(tnp_garbage* garbage) {
  if (atomic_load_explicit(&tnp_freeing_thread, memory_order_relaxed) ==
      (uintptr_t)pthread_self()) {
    garbage->run(garbage);
    return;
  }
  /* After Python has ended, its memory is leaked on purpose. */
  if (atomic_load(&gate_closed)) return;
  garbage->next = atomic_load(&tnp_garbage_list);
  while (!atomic_compare_exchange_weak(&tnp_garbage_list, &garbage->next, garbage)) {
  }
  if (!atomic_exchange(&drain_scheduled, true) && Py_AddPendingCall(drain_pending, NULL) != 0) {
    atomic_store(&drain_scheduled, false);
  }
}

static void reference_run(tnp_garbage* garbage) {
  Py_DECREF(((tnp_reference*)garbage)->object);
  PyMem_RawFree(garbage);
}

/* Takes over the caller's reference to the object. */
static tnp_reference* reference_to(PyObject* object) {
  tnp_reference* reference = PyMem_RawMalloc(sizeof *reference);
  if (reference == NULL) return NULL;
  reference->garbage.run = reference_run;
  reference->object = object;
  return reference;
}

tnp_reference* tnp_reference_make(PyObject* object) {
  tnp_reference* reference = reference_to(object);
  if (reference != NULL) Py_INCREF(object);
  return reference;
}

void tnp_reference_drop(void* reference) { tnp_discard(&((tnp_reference*)reference)->garbage); }

void tnp_discard_object(PyObject* object) {
  tnp_reference* reference = reference_to(object);
  if (reference != NULL) tnp_reference_drop(reference);
}

static PyObject* drain(PyObject* module, PyObject* unused) {
  (void)module;
  (void)unused;
  Py_BEGIN_ALLOW_THREADS tenon_registry_reap();
  Py_END_ALLOW_THREADS tnp_drain();
  tnp_op_forget_removed();
  Py_RETURN_NONE;
}

/* ---- The module ----------------------------------------------------------------------------- */

int tnp_add_type(PyObject* module, PyTypeObject** slot, PyType_Spec* spec, PyObject* base) {
  if (*slot == NULL) {
    PyObject* type = base ? PyType_FromSpecWithBases(spec, base) : PyType_FromSpec(spec);
    if (type == NULL) return -1;
    *slot = (PyTypeObject*)type;
  }
  const char* dot = strrchr(spec->name, '.');
  Py_INCREF(*slot);
  if (PyModule_AddObject(module, dot ? dot + 1 : spec->name, (PyObject*)*slot) != 0) {
    Py_DECREF(*slot);
    return -1;
  }
  return 0;
}

static int check_interpreter(void) {
  if (PyInterpreterState_Get() == PyInterpreterState_Main()) return 0;
  PyErr_SetString(
      PyExc_ImportError,
      "tenon: the interpreter must be the main one, got a subinterpreter; Tenon keeps one "
      "registry and one set of types per process");
  return -1;
}

/* Python gives a loaded extension to a subinterpreter without calling it, so the package checks. */
static PyObject* require_main(PyObject* module, PyObject* unused) {
  (void)module;
  (void)unused;
  if (check_interpreter() != 0) return NULL;
  Py_RETURN_NONE;
}

static PyMethodDef methods[] = {
    {"_require_main_interpreter", require_main, METH_NOARGS, NULL},
    {"_close_gate", close_gate, METH_NOARGS, "Stops kernels of other threads; called at exit."},
    {"drain", drain, METH_NOARGS, "Frees what removed kernels and other threads left behind."},
    {NULL, NULL, 0, NULL}};

int tnp_init(PyObject* module) {
  if (check_interpreter() != 0) return -1;
  if ((tenon_abi_version() >> 16) != TENON_ABI_MAJOR ||
      (tenon_abi_version() & 0xFFFF) < TENON_ABI_MINOR) {
    PyErr_Format(PyExc_ImportError, "tenon: the ABI of libtenon must be %d.%d, got %u.%u",
                 TENON_ABI_MAJOR, TENON_ABI_MINOR, tenon_abi_version() >> 16,
                 tenon_abi_version() & 0xFFFF);
    return -1;
  }
  if (PyModule_AddFunctions(module, methods) != 0) return -1;
  if (tnp_errors_init(module) || tnp_types_init(module) || tnp_size_init(module) ||
      tnp_overrides_init(module) || tnp_value_init(module) || tnp_tensor_init(module) ||
      tnp_exchange_init(module) || tnp_factory_init(module) || tnp_generator_init(module) ||
      tnp_graph_init(module) || tnp_graph_call_init(module) || tnp_autograd_init(module) ||
      tnp_forward_ad_init(module) || tnp_transform_init(module) || tnp_transformed_init(module) ||
      tnp_nn_module_init(module) || tnp_autocast_init(module) || tnp_fake_init(module) ||
      tnp_check_init(module) || tnp_op_init(module) || tnp_function_protocol_init(module) ||
      tnp_handler_watch_init(module) || tnp_overridable_init(module) || tnp_library_init(module) ||
      tnp_alias_check_init(module) || tnp_handle_init(module) || tnp_guard_init(module) ||
      tnp_symbol_ready(module) || tnp_shape_env_ready(module) || tnp_weak_tensor_ready(module)) {
    return -1;
  }
  if (tnp_warning_init() != 0) return -1;
  return tnp_registry_init();
}
