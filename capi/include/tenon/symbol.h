/* SPDX-License-Identifier: Apache-2.0 */
/* Symbolic numbers: sizes that stand for any number, what is decided of them, and tensors that have
 * them. */
#ifndef TENON_SYMBOL_H
#define TENON_SYMBOL_H

#include "tenon/buffer.h"
#include "tenon/common.h"
#include "tenon/device.h"
#include "tenon/kernel.h"
#include "tenon/tensor.h"
#include "tenon/types.h"
#include "tenon/value.h"

// Usage:
//
//   tenon_shape_env* env = NULL;
//   tenon_tensor* symbolic = NULL;
//   status = tenon_shape_env_new(0, &env);
//   if (!status) status = tenon_tensor_copy_symbolic(x, env, NULL, &symbolic);
//   /* ... operators on it record guards in env ... */
//   if (!status) printf("%d guards\n", (int)tenon_shape_env_guard_count(env));
//   tenon_tensor_release(symbolic);
//   tenon_shape_env_release(env);

TENON_BEGIN_DECLS

/* A symbol (tenon_symbol) is an integer, float or bool that is not a number yet: a variable such as
 * s0, or an expression of some, such as s0*s1 + 1. Equal expressions of ints are one symbol. A
 * variable is backed by a hint, the number that it has in the case at hand, or unbacked, where only
 * data tells. A shape environment (tenon_shape_env) owns symbols, which live as long as it does;
 * what is decided by hints it records as a guard: whatever was computed holds for all numbers that
 * the guards hold for.
 *
 * Sizes, strides, offsets and numbers of elements of a symbolic tensor are words: numbers, or below
 * -2^62 symbols. A word borrows its symbol from the tensor, or from what it was made from. Only
 * what a tag or a flag calls symbolic holds words (TENON_TAG_SYMINT, TENON_VALUE_HAS_SYMBOLIC,
 * TENON_TENSOR_SYMBOLIC); every other int is a number, whatever its bits. A number below -2^62 is
 * not a word: code that makes words of numbers has to refuse it. */

typedef struct tenon_shape_env tenon_shape_env; /* refcounted */

/* Functions of symbols; NOT, SQRT and FLOAT have one argument. Division is Python's. */
#define TENON_SYMBOL_ADD 0u
#define TENON_SYMBOL_SUB 1u
#define TENON_SYMBOL_MUL 2u
#define TENON_SYMBOL_FLOORDIV 3u
#define TENON_SYMBOL_MOD 4u
#define TENON_SYMBOL_MAX 5u
#define TENON_SYMBOL_MIN 6u
#define TENON_SYMBOL_TRUEDIV 7u /* a float, as SQRT and FLOAT are */
#define TENON_SYMBOL_SQRT 8u
#define TENON_SYMBOL_FLOAT 9u
#define TENON_SYMBOL_EQ 10u /* a bool, as all that follow */
#define TENON_SYMBOL_NE 11u
#define TENON_SYMBOL_LT 12u
#define TENON_SYMBOL_LE 13u
#define TENON_SYMBOL_GT 14u
#define TENON_SYMBOL_GE 15u
#define TENON_SYMBOL_AND 16u
#define TENON_SYMBOL_OR 17u
#define TENON_SYMBOL_NOT 18u

/// Makes an empty shape environment.
///
/// Errors:    TENON_ERROR_INVALID_ARGUMENT for `flags` other than 0, TENON_ERROR_OUT_OF_MEMORY.
/// Ownership: new reference in `out_env`.
/// Threads:   any thread; several may use one environment at once.
/// Since:     0.1
TENON_API tenon_status tenon_shape_env_new(uint32_t flags, tenon_shape_env** out_env);

/// Adds a reference. NULL is accepted and returned.
///
/// Threads:   any thread.
/// Since:     0.1
TENON_API tenon_shape_env* tenon_shape_env_retain(tenon_shape_env* env);

/// Drops a reference; the last one, those of its symbols and tensors included, frees it and all of
/// its symbols. NULL is accepted.
///
/// Threads:   any thread.
/// Since:     0.1
TENON_API void tenon_shape_env_release(tenon_shape_env* env);

