/* SPDX-License-Identifier: Apache-2.0 */
/* Graphs: recorded computations, which can be built, transformed, run, saved, and called as
 * operators. */
#ifndef TENON_GRAPH_H
#define TENON_GRAPH_H

#include "tenon/buffer.h"
#include "tenon/common.h"
#include "tenon/device.h"
#include "tenon/error.h"
#include "tenon/types.h"
#include "tenon/value.h"

// Usage:
//
//   tenon_graph* graph = NULL;
//   int64_t input = 0;
//   status = tenon_graph_begin(0, &graph);
//   if (!status) status = tenon_graph_add_input(graph, x, "x", &input);
//   if (!status) status = tenon_op_call_named(op, &arg, 1, NULL, NULL, 0, &ret, 1);
//   if (!status) status = tenon_graph_add_output(graph, &ret);
//   if (!status) status = tenon_graph_end(graph);
//   if (!status) status = tenon_graph_run(graph, stack); /* with stack->args[0] for x */
//   tenon_graph_release(graph);

TENON_BEGIN_DECLS

/* A graph is a sequence of nodes; each node is a call of an operator. Nodes run in order, because
 * some of them write to their arguments or draw random numbers. The values of a graph are numbered
 * in the order in which they are created: inputs, attributes (tensors that the graph holds),
 * results of nodes, elements of results that are lists, and numbers that are computed in each run,
 * which are sizes of tensors and functions of them. Arguments of nodes refer to values by
 * TENON_TAG_REF. A number passed for a tensor argument becomes a wrapped number.
 *
 * A graph is built by one thread, or recorded by the threads that its recording was carried to. It
 * cannot be changed after it was first run or defined as an operator. */

/* ---- Recording -------------------------------------------------------------------------- */

/* Records the operators that reach the kernels: composites, transforms, autocast and backward
 * passes are recorded as the operators that they call. Without this flag operators are recorded as
 * they are called. */
#define TENON_GRAPH_BELOW_AUTOGRAD 1u
/* A call that converts elements of a tensor to a number, such as `item`, fails, because the graph
 * would contain the number as a constant. */
#define TENON_GRAPH_STRICT 2u
/* Nodes store where their calls were made: see tenon_graph_get_frame. */
#define TENON_GRAPH_FRAMES 4u
/* A run accepts inputs of any sizes: the caller asserts that no number in the graph depends on the
 * sizes of the inputs at recording time. Without this flag, an input whose sizes were numbers when
 * the graph was recorded must have the same sizes in each run. */
#define TENON_GRAPH_ANY_SIZES 8u

/// Begins to record the calling thread's calls into a new graph. Outer recordings are suspended
/// until it ends. A tensor that is neither an input nor a result of a recorded call becomes an
/// attribute when a call first uses it. Thread states carry recordings.
///
/// Errors:    TENON_ERROR_INVALID_ARGUMENT for unknown flags, TENON_ERROR_OUT_OF_MEMORY.
/// Ownership: new reference in `out_graph`; the thread keeps one until the recording ends.
/// Threads:   owner thread.
/// Since:     0.1
TENON_API tenon_status tenon_graph_begin(uint32_t flags, tenon_graph** out_graph);

/// Ends a recording, on all threads. The graph itself does not change.
///
/// Errors:    TENON_ERROR_STATE for a graph that is not the innermost recording of the calling
///            thread, or below autograd while a mode that was entered later is on.
/// Threads:   owner thread.
/// Since:     0.1
TENON_API tenon_status tenon_graph_end(tenon_graph* graph);

/// Returns 1 if the calling thread records calls, otherwise 0.
///
/// Threads:   any thread.
/// Since:     0.1
TENON_API int32_t tenon_graph_is_recording(void);

/* ---- Building --------------------------------------------------------------------------- */

