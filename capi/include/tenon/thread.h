/* SPDX-License-Identifier: Apache-2.0 */
/* The calling thread's state: captured, entered on another thread, and the slots that layers
 * add. */
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
/// level, and the words of the slots that layers registered.
///
/// Errors:    TENON_ERROR_OUT_OF_MEMORY, or what the copy function of a slot raised.
/// Ownership: new reference in `out_state`.
/// Threads:   any thread, whose own state it is; runs the copy functions of slots.
/// Since:     0.1
TENON_API tenon_status tenon_thread_state_capture(tenon_thread_state** out_state);

/// Enters a captured state on the calling thread; `out_previous` is what tenon_thread_state_leave
/// restores.
///
/// Errors:    TENON_ERROR_OUT_OF_MEMORY, or what the copy function of a slot raised.
/// Ownership: new reference in `out_previous`, consumed by leave; `state` is borrowed.
/// Threads:   any thread; runs the copy functions of slots.
/// Since:     0.1
TENON_API tenon_status tenon_thread_state_enter(const tenon_thread_state* state,
                                                tenon_thread_state** out_previous);

/// Restores the state that enter put aside.
///
/// Errors:    TENON_ERROR_STATE on another thread than the one that entered, and when a state
///            entered later has not been left; nothing changes then.
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

/* How a slot's word travels with thread states. The word is whatever its owner makes of it; NULL at
 * first. Callbacks run with no lock held. */
typedef struct tenon_thread_slot {
  uint32_t struct_size; /* sizeof(tenon_thread_slot) */
  uint32_t reserved0;   /* zero */
  /* Makes the copy that a captured state, or a thread that enters it, gets: on the thread that
   * captures or enters. NULL: states do not carry the word, which stays as it is on a thread that
   * enters one. Never called for NULL. */
  tenon_status (*copy)(void* word, void** out_word);
  /* Frees a word: of a thread that exits, of a state that dies, or one that leaving replaces. NULL:
   * nothing to free. Never called for NULL. Runs on any thread, and must not fail. */
  void (*drop)(void* word);
  uint64_t reserved[4]; /* zero */
} tenon_thread_slot;

/// Declares a word that each thread has, for a layer's own state, and that thread states carry.
/// The same name with the same functions again returns the same number.
///
/// Errors:    TENON_ERROR_INVALID_ARGUMENT for NULL, an empty name or a reserved word that is not
///            zero, TENON_ERROR_ALREADY_EXISTS for a name with other functions, TENON_ERROR_STATE
///            when all 32 numbers are taken, TENON_ERROR_ABI for a bad struct_size.
/// Ownership: the struct is copied; its functions must stay for ever.
/// Threads:   any thread.
/// Since:     0.1
TENON_API tenon_status tenon_thread_slot_register(const char* name, const tenon_thread_slot* slot,
                                                  uint32_t* out_index);

/// Returns the address of the calling thread's word.
///
/// Errors:    NULL for an unknown number, and when memory is short on a thread's first use.
/// Ownership: borrowed until the thread exits; what the word points to is its owner's.
/// Threads:   owner thread.
/// Since:     0.1
TENON_API void** tenon_thread_slot_peek(uint32_t index);

TENON_END_DECLS

#endif /* TENON_THREAD_H */