/// Writes variables with hints, bounds and what replaced them, then the guards that no other one
/// implies with the places that asked; a line each.
///
/// Errors:    TENON_ERROR_OUT_OF_MEMORY.
/// Ownership: new reference in `out_text`.
/// Threads:   any thread.
/// Since:     0.1
TENON_API tenon_status tenon_shape_env_print(const tenon_shape_env* env, tenon_buffer** out_text);

/* A guard: a relation that must hold for numbers that are put in. Texts are kept by `owner`. */
typedef struct tenon_shape_guard {
  uint32_t struct_size; /* sizeof(tenon_shape_guard) */
  int32_t line;         /* 0: unknown */
  const char* text;     /* "s0 == s1" */
  const char* file;     /* that asked; NULL: unknown */
  const char* op;       /* operator whose kernel asked; NULL: none */
  tenon_buffer* owner;  /* of the texts: a new reference */
  uint64_t reserved[2]; /* zero */
} tenon_shape_guard;

/// Returns how many guards there are that no other one implies.
///
/// Threads:   any thread.
/// Since:     0.1
TENON_API int64_t tenon_shape_env_guard_count(const tenon_shape_env* env);

/// Describes such a guard, in the order in which they were recorded.
///
/// Errors:    TENON_ERROR_INDEX for another index, TENON_ERROR_ABI for a bad struct_size.
/// Ownership: the caller releases `out_guard->owner`, with which the texts go.
/// Threads:   any thread.
/// Since:     0.1
TENON_API tenon_status tenon_shape_env_guard(const tenon_shape_env* env, int64_t index,
                                             tenon_shape_guard* out_guard);

/// Tells whether all guards, and the bounds that variables were made with, hold where numbers stand
/// for `count` variables: 1 or 0. `out_failure` (may be NULL) gets the first that does not.
///
/// Errors:    TENON_ERROR_INVALID_ARGUMENT where a guard has a variable without number, for what is
///            no int variable of this environment and where a result exceeds 64 bits.
/// Ownership: new reference in `out_failure`, NULL where all hold.
/// Threads:   any thread.
/// Since:     0.1
TENON_API tenon_status tenon_shape_env_check(const tenon_shape_env* env,
                                             const tenon_symbol* const* variables,
                                             const int64_t* numbers, int64_t count,
                                             int32_t* out_holds, tenon_buffer** out_failure);

/// Makes a size of a hint: the number itself for 0 and 1, which shape rules treat apart, else a new
/// variable that is 2 or more.
///
/// Errors:    TENON_ERROR_INVALID_ARGUMENT for a negative hint.
/// Ownership: the caller clears `out_size`, an INT or SYMINT.
/// Threads:   any thread.
/// Since:     0.1
TENON_API tenon_status tenon_shape_env_new_size(tenon_shape_env* env, int64_t hint,
                                                tenon_value* out_size);

/// Makes a variable. `tag` is TENON_TAG_SYMINT, SYMFLOAT or SYMBOOL; `name` NULL: s0, s1 and so
/// on, u0 and so on for unbacked ones; `hint` NULL: unbacked. `min` and `max` bound ints, INT64_MIN
/// and INT64_MAX are no bounds. An unbacked int with `min` >= 0 is a size: where nothing decides,
/// shape rules take it for 2 or more.
///
/// Errors:    TENON_ERROR_INVALID_ARGUMENT for another tag, a name that is taken, no number from
///            `min` to `max` and a hint outside, TENON_ERROR_TYPE for a hint of another kind.
/// Ownership: new reference in `out_symbol`.
/// Threads:   any thread.
/// Since:     0.1
TENON_API tenon_status tenon_symbol_new(tenon_shape_env* env, uint16_t tag, const char* name,
                                        const tenon_value* hint, int64_t min, int64_t max,
                                        tenon_symbol** out_symbol);

/// Adds a reference, which keeps the environment and all of its symbols. NULL is accepted and
/// returned.
///
/// Threads:   any thread.
/// Since:     0.1
TENON_API tenon_symbol* tenon_symbol_retain(tenon_symbol* symbol);

