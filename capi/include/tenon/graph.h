/* SPDX-License-Identifier: Apache-2.0 */
/* Graphs: recorded computations, built, changed, run, saved, and called as operators. */
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

/* A graph is a sequence of nodes, each a call of an operator. Nodes run in their order: some write
 * their arguments or draw random numbers. A graph's values are numbered in the order in which they
 * come to be: inputs, attributes (tensors that the graph holds), results of nodes, elements of
 * results that are lists, and numbers that each run has anew: sizes of tensors, and functions of
 * them. Arguments of nodes name values by TENON_TAG_REF; a number where a schema wants a tensor
 * stands for a wrapped number.
 *
 * A graph is built by one thread, or recorded by the threads that its recording was carried to.
 * Once it was run or defined as an operator it does not change any more. */

/* ---- Recording -------------------------------------------------------------------------- */

/* Records what reaches the kernels: composites, transforms and autocast as what they come to,
 * backward passes included. Without it operators are recorded as they are called. */
#define TENON_GRAPH_BELOW_AUTOGRAD 1u
/* A call that makes a number of a tensor's elements, such as `item`, fails: the graph would keep
 * the number. */
#define TENON_GRAPH_STRICT 2u
/* Nodes know where their calls were made from: see tenon_graph_get_frame. */
#define TENON_GRAPH_FRAMES 4u
/* A run accepts inputs of any sizes: the caller asserts that no number in the graph depends on the
 * sizes of the inputs at recording time. Without this flag, an input whose sizes were numbers when
 * the graph was recorded must have the same sizes in each run. */
#define TENON_GRAPH_ANY_SIZES 8u

/// Begins to record the calling thread's calls into a new graph, inside the recordings that are on,
/// which do not record meanwhile. A tensor that no recorded call made and that is no input becomes
/// an attribute when a call first uses it. Thread states carry recordings.
///
/// Errors:    TENON_ERROR_INVALID_ARGUMENT for unknown flags, TENON_ERROR_OUT_OF_MEMORY.
/// Ownership: new reference in `out_graph`; the thread keeps one until the recording ends.
/// Threads:   owner thread.
/// Since:     0.1
TENON_API tenon_status tenon_graph_begin(uint32_t flags, tenon_graph** out_graph);

/// Ends a recording, on all threads. The graph stays as it is.
///
/// Errors:    TENON_ERROR_STATE for a graph that is not the innermost recording of the calling
///            thread, or below autograd while a mode that was entered later is on.
/// Threads:   owner thread.
/// Since:     0.1
TENON_API tenon_status tenon_graph_end(tenon_graph* graph);

/// Tells whether the calling thread records calls.
///
/// Threads:   any thread.
/// Since:     0.1
TENON_API int32_t tenon_graph_is_recording(void);

/* ---- Building --------------------------------------------------------------------------- */

/// Makes an empty graph, to be built by hand.
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

/// Adds an input. `tensor` (may be NULL) is what stands for it while the graph is recorded, and
/// tells dtype, device and sizes; `name` (may be NULL) is an identifier.
///
/// Errors:    TENON_ERROR_INVALID_ARGUMENT for a name that is no identifier or is taken, a tensor
///            that stands for another value already; TENON_ERROR_STATE for a graph that does not
///            change any more, TENON_ERROR_OUT_OF_MEMORY.
/// Ownership: the tensor is not kept.
/// Threads:   owner thread.
/// Since:     0.1
TENON_API tenon_status tenon_graph_add_input(tenon_graph* graph, tenon_tensor* tensor,
                                             const char* name, int64_t* out_value);

/// Adds a tensor that the graph holds. `name` as of an input; NULL gives it one.
///
/// Errors:    TENON_ERROR_INVALID_ARGUMENT for NULL or the undefined tensor, or as
///            tenon_graph_add_input.
/// Ownership: the tensor is retained until the graph dies.
/// Threads:   owner thread.
/// Since:     0.1
TENON_API tenon_status tenon_graph_add_attribute(tenon_graph* graph, tenon_tensor* tensor,
                                                 const char* name, int64_t* out_value);

