/* SPDX-License-Identifier: Apache-2.0 */
/* Symbolic numbers: sizes without a fixed value, guards on them, and tensors that have them. */
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

/* A symbol (tenon_symbol) is an integer, float or bool without a fixed value: a variable such as
 * s0, or an expression of variables, such as s0*s1 + 1. Equal int expressions are interned: they
 * are one symbol. A variable is either backed by a hint, its value in the current example, or
 * unbacked, if its value depends on data. A shape environment (tenon_shape_env) owns symbols, which
 * live as long as it does. Each decision that is based on hints is recorded as a guard: results are
 * valid for all values that satisfy the guards.
 *
 * The sizes, strides, offset and number of elements of a symbolic tensor are words: a word is a
 * number, or, below -2^62, a symbol. A word borrows its symbol from the tensor or from the value
 * that it was made from. Only values with a symbolic tag or flag hold words (TENON_TAG_SYMINT,
 * TENON_VALUE_HAS_SYMBOLIC, TENON_TENSOR_SYMBOLIC); every other int is a number, whatever its bits.
 * A number below -2^62 cannot be a word: code that makes words of numbers must refuse it. */

typedef struct tenon_shape_env tenon_shape_env; /* refcounted */

/* Functions of symbols; NOT, SQRT and FLOAT have one argument. Divisions are Python's. */
#define TENON_SYMBOL_ADD 0u
#define TENON_SYMBOL_SUB 1u
#define TENON_SYMBOL_MUL 2u
#define TENON_SYMBOL_FLOORDIV 3u
#define TENON_SYMBOL_MOD 4u
#define TENON_SYMBOL_MAX 5u
#define TENON_SYMBOL_MIN 6u
#define TENON_SYMBOL_TRUEDIV 7u /* a float, like SQRT and FLOAT */
#define TENON_SYMBOL_SQRT 8u
#define TENON_SYMBOL_FLOAT 9u
#define TENON_SYMBOL_EQ 10u /* a bool, like all that follow */
#define TENON_SYMBOL_NE 11u
#define TENON_SYMBOL_LT 12u
#define TENON_SYMBOL_LE 13u
#define TENON_SYMBOL_GT 14u
#define TENON_SYMBOL_GE 15u
#define TENON_SYMBOL_AND 16u
#define TENON_SYMBOL_OR 17u
#define TENON_SYMBOL_NOT 18u

/// Creates an empty shape environment.
///
/// Errors:    TENON_ERROR_INVALID_ARGUMENT for `flags` other than 0, TENON_ERROR_OUT_OF_MEMORY.
/// Ownership: new reference in `out_env`.
/// Threads:   any thread; several threads may use one environment at once.
/// Since:     0.1
TENON_API tenon_status tenon_shape_env_new(uint32_t flags, tenon_shape_env** out_env);

/// Adds a reference. NULL is accepted and returned.
///
/// Threads:   any thread.
/// Since:     0.1
TENON_API tenon_shape_env* tenon_shape_env_retain(tenon_shape_env* env);

/// Drops a reference. When the last reference is dropped, including those of its symbols and
/// tensors, the environment is freed with all of its symbols. NULL is accepted.
///
/// Threads:   any thread.
/// Since:     0.1
TENON_API void tenon_shape_env_release(tenon_shape_env* env);

/// Prints the variables with hints, bounds and replacements, and then the guards that no other
/// guard implies, with the places that caused them. Each takes one line.
///
/// Errors:    TENON_ERROR_OUT_OF_MEMORY.
/// Ownership: new reference in `out_text`.
/// Threads:   any thread.
/// Since:     0.1
TENON_API tenon_status tenon_shape_env_print(const tenon_shape_env* env, tenon_buffer** out_text);

/* A guard: a relation that must hold for the values of variables. `owner` keeps the texts. */
typedef struct tenon_shape_guard {
  uint32_t struct_size; /* sizeof(tenon_shape_guard) */
  int32_t line;         /* 0: unknown */
  const char* text;     /* "s0 == s1" */
  const char* file;     /* place that caused it; NULL: unknown */
  const char* op;       /* operator whose kernel caused it; NULL: none */
  tenon_buffer* owner;  /* owner of the texts: a new reference */
  uint64_t reserved[2]; /* zero */
} tenon_shape_guard;

/// Returns the number of guards that no other guard implies.
///
/// Threads:   any thread.
/// Since:     0.1
TENON_API int64_t tenon_shape_env_guard_count(const tenon_shape_env* env);

/// Describes one of these guards. They are in the order in which they were recorded.
///
/// Errors:    TENON_ERROR_INDEX if `index` is out of range, TENON_ERROR_ABI for a bad struct_size.
/// Ownership: the caller releases `out_guard->owner`, which frees the texts.
/// Threads:   any thread.
/// Since:     0.1
TENON_API tenon_status tenon_shape_env_guard(const tenon_shape_env* env, int64_t index,
                                             tenon_shape_guard* out_guard);

