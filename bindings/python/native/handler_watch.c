/* SPDX-License-Identifier: Apache-2.0 */
/* Profiling of handlers: records, for each handler that runs on a profiled thread, the number of
 * dispatches at its begin and end, which gives its position among them. */
#include "handler_watch.h"

#include <time.h>

_Thread_local PyObject* tnp_watches;

/* Indices into the list that records a handler. */
enum { FUNC, TYPE, FIRST, END, BEGUN_AT, ENDED_AT, FAILED, PLACES };

static int64_t nanoseconds(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

/* Returns the number of dispatches in a profile so far; -1, without an exception, if some were
 * dropped. */
static int64_t count_of(PyObject* handle) {
  const tenon_profile* profile = tnp_handle_get(handle, TNP_HANDLE_PROFILE);
  int64_t count, dropped;
  if (profile == NULL) return PyErr_Clear(), -1;
  const tenon_status status = tenon_profile_span_count(profile, &count, &dropped);
  if (status != TENON_OK) return tenon_error_release(tenon_error_take()), -1;
  return dropped == 0 ? count : -1;
}

static int64_t time_in(PyObject* watch) {
  return nanoseconds() - PyLong_AsLongLong(PyTuple_GET_ITEM(watch, 2));
}

PyObject* tnp_begin_handler_slow(PyObject* func, PyTypeObject* type) {
  PyObject* open = PyList_New(0);
  for (Py_ssize_t i = 0; open != NULL && i < PyList_GET_SIZE(tnp_watches); i++) {
    PyObject* watch = PyList_GET_ITEM(tnp_watches, i);
    const int64_t first = count_of(PyTuple_GET_ITEM(watch, 0));
    if (first < 0) continue;
    PyObject* noted = Py_BuildValue("[OOLLLLO]", func, (PyObject*)type, (long long)first, -1LL,
                                    (long long)time_in(watch), -1LL, Py_False);
    PyObject* pair = noted != NULL ? PyTuple_Pack(2, watch, noted) : NULL;
    if (pair == NULL || PyList_Append(PyTuple_GET_ITEM(watch, 1), noted) != 0 ||
        PyList_Append(open, pair) != 0) {
      PyErr_Clear(); /* out of memory: the profile omits the handler */
    }
    Py_XDECREF(pair);
    Py_XDECREF(noted);
  }
  PyErr_Clear();
  return open;
}

static void set(PyObject* noted, Py_ssize_t place, PyObject* value) {
  if (value != NULL) PyList_SetItem(noted, place, value);
}

void tnp_end_handler_slow(PyObject* open, bool failed) {
  PyObject *type, *value, *traceback;
  PyErr_Fetch(&type, &value, &traceback);
  for (Py_ssize_t i = 0; i < PyList_GET_SIZE(open); i++) {
    PyObject* watch = PyTuple_GET_ITEM(PyList_GET_ITEM(open, i), 0);
    PyObject* noted = PyTuple_GET_ITEM(PyList_GET_ITEM(open, i), 1);
    set(noted, END, PyLong_FromLongLong(count_of(PyTuple_GET_ITEM(watch, 0))));
    set(noted, ENDED_AT, PyLong_FromLongLong(time_in(watch)));
    set(noted, FAILED, PyBool_FromLong(failed));
  }
  Py_DECREF(open);
  PyErr_Restore(type, value, traceback);
}

/* Starts recording the thread's handlers for a profile, in the list that it returns. */
static PyObject* watch_handlers(PyObject* module, PyObject* handle) {
  (void)module;
  PyObject* seen = PyList_New(0);
  PyObject* watch =
      seen != NULL ? Py_BuildValue("(OOL)", handle, seen, (long long)nanoseconds()) : NULL;
  if (watch != NULL && tnp_watches == NULL) tnp_watches = PyList_New(0);
  if (watch == NULL || tnp_watches == NULL || PyList_Append(tnp_watches, watch) != 0) {
    Py_CLEAR(seen);
  }
  Py_XDECREF(watch);
  return seen;
}

/* Stops recording. Does nothing on another thread. */
static PyObject* unwatch_handlers(PyObject* module, PyObject* seen) {
  (void)module;
  for (Py_ssize_t i = tnp_watches != NULL ? PyList_GET_SIZE(tnp_watches) : 0; i-- > 0;) {
    if (PyTuple_GET_ITEM(PyList_GET_ITEM(tnp_watches, i), 1) != seen) continue;
    if (PyList_SetSlice(tnp_watches, i, i + 1, NULL) != 0) return NULL;
    if (PyList_GET_SIZE(tnp_watches) == 0) Py_CLEAR(tnp_watches);
    break;
  }
  Py_RETURN_NONE;
}

static PyMethodDef methods[] = {{"watch_handlers", watch_handlers, METH_O, NULL},
                                {"unwatch_handlers", unwatch_handlers, METH_O, NULL},
                                {NULL, NULL, 0, NULL}};

int tnp_handler_watch_init(PyObject* module) { return PyModule_AddFunctions(module, methods); }