/// Appends a call that is not run. `args` are in the schema's order; those that are left out at the
/// end have their defaults. TENON_TAG_REF, also as elements of lists, names earlier values; tensors
/// become attributes. The first result's number goes to `out_first_result`, the others follow.
///
/// Errors:    TENON_ERROR_INVALID_ARGUMENT for too many arguments and for too few without defaults,
///            TENON_ERROR_TYPE for an argument that is none of its type, TENON_ERROR_INDEX for a
///            value that is not there,
///            TENON_ERROR_NOT_SUPPORTED for an operator without schema or with any number of
///            results, TENON_ERROR_STATE, TENON_ERROR_OUT_OF_MEMORY.
/// Ownership: arguments are copied, handles in them retained.
/// Threads:   owner thread.
/// Since:     0.1
TENON_API tenon_status tenon_graph_append(tenon_graph* graph, const tenon_op* op,
                                          const tenon_value* args, int64_t nargs,
                                          int64_t* out_first_result);

/// Adds the value of an element of a value that is a list of tensors.
///
/// Errors:    TENON_ERROR_INDEX for a value or an element that is not there, TENON_ERROR_TYPE for a
///            value that is no list, TENON_ERROR_STATE, TENON_ERROR_OUT_OF_MEMORY.
/// Threads:   owner thread.
/// Since:     0.1
TENON_API tenon_status tenon_graph_add_element(tenon_graph* graph, int64_t list, int64_t index,
                                               int64_t* out_value);

/// Adds an output: a TENON_TAG_REF, a tensor of the recording (others become attributes), a number,
/// or a list of such.
///
/// Errors:    TENON_ERROR_INDEX for a value that is not there, TENON_ERROR_STATE,
///            TENON_ERROR_OUT_OF_MEMORY.
/// Ownership: the value is copied.
/// Threads:   owner thread.
/// Since:     0.1
TENON_API tenon_status tenon_graph_add_output(tenon_graph* graph, const tenon_value* value);

/* ---- Reading ---------------------------------------------------------------------------- */

/// Returns how many inputs the graph has.
///
/// Threads:   any thread that sees the finished graph; else owner thread.
/// Since:     0.1
TENON_API int64_t tenon_graph_input_count(const tenon_graph* graph);

/// Returns how many tensors the graph holds.
///
/// Threads:   any thread, as tenon_graph_input_count.
/// Since:     0.1
TENON_API int64_t tenon_graph_attribute_count(const tenon_graph* graph);

/// Returns how many calls the graph has.
///
/// Threads:   any thread, as tenon_graph_input_count.
/// Since:     0.1
TENON_API int64_t tenon_graph_node_count(const tenon_graph* graph);

/// Returns how many outputs the graph has.
///
/// Threads:   any thread, as tenon_graph_input_count.
/// Since:     0.1
TENON_API int64_t tenon_graph_output_count(const tenon_graph* graph);

/// Returns how many values the graph has.
///
/// Threads:   any thread, as tenon_graph_input_count.
/// Since:     0.1
TENON_API int64_t tenon_graph_value_count(const tenon_graph* graph);

/* One call. Zero it and set struct_size before use. */
typedef struct tenon_graph_node {
  uint32_t struct_size;
  uint32_t nargs;
  const tenon_op* op;
  const tenon_value* args; /* in schema order */
  int64_t first_result;    /* number of its first result among the graph's values */
  int64_t nresults;        /* those of the schema; elements of lists are values of their own */
  uint64_t reserved[3];    /* zero */
} tenon_graph_node;

/// Describes a node.
///
/// Errors:    TENON_ERROR_INDEX for a number that is not there, TENON_ERROR_ABI for a bad
///            struct_size.
/// Ownership: what the struct names is borrowed until the graph dies.
/// Threads:   any thread, as tenon_graph_input_count.
/// Since:     0.1
TENON_API tenon_status tenon_graph_get_node(const tenon_graph* graph, int64_t index,
                                            tenon_graph_node* out_node);

/* What a value is. Append-only. */
#define TENON_GRAPH_VALUE_INPUT 0u
#define TENON_GRAPH_VALUE_ATTRIBUTE 1u
#define TENON_GRAPH_VALUE_RESULT 2u
#define TENON_GRAPH_VALUE_ELEMENT 3u
#define TENON_GRAPH_VALUE_SIZE 4u     /* a number: see graph_size.h */
#define TENON_GRAPH_VALUE_FUNCTION 5u /* a number */

