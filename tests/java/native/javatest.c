/* SPDX-License-Identifier: Apache-2.0 */
/* Operators in C for the Java tests: they call operators by name, from this thread or a new one. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tenon/tenon.h"

static tenon_tensor* held = NULL;

/* Calls the operator that argument 0 names with the arguments after it; results go to the stack. */
static tenon_status invoke_named(tenon_stack* stack) {
  char name[128];
  snprintf(name, sizeof name, "%.*s", (int)stack->args[0].count,
           (const char*)stack->args[0].as.list.data);
  const tenon_op* op = NULL;
  tenon_status status = tenon_op_find(name, &op);
  if (status != TENON_OK) return status;
  tenon_stack inner = {stack->args + 1, stack->rets, stack->nargs - 1, stack->nrets, NULL, {0, 0}};
  return tenon_op_call(op, &inner);
}

static tenon_status invoke(void* ctx, const tenon_op* op, tenon_keyset keys, tenon_stack* stack) {
  (void)ctx;
  (void)op;
  (void)keys;
  const tenon_status status = invoke_named(stack);
  if (status != TENON_OK) {
    stack->error = tenon_error_take();
    tenon_error_add_frame(stack->error, TENON_LANGUAGE_C, "invoke", __FILE__, __LINE__);
  }
  return status;
}

typedef struct task {
  tenon_stack* stack;
  tenon_status status;
  tenon_error* error;
} task;

static void* run(void* argument) {
  task* t = argument;
  t->status = invoke_named(t->stack);
  t->error = t->status == TENON_OK ? NULL : tenon_error_take();
  return NULL;
}

static tenon_status invoke_on_thread(void* ctx, const tenon_op* op, tenon_keyset keys,
                                     tenon_stack* stack) {
  (void)ctx;
  (void)op;
  (void)keys;
  task t = {stack, TENON_OK, NULL};
  pthread_t thread;
  if (pthread_create(&thread, NULL, run, &t) != 0) {
    return tenon_error_raise(TENON_ERROR_SYSTEM, "invoke_on_thread: no thread");
  }
  pthread_join(thread, NULL);
  stack->error = t.error;
  return t.status;
}

static tenon_status echo(void* ctx, const tenon_op* op, tenon_keyset keys, tenon_stack* stack) {
  (void)ctx;
  (void)op;
  (void)keys;
  return tenon_value_copy(&stack->args[0], &stack->rets[0]);
}

static tenon_status fail(void* ctx, const tenon_op* op, tenon_keyset keys, tenon_stack* stack) {
  (void)ctx;
  (void)op;
  (void)keys;
  stack->error =
      tenon_error_new(TENON_ERROR_INDEX, NULL, "fail: message with \xC3\xA9 and \xF0\x9F\x8D\xB0");
  tenon_error_add_note(stack->error, "a note");
  tenon_error_add_frame(stack->error, TENON_LANGUAGE_C, "fail", "javatest.c", 77);
  tenon_error_set_cause(stack->error, tenon_error_new(TENON_ERROR_SYSTEM, NULL, "the cause"));
  return TENON_ERROR_INDEX;
}

static int payloads_deleted = 0;
static void delete_payload(void* payload) { ++*(int*)payload; }

/* Fails with an error that has another language's exception. */
static tenon_status fail_foreign(void* ctx, const tenon_op* op, tenon_keyset keys,
                                 tenon_stack* stack) {
  (void)ctx;
  (void)op;
  (void)keys;
  stack->error = tenon_error_new(TENON_ERROR_FOREIGN, "ZeroDivisionError", "division by zero");
  tenon_error_set_payload(stack->error, TENON_LANGUAGE_PYTHON, &payloads_deleted, delete_payload);
  return TENON_ERROR_FOREIGN;
}

/* Returns 1 if the error of the named operator still has that payload, otherwise 0. */
static tenon_status keeps_payload(void* ctx, const tenon_op* op, tenon_keyset keys,
                                  tenon_stack* stack) {
  (void)ctx;
  (void)op;
  (void)keys;
  tenon_value none = {0};
  tenon_stack inner = {stack->args, &none, stack->nargs, 1, NULL, {0, 0}};
  const tenon_status status = invoke_named(&inner);
  int64_t kept = 0;
  if (status == TENON_OK) {
    tenon_value_clear(&none);
  } else {
    tenon_error* error = tenon_error_take();
    kept = tenon_error_payload(error, TENON_LANGUAGE_PYTHON) == &payloads_deleted;
    tenon_error_release(error);
  }
  stack->rets[0].tag = TENON_TAG_INT;
  stack->rets[0].as.i = kept;
  return TENON_OK;
}

