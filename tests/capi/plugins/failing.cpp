// SPDX-License-Identifier: Apache-2.0
// A plugin whose load defines an operator, then throws.
#include <tenon/tenon.hpp>

TENON_LIBRARY(plugin_failing, m) {
  m.def("f() -> int", [] { return int64_t{1}; });
  throw tenon::Error(TENON_ERROR_STATE, "plugin_failing: will not load");
}

TENON_PLUGIN("plugin_failing", "1");