/// Creates an empty graph, to be built by hand.
///
/// Errors:    TENON_ERROR_OUT_OF_MEMORY.
/// Ownership: new reference in `out_graph`.
/// Threads:   any thread.
/// Since:     0.1
TENON_API tenon_status tenon_graph_new(tenon_graph** out_graph);

/// Adds a reference. NULL is accepted and returned.
///
/// Threads:   any thread.
/// Since:     0.1
TENON_API tenon_graph* tenon_graph_retain(tenon_graph* graph);

/// Drops a reference. NULL is accepted.
///
/// Threads:   any thread; the last one releases tensors and objects that the graph holds.
/// Since:     0.1
TENON_API void tenon_graph_release(tenon_graph* graph);

/// Adds an input. `tensor` (may be NULL) represents it while the graph is recorded, and determines
/// its dtype, device and sizes; `name` (may be NULL) is an identifier.
///
/// Errors:    TENON_ERROR_INVALID_ARGUMENT for a name that is no identifier or is taken, and for a
///            tensor that represents another value already; TENON_ERROR_STATE for a graph that
///            cannot be changed any more, TENON_ERROR_OUT_OF_MEMORY.
/// Ownership: the tensor is not retained.
/// Threads:   owner thread.
/// Since:     0.1
TENON_API tenon_status tenon_graph_add_input(tenon_graph* graph, tenon_tensor* tensor,
                                             const char* name, int64_t* out_value);

/// Adds a tensor that the graph holds. `name` is an identifier; if it is NULL, one is generated.
///
/// Errors:    TENON_ERROR_INVALID_ARGUMENT for NULL or the undefined tensor, or as
///            tenon_graph_add_input.
/// Ownership: the tensor is retained until the graph dies.
/// Threads:   owner thread.
/// Since:     0.1
TENON_API tenon_status tenon_graph_add_attribute(tenon_graph* graph, tenon_tensor* tensor,
                                                 const char* name, int64_t* out_value);

/// Appends a call without running it. `args` are in the schema's order; trailing arguments that are
/// omitted have their defaults. TENON_TAG_REF, also as an element of a list, refers to an earlier
/// value; tensors become attributes. The number of the first result is stored in
/// `out_first_result`; the numbers of the other results follow it.
///
/// Errors:    TENON_ERROR_INVALID_ARGUMENT for too many arguments and for omitted ones without
///            defaults, TENON_ERROR_TYPE for an argument of the wrong type, TENON_ERROR_INDEX for a
///            value that does not exist, TENON_ERROR_NOT_SUPPORTED for an operator without schema
///            or with a variable number of results, TENON_ERROR_STATE, TENON_ERROR_OUT_OF_MEMORY.
/// Ownership: arguments are copied, handles in them retained.
/// Threads:   owner thread.
/// Since:     0.1
TENON_API tenon_status tenon_graph_append(tenon_graph* graph, const tenon_op* op,
                                          const tenon_value* args, int64_t nargs,
                                          int64_t* out_first_result);

/// Adds a value that is an element of another value, a list of tensors.
///
/// Errors:    TENON_ERROR_INDEX for a value or an element that does not exist, TENON_ERROR_TYPE for
///            a value that is no list, TENON_ERROR_STATE, TENON_ERROR_OUT_OF_MEMORY.
/// Threads:   owner thread.
/// Since:     0.1
TENON_API tenon_status tenon_graph_add_element(tenon_graph* graph, int64_t list, int64_t index,
                                               int64_t* out_value);

/// Adds an output: a TENON_TAG_REF, a tensor of the recording (other tensors become attributes), a
/// number, or a list of these.
///
/// Errors:    TENON_ERROR_INDEX for a value that does not exist, TENON_ERROR_STATE,
///            TENON_ERROR_OUT_OF_MEMORY.
/// Ownership: the value is copied.
/// Threads:   owner thread.
/// Since:     0.1
TENON_API tenon_status tenon_graph_add_output(tenon_graph* graph, const tenon_value* value);

