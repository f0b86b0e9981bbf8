// SPDX-License-Identifier: Apache-2.0
// Quick start in C++: define an operator, give it a kernel, call it.
// [quickstart.begin]
#include <iostream>

#include <tenon/ops/aten.hpp>
#include <tenon/tenon.hpp>

int main() {
  tenon::Library library(tenon::Library::Def, "quick_cpp");
  library.def("twice(Tensor x) -> Tensor");
  library.impl("twice", TENON_KEY_CPU,
               [](const tenon::Tensor& x) { return tenon::ops::aten::add(x, x); });
  std::cout << tenon::Op("quick_cpp::twice")(tenon::Tensor::from({1.0f, 2.0f}, {2}))[0].tensor();
  std::cout << '\n';
}
// [quickstart.end]
