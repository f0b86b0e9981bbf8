/* SPDX-License-Identifier: Apache-2.0 */
/* A plugin that overrides aten::relu with its own kernel when it is loaded. */
#include <string.h>

#include <tenon/tenon.h>

static tenon_status return_argument(void* ctx, const tenon_op* op, tenon_keyset keys,
                                    tenon_stack* stack) {
  (void)ctx, (void)op, (void)keys;
  return tenon_value_copy(&stack->args[0], &stack->rets[0]);
}

static tenon_status load(tenon_plugin* self, void** out_state) {
  tenon_library* library = NULL;
  tenon_kernel kernel;
  tenon_status status;
  (void)self;
  status =
      tenon_library_new(TENON_LIBRARY_IMPL, "aten", TENON_KEY_CPU, __FILE__, __LINE__, &library);
  if (status != TENON_OK) return status;
  memset(&kernel, 0, sizeof kernel);
  kernel.struct_size = sizeof kernel;
  kernel.boxed = &return_argument;
  kernel.language = TENON_LANGUAGE_C;
  *out_state = library;
  return tenon_library_impl(library, "relu", TENON_KEY_NONE, &kernel, NULL);
}

static void unload(void* state) { tenon_library_release((tenon_library*)state); }

static const tenon_plugin_descriptor descriptor = {sizeof(tenon_plugin_descriptor),
                                                   TENON_ABI_VERSION,
                                                   "overriding",
                                                   "1",
                                                   "",
                                                   TENON_SANITIZER_CURRENT,
                                                   0,
                                                   NULL,
                                                   &load,
                                                   &unload,
                                                   {0, 0, 0, 0}};

TENON_EXPORT const tenon_plugin_descriptor* tenon_plugin_query(uint32_t host_abi_min,
                                                               uint32_t host_abi_max);
TENON_EXPORT const tenon_plugin_descriptor* tenon_plugin_query(uint32_t host_abi_min,
                                                               uint32_t host_abi_max) {
  (void)host_abi_min, (void)host_abi_max;
  return &descriptor;
}