/* ---- Reading ---------------------------------------------------------------------------- */

/// Returns the number of inputs.
///
/// Threads:   any thread that sees the finished graph; otherwise owner thread.
/// Since:     0.1
TENON_API int64_t tenon_graph_input_count(const tenon_graph* graph);

/// Returns the number of attributes, the tensors that the graph holds.
///
/// Threads:   any thread, as tenon_graph_input_count.
/// Since:     0.1
TENON_API int64_t tenon_graph_attribute_count(const tenon_graph* graph);

/// Returns the number of nodes.
///
/// Threads:   any thread, as tenon_graph_input_count.
/// Since:     0.1
TENON_API int64_t tenon_graph_node_count(const tenon_graph* graph);

/// Returns the number of outputs.
///
/// Threads:   any thread, as tenon_graph_input_count.
/// Since:     0.1
TENON_API int64_t tenon_graph_output_count(const tenon_graph* graph);

/// Returns the number of values.
///
/// Threads:   any thread, as tenon_graph_input_count.
/// Since:     0.1
TENON_API int64_t tenon_graph_value_count(const tenon_graph* graph);

/* A node. Zero it and set struct_size before use. */
typedef struct tenon_graph_node {
  uint32_t struct_size;
  uint32_t nargs;
  const tenon_op* op;
  const tenon_value* args; /* in schema order */
  int64_t first_result;    /* number of its first result among the graph's values */
  int64_t nresults;        /* number of results in the schema; elements of lists are separate values
                            * */
  uint64_t reserved[3];    /* zero */
} tenon_graph_node;

/// Describes a node.
///
/// Errors:    TENON_ERROR_INDEX if `index` is out of range, TENON_ERROR_ABI for a bad struct_size.
/// Ownership: pointers in the struct are borrowed until the graph dies.
/// Threads:   any thread, as tenon_graph_input_count.
/// Since:     0.1
TENON_API tenon_status tenon_graph_get_node(const tenon_graph* graph, int64_t index,
                                            tenon_graph_node* out_node);

/* Kinds of values. Append-only. */
#define TENON_GRAPH_VALUE_INPUT 0u
#define TENON_GRAPH_VALUE_ATTRIBUTE 1u
#define TENON_GRAPH_VALUE_RESULT 2u
#define TENON_GRAPH_VALUE_ELEMENT 3u
#define TENON_GRAPH_VALUE_SIZE 4u     /* a number: see graph_size.h */
#define TENON_GRAPH_VALUE_FUNCTION 5u /* a number */

/* A value. Zero it and set struct_size before use. */
typedef struct tenon_graph_value {
  uint32_t struct_size;
  uint32_t kind;        /* TENON_GRAPH_VALUE_* */
  int64_t source;       /* number of the input, attribute or node; for an element, of its list; for
                         * a size, of its tensor (-1: none) */
  int64_t index;        /* of a result, element or size: its index; otherwise 0 */
  const char* name;     /* of an input, attribute or size; otherwise NULL */
  tenon_tensor* tensor; /* of an attribute; otherwise NULL */
  const int64_t* sizes; /* of a tensor as recorded; NULL if unknown or in `dims` */
  int32_t ndim;
  tenon_dtype dtype; /* TENON_DTYPE_NONE if it is unknown */
  tenon_device device;
  const tenon_value* dims; /* sizes as INT and TENON_TAG_REF if some are no numbers, or NULL */
  uint64_t reserved[1];    /* zero */
} tenon_graph_value;

/// Describes a value.
///
/// Errors:    TENON_ERROR_INDEX if `index` is out of range, TENON_ERROR_ABI for a bad struct_size.
/// Ownership: pointers in the struct are borrowed until the graph dies.
/// Threads:   any thread, as tenon_graph_input_count.
/// Since:     0.1
TENON_API tenon_status tenon_graph_get_value(const tenon_graph* graph, int64_t index,
                                             tenon_graph_value* out_value);

