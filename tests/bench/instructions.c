/* SPDX-License-Identifier: Apache-2.0 */
/* Paths through the C interface whose instructions callgrind counts; see instructions.py. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <tenon/tenon.h>

#include "recorded_paths.h"

static tenon_library* library;
static const tenon_op *none, *one, *with_text, *two, *eight, *list, *optional, *in_place;
static const tenon_op *profiled, *layered, *layered_3, *skipped, *wrapped, *failing;
static const tenon_op *formula, *typed_formula;
static const tenon_op *typed_1, *typed_2, *typed_3, *typed_layered, *typed_in_place, *add;
static tenon_tensor *a, *b;
static tenon_keyset below_autograd;
static tenon_keyset wrapper_keys;
static tenon_keyset tracer_keys;
static tenon_keyset autograd_keys;

static void must(tenon_status status) {
  if (status == TENON_OK) return;
  fprintf(stderr, "instructions: %s\n", tenon_error_message(tenon_error_peek()));
  exit(1);
}

/* ---- Kernels ---- */

static tenon_status noop(void* ctx, const tenon_op* op, tenon_keyset keys, tenon_stack* stack) {
  (void)ctx, (void)op, (void)keys, (void)stack;
  return TENON_OK;
}

/* `ctx` holds the keys below the layer. */
static tenon_status redispatch(void* ctx, const tenon_op* op, tenon_keyset keys,
                               tenon_stack* stack) {
  return tenon_op_redispatch(op, keys & *(const tenon_keyset*)ctx, stack);
}

static tenon_status fails(void* ctx, const tenon_op* op, tenon_keyset keys, tenon_stack* stack) {
  (void)ctx, (void)op, (void)keys, (void)stack;
  return tenon_error_raise(TENON_ERROR_INDEX, "as asked");
}

typedef tenon_status (*function_1)(const tenon_frame*, tenon_tensor*);
typedef tenon_status (*function_2)(const tenon_frame*, tenon_tensor*, tenon_tensor*);
typedef tenon_status (*function_3)(const tenon_frame*, tenon_tensor*, tenon_tensor*, tenon_tensor*);

static tenon_status take_1(const tenon_frame* frame, tenon_tensor* x) {
  (void)frame, (void)x;
  return TENON_OK;
}

static tenon_status take_2(const tenon_frame* frame, tenon_tensor* x, tenon_tensor* y) {
  (void)frame, (void)x, (void)y;
  return TENON_OK;
}

static tenon_status take_3(const tenon_frame* frame, tenon_tensor* x, tenon_tensor* y,
                           tenon_tensor* z) {
  (void)frame, (void)x, (void)y, (void)z;
  return TENON_OK;
}

static tenon_status redispatch_2(const tenon_frame* frame, tenon_tensor* x, tenon_tensor* y) {
  tenon_frame below;
  const tenon_entry* entry =
      tenon_frame_begin_keys(frame->op, frame->keys & below_autograd, &below);
  const tenon_status status = ((function_2)entry->typed)(&below, x, y);
  tenon_frame_leave(&below);
  return status;
}

/* ---- Operators ---- */

static tenon_kernel kernel_of(tenon_kernel_fn boxed) {
  tenon_kernel kernel;
  memset(&kernel, 0, sizeof kernel);
  kernel.struct_size = sizeof kernel;
  kernel.language = TENON_LANGUAGE_C;
  kernel.boxed = boxed;
  if (boxed == NULL) kernel.flags = TENON_KERNEL_FALLTHROUGH;
  return kernel;
}

static const tenon_op* define(const char* schema, tenon_key key, tenon_kernel_fn boxed) {
  const tenon_op* op = NULL;
  const tenon_kernel kernel = kernel_of(boxed);
  must(tenon_library_define(library, schema, NULL, &op));
  must(tenon_library_impl(library, tenon_op_name(op), key, &kernel, NULL));
  return op;
}

static void add_flagged_layer(const tenon_op* op, tenon_key key, tenon_kernel_fn boxed,
                              uint32_t flags) {
  static tenon_keyset below[8];
  static size_t count;
  tenon_kernel kernel = kernel_of(boxed);
  kernel.flags |= flags;
  below[count] = tenon_keyset_below(key);
  kernel.ctx = &below[count++];
  must(tenon_library_impl(library, tenon_op_name(op), key, &kernel, NULL));
}

