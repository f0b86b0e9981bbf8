/* SPDX-License-Identifier: Apache-2.0 */
/* Symbolic sizes of graphs: numbers that each run computes anew, expressions of them, and guards.
 * */
#ifndef TENON_GRAPH_SIZE_H
#define TENON_GRAPH_SIZE_H

#include "tenon/buffer.h"
#include "tenon/common.h"
#include "tenon/graph.h"
#include "tenon/symbol.h"
#include "tenon/value.h"

// Usage:
//
//   const int64_t hint = 8;
//   int64_t batch = 0;
//   /* The first dim of the graph's value `input` may have any size from 2 to 64. */
//   status = tenon_graph_add_size(graph, input, 0, "batch", &hint, 2, 64, &batch);

TENON_BEGIN_DECLS

/* If inputs of a recording have symbolic sizes (symbol.h), the graph contains numbers in their
 * place: sizes that a run reads from its inputs and results, and TENON_SYMBOL_* functions of them.
 * The guards that were recorded on the symbols by then are guards of the graph. A run checks three
 * things: sizes of inputs match the recorded ones, if those are numbers or equal to a size that
 * occurred before; sizes are within their bounds; guards hold. If a run's tensors have symbolic
 * sizes, its numbers are symbols. */

/// Adds a size of a tensor, which arguments, dims and outputs can refer to as an int. `name` (may
/// be NULL) is an identifier; `hint` (may be NULL) is the size at recording time. A run fails if
/// the size is not between `min` and `max`; INT64_MIN and INT64_MAX mean no bound.
///
/// Errors:    TENON_ERROR_INDEX for a value that does not exist or is no tensor, or a dim that no
///            tensor has; TENON_ERROR_INVALID_ARGUMENT for a name that is no identifier or is
///            taken, `min` above `max` and a hint outside of the bounds; TENON_ERROR_STATE,
///            TENON_ERROR_OUT_OF_MEMORY.
/// Threads:   owner thread.
/// Since:     0.1
TENON_API tenon_status tenon_graph_add_size(tenon_graph* graph, int64_t tensor, int64_t dim,
                                            const char* name, const int64_t* hint, int64_t min,
                                            int64_t max, int64_t* out_value);

/// Adds a TENON_SYMBOL_* function of numbers, which are INT, FLOAT, or TENON_TAG_REF to numbers of
/// the graph. Adding the same function of the same numbers again returns the same value.
///
/// Errors:    TENON_ERROR_INVALID_ARGUMENT for an unknown function or a wrong number of arguments,
///            TENON_ERROR_TYPE for an argument that is no number, TENON_ERROR_INDEX for a value
///            that does not exist, TENON_ERROR_STATE, TENON_ERROR_OUT_OF_MEMORY.
/// Threads:   owner thread.
/// Since:     0.1
TENON_API tenon_status tenon_graph_add_number(tenon_graph* graph, uint32_t function,
                                              const tenon_value* args, int64_t nargs,
                                              int64_t* out_value);

/// Sets the sizes of a tensor: an INT, or a TENON_TAG_REF to a number, for each dim. Runs check the
/// sizes of inputs.
///
/// Errors:    TENON_ERROR_INDEX for a value that does not exist, TENON_ERROR_TYPE for one whose
///            dtype is not known and for dims that are no sizes, TENON_ERROR_INVALID_ARGUMENT for
///            too many, TENON_ERROR_STATE, TENON_ERROR_OUT_OF_MEMORY.
/// Threads:   owner thread.
/// Since:     0.1
TENON_API tenon_status tenon_graph_set_dims(tenon_graph* graph, int64_t value,
                                            const tenon_value* dims, int64_t ndim);

/// Adds a guard: a relation of two numbers, TENON_SYMBOL_EQ to TENON_SYMBOL_GE. Runs fail if it
/// does not hold.
///
/// Errors:    as tenon_graph_add_number.
/// Threads:   owner thread.
/// Since:     0.1
TENON_API tenon_status tenon_graph_add_guard(tenon_graph* graph, uint32_t function,
                                             const tenon_value* args, int64_t nargs);

/* A value that is a number computed in each run. Zero it and set struct_size before use. */
typedef struct tenon_graph_number {
  uint32_t struct_size;
  uint32_t function;           /* TENON_SYMBOL_*, for TENON_GRAPH_VALUE_FUNCTION */
  const tenon_value* operands; /* of a function; otherwise NULL */
  int64_t noperands;
  const char* name; /* of TENON_GRAPH_VALUE_SIZE; otherwise NULL */
  int64_t tensor;   /* the tensor of a size; -1: a function, or a size of no value */
  int64_t dim;
  int64_t min; /* INT64_MIN: no bound */
  int64_t max; /* INT64_MAX: no bound */
  int64_t hint;
  uint32_t has_hint;
  uint32_t reserved0;   /* zero */
  uint64_t reserved[2]; /* zero */
} tenon_graph_number;

/// Describes a number: a size or a function.
///
/// Errors:    TENON_ERROR_INDEX for a value that does not exist, TENON_ERROR_TYPE for one that is
///            neither, TENON_ERROR_ABI for a bad struct_size.
/// Ownership: pointers in the struct are borrowed until the graph dies.
/// Threads:   any thread, as tenon_graph_input_count.
/// Since:     0.1
TENON_API tenon_status tenon_graph_get_number(const tenon_graph* graph, int64_t value,
                                              tenon_graph_number* out_number);

/// Prints a number (an INT, a FLOAT, or a TENON_TAG_REF) in Python syntax, such as "2*s0 + 1".
///
/// Errors:    TENON_ERROR_INDEX for a value that does not exist, TENON_ERROR_TYPE for a value that
///            is no number, TENON_ERROR_OUT_OF_MEMORY.
/// Ownership: new reference in `out_text`.
/// Threads:   any thread, as tenon_graph_input_count.
/// Since:     0.1
TENON_API tenon_status tenon_graph_print_number(const tenon_graph* graph, const tenon_value* number,
                                                tenon_buffer** out_text);

/* A guard. Zero it and set struct_size before use. */
typedef struct tenon_graph_guard {
  uint32_t struct_size;
  uint32_t function;           /* TENON_SYMBOL_EQ to TENON_SYMBOL_GE */
  const tenon_value* operands; /* two */
  const char* op;              /* operator whose kernel caused it; NULL: none */
  const char* file;            /* place that caused it; NULL: unknown */
  int32_t line;
  uint32_t reserved0;   /* zero */
  uint64_t reserved[2]; /* zero */
} tenon_graph_guard;

/// Returns the number of guards of a graph.
///
/// Threads:   any thread, as tenon_graph_input_count.
/// Since:     0.1
TENON_API int64_t tenon_graph_guard_count(const tenon_graph* graph);

/// Describes a guard. `out_text` (may be NULL) receives the relation in Python syntax.
///
/// Errors:    TENON_ERROR_INDEX if `index` is out of range, TENON_ERROR_ABI for a bad struct_size,
///            TENON_ERROR_OUT_OF_MEMORY.
/// Ownership: pointers in the struct are borrowed until the graph dies; new reference in
///            `out_text`.
/// Threads:   any thread, as tenon_graph_input_count.
/// Since:     0.1
TENON_API tenon_status tenon_graph_get_guard(const tenon_graph* graph, int64_t index,
                                             tenon_graph_guard* out_guard, tenon_buffer** out_text);

TENON_END_DECLS

#endif /* TENON_GRAPH_SIZE_H */
