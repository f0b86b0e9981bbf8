// SPDX-License-Identifier: Apache-2.0
// A plugin in C: from_c::negate.
#include <tenon/tenon.h>

static tenon_status negate(void* ctx, const tenon_op* op, tenon_keyset keys, tenon_stack* stack) {
  (void)ctx, (void)op, (void)keys;
  stack->rets[0] = tenon_value_of_int(-stack->args[0].as.i);
  return TENON_OK;
}

static tenon_status load(tenon_plugin* self, void** out_state) {
  tenon_library* library = NULL;
  tenon_kernel kernel = {.struct_size = sizeof kernel, .boxed = negate, .name = "negate"};
  (void)self;
  tenon_status status =
      tenon_library_new(TENON_LIBRARY_DEF, "from_c", TENON_KEY_NONE, __FILE__, __LINE__, &library);
  if (!status) status = tenon_library_define(library, "negate(int x) -> int", NULL, NULL);
  if (!status) status = tenon_library_impl(library, "negate", TENON_KEY_CPU, &kernel, NULL);
  if (status) {
    tenon_library_release(library);
    return status;
  }
  *out_state = library;
  return TENON_OK;
}

static void unload(void* state) { tenon_library_release(state); }

static const tenon_plugin_descriptor descriptor = {
    .struct_size = sizeof descriptor,
    .abi_version = TENON_ABI_VERSION,
    .name = "from_c",
    .version = "1.0",
    .build_id = "",
    .sanitizer = TENON_SANITIZER_CURRENT,
    .load = load,
    .unload = unload,
};

TENON_EXPORT const tenon_plugin_descriptor* tenon_plugin_query(uint32_t host_abi_min,
                                                               uint32_t host_abi_max) {
  (void)host_abi_min, (void)host_abi_max;
  return &descriptor;
}