static void add_layer(const tenon_op* op, tenon_key key, tenon_kernel_fn boxed) {
  add_flagged_layer(op, key, boxed, 0);
}

static void add_typed(const tenon_op* op, tenon_key key, tenon_kernel_fn boxed,
                      tenon_typed_fn typed, const char* letters) {
  tenon_kernel kernel = kernel_of(boxed);
  kernel.typed = typed;
  if (typed == (tenon_typed_fn)take_2) kernel.flags |= TENON_KERNEL_LEAF;
  kernel.signature = 0xcbf29ce484222325u;
  for (; *letters; ++letters) {
    kernel.signature = (kernel.signature ^ (unsigned char)*letters) * 0x100000001b3u;
  }
  must(tenon_library_impl(library, tenon_op_name(op), key, &kernel, NULL));
}

static void define_operators(void) {
  tenon_kernel fallback = kernel_of(redispatch);
  static tenon_keyset below_wrapper;
  tenon_library* all = NULL;
  must(tenon_library_new(TENON_LIBRARY_DEF, "counted", TENON_KEY_NONE, __FILE__, 0, &library));
  none = define("none(int a, int b) -> ()", TENON_KEY_CPU, noop);
  one = define("one(Tensor a) -> ()", TENON_KEY_CPU, noop);
  two = define("two(Tensor a, Tensor b) -> ()", TENON_KEY_CPU, noop);
  with_text = define("with_text(Tensor a, str mode) -> ()", TENON_KEY_CPU, noop);
  eight = define(
      "eight(Tensor a, Tensor b, Tensor c, Tensor d, Tensor e, Tensor f, Tensor g, Tensor h)"
      " -> ()",
      TENON_KEY_CPU, noop);
  list = define("list(Tensor[] tensors) -> ()", TENON_KEY_CPU, noop);
  optional = define("optional(Tensor a, Tensor? b) -> ()", TENON_KEY_CPU, noop);
  in_place = define("in_place(Tensor(a!) a, Tensor b) -> Tensor(a!)", TENON_KEY_CPU, noop);
  failing = define("failing(Tensor a) -> ()", TENON_KEY_CPU, fails);
  layered = define("layered(Tensor a, Tensor b) -> ()", TENON_KEY_CPU, noop);
  add_layer(layered, TENON_KEY_AUTOGRAD, redispatch);
  layered_3 = define("layered_3(Tensor a, Tensor b) -> ()", TENON_KEY_CPU, noop);
  add_layer(layered_3, TENON_KEY_AUTOGRAD, redispatch);
  add_layer(layered_3, TENON_KEY_AD_INPLACE_OR_VIEW, redispatch);
  add_layer(layered_3, TENON_KEY_WRAPPER, redispatch);
  formula = define("formula(Tensor a, Tensor b) -> ()", TENON_KEY_CPU, noop);
  add_flagged_layer(formula, TENON_KEY_AUTOGRAD, redispatch, TENON_KERNEL_WHEN_TRACKED);
  skipped = define("skipped(Tensor a, Tensor b) -> ()", TENON_KEY_CPU, noop);
  add_layer(skipped, TENON_KEY_WRAPPER, NULL);
  /*
   * `wrapped` reaches a fallback at Wrapper; the other operators have kernels there or calls
   * without that key.
   */
  wrapped = define("wrapped(Tensor a, Tensor b) -> ()", TENON_KEY_CPU, noop);
  must(tenon_library_new(TENON_LIBRARY_IMPL, "_", TENON_KEY_NONE, __FILE__, 0, &all));
  below_wrapper = tenon_keyset_below(TENON_KEY_WRAPPER);
  fallback.ctx = &below_wrapper;
  must(tenon_library_fallback(all, TENON_KEY_WRAPPER, &fallback, NULL, NULL));
  must(tenon_library_define(library, "typed_1(Tensor a) -> ()", NULL, &typed_1));
  must(tenon_library_define(library, "typed_2(Tensor a, Tensor b) -> ()", NULL, &typed_2));
  must(
      tenon_library_define(library, "typed_3(Tensor a, Tensor b, Tensor c) -> ()", NULL, &typed_3));
  must(tenon_library_define(library, "typed_layered(Tensor a, Tensor b) -> ()", NULL,
                            &typed_layered));
  must(tenon_library_define(library, "typed_formula(Tensor a, Tensor b) -> ()", NULL,
                            &typed_formula));
  add_typed(typed_formula, TENON_KEY_CPU, noop, (tenon_typed_fn)take_2, "TT>");
  add_flagged_layer(typed_formula, TENON_KEY_AUTOGRAD, redispatch, TENON_KERNEL_WHEN_TRACKED);
  must(tenon_library_define(library, "typed_in_place(Tensor(a!) a, Tensor b) -> Tensor(a!)", NULL,
                            &typed_in_place));
  add_typed(typed_in_place, TENON_KEY_CPU, noop, (tenon_typed_fn)take_2, "TT>");
  must(tenon_library_define(library, "profiled(Tensor a, Tensor b) -> ()", NULL, &profiled));
  add_typed(profiled, TENON_KEY_CPU, noop, (tenon_typed_fn)take_2, "TT>");
  add_typed(profiled, TENON_KEY_TRACER, noop, (tenon_typed_fn)take_2, "TT>");
  add_typed(typed_1, TENON_KEY_CPU, noop, (tenon_typed_fn)take_1, "T>");
  add_typed(typed_2, TENON_KEY_CPU, noop, (tenon_typed_fn)take_2, "TT>");
  add_typed(typed_3, TENON_KEY_CPU, noop, (tenon_typed_fn)take_3, "TTT>");
  add_typed(typed_layered, TENON_KEY_CPU, noop, (tenon_typed_fn)take_2, "TT>");
  add_typed(typed_layered, TENON_KEY_AUTOGRAD, noop, (tenon_typed_fn)redispatch_2, "TT>");
}

