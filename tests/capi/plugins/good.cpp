// SPDX-License-Identifier: Apache-2.0
// A plugin that loads: one operator.
#include <tenon/tenon.hpp>

TENON_LIBRARY(plugin_good, m) {
  m.def("three() -> int", [] { return int64_t{3}; });
}

TENON_PLUGIN("plugin_good", "1.2.3");