/// Lists the nodes that have a value, or an element of it, among their arguments, in order, as a
/// buffer of int64_t. If an output uses the value, the number of nodes is the last element of the
/// list.
///
/// Errors:    TENON_ERROR_INDEX for a value that does not exist, TENON_ERROR_OUT_OF_MEMORY.
/// Ownership: new reference in `out_nodes`.
/// Threads:   any thread, as tenon_graph_input_count.
/// Since:     0.1
TENON_API tenon_status tenon_graph_list_users(const tenon_graph* graph, int64_t value,
                                              tenon_buffer** out_nodes);

/// Returns the number of source locations that are known for a node, or -1 if the node does not
/// exist. Recordings with TENON_GRAPH_FRAMES store the innermost few frames of each language that
/// reports them, see tenon_language_set_frames. Passes, texts and files preserve them.
///
/// Threads:   any thread, as tenon_graph_input_count.
/// Since:     0.1
TENON_API int64_t tenon_graph_frame_count(const tenon_graph* graph, int64_t node);

/// Fills `out_frame` with a frame of a node. Frame 0 is the innermost.
///
/// Errors:    TENON_ERROR_INDEX if an index is out of range.
/// Ownership: texts are borrowed until the graph dies.
/// Threads:   any thread, as tenon_graph_input_count.
/// Since:     0.1
TENON_API tenon_status tenon_graph_get_frame(const tenon_graph* graph, int64_t node, int64_t index,
                                             tenon_error_frame* out_frame);

/// Adds a frame to a node, as its outermost frame. Texts may be NULL.
///
/// Errors:    TENON_ERROR_INDEX for a node that does not exist, TENON_ERROR_INVALID_ARGUMENT for an
///            unknown language, TENON_ERROR_STATE, TENON_ERROR_OUT_OF_MEMORY.
/// Ownership: texts are copied.
/// Threads:   owner thread.
/// Since:     0.1
TENON_API tenon_status tenon_graph_add_frame(tenon_graph* graph, int64_t node, uint32_t language,
                                             const char* function, const char* file, int32_t line);

/// Returns the value number of an input, or -1 if the input does not exist.
///
/// Threads:   any thread, as tenon_graph_input_count.
/// Since:     0.1
TENON_API int64_t tenon_graph_input_value(const tenon_graph* graph, int64_t index);

/// Returns the value number of an attribute, or -1 if the attribute does not exist.
///
/// Threads:   any thread, as tenon_graph_input_count.
/// Since:     0.1
TENON_API int64_t tenon_graph_attribute_value(const tenon_graph* graph, int64_t index);

/// Returns an output, or NULL if it does not exist.
///
/// Ownership: borrowed until the graph dies.
/// Threads:   any thread, as tenon_graph_input_count.
/// Since:     0.1
TENON_API const tenon_value* tenon_graph_peek_output(const tenon_graph* graph, int64_t index);

/* ---- Running ---------------------------------------------------------------------------- */

/// Runs a graph. Each node is a call of its operator, which layers and modes see like any other
/// call. Results are released after their last use.
///
/// `stack->args` are the inputs, which are tensors. `stack->rets` has one value for each output of
/// the graph.
/// Errors:    TENON_ERROR_INVALID_ARGUMENT for wrong counts, and if sizes of inputs do not match
///            those that the graph is for: the error names the input, the dim and what was
///            expected, or the guard and the place that caused it. TENON_ERROR_STATE for a size
///            without tensor, TENON_ERROR_TYPE for an input that is no tensor, or what a call
///            raised, with a note that names the node.
/// Ownership: arguments are borrowed; results are new references.
/// Threads:   any thread; several threads may run one graph at once.
/// Since:     0.1
TENON_API tenon_status tenon_graph_run(tenon_graph* graph, tenon_stack* stack);