/* Returns the parts of the named operator's error that C can read. */
static tenon_status error_text(void* ctx, const tenon_op* op, tenon_keyset keys,
                               tenon_stack* stack) {
  (void)ctx;
  (void)op;
  (void)keys;
  tenon_value none = {0};
  tenon_stack inner = {stack->args, &none, stack->nargs, 1, NULL, {0, 0}};
  if (invoke_named(&inner) == TENON_OK) {
    tenon_value_clear(&none);
    return tenon_error_raise(TENON_ERROR_STATE, "error_text: the operator must fail");
  }
  tenon_error* error = tenon_error_take();
  const char* text = tenon_error_format(error);
  const tenon_status status = tenon_value_new_string(text, (int64_t)strlen(text), &stack->rets[0]);
  tenon_error_release(error);
  return status;
}

static tenon_status hold(void* ctx, const tenon_op* op, tenon_keyset keys, tenon_stack* stack) {
  (void)ctx;
  (void)op;
  (void)keys;
  tenon_tensor_release(held);
  held = tenon_tensor_retain(stack->args[0].as.tensor);
  return TENON_OK;
}

static void* release_held(void* argument) {
  (void)argument;
  tenon_tensor_release(held);
  held = NULL;
  return NULL;
}

static tenon_status release(void* ctx, const tenon_op* op, tenon_keyset keys, tenon_stack* stack) {
  (void)ctx;
  (void)op;
  (void)keys;
  (void)stack;
  pthread_t thread;
  if (pthread_create(&thread, NULL, release_held, NULL) != 0) {
    return tenon_error_raise(TENON_ERROR_SYSTEM, "release: no thread");
  }
  pthread_join(thread, NULL);
  return TENON_OK;
}

static tenon_status first(void* ctx, const tenon_op* op, tenon_keyset keys, tenon_stack* stack) {
  (void)ctx;
  (void)op;
  (void)keys;
  return tenon_value_copy(&stack->args[0], &stack->rets[0]);
}

/* The call made after the JVM has ended: an operator and its argument, owned. */
static const tenon_op* late_op = NULL;
static tenon_tensor* late_tensor = NULL;

static tenon_status call_late(void) {
  tenon_value arg = {0};
  tenon_value ret = {0};
  arg.tag = TENON_TAG_TENSOR;
  arg.as.tensor = late_tensor;
  tenon_stack stack = {&arg, &ret, 1, 1, NULL, {0, 0}};
  const tenon_status status = tenon_op_call_fast(late_op, &stack);
  tenon_value_clear(&ret);
  if (status != TENON_OK) tenon_error_release(tenon_error_take());
  return status;
}

static void at_exit(void) {
  fprintf(stderr, "javatest: after the machine: %s\n", tenon_status_name(call_late()));
  tenon_tensor_release(late_tensor); /* its deleter is Java's, and must only enqueue */
}

static void* spin(void* argument) {
  (void)argument;
  while (call_late() == TENON_OK) continue;
  return NULL;
}

/* Calls an operator repeatedly on another thread, and once more when the process exits. */
static tenon_status call_until_exit(void* ctx, const tenon_op* op, tenon_keyset keys,
                                    tenon_stack* stack) {
  (void)ctx;
  (void)op;
  (void)keys;
  char name[128];
  snprintf(name, sizeof name, "%.*s", (int)stack->args[0].count,
           (const char*)stack->args[0].as.list.data);
  const tenon_status status = tenon_op_find(name, &late_op);
  if (status != TENON_OK) return status;
  late_tensor = tenon_tensor_retain(stack->args[1].as.tensor);
  pthread_t thread;
  if (atexit(at_exit) != 0 || pthread_create(&thread, NULL, spin, NULL) != 0) {
    return tenon_error_raise(TENON_ERROR_SYSTEM, "call_until_exit: no handler or thread");
  }
  pthread_detach(thread);
  return TENON_OK;
}

