/* SPDX-License-Identifier: Apache-2.0 */
/* A plugin for the Python suite: calls operators from C threads, and holds a tensor. */
#include <pthread.h>
#include <stdlib.h>

#include "tenon/tenon.h"

typedef struct job {
  const tenon_op* op;
  tenon_tensor* x;
  int64_t calls;
  int64_t sum;
  tenon_error* error;
} job;

static void* run(void* ctx) {
  job* self = ctx;
  for (int64_t i = 0; i < self->calls && self->error == NULL; i++) {
    tenon_value arg = {TENON_TAG_TENSOR, 0, 0, {0}};
    tenon_value ret = {TENON_TAG_NONE, 0, 0, {0}};
    tenon_stack stack = {&arg, &ret, 1, 1, NULL, {0, 0}};
    arg.as.tensor = self->x;
    if (tenon_op_call_fast(self->op, &stack) != TENON_OK) {
      self->error = tenon_error_take();
    } else {
      self->sum += ret.as.i;
    }
  }
  return NULL;
}

/* call(str op, Tensor x, int threads, int calls) -> int: the sum of all results. */
static tenon_status call(void* ctx, const tenon_op* op, tenon_keyset keys, tenon_stack* stack) {
  (void)ctx;
  (void)op;
  (void)keys;
  enum { MOST = 64 };
  pthread_t threads[MOST];
  job jobs[MOST];
  char name[256];
  int64_t count = stack->args[2].as.i, sum = 0;
  const tenon_op* target;
  tenon_error* error = NULL;
  size_t size = stack->args[0].count;
  if (count > MOST || size >= sizeof name) {
    return tenon_error_raise(TENON_ERROR_INVALID_ARGUMENT, "call: threads must be at most 64");
  }
  for (size_t i = 0; i < size; i++) name[i] = ((const char*)stack->args[0].as.list.data)[i];
  name[size] = 0;
  tenon_status status = tenon_op_find(name, &target);
  if (status != TENON_OK) return status;
  for (int64_t i = 0; i < count; i++) {
    job one = {target, stack->args[1].as.tensor, stack->args[3].as.i, 0, NULL};
    jobs[i] = one;
    if (pthread_create(&threads[i], NULL, run, &jobs[i]) != 0) abort();
  }
  for (int64_t i = 0; i < count; i++) {
    pthread_join(threads[i], NULL);
    sum += jobs[i].sum;
    if (jobs[i].error != NULL && error == NULL) {
      error = jobs[i].error; /* errors are per thread: raise it on this one */
    } else {
      tenon_error_release(jobs[i].error);
    }
  }
  if (error != NULL) return tenon_error_set(error);
  stack->rets[0].tag = TENON_TAG_INT;
  stack->rets[0].as.i = sum;
  return TENON_OK;
}

static tenon_tensor* kept;

/* keep(Tensor x) -> (): holds one tensor in C. */
static tenon_status keep(void* ctx, const tenon_op* op, tenon_keyset keys, tenon_stack* stack) {
  (void)ctx;
  (void)op;
  (void)keys;
  tenon_tensor_release(kept);
  kept = tenon_tensor_retain(stack->args[0].as.tensor);
  return TENON_OK;
}

/* peek() -> Tensor: the tensor held. */
static tenon_status peek(void* ctx, const tenon_op* op, tenon_keyset keys, tenon_stack* stack) {
  (void)ctx;
  (void)op;
  (void)keys;
  if (kept == NULL) return tenon_error_raise(TENON_ERROR_STATE, "peek: nothing is kept");
  stack->rets[0].tag = TENON_TAG_TENSOR;
  stack->rets[0].flags = TENON_VALUE_OWNED;
  stack->rets[0].as.tensor = tenon_tensor_retain(kept);
  return TENON_OK;
}

static void* release_kept(void* unused) {
  (void)unused;
  tenon_tensor_release(kept);
  kept = NULL;
  return NULL;
}

/* drop() -> (): releases the tensor on a C thread. */
static tenon_status drop(void* ctx, const tenon_op* op, tenon_keyset keys, tenon_stack* stack) {
  (void)ctx;
  (void)op;
  (void)keys;
  (void)stack;
  pthread_t thread;
  if (pthread_create(&thread, NULL, release_kept, NULL) != 0) abort();
  pthread_join(thread, NULL);
  return TENON_OK;
}

static tenon_status load(tenon_plugin* self, void** out_state) {
  static const struct {
    const char* schema;
    const char* name;
    tenon_kernel_fn kernel;
  } ops[] = {{"call(str op, Tensor x, int threads, int calls) -> int", "call", call},
             {"keep(Tensor x) -> ()", "keep", keep},
             {"peek() -> Tensor", "peek", peek},
             {"drop() -> ()", "drop", drop}};
  tenon_library* library;
  (void)self;
  tenon_status status = tenon_library_new(TENON_LIBRARY_DEF, "test_python_threads", TENON_KEY_NONE,
                                          __FILE__, __LINE__, &library);
  for (size_t i = 0; status == TENON_OK && i < sizeof ops / sizeof *ops; i++) {
    tenon_kernel kernel = {0};
    kernel.struct_size = sizeof kernel;
    kernel.boxed = ops[i].kernel;
    kernel.language = TENON_LANGUAGE_C;
    kernel.name = ops[i].name;
    status = tenon_library_define(library, ops[i].schema, NULL, NULL);
    if (status == TENON_OK) {
      status = tenon_library_impl(library, ops[i].name, TENON_KEY_COMPOSITE_IMPLICIT_AUTOGRAD,
                                  &kernel, NULL);
    }
  }
  if (status != TENON_OK) {
    tenon_library_release(library);
    return status;
  }
  *out_state = library;
  return TENON_OK;
}

static void unload(void* state) {
  release_kept(NULL);
  tenon_library_release(state);
}

TENON_EXPORT const tenon_plugin_descriptor* tenon_plugin_query(uint32_t host_abi_min,
                                                               uint32_t host_abi_max);
const tenon_plugin_descriptor* tenon_plugin_query(uint32_t host_abi_min, uint32_t host_abi_max) {
  static const tenon_plugin_descriptor descriptor = {sizeof(tenon_plugin_descriptor),
                                                     TENON_ABI_VERSION,
                                                     "python_test_threads",
                                                     "1",
                                                     "",
                                                     TENON_SANITIZER_CURRENT,
                                                     0,
                                                     NULL,
                                                     load,
                                                     unload,
                                                     {0, 0, 0, 0}};
  (void)host_abi_min;
  (void)host_abi_max;
  return &descriptor;
}
