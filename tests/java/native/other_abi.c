/* SPDX-License-Identifier: Apache-2.0 */
/* A plugin that claims to be built against an ABI of the far future. */
#include "tenon/plugin.h"

#include "tenon/status.h"

static tenon_status load(tenon_plugin* self, void** out_state) {
  (void)self;
  *out_state = NULL;
  return TENON_OK;
}

static const tenon_plugin_descriptor descriptor = {sizeof(tenon_plugin_descriptor),
                                                   (uint32_t)99 << 16,
                                                   "tenon_javatest_abi",
                                                   "1.0",
                                                   "",
                                                   TENON_SANITIZER_CURRENT,
                                                   0,
                                                   NULL,
                                                   load,
                                                   NULL,
                                                   {0, 0, 0, 0}};

TENON_EXPORT const tenon_plugin_descriptor* tenon_plugin_query(uint32_t host_abi_min,
                                                               uint32_t host_abi_max);

const tenon_plugin_descriptor* tenon_plugin_query(uint32_t host_abi_min, uint32_t host_abi_max) {
  (void)host_abi_min;
  (void)host_abi_max;
  return &descriptor;
}