/* ---- Paths: one function each, `calls` times the same thing ---- */

#define PATH(name) __attribute__((noinline)) void path_##name(int calls)

static tenon_value tensor_value(tenon_tensor* tensor) {
  tenon_value value;
  memset(&value, 0, sizeof value);
  value.tag = TENON_TAG_TENSOR;
  value.as.tensor = tensor;
  return value;
}

static tenon_stack stack_of(tenon_value* args, uint32_t nargs) {
  tenon_stack stack;
  memset(&stack, 0, sizeof stack);
  stack.args = args;
  stack.nargs = nargs;
  return stack;
}

static void call_pair(const tenon_op* op, int calls) {
  tenon_value args[2] = {tensor_value(a), tensor_value(b)};
  tenon_stack stack = stack_of(args, 2);
  for (int i = 0; i < calls; ++i) tenon_op_call_fast(op, &stack);
}

PATH(boxed_0_tensors) {
  tenon_value args[2];
  tenon_stack stack = stack_of(args, 2);
  memset(args, 0, sizeof args);
  args[0].tag = args[1].tag = TENON_TAG_INT;
  for (int i = 0; i < calls; ++i) tenon_op_call_fast(none, &stack);
}

PATH(boxed_1_tensor) {
  tenon_value arg = tensor_value(a);
  tenon_stack stack = stack_of(&arg, 1);
  for (int i = 0; i < calls; ++i) tenon_op_call_fast(one, &stack);
}

PATH(boxed_2_tensors) { call_pair(two, calls); }

PATH(boxed_8_tensors) {
  tenon_value args[8];
  tenon_stack stack = stack_of(args, 8);
  for (int i = 0; i < 8; ++i) args[i] = tensor_value(a);
  for (int i = 0; i < calls; ++i) tenon_op_call_fast(eight, &stack);
}

PATH(boxed_list_of_8_tensors) {
  tenon_tensor* tensors[8] = {a, b, a, b, a, b, a, b};
  tenon_value arg;
  tenon_stack stack = stack_of(&arg, 1);
  memset(&arg, 0, sizeof arg);
  arg.tag = TENON_TAG_TENSOR_LIST;
  arg.count = 8;
  arg.as.list.data = tensors;
  for (int i = 0; i < calls; ++i) tenon_op_call_fast(list, &stack);
}