/* One value. Zero it and set struct_size before use. */
typedef struct tenon_graph_value {
  uint32_t struct_size;
  uint32_t kind;        /* TENON_GRAPH_VALUE_* */
  int64_t source;       /* number of the input, attribute or node; of an element, of its list; of a
                           size, of its tensor (-1: none) */
  int64_t index;        /* of a result, element or size: which one; else 0 */
  const char* name;     /* of an input, attribute or size; else NULL */
  tenon_tensor* tensor; /* of an attribute; else NULL */
  const int64_t*
      sizes; /* of a tensor as it was recorded; NULL where that is unknown or in `dims` */
  int32_t ndim;
  tenon_dtype dtype; /* TENON_DTYPE_NONE where it is unknown */
  tenon_device device;
  const tenon_value* dims; /* sizes as INT and TENON_TAG_REF where some are no numbers; else NULL */
  uint64_t reserved[1];    /* zero */
} tenon_graph_value;

/// Describes a value.
///
/// Errors:    TENON_ERROR_INDEX for a number that is not there, TENON_ERROR_ABI for a bad
///            struct_size.
/// Ownership: what the struct names is borrowed until the graph dies.
/// Threads:   any thread, as tenon_graph_input_count.
/// Since:     0.1
TENON_API tenon_status tenon_graph_get_value(const tenon_graph* graph, int64_t index,
                                             tenon_graph_value* out_value);

/// Lists the nodes that name a value, or an element of it, among their arguments, in their order,
/// as a buffer of int64_t. The number behind the last node stands for the outputs.
///
/// Errors:    TENON_ERROR_INDEX for a number that is not there, TENON_ERROR_OUT_OF_MEMORY.
/// Ownership: new reference in `out_nodes`.
/// Threads:   any thread, as tenon_graph_input_count.
/// Since:     0.1
TENON_API tenon_status tenon_graph_list_users(const tenon_graph* graph, int64_t value,
                                              tenon_buffer** out_nodes);

/// Returns how many lines of code are known that a node was recorded from; -1 for a node that is
/// not there. Recordings with TENON_GRAPH_FRAMES tell the innermost few of the languages that tell
/// them, see tenon_language_set_frames. Passes, texts and files keep them.
///
/// Threads:   any thread, as tenon_graph_input_count.
/// Since:     0.1
TENON_API int64_t tenon_graph_frame_count(const tenon_graph* graph, int64_t node);

/// Fills `out_frame` with one of them, the innermost first.
///
/// Errors:    TENON_ERROR_INDEX for a number that is not there.
/// Ownership: texts are borrowed until the graph dies.
/// Threads:   any thread, as tenon_graph_input_count.
/// Since:     0.1
TENON_API tenon_status tenon_graph_get_frame(const tenon_graph* graph, int64_t node, int64_t index,
                                             tenon_error_frame* out_frame);

/// Adds a frame to a node, outside of those that it has. Texts may be NULL.
///
/// Errors:    TENON_ERROR_INDEX for a node that is not there, TENON_ERROR_INVALID_ARGUMENT for an
///            unknown language, TENON_ERROR_STATE, TENON_ERROR_OUT_OF_MEMORY.
/// Ownership: texts are copied.
/// Threads:   owner thread.
/// Since:     0.1
TENON_API tenon_status tenon_graph_add_frame(tenon_graph* graph, int64_t node, uint32_t language,
                                             const char* function, const char* file, int32_t line);

/// Returns the number of the value that is an input; -1 for an input that is not there.
///
/// Threads:   any thread, as tenon_graph_input_count.
/// Since:     0.1
TENON_API int64_t tenon_graph_input_value(const tenon_graph* graph, int64_t index);

/// Returns the number of the value that is an attribute; -1 for an attribute that is not there.
///
/// Threads:   any thread, as tenon_graph_input_count.
/// Since:     0.1
TENON_API int64_t tenon_graph_attribute_value(const tenon_graph* graph, int64_t index);

