/* SPDX-License-Identifier: Apache-2.0 */
/* Profiles that see `__torch_function__` handlers, which are asked before any dispatch. */
#ifndef TENON_PYTHON_HANDLER_WATCH_H
#define TENON_PYTHON_HANDLER_WATCH_H

#include "native.h"

/* Says that a handler of a class, a mode's or an argument's, is asked to serve a call of `func`.
 * Returns what tnp_end_handler wants; NULL where the thread has no profile. Never fails. */
PyObject* tnp_begin_handler_slow(PyObject* func, PyTypeObject* type);
/* Says that the handler has returned; takes over `open`, and leaves an exception as it is. */
void tnp_end_handler_slow(PyObject* open, bool failed);

/* (profile, list of handlers, when it began) of each profile of the thread; NULL: there is none. */
extern _Thread_local PyObject* tnp_watches;

static inline PyObject* tnp_begin_handler(PyObject* func, PyTypeObject* type) {
  return TNP_LIKELY(tnp_watches == NULL) ? NULL : tnp_begin_handler_slow(func, type);
}
static inline void tnp_end_handler(PyObject* open, bool failed) {
  if (TNP_UNLIKELY(open != NULL)) tnp_end_handler_slow(open, failed);
}

int tnp_handler_watch_init(PyObject* module);

#endif
