/* SPDX-License-Identifier: Apache-2.0 */
/* A user's plugin, built with a sanitizer: sanitized::last(Tensor a, int at) -> float reads an
 * element of `a`. An `at` beyond its size causes a fault: up to 31 a read past the end of memory,
 * up to 63 a shift by too many bits, from 64 on a race of two threads. */
#include <pthread.h>
#include <stdlib.h>
#include <tenon/tenon.h>

static tenon_library* library = NULL;
static int shared = 0;

static void* write_shared(void* ctx) {
  (void)ctx;
  ++shared;
  return NULL;
}

static tenon_status last(void* ctx, const tenon_op* op, tenon_keyset keys, tenon_stack* stack) {
  tenon_tensor_info a;
  const tenon_status status = tenon_tensor_describe(stack->args[0].as.tensor, &a);
  (void)ctx;
  (void)op;
  (void)keys;
  if (status != TENON_OK) return status;
  float* copy = malloc((size_t)a.numel * sizeof *copy);
  if (copy == NULL) return tenon_error_raise(TENON_ERROR_OUT_OF_MEMORY, "sanitized: no memory");
  for (int64_t i = 0; i < a.numel; ++i) copy[i] = ((const float*)a.data)[i];
  const int64_t at = stack->args[1].as.i;
  const int shift = at >= 32 && at < 64 ? (int)at : 0;
  pthread_t thread;
  if (at >= 64 && pthread_create(&thread, NULL, &write_shared, NULL) == 0) {
    write_shared(NULL);
    pthread_join(thread, NULL);
  }
  stack->rets[0] = tenon_value_of_float((double)copy[at < 32 ? at : 0] + 0 * (1 << shift));
  free(copy);
  return TENON_OK;
}

static tenon_status load(tenon_plugin* self, void** out_state) {
  tenon_kernel kernel = {.struct_size = sizeof kernel, .boxed = &last, .name = "last"};
  tenon_status status = tenon_library_new(TENON_LIBRARY_DEF, "sanitized", TENON_KEY_NONE, __FILE__,
                                          __LINE__, &library);
  (void)self;
  *out_state = NULL;
  if (status == TENON_OK) {
    status = tenon_library_define(library, "last(Tensor a, int at) -> float", NULL, NULL);
  }
  if (status == TENON_OK) {
    status = tenon_library_impl(library, "last", TENON_KEY_CPU, &kernel, NULL);
  }
  return status;
}

static void unload(void* state) {
  (void)state;
  tenon_library_close(library);
  tenon_library_release(library);
}

TENON_EXPORT const tenon_plugin_descriptor* tenon_plugin_query(uint32_t host_abi_min,
                                                               uint32_t host_abi_max) {
  static const tenon_plugin_descriptor descriptor = {.struct_size = sizeof descriptor,
                                                     .abi_version = TENON_ABI_VERSION,
                                                     .name = PLUGIN_NAME,
                                                     .version = "1.0",
                                                     .build_id = "",
                                                     .sanitizer = TENON_SANITIZER_CURRENT,
                                                     .load = &load,
                                                     .unload = &unload};
  return TENON_ABI_VERSION < host_abi_min || TENON_ABI_VERSION > host_abi_max ? NULL : &descriptor;
}