/// Sets `out_holds` to 1 if all guards, and the bounds that variables were created with, hold if
/// `count` variables have these numbers, and to 0 otherwise. `out_failure` (may be NULL) receives
/// the first guard that does not hold.
///
/// Errors:    TENON_ERROR_INVALID_ARGUMENT if a guard has a variable without number, if one of
///            `variables` is no int variable of this environment and if a result exceeds 64 bits.
/// Ownership: new reference in `out_failure`, NULL if all hold.
/// Threads:   any thread.
/// Since:     0.1
TENON_API tenon_status tenon_shape_env_check(const tenon_shape_env* env,
                                             const tenon_symbol* const* variables,
                                             const int64_t* numbers, int64_t count,
                                             int32_t* out_holds, tenon_buffer** out_failure);

/// Creates a size from a hint: the number itself for 0 and 1, which shape rules treat specially,
/// and otherwise a new variable that is at least 2.
///
/// Errors:    TENON_ERROR_INVALID_ARGUMENT for a negative hint.
/// Ownership: the caller clears `out_size`, an INT or SYMINT.
/// Threads:   any thread.
/// Since:     0.1
TENON_API tenon_status tenon_shape_env_new_size(tenon_shape_env* env, int64_t hint,
                                                tenon_value* out_size);

/// Creates a variable. `tag` is TENON_TAG_SYMINT, SYMFLOAT or SYMBOOL. If `name` is NULL, it is
/// named s0, s1 and so on, or u0 and so on if it is unbacked. If `hint` is NULL, it is unbacked.
/// `min` and `max` bound ints; INT64_MIN and INT64_MAX mean no bound. An unbacked int with `min` >=
/// 0 is a size: shape rules assume that it is at least 2 if nothing else decides.
///
/// Errors:    TENON_ERROR_INVALID_ARGUMENT for another tag, a name that is taken, `min` above `max`
///            and a hint outside of the bounds, TENON_ERROR_TYPE for a hint of another kind.
/// Ownership: new reference in `out_symbol`.
/// Threads:   any thread.
/// Since:     0.1
TENON_API tenon_status tenon_symbol_new(tenon_shape_env* env, uint16_t tag, const char* name,
                                        const tenon_value* hint, int64_t min, int64_t max,
                                        tenon_symbol** out_symbol);

/// Adds a reference, which keeps the environment and all of its symbols alive. NULL is accepted and
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
/// Ownership: borrowed until the symbol dies.
/// Threads:   any thread.
/// Since:     0.1
TENON_API tenon_shape_env* tenon_symbol_env(const tenon_symbol* symbol);

/// Prints the expression in Python syntax, such as "s0*s1 + 1", with replaced variables
/// substituted.
///
/// Errors:    TENON_ERROR_OUT_OF_MEMORY.
/// Ownership: new reference in `out_text`.
/// Threads:   any thread.
/// Since:     0.1
TENON_API tenon_status tenon_symbol_print(const tenon_symbol* symbol, tenon_buffer** out_text);

/// Sets `out_hint` to the hint as a BOOL, INT or FLOAT, or to NONE if there is none. Records no
/// guard.
///
/// Threads:   any thread.
/// Since:     0.1
TENON_API void tenon_symbol_hint(const tenon_symbol* symbol, tenon_value* out_hint);

/// Returns the known bounds of an int symbol.
///
/// Errors:    TENON_ERROR_TYPE for a symbol that is no int.
/// Threads:   any thread.
/// Since:     0.1
TENON_API tenon_status tenon_symbol_bounds(const tenon_symbol* symbol, int64_t* out_min,
                                           int64_t* out_max);

/// Evaluates an int symbol with numbers for `count` variables. Records no guard.
///
/// Errors:    TENON_ERROR_TYPE for a symbol that is no int, TENON_ERROR_INVALID_ARGUMENT if a
///            variable is missing, if one of `variables` is no variable of its environment and for
///            a result beyond 64 bits.
/// Threads:   any thread.
/// Since:     0.1
TENON_API tenon_status tenon_symbol_evaluate(const tenon_symbol* symbol,
                                             const tenon_symbol* const* variables,
                                             const int64_t* numbers, int64_t count,
                                             int64_t* out_number);

/// Applies a TENON_SYMBOL_* function to bools, ints, floats and symbols of one environment. The
/// result is a number if that is known without a guard.
///
/// Errors:    TENON_ERROR_INVALID_ARGUMENT for an unknown function, a wrong number of arguments, a
///            division by 0, a result beyond 64 bits and symbols of two environments,
///            TENON_ERROR_TYPE for an argument of another type, TENON_ERROR_RECURSION for functions
///            nested too deeply.
/// Ownership: arguments are borrowed; the caller clears `out_value`.
/// Threads:   any thread.
/// Since:     0.1
TENON_API tenon_status tenon_symbol_apply(uint32_t function, const tenon_value* args, int64_t nargs,
                                          tenon_value* out_value);