PATH(boxed_optional) {
  tenon_value args[2] = {tensor_value(a), {0}};
  tenon_stack stack = stack_of(args, 2);
  for (int i = 0; i < calls; ++i) tenon_op_call_fast(optional, &stack);
}

PATH(boxed_in_place) {
  tenon_value args[2] = {tensor_value(a), tensor_value(b)};
  tenon_value ret = {0};
  tenon_stack stack = stack_of(args, 2);
  stack.rets = &ret;
  stack.nrets = 1;
  for (int i = 0; i < calls; ++i) {
    tenon_op_call_fast(in_place, &stack);
    tenon_value_clear(&ret);
  }
}

PATH(boxed_2_tensors_checked) {
  tenon_value args[2] = {tensor_value(a), tensor_value(b)};
  tenon_stack stack = stack_of(args, 2);
  for (int i = 0; i < calls; ++i) tenon_op_call(two, &stack);
}

/* The check also reads the text's bytes. */
PATH(boxed_text_checked) {
  tenon_value args[2] = {tensor_value(a), tenon_value_of_string("trunc", 5)};
  tenon_stack stack = stack_of(args, 2);
  for (int i = 0; i < calls; ++i) tenon_op_call(with_text, &stack);
}

PATH(one_redispatch) { call_pair(layered, calls); }

static void call_wrapped(const tenon_op* op, int calls) {
  tenon_key_guard guard;
  must(tenon_key_guard_include(wrapper_keys, &guard));
  call_pair(op, calls);
  tenon_key_guard_leave(&guard);
}

PATH(three_redispatches) { call_wrapped(layered_3, calls); }
PATH(fallthrough_layer) { call_wrapped(skipped, calls); }
PATH(boxed_fallback) { call_wrapped(wrapped, calls); }

/* An operator with an Autograd kernel for tracked tensors: untracked, tracked, no grad. */
PATH(formula_untracked) { call_pair(formula, calls); }

static void call_formula(void (*call)(const tenon_op*, int), const tenon_op* op, uint32_t mode,
                         int calls) {
  tenon_key_guard tracked, grad;
  must(tenon_key_guard_include(autograd_keys, &tracked)); /* as if the tensors carried it */
  must(tenon_grad_mode_enter(mode, &grad));
  call(op, calls);
  tenon_key_guard_leave(&grad);
  tenon_key_guard_leave(&tracked);
}

PATH(formula_tracked) { call_formula(call_pair, formula, TENON_GRAD_MODE_ON, calls); }
PATH(formula_no_grad) { call_formula(call_pair, formula, TENON_GRAD_MODE_OFF, calls); }

PATH(grad_mode) {
  for (int i = 0; i < calls; ++i) {
    tenon_key_guard guard;
    tenon_grad_mode_enter(TENON_GRAD_MODE_OFF, &guard);
    tenon_key_guard_leave(&guard);
  }
}

PATH(guard) {
  for (int i = 0; i < calls; ++i) {
    tenon_key_guard guard;
    tenon_key_guard_exclude(wrapper_keys, &guard);
    tenon_key_guard_leave(&guard);
  }
}

PATH(typed_begin1) {
  for (int i = 0; i < calls; ++i) {
    tenon_frame frame;
    const tenon_entry* entry = tenon_frame_begin1(typed_1, a, &frame);
    ((function_1)entry->typed)(&frame, a);
    tenon_frame_leave(&frame);
  }
}

static void call_typed(const tenon_op* op, int calls) {
  for (int i = 0; i < calls; ++i) {
    tenon_frame frame;
    const tenon_entry* entry = tenon_frame_begin2(op, a, b, &frame);
    ((function_2)entry->typed)(&frame, a, b);
    tenon_frame_leave(&frame);
  }
}

PATH(typed_begin2) { call_typed(typed_2, calls); }
PATH(typed_formula_untracked) { call_typed(typed_formula, calls); }
PATH(typed_formula_no_grad) { call_formula(call_typed, typed_formula, TENON_GRAD_MODE_OFF, calls); }

