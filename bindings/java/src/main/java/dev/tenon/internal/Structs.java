// SPDX-License-Identifier: Apache-2.0
// Sizes and offsets of the open structs, as compile-time constants checked when the library loads.
package dev.tenon.internal;

/**
 * Offsets of fields in the structs that C and Java share. Internal; checked by {@link Addresses}.
 */
public final class Structs {
  private Structs() {}

  public static final int VALUE_SIZE = 24;
  public static final int VALUE_FLAGS = 2;
  public static final int VALUE_COUNT = 4;
  public static final int VALUE_AS = 8;
  public static final int STACK_SIZE = 48;
  public static final int STACK_RETS = 8;
  public static final int STACK_NARGS = 16;
  public static final int STACK_NRETS = 20;
  public static final int STACK_ERROR = 24;
  public static final int FRAME_SIZE = 64;
  public static final int FRAME_CTX = 8;
  public static final int FRAME_KEYS = 16;
  public static final int FRAME_LEAVE_WORD = 24;
  public static final int FRAME_LEAVE_VALUE = 32;
  public static final int BLOCK_FRAME = 48;
  public static final int UPCALL_KEYS = 8;
  public static final int UPCALL_STACK = 16;
  public static final int UPCALL_SUBJECT = 24;
  public static final int REF_ID = 8;
  public static final int LANE_COUNT = 8;
  public static final int LANE_RESULTS = 12;
  public static final int LANE_VALUES = 16;
  public static final int KERNEL_SIZE = 112;
  public static final int KERNEL_BOXED = 8;
  public static final int KERNEL_CTX = 16;
  public static final int KERNEL_DELETER = 24;
  public static final int KERNEL_SCHEMA = 48;
  public static final int KERNEL_LANGUAGE = 56;
  public static final int KERNEL_POLICY = 60;
  public static final int KERNEL_NAME = 72;
  public static final int KERNEL_FILE = 80;
  public static final int KERNEL_LINE = 88;
  public static final int DEFINE_OPTIONS_SIZE = 56;
  public static final int DEFINE_OPTIONS_TAG_COUNT = 4;
  public static final int DEFINE_OPTIONS_TAGS = 8;
  public static final int DEFINE_OPTIONS_FILE = 24;
  public static final int DEFINE_OPTIONS_LINE = 32;
  public static final int TENSOR_INFO_SIZE = 80;
  public static final int TENSOR_INFO_SIZES = 8;
  public static final int TENSOR_INFO_STRIDES = 16;
  public static final int TENSOR_INFO_NUMEL = 24;
  public static final int TENSOR_INFO_STORAGE_OFFSET = 32;
  public static final int TENSOR_INFO_NDIM = 40;
  public static final int TENSOR_INFO_DTYPE = 44;
  public static final int TENSOR_INFO_DEVICE = 48;
  public static final int TENSOR_INFO_FLAGS = 56;
  public static final int ARGUMENT_INFO_SIZE = 64;
  public static final int ARGUMENT_INFO_FLAGS = 4;
  public static final int ARGUMENT_INFO_NAME = 8;
  public static final int ARGUMENT_INFO_TYPE = 16;
  public static final int ARGUMENT_INFO_TYPE_TEXT = 24;
  public static final int ARGUMENT_INFO_ALIAS_TEXT = 32;
  public static final int ARGUMENT_INFO_DEFAULT_VALUE = 40;
  public static final int ARGUMENT_INFO_LIST_SIZE = 48;
  public static final int ARGUMENT_INFO_ALIASED_ARGUMENT = 56;
  public static final int OBJECT_TYPE_SIZE = 104;
  public static final int OBJECT_TYPE_LANGUAGE = 4;
  public static final int OBJECT_TYPE_NAME = 8;
  public static final int OBJECT_TYPE_BASE = 16;
  public static final int OBJECT_TYPE_RELEASE = 32;
  public static final int OBJECT_TYPE_OVERRIDE = 40;
  public static final int OBJECT_TYPE_DISPATCH = 48;
  public static final int OBJECT_TYPE_CALL = 56;
  public static final int SLOT_INFO_SIZE = 64;
  public static final int SLOT_INFO_PROVENANCE = 4;
  public static final int SLOT_INFO_KEY = 8;
  public static final int SLOT_INFO_SOURCE_KEY = 12;
  public static final int SLOT_INFO_FALLTHROUGH = 16;
  public static final int SLOT_INFO_LANGUAGE = 20;
  public static final int SLOT_INFO_NAME = 24;
  public static final int SLOT_INFO_FILE = 32;
  public static final int SLOT_INFO_LINE = 40;
  public static final int SLOT_INFO_TYPED = 44;
  public static final int PROFILE_SPAN_SIZE = 104;
  public static final int PROFILE_SPAN_OP = 8;
  public static final int PROFILE_SPAN_KEYS = 16;
  public static final int PROFILE_SPAN_KEY = 24;
  public static final int PROFILE_SPAN_REDISPATCH = 4;
  public static final int PROFILE_SPAN_LANGUAGE = 28;
  public static final int PROFILE_SPAN_DEPTH = 36;
  public static final int PROFILE_SPAN_PARENT = 40;
  public static final int PROFILE_SPAN_BEGIN_NS = 48;
  public static final int PROFILE_SPAN_END_NS = 56;
  public static final int PROFILE_SPAN_KERNEL = 64;
  public static final int PROFILE_SPAN_FILE = 72;
  public static final int PROFILE_SPAN_LINE = 80;
  public static final int PROFILE_SPAN_STATUS = 84;
  public static final int KEY_GUARD_SIZE = 48;
  public static final int WRAPPER_OPTIONS_SIZE = 104;
  public static final int WRAPPER_OPTIONS_NDIM = 8;
  public static final int WRAPPER_OPTIONS_SIZES = 16;
  public static final int WRAPPER_OPTIONS_STRIDES = 24;
  public static final int WRAPPER_OPTIONS_STORAGE_OFFSET = 32;
  public static final int WRAPPER_OPTIONS_DTYPE = 40;
  public static final int WRAPPER_OPTIONS_DEVICE = 48;
  public static final int WRAPPER_OPTIONS_KEYS = 56;
  public static final int WRAPPER_OPTIONS_ALIAS_OF = 64;
  public static final int FORMULA_SIZE = 112;
  public static final int FORMULA_GRADIENT = 8;
  public static final int FORMULA_BACKWARD = 16;
  public static final int FORMULA_SAVES = 24;
  public static final int FORMULA_CTX = 32;
  public static final int FORMULA_DELETER = 40;
  public static final int FORMULA_LANGUAGE = 48;
  public static final int FORMULA_NAME = 56;
  public static final int FORMULA_FILE = 64;
  public static final int FORMULA_LINE = 72;
  public static final int BACKWARD_CALL_GRADS = 16;
  public static final int BACKWARD_CALL_SAVED = 24;
  public static final int BACKWARD_CALL_NEEDS = 32;
  public static final int BACKWARD_CALL_OUT_GRADS = 40;
  public static final int BACKWARD_CALL_NOUTPUTS = 48;
  public static final int BACKWARD_CALL_NSAVED = 56;
  public static final int BACKWARD_CALL_NINPUTS = 64;
  public static final int BACKWARD_OPTIONS_SIZE = 112;
  public static final int BACKWARD_OPTIONS_FLAGS = 4;
  public static final int BACKWARD_OPTIONS_OUTPUTS = 8;
  public static final int BACKWARD_OPTIONS_GRADS = 16;
  public static final int BACKWARD_OPTIONS_INPUTS = 24;
  public static final int BACKWARD_OPTIONS_NOUTPUTS = 32;
  public static final int BACKWARD_OPTIONS_NINPUTS = 40;
  public static final int BACKWARD_CALL_CONTEXT = 72;
  public static final int HOOK_OPTIONS_SIZE = 56;
  public static final int HOOK_OPTIONS_KIND = 4;
  public static final int HOOK_OPTIONS_FN = 8;
  public static final int HOOK_OPTIONS_CTX = 16;
  public static final int HOOK_OPTIONS_DELETER = 24;
  public static final int HOOK_OPTIONS_LANGUAGE = 32;
  public static final int HOOK_CALL_TENSOR = 16;
  public static final int HOOK_CALL_GRADS = 24;
  public static final int HOOK_CALL_OUTPUTS = 32;
  public static final int HOOK_CALL_OUT_GRADS = 40;
  public static final int HOOK_CALL_NGRADS = 48;
  public static final int HOOK_CALL_NOUTPUTS = 56;
  public static final int HOOK_CALL_REPLACES = 64;
  public static final int FUNCTION_TYPE_SIZE = 120;
  public static final int FUNCTION_TYPE_FLAGS = 4;
  public static final int FUNCTION_TYPE_NAME = 8;
  public static final int FUNCTION_TYPE_FORWARD = 16;
  public static final int FUNCTION_TYPE_BACKWARD = 32;
  public static final int FUNCTION_TYPE_CTX = 48;
  public static final int FUNCTION_TYPE_DELETER = 56;
  public static final int FUNCTION_TYPE_LANGUAGE = 64;
  public static final int FUNCTION_TYPE_JVP = 40;
  public static final int FORMULA_SETUP = 80;
  public static final int FORMULA_JVP = 88;
  public static final int SAVED_HOOKS_SIZE = 56;
  public static final int SAVED_HOOKS_LANGUAGE = 4;
  public static final int SAVED_HOOKS_PACK = 8;
  public static final int SAVED_HOOKS_UNPACK = 16;
  public static final int SAVED_HOOKS_CTX = 24;
  public static final int SAVED_HOOKS_DELETER = 32;
  public static final int AUTOCAST_STATE_SIZE = 32;
  public static final int AUTOCAST_STATE_FLAGS = 4;
  public static final int AUTOCAST_STATE_DTYPE = 8;
  public static final int AUTOCAST_GUARD_SIZE = 72;
  public static final int FAKE_GUARD_SIZE = 64;
  public static final int SHAPE_GUARD_SIZE = 56;
  public static final int SHAPE_GUARD_LINE = 4;
  public static final int SHAPE_GUARD_TEXT = 8;
  public static final int SHAPE_GUARD_FILE = 16;
  public static final int SHAPE_GUARD_OP = 24;
  public static final int SHAPE_GUARD_OWNER = 32;
  public static final int SYMBOLIC_OPTIONS_SIZE = 96;
  public static final int SYMBOLIC_OPTIONS_DTYPE = 8;
  public static final int SYMBOLIC_OPTIONS_DEVICE = 16;
  public static final int SYMBOLIC_OPTIONS_NDIM = 32;
  public static final int SYMBOLIC_OPTIONS_SIZES = 40;
  public static final int SYMBOLIC_OPTIONS_STRIDES = 48;
  public static final int GRAPH_GUARD_SIZE = 56;
  public static final int CAST_RULE_SIZE = 64;
  public static final int CAST_RULE_KIND = 4;
  public static final int CAST_RULE_DEVICE_TYPE = 8;
  public static final int CAST_RULE_DTYPE = 12;
  public static final int CAST_RULE_ADVICE = 16;
  public static final int CAST_RULE_LANGUAGE = 24;
  public static final int CAST_RULE_FILE = 32;
  public static final int CAST_RULE_LINE = 40;
  public static final int VMAP_OPTIONS_SIZE = 88;
  public static final int VMAP_OPTIONS_RANDOMNESS = 4;
  public static final int VMAP_OPTIONS_NAME = 8;
  public static final int VMAP_OPTIONS_IN_DIMS = 16;
  public static final int VMAP_OPTIONS_OUT_DIMS = 24;
  public static final int VMAP_OPTIONS_NIN_DIMS = 32;
  public static final int VMAP_OPTIONS_NOUT_DIMS = 40;
  public static final int VMAP_OPTIONS_CHUNK_SIZE = 48;
  public static final int VMAP_INFO_RANDOMNESS = 4;
  public static final int VMAP_INFO_BATCH_SIZE = 8;
  public static final int VMAP_INFO_NTENSORS = 16;
  public static final int VMAP_RULE_SIZE = 80;
  public static final int VMAP_RULE_FN = 8;
  public static final int VMAP_RULE_CTX = 16;
  public static final int VMAP_RULE_DELETER = 24;
  public static final int VMAP_RULE_LANGUAGE = 32;
  public static final int VMAP_RULE_NAME = 40;
  public static final int VMAP_RULE_FILE = 48;
  public static final int VMAP_RULE_LINE = 56;
  public static final int GRAPH_NODE_SIZE = 64;
  public static final int GRAPH_NODE_NARGS = 4;
  public static final int GRAPH_NODE_OP = 8;
  public static final int GRAPH_NODE_ARGS = 16;
  public static final int GRAPH_NODE_FIRST_RESULT = 24;
  public static final int GRAPH_NODE_NRESULTS = 32;