/// Drops a reference. NULL is accepted.
///
/// Threads:   any thread.
/// Since:     0.1
TENON_API void tenon_symbol_release(tenon_symbol* symbol);

/// Returns TENON_TAG_SYMINT, SYMFLOAT or SYMBOOL.
///
/// Threads:   any thread.
/// Since:     0.1
TENON_API uint16_t tenon_symbol_tag(const tenon_symbol* symbol);

/// Returns the environment that owns the symbol.
///
/// Ownership: borrowed while the symbol lives.
/// Threads:   any thread.
/// Since:     0.1
TENON_API tenon_shape_env* tenon_symbol_env(const tenon_symbol* symbol);

/// Writes the expression as Python would, such as "s0*s1 + 1", with what has replaced variables.
///
/// Errors:    TENON_ERROR_OUT_OF_MEMORY.
/// Ownership: new reference in `out_text`.
/// Threads:   any thread.
/// Since:     0.1
TENON_API tenon_status tenon_symbol_print(const tenon_symbol* symbol, tenon_buffer** out_text);

/// Gives the hint as a BOOL, INT or FLOAT; NONE where there is none. Records nothing.
///
/// Threads:   any thread.
/// Since:     0.1
TENON_API void tenon_symbol_hint(const tenon_symbol* symbol, tenon_value* out_hint);

/// Gives the bounds of an int, as far as they are known.
///
/// Errors:    TENON_ERROR_TYPE for a symbol that is no int.
/// Threads:   any thread.
/// Since:     0.1
TENON_API tenon_status tenon_symbol_bounds(const tenon_symbol* symbol, int64_t* out_min,
                                           int64_t* out_max);

/// Gives the value of an int where numbers stand for `count` variables. Records nothing.
///
/// Errors:    TENON_ERROR_TYPE for a symbol that is no int, TENON_ERROR_INVALID_ARGUMENT where a
///            variable lacks, for what is no variable of its environment and for a result beyond 64
///            bits.
/// Threads:   any thread.
/// Since:     0.1
TENON_API tenon_status tenon_symbol_evaluate(const tenon_symbol* symbol,
                                             const tenon_symbol* const* variables,
                                             const int64_t* numbers, int64_t count,
                                             int64_t* out_number);

/// Calculates with bools, ints, floats and symbols of one environment: a TENON_SYMBOL_* function.
/// The result is a number where that is known without a guard.
///
/// Errors:    TENON_ERROR_INVALID_ARGUMENT for another function, another count of arguments,
///            a division by 0, a result beyond 64 bits and symbols of two environments,
///            TENON_ERROR_TYPE for an argument of another type, TENON_ERROR_RECURSION for functions
///            nested too deep.
/// Ownership: arguments are borrowed; the caller clears `out_value`.
/// Threads:   any thread.
/// Since:     0.1
TENON_API tenon_status tenon_symbol_apply(uint32_t function, const tenon_value* args, int64_t nargs,
                                          tenon_value* out_value);

/// Makes a number of a symbol, and of all symbols in an int list: what is not known is decided by
/// hints, recorded as guards with this place (`file` NULL: the innermost line of a language that
/// tells its frames; the running operator). Values without symbols are copied.
///
/// Errors:    TENON_ERROR_DATA_DEPENDENT where there is no hint, naming operator and place.
/// Ownership: the caller clears `out_concrete`.
/// Threads:   any thread; may run the function of tenon_language_set_frames.
/// Since:     0.1
TENON_API tenon_status tenon_symbol_guard(const tenon_value* value, const char* file, int32_t line,
                                          tenon_value* out_concrete);

#if !defined(SWIG)
/* Returns 1 if a word is a symbol; also 1 for a number below -2^62, which is not a word. */
static inline int32_t tenon_dim_is_symbol(int64_t dim) { return dim < -((int64_t)1 << 62) ? 1 : 0; }

/* The symbol of such a word; borrowed. */
static inline tenon_symbol* tenon_dim_symbol(int64_t dim) {
  return (tenon_symbol*)(uintptr_t)((uint64_t)dim & ~((uint64_t)1 << 63));
}
#endif

