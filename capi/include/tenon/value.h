/* SPDX-License-Identifier: Apache-2.0 */
/* Boxed values and the stack: how arguments and results are passed between languages. */
#ifndef TENON_VALUE_H
#define TENON_VALUE_H

#include "tenon/buffer.h"
#include "tenon/common.h"
#include "tenon/device.h"
#include "tenon/stream.h"
#include "tenon/types.h"

// Usage:
//
//   tenon_value args[] = {tenon_value_of_tensor(x), tenon_value_of_float(0.5)};
//   tenon_value copy = tenon_value_of_none();
//   status = tenon_value_copy(&args[1], &copy);
//   if (!status) printf("%g\n", copy.as.f);
//   tenon_value_clear(&copy);

TENON_BEGIN_DECLS

/* Tags, the type codes of values. Every schema type has one, so that fallbacks, tracers and
 * printers can read any stack. Append-only. */
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
#define TENON_TAG_SYMINT 14       /* as.symbol, a symbolic int; symbolic contexts only */
#define TENON_TAG_SYMFLOAT 15     /* as.symbol */
#define TENON_TAG_SYMBOOL 16      /* as.symbol */
#define TENON_TAG_FUNCTION 17     /* as.object, a callable object */
#define TENON_TAG_OBJECT 18       /* as.object */
#define TENON_TAG_REF 19          /* as.i is a graph value's number; in graphs only: graph.h */
#define TENON_TAG_INT_LIST 32     /* as.list.data is const int64_t* */
#define TENON_TAG_FLOAT_LIST 33   /* as.list.data is const double* */
#define TENON_TAG_BOOL_LIST 34    /* as.list.data is const uint8_t* */
#define TENON_TAG_TENSOR_LIST 35  /* as.list.data is tenon_tensor* const*; NULL = absent */
#define TENON_TAG_LIST 36         /* as.list.data is const tenon_value*: every other list */
#define TENON_TAG_TUPLE 37        /* as.list.data is const tenon_value* */
#define TENON_TAG_DICT 38         /* as.list.data is const tenon_value*; alternating keys, values */

/* Flags. Bit 8 is reserved. */
#define TENON_VALUE_OWNED 1u        /* the value holds a reference: tenon_value_clear releases it */
#define TENON_VALUE_MOVABLE 2u      /* the caller gives up this argument: a kernel may take it */
#define TENON_VALUE_HAS_SYMBOLIC 4u /* an int list with symbols among its words, see symbol.h */

typedef struct tenon_complex {
  double real;
  double imag;
} tenon_complex;

/* The elements of a list, dict or tuple, or the bytes of a string. If `owner` is NULL, the data is
 * borrowed and outlives the call only. The `count` of a dict is its number of keys; its data holds
 * 2 * count values. */
typedef struct tenon_list {
  const void* data;
  tenon_buffer* owner;
} tenon_list;

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
  tenon_symbol* symbol;
  tenon_object* object;
  uint64_t words[2];
} tenon_payload;

/* A boxed value: 24 bytes, 8-aligned. A zeroed value is `None`. */
typedef struct tenon_value {
  uint16_t tag;   /* TENON_TAG_* */
  uint16_t flags; /* TENON_VALUE_* */
  uint32_t count; /* elements of a list, keys of a dict, bytes of a string; otherwise 0 */
  tenon_payload as;
} tenon_value;

/* The arguments and results of a boxed call, in memory of the caller.
 *
 * `args` holds `nargs` values in schema order, borrowed for the call. A kernel may take an argument
 * flagged MOVABLE: it then sets the argument's flags to 0 and its tag to NONE. `rets` holds `nrets`
 * values, which are NONE on entry; the kernel writes owned values, and the dispatcher clears them
 * if the kernel fails. If the schema annotates a return as a written argument, the kernel returns a
 * new reference to that argument's handle. `error` is NULL on entry; a failing kernel may store an
 * owned error here or in the thread's slot (tenon_error_set). A layer that redispatches with other
 * arguments points `args` at its own array and restores it on every exit. `args` and `rets`, and
 * the data of a list, may be NULL only if they have no elements. Calls do not check that. */