/// Returns an output, NULL for one that is not there.
///
/// Ownership: borrowed until the graph dies.
/// Threads:   any thread, as tenon_graph_input_count.
/// Since:     0.1
TENON_API const tenon_value* tenon_graph_peek_output(const tenon_graph* graph, int64_t index);

/* ---- Running ---------------------------------------------------------------------------- */

/// Runs a graph: each node is a call of its operator, seen by layers and modes as any call. Results
/// are released after their last use.
///
/// `stack->args` are the inputs, tensors; `stack->rets` are as many as the graph has outputs.
/// Errors:    TENON_ERROR_INVALID_ARGUMENT for wrong counts, and where a graph that has sizes gets
///            others than it is for: the error names the input, the dim and what was expected, or
///            the guard and the place that asked. TENON_ERROR_STATE for a size of no tensor,
///            TENON_ERROR_TYPE for an input that is no tensor, or what a call raised, with a note
///            that names the node.
/// Ownership: arguments are borrowed; results are new references.
/// Threads:   any thread; several may run one graph at once.
/// Since:     0.1
TENON_API tenon_status tenon_graph_run(tenon_graph* graph, tenon_stack* stack);

/// Plans a run for inputs like these: shapes, memory and kernels once, so that runs with inputs of
/// the same dtype, sizes, strides and device go through loops of kernels only; of composites those
/// of what they call. The last four plans are kept. There is none where a kernel does not bind, or
/// for what writes into an input or attribute as `out`. `out_reason` is NULL, or a text on what
/// stands against one. Inputs and attributes stay; what makes views and copies is called.
///
/// Planned runs are for plain tensors on threads without modes, profile or recording, where what is
/// written shares no memory with others. Other runs, and those after a change of the registry, are
/// calls. A plan keeps its kernels from being freed.
/// Errors:    as tenon_graph_run, but for what computing raises.
/// Ownership: inputs are borrowed; new reference in `out_reason`.
/// Threads:   any thread.
/// Since:     0.1
TENON_API tenon_status tenon_graph_bind(tenon_graph* graph, const tenon_value* inputs,
                                        int64_t ninputs, tenon_buffer** out_reason);

/// Defines an operator that runs the graph, with a tensor argument for each input and a result for
/// each output, in the library's namespace. Gradients, vmap and autocast see the graph's calls.
///
/// Errors:    TENON_ERROR_NOT_SUPPORTED for an output that is no tensor; as tenon_library_define
///            and tenon_library_impl.
/// Ownership: the library's registrations retain the graph; `out_op` (may be NULL) is valid for
///            ever.
/// Threads:   any thread; *blocks*, runs listeners.
/// Since:     0.1
TENON_API tenon_status tenon_graph_define(tenon_graph* graph, tenon_library* library,
                                          const char* name, const tenon_op** out_op);

/* ---- Transforming ----------------------------------------------------------------------- */

/* Passes; several run in this order. Calls that write, draw random numbers or return nothing stay,
 * and what is read between writes keeps its place. */
#define TENON_GRAPH_FOLD_CONSTANTS 1u /* calls on attributes alone are run once, now */
#define TENON_GRAPH_MERGE_COMMON 2u   /* equal calls become one */
#define TENON_GRAPH_REMOVE_DEAD 4u    /* calls and attributes that nothing uses go */
/* What is not known of values is found out by calls on fake tensors, as far as inputs are known. */
#define TENON_GRAPH_INFER 8u

/// Makes a new graph by passes (TENON_GRAPH_* bits).
///
/// Errors:    TENON_ERROR_INVALID_ARGUMENT for unknown bits, what a folded call raised,
///            TENON_ERROR_OUT_OF_MEMORY.
/// Ownership: new reference in `out_graph`; attributes are shared.
/// Threads:   any thread.
/// Since:     0.1
TENON_API tenon_status tenon_graph_transform(tenon_graph* graph, uint32_t passes,
                                             tenon_graph** out_graph);

/* A pass's look at one call of `from`. `args` are the call's, with values of `to`, the new graph,
 * as far as it has come; `results` are as many values as the call has results, all none. The
 * function may append calls to `to`, add attributes and elements, and writes what stands for each
 * result: a reference to a value of `to`, a tensor, a number, or a list of such; none for one that
 * nothing uses any more. Or it returns TENON_DECLINED: the call stays as it is. Results are the
 * function's own until the next call of it. */
