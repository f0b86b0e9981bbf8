/* SPDX-License-Identifier: Apache-2.0 */
/* Paths through the C interface whose instructions callgrind counts: instructions.py reads them. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <tenon/tenon.h>

static const tenon_op *two, *layered, *typed, *one, *failing;
static tenon_tensor *a, *b;
static tenon_keyset below_autograd;

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

static tenon_status redispatch(void* ctx, const tenon_op* op, tenon_keyset keys,
                               tenon_stack* stack) {
  (void)ctx;
  return tenon_op_redispatch(op, keys & below_autograd, stack);
}

static tenon_status fails(void* ctx, const tenon_op* op, tenon_keyset keys, tenon_stack* stack) {
  (void)ctx, (void)op, (void)keys, (void)stack;
  return tenon_error_raise(TENON_ERROR_INDEX, "as asked");
}

static tenon_status typed_1(const tenon_frame* frame, tenon_tensor* x) {
  (void)frame, (void)x;
  return TENON_OK;
}

static tenon_status typed_2(const tenon_frame* frame, tenon_tensor* x, tenon_tensor* y) {
  (void)frame, (void)x, (void)y;
  return TENON_OK;
}

static uint64_t fnv(const char* text) {
  uint64_t hash = 0xcbf29ce484222325u;
  for (; *text; ++text) hash = (hash ^ (unsigned char)*text) * 0x100000001b3u;
  return hash;
}

static const tenon_op* define(tenon_library* library, const char* schema, tenon_key key,
                              tenon_kernel_fn boxed, tenon_typed_fn function, const char* letters) {
  const tenon_op* op = NULL;
  tenon_kernel kernel;
  memset(&kernel, 0, sizeof kernel);
  kernel.struct_size = sizeof kernel;
  kernel.language = TENON_LANGUAGE_C;
  kernel.boxed = boxed;
  kernel.typed = function;
  kernel.signature = letters ? fnv(letters) : 0;
  must(tenon_library_define(library, schema, NULL, &op));
  must(tenon_library_impl(library, tenon_op_name(op), key, &kernel, NULL));
  return op;
}

/* ---- Paths: one function each, `calls` times the same thing ---- */

#define PATH(name) __attribute__((noinline)) void path_##name(int calls)

static void leave(const tenon_frame* frame) {
  __atomic_store_n(frame->leave_word, frame->leave_value, __ATOMIC_RELEASE);
}

static void call_boxed(const tenon_op* op, int calls) {
  tenon_value args[2];
  tenon_stack stack;
  int i;
  memset(args, 0, sizeof args);
  memset(&stack, 0, sizeof stack);
  args[0].tag = args[1].tag = TENON_TAG_TENSOR;
  args[0].as.tensor = a;
  args[1].as.tensor = b;
  stack.args = args;
  stack.nargs = 2;
  for (i = 0; i < calls; ++i) tenon_op_call(op, &stack);
}

PATH(boxed_2_tensors) { call_boxed(two, calls); }
PATH(boxed_2_tensors_one_redispatch) { call_boxed(layered, calls); }

PATH(typed_begin1) {
  typedef tenon_status (*function)(const tenon_frame*, tenon_tensor*);
  for (int i = 0; i < calls; ++i) {
    tenon_frame frame;
    const tenon_entry* entry = tenon_op_begin1(one, a, &frame);
    ((function)entry->typed)(&frame, a);
    leave(&frame);
  }
}

PATH(typed_begin2) {
  typedef tenon_status (*function)(const tenon_frame*, tenon_tensor*, tenon_tensor*);
  for (int i = 0; i < calls; ++i) {
    tenon_frame frame;
    const tenon_entry* entry = tenon_op_begin2(typed, a, b, &frame);
    ((function)entry->typed)(&frame, a, b);
    leave(&frame);
  }
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
  tenon_value arg;
  tenon_stack stack;
  memset(&arg, 0, sizeof arg);
  memset(&stack, 0, sizeof stack);
  arg.tag = TENON_TAG_TENSOR;
  arg.as.tensor = a;
  stack.args = &arg;
  stack.nargs = 1;
  for (int i = 0; i < calls; ++i) {
    tenon_op_call(failing, &stack);
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

static const struct {
  const char* name;
  void (*run)(int calls);
} paths[] = {
    {"boxed_2_tensors", path_boxed_2_tensors},
    {"boxed_2_tensors_one_redispatch", path_boxed_2_tensors_one_redispatch},
    {"typed_begin1", path_typed_begin1},
    {"typed_begin2", path_typed_begin2},
    {"lookup_by_name", path_lookup_by_name},
    {"error_made_taken_released", path_error_made_taken_released},
    {"failing_kernel", path_failing_kernel},
    {"retain_and_release", path_retain_and_release},
    {"new_and_release_tensor", path_new_and_release_tensor},
};
#define PATHS (sizeof paths / sizeof *paths)

/* Without arguments: the names of the paths. With a name and a number: that many calls of it. */
int main(int argc, char** argv) {
  tenon_library* library = NULL;
  const int64_t size = 1;
  size_t i;
  if (argc < 3) {
    for (i = 0; i < PATHS; ++i) printf("%s\n", paths[i].name);
    return 0;
  }
  must(tenon_library_new(TENON_LIBRARY_DEF, "counted", TENON_KEY_NONE, __FILE__, 0, &library));
  below_autograd = tenon_keyset_below(TENON_KEY_AUTOGRAD);
  two = define(library, "two(Tensor a, Tensor b) -> ()", TENON_KEY_CPU, noop, NULL, NULL);
  layered = define(library, "layered(Tensor a, Tensor b) -> ()", TENON_KEY_CPU, noop, NULL, NULL);
  {
    tenon_kernel kernel;
    memset(&kernel, 0, sizeof kernel);
    kernel.struct_size = sizeof kernel;
    kernel.language = TENON_LANGUAGE_C;
    kernel.boxed = redispatch;
    must(tenon_library_impl(library, "layered", TENON_KEY_AUTOGRAD, &kernel, NULL));
  }
  one = define(library, "one(Tensor a) -> ()", TENON_KEY_CPU, noop, (tenon_typed_fn)typed_1, "T>");
  typed = define(library, "typed(Tensor a, Tensor b) -> ()", TENON_KEY_CPU, noop,
                 (tenon_typed_fn)typed_2, "TT>");
  failing = define(library, "failing(Tensor a) -> ()", TENON_KEY_CPU, fails, NULL, NULL);
  must(tenon_tensor_new(TENON_DTYPE_F32, NULL, 1, &size, NULL, &a));
  must(tenon_tensor_new(TENON_DTYPE_F32, NULL, 1, &size, NULL, &b));
  for (i = 0; i < PATHS; ++i) {
    if (strcmp(paths[i].name, argv[1]) != 0) continue;
    paths[i].run(atoi(argv[2]));
    tenon_tensor_release(a);
    tenon_tensor_release(b);
    tenon_library_release(library);
    return 0;
  }
  fprintf(stderr, "instructions: no path %s\n", argv[1]);
  return 1;
}
