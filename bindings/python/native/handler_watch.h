/* SPDX-License-Identifier: Apache-2.0 */
/* Profiling of `__torch_function__` handlers, which run before dispatch. */
#ifndef TENON_PYTHON_HANDLER_WATCH_H
#define TENON_PYTHON_HANDLER_WATCH_H

#include "native.h"

/* Records that a handler of a class (a mode's or an argument's) starts serving a call of `func`.
 * Returns the argument for tnp_end_handler, NULL if the thread has no profile. Never fails. */
PyObject* tnp_begin_handler_slow(PyObject* func, PyTypeObject* type);
/* Records that the handler has returned. Takes over `open`; preserves a pending exception. */
void tnp_end_handler_slow(PyObject* open, bool failed);

/* (profile, list of handlers, start time) of each profile of the thread; NULL if there are none. */
extern _Thread_local PyObject* tnp_watches;

static inline PyObject* tnp_begin_handler(PyObject* func, PyTypeObject* type) {
  return TNP_LIKELY(tnp_watches == NULL) ? NULL : tnp_begin_handler_slow(func, type);
}
static inline void tnp_end_handler(PyObject* open, bool failed) {
  if (TNP_UNLIKELY(open != NULL)) tnp_end_handler_slow(open, failed);
}

int tnp_handler_watch_init(PyObject* module);

#endif
