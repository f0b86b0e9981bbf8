/* SPDX-License-Identifier: Apache-2.0 */
/* A plugin as each compiler and setting builds it: one operator, `stress_<name>::answer() -> int`.
 * Its C functions come from the program or from libtenon, whichever loads it. */
#include <string.h>

#include "tenon/tenon.h"

static tenon_status answer(void* ctx, const tenon_op* op, tenon_keyset keys, tenon_stack* stack) {
  (void)op;
  (void)keys;
  stack->rets[0].tag = TENON_TAG_INT;
  stack->rets[0].as.i = *(const int*)ctx;
  return TENON_OK;
}

static tenon_status load(tenon_plugin* self, void** out_state) {
  static int the_answer = 42;
  tenon_library* library = NULL;
  tenon_kernel kernel;
  tenon_status status;
  (void)self;
  status = tenon_library_new(TENON_LIBRARY_FRAGMENT, "stress_" PLUGIN_NAME, TENON_KEY_NONE,
                             __FILE__, __LINE__, &library);
  if (status != TENON_OK) return status;
  memset(&kernel, 0, sizeof kernel);
  kernel.struct_size = sizeof kernel;
  kernel.boxed = answer;
  kernel.ctx = &the_answer;
  kernel.language = TENON_LANGUAGE_C;
  status = tenon_library_define(library, "answer() -> int", NULL, NULL);
  if (status == TENON_OK) {
    status =
        tenon_library_impl(library, "answer", TENON_KEY_COMPOSITE_EXPLICIT_AUTOGRAD, &kernel, NULL);
  }
  if (status != TENON_OK) {
    tenon_library_release(library);
    return status;
  }
  *out_state = library;
  return TENON_OK;
}

static void unload(void* state) { tenon_library_release((tenon_library*)state); }

static const tenon_plugin_descriptor descriptor = {sizeof(tenon_plugin_descriptor),
                                                   TENON_ABI_VERSION,
                                                   "stress_" PLUGIN_NAME,
                                                   "1",
                                                   PLUGIN_NAME,
                                                   TENON_SANITIZER_CURRENT,
                                                   0,
                                                   NULL,
                                                   &load,
                                                   &unload,
                                                   {0, 0, 0, 0}};

TENON_EXPORT const tenon_plugin_descriptor* tenon_plugin_query(uint32_t host_abi_min,
                                                               uint32_t host_abi_max) {
  (void)host_abi_min;
  (void)host_abi_max;
  return &descriptor;
}
