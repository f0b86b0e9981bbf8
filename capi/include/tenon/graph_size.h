/* SPDX-License-Identifier: Apache-2.0 */
/* Sizes of graphs: numbers that each run has anew, what is calculated of them, and guards. */
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

/* Where inputs of a recording have symbolic sizes (symbol.h), the graph has numbers in their place:
 * sizes that a run reads of its inputs and results, and TENON_SYMBOL_* functions of them. What was
 * asked of symbols by then are guards of the graph. A run checks that inputs have the sizes that
 * they were recorded with, where those are numbers or were met before, that sizes lie within their
 * bounds, and that guards hold. In a run on tensors with symbolic sizes numbers are symbols. */

/// Adds a size of a tensor, to be named as an int by arguments, dims and outputs. `name` (may be
/// NULL) is an identifier; `hint` (may be NULL) is what it was in the case at hand. A run in which
/// it does not lie from `min` to `max` fails; INT64_MIN and INT64_MAX are no bounds.
///
/// Errors:    TENON_ERROR_INDEX for a value that is not there or is no tensor, or a dim that no
///            tensor has; TENON_ERROR_INVALID_ARGUMENT for a name that is none or is taken, no
///            number from `min` to `max` and a hint outside; TENON_ERROR_STATE,
///            TENON_ERROR_OUT_OF_MEMORY.
/// Threads:   owner thread.
/// Since:     0.1
TENON_API tenon_status tenon_graph_add_size(tenon_graph* graph, int64_t tensor, int64_t dim,
                                            const char* name, const int64_t* hint, int64_t min,
                                            int64_t max, int64_t* out_value);

/// Adds a TENON_SYMBOL_* function of numbers: INT, FLOAT, or TENON_TAG_REF of numbers of the graph.
/// The same function of the same numbers is one value.
///
/// Errors:    TENON_ERROR_INVALID_ARGUMENT for another function or count, TENON_ERROR_TYPE for what
///            is no number, TENON_ERROR_INDEX for a value that is not there, TENON_ERROR_STATE,
///            TENON_ERROR_OUT_OF_MEMORY.
/// Threads:   owner thread.
/// Since:     0.1
TENON_API tenon_status tenon_graph_add_number(tenon_graph* graph, uint32_t function,
                                              const tenon_value* args, int64_t nargs,
                                              int64_t* out_value);

/// Says which sizes a tensor has: an INT, or a TENON_TAG_REF of a number, for each dim. Runs check
/// those of inputs.
///
/// Errors:    TENON_ERROR_INDEX for a value that is not there, TENON_ERROR_TYPE for one whose dtype
///            is not known and for dims that are no sizes, TENON_ERROR_INVALID_ARGUMENT for too
///            many, TENON_ERROR_STATE, TENON_ERROR_OUT_OF_MEMORY.
/// Threads:   owner thread.
/// Since:     0.1
TENON_API tenon_status tenon_graph_set_dims(tenon_graph* graph, int64_t value,
                                            const tenon_value* dims, int64_t ndim);

/// Adds a guard: TENON_SYMBOL_EQ to TENON_SYMBOL_GE of two numbers, without which runs fail.
///
/// Errors:    as tenon_graph_add_number.
/// Threads:   owner thread.
/// Since:     0.1
TENON_API tenon_status tenon_graph_add_guard(tenon_graph* graph, uint32_t function,
                                             const tenon_value* args, int64_t nargs);

/* A value that is a number of each run. Zero it and set struct_size before use. */
typedef struct tenon_graph_number {
  uint32_t struct_size;
  uint32_t function;           /* TENON_SYMBOL_*, of TENON_GRAPH_VALUE_FUNCTION */
  const tenon_value* operands; /* of a function; else NULL */
  int64_t noperands;
  const char* name; /* of TENON_GRAPH_VALUE_SIZE; else NULL */
  int64_t tensor;   /* whose size it is; -1: of a function, or a size of no value */
  int64_t dim;
  int64_t min; /* INT64_MIN: no bound */
  int64_t max; /* INT64_MAX: no bound */
  int64_t hint;
  uint32_t has_hint;
  uint32_t reserved0;   /* zero */
  uint64_t reserved[2]; /* zero */
} tenon_graph_number;

/// Describes a size or function.
///
/// Errors:    TENON_ERROR_INDEX for a value that is not there, TENON_ERROR_TYPE for one that is
///            neither, TENON_ERROR_ABI for a bad struct_size.
/// Ownership: what the struct names is borrowed until the graph dies.
/// Threads:   any thread, as tenon_graph_input_count.
/// Since:     0.1
TENON_API tenon_status tenon_graph_get_number(const tenon_graph* graph, int64_t value,
                                              tenon_graph_number* out_number);

/// Writes a number as Python would, such as "2*s0 + 1": an INT, a FLOAT, or a TENON_TAG_REF.
///
/// Errors:    TENON_ERROR_INDEX for a value that is not there, TENON_ERROR_TYPE for no number,
///            TENON_ERROR_OUT_OF_MEMORY.
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
  const char* op;              /* operator whose kernel asked; NULL: none */
  const char* file;            /* that asked; NULL: unknown */
  int32_t line;
  uint32_t reserved0;   /* zero */
  uint64_t reserved[2]; /* zero */
} tenon_graph_guard;

/// Returns how many guards a graph has.
///
/// Threads:   any thread, as tenon_graph_input_count.
/// Since:     0.1
TENON_API int64_t tenon_graph_guard_count(const tenon_graph* graph);

/// Describes a guard; `out_text` (may be NULL) is the relation as Python would write it.
///
/// Errors:    TENON_ERROR_INDEX for a number that is not there, TENON_ERROR_ABI for a bad
///            struct_size, TENON_ERROR_OUT_OF_MEMORY.
/// Ownership: what the struct names is borrowed until the graph dies; new reference in `out_text`.
/// Threads:   any thread, as tenon_graph_input_count.
/// Since:     0.1
TENON_API tenon_status tenon_graph_get_guard(const tenon_graph* graph, int64_t index,
                                             tenon_graph_guard* out_guard, tenon_buffer** out_text);

TENON_END_DECLS

#endif /* TENON_GRAPH_SIZE_H */
