/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A plugin whose behavior a script controls. It resolves the C API against the program that loads
 * it.
 */
#include <string.h>

#include "plugin_script.h"
#include "tenon/tenon.h"

TENON_EXPORT tenon_plugin_script tenon_plugin_script_of = {0, 0, NULL,
                                                           0, 0, "fuzzed::" PLUGIN_NAME};

static tenon_status answer(void* ctx, const tenon_op* op, tenon_keyset keys, tenon_stack* stack) {
  (void)ctx;
  (void)op;
  (void)keys;
  stack->rets[0].tag = TENON_TAG_INT;
  return TENON_OK;
}

static tenon_status enlist(tenon_library* library) {
  tenon_kernel kernel;
  const tenon_status status = tenon_library_define(library, PLUGIN_NAME "() -> int", NULL, NULL);
  if (status != TENON_OK) return status;
  memset(&kernel, 0, sizeof kernel);
  kernel.struct_size = sizeof kernel;
  kernel.boxed = answer;
  kernel.language = TENON_LANGUAGE_C;
  return tenon_library_impl(library, PLUGIN_NAME, TENON_KEY_COMPOSITE_EXPLICIT_AUTOGRAD, &kernel,
                            NULL);
}

static tenon_status load(tenon_plugin* self, void** out_state) {
  const tenon_plugin_script* script = &tenon_plugin_script_of;
  tenon_library* library = NULL;
  tenon_plugin* again = NULL;
  tenon_status status;
  ++tenon_plugin_script_of.loads;
  status = tenon_library_new(TENON_LIBRARY_FRAGMENT, "fuzzed", TENON_KEY_NONE, "scripted_plugin.c",
                             1, &library);
  if (status == TENON_OK) status = enlist(library);
  if (status == TENON_OK && script->load_again != NULL) {
    status = tenon_plugin_load(script->load_again, &again);
    if (status == TENON_OK && again != self) {
      status = tenon_error_raise(TENON_ERROR_STATE, "asked for itself and got another");
    }
  }
  if (status == TENON_OK && script->fail) {
    status = script->fail_silently ? TENON_ERROR_SYSTEM
                                   : tenon_error_raise(TENON_ERROR_BUSY, "the script says so");
  }
  if (status != TENON_OK) {
    tenon_library_release(library);
    return status;
  }
  *out_state = library;
  return TENON_OK;
}

static void unload(void* state) {
  ++tenon_plugin_script_of.unloads;
  tenon_library_release((tenon_library*)state);
}

static const tenon_plugin_descriptor descriptor = {sizeof(tenon_plugin_descriptor),
                                                   TENON_ABI_VERSION,
                                                   PLUGIN_NAME,
                                                   "1",
                                                   "fuzz",
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