typedef tenon_status (*tenon_graph_rewrite_fn)(void* ctx, const tenon_graph* from, int64_t node,
                                               const tenon_value* args, tenon_graph* to,
                                               tenon_value* results);

/// Makes a new graph by a pass of the caller's: `rewrite` is called for each node in its order.
/// What was known of a result is known of what stands for it; new nodes have the frames of the one
/// that they stand for. Whether calls that write may go or move is the pass's to know.
///
/// Errors:    what `rewrite` returned, with its error and a note that names the node;
///            TENON_ERROR_STATE for a use of a result that nothing stands for, TENON_ERROR_TYPE for
///            something of another type in its place, TENON_ERROR_INVALID_ARGUMENT,
///            TENON_ERROR_OUT_OF_MEMORY.
/// Ownership: new reference in `out_graph`; attributes are shared. `ctx` is borrowed for the call,
///            `to` for that of the function.
/// Threads:   any thread; calls the function on it.
/// Since:     0.1
TENON_API tenon_status tenon_graph_rewrite(const tenon_graph* graph, tenon_graph_rewrite_fn rewrite,
                                           void* ctx, tenon_graph** out_graph);

/* Constants of the pattern match any others. */
#define TENON_GRAPH_IGNORE_LITERALS 1u

/// Makes a new graph in which `replacement` stands wherever `pattern` was, both graphs themselves.
/// An input of the pattern matches any value, the same one wherever it is used, or a number that
/// stands for a tensor, its sizes those of the value; an attribute matches that tensor, a constant
/// an equal one. There is no match where something else uses a result that is no output of the
/// pattern, where a call between its calls writes to what it reads, and where it shares calls with
/// an earlier one. The replacement's inputs and outputs stand for those of the pattern, one by one;
/// its calls go where the last call of the match was, or before what uses its outputs earlier.
///
/// Errors:    TENON_ERROR_INVALID_ARGUMENT for a pattern without calls, with an input that no call
///            uses or an output that no call gives, for another number of inputs or outputs of the
///            replacement, and for unknown flags; TENON_ERROR_TYPE for an output of another type,
///            TENON_ERROR_OUT_OF_MEMORY.
/// Ownership: new reference in `out_graph`; attributes are shared. `out_count` (may be NULL) is how
///            many matches were replaced.
/// Threads:   any thread.
/// Since:     0.1
TENON_API tenon_status tenon_graph_replace_pattern(const tenon_graph* graph,
                                                   const tenon_graph* pattern,
                                                   const tenon_graph* replacement, uint32_t flags,
                                                   int64_t* out_count, tenon_graph** out_graph);

/// Checks a graph: operators are defined with the schemas that arguments were recorded for, and
/// what is known of values is what calls on fake tensors give, of the sizes at hand and of larger
/// ones. Calls of unknown inputs, or whose results depend on elements, are not made.
///
/// Errors:    TENON_ERROR_NOT_SUPPORTED for an operator without the schema that it had,
///            TENON_ERROR_TYPE for a value that is recorded as another than its call gives, what
///            a call raises; all with a note that names the node.
/// Threads:   any thread, as tenon_graph_input_count.
/// Since:     0.1
TENON_API tenon_status tenon_graph_check(const tenon_graph* graph);

/* Views become copies, too, such as `aten::view_copy`. What is then calculated lies in another
 * order in memory: sums may differ in their last bit. */
#define TENON_GRAPH_REMOVE_VIEWS 1u