/* Returns its last number, the one before string and list, as a tensor of that dtype. */
static tenon_status number(void* ctx, const tenon_op* op, tenon_keyset keys, tenon_stack* stack) {
  (void)ctx;
  (void)op;
  (void)keys;
  const tenon_value* args = stack->args;
  if (stack->nargs == 5 && (args[3].tag != TENON_TAG_STRING || args[3].count != 1 ||
                            args[4].tag != TENON_TAG_INT_LIST || args[4].count != 2)) {
    return tenon_error_raise(TENON_ERROR_INVALID_ARGUMENT, "number: the defaults must arrive");
  }
  tenon_tensor* made = NULL;
  const tenon_status status = tenon_tensor_new_number(&args[stack->nargs == 2 ? 1 : 2], &made);
  if (status != TENON_OK) return status;
  stack->rets[0].tag = TENON_TAG_TENSOR;
  stack->rets[0].flags = TENON_VALUE_OWNED;
  stack->rets[0].as.tensor = made;
  return TENON_OK;
}

/* Kernels that succeed but return no tensor: an error for Tensor, an absent result for Tensor?. */
static tenon_status null_boxed(void* ctx, const tenon_op* op, tenon_keyset keys,
                               tenon_stack* stack) {
  (void)ctx;
  (void)op;
  (void)keys;
  stack->rets[0] = tenon_value_of_tensor(NULL);
  return TENON_OK;
}

static tenon_status null_typed(const tenon_frame* frame, tenon_tensor* x, tenon_tensor** out) {
  (void)frame;
  (void)x;
  *out = NULL;
  return TENON_OK;
}

static tenon_status null_default(const tenon_frame* frame, tenon_tensor* x, const tenon_value* a,
                                 tenon_tensor** out) {
  (void)a;
  return null_typed(frame, x, out);
}

static tenon_status maybe_typed(const tenon_frame* frame, tenon_tensor* x, tenon_tensor** out) {
  (void)frame;
  *out = tenon_tensor_numel(x) == 0 ? NULL : tenon_tensor_retain(x);
  return TENON_OK;
}

static tenon_status maybe_boxed(void* ctx, const tenon_op* op, tenon_keyset keys,
                                tenon_stack* stack) {
  (void)ctx;
  (void)op;
  (void)keys;
  tenon_tensor* x = stack->args[0].as.tensor;
  if (tenon_tensor_numel(x) > 0) {
    stack->rets[0] = tenon_value_give(tenon_value_of_tensor(tenon_tensor_retain(x)));
  }
  return TENON_OK;
}

/* Checks that the default values arrive unchanged: 1, 2.5, "a", [1, 2]. */
static tenon_status check_defaults(const tenon_value* a, const tenon_value* b) {
  const int32_t one = a->tag == TENON_TAG_INT && a->as.i == 1;
  const int32_t half = b == NULL || (b->tag == TENON_TAG_FLOAT && b->as.f == 2.5);
  if (one && half) return TENON_OK;
  return tenon_error_raise(TENON_ERROR_INVALID_ARGUMENT, "nothing: the defaults must arrive");
}

static tenon_status nothing(void* ctx, const tenon_op* op, tenon_keyset keys, tenon_stack* stack) {
  (void)ctx;
  (void)op;
  (void)keys;
  const tenon_value* args = stack->args;
  if (stack->nargs == 2) return TENON_OK;
  if (stack->nargs == 3 && args[1].tag == TENON_TAG_TENSOR) return check_defaults(&args[2], NULL);
  if (stack->nargs == 3) return check_defaults(&args[1], &args[2]);
  const int32_t text = args[2].tag == TENON_TAG_STRING && args[2].count == 1 &&
                       ((const char*)args[2].as.list.data)[0] == 'a';
  const int64_t* list = args[3].as.list.data;
  if (text && args[3].tag == TENON_TAG_INT_LIST && args[3].count == 2 && list[1] == 2) {
    return TENON_OK;
  }
  return tenon_error_raise(TENON_ERROR_INVALID_ARGUMENT, "nothing: the defaults must arrive");
}

