/* SPDX-License-Identifier: Apache-2.0 */
/* Boxed values and the stack: how arguments and results cross between languages. */
#ifndef TENON_VALUE_H
#define TENON_VALUE_H

#include "tenon/common.h"
#include "tenon/types.h"

TENON_BEGIN_DECLS

/* Tags. Every schema type has one, so that fallbacks, tracers and printers can read any stack.
 * Append-only. */
#define TENON_TAG_NONE 0          /* an absent optional; also `None` */
#define TENON_TAG_BOOL 1          /* as.i is 0 or 1 */
#define TENON_TAG_INT 2           /* as.i */
#define TENON_TAG_FLOAT 3         /* as.f */
#define TENON_TAG_COMPLEX 4       /* as.c; a Scalar is one of BOOL, INT, FLOAT, COMPLEX */
#define TENON_TAG_STRING 5        /* as.list.data, UTF-8, count bytes; NUL-terminated if OWNED */
#define TENON_TAG_DTYPE 6         /* as.i is a TENON_DTYPE_* */
#define TENON_TAG_LAYOUT 7        /* as.i is a TENON_LAYOUT_* */
#define TENON_TAG_MEMORY_FORMAT 8 /* as.i is a TENON_MEMORY_FORMAT_* */
#define TENON_TAG_DEVICE 9        /* as.device */
#define TENON_TAG_STREAM 10       /* as.stream */
#define TENON_TAG_GENERATOR 11    /* as.generator */
#define TENON_TAG_TENSOR 12       /* as.tensor, never NULL: tenon_tensor_undefined() if undefined */
#define TENON_TAG_STORAGE 13      /* as.storage */
#define TENON_TAG_SYMINT 14       /* as.symint; symbolic contexts only */
#define TENON_TAG_SYMFLOAT 15     /* as.symint */
#define TENON_TAG_SYMBOOL 16      /* as.symint */
#define TENON_TAG_FUNCTION 17     /* as.object, a callable object */
#define TENON_TAG_OBJECT 18       /* as.object */
#define TENON_TAG_INT_LIST 32     /* as.list.data is const int64_t* */
#define TENON_TAG_FLOAT_LIST 33   /* as.list.data is const double* */
#define TENON_TAG_BOOL_LIST 34    /* as.list.data is const uint8_t* */
#define TENON_TAG_TENSOR_LIST 35  /* as.list.data is tenon_tensor* const*; NULL = absent */
#define TENON_TAG_LIST 36         /* as.list.data is const tenon_value*: every other list */
#define TENON_TAG_TUPLE 37        /* as.list.data is const tenon_value* */
#define TENON_TAG_DICT 38 /* as.list.data is const tenon_value*, count keys and values in turn */

/* Flags. */
#define TENON_VALUE_OWNED 1u        /* the value holds a reference: tenon_value_clear releases it */
#define TENON_VALUE_MOVABLE 2u      /* the caller gives this argument away: a kernel may take it */
#define TENON_VALUE_HAS_SYMBOLIC 4u /* an int list with symbolic entries */
#define TENON_VALUE_HAS_OBJECT 8u   /* a tensor list with carriers of overriding objects */

typedef struct tenon_complex {
  double real;
  double imag;
} tenon_complex;

/* Elements of a list, dict, tuple or string. `owner` NULL means borrowed: the data outlives the
 * call only. A dict's `count` is the number of keys; its data holds 2 * count values. */
typedef struct tenon_list {
  const void* data;
  tenon_buffer* owner;
} tenon_list;

/* A stream of a device: the vendor's handle, asked of the device's provider at call time. */
typedef struct tenon_stream {
  void* handle;
  tenon_device device;
} tenon_stream;

typedef union tenon_payload {
  int64_t i;
  double f;
  tenon_complex c;
  tenon_list list;
  tenon_device device;
  tenon_stream stream;
  tenon_tensor* tensor;
  tenon_storage* storage;
  tenon_generator* generator;
  tenon_symint* symint;
  tenon_object* object;
  uint64_t words[2];
} tenon_payload;

/* One boxed value: 24 bytes, 8-aligned, zero-initialised is `None`. */
typedef struct tenon_value {
  uint16_t tag;   /* TENON_TAG_* */
  uint16_t flags; /* TENON_VALUE_* */
  uint32_t count; /* elements of a list, keys of a dict, bytes of a string; else 0 */
  tenon_payload as;
} tenon_value;

/* One boxed call's arguments and results, in memory of the caller.
 *
 * args hold nargs values in schema order, borrowed for the call (an argument flagged MOVABLE may be
 * taken: set its flags to 0 and its tag to NONE). rets hold nrets values, NONE on entry, written
 * owned; the dispatcher clears them when the kernel fails. A return that the schema annotates as a
 * written argument is that argument: the kernel writes a new reference to the same handle.
 * `error` is NULL on entry; a kernel that fails may put an owned error here (or into the thread's
 * slot, tenon_error_set). A layer that redispatches with other arguments points `args` at its own
 * array and restores it on every exit. */