/// Makes a new graph that writes to nothing but, at its end, to the inputs and attributes that were
/// written. In the place of a call that writes is the one that gives a new value, `aten::add` for
/// `aten::add_` and `aten::add.out`: the operator's functional overload with the same arguments.
/// What it gives is put into the value that the written one is a view of, as by
/// `aten::select_scatter`, and other views of that are taken anew where they are used next. Inputs
/// and attributes that are written are given their last values by `aten::copy_`. Results are the
/// same to the bit; an output that was an input, or a view of what was written, shares no memory
/// with it any more. Inputs and attributes are taken to be apart in memory.
///
/// Errors:    TENON_ERROR_INVALID_ARGUMENT for unknown flags; TENON_ERROR_NOT_SUPPORTED, naming the
///            operator, for one that writes and has no functional overload, for one that gives a
///            view of what is written and is undone by none, for an input that is resized, and for
///            sizes of a view that are not known; TENON_ERROR_OUT_OF_MEMORY.
/// Ownership: new reference in `out_graph`; attributes are shared.
/// Threads:   any thread.
/// Since:     0.1
TENON_API tenon_status tenon_graph_functionalize(tenon_graph* graph, uint32_t flags,
                                                 tenon_graph** out_graph);

/* ---- Text and files --------------------------------------------------------------------- */

/// Writes a graph as text: a version, the whole schema of each operator, a line for each input,
/// attribute, node, size, other number and guard, and the outputs. Defaults and row-major strides
/// are left out. Frames stand behind nodes, as " # 'model.py':12 in 'forward' [Python]".
///
/// Errors:    TENON_ERROR_NOT_SUPPORTED for a generator, object, stream or storage among the
///            arguments, TENON_ERROR_OUT_OF_MEMORY.
/// Ownership: new reference in `out_text`.
/// Threads:   any thread, as tenon_graph_input_count.
/// Since:     0.1
TENON_API tenon_status tenon_graph_print(const tenon_graph* graph, tenon_buffer** out_text);

/// Reads a text that tenon_graph_print wrote. Operators are looked up and their schemas compared:
/// the registry's may have more arguments with defaults at the end. Nothing is run. Other comments,
/// from " # " to the end of a line, are left out. `attributes`
/// are the tensors of the text's attributes, in its order.
///
/// Errors:    TENON_ERROR_PARSE naming line and what was expected, TENON_ERROR_NOT_FOUND naming all
///            operators that are not there, TENON_ERROR_TYPE for one whose schema differs,
///            TENON_ERROR_INVALID_ARGUMENT for a wrong number of attributes, as tenon_graph_append.
/// Ownership: new reference in `out_graph`, which retains the attributes.
/// Threads:   any thread; may load what ships for a namespace.
/// Since:     0.1
TENON_API tenon_status tenon_graph_parse(const char* text, int64_t size,
                                         tenon_tensor* const* attributes, int64_t nattributes,
                                         tenon_graph** out_graph);

/// Writes a graph as the bytes of one file in the safetensors layout: the text in its metadata, the
/// attributes as its tensors.
///
/// Errors:    TENON_ERROR_NOT_SUPPORTED for an attribute without memory on the CPU or of a complex
///            dtype, as tenon_graph_print.
/// Ownership: new reference in `out_bytes`.
/// Threads:   any thread, as tenon_graph_input_count.
/// Since:     0.1
TENON_API tenon_status tenon_graph_write(const tenon_graph* graph, tenon_buffer** out_bytes);

/// Reads what tenon_graph_write wrote; counts, offsets and references are checked, and nothing is
/// run. Attributes are copied.
///
/// Errors:    TENON_ERROR_PARSE for malformed bytes, as tenon_graph_parse.
/// Ownership: new reference in `out_graph`; the bytes are borrowed for the call.
/// Threads:   any thread; may load what ships for a namespace.
/// Since:     0.1
TENON_API tenon_status tenon_graph_read(const void* data, int64_t size, tenon_graph** out_graph);

/// Writes a graph to a file, replacing it; the old one stays where that fails.
///
/// Errors:    TENON_ERROR_SYSTEM naming the path, as tenon_graph_write.
/// Threads:   any thread, as tenon_graph_input_count; *blocks*.
/// Since:     0.1
TENON_API tenon_status tenon_graph_save(const tenon_graph* graph, const char* path);

/// Reads a graph from a file.
///
/// Errors:    TENON_ERROR_SYSTEM naming the path, as tenon_graph_read.
/// Ownership: new reference in `out_graph`.
/// Threads:   any thread; *blocks*, may load what ships for a namespace.
/// Since:     0.1
TENON_API tenon_status tenon_graph_load(const char* path, tenon_graph** out_graph);

TENON_END_DECLS

#endif /* TENON_GRAPH_H */