/// Returns the word of an int symbol.
///
/// Ownership: the word borrows the symbol.
/// Threads:   any thread.
/// Since:     0.1
TENON_API int64_t tenon_dim_of_symbol(const tenon_symbol* symbol);

/// Calculates with words: TENON_SYMBOL_ADD to TENON_SYMBOL_MIN. For shape rules; tenon_symbol_apply
/// does the same with values.
///
/// Errors:    as tenon_symbol_apply.
/// Ownership: words are borrowed.
/// Threads:   any thread.
/// Since:     0.1
TENON_API tenon_status tenon_dim_apply(uint32_t function, int64_t a, int64_t b, int64_t* out_dim);

/// Decides a relation of words, TENON_SYMBOL_EQ to TENON_SYMBOL_GE, as shape rules ask: what is not
/// known is decided by unbacked sizes being 2 or more, then by hints, recorded as a guard of the
/// running operator.
///
/// Errors:    as tenon_symbol_apply; TENON_ERROR_DATA_DEPENDENT where there is no hint.
/// Ownership: words are borrowed.
/// Threads:   any thread; may run the function of tenon_language_set_frames.
/// Since:     0.1
TENON_API tenon_status tenon_dim_compare(uint32_t relation, int64_t a, int64_t b,
                                         int32_t* out_holds);

/* A tensor with symbolic sizes. */
typedef struct tenon_symbolic_options {
  uint32_t struct_size;         /* sizeof(tenon_symbolic_options) */
  uint32_t flags;               /* zero */
  tenon_dtype dtype;            /* of a new tensor and of an alias */
  uint32_t reserved0;           /* zero */
  const tenon_device* device;   /* of a new tensor, one without memory; NULL: meta */
  const tenon_tensor* alias_of; /* NULL: new; else what the result is a view of */
  int64_t ndim;
  const int64_t* sizes;   /* ndim words */
  const int64_t* strides; /* ndim words, in elements; NULL: row-major */
  int64_t storage_offset; /* a word, in elements */
  uint64_t reserved[4];   /* zero */
} tenon_symbolic_options;

/// Makes a tensor whose sizes, strides and offset are words: plain where all are numbers, else
/// one flagged TENON_TENSOR_SYMBOLIC, which carries the key Symbolic. It keeps the environment of
/// its symbols. For kernels that are flagged TENON_KERNEL_SYMBOLIC, and for who makes inputs.
///
/// Errors:    TENON_ERROR_INVALID_ARGUMENT for a bad dtype or count, a negative number, symbols of
///            two environments and a device with memory, TENON_ERROR_ABI for a bad struct_size,
///            TENON_ERROR_OUT_OF_MEMORY.
/// Ownership: new reference in `out_tensor`; a view keeps `alias_of` or what that is a view of.
/// Threads:   any thread.
/// Since:     0.1
TENON_API tenon_status tenon_tensor_new_symbolic(const tenon_symbolic_options* options,
                                                 tenon_tensor** out_tensor);

/// Fills the plain description with words for numbers, of any tensor: tenon_tensor_describe that
/// does not fail for a symbolic shape. `numel` and `storage_offset` are words, too.
///
/// Ownership: pointers are borrowed until the tensor dies or is resized.
/// Threads:   any thread.
/// Since:     0.1
TENON_API void tenon_tensor_describe_words(const tenon_tensor* tensor, tenon_tensor_info* out_info);

/// Makes a symbolic tensor a plain one: its sizes become what tenon_symbol_guard makes of them.
/// `argument` (may be NULL) is its name in messages. Of a plain tensor nothing changes.
///
/// Errors:    TENON_ERROR_DATA_DEPENDENT where there is no hint, naming operator, argument and
///            place.
/// Threads:   any thread that owns the tensor alone; may run the function of
///            tenon_language_set_frames.
/// Since:     0.1
TENON_API tenon_status tenon_tensor_specialize(tenon_tensor* tensor, const char* argument);

TENON_END_DECLS

#endif /* TENON_SYMBOL_H */
