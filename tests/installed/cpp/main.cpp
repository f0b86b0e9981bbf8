// SPDX-License-Identifier: Apache-2.0
// Calls the program's own operator, one of ATen, one of a plugin, and reads an error, from C++.
#include <iostream>

#include <tenon/ops/aten.hpp>
#include <tenon/tenon.hpp>

int main(int count, char** arguments) {
  if (count != 2) return 2;
  tenon::Library library(tenon::Library::Def, "consumer");
  library.def("square(int x) -> int");
  library.impl("square", TENON_KEY_CPU, [](int64_t x) { return x * x; });
  std::cout << "square " << tenon::Op("consumer::square")(7)[0].to_int() << '\n';

  const tenon::Tensor relu = tenon::ops::aten::relu(tenon::Tensor::from({-1.0f, 0.0f, 2.0f}, {3}));
  const float* data = relu.data<float>();
  std::cout << "relu " << data[0] << ' ' << data[1] << ' ' << data[2] << '\n';

  tenon::check(tenon_plugin_load(arguments[1], nullptr));
  std::cout << "negate " << tenon::Op("from_c::negate")(5)[0].to_int() << '\n';

  try {
    tenon::Op("aten::relu")("no tensor");
  } catch (const tenon::Error& error) {
    std::cout << "error " << (error.code() == TENON_ERROR_TYPE) << ' ' << error.what() << '\n';
  }
}
