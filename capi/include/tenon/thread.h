/* SPDX-License-Identifier: Apache-2.0 */
/* Thread states: a thread's state, captured and entered on another thread, and the slots that
 * layers add to it. */
#ifndef TENON_THREAD_H
#define TENON_THREAD_H

#include "tenon/common.h"

// Usage:
//
//   tenon_thread_state *state = NULL, *previous = NULL;
//   status = tenon_thread_state_capture(&state);
//   /* On another thread: */
//   if (!status) status = tenon_thread_state_enter(state, &previous);
//   if (!status) status = tenon_op_call_named(op, &arg, 1, NULL, NULL, 0, &ret, 1);
//   if (!status) status = tenon_thread_state_leave(previous);
//   tenon_thread_state_release(state);

TENON_BEGIN_DECLS

/// Captures the calling thread's whole state: keys, grad mode, modes, transform layers, the dual
/// level, and the words of registered slots.
///
/// Errors:    TENON_ERROR_OUT_OF_MEMORY, or what the copy function of a slot raised.
/// Ownership: new reference in `out_state`.
/// Threads:   any thread; captures that thread's own state and runs the copy functions of slots.
/// Since:     0.1
TENON_API tenon_status tenon_thread_state_capture(tenon_thread_state** out_state);

/// Enters a captured state on the calling thread. `out_previous` receives the state that
/// tenon_thread_state_leave restores.
///
/// Errors:    TENON_ERROR_OUT_OF_MEMORY, or what the copy function of a slot raised.
/// Ownership: new reference in `out_previous`, consumed by leave; `state` is borrowed.
/// Threads:   any thread; runs the copy functions of slots.
/// Since:     0.1
TENON_API tenon_status tenon_thread_state_enter(const tenon_thread_state* state,
                                                tenon_thread_state** out_previous);

/// Restores the state that tenon_thread_state_enter replaced.
///
/// Errors:    TENON_ERROR_STATE on another thread than the one that entered, and if a state entered
///            later has not been left. Nothing changes on failure.
/// Ownership: takes over the reference to `previous`, on success only.
/// Threads:   owner thread; runs the drop functions of slots.
/// Since:     0.1
TENON_API tenon_status tenon_thread_state_leave(tenon_thread_state* previous);

/// Adds a reference. NULL is accepted and returned.
///
/// Threads:   any thread.
/// Since:     0.1
TENON_API tenon_thread_state* tenon_thread_state_retain(tenon_thread_state* state);

/// Drops a reference. NULL is accepted.
///
/// Threads:   any thread; the last one runs the drop functions of slots.
/// Since:     0.1
TENON_API void tenon_thread_state_release(tenon_thread_state* state);

/* Describes how a slot's word is carried by thread states. The owner of the slot decides what the
 * word means; it is NULL at first. Callbacks run with no lock held. */
typedef struct tenon_thread_slot {
  uint32_t struct_size; /* sizeof(tenon_thread_slot) */
  uint32_t reserved0;   /* zero */
  /* Copies the word for a captured state, or for a thread that enters one; it runs on the thread
   * that captures or enters. If this is NULL, states do not carry the word, and a thread that
   * enters a state keeps its own. Never called for a NULL word. */
  tenon_status (*copy)(void* word, void** out_word);
  /* Frees a word when its thread exits, when its state dies, or when leaving a state replaces it.
   * NULL if nothing must be freed. Never called for a NULL word. Runs on any thread, and must not
   * fail. */
  void (*drop)(void* word);
  uint64_t reserved[4]; /* zero */
} tenon_thread_slot;

/// Declares a word for a layer's own state. Each thread has one, and thread states carry it.
/// Declaring the same name with the same functions again returns the same number.
///
/// Errors:    TENON_ERROR_INVALID_ARGUMENT for NULL, an empty name or a reserved word that is not
///            zero, TENON_ERROR_ALREADY_EXISTS for a name with other functions, TENON_ERROR_STATE
///            if all 32 numbers are taken, TENON_ERROR_ABI for a bad struct_size.
/// Ownership: the struct is copied; its functions must stay valid until the process exits.
/// Threads:   any thread.
/// Since:     0.1
TENON_API tenon_status tenon_thread_slot_register(const char* name, const tenon_thread_slot* slot,
                                                  uint32_t* out_index);

/// Returns the address of the calling thread's word.
///
/// Errors:    NULL for an unknown number, and if memory is short on a thread's first use.
/// Ownership: borrowed until the thread exits; the data that the word points to belongs to its
///            owner.
/// Threads:   owner thread.
/// Since:     0.1
TENON_API void** tenon_thread_slot_peek(uint32_t index);

TENON_END_DECLS

#endif /* TENON_THREAD_H */
