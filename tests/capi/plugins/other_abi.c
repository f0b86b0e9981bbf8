// SPDX-License-Identifier: Apache-2.0
// A plugin built for another ABI: its load must never run.
#include <stdlib.h>

#include <tenon/tenon.h>

static tenon_status load(tenon_plugin* self, void** out_state) {
  (void)self, (void)out_state;
  abort();
}

static const tenon_plugin_descriptor descriptor = {
    .struct_size = sizeof(tenon_plugin_descriptor),
    .abi_version = 99u << 16,
    .name = "plugin_other_abi",
    .version = "1",
    .build_id = "",
    .sanitizer = TENON_SANITIZER_CURRENT,
    .load = &load,
};

TENON_EXPORT const tenon_plugin_descriptor* tenon_plugin_query(uint32_t host_abi_min,
                                                               uint32_t host_abi_max);
const tenon_plugin_descriptor* tenon_plugin_query(uint32_t host_abi_min, uint32_t host_abi_max) {
  (void)host_abi_min, (void)host_abi_max;
  return &descriptor;
}