typedef struct tenon_stack {
  tenon_value* args;
  tenon_value* rets;
  uint32_t nargs;
  uint32_t nrets;
  tenon_error* error;
  uint64_t reserved[2];
} tenon_stack;

/// Allocates a buffer of `size` bytes, zeroed, followed by one NUL byte that `size` does not count.
///
/// Errors:    TENON_ERROR_OUT_OF_MEMORY, TENON_ERROR_INVALID_ARGUMENT for a negative size.
/// Ownership: new reference in `out_buffer`.
/// Threads:   any thread.
/// Since:     0.1
TENON_API tenon_status tenon_buffer_new(int64_t size, tenon_buffer** out_buffer);

/// Wraps foreign memory; `deleter(ctx)` runs when the last reference goes, also when this fails.
///
/// Errors:    TENON_ERROR_OUT_OF_MEMORY, TENON_ERROR_INVALID_ARGUMENT for a negative size or NULL.
/// Ownership: new reference in `out_buffer`; takes over `ctx`.
/// Threads:   any thread; the deleter runs on the thread of the last release.
/// Since:     0.1
TENON_API tenon_status tenon_buffer_wrap(void* data, int64_t size, void* ctx, tenon_deleter deleter,
                                         tenon_buffer** out_buffer);

/// Adds a reference. NULL is accepted and returned.
///
/// Threads:   any thread.
/// Since:     0.1
TENON_API tenon_buffer* tenon_buffer_retain(tenon_buffer* buffer);

/// Drops a reference. NULL is accepted.
///
/// Threads:   any thread.
/// Since:     0.1
TENON_API void tenon_buffer_release(tenon_buffer* buffer);

/// Returns the memory; text results are NUL-terminated.
///
/// Ownership: borrowed until the buffer dies.
/// Threads:   any thread.
/// Since:     0.1
TENON_API void* tenon_buffer_data(const tenon_buffer* buffer);

/// Returns the size in bytes, without the trailing NUL.
///
/// Threads:   any thread.
/// Since:     0.1
TENON_API int64_t tenon_buffer_size(const tenon_buffer* buffer);

/// Copies a value deeply: the copy owns everything it refers to and outlives borrowed lists.
/// Tensors, objects and other handles are retained, not copied.
///
/// Errors:    TENON_ERROR_INVALID_ARGUMENT for an unknown tag or a NULL handle,
///            TENON_ERROR_NOT_SUPPORTED for a reserved tag, TENON_ERROR_RECURSION for more than
///            1000 nested lists, TENON_ERROR_OUT_OF_MEMORY.
/// Ownership: the copy is cleared by the caller. `out_value` is overwritten, not cleared.
/// Threads:   any thread.
/// Since:     0.1
TENON_API tenon_status tenon_value_copy(const tenon_value* value, tenon_value* out_value);

/// Releases what the value owns (nothing unless flagged OWNED) and sets it to NONE.
///
/// Threads:   any thread.
/// Since:     0.1
TENON_API void tenon_value_clear(tenon_value* value);

/// Clears `count` values.
///
/// Threads:   any thread.
/// Since:     0.1
TENON_API void tenon_value_clear_n(tenon_value* values, int64_t count);

/// Makes an owned string value from `size` bytes of UTF-8 text.
///
/// Errors:    TENON_ERROR_OUT_OF_MEMORY, TENON_ERROR_INVALID_ARGUMENT for a negative size or NULL.
/// Ownership: the caller clears `out_value`.
/// Threads:   any thread.
/// Since:     0.1
TENON_API tenon_status tenon_value_new_string(const char* text, int64_t size,
                                              tenon_value* out_value);

/// Makes an owned list, tuple or dict value of kind `tag` from `count` elements (dict: keys).
/// `elements` has the C type that the tag names; handles are retained, tenon_values deep-copied.
///
/// Errors:    TENON_ERROR_INVALID_ARGUMENT for a tag that is no list, a count that is negative or
///            above UINT32_MAX, or NULL elements; else as tenon_value_copy.
/// Ownership: the caller clears `out_value`.
/// Threads:   any thread.
/// Since:     0.1
TENON_API tenon_status tenon_value_new_list(uint16_t tag, const void* elements, int64_t count,
                                            tenon_value* out_value);

/// Returns the name of a tag, such as "int" or "Tensor[]"; "unknown" for an unknown one.
///
/// Ownership: static text.
/// Threads:   any thread.
/// Since:     0.1
TENON_API const char* tenon_tag_name(uint16_t tag);

/// Writes a value as readable text, such as "[1, 2]" or "Tensor(float32, [2, 3], cpu)".
///
/// Errors:    TENON_ERROR_OUT_OF_MEMORY.
/// Ownership: new reference in `out_text`.
/// Threads:   any thread.
/// Since:     0.1
TENON_API tenon_status tenon_value_print(const tenon_value* value, tenon_buffer** out_text);

TENON_END_DECLS

#endif /* TENON_VALUE_H */
