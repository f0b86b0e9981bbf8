// SPDX-License-Identifier: Apache-2.0
// A plugin in C++: from_cpp::twice.
#include <tenon/ops/aten.hpp>
#include <tenon/tenon.hpp>

TENON_LIBRARY(from_cpp, library) {
  library.def("twice(Tensor x) -> Tensor");
  library.impl("twice", TENON_KEY_CPU,
               [](const tenon::Tensor& x) { return tenon::ops::aten::add(x, x); });
}

TENON_PLUGIN("from_cpp", "1.0");