/// Plans runs for inputs like these. Shapes, memory and kernels are determined once, so that runs
/// with inputs of the same dtype, sizes, strides and device only execute loops of kernels; for
/// composites, those of the operators that they call. The last four plans are kept. A plan is
/// impossible if a kernel does not support binding, and for a call that writes to an input or
/// attribute as `out`. `out_reason` is NULL on success, and otherwise a text on why there is no
/// plan. The inputs and attributes are not changed; operators that make views and copies are
/// called.
///
/// Planned runs are used for plain tensors on threads without modes, profile or recording, if
/// memory that is written is not shared with other tensors. All other runs, and runs after a change
/// of the registry, call the operators. A plan keeps its kernels from being freed.
///
/// Errors:    as tenon_graph_run, except for errors that computing raises.
/// Ownership: inputs are borrowed; new reference in `out_reason`.
/// Threads:   any thread.
/// Since:     0.1
TENON_API tenon_status tenon_graph_bind(tenon_graph* graph, const tenon_value* inputs,
                                        int64_t ninputs, tenon_buffer** out_reason);

/// Defines an operator that runs the graph, in the library's namespace. It has a tensor argument
/// for each input and a result for each output. Gradients, vmap and autocast apply to the calls in
/// the graph.
///
/// Errors:    TENON_ERROR_NOT_SUPPORTED for an output that is no tensor; as tenon_library_define
///            and tenon_library_impl.
/// Ownership: the library's registrations retain the graph; `out_op` (may be NULL) is never freed.
/// Threads:   any thread; *blocks*, runs listeners.
/// Since:     0.1
TENON_API tenon_status tenon_graph_define(tenon_graph* graph, tenon_library* library,
                                          const char* name, const tenon_op** out_op);

/* ---- Transforming ----------------------------------------------------------------------- */

/* Passes; if several are requested, they run in this order. Calls that write, draw random numbers
 * or return nothing are kept, and reads keep their order relative to writes. */
#define TENON_GRAPH_FOLD_CONSTANTS 1u /* calls on attributes alone are run once, by the pass */
#define TENON_GRAPH_MERGE_COMMON 2u   /* equal calls become one */
#define TENON_GRAPH_REMOVE_DEAD 4u    /* unused calls and attributes are removed */
/* Properties of values that are not known are inferred with calls on fake tensors, as far as the
 * inputs are known. */
#define TENON_GRAPH_INFER 8u

/// Makes a new graph by running passes (TENON_GRAPH_* bits).
///
/// Errors:    TENON_ERROR_INVALID_ARGUMENT for unknown bits, what a folded call raised,
///            TENON_ERROR_OUT_OF_MEMORY.
/// Ownership: new reference in `out_graph`; attributes are shared.
/// Threads:   any thread.
/// Since:     0.1
TENON_API tenon_status tenon_graph_transform(tenon_graph* graph, uint32_t passes,
                                             tenon_graph** out_graph);

/* Rewrites one call of `from`. `args` are the arguments of the call, with references to values of
 * `to`, the new graph built so far. `results` has one value for each result of the call, all NONE.
 * The function may append calls to `to` and add attributes and elements. It writes the replacement
 * of each result: a reference to a value of `to`, a tensor, a number, or a list of these; NONE for
 * a result that nothing uses any more. To keep the call unchanged, it returns TENON_DECLINED. The
 * function owns the values in `results` until it is called again. */
typedef tenon_status (*tenon_graph_rewrite_fn)(void* ctx, const tenon_graph* from, int64_t node,
                                               const tenon_value* args, tenon_graph* to,
                                               tenon_value* results);

