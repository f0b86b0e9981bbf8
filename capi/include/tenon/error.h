/* SPDX-License-Identifier: Apache-2.0 */
/* Errors: owned objects with code, kind, message, notes, cause, frames and a foreign payload. */
#ifndef TENON_ERROR_H
#define TENON_ERROR_H

#include "tenon/common.h"
#include "tenon/status.h"

// Usage:
//
//   status = tenon_op_find("aten::no_such_operator", &op);
//   if (status) {
//     tenon_error* error = tenon_error_take();
//     fprintf(stderr, "%s\n", tenon_error_format(error));
//     tenon_error_release(error);
//   }

TENON_BEGIN_DECLS

/* A place in source code that an error passed through. Texts are borrowed from the error; line 0
 * means unknown. */
typedef struct tenon_error_frame {
  uint32_t language; /* TENON_LANGUAGE_* */
  int32_t line;
  const char* function;
  const char* file;
  uint64_t reserved[2];
} tenon_error_frame;

/// Creates an error. If `kind` is NULL, the code's default kind is used. `message` is copied up to
/// its NUL; NULL means "".
///
/// Errors:    none; if memory is short, the preallocated out-of-memory error is returned.
/// Ownership: new reference.
/// Threads:   any thread.
/// Since:     0.1
TENON_API tenon_error* tenon_error_new(tenon_status code, const char* kind, const char* message);

/// Adds a reference. NULL is accepted and returned.
///
/// Threads:   any thread.
/// Since:     0.1
TENON_API tenon_error* tenon_error_retain(tenon_error* error);

/// Drops a reference; the last one runs the payload's deleter. NULL is accepted.
///
/// Threads:   any thread.
/// Since:     0.1
TENON_API void tenon_error_release(tenon_error* error);

/// Puts an error into the calling thread's slot and returns its code, so that a C function can end
/// with `return tenon_error_set(error);`. An error that is already in the slot is released.
///
/// Errors:    NULL empties the slot and returns TENON_OK.
/// Ownership: takes over the reference.
/// Threads:   any thread; the slot is the calling thread's.
/// Since:     0.1
TENON_API tenon_status tenon_error_set(tenon_error* error);

/// Creates an error with the code's default kind, puts it into the slot and returns the code.
///
/// Errors:    always returns `code`; the error is in the slot.
/// Threads:   any thread; the slot is the calling thread's.
/// Since:     0.1
TENON_API tenon_status tenon_error_raise(tenon_status code, const char* message);

/// Moves the error out of the calling thread's slot and returns it, or NULL if the slot is empty.
///
/// Ownership: new reference (the slot's).
/// Threads:   any thread; the slot is the calling thread's.
/// Since:     0.1
TENON_API tenon_error* tenon_error_take(void);

/// Returns the error in the calling thread's slot without taking it, or NULL if the slot is empty.
///
/// Ownership: borrowed until the slot changes.
/// Threads:   any thread; the slot is the calling thread's.
/// Since:     0.1
TENON_API const tenon_error* tenon_error_peek(void);

/// Returns the error's code, never TENON_OK.
///
/// Errors:    none: the return value is the code of `error`, not a status of this call.
/// Threads:   any thread.
/// Since:     0.1
TENON_API tenon_status tenon_error_code(const tenon_error* error);

/// Returns the kind, such as "TypeError" or the name of a foreign exception class.
///
/// Ownership: borrowed until the error dies.
/// Threads:   any thread.
/// Since:     0.1
TENON_API const char* tenon_error_kind(const tenon_error* error);

/// Returns the message as UTF-8, without kind, notes or frames.
///
/// Ownership: borrowed until the error dies.
/// Threads:   any thread.
/// Since:     0.1
TENON_API const char* tenon_error_message(const tenon_error* error);

/// Returns the whole error as readable text: kind, message, notes, frames (innermost first),
/// causes. Repeated calls return the same text as long as nothing is added to the error.
///
/// Ownership: borrowed until the error dies or changes.
/// Threads:   any thread that owns the error alone.
/// Since:     0.1
TENON_API const char* tenon_error_format(tenon_error* error);

/// Adds a note: a line of context that is printed below the message.
///
/// Threads:   any thread that owns the error alone.
/// Since:     0.1
TENON_API void tenon_error_add_note(tenon_error* error, const char* note);

/// Returns the number of notes.
///
/// Threads:   any thread.
/// Since:     0.1
TENON_API int64_t tenon_error_note_count(const tenon_error* error);

/// Returns note `index`, or NULL if the index is out of range.
///
/// Ownership: borrowed until the error dies.
/// Threads:   any thread.
/// Since:     0.1
TENON_API const char* tenon_error_note(const tenon_error* error, int64_t index);

/// Adds a frame; frames are kept innermost first. Texts are copied and may be NULL.
///
/// Threads:   any thread that owns the error alone.
/// Since:     0.1
TENON_API void tenon_error_add_frame(tenon_error* error, uint32_t language, const char* function,
                                     const char* file, int32_t line);

/// Returns how many more frames an error accepts, or INT32_MAX if there is no limit. There is a
/// limit if Tenon calls the function of tenon_language_set_frames to find a place in the user's
/// code. The function should then leave out frames of the language's own package; surplus frames
/// are dropped.
///
/// Threads:   any thread that owns the error alone.
/// Since:     0.1
TENON_API int32_t tenon_error_frames_wanted(const tenon_error* error);

/// Returns the number of frames.
///
/// Threads:   any thread.
/// Since:     0.1
TENON_API int64_t tenon_error_frame_count(const tenon_error* error);

/// Fills `out_frame` with frame `index`.
///
/// Errors:    TENON_ERROR_INDEX.
/// Ownership: texts are borrowed until the error dies.
/// Threads:   any thread.
/// Since:     0.1
TENON_API tenon_status tenon_error_get_frame(const tenon_error* error, int64_t index,
                                             tenon_error_frame* out_frame);

/// Sets the error that caused this one. A cause that was set before is released.
///
/// Ownership: takes over the reference to `cause`.
/// Threads:   any thread that owns the error alone.
/// Since:     0.1
TENON_API void tenon_error_set_cause(tenon_error* error, tenon_error* cause);

/// Returns the error that caused this one, or NULL.
///
/// Ownership: borrowed until the error dies.
/// Threads:   any thread.
/// Since:     0.1
TENON_API const tenon_error* tenon_error_cause(const tenon_error* error);

/// Attaches a language's own exception to the error, so that the same exception object is raised
/// when the error returns to that language. A payload that was set before is deleted.
///
/// Ownership: takes over `payload`; `deleter` (may be NULL) runs exactly once.
/// Threads:   any thread that owns the error alone.
/// Since:     0.1
TENON_API void tenon_error_set_payload(tenon_error* error, uint32_t language, void* payload,
                                       tenon_deleter deleter);

/// Returns the payload if it belongs to `language`, and NULL otherwise.
///
/// Ownership: borrowed until the error dies.
/// Threads:   any thread.
/// Since:     0.1
TENON_API void* tenon_error_payload(const tenon_error* error, uint32_t language);

TENON_END_DECLS

#endif /* TENON_ERROR_H */