/* A typed caller that reaches a boxed kernel: tenon_frame_call must check the arguments. */
PATH(typed_begin2_boxed_kernel) {
  tenon_value args[2] = {tensor_value(a), tensor_value(b)};
  tenon_stack stack = stack_of(args, 2);
  for (int i = 0; i < calls; ++i) {
    tenon_frame frame;
    tenon_frame_begin2(two, a, b, &frame);
    tenon_frame_call(&frame, &stack);
    tenon_frame_leave(&frame);
  }
}

PATH(typed_in_place) { call_typed(typed_in_place, calls); }

/* With keys other than the operator's usual ones. */
PATH(typed_begin2_guarded) {
  tenon_key_guard guard;
  must(tenon_key_guard_include(tracer_keys, &guard));
  call_typed(profiled, calls);
  tenon_key_guard_leave(&guard);
}

PATH(typed_one_redispatch) { call_typed(typed_layered, calls); }

PATH(typed_begin3) {
  for (int i = 0; i < calls; ++i) {
    tenon_frame frame;
    const tenon_entry* entry = tenon_frame_begin3(typed_3, a, b, a, &frame);
    ((function_3)entry->typed)(&frame, a, b, a);
    tenon_frame_leave(&frame);
  }
}

PATH(typed_begin_n) {
  tenon_tensor* tensors[2] = {a, b};
  for (int i = 0; i < calls; ++i) {
    tenon_frame frame;
    const tenon_entry* entry = tenon_frame_begin_n(typed_2, tensors, 2, &frame);
    ((function_2)entry->typed)(&frame, a, b);
    tenon_frame_leave(&frame);
  }
}

PATH(typed_begin_factory) {
  for (int i = 0; i < calls; ++i) {
    tenon_frame frame;
    tenon_frame_begin_factory(none, NULL, &frame);
    tenon_frame_leave(&frame);
  }
}

PATH(begin_boxed) {
  tenon_value args[2] = {tensor_value(a), tensor_value(b)};
  for (int i = 0; i < calls; ++i) {
    tenon_frame frame;
    tenon_frame_begin_boxed(two, args, 2, &frame);
    tenon_frame_leave(&frame);
  }
}

PATH(begin_boxed_and_call) {
  tenon_value args[2] = {tensor_value(a), tensor_value(b)};
  tenon_stack stack = stack_of(args, 2);
  for (int i = 0; i < calls; ++i) {
    tenon_frame frame;
    tenon_frame_begin_boxed(two, args, 2, &frame);
    tenon_frame_call(&frame, &stack);
    tenon_frame_leave(&frame);
  }
}

PATH(begin_boxed_0_tensors) {
  tenon_value args[2];
  memset(args, 0, sizeof args);
  args[0].tag = args[1].tag = TENON_TAG_INT;
  for (int i = 0; i < calls; ++i) {
    tenon_frame frame;
    tenon_frame_begin_boxed(none, args, 2, &frame);
    tenon_frame_leave(&frame);
  }
}

PATH(check_arguments) {
  tenon_value args[2] = {tensor_value(a), tensor_value(b)};
  for (int i = 0; i < calls; ++i) tenon_op_check_arguments(two, args, 2);
}

PATH(lookup_by_name) {
  const tenon_op* op = NULL;
  for (int i = 0; i < calls; ++i) tenon_op_find("counted::two", &op);
}

PATH(error_made_taken_released) {
  for (int i = 0; i < calls; ++i) {
    tenon_error_raise(TENON_ERROR_INDEX, "as asked");
    tenon_error_release(tenon_error_take());
  }
}

PATH(failing_kernel) {
  tenon_value arg = tensor_value(a);
  tenon_stack stack = stack_of(&arg, 1);
  for (int i = 0; i < calls; ++i) {
    tenon_op_call_fast(failing, &stack);
    tenon_error_release(tenon_error_take());
  }
}

PATH(retain_and_release) {
  for (int i = 0; i < calls; ++i) tenon_tensor_release(tenon_tensor_retain(a));
}

PATH(new_and_release_tensor) {
  const int64_t size = 1;
  for (int i = 0; i < calls; ++i) {
    tenon_tensor* tensor = NULL;
    tenon_tensor_new(TENON_DTYPE_F32, NULL, 1, &size, NULL, &tensor);
    tenon_tensor_release(tensor);
  }
}