/// Makes a new graph with a custom pass: `rewrite` is called for each node in order. Known
/// properties of a result are carried over to its replacement, and new nodes have the frames of the
/// node that they replace. The pass must know whether a call that writes may be removed or moved.
///
/// Errors:    the status and error that `rewrite` returned, with a note that names the node;
///            TENON_ERROR_STATE if a result without replacement is used, TENON_ERROR_TYPE for a
///            replacement of another type, TENON_ERROR_INVALID_ARGUMENT, TENON_ERROR_OUT_OF_MEMORY.
/// Ownership: new reference in `out_graph`; attributes are shared. `ctx` is borrowed for the call,
///            `to` for that of the function.
/// Threads:   any thread; calls the function on it.
/// Since:     0.1
TENON_API tenon_status tenon_graph_rewrite(const tenon_graph* graph, tenon_graph_rewrite_fn rewrite,
                                           void* ctx, tenon_graph** out_graph);

/* Constants of the pattern match any other constant. */
#define TENON_GRAPH_IGNORE_LITERALS 1u

/// Makes a new graph in which each match of `pattern` is replaced by `replacement`; both are graphs
/// themselves. An input of the pattern matches any value, or a number that is passed for a tensor;
/// it must be the same one at all its uses. Sizes of the input match those of the value. An
/// attribute matches the same tensor, and a constant an equal one. There is no match if something
/// else uses a result that is no output of the pattern, if a call between the matched calls writes
/// to memory that they read, or if the match shares calls with an earlier one. Inputs and outputs
/// of the replacement correspond one by one to those of the pattern. Its calls are inserted at the
/// last call of the match, or before the first use of its outputs if that is earlier.
///
/// Errors:    TENON_ERROR_INVALID_ARGUMENT for a pattern without calls, with an input that no call
///            uses or an output that no call makes, for a replacement with another number of inputs
///            or outputs, and for unknown flags; TENON_ERROR_TYPE for an output of another type,
///            TENON_ERROR_OUT_OF_MEMORY.
/// Ownership: new reference in `out_graph`; attributes are shared. `out_count` (may be NULL)
///            receives the number of replaced matches.
/// Threads:   any thread.
/// Since:     0.1
TENON_API tenon_status tenon_graph_replace_pattern(const tenon_graph* graph,
                                                   const tenon_graph* pattern,
                                                   const tenon_graph* replacement, uint32_t flags,
                                                   int64_t* out_count, tenon_graph** out_graph);

/// Checks a graph. Operators must be defined with the schemas that their calls were recorded for.
/// Recorded properties of values must be those that calls on fake tensors return, both for the
/// recorded sizes and for larger ones. Calls with unknown inputs, or whose results depend on
/// elements, are skipped.
///
/// Errors:    TENON_ERROR_NOT_SUPPORTED for an operator without its recorded schema,
///            TENON_ERROR_TYPE for a value whose recorded properties differ from those that its
///            call returns, what a call raises; all with a note that names the node.
/// Threads:   any thread, as tenon_graph_input_count.
/// Since:     0.1
TENON_API tenon_status tenon_graph_check(const tenon_graph* graph);

/* Also replaces views by copies, such as `aten::view_copy`. Later calls then read elements in
 * another memory order, so that sums may differ in their last bit. */
#define TENON_GRAPH_REMOVE_VIEWS 1u

/// Makes a new graph that only writes to the inputs and attributes that were written, and only at
/// its end. Each call that writes is replaced by the operator's functional overload with the same
/// arguments, which returns a new value: `aten::add` for `aten::add_` and `aten::add.out`. If the
/// written value is a view, the new value is inserted into the base of the view, for example by
/// `aten::select_scatter`, and other views of the base are made again before their next use. At the
/// end, inputs and attributes that were written receive their last values by `aten::copy_`. Results
/// are bitwise the same. An output that was an input, or a view of a written value, no longer
/// shares memory with it. Inputs and attributes are assumed not to overlap in memory.
///
/// Errors:    TENON_ERROR_INVALID_ARGUMENT for unknown flags; TENON_ERROR_NOT_SUPPORTED, naming the
///            operator, for one that writes and has no functional overload, for one that makes a
///            view of a written value and has no inverse, for an input that is resized, and for
///            unknown sizes of a view; TENON_ERROR_OUT_OF_MEMORY.
/// Ownership: new reference in `out_graph`; attributes are shared.
/// Threads:   any thread.
/// Since:     0.1
TENON_API tenon_status tenon_graph_functionalize(tenon_graph* graph, uint32_t flags,
                                                 tenon_graph** out_graph);