static tenon_status nothing_typed(const tenon_frame* frame, tenon_tensor* x, tenon_tensor* y) {
  (void)frame;
  (void)x;
  (void)y;
  return TENON_OK;
}

static tenon_status nothing_one(const tenon_frame* frame, tenon_tensor* x, tenon_tensor* y,
                                const tenon_value* a) {
  (void)frame;
  (void)x;
  (void)y;
  return check_defaults(a, NULL);
}

static tenon_status nothing_two(const tenon_frame* frame, tenon_tensor* x, const tenon_value* a,
                                const tenon_value* b) {
  (void)frame;
  (void)x;
  return check_defaults(a, b);
}

/* Calls a function with the other arguments. */
static tenon_status apply(void* ctx, const tenon_op* op, tenon_keyset keys, tenon_stack* stack) {
  (void)ctx;
  (void)op;
  (void)keys;
  tenon_stack inner = {stack->args + 1, stack->rets, stack->nargs - 1, 1, NULL, {0, 0}};
  return tenon_object_call(stack->args[0].as.object, &inner);
}

/* C functions that each add their number. */
static tenon_status add_number(void* self, tenon_stack* stack) {
  if (stack->nargs != 1 || stack->args[0].tag != TENON_TAG_INT) {
    return tenon_error_raise(TENON_ERROR_TYPE, "add_number: argument must be one int");
  }
  stack->rets[0] = tenon_value_of_int(stack->args[0].as.i + (int64_t)(intptr_t)self);
  return TENON_OK;
}

static const tenon_object_type adder_type = {sizeof(tenon_object_type),
                                             TENON_LANGUAGE_C,
                                             "javatest.adder",
                                             NULL,
                                             NULL,
                                             NULL,
                                             NULL,
                                             NULL,
                                             add_number,
                                             {0, 0, 0, 0, 0}};

static tenon_status adder(void* ctx, const tenon_op* op, tenon_keyset keys, tenon_stack* stack) {
  (void)ctx;
  (void)op;
  (void)keys;
  tenon_object* made = NULL;
  const tenon_status status =
      tenon_object_new(&adder_type, (void*)(intptr_t)stack->args[0].as.i, &made);
  if (status != TENON_OK) return status;
  stack->rets[0] = tenon_value_give(tenon_value_of_function(made));
  return TENON_OK;
}

typedef struct definition {
  const char* schema;
  const char* name;
  tenon_kernel_fn kernel;
  tenon_typed_fn typed;
  uint64_t signature;
} definition;