PATH(aten_add_1_element) {
  tenon_value args[3] = {tensor_value(a), tensor_value(b), {0}};
  tenon_value ret = {0};
  tenon_stack stack = stack_of(args, 3);
  args[2].tag = TENON_TAG_INT;
  args[2].as.i = 1;
  stack.rets = &ret;
  stack.nrets = 1;
  for (int i = 0; i < calls; ++i) {
    tenon_op_call_fast(add, &stack);
    tenon_value_clear(&ret);
  }
}

#define ENTRY(name) \
  { #name, path_##name }
static const struct {
  const char* name;
  void (*run)(int calls);
} paths[] = {
    ENTRY(boxed_0_tensors),
    ENTRY(boxed_1_tensor),
    ENTRY(boxed_2_tensors),
    ENTRY(boxed_8_tensors),
    ENTRY(boxed_list_of_8_tensors),
    ENTRY(boxed_optional),
    ENTRY(boxed_in_place),
    ENTRY(boxed_2_tensors_checked),
    ENTRY(boxed_text_checked),
    ENTRY(one_redispatch),
    ENTRY(three_redispatches),
    ENTRY(fallthrough_layer),
    ENTRY(boxed_fallback),
    ENTRY(formula_untracked),
    ENTRY(formula_tracked),
    ENTRY(formula_no_grad),
    ENTRY(guard),
    ENTRY(grad_mode),
    ENTRY(typed_begin1),
    ENTRY(typed_begin2),
    ENTRY(typed_begin3),
    ENTRY(typed_begin_n),
    ENTRY(typed_begin2_guarded),
    ENTRY(typed_formula_untracked),
    ENTRY(typed_formula_no_grad),
    ENTRY(typed_begin2_boxed_kernel),
    ENTRY(typed_in_place),
    ENTRY(typed_begin_factory),
    ENTRY(typed_one_redispatch),
    ENTRY(begin_boxed),
    ENTRY(begin_boxed_and_call),
    ENTRY(begin_boxed_0_tensors),
    ENTRY(check_arguments),
    ENTRY(lookup_by_name),
    ENTRY(error_made_taken_released),
    ENTRY(failing_kernel),
    ENTRY(retain_and_release),
    ENTRY(new_and_release_tensor),
    ENTRY(aten_add_1_element),
    ENTRY(mul_no_grad),
    ENTRY(recorded_mul),
    ENTRY(recorded_mul_typed_caller),
    ENTRY(recorded_mm),
    ENTRY(autocast_mm),
    ENTRY(mul_in_autocast),
    ENTRY(mapped_mul),
    ENTRY(backward_of_20_products),
};
#define PATHS (sizeof paths / sizeof *paths)

/*
 * Without arguments, prints the names of the paths. With a number n and names, makes n calls of
 * each path.
 */
int main(int argc, char** argv) {
  const int64_t size = 1;
  size_t i;
  int k;
  if (argc < 3) {
    for (i = 0; i < PATHS; ++i) printf("%s\n", paths[i].name);
    return 0;
  }
  below_autograd = tenon_keyset_below(TENON_KEY_AUTOGRAD);
  must(tenon_keyset_from_key(TENON_KEY_WRAPPER, &wrapper_keys));
  must(tenon_keyset_from_key(TENON_KEY_TRACER, &tracer_keys));
  must(tenon_keyset_from_key(TENON_KEY_AUTOGRAD_CPU, &autograd_keys));
  must(tenon_tensor_new(TENON_DTYPE_F32, NULL, 1, &size, NULL, &a));
  must(tenon_tensor_new(TENON_DTYPE_F32, NULL, 1, &size, NULL, &b));
  define_operators();
  must(tenon_op_find("aten::add.Tensor", &add));
  for (k = 2; k < argc; ++k) {
    for (i = 0; i < PATHS && strcmp(paths[i].name, argv[k]) != 0; ++i) {
    }
    if (i == PATHS) {
      fprintf(stderr, "instructions: no path %s\n", argv[k]);
      return 1;
    }
    paths[i].run(1); /* costs that only the first call has */
    paths[i].run(atoi(argv[1]));
  }
  tenon_tensor_release(a);
  tenon_tensor_release(b);
  tenon_library_release(library);
  return 0;
}