/* ---- Text and files --------------------------------------------------------------------- */

/// Prints a graph as text: a version, the whole schema of each operator, a line for each input,
/// attribute, node, size, other number and guard, and the outputs. Defaults and row-major strides
/// are omitted. Frames follow their node as " # 'model.py':12 in 'forward' [Python]".
///
/// Errors:    TENON_ERROR_NOT_SUPPORTED for a generator, object, stream or storage among the
///            arguments, TENON_ERROR_OUT_OF_MEMORY.
/// Ownership: new reference in `out_text`.
/// Threads:   any thread, as tenon_graph_input_count.
/// Since:     0.1
TENON_API tenon_status tenon_graph_print(const tenon_graph* graph, tenon_buffer** out_text);

/// Parses a text that tenon_graph_print wrote. Operators are looked up and their schemas compared:
/// the registered schema may have additional arguments with defaults at the end. Nothing is run.
/// Other comments, from " # " to the end of a line, are ignored. `attributes` are the tensors of
/// the text's attributes, in the order of the text.
///
/// Errors:    TENON_ERROR_PARSE naming the line and what was expected, TENON_ERROR_NOT_FOUND naming
///            all operators that do not exist, TENON_ERROR_TYPE for one whose schema differs,
///            TENON_ERROR_INVALID_ARGUMENT for a wrong number of attributes, as tenon_graph_append.
/// Ownership: new reference in `out_graph`, which retains the attributes.
/// Threads:   any thread; may load plugins that ship for a namespace.
/// Since:     0.1
TENON_API tenon_status tenon_graph_parse(const char* text, int64_t size,
                                         tenon_tensor* const* attributes, int64_t nattributes,
                                         tenon_graph** out_graph);

/// Writes a graph as the bytes of a file in the safetensors layout, with the text in its metadata
/// and the attributes as its tensors.
///
/// Errors:    TENON_ERROR_NOT_SUPPORTED for an attribute without memory on the CPU or of a complex
///            dtype, as tenon_graph_print.
/// Ownership: new reference in `out_bytes`.
/// Threads:   any thread, as tenon_graph_input_count.
/// Since:     0.1
TENON_API tenon_status tenon_graph_write(const tenon_graph* graph, tenon_buffer** out_bytes);

/// Reads a graph that tenon_graph_write wrote. Counts, offsets and references are checked, and
/// nothing is run. Attributes are copied.
///
/// Errors:    TENON_ERROR_PARSE for malformed bytes, as tenon_graph_parse.
/// Ownership: new reference in `out_graph`; the bytes are borrowed for the call.
/// Threads:   any thread; may load plugins that ship for a namespace.
/// Since:     0.1
TENON_API tenon_status tenon_graph_read(const void* data, int64_t size, tenon_graph** out_graph);

/// Writes a graph to a file, replacing it. If writing fails, the old file is kept.
///
/// Errors:    TENON_ERROR_SYSTEM naming the path, as tenon_graph_write.
/// Threads:   any thread, as tenon_graph_input_count; *blocks*.
/// Since:     0.1
TENON_API tenon_status tenon_graph_save(const tenon_graph* graph, const char* path);

/// Reads a graph from a file.
///
/// Errors:    TENON_ERROR_SYSTEM naming the path, as tenon_graph_read.
/// Ownership: new reference in `out_graph`.
/// Threads:   any thread; *blocks*, may load plugins that ship for a namespace.
/// Since:     0.1
TENON_API tenon_status tenon_graph_load(const char* path, tenon_graph** out_graph);

TENON_END_DECLS

#endif /* TENON_GRAPH_H */
