/* SPDX-License-Identifier: Apache-2.0 */
/* A plugin whose operator and callbacks are in the program that loads it: see unload_test.cpp. */
#include "tenon/tenon.h"

extern tenon_library* stress_unload_open(void);

static tenon_status load(tenon_plugin* self, void** out_state) {
  (void)self;
  *out_state = stress_unload_open();
  return TENON_OK;
}

static void unload(void* state) { tenon_library_release((tenon_library*)state); }

static const tenon_plugin_descriptor descriptor = {sizeof(tenon_plugin_descriptor),
                                                   TENON_ABI_VERSION,
                                                   "stress_unload",
                                                   "1",
                                                   "unload",
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