typedef struct tenon_stack {
  tenon_value* args;
  tenon_value* rets;
  uint32_t nargs;
  uint32_t nrets;
  tenon_error* error;
  uint64_t reserved[2]; /* zero */
} tenon_stack;

/* Functions that build values in place. None of them allocates or takes a reference: everything
 * that the value points to is borrowed and must outlive it. Results that a kernel writes must own
 * their references: see tenon_value_give. */
#if !defined(SWIG)
static inline tenon_value tenon_value_of_none(void) {
  tenon_value value = {TENON_TAG_NONE, 0, 0, {0}};
  return value;
}

/* Makes a value that is one 64-bit number: BOOL, INT, DTYPE, LAYOUT, MEMORY_FORMAT or REF. */
static inline tenon_value tenon_value_of_number(uint16_t tag, int64_t number) {
  tenon_value value = tenon_value_of_none();
  value.tag = tag;
  value.as.i = number;
  return value;
}

static inline tenon_value tenon_value_of_bool(int32_t truth) {
  return tenon_value_of_number(TENON_TAG_BOOL, truth != 0);
}

static inline tenon_value tenon_value_of_int(int64_t number) {
  return tenon_value_of_number(TENON_TAG_INT, number);
}

static inline tenon_value tenon_value_of_dtype(tenon_dtype dtype) {
  return tenon_value_of_number(TENON_TAG_DTYPE, dtype);
}

static inline tenon_value tenon_value_of_layout(int32_t layout) {
  return tenon_value_of_number(TENON_TAG_LAYOUT, layout);
}

static inline tenon_value tenon_value_of_memory_format(int32_t format) {
  return tenon_value_of_number(TENON_TAG_MEMORY_FORMAT, format);
}

static inline tenon_value tenon_value_of_float(double number) {
  tenon_value value = tenon_value_of_none();
  value.tag = TENON_TAG_FLOAT;
  value.as.f = number;
  return value;
}

static inline tenon_value tenon_value_of_complex(double real, double imag) {
  tenon_value value = tenon_value_of_none();
  value.tag = TENON_TAG_COMPLEX;
  value.as.c.real = real;
  value.as.c.imag = imag;
  return value;
}

static inline tenon_value tenon_value_of_device(tenon_device device) {
  tenon_value value = tenon_value_of_none();
  value.tag = TENON_TAG_DEVICE;
  value.as.device = device;
  return value;
}

static inline tenon_value tenon_value_of_stream(tenon_stream stream) {
  tenon_value value = tenon_value_of_none();
  value.tag = TENON_TAG_STREAM;
  value.as.stream = stream;
  return value;
}

static inline tenon_value tenon_value_of_tensor(tenon_tensor* tensor) {
  tenon_value value = tenon_value_of_none();
  value.tag = TENON_TAG_TENSOR;
  value.as.tensor = tensor;
  return value;
}

static inline tenon_value tenon_value_of_storage(tenon_storage* storage) {
  tenon_value value = tenon_value_of_none();
  value.tag = TENON_TAG_STORAGE;
  value.as.storage = storage;
  return value;
}

static inline tenon_value tenon_value_of_generator(tenon_generator* generator) {
  tenon_value value = tenon_value_of_none();
  value.tag = TENON_TAG_GENERATOR;
  value.as.generator = generator;
  return value;
}

static inline tenon_value tenon_value_of_object(tenon_object* object) {
  tenon_value value = tenon_value_of_none();
  value.tag = TENON_TAG_OBJECT;
  value.as.object = object;
  return value;
}

static inline tenon_value tenon_value_of_function(tenon_object* function) {
  tenon_value value = tenon_value_of_object(function);
  value.tag = TENON_TAG_FUNCTION;
  return value;
}