/// Converts a symbol, or all symbols in an int list, to numbers. Unknown values are taken from
/// hints, and the decision is recorded as a guard with this place. If `file` is NULL, the place is
/// the innermost frame of a language that reports frames, and the running operator. Values without
/// symbols are copied.
///
/// Errors:    TENON_ERROR_DATA_DEPENDENT without a hint, naming operator and place.
/// Ownership: the caller clears `out_concrete`.
/// Threads:   any thread; may run the function of tenon_language_set_frames.
/// Since:     0.1
TENON_API tenon_status tenon_symbol_guard(const tenon_value* value, const char* file, int32_t line,
                                          tenon_value* out_concrete);

#if !defined(SWIG)
/* Returns 1 if a word is a symbol; also 1 for a number below -2^62, which is not a word. */
static inline int32_t tenon_dim_is_symbol(int64_t dim) { return dim < -((int64_t)1 << 62) ? 1 : 0; }

/* Returns the symbol of a word that is one; borrowed. */
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

/// Applies TENON_SYMBOL_ADD to TENON_SYMBOL_MIN to words. It is meant for shape rules;
/// tenon_symbol_apply does the same with values.
///
/// Errors:    as tenon_symbol_apply.
/// Ownership: words are borrowed.
/// Threads:   any thread.
/// Since:     0.1
TENON_API tenon_status tenon_dim_apply(uint32_t function, int64_t a, int64_t b, int64_t* out_dim);

/// Decides a relation of words, TENON_SYMBOL_EQ to TENON_SYMBOL_GE, for shape rules. If the
/// relation is not known, unbacked sizes are assumed to be at least 2. If that does not decide it,
/// hints do, and a guard of the running operator is recorded.
///
/// Errors:    as tenon_symbol_apply; TENON_ERROR_DATA_DEPENDENT without a hint.
/// Ownership: words are borrowed.
/// Threads:   any thread; may run the function of tenon_language_set_frames.
/// Since:     0.1
TENON_API tenon_status tenon_dim_compare(uint32_t relation, int64_t a, int64_t b,
                                         int32_t* out_holds);

/* Describes a tensor with symbolic sizes. */
typedef struct tenon_symbolic_options {
  uint32_t struct_size;         /* sizeof(tenon_symbolic_options) */
  uint32_t flags;               /* zero */
  tenon_dtype dtype;            /* dtype of a new tensor or an alias */
  uint32_t reserved0;           /* zero */
  const tenon_device* device;   /* device without memory, for a new tensor; NULL: meta */
  const tenon_tensor* alias_of; /* NULL: a new tensor; otherwise the tensor to make a view of */
  int64_t ndim;
  const int64_t* sizes;   /* ndim words */
  const int64_t* strides; /* ndim words, in elements; NULL: row-major */
  int64_t storage_offset; /* a word, in elements */
  uint64_t reserved[4];   /* zero */
} tenon_symbolic_options;

/// Creates a tensor whose sizes, strides and offset are words. It is a plain tensor if all of them
/// are numbers. Otherwise it is flagged TENON_TENSOR_SYMBOLIC, carries the key Symbolic, and keeps
/// the environment of its symbols alive. This function is for kernels that are flagged
/// TENON_KERNEL_SYMBOLIC and for code that creates inputs.
///
/// Errors:    TENON_ERROR_INVALID_ARGUMENT for a bad dtype or count, a negative number, symbols of
///            two environments and a device with memory, TENON_ERROR_ABI for a bad struct_size,
///            TENON_ERROR_OUT_OF_MEMORY.
/// Ownership: new reference in `out_tensor`; a view keeps `alias_of`, or the base of that if it is
///            a view itself.
/// Threads:   any thread.
/// Since:     0.1
TENON_API tenon_status tenon_tensor_new_symbolic(const tenon_symbolic_options* options,
                                                 tenon_tensor** out_tensor);

/// Fills a plain description, with words in place of numbers, for any tensor. It is like
/// tenon_tensor_describe, but does not fail for a symbolic shape. `numel` and `storage_offset` are
/// words, too.
///
/// Ownership: pointers are borrowed until the tensor dies or is resized.
/// Threads:   any thread.
/// Since:     0.1
TENON_API void tenon_tensor_describe_words(const tenon_tensor* tensor, tenon_tensor_info* out_info);

/// Turns a symbolic tensor into a plain one: its sizes are converted as by tenon_symbol_guard.
/// `argument` (may be NULL) is its name in messages. A plain tensor does not change.
///
/// Errors:    TENON_ERROR_DATA_DEPENDENT without a hint, naming operator, argument and place.
/// Threads:   any thread that owns the tensor alone; may run the function of
///            tenon_language_set_frames.
/// Since:     0.1
TENON_API tenon_status tenon_tensor_specialize(tenon_tensor* tensor, const char* argument);

TENON_END_DECLS

#endif /* TENON_SYMBOL_H */