  /** Sizes and offsets in the order in which the native library reports its own. */
  static final int[] ALL = {
    VALUE_SIZE,
    VALUE_FLAGS,
    VALUE_COUNT,
    VALUE_AS,
    STACK_SIZE,
    STACK_RETS,
    STACK_NARGS,
    STACK_NRETS,
    STACK_ERROR,
    FRAME_SIZE,
    FRAME_CTX,
    FRAME_KEYS,
    FRAME_LEAVE_WORD,
    FRAME_LEAVE_VALUE,
    BLOCK_FRAME,
    UPCALL_KEYS,
    UPCALL_STACK,
    UPCALL_SUBJECT,
    REF_ID,
    LANE_COUNT,
    LANE_RESULTS,
    LANE_VALUES,
    KERNEL_SIZE,
    KERNEL_BOXED,
    KERNEL_CTX,
    KERNEL_DELETER,
    KERNEL_SCHEMA,
    KERNEL_LANGUAGE,
    KERNEL_POLICY,
    KERNEL_NAME,
    KERNEL_FILE,
    KERNEL_LINE,
    DEFINE_OPTIONS_SIZE,
    DEFINE_OPTIONS_TAG_COUNT,
    DEFINE_OPTIONS_TAGS,
    DEFINE_OPTIONS_FILE,
    DEFINE_OPTIONS_LINE,
    TENSOR_INFO_SIZE,
    TENSOR_INFO_SIZES,
    TENSOR_INFO_STRIDES,
    TENSOR_INFO_NUMEL,
    TENSOR_INFO_STORAGE_OFFSET,
    TENSOR_INFO_NDIM,
    TENSOR_INFO_DTYPE,
    TENSOR_INFO_DEVICE,
    TENSOR_INFO_FLAGS,
    ARGUMENT_INFO_SIZE,
    ARGUMENT_INFO_FLAGS,
    ARGUMENT_INFO_NAME,
    ARGUMENT_INFO_TYPE,
    ARGUMENT_INFO_TYPE_TEXT,
    ARGUMENT_INFO_ALIAS_TEXT,
    ARGUMENT_INFO_DEFAULT_VALUE,
    ARGUMENT_INFO_LIST_SIZE,
    ARGUMENT_INFO_ALIASED_ARGUMENT,
    OBJECT_TYPE_SIZE,
    OBJECT_TYPE_LANGUAGE,
    OBJECT_TYPE_NAME,
    OBJECT_TYPE_BASE,
    OBJECT_TYPE_RELEASE,
    OBJECT_TYPE_OVERRIDE,
    OBJECT_TYPE_DISPATCH,
    OBJECT_TYPE_CALL,
    SLOT_INFO_SIZE,
    SLOT_INFO_PROVENANCE,
    SLOT_INFO_KEY,
    SLOT_INFO_SOURCE_KEY,
    SLOT_INFO_FALLTHROUGH,
    SLOT_INFO_LANGUAGE,
    SLOT_INFO_NAME,
    SLOT_INFO_FILE,
    SLOT_INFO_LINE,
    SLOT_INFO_TYPED,
    PROFILE_SPAN_SIZE,
    PROFILE_SPAN_OP,
    PROFILE_SPAN_KEYS,
    PROFILE_SPAN_KEY,
    PROFILE_SPAN_REDISPATCH,
    PROFILE_SPAN_LANGUAGE,
    PROFILE_SPAN_DEPTH,
    PROFILE_SPAN_PARENT,
    PROFILE_SPAN_BEGIN_NS,
    PROFILE_SPAN_END_NS,
    PROFILE_SPAN_KERNEL,
    PROFILE_SPAN_FILE,
    PROFILE_SPAN_LINE,
    PROFILE_SPAN_STATUS,
    KEY_GUARD_SIZE,
    WRAPPER_OPTIONS_SIZE,
    WRAPPER_OPTIONS_NDIM,
    WRAPPER_OPTIONS_SIZES,
    WRAPPER_OPTIONS_STRIDES,
    WRAPPER_OPTIONS_STORAGE_OFFSET,
    WRAPPER_OPTIONS_DTYPE,
    WRAPPER_OPTIONS_DEVICE,
    WRAPPER_OPTIONS_KEYS,
    WRAPPER_OPTIONS_ALIAS_OF,
    FORMULA_SIZE,
    FORMULA_GRADIENT,
    FORMULA_BACKWARD,
    FORMULA_SAVES,
    FORMULA_CTX,
    FORMULA_DELETER,
    FORMULA_LANGUAGE,
    FORMULA_NAME,
    FORMULA_FILE,
    FORMULA_LINE,
    BACKWARD_CALL_GRADS,
    BACKWARD_CALL_SAVED,
    BACKWARD_CALL_NEEDS,
    BACKWARD_CALL_OUT_GRADS,
    BACKWARD_CALL_NOUTPUTS,
    BACKWARD_CALL_NSAVED,
    BACKWARD_CALL_NINPUTS,
    BACKWARD_OPTIONS_SIZE,
    BACKWARD_OPTIONS_FLAGS,
    BACKWARD_OPTIONS_OUTPUTS,
    BACKWARD_OPTIONS_GRADS,
    BACKWARD_OPTIONS_INPUTS,
    BACKWARD_OPTIONS_NOUTPUTS,
    BACKWARD_OPTIONS_NINPUTS,
    BACKWARD_CALL_CONTEXT,
    HOOK_OPTIONS_SIZE,
    HOOK_OPTIONS_KIND,
    HOOK_OPTIONS_FN,
    HOOK_OPTIONS_CTX,
    HOOK_OPTIONS_DELETER,
    HOOK_OPTIONS_LANGUAGE,
    HOOK_CALL_TENSOR,
    HOOK_CALL_GRADS,
    HOOK_CALL_OUTPUTS,
    HOOK_CALL_OUT_GRADS,
    HOOK_CALL_NGRADS,
    HOOK_CALL_NOUTPUTS,
    HOOK_CALL_REPLACES,
    FUNCTION_TYPE_SIZE,
    FUNCTION_TYPE_FLAGS,
    FUNCTION_TYPE_NAME,
    FUNCTION_TYPE_FORWARD,
    FUNCTION_TYPE_BACKWARD,
    FUNCTION_TYPE_CTX,
    FUNCTION_TYPE_DELETER,
    FUNCTION_TYPE_LANGUAGE,
    FUNCTION_TYPE_JVP,
    FORMULA_SETUP,
    FORMULA_JVP,
    SAVED_HOOKS_SIZE,
    SAVED_HOOKS_LANGUAGE,
    SAVED_HOOKS_PACK,
    SAVED_HOOKS_UNPACK,
    SAVED_HOOKS_CTX,
    SAVED_HOOKS_DELETER,
    AUTOCAST_STATE_SIZE,
    AUTOCAST_STATE_FLAGS,
    AUTOCAST_STATE_DTYPE,
    AUTOCAST_GUARD_SIZE,
    FAKE_GUARD_SIZE,
    SHAPE_GUARD_SIZE,
    SHAPE_GUARD_LINE,
    SHAPE_GUARD_TEXT,
    SHAPE_GUARD_FILE,
    SHAPE_GUARD_OP,
    SHAPE_GUARD_OWNER,
    SYMBOLIC_OPTIONS_SIZE,
    SYMBOLIC_OPTIONS_DTYPE,
    SYMBOLIC_OPTIONS_DEVICE,
    SYMBOLIC_OPTIONS_NDIM,
    SYMBOLIC_OPTIONS_SIZES,
    SYMBOLIC_OPTIONS_STRIDES,
    GRAPH_GUARD_SIZE,
    CAST_RULE_SIZE,
    CAST_RULE_KIND,
    CAST_RULE_DEVICE_TYPE,
    CAST_RULE_DTYPE,
    CAST_RULE_ADVICE,
    CAST_RULE_LANGUAGE,
    CAST_RULE_FILE,
    CAST_RULE_LINE,
    VMAP_OPTIONS_SIZE,
    VMAP_OPTIONS_RANDOMNESS,
    VMAP_OPTIONS_NAME,
    VMAP_OPTIONS_IN_DIMS,
    VMAP_OPTIONS_OUT_DIMS,
    VMAP_OPTIONS_NIN_DIMS,
    VMAP_OPTIONS_NOUT_DIMS,
    VMAP_OPTIONS_CHUNK_SIZE,
    VMAP_INFO_RANDOMNESS,
    VMAP_INFO_BATCH_SIZE,
    VMAP_INFO_NTENSORS,
    VMAP_RULE_SIZE,
    VMAP_RULE_FN,
    VMAP_RULE_CTX,
    VMAP_RULE_DELETER,
    VMAP_RULE_LANGUAGE,
    VMAP_RULE_NAME,
    VMAP_RULE_FILE,
    VMAP_RULE_LINE,
    GRAPH_NODE_SIZE,
    GRAPH_NODE_NARGS,
    GRAPH_NODE_OP,
    GRAPH_NODE_ARGS,
    GRAPH_NODE_FIRST_RESULT,
    GRAPH_NODE_NRESULTS,
  };
}