/* Makes a list, tuple or dict of `count` elements of the C type that the tag names (for a dict:
 * keys), or a string of `count` bytes. */
static inline tenon_value tenon_value_of_elements(uint16_t tag, const void* data, uint32_t count) {
  tenon_value value = tenon_value_of_none();
  value.tag = tag;
  value.count = count;
  value.as.list.data = data;
  return value;
}

static inline tenon_value tenon_value_of_string(const char* text, uint32_t size) {
  return tenon_value_of_elements(TENON_TAG_STRING, text, size);
}

static inline tenon_value tenon_value_of_ints(const int64_t* numbers, uint32_t count) {
  return tenon_value_of_elements(TENON_TAG_INT_LIST, numbers, count);
}

static inline tenon_value tenon_value_of_floats(const double* numbers, uint32_t count) {
  return tenon_value_of_elements(TENON_TAG_FLOAT_LIST, numbers, count);
}

static inline tenon_value tenon_value_of_bools(const uint8_t* truths, uint32_t count) {
  return tenon_value_of_elements(TENON_TAG_BOOL_LIST, truths, count);
}

static inline tenon_value tenon_value_of_tensors(tenon_tensor* const* tensors, uint32_t count) {
  return tenon_value_of_elements(TENON_TAG_TENSOR_LIST, tensors, count);
}

/* Returns the value flagged as the owner of the reference that it names. A kernel uses it to hand a
 * reference over with its result. Values without a reference are returned unchanged. */
static inline tenon_value tenon_value_give(tenon_value value) {
  const int has_handle = (value.tag >= TENON_TAG_GENERATOR && value.tag <= TENON_TAG_OBJECT);
  if (has_handle) value.flags = (uint16_t)(value.flags | TENON_VALUE_OWNED);
  return value;
}
#endif

/// Makes a deep copy of a value. The copy owns its elements, so it outlives borrowed lists.
/// Tensors, objects and other handles are retained, not copied.
///
/// Errors:    TENON_ERROR_INVALID_ARGUMENT for an unknown tag or a NULL handle,
///            TENON_ERROR_NOT_SUPPORTED for a reserved tag, TENON_ERROR_RECURSION for more than
///            1000 nested lists, TENON_ERROR_OUT_OF_MEMORY.
/// Ownership: the caller clears the copy. `out_value` is overwritten, not cleared.
/// Threads:   any thread.
/// Since:     0.1
TENON_API tenon_status tenon_value_copy(const tenon_value* value, tenon_value* out_value);

/// Releases the references that a value owns (none unless it is flagged OWNED) and sets it to NONE.
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

/// Makes an owned list, tuple or dict of kind `tag` from `count` elements (for a dict: keys).
/// `elements` has the C type that the tag names. Handles are retained, and tenon_values are copied
/// deeply.
///
/// Errors:    TENON_ERROR_INVALID_ARGUMENT for a tag that is no list, a count that is negative or
///            above UINT32_MAX, or NULL elements; otherwise as tenon_value_copy.
/// Ownership: the caller clears `out_value`.
/// Threads:   any thread.
/// Since:     0.1
TENON_API tenon_status tenon_value_new_list(uint16_t tag, const void* elements, int64_t count,
                                            tenon_value* out_value);

/// Returns the name of a tag, such as "int" or "Tensor[]", or "unknown" for an unknown tag.
///
/// Ownership: static text.
/// Threads:   any thread.
/// Since:     0.1
TENON_API const char* tenon_tag_name(uint16_t tag);

/// Prints a value as readable text, such as "[1, 2]" or "Tensor(float32, [2, 3], cpu)".
///
/// Errors:    TENON_ERROR_OUT_OF_MEMORY.
/// Ownership: new reference in `out_text`.
/// Threads:   any thread.
/// Since:     0.1
TENON_API tenon_status tenon_value_print(const tenon_value* value, tenon_buffer** out_text);

TENON_END_DECLS

#endif /* TENON_VALUE_H */