static const definition definitions[] = {
    {"invoke(str op, Tensor x) -> Tensor", "invoke", invoke, NULL, 0},
    {"invoke2(str op, Tensor x, Tensor y) -> Tensor", "invoke2", invoke, NULL, 0},
    {"invoke_any(str op, Any x) -> Any", "invoke_any", invoke, NULL, 0},
    {"invoke_on_thread(str op, Tensor x) -> Tensor", "invoke_on_thread", invoke_on_thread, NULL, 0},
    {"echo(Any x) -> Any", "echo", echo, NULL, 0},
    {"fail() -> int", "fail", fail, NULL, 0},
    {"fail_foreign(Any x) -> Any", "fail_foreign", fail_foreign, NULL, 0},
    {"keeps_payload(str op, Any x) -> int", "keeps_payload", keeps_payload, NULL, 0},
    {"error_text(str op, Tensor x) -> str", "error_text", error_text, NULL, 0},
    {"hold(Tensor x) -> ()", "hold", hold, NULL, 0},
    {"release() -> ()", "release", release, NULL, 0},
    {"call_until_exit(str op, Tensor x) -> ()", "call_until_exit", call_until_exit, NULL, 0},
    {"first(Tensor x) -> Tensor", "first", first, NULL, 0},
    {"first2(Tensor x, Tensor y) -> Tensor", "first2", first, NULL, 0},
    {"number.int(Tensor x, int n=3) -> Tensor", "number.int", number, NULL, 0},
    {"number.float(Tensor x, float n=3) -> Tensor", "number.float", number, NULL, 0},
    {"number.scalar(Tensor x, Scalar n=3) -> Tensor", "number.scalar", number, NULL, 0},
    {"number.optional(Tensor x, int? n=3) -> Tensor", "number.optional", number, NULL, 0},
    {"number.two(Tensor x, int m=7, int n=3, *, str s=\"a\", int[] l=[1, 2]) -> Tensor",
     "number.two", number, NULL, 0},
    {"invoke_many(str op, ...) -> Any", "invoke_many", invoke, NULL, 0},
    {"nothing(Tensor x, Tensor y) -> ()", "nothing", nothing, (tenon_typed_fn)nothing_typed,
     0x6cbb2419e1e17951u}, /* "TT>" */
    {"nothing.one(Tensor x, Tensor y, *, Scalar a=1) -> ()", "nothing.one", nothing,
     (tenon_typed_fn)nothing_one, 0xa282c6fad150ec25u}, /* "TTv>" */
    {"nothing.two(Tensor x, Scalar a=1, Scalar b=2.5) -> ()", "nothing.two", nothing,
     (tenon_typed_fn)nothing_two, 0xa6be94fb64d2029fu}, /* "Tvv>" */
    {"nothing.lists(Tensor x, Tensor y, str s=\"a\", int[] l=[1, 2]) -> ()", "nothing.lists",
     nothing, NULL, 0},
    {"apply(Function f, ...) -> Any", "apply", apply, NULL, 0},
    {"adder(int n) -> Function", "adder", adder, NULL, 0},
    {"null_boxed(Tensor x) -> Tensor", "null_boxed", null_boxed, NULL, 0},
    {"null_typed(Tensor x) -> Tensor", "null_typed", null_boxed, (tenon_typed_fn)null_typed,
     0x6c62fe19e196c2e9u}, /* "T>T" */
    {"null_default(Tensor x, Scalar a=1) -> Tensor", "null_default", null_boxed,
     (tenon_typed_fn)null_default, 0xa77d2efb65743155u}, /* "Tv>T" */
    {"maybe_boxed(Tensor x) -> Tensor?", "maybe_boxed", maybe_boxed, NULL, 0},
    {"maybe_typed(Tensor x) -> Tensor?", "maybe_typed", maybe_boxed, (tenon_typed_fn)maybe_typed,
     0x6c62fe19e196c2e9u}, /* "T>T" */
};

static tenon_status load(tenon_plugin* self, void** out_state) {
  (void)self;
  tenon_library* library = NULL;
  tenon_status status = tenon_library_new(TENON_LIBRARY_DEF, "javatest", TENON_KEY_NONE, __FILE__,
                                          __LINE__, &library);
  for (size_t i = 0; status == TENON_OK && i < sizeof definitions / sizeof definitions[0]; ++i) {
    status = tenon_library_define(library, definitions[i].schema, NULL, NULL);
    if (status != TENON_OK) break;
    tenon_kernel kernel;
    memset(&kernel, 0, sizeof kernel);
    kernel.struct_size = sizeof kernel;
    kernel.boxed = definitions[i].kernel;
    kernel.typed = definitions[i].typed;
    kernel.signature = definitions[i].signature;
    kernel.language = TENON_LANGUAGE_C;
    kernel.name = definitions[i].name;
    status = tenon_library_impl(library, definitions[i].name, TENON_KEY_COMPOSITE_IMPLICIT_AUTOGRAD,
                                &kernel, NULL);
  }
  if (status != TENON_OK) {
    tenon_library_release(library);
    return status;
  }
  *out_state = library;
  return TENON_OK;
}

static void unload(void* state) { tenon_library_release(state); }

static const tenon_plugin_descriptor descriptor = {sizeof(tenon_plugin_descriptor),
                                                   TENON_ABI_VERSION,
                                                   "tenon_javatest",
                                                   "1.0",
                                                   "",
                                                   TENON_SANITIZER_CURRENT,
                                                   0,
                                                   NULL,
                                                   load,
                                                   unload,
                                                   {0, 0, 0, 0}};

TENON_EXPORT const tenon_plugin_descriptor* tenon_plugin_query(uint32_t host_abi_min,
                                                               uint32_t host_abi_max);

const tenon_plugin_descriptor* tenon_plugin_query(uint32_t host_abi_min, uint32_t host_abi_max) {
  (void)host_abi_min;
  (void)host_abi_max;
  return &descriptor;
}
